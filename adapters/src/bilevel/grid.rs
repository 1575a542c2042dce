//! The first grid of a search: its corners, its end, and its rectangles.

use super::corners::Corner;
use super::path::End;
use super::search::{Search, Side};
use crate::problem::begin;
use std::sync::Arc;

/// The plane extends by this factor beyond the value above which nothing changes any more.
const BEYOND: f64 = 2.0;

impl Search<'_, '_> {
    /// The first grid, from the end at which the solution is simple.
    pub(super) fn grid(&mut self) {
        let columns = self.question.vary.lines();
        let mut rows = self.question.tuned.lines();
        let falls = self.question.end.is_some_and(|(side, _)| side == Side::From);
        if falls {
            rows.reverse();
        }
        let mut column: Vec<Option<Arc<Corner>>> = Vec::with_capacity(rows.len());
        for row in &rows {
            let near = column.last().cloned().flatten();
            column.push(self.corner([columns[0], *row], &[near.as_ref()]));
        }
        if let (Some((_, kind)), Some(Some(last))) = (self.question.end, column.last())
            && let Some(value) = self.settled(&last.clone(), columns[columns.len() - 1])
        {
            self.end_at(value, kind, falls, &mut rows, &mut column);
        }
        let mut left = column;
        for pair in columns.windows(2) {
            let mut right: Vec<Option<Arc<Corner>>> = Vec::with_capacity(rows.len());
            for (row, near) in rows.iter().zip(&left) {
                let last = right.last().cloned().flatten();
                right.push(self.corner([pair[1], *row], &[near.as_ref(), last.as_ref()]));
            }
            for k in 1..rows.len() {
                let (low, high) = if falls { (k, k - 1) } else { (k - 1, k) };
                let all = [&left[low], &right[low], &left[high], &right[high]].map(Clone::clone);
                self.push([pair[0], pair[1]], [rows[low], rows[high]], all, (false, usize::MAX));
            }
            left = right;
        }
    }

    /// Nothing changes beyond a value of the tuned parameter: the plane ends a little behind it.
    fn end_at(
        &mut self,
        value: f64,
        kind: End,
        falls: bool,
        rows: &mut Vec<f64>,
        column: &mut Vec<Option<Arc<Corner>>>,
    ) {
        let beyond = if falls { value / BEYOND } else { value * BEYOND };
        let further = |row: f64| if falls { row <= beyond } else { row >= beyond };
        let Some((side, _)) = self.question.end else { return };
        self.question.end = Some((side, End::Interpolation));
        let Some(place) = column.first().and_then(|c| c.as_ref()).map(|c| c.place[0]) else { return };
        if kind == End::Asked || rows.last().is_none_or(|last| !further(*last)) {
            return;
        }
        let kept = rows.iter().take_while(|row| !further(**row)).count();
        if kept == 0 {
            return;
        }
        rows.truncate(kept);
        column.truncate(kept);
        let near = column.last().cloned().flatten();
        rows.push(beyond);
        column.push(self.corner([place, beyond], &[near.as_ref()]));
        let axis = &mut self.question.tuned;
        *axis = if falls { axis.starting(beyond) } else { axis.ending(beyond) };
    }

    /// The value of the tuned parameter beyond which no fold's solution changes any more, for all of the varying one.
    fn settled(&self, corner: &Corner, to: f64) -> Option<f64> {
        let falls = self.question.end.is_some_and(|(side, _)| side == Side::From);
        let mut all = Vec::with_capacity(corner.folds.len());
        for (plane, known) in self.question.planes.iter().zip(&corner.folds) {
            let (from, to) = (plane.theta(corner.place), plane.theta([to, corner.place[1]]));
            let line = plane.qp().line(&from, &to).ok()?;
            let mut follower = begin(&line, &known.start(), self.settings).ok()?;
            follower.run(&mut ()).ok()?;
            all.push(plane.settled(&follower.into_path())?);
        }
        all.into_iter().reduce(if falls { f64::min } else { f64::max })
    }
}
