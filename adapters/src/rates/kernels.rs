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
    /// √k(xᵢ, xᵢ) for each training row, and the largest of them.
    roots: (Vec<f64>, f64),
    /// B².
    square: f64,
    /// n zeros.
    unit: Vec<f64>,
}

impl KernelValues<'_> {
    pub fn new<'a>(walk: &Walk<'a>, kernel: KernelKind, rows: Features) -> KernelValues<'a> {
        let (m, unit) = (rows.rows(), vec![0.0; walk.path.n()]);
        let train = walk.classifier.problem.machine().features();
        let roots: Vec<f64> = kernel.diagonal(train).into_iter().map(|k| k.max(0.0).sqrt()).collect();
        let most = roots.iter().copied().fold(0.0, f64::max);
        let (largest, square) = (vec![0.0; m], walk.constant_feature().powi(2));
        KernelValues { kernel, train, rows, kept: HashMap::new(), largest, roots: (roots, most), square, unit }
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

    /// |k(xⱼ, xᵢ)| ≤ √k(xⱼ, xⱼ)·√k(xᵢ, xᵢ).
    fn reach(&self, i: usize) -> f64 {
        self.roots.0[i] * self.roots.1 + self.square
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
    let mut before = (expansion.value.clone(), expansion.total, expansion.mass, expansion.margin);
    for k in 0..walk.segments() {
        expansion.move_to_end(k);
        let at = [walk.t[k], walk.t[k + 1]];
        let intercept = walk.intercept(k);
        let (value, total, mass, margin) = &mut before;
        let constant = [intercept[0] + square * *total, intercept[1] + square * expansion.total];
        for (i, sign) in signs.iter_mut().enumerate() {
            let f = [value[i] + constant[0], expansion.value[i] + constant[1]];
            let reach = expansion.columns.largest[i] + square;
            let terms = [reach * *mass + *margin, reach * expansion.mass + expansion.margin];
            let noise = [0, 1].map(|end| NOISE * (terms[end] + intercept[end].abs()));
            sign.segment(at, f, noise);
        }
        value.copy_from_slice(&expansion.value);
        (*total, *mass, *margin) = (expansion.total, expansion.mass, expansion.margin);
    }
    signs
}
