//! The basis at which a start begins: x̂ in its box, with the columns that lie strictly inside their boxes in the basis.
//!
//! These columns are brought into the basis all at once if they form one (with or without the equality rows in which they have entries), and otherwise one
//! after the other. A column that depends on those in the basis enters in exchange for the slack of an active row, or x moves along the null direction to a
//! bound.

use super::basis::Basis;
use super::dependent::Elimination;
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
    rows: &[Status],
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
    for j in crossed.bring_all(inside, rows) {
        crossed.bring(j)?;
    }
    Ok(crossed)
}

impl<S: Scalar> Crossed<S> {
    fn value(&self, column: usize) -> &S {
        let n = self.follower.system.n;
        if column < n { &self.x[column] } else { &self.ax[column - n] }
    }

    /// Brings all columns inside their boxes into the basis at once, or only those with a curvature; together with the rows that seem active, with the equality
    /// rows in which they have entries, or without rows, whichever is a basis. These rows are then active at their present values: their right-hand sides move
    /// from there to their places. Returns the remaining columns.
    fn bring_all(&mut self, inside: Vec<usize>, active: &[Status]) -> Vec<usize> {
        let f = &self.follower;
        let (n, m) = (f.system.n, f.system.m);
        let (curved, straight): (Vec<usize>, Vec<usize>) =
            inside.iter().copied().partition(|&j| !f.system.roots[j].is_zero());
        if !active.is_empty() {
            let rows: Vec<usize> = (0..m).filter(|&r| f.fixed[n + r] || active[r] != Status::Free).collect();
            if self.take(&inside, &rows, active, Basis::is_far_from_singular) {
                return Vec::new();
            }
            let (columns, rows, left) = self.independent(&inside, rows);
            // That they are independent has been seen.
            if self.take(&columns, &rows, active, Basis::is_inverse) {
                return left;
            }
        }
        let both = !straight.is_empty();
        for (columns, left) in [(&inside, Vec::new()), (&curved, straight)].into_iter().take(1 + usize::from(both)) {
            let is_met = self.rows_with(columns);
            let fixed: Vec<usize> = (0..m).filter(|&r| is_met[r] && self.follower.fixed[n + r]).collect();
            let mut take = |rows: &[usize]| self.take(columns, rows, active, Basis::is_far_from_singular);
            if take(&fixed) || take(&[]) {
                return left;
            }
        }
        inside
    }

    /// The rows in which columns have entries.
    fn rows_with(&self, columns: &[usize]) -> Vec<bool> {
        let mut is_met = vec![false; self.follower.system.m];
        columns.iter().for_each(|&j| self.follower.system.a.for_column(j, |r, v| is_met[r] |= !v.is_zero()));
        is_met
    }

    /// Columns and rows become the basis, if they form one that is good.
    fn take(&mut self, columns: &[usize], rows: &[usize], active: &[Status], is_good: fn(&Basis<S>) -> bool) -> bool {
        let f = &mut self.follower;
        if rows.len() > columns.len() {
            return false;
        }
        let n = f.system.n;
        let rows_of = rows.iter().map(|r| n + r);
        let keys = f.system.features().chain(columns.iter().copied()).chain(rows_of).collect();
        let Some(basis) = Basis::of(&f.system, &f.settings, keys).filter(is_good) else { return false };
        f.basis = basis;
        columns.iter().for_each(|&j| f.set_status(j, Status::Free));
        for &r in rows {
            let side = active.get(r).copied().filter(|side| *side != Status::Free);
            f.set_status(n + r, side.unwrap_or(Status::Lower));
        }
        true
    }

    /// Of columns and rows as many as form a basis, and the columns that remain: rows that do not depend on each other on these columns, and then columns that
    /// do not depend on each other in these rows and in H (or its features). x moves along no direction on the columns that are left, Hd = 0 and Ad = 0.
    fn independent(&self, inside: &[usize], rows: Vec<usize>) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
        let (system, settings) = (&self.follower.system, &self.follower.settings);
        let m = system.m;
        let mut is_inside = vec![false; system.n];
        inside.iter().for_each(|&j| is_inside[j] = true);
        let mut counts = vec![0; system.n];
        rows.iter().for_each(|&r| system.a.for_row(r, |j, _| counts[j] += 1));
        let mut elimination = Elimination::new(counts, settings);
        let mut stays = vec![false; m];
        for &r in &rows {
            system.a.for_row(r, |j, v| {
                if is_inside[j] {
                    elimination.enter(j, v.clone());
                }
            });
            stays[r] = elimination.keep(r).is_none();
        }
        let rows: Vec<usize> = rows.into_iter().filter(|&r| stays[r]).collect();
        // Places: rows, features, and rows of H where it is used by its entries.
        let visit = |j: usize, visit: &mut dyn FnMut(usize, &S)| {
            system.for_column(j, |i, v| {
                if i >= m || stays[i] {
                    visit(i, v);
                }
            });
            if system.dense {
                system.for_hessian(j, |i, v| {
                    if is_inside[i] {
                        visit(m + system.d + i, v);
                    }
                });
            }
        };
        let mut counts = vec![0; m + system.d + if system.dense { system.n } else { 0 }];
        inside.iter().for_each(|&j| visit(j, &mut |i, _| counts[i] += 1));
        let mut elimination = Elimination::new(counts, settings);
        let (columns, left) = inside.iter().copied().partition(|&j| {
            visit(j, &mut |i, v| elimination.enter(i, v.clone()));
            elimination.keep(j).is_none()
        });
        (columns, rows, left)
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
