//! Non-negative least squares, and least squares in any box: along a line of right-hand sides, or under a penalty on the sum.
//!
//! *Primal* (Lawson and Hanson 1974, "Solving least squares problems", ch. 23; in boxes Stark and Parker 1995):
//!
//! ```text
//! min over x   ½ ‖Ax − b(s)‖²           b(s) = b + s(b₁ − b),  0 ≤ s ≤ 1         l ≤ x ≤ u
//! min over x   ½ ‖Ax − b‖² + λ 1ᵀx      λ ≥ 0, which is λ‖x‖₁ where l ≥ 0
//! ```
//!
//! *Dual* of the first for l = 0, u = ∞: max over r of ½‖b‖² − ½‖b − r‖² subject to Aᵀr ≤ 0, with r = b − Ax.
//!
//! *Map to the engine*: the primal itself is the engine's problem, with the columns of A in units of their lengths: Ã = AS⁻¹ and x̃ = Sx, S a diagonal matrix
//! of powers of two (columns.rs). H = ÃᵀÃ (a Gram matrix of the columns of Ã), Sl ≤ x̃ ≤ Su, c = −Ãᵀb − s·Ãᵀ(b₁ − b) and θ = s, or c = −Ãᵀb + λS⁻¹1 and θ = λ.
//! z = S⁻¹(−Aᵀ(b − Ax) + λ) is the gradient: at least zero where x is at l, at most zero where it is at u. Where the columns off their bounds are dependent x
//! is not unique, but Ax is.
//!
//! *Start*: under the penalty with l = 0, x = 0 for all λ ≥ max Aᵀb ([`Nnls::largest_lambda`]), and t = −λ on the way down, so that each λ is known to rounding
//! of itself. In other cases the engine finds a start.

mod problem;

pub use problem::{Along, ENTRY};

use crate::columns::Columns;
use crate::dataset::Features;
use crate::error::AdapterError;
use pathqp::{Affine, Line, ParametricQp, Path, Point, ProblemError, Range, Settings, Start, Status, trace};
use std::sync::Arc;

/// Least squares in a box, with a matrix A of n rows and d columns.
#[derive(Clone)]
pub struct Nnls {
    columns: Columns,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// The parameter that varies.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// s: the response moves from b to this b₁ (n values).
    Response(Vec<f64>),
    /// λ: the penalty on the sum.
    Penalty,
}

impl Nnls {
    /// The problem of A (n × d), b (n values) and the box (d values each, infinite where there is no bound).
    ///
    /// # Errors
    /// [`AdapterError`] for lengths that do not agree, and a response that is not finite.
    pub fn new(
        features: &Features,
        response: Vec<f64>,
        lower: Vec<f64>,
        upper: Vec<f64>,
    ) -> Result<Self, AdapterError> {
        let columns = Columns::new(features, response, false)?;
        for (what, bound) in [("lower", &lower), ("upper", &upper)] {
            if bound.len() != columns.count() {
                return Err(ProblemError::Shape { what, expected: columns.count(), found: bound.len() }.into());
            }
        }
        Ok(Nnls { columns, lower, upper })
    }

    /// The problem with the box x ≥ 0.
    ///
    /// # Errors
    /// As [`Nnls::new`].
    pub fn non_negative(features: &Features, response: Vec<f64>) -> Result<Self, AdapterError> {
        let d = features.columns();
        Nnls::new(features, response, vec![0.0; d], vec![f64::INFINITY; d])
    }

    /// The least λ ≥ 0 at which x = l, if l is zero: max Aᵀb.
    pub fn largest_lambda(&self) -> f64 {
        let products = self.columns.products(&self.columns.response);
        products.iter().zip(self.columns.scales()).map(|(g, s)| g * s).fold(0.0, f64::max)
    }

