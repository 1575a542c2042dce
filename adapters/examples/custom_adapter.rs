//! The ball that holds all but a share ν of the data, for every ν from one path: the example of `docs/adapters.md`.

use pathqp::hessian::{Gram, Rows};
use pathqp::{Affine, Line, ParametricQp, Path, PathError, Point, ProblemError, Range, Settings, Start, Status, trace};
use std::sync::Arc;

/// What can be wrong with the data, or with the path.
#[derive(Debug, thiserror::Error)]
pub enum BallError {
    /// Rows must be equally long.
    #[error("row {row} has {found} entries, the rows before it have {expected}")]
    Ragged {
        /// The row, from zero.
        row: usize,
        /// The length of the first row.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// The quadratic program could not be posed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The path could not be followed.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// n points in d dimensions.
pub struct EnclosingBalls {
    rows: Vec<Vec<f64>>,
}

/// The ball at one ν.
#[derive(Clone, Debug, PartialEq)]
pub struct Ball {
    /// Its centre, d entries.
    pub centre: Vec<f64>,
    /// Its radius squared.
    pub square: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl EnclosingBalls {
    /// Checks the data.
    pub fn new(rows: Vec<Vec<f64>>) -> Result<Self, BallError> {
        let expected = rows.first().map_or(0, Vec::len);
        if let Some(row) = rows.iter().position(|x| x.len() != expected) {
            return Err(BallError::Ragged { row, expected, found: rows[row].len() });
        }
        Ok(EnclosingBalls { rows })
    }

    /// The least ν of interest: below 1/n the ball is the one at 1/n, which holds all points.
    pub fn least(&self) -> f64 {
        1.0 / self.rows.len() as f64
    }

    /// The parametric QP with θ = ν ∈ [0, 1].
    pub fn qp(&self) -> Result<ParametricQp<f64>, BallError> {
        let (n, count) = (self.rows.len(), self.rows.len() as f64);
        let columns = self.rows.first().map_or(0, Vec::len);
        let hessian = Gram::new(n, Rows::Dense { columns, values: self.rows.concat() }, 2.0)?;
        let slope = self.rows.iter().map(|x| -count * dot(x, x)).collect();
        let all = |value| Affine::constant(vec![value; n], 1);
        let cost = Affine::line(vec![0.0; n], slope);
        let qp = ParametricQp::new(Arc::new(hessian), vec![Range::new(0.0, 1.0)], cost)?
            .lower(all(0.0))?
            .upper(all(1.0))?
            .equality(vec![1.0; n], Affine::line(vec![0.0], vec![count]))?;
        Ok(qp)
    }

    /// From ν = 1 down to 1/n.
    pub fn line(&self) -> Result<Line<f64>, BallError> {
        Ok(self.qp()?.line(&[1.0], &[self.least()])?)
    }

    /// The solution at ν = 1, where the row leaves no choice: every a is at its upper bound.
    pub fn start(&self) -> Start<f64> {
        Start::ActiveSet { status: vec![Status::Upper; self.rows.len()], y: None }
    }

    /// The whole path.
    pub fn path(&self, settings: &Settings) -> Result<Path<f64>, BallError> {
        trace(&self.line()?, &self.start(), settings, &mut ()).map_err(|failure| failure.0.into())
    }

    /// The ball at ν; none outside the path.
    pub fn at(&self, path: &Path<f64>, nu: f64) -> Option<Ball> {
        Some(self.ball(nu, &path.at_parameter(&[nu])?))
    }

    /// The ball that a point at ν stands for.
    pub fn ball(&self, nu: f64, point: &Point<f64>) -> Ball {
        let total = nu * self.rows.len() as f64;
        let mut centre = vec![0.0; self.rows.first().map_or(0, Vec::len)];
        for (x, a) in self.rows.iter().zip(&point.x) {
            centre.iter_mut().zip(x).for_each(|(c, x)| *c += a * x / total);
        }
        let square = dot(&centre, &centre) - point.y / total;
        Ball { centre, square }
    }
}

/// How far outside the ball a point is, as a square: ‖x − C‖² − R².
pub fn outside(ball: &Ball, x: &[f64]) -> f64 {
    x.iter().zip(&ball.centre).map(|(x, c)| (x - c) * (x - c)).sum::<f64>() - ball.square
}

/// Thirty points near a disc, and three far from it.
pub fn disc() -> Vec<Vec<f64>> {
    let inside = |i: usize| {
        let (sine, cosine) = (i as f64 * 2.4).sin_cos();
        let radius = (i as f64 / 30.0).sqrt();
        vec![radius * cosine, radius * sine]
    };
    (0..30).map(inside).chain([vec![2.5, 0.0], vec![-2.0, 2.0], vec![0.0, -3.0]]).collect()
}

/// What the page shows.
pub fn report() -> Result<String, BallError> {
    let (rows, balls) = (disc(), EnclosingBalls::new(disc())?);
    let path = balls.path(&Settings::default())?;
    let mut text = format!("{} breakpoints for nu from 1 down\n", path.breakpoints().len());
    for nu in [1.0, 0.5, 0.1, balls.least()] {
        let Some(ball) = balls.at(&path, nu) else { continue };
        let count = rows.iter().filter(|x| outside(&ball, x) > 1e-9).count();
        let [x, y] = [0, 1].map(|j| ball.centre[j]);
        text += &format!("nu = {nu:.3}: radius {:.3} around ({x:.3}, {y:.3}), {count} outside\n", ball.square.sqrt());
    }
    Ok(text)
}

/// Prints it.
pub fn main() -> Result<(), BallError> {
    print!("{}", report()?);
    Ok(())
}
