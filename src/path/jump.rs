//! Jumps of x: along a null direction, at fixed t.

use super::Follower;
use super::exchange::{Crossing, Directional};
use crate::active_set::Status;
use crate::error::PathError;
use crate::kkt::{Part, Place, Refused, bound};
use crate::record::Stop;
use crate::scalar::Scalar;

impl<S: Scalar> Follower<'_, S> {
    /// x moves along d at fixed t until an index of F ∪ {j} meets a bound; the fit and z stay as they are. None where j is not to move after all.
    pub(super) fn jump(
        &mut self,
        qp: &mut Directional<S>,
        j: usize,
        d: &[S],
    ) -> Result<Option<Crossing<S>>, PathError> {
        let x = self.kkt.solve(Part::Value(self.law.at.clone())).x;
        let free: Vec<usize> = self.kkt.free().to_vec();
        let bounds = &self.line.bounds;
        let mut rooms: Vec<(S, usize, Status)> = Vec::new();
        for (k, &i) in free.iter().chain([&j]).enumerate().filter(|(k, _)| !d[*k].is_zero()) {
            let (side, end) = if d[k] > S::zero() {
                (Status::Upper, bounds.upper[i].as_ref())
            } else {
                (Status::Lower, bounds.lower[i].as_ref())
            };
            let Some(end) = end.map(|end| self.law.at.affine(end)) else { continue };
            let here = x.get(k).cloned().unwrap_or_else(|| {
                let bound = bound(self.line, j, self.active.status[j]);
                self.law.at.affine(&bound)
            });
            rooms.push((S::larger((end - here) * d[k].signum(), S::zero()) / d[k].abs(), k, side));
        }
        let Some(step) = rooms.iter().map(|r| r.0.clone()).reduce(S::smaller) else {
            let stop = self.fall(&free, j, d);
            if stop.is_none() {
                qp.banned.push(j);
            }
            return Ok(stop.map(Crossing::Stopped));
        };
        let reach = step.clone() + step.clone() * S::tolerance(self.settings.tie);
        let met: Vec<(usize, Status)> = rooms.into_iter().filter(|r| r.0 <= reach).map(|r| (r.1, r.2)).collect();
        self.recorder.stats.jumps += usize::from(!step.is_zero());
        let moved = |k: usize| !step.is_zero() && !d[k].is_zero();
        self.land(qp, &free, &met, moved);
        let j_met = met.iter().find(|m| m.0 == free.len());
        if let Some(&(_, side)) = j_met {
            self.kkt.flip(j, self.active.status[j]);
            self.set_status(j, side);
        } else if !step.is_zero() {
            match self.kkt.release(j, self.active.status[j]) {
                Ok(_) => {
                    self.recorder.stats.appends += 1;
                    self.set_status(j, Status::Free);
                    self.set_tied(j, false);
                }
                Err(Refused::Indefinite(error)) => return Err(error.into()),
                Err(Refused::Dependent(_)) => {}
            }
        }
        Ok(Some(Crossing::Jumped))
    }

    /// No bound stops x along d on F ∪ {j}. As Hd = 0 and Ad = 0, the objective falls along d at the rate c(t)·d, which is zero here; it becomes unbounded
    /// where c·d becomes negative. If c′·d is no more than rounding it never does (none): the zⱼ′ found was rounding of y′. If c·d still counts as zero at the
    /// end of the line, it does not on this line.
    fn fall(&mut self, free: &[usize], j: usize, d: &[S]) -> Option<Stop<S>> {
        let along = |c: &dyn Fn(usize) -> [S; 2]| {
            let terms = free.iter().chain([&j]).zip(d).map(|(&i, d)| c(i).map(|c| c * d));
            terms.fold([S::zero(), S::zero()], |[sum, size], [c, terms]| [sum + c, size + terms.abs()])
        };
        let line = self.line;
        let [rate, size] = along(&|i| [line.c1[i].clone(), line.c1[i].abs()]);
        if rate >= -(size * S::tolerance(self.settings.zero_rate)) {
            return None;
        }
        if let Some(end) = &line.end {
            let terms = |i: usize| line.c0[i].abs() + (line.c1[i].clone() * end).abs();
            let [value, size] = along(&|i| [line.c(i, end), terms(i)]);
            if value >= -(size * S::tolerance(self.settings.zero)) {
                self.law.at = Place::exactly(end.clone());
                return Some(Stop::Target);
            }
        }
        Some(Stop::Unbounded { t: self.law.at.t.clone(), index: j })
    }

    /// After a jump: indices that met a bound are held there, freed indices that moved are free, the other freed ones go
    /// back to their bounds.
    fn land(
        &mut self,
        qp: &mut Directional<S>,
        free: &[usize],
        met: &[(usize, Status)],
        moved: impl Fn(usize) -> bool,
    ) {
        let offset = free.len() - qp.passive.len();
        for k in (0..free.len()).rev() {
            let i = free[k];
            if let Some(&(_, side)) = met.iter().find(|m| m.0 == k) {
                self.kkt.bind(k, side);
                self.recorder.stats.deletes += 1;
                self.set_status(i, side);
                self.set_tied(i, true);
            } else if k >= offset && moved(k) {
                self.set_status(i, Status::Free);
                self.set_tied(i, false);
            } else if k >= offset {
                self.kkt.bind(k, self.active.status[i]);
                self.recorder.stats.deletes += 1;
            }
        }
        qp.passive.clear();
    }
}
