//! What a path stores of rows: their multipliers and statuses on every segment, and the proof that it cannot continue.

use super::path::Path;
use super::proof::Proof;
use super::segment::SegmentData;
use crate::active_set::Status;
use crate::problem::Line;
use crate::scalar::Scalar;
use std::ops::Range;

/// The part of a stored path that belongs to m rows.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct RowParts<S> {
    m: usize,
    /// Statuses that the changes start from: free where a row is inactive.
    start: Vec<Status>,
    /// y at the beginning of every segment and its rate, m entries each.
    y: Vec<S>,
    dy: Vec<S>,
    changes: Vec<(u32, Status)>,
    /// End of every segment's changes.
    changes_end: Vec<usize>,
    proof: Option<Proof<S>>,
}

impl<S: Clone> RowParts<S> {
    /// The number of rows.
    pub fn m(&self) -> usize {
        self.m
    }

    /// The same statuses to start from and the same proof, without segments yet.
    pub fn outline(&self) -> Self {
        let (start, proof) = (self.start.clone(), self.proof.clone());
        let (y, dy, changes, changes_end) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        RowParts { m: self.m, start, y, dy, changes, changes_end, proof }
    }
}

impl<S> RowParts<S> {
    /// Whether lists (read from somewhere) are those of so many segments.
    pub fn is_sound(&self, segments: usize) -> bool {
        let entries = self.m.checked_mul(segments);
        self.start.len() == self.m
            && entries == Some(self.y.len())
            && entries == Some(self.dy.len())
            && self.changes_end.len() == segments
            && self.changes_end.is_sorted()
            && self.changes_end.last().is_none_or(|end| *end == self.changes.len())
            && self.changes.iter().all(|c| (c.0 as usize) < self.m)
    }
}

/// A segment of a path with rows.
pub(crate) struct RowSegment<S> {
    pub t: S,
    /// m entries.
    pub y: Vec<S>,
    pub dy: Vec<S>,
    pub breakpoint: bool,
    /// Zᵀx at t and its rate.
    pub fit: Option<[Vec<S>; 2]>,
}

impl<S: Scalar> Path<S> {
    /// A path along a line with rows, with statuses of the n variables and then the m rows.
    pub(crate) fn with_rows(line: &Line<S>, status: &[Status]) -> Self {
        let (variables, rows) = status.split_at(line.n().min(status.len()));
        let mut path = Path::new(line, variables.to_vec());
        path.parts.rows = Some(RowParts {
            m: rows.len(),
            start: rows.to_vec(),
            y: Vec::new(),
            dy: Vec::new(),
            changes: Vec::new(),
            changes_end: Vec::new(),
            proof: None,
        });
        path
    }

    pub(crate) fn push_rows(
        &mut self,
        data: RowSegment<S>,
        free: &[usize],
        law: (&[S], &[S]),
        changes: &[(usize, Status)],
    ) {
        let n = self.n();
        let first = |v: &[S]| v.first().cloned().unwrap_or_else(S::zero);
        let (y, dy) = (first(&data.y), first(&data.dy));
        if let Some(rows) = &mut self.parts.rows {
            rows.y.extend(data.y);
            rows.dy.extend(data.dy);
            let of_rows = changes.iter().filter(|c| c.0 >= n);
            rows.changes.extend(of_rows.map(|&(k, s)| ((k - n) as u32, s)));
            rows.changes_end.push(rows.changes.len());
        }
        let variables: Vec<(usize, Status)> = changes.iter().copied().filter(|c| c.0 < n).collect();
        let RowSegment { t, breakpoint, fit, .. } = data;
        self.push(SegmentData { t, y, dy, floating: false, breakpoint, fit }, free, law, &variables);
    }

    /// y at the beginning of a segment and its rate, m entries each; none without rows.
    pub(crate) fn row_law(&self, segment: usize) -> Option<(&[S], &[S])> {
        let rows = self.parts.rows.as_ref()?;
        let range = segment * rows.m..(segment + 1) * rows.m;
        Some((rows.y.get(range.clone())?, rows.dy.get(range)?))
    }

    /// y on a segment at t, m entries; empty without rows.
    pub(super) fn rows_at(&self, segment: usize, t: &S) -> Vec<S> {
        let Some((y, dy)) = self.row_law(segment) else { return Vec::new() };
        let ahead = t.clone() - &self.segments()[segment].t;
        y.iter().zip(dy).map(|(y, dy)| y.clone() + dy.clone() * &ahead).collect()
    }

    /// What the statuses of the rows start from; none without rows.
    pub(super) fn row_status_at_start(&self) -> &[Status] {
        self.parts.rows.as_ref().map_or(&[], |rows| &rows.start)
    }

    /// The status of every row on a segment: the bound that it is at, or free where it is inactive and, on a chord of an approximate path, where it is not at the same bound at both
    /// ends. Empty where the problem has no [`ParametricQp::rows`](crate::ParametricQp::rows). Appended to [`Path::status_on`], it is an active set for
    /// [`Start::ActiveSet`](crate::Start::ActiveSet).
    pub fn row_status_on(&self, segment: usize) -> Vec<Status> {
        let mut status = self.row_status_at_start().to_vec();
        self.change_rows(0..segment + 1, &mut status);
        status
    }

    /// Makes the changes of these segments to the statuses of the rows.
    pub(super) fn change_rows(&self, segments: Range<usize>, status: &mut [Status]) {
        let Some(rows) = &self.parts.rows else { return };
        let end_of = |k: usize| rows.changes_end.get(k).copied();
        let from = segments.start.checked_sub(1).and_then(end_of).unwrap_or(0);
        let to = segments.end.checked_sub(1).and_then(end_of).unwrap_or(from);
        rows.changes[from..to].iter().for_each(|&(r, s)| status[r as usize] = s);
    }

    /// The proof that there is no solution beyond the end of a path that stopped with [`Stop::Infeasible`](crate::Stop::Infeasible) or
    /// [`Stop::Unbounded`](crate::Stop::Unbounded). Only paths of problems with rows have one.
    pub fn proof(&self) -> Option<&Proof<S>> {
        self.parts.rows.as_ref()?.proof.as_ref()
    }

    pub(crate) fn set_proof(&mut self, proof: Option<Proof<S>>) {
        if let Some(rows) = &mut self.parts.rows {
            rows.proof = proof;
        }
    }
}
