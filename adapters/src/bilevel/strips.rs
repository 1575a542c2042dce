//! The part of the plane above all knots, up to λ = ∞.

use super::BilevelError;
use super::plane::Strip;
use super::search::Search;

/// λ rises by this factor where there are knots above all others, …
const RISE: f64 = 4.0;

/// … at most so often: responses that differ by rounding.
const RISES: usize = 64;

impl Search<'_, '_> {
    /// What lies above all knots.
    pub(super) fn limits(&mut self) -> Result<(), BilevelError> {
        let mut level = self.question.tuned.to;
        let mut open = vec![[self.question.vary.from, self.question.vary.to]];
        for _ in 0..RISES {
            let mut rest = Vec::new();
            for span in open {
                let planes = self.question.planes.iter();
                let found: Option<Vec<_>> = planes.map(|plane| plane.strips(span, level, self.settings)).collect();
                match found {
                    Some(found) => rest.extend(self.add_strips(&found, span, level)?),
                    None => rest.push(span),
                }
            }
            for span in &rest {
                let tuned = [level, RISE * level];
                let low = self.corner([span[0], level], &[]);
                let other = self.corner([span[1], level], &[low.as_ref()]);
                let high = self.corner([span[0], tuned[1]], &[low.as_ref()]);
                let last = self.corner([span[1], tuned[1]], &[other.as_ref(), high.as_ref()]);
                self.push(*span, tuned, [low, other, high, last], (false, usize::MAX));
            }
            if rest.is_empty() {
                return Ok(());
            }
            (open, level) = (rest, RISE * level);
        }
        self.stats.holes += open.len();
        Ok(())
    }

    /// Adds the strips of all folds where none has knots above them; returns where one has.
    fn add_strips(
        &mut self,
        found: &[(Vec<Strip>, Vec<[f64; 2]>)],
        span: [f64; 2],
        level: f64,
    ) -> Result<Vec<[f64; 2]>, BilevelError> {
        let rest = widened(found, span);
        let mut reached = span[0];
        let mut closed = Vec::new();
        for [from, to] in rest.iter().copied().chain([[span[1]; 2]]) {
            if from > reached {
                closed.push([reached, from]);
            }
            reached = to;
        }
        let mut all = Vec::with_capacity(found.len());
        for (plane, (strips, _)) in self.question.planes.iter_mut().zip(found) {
            let mut cells = Vec::new();
            for (strip, part) in strips.iter().flat_map(|strip| closed.iter().map(move |part| (strip, part))) {
                let [from, to] = [strip.vary[0].max(part[0]), strip.vary[1].min(part[1])];
                if from < to {
                    let corners = [([from, level], true), ([to, level], true), ([0.0, 1.0], false)];
                    let (parts, crossings) = plane.cut(&strip.law, &corners);
                    self.stats.crossings += crossings;
                    cells.extend(parts);
                }
            }
            self.stats.regions += strips.len();
            self.stats.cells += cells.len();
            all.push(cells);
        }
        self.add(&all, span, [level, f64::INFINITY])?;
        Ok(rest)
    }
}

/// The ranges in which some fold is not in its limit yet, up to the middle of what is beside them.
fn widened(found: &[(Vec<Strip>, Vec<[f64; 2]>)], span: [f64; 2]) -> Vec<[f64; 2]> {
    let mut ends: Vec<f64> = found.iter().flat_map(|(strips, _)| strips.iter().flat_map(|s| s.vary)).collect();
    ends.extend(span);
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let mut open: Vec<[f64; 2]> = found.iter().flat_map(|(_, open)| open.iter().copied()).collect();
    open.iter_mut().for_each(|[from, to]| {
        let before = ends.partition_point(|end| *end < *from).checked_sub(1).and_then(|k| ends.get(k));
        let after = ends.get(ends.partition_point(|end| *end <= *to));
        *from = before.map_or(span[0], |before| before / 2.0 + *from / 2.0);
        *to = after.map_or(span[1], |after| after / 2.0 + *to / 2.0);
    });
    open.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut merged: Vec<[f64; 2]> = Vec::new();
    for part in open {
        match merged.last_mut().filter(|last| part[0] <= last[1]) {
            Some(last) => last[1] = last[1].max(part[1]),
            None => merged.push(part),
        }
    }
    merged
}
