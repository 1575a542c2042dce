//! The basis at which a start begins: x̂ in its box, with the columns that lie strictly inside their boxes in the basis.
//!
//! These columns are brought into the basis all at once if they form one (with or without the equality rows in which they have entries), and otherwise one
//! after the other. A column that depends on those in the basis enters in exchange for the slack of an active row, or x moves along the null direction to a
//! bound.

use super::basis::Basis;
use super::follower::RowFollower;
use super::pivot::Null;
use super::start::unbounded;
use super::system::{Data, System};
use crate::active_set::Status;
use crate::error::{PathError, ProblemError};
use crate::problem::Line;
use crate::record::Proof;
use crate::scalar::Scalar;
use crate::settings::Settings;
use std::sync::Arc;

/// Columns parked at zero, each with a direction that no bound limits and on which H and A vanish.
type Parked<S> = Vec<(usize, Vec<(usize, S)>)>;

/// The state from which a start begins.
pub(super) struct Crossed<S> {
    pub follower: RowFollower<S>,
    pub x: Vec<S>,
    /// A x.
    pub ax: Vec<S>,
    pub parked: Parked<S>,
}

pub(super) fn clamp<S: Scalar>(data: &Data<S>, j: usize, x: S) -> S {
    let x = data.lower[j].as_ref().map_or(x.clone(), |l| S::larger(x, l[0].clone()));
    data.upper[j].as_ref().map_or(x.clone(), |u| S::smaller(x, u[0].clone()))
}

/// The bound that x lies on.
fn side_of<S: Scalar>(data: &Data<S>, j: usize, x: &S) -> Status {
    match (&data.lower[j], &data.upper[j]) {
        (Some([l, _]), _) if x <= l => Status::Lower,
        (_, Some([u, _])) if x >= u => Status::Upper,
        _ => Status::Free,
    }
}

/// x̂ with the columns inside their boxes in the basis.
pub(super) fn crossover<S: Scalar>(
    system: Arc<System<S>>,
    here: Data<S>,
    x: Vec<S>,
    settings: &Settings,
) -> Result<Crossed<S>, ProblemError> {
    let (n, m) = (system.n, system.m);
    let mut status: Vec<Status> = (0..n).map(|j| side_of(&here, j, &x[j])).collect();
    let inside: Vec<usize> = (0..n).filter(|&j| status[j] == Status::Free).collect();
    inside.iter().for_each(|&j| status[j] = Status::Lower);
    status.extend((0..m).map(|_| Status::Free));
    let ax = (0..m).map(|r| system.a.row_dot(r, &x)).collect();
    let follower = RowFollower::new(system, here, status, settings);
    let mut crossed = Crossed { follower, x, ax, parked: Vec::new() };
    for j in crossed.bring_all(inside) {
        crossed.bring(j)?;
    }
    Ok(crossed)
}

impl<S: Scalar> Crossed<S> {
    fn value(&self, column: usize) -> &S {
        let n = self.follower.system.n;
        if column < n { &self.x[column] } else { &self.ax[column - n] }
    }

    /// Brings all columns inside their boxes into the basis at once, or only those with a curvature; together with the equality rows in which they have
    /// entries, or without these, whichever is a basis. The equality rows are then active at their present values: their right-hand sides move from there to
    /// their places. Returns the remaining columns.
    fn bring_all(&mut self, inside: Vec<usize>) -> Vec<usize> {
        let f = &mut self.follower;
        let (n, m) = (f.system.n, f.system.m);
        let (curved, straight): (Vec<usize>, Vec<usize>) =
            inside.iter().copied().partition(|&j| !f.system.roots[j].is_zero());
        let both = !straight.is_empty();
        for (columns, left) in [(&inside, Vec::new()), (&curved, straight)].into_iter().take(1 + usize::from(both)) {
            let mut is_met = vec![false; m];
            columns.iter().for_each(|&j| f.system.a.for_column(j, |r, v| is_met[r] |= !v.is_zero()));
            let rows: Vec<usize> = (0..m).filter(|&r| is_met[r] && f.fixed[n + r]).map(|r| n + r).collect();
            for rows in [rows, Vec::new()] {
                let keys: Vec<usize> =
                    f.system.features().chain(columns.iter().copied()).chain(rows.iter().copied()).collect();
                if rows.len() > columns.len() {
                    continue;
                }
                let Some(basis) = Basis::of(&f.system, &f.settings, keys) else { continue };
                f.basis = basis;
                columns.iter().for_each(|&j| f.set_status(j, Status::Free));
                rows.iter().for_each(|&k| f.set_status(k, Status::Lower));
                return left;
            }
        }
        inside
    }

