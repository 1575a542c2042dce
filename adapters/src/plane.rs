//! A problem on a rectangle of its two parameters, and its solutions there.

use crate::problem::{KernelProblem, PathProblem};
use pathqp::complex::{Complex, ComplexError, PlanePoint};
use pathqp::observe::Ask;
use pathqp::{Certificate, ParametricQp, Point, Range, Settings};

/// A problem on a rectangle.
pub struct Plane {
    /// The problem.
    pub problem: Box<dyn PathProblem>,
    /// Its quadratic program on the rectangle.
    pub qp: ParametricQp<f64>,
    /// The names of both parameters.
    pub names: [&'static str; 2],
}

/// The solution at a point and its certificate.
pub struct Solved {
    /// The solution.
    pub point: PlanePoint<f64>,
    /// The certificate.
    pub certificate: Certificate<f64>,
}

impl Solved {
    /// The solution in the terms of a path's point.
    pub fn as_point(&self) -> Point<f64> {
        self.point.as_point()
    }
}

impl Plane {
    /// The kernel problem, if it is one.
    pub fn kernel(&self) -> Option<&dyn KernelProblem> {
        self.problem.view().kernel()
    }

    /// The ends of both ranges; none for a range without an upper end.
    pub fn ends(&self) -> [[Option<f64>; 2]; 2] {
        [0, 1].map(|a: usize| self.qp.domain().get(a).map_or([None; 2], |range| [range.from, range.to]))
    }

    /// Whether a point lies in the domain.
    pub fn contains(&self, point: &[f64; 2]) -> bool {
        let inside = |(range, v): (&Range<f64>, &f64)| {
            range.from.is_none_or(|from| *v >= from) && range.to.is_none_or(|to| *v <= to)
        };
        self.qp.domain().iter().zip(point).all(inside)
    }

    /// The solution at a point.
    ///
    /// # Errors
    /// [`ComplexError`]: a point outside, in a hole, or on a path that fails.
    pub fn at(&self, complex: &Complex<f64>, theta: &[f64; 2]) -> Result<PlanePoint<f64>, ComplexError> {
        complex.at(&self.qp, theta)
    }

    /// The solution at a point, with its certificate from the data, for as long as `go_on` says.
    ///
    /// # Errors
    /// [`ComplexError`]: a point outside, in a hole, or on a path that fails or is interrupted.
    pub fn solve(
        &self,
        complex: &Complex<f64>,
        theta: &[f64; 2],
        settings: &Settings,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Solved, ComplexError> {
        let point = complex.at_watched(&self.qp, theta, settings, &mut Ask(go_on))?;
        let outside = |_| ComplexError::Outside { point: theta.map(|v| v.to_string()) };
        let line = self.qp.line(theta, theta).map_err(outside)?;
        let certificate = Certificate::of(&line, &point.as_point());
        Ok(Solved { point, certificate })
    }
}
