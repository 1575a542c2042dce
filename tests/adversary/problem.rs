//! A problem on a line or a ray as plain numbers, and what the engine makes of it.

use pathqp::hessian::{Dense, Gram, Rows};
use pathqp::{Affine, Hessian, Line, ParametricQp, ProblemError, Range};
use std::sync::Arc;

/// How H is given to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The rows of Z.
    Gram,
    /// The entries of ZZᵀ, each rounded.
    Dense,
}

pub const FORMS: [Form; 2] = [Form::Gram, Form::Dense];

/// ½xᵀZZᵀx + c(t)ᵀx with l(t) ≤ x ≤ u(t) and perhaps aᵀx = b(t); every pair is a value at t = 0 and a slope. 0 ≤ t ≤ 1, or t ≥ 0 on a ray.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// n rows.
    pub z: Vec<Vec<f64>>,
    /// n pairs.
    pub c: Vec<[f64; 2]>,
    /// n bounds, none where there is none.
    pub lower: Vec<Option<[f64; 2]>>,
    /// Likewise.
    pub upper: Vec<Option<[f64; 2]>>,
    /// a and b.
    pub row: Option<(Vec<f64>, [f64; 2])>,
    /// No end.
    pub ray: bool,
    /// A feasible x at t = 0 to start from; anywhere without one.
    pub guess: Option<Vec<f64>>,
}

impl Problem {
    pub fn n(&self) -> usize {
        self.z.len()
    }

    /// aᵢ, zero without a row.
    pub fn a(&self, i: usize) -> f64 {
        self.row.as_ref().map_or(0.0, |(a, _)| a[i])
    }

    /// ZZᵀ, every entry rounded once or a few times; symmetric.
    pub fn matrix(&self) -> Vec<Vec<f64>> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum();
        self.z.iter().map(|a| self.z.iter().map(|b| dot(a, b)).collect()).collect()
    }

    fn hessian(&self, form: Form) -> Result<Arc<dyn Hessian<f64>>, ProblemError> {
        Ok(match form {
            Form::Dense => Arc::new(Dense::new(self.matrix())?),
            Form::Gram => {
                let rows = Rows::Dense { columns: self.z[0].len(), values: self.z.concat() };
                Arc::new(Gram::new(self.n(), rows, 1.0)?)
            }
        })
    }

    /// What the engine follows.
    ///
    /// # Errors
    /// What it finds wrong with the problem.
    pub fn line(&self, form: Form) -> Result<Line<f64>, ProblemError> {
        let affine = |pairs: Vec<[f64; 2]>| {
            let (constant, slope) = pairs.into_iter().map(|[v, s]| (v, s)).unzip();
            Affine::line(constant, slope)
        };
        let bounds = |b: &[Option<[f64; 2]>], none: f64| affine(b.iter().map(|b| b.unwrap_or([none, 0.0])).collect());
        let domain = if self.ray { Range::at_least(0.0) } else { Range::new(0.0, 1.0) };
        let mut qp = ParametricQp::new(self.hessian(form)?, vec![domain], affine(self.c.clone()))?
            .lower(bounds(&self.lower, f64::NEG_INFINITY))?
            .upper(bounds(&self.upper, f64::INFINITY))?;
        if let Some((a, b)) = &self.row {
            qp = qp.equality(a.clone(), affine(vec![*b]))?;
        }
        if self.ray { qp.ray(&[0.0], &[1.0]) } else { qp.line(&[0.0], &[1.0]) }
    }

    /// The problem as JSON: z, c, lower, upper, row (a and b, or null), ray and guess.
    pub fn json(&self, name: &str) -> String {
        let row = self.row.as_ref().map(|(a, b)| serde_json::json!({ "a": a, "b": b }));
        serde_json::json!({
            "name": name, "z": self.z, "c": self.c, "lower": self.lower, "upper": self.upper, "row": row, "ray": self.ray, "guess": self.guess
        })
        .to_string()
    }
}
