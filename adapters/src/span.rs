//! Linear independence of a few vectors.

/// Vectors are independent whose rest is no smaller than this, relative to their length.
pub(crate) const DEPENDENT: f64 = 1e-9;

/// a·b.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A space, by orthonormal vectors.
#[derive(Default)]
pub(crate) struct Span {
    vectors: Vec<Vec<f64>>,
}

impl Span {
    /// Its dimension.
    pub fn dimension(&self) -> usize {
        self.vectors.len()
    }

    /// What a vector has beside it, by Gram and Schmidt twice; none if it lies in it.
    pub fn off(&self, v: &[f64]) -> Option<Vec<f64>> {
        let mut rest = v.to_vec();
        for _ in 0..2 {
            for q in &self.vectors {
                let part = dot(q, &rest);
                rest.iter_mut().zip(q).for_each(|(v, q)| *v -= part * q);
            }
        }
        let length = dot(v, v).sqrt();
        (dot(&rest, &rest).sqrt() > DEPENDENT * length).then_some(rest)
    }

    /// Takes a vector in.
    pub fn take(&mut self, v: &[f64]) {
        if let Some(mut rest) = self.off(v) {
            let length = dot(&rest, &rest).sqrt();
            rest.iter_mut().for_each(|v| *v /= length);
            self.vectors.push(rest);
        }
    }
}
