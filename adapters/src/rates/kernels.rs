//! Signs of f for the other kernels: all rows at the end of each segment.

use super::expansion::{Columns, Expansion, Walk};
use super::{BLOCK_BYTES, NOISE, Sign};
use crate::dataset::Features;
use crate::kernel::KernelKind;
use std::collections::HashMap;

/// Kernel values k(xᵢ, ·) at some test rows, kept while i is free.
pub(super) struct KernelValues<'a> {
    kernel: KernelKind,
    train: &'a Features,
    rows: Features,
    kept: HashMap<usize, Vec<f64>>,
    /// The largest |k| seen at each test row.
    pub largest: Vec<f64>,
    /// n zeros.
    unit: Vec<f64>,
}

impl KernelValues<'_> {
    pub fn new<'a>(walk: &Walk<'a>, kernel: KernelKind, rows: Features) -> KernelValues<'a> {
        let (m, unit) = (rows.rows(), vec![0.0; walk.path.n()]);
        let train = walk.adapter.machine().features();
        KernelValues { kernel, train, rows, kept: HashMap::new(), largest: vec![0.0; m], unit }
    }
}

impl Columns for KernelValues<'_> {
    fn len(&self) -> usize {
        self.rows.rows()
    }

    fn visit(&mut self, i: usize, mut visit: impl FnMut(usize, f64)) {
        let values = self.kept.entry(i).or_insert_with(|| {
            self.unit[i] = 1.0;
            let values = self.kernel.expand(&self.rows, self.train, &self.unit);
            self.unit[i] = 0.0;
            self.largest.iter_mut().zip(&values).for_each(|(largest, k)| *largest = largest.max(k.abs()));
            values
        });
        values.iter().enumerate().for_each(|(j, &v)| visit(j, v));
    }

    fn forget(&mut self, i: usize) {
        self.kept.remove(&i);
    }
}

pub(super) fn signs(walk: &Walk<'_>, kernel: KernelKind, rows: &Features) -> Vec<Sign> {
    let free = (0..walk.segments()).map(|k| walk.path.free_on(k).len()).max().unwrap_or(0);
    let block = (BLOCK_BYTES / (8 * (free + 1))).max(1);
    let all: Vec<usize> = (0..rows.rows()).collect();
    let signs = all.chunks(block).flat_map(|part| block_signs(walk, kernel, rows.select_rows(part)));
    signs.collect()
}

fn block_signs(walk: &Walk<'_>, kernel: KernelKind, rows: Features) -> Vec<Sign> {
    let square = walk.constant_feature().powi(2);
    let m = rows.rows();
    let mut expansion = Expansion::new(walk, KernelValues::new(walk, kernel, rows));
    let mut signs = vec![Sign::default(); m];
    let (mut before, mut total, mut mass) = (expansion.value.clone(), expansion.total, expansion.mass);
    for k in 0..walk.segments() {
        expansion.move_to_end(k);
        let at = [walk.t[k], walk.t[k + 1]];
        let intercept = walk.intercept(k);
        let constant = [intercept[0] + square * total, intercept[1] + square * expansion.total];
        for (i, sign) in signs.iter_mut().enumerate() {
            let f = [before[i] + constant[0], expansion.value[i] + constant[1]];
            let reach = expansion.columns.largest[i] + square;
            let noise = [reach * mass + intercept[0].abs(), reach * expansion.mass + intercept[1].abs()];
            sign.segment(at, f, noise.map(|size| NOISE * size));
        }
        before.copy_from_slice(&expansion.value);
        (total, mass) = (expansion.total, expansion.mass);
    }
    signs
}