    /// Brings column j, inside its box, into the basis or to a bound.
    fn bring(&mut self, j: usize) -> Result<(), ProblemError> {
        let pivot = self.follower.pivot(j);
        let Some(Null::Direction(d)) = self.follower.null_of_entering(j, &pivot)? else {
            self.follower.apply(pivot);
            self.follower.set_status(j, Status::Free);
            return Ok(());
        };
        let n = self.follower.system.n;
        // A row that is not strictly met: its slack leaves where it is.
        let open =
            d.iter().filter(|(k, _)| *k >= n && side_of(&self.follower.data, *k, self.value(*k)) != Status::Free);
        let open = open.fold(None, |best: Option<&(usize, S)>, e| match best {
            Some(best) if best.1.abs() >= e.1.abs() => Some(best),
            _ => Some(e),
        });
        let (k, to) = match open {
            Some((k, _)) => (*k, side_of(&self.follower.data, *k, self.value(*k))),
            None => match self.nearest(&d) {
                Some((k, to, step)) => {
                    self.shift(&d, &step);
                    (k, to)
                }
                None => {
                    let step = -(self.x[j].clone() / d.last().map_or_else(S::one, |last| last.1.clone()));
                    self.shift(&d, &step);
                    self.parked.push((j, d));
                    return Ok(());
                }
            },
        };
        if k == j {
            self.follower.set_status(j, to);
            return Ok(());
        }
        let other = self.follower.pivot(k);
        self.follower.apply_both(other, pivot);
        self.follower.set_status(k, to);
        self.follower.set_status(j, Status::Free);
        Ok(())
    }

    /// The bound that is met first along ±d: its column, its side, and the step.
    fn nearest(&self, d: &[(usize, S)]) -> Option<(usize, Status, S)> {
        let data = &self.follower.data;
        let mut best: Option<(usize, Status, S)> = None;
        for (k, v) in d.iter().filter(|(_, v)| !v.is_zero()) {
            for (bound, to) in [(&data.lower[*k], Status::Lower), (&data.upper[*k], Status::Upper)] {
                let Some(bound) = bound else { continue };
                let step = (bound[0].clone() - self.value(*k)) / v;
                if best.as_ref().is_none_or(|b| step.abs() < b.2.abs()) {
                    best = Some((*k, to, step));
                }
            }
        }
        best
    }

    /// x moves along d.
    fn shift(&mut self, d: &[(usize, S)], step: &S) {
        let n = self.follower.system.n;
        for (k, v) in d.iter().filter(|(k, _)| *k < n) {
            self.x[*k] = clamp(&self.follower.data, *k, self.x[*k].clone() + v.clone() * step);
        }
        for r in 0..self.ax.len() {
            self.ax[r] = self.follower.system.a.row_dot(r, &self.x);
        }
    }

    /// Along a direction in which nothing bounds x and H and A vanish the objective must not change either.
    pub fn check_free_directions(&self, line: &Line<S>) -> Result<(), PathError> {
        for (index, d) in &self.parked {
            let along = |c: &dyn Fn(usize) -> S| {
                let terms = d.iter().filter(|(k, _)| *k < line.n()).map(|(k, v)| c(*k) * v);
                terms.fold((S::zero(), S::zero()), |(sum, size), term| (sum + &term, size + term.abs()))
            };
            for (fall, size) in [along(&|k| line.c(k, &line.begin)), along(&|k| line.c1[k].clone())] {
                if fall.abs() > size * S::tolerance(self.follower.settings.dependent) {
                    let mut direction = vec![S::zero(); line.n()];
                    let sign = -fall.signum();
                    d.iter().filter(|(k, _)| *k < line.n()).for_each(|(k, v)| direction[*k] = v.clone() * &sign);
                    let direction = self.follower.system.scale.variables(&direction);
                    return Err(unbounded(Some(&Proof::Unbounded { direction }), *index));
                }
            }
        }
        Ok(())
    }
}
