//! Kernel values between all rows of a fold, and the Hessians made of them.

use super::fold::Fold;
use crate::adapter::Adapter;
use crate::error::AdapterError;
use crate::kernel::KernelKind;
use crate::machine::KernelMachine;
use pathqp::hessian::semidefinite;
use pathqp::{Hessian, Settings};
use std::sync::Arc;

/// Up to so many rows a kernel matrix is looked at as a whole: one of low rank is then factored, which tells dependence more sharply and costs less.
const WHOLE: usize = 3000;

/// k(x, z) with the constant feature.
pub(super) struct Kernels {
    /// Row j of n: k(xⱼ, ·) on the n training rows and then the N held-out ones.
    pub rows: Vec<Vec<f64>>,
}

impl Kernels {
    pub fn new<P: Adapter>(fold: &Fold<P>, machine: &KernelMachine) -> Self {
        let (kernel, offset, n) = (machine.kernel(), machine.bias().kernel_offset(), machine.rows());
        let mut unit = vec![0.0; n];
        let row = |j: usize| {
            unit[j] = 1.0;
            let mut row = kernel.expand(machine.features(), machine.features(), &unit);
            row.extend(kernel.expand(fold.rows(), machine.features(), &unit));
            unit[j] = 0.0;
            row.iter_mut().for_each(|k| *k += offset);
            row
        };
        Kernels { rows: (0..n).map(row).collect() }
    }

    /// The matrix of the first rows, as the machine of the same rows has it.
    ///
    /// # Errors
    /// As [`KernelMachine::hessian`].
    pub fn hessian(&self, machine: &KernelMachine, settings: &Settings) -> Result<Arc<dyn Hessian<f64>>, AdapterError> {
        let n = machine.rows();
        if machine.kernel() != KernelKind::Linear && n <= WHOLE && n <= self.rows.len() {
            // The same number on both sides of the diagonal.
            let entry = |i: usize, j: usize| self.rows[i.min(j)][i.max(j)];
            let rows = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
            if let Ok(hessian) = semidefinite(rows) {
                return Ok(hessian);
            }
        }
        Ok(machine.hessian(&vec![1.0; n], 1.0, settings)?)
    }

    /// The largest k(x, x) of the first rows.
    pub fn largest(&self, count: usize) -> f64 {
        self.rows.iter().take(count).enumerate().filter_map(|(i, row)| row.get(i)).fold(0.0, |m, k| k.max(m))
    }
}