    /// The parametric QP with θ = s ∈ [0, 1] or θ = λ ∈ [0, ∞), in the variables x̃: see [`Nnls::solution`].
    ///
    /// # Errors
    /// [`AdapterError`] for a b₁ of the wrong length or not finite, for λ varying where x may be negative, and for what [`ParametricQp`] refuses.
    pub fn qp(&self, course: &Course) -> Result<ParametricQp<f64>, AdapterError> {
        let (slope, range) = match course {
            Course::Response(other) => {
                let (expected, found) = (self.columns.rows(), other.len());
                if found != expected {
                    return Err(AdapterError::Shape { what: "responses", expected, found });
                }
                let change: Vec<f64> = other.iter().zip(&self.columns.response).map(|(b1, b)| b - b1).collect();
                (self.columns.products(&change), Range::new(0.0, 1.0))
            }
            Course::Penalty => {
                if let Some(value) = self.lower.iter().copied().find(|l| l.is_nan() || *l < 0.0) {
                    return Err(AdapterError::Parameter {
                        name: "lower",
                        value,
                        expected: "not be negative while lambda varies",
                    });
                }
                (self.columns.scales().iter().map(|s| 1.0 / s).collect(), Range::at_least(0.0))
            }
        };
        let hessian = Arc::new(self.columns.gram(&[1.0], 1.0, 0.0)?);
        let cost = self.columns.products(&self.columns.response).into_iter().map(|g| -g).collect();
        let qp = ParametricQp::new(hessian, vec![range], Affine::line(cost, slope))?;
        let scaled = |bound: &[f64]| bound.iter().zip(self.columns.scales()).map(|(b, s)| b * s).collect::<Vec<f64>>();
        let qp = qp.lower(Affine::constant(scaled(&self.lower), 1))?;
        Ok(qp.upper(Affine::constant(scaled(&self.upper), 1))?)
    }

    /// The line of s from 0 to 1, or of λ from [`Nnls::largest_lambda`] down to 0.
    ///
    /// # Errors
    /// As [`Nnls::qp`].
    pub fn line(&self, course: &Course) -> Result<Line<f64>, AdapterError> {
        let qp = self.qp(course)?;
        Ok(match course {
            Course::Response(_) => qp.line(&[0.0], &[1.0]),
            Course::Penalty => qp.line_about(&[0.0], &[self.largest_lambda()], &[0.0]),
        }?)
    }

    /// A start of [`Nnls::line`]: the active set where it is known (λ varies and l = 0), otherwise [`Start::Anywhere`].
    pub fn start(&self, course: &Course) -> Start<f64> {
        match *course == Course::Penalty && self.lower.iter().all(|l| *l == 0.0) {
            true => Start::ActiveSet { status: vec![Status::Lower; self.columns.count()], y: None },
            false => Start::Anywhere,
        }
    }

    /// The whole path.
    ///
    /// # Errors
    /// As [`Nnls::qp`], and a path that could not be followed.
    pub fn path(&self, course: &Course, settings: &Settings) -> Result<Path<f64>, AdapterError> {
        Ok(trace(&self.line(course)?, &self.start(course), settings, &mut ()).map_err(|failure| failure.0)?)
    }

    /// The solution x at a value of the parameter, d values in the units of A and b; `None` outside the path.
    pub fn at(&self, path: &Path<f64>, value: f64) -> Option<Vec<f64>> {
        Some(self.solution(&path.at_parameter(&[value])?))
    }

    /// The solution x at a point of the path, d values in the units of A and b. What rounding leaves outside the box is moved to its bound.
    pub fn solution(&self, point: &Point<f64>) -> Vec<f64> {
        let x = self.columns.in_own_units(&point.x).into_iter();
        x.zip(self.lower.iter().zip(&self.upper)).map(|(x, (l, u))| x.max(*l).min(*u)).collect()
    }

    /// The residual sum of squares ‖Ax − b‖² at x (d values), for the response b.
    pub fn residual_square(&self, x: &[f64]) -> f64 {
        let scaled: Vec<f64> = x.iter().zip(self.columns.scales()).map(|(x, s)| x * s).collect();
        self.columns.residual(&scaled).iter().map(|r| r * r).sum()
    }
}
