//! Whether the coefficients at one θ are the only solution.
//!
//! The columns of [A −I] with reduced cost zero (those of interpolated observations, and those of slacks of coefficients that are zero) may move without
//! changing the dual objective. β is unique if the columns that are strictly inside their bounds in some solution a span Rᵐ (strict complementarity, Goldman
//! and Tucker 1956). F, those inside their bounds in the solution at hand, are among them. The others are at a bound, and can only move away from it: with bₖ
//! their columns in that direction and P the projection onto the orthogonal complement of F, column k can move if some combination
//! Σ μₖ P bₖ = 0, μ ≥ 0, has μₖ > 0. The largest set of columns that can move together is found by least squares: let r = PB(1 + ν) be the vector of least length over ν ≥ 0. Then
//!
//! ```text
//! r = 0: all of them.          r ≠ 0: rᵀPbₖ ≥ 0 for all k and rᵀPB(1 + ν) = ‖r‖² > 0,     so that no combination has a k with rᵀPbₖ > 0: without these once more
//! ```

use super::QuantileRegression;
use crate::dataset::Features;
use crate::nnls::{Course, Nnls};
use crate::span::{DEPENDENT, Span, dot};
use pathqp::{Point, Settings};

/// The columns that can move.
#[derive(Default)]
struct Movable {
    /// Those inside of their bounds.
    inside: Vec<Vec<f64>>,
    /// Those at a bound, in the direction away from it.
    held: Vec<Vec<f64>>,
}

impl QuantileRegression {
    /// Whether β and b are the only solution at (τ, λ).
    pub fn is_unique(&self, [tau, lambda]: [f64; 2], point: &Point<f64>) -> bool {
        let Movable { inside, held } = self.movable(tau, lambda, point);
        let m = self.m();
        let mut span = Span::default();
        inside.iter().for_each(|column| span.take(column));
        if span.dimension() == m {
            return true;
        }
        let mut rest: Vec<Vec<f64>> = held.iter().filter_map(|column| span.off(column)).collect();
        while !rest.is_empty() {
            let Some(r) = least(&rest) else { return false };
            let Some(direction) = r else {
                rest.iter().for_each(|column| span.take(column));
                return span.dimension() == m;
            };
            let before = rest.len();
            rest.retain(|column| dot(column, &direction) <= DEPENDENT * dot(column, column).sqrt());
            if rest.len() == before {
                return false;
            }
        }
        false
    }

    fn movable(&self, tau: f64, lambda: f64, point: &Point<f64>) -> Movable {
        let at = self.coefficients(point);
        let residuals = self.residuals(&at);
        let mut found = Movable::default();
        for (i, &r) in residuals.iter().enumerate() {
            let (a, v) = (point.x[i], self.weights[i]);
            let mut size = self.responses[i].abs() + at.intercept.abs();
            self.features.row(i).for_each(|j, x| size += (x * at.w[j]).abs());
            let column = self.column(i);
            match (a <= DEPENDENT * v, a >= (1.0 - DEPENDENT) * v) {
                _ if v == 0.0 => {}
                (false, false) => found.inside.push(column),
                _ if r.abs() > DEPENDENT * size => {}
                (true, _) => found.held.push(column),
                (_, true) => found.held.push(column.iter().map(|c| -c).collect()),
            }
        }
        if !self.penalised || lambda == 0.0 {
            return found;
        }
        let away: Vec<f64> = point.x.iter().zip(&self.weights).map(|(a, v)| a - (1.0 - tau) * v).collect();
        for (j, (g, s)) in self.products(&away).into_iter().zip(&self.scales).enumerate() {
            let mut column = vec![0.0; self.m()];
            if (g * s).abs() < lambda * (1.0 - DEPENDENT) {
                column[j] = 1.0;
                found.inside.push(column);
            } else if at.w[j] == 0.0 {
                // −e away from the lower end, e away from the upper one.
                column[j] = g.signum();
                found.held.push(column);
            }
        }
        found
    }
}

/// r of least length; `Some(None)` where it vanishes.
fn least(columns: &[Vec<f64>]) -> Option<Option<Vec<f64>>> {
    let m = columns.first()?.len();
    let sum: Vec<f64> = (0..m).map(|r| columns.iter().map(|column| column[r]).sum()).collect();
    let values = (0..m).flat_map(|r| columns.iter().map(move |column| column[r])).collect();
    let features = Features::Dense { rows: m, columns: columns.len(), values };
    let response: Vec<f64> = sum.iter().map(|s| 0.0 - s).collect();
    let problem = Nnls::non_negative(&features, response.clone()).ok()?;
    let path = problem.path(&Course::Response(response), &Settings::default()).ok()?;
    let more = problem.at(&path, 0.0)?;
    let mut r = sum;
    for (column, more) in columns.iter().zip(more) {
        r.iter_mut().zip(column).for_each(|(r, c)| *r += more * c);
    }
    let size = columns.iter().map(|column| dot(column, column).sqrt()).sum::<f64>();
    Some((dot(&r, &r).sqrt() > DEPENDENT * size).then_some(r))
}
