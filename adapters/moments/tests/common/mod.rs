//! Random rows and moments, and comparisons.

use pathqp_adapters::dataset::Features;
use pathqp_moments::{Class, Covariance, Moments};

/// Pseudorandom numbers (splitmix64, Steele, Lea and Flood 2014, doi:10.1145/2714064.2660195).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    pub fn normals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.normal()).collect()
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

pub fn dense(rows: usize, columns: usize, values: Vec<f64>) -> Features {
    Features::Dense { rows, columns, values }
}

/// n labelled rows of d features with means `offset` and standard deviations around one; a share `density` of them is not zero.
pub fn rows(random: &mut Random, n: usize, d: usize, offset: f64, density: f64) -> (Features, Vec<f64>) {
    let labels: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let mut values = Vec::with_capacity(n * d);
    for y in &labels {
        let common = random.normal();
        for j in 0..d {
            let value = offset + 0.3 * y * (j % 5) as f64 + random.normal() + 0.5 * common;
            values.push(if random.uniform() < density { value } else { 0.0 });
        }
    }
    (dense(n, d, values), labels)
}

/// Mean and covariance of a class in two passes.
pub fn by_hand(features: &Features, labels: &[f64], class: f64) -> (Vec<f64>, Vec<f64>) {
    let d = features.columns();
    let mut table = Vec::new();
    for i in (0..features.rows()).filter(|&i| labels[i] == class) {
        let mut row = vec![0.0; d];
        features.dense_row(i, &mut row);
        table.push(row);
    }
    let n = table.len() as f64;
    let mean: Vec<f64> = (0..d)
        .map(|j| {
            let first = table[0][j];
            first + table.iter().map(|row| row[j] - first).sum::<f64>() / n
        })
        .collect();
    let entry = |i: usize, j: usize| table.iter().map(|r| (r[i] - mean[i]) * (r[j] - mean[j])).sum::<f64>() / (n - 1.0);
    let covariance = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect();
    (mean, covariance)
}

pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(0.0_f64, |l, v| l.max(v.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * scale, "{f} and {e} differ, scale {scale}");
    }
}

pub fn assert_same(found: &Moments, expected: &Moments, tolerance: f64) {
    assert_eq!(found.prior, expected.prior);
    for (f, e) in [(&found.positive, &expected.positive), (&found.negative, &expected.negative)] {
        assert_close(&f.mean, &e.mean, tolerance);
        assert_close(&f.covariance.to_dense(), &e.covariance.to_dense(), tolerance);
    }
}

/// Moments whose features have scales from 10^−spread to 10^spread, and those scales. Correlation matrices have eigenvalues of at least 0.05.
pub fn random_moments(random: &mut Random, d: usize, spread: i32) -> (Moments, Vec<f64>) {
    let scale: Vec<f64> = (0..d).map(|_| 10f64.powf(f64::from(spread) * (2.0 * random.uniform() - 1.0))).collect();
    let mut class = |shift: f64| {
        let factor = random.normals(d * d);
        let covariance = |i: usize, j: usize| {
            let product = dot(&factor[i * d..][..d], &factor[j * d..][..d]) / d as f64;
            (product + if i == j { 0.05 } else { 0.0 }) * scale[i] * scale[j]
        };
        let values = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| covariance(i, j)).collect();
        let mean = scale.iter().map(|s| s * (random.normal() + shift)).collect();
        Class { mean, covariance: Covariance::Dense { columns: d, values } }
    };
    let (positive, negative) = (class(0.5), class(-0.5));
    (Moments::new(0.05 + 0.9 * random.uniform(), positive, negative).unwrap(), scale)
}

/// With means a quarter of the way: where the classes hardly overlap, both objectives are flat.
pub fn nearer(mut moments: Moments) -> Moments {
    for class in [&mut moments.positive, &mut moments.negative] {
        class.mean.iter_mut().for_each(|m| *m *= 0.25);
    }
    moments
}
