//! Kernel values between all rows of a fold.

use super::fold::Fold;
use crate::machine::KernelMachine;
use crate::problem::KernelProblem;
use std::sync::Arc;

/// k(x, z) with the constant feature.
#[derive(Clone)]
pub(super) struct Kernels {
    /// Row j of n: k(xⱼ, ·) on the n training rows and then the N held-out ones.
    pub rows: Arc<[Vec<f64>]>,
}

impl Kernels {
    pub fn new<P: KernelProblem>(fold: &Fold<P>, machine: &KernelMachine) -> Self {
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
}

/// The rounding of f for λ = 1; for another λ it is divided by λ. It is ε of Σ vᵢ max k(x, x), an upper bound of all sums of terms of f on the training rows.
pub(super) fn rounding(machine: &KernelMachine) -> f64 {
    let (diagonal, offset) = (machine.kernel().diagonal(machine.features()), machine.bias().kernel_offset());
    let counted = machine.counted();
    let largest = counted.iter().filter_map(|&i| diagonal.get(i)).fold(0.0, |m: f64, k| m.max(k + offset));
    f64::EPSILON * machine.weights().iter().sum::<f64>() * largest
}
