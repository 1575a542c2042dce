//! A problem with rows in whole numbers, for any scalar.

use pathqp::hessian::{Dense, Gram, Hessian, Rows};
use pathqp::{Affine, Line, ParametricQp, ProblemError, Range, Scalar};
use std::sync::Arc;

/// A number at θ = 0 and at θ = 1.
pub type Ends = [i64; 2];

/// How H and A are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Gram,
    Dense,
    /// Gram, and A by its entries that are not zero.
    Sparse,
}

/// min ½|Zᵀx|² + cᵀx, bl ≤ Ax ≤ bu, l ≤ x ≤ u for θ from 0 to 1.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// n rows; all of them empty for a linear program.
    pub z: Vec<Vec<i64>>,
    pub c: Vec<Ends>,
    pub lower: Vec<Option<Ends>>,
    pub upper: Vec<Option<Ends>>,
    /// m rows of n.
    pub a: Vec<Vec<i64>>,
    pub row_lower: Vec<Option<Ends>>,
    pub row_upper: Vec<Option<Ends>>,
}

/// The value at θ.
pub fn at<S: Scalar>(ends: &Ends, theta: &S) -> S {
    S::integer(ends[0]) + S::integer(ends[1] - ends[0]) * theta
}

impl Problem {
    pub fn n(&self) -> usize {
        self.c.len()
    }

    pub fn m(&self) -> usize {
        self.a.len()
    }

    fn hessian<S: Scalar>(&self, form: Form) -> Result<Arc<dyn Hessian<S>>, ProblemError> {
        let columns = self.z.first().map_or(0, Vec::len);
        if form == Form::Dense {
            let entry = |i: usize, j: usize| {
                let dot: i64 = self.z[i].iter().zip(&self.z[j]).map(|(a, b)| a * b).sum();
                S::integer(dot)
            };
            let n = self.n();
            return Ok(Arc::new(Dense::new((0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect())?));
        }
        let values = self.z.iter().flatten().map(|&v| S::integer(v)).collect();
        Ok(Arc::new(Gram::new(self.n(), Rows::Dense { columns, values }, S::one())?))
    }

    fn matrix<S: Scalar>(&self, form: Form) -> Rows<S> {
        if form != Form::Sparse {
            let values = self.a.iter().flatten().map(|&v| S::integer(v)).collect();
            return Rows::Dense { columns: self.n(), values };
        }
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &self.a {
            for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0) {
                indices.push(j as u32);
                values.push(S::integer(v));
            }
            starts.push(values.len());
        }
        Rows::Sparse { columns: self.n(), starts, indices, values }
    }

    pub fn qp<S: Scalar>(&self, form: Form) -> Result<ParametricQp<S>, ProblemError> {
        let affine = |v: &[Ends]| {
            let value = v.iter().map(|v| S::integer(v[0])).collect();
            Affine::line(value, v.iter().map(|v| S::integer(v[1] - v[0])).collect())
        };
        // Where a bound is missing, the other one (or zero) stands for it until it is removed.
        let sides = |lower: &[Option<Ends>], upper: &[Option<Ends>]| {
            let pairs = lower.iter().zip(upper);
            let some = pairs.map(|(l, u)| (l.or(*u).unwrap_or([0, 0]), u.or(*l).unwrap_or([0, 0])));
            let (lower, upper): (Vec<Ends>, Vec<Ends>) = some.unzip();
            (affine(&lower), affine(&upper))
        };
        let (lower, upper) = sides(&self.lower, &self.upper);
        let domain = vec![Range::new(S::zero(), S::one())];
        let mut qp = ParametricQp::new(self.hessian(form)?, domain, affine(&self.c))?.lower(lower)?.upper(upper)?;
        for i in 0..self.n() {
            qp = if self.lower[i].is_none() { qp.without_lower(i) } else { qp };
            qp = if self.upper[i].is_none() { qp.without_upper(i) } else { qp };
        }
        let (lower, upper) = sides(&self.row_lower, &self.row_upper);
        qp = qp.rows(self.matrix(form), lower, upper)?;
        for r in 0..self.m() {
            qp = if self.row_lower[r].is_none() { qp.without_row_lower(r) } else { qp };
            qp = if self.row_upper[r].is_none() { qp.without_row_upper(r) } else { qp };
        }
        Ok(qp)
    }

    /// From θ = 0 to 1, or back.
    pub fn line<S: Scalar>(&self, form: Form, backwards: bool) -> Result<Line<S>, ProblemError> {
        let (from, to) = if backwards { (S::one(), S::zero()) } else { (S::zero(), S::one()) };
        self.qp(form)?.line(&[from], &[to])
    }

    /// Hx.
    pub fn product<S: Scalar>(&self, x: &[S]) -> Vec<S> {
        let columns = self.z.first().map_or(0, Vec::len);
        let mut w = vec![S::zero(); columns];
        for (row, x) in self.z.iter().zip(x) {
            for (w, &z) in w.iter_mut().zip(row) {
                *w += S::integer(z) * x;
            }
        }
        let dot = |row: &Vec<i64>| row.iter().zip(&w).fold(S::zero(), |s, (&z, w)| s + S::integer(z) * w);
        self.z.iter().map(dot).collect()
    }

    /// ½xᵀHx + cᵀx.
    pub fn objective<S: Scalar>(&self, theta: &S, x: &[S]) -> S {
        let linear = self.c.iter().zip(x).fold(S::zero(), |s, (c, x)| s + at(c, theta) * x);
        S::dot(x, &self.product(x)) / S::integer(2) + linear
    }
}
