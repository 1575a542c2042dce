//! The columns of the first grid, each searched by itself: on as many threads as are allowed, and with the same result whatever their number.

use super::BilevelError;
use super::ceiling::Ceiling;
use super::cells::Segment;
use super::search::{Question, Rectangle, Search};
use crate::side_by_side::side_by_side;
use pathqp::envelope::EnvelopeBuilder;
use pathqp::{Envelope, Settings};
use std::collections::HashMap;
use std::sync::Arc;

/// The tuned parameter along each branch that was added, in a list a column. An id has the number of its list above its first 32 bits.
pub(super) struct Lines {
    own: usize,
    lists: Vec<Vec<[f64; 2]>>,
}

impl Lines {
    /// With a list of this number to add to.
    fn new(own: usize) -> Self {
        Lines { own, lists: vec![Vec::new(); own + 1] }
    }

    /// Adds a line and gives its id.
    pub fn add(&mut self, line: [f64; 2]) -> u64 {
        let list = &mut self.lists[self.own];
        list.push(line);
        (self.own as u64) << 32 | (list.len() - 1) as u64
    }

    /// The line of an id.
    pub fn get(&self, id: u64) -> Option<[f64; 2]> {
        self.lists.get((id >> 32) as usize)?.get((id & u64::from(u32::MAX)) as usize).copied()
    }

    /// Takes the list of a column up.
    fn take(&mut self, mut other: Lines) {
        self.lists.resize_with(self.lists.len().max(other.own + 1), Vec::new);
        self.lists[other.own] = std::mem::take(&mut other.lists[other.own]);
    }
}

impl<'a, 's> Search<'a, 's> {
    /// With nothing open.
    pub(super) fn new(question: Question<'a>, settings: &'s Settings, ceiling: Ceiling, column: usize) -> Self {
        Search {
            stats: Default::default(),
            ceiling,
            builder: EnvelopeBuilder::new(settings),
            lines: Lines::new(column),
            floor: Vec::new(),
            known: HashMap::new(),
            open: Vec::new(),
            failures: 0,
            settings,
            question,
        }
    }

    /// A search of some rectangles, with copies of all that it changes.
    fn column(&self, number: usize, open: Vec<Rectangle>) -> Search<'_, 's> {
        let planes = self.question.planes.iter().map(|plane| plane.twin()).collect();
        let question = Question { planes, ..self.question.outline() };
        let mut search = Search::new(question, self.settings, self.ceiling.clone(), number);
        for corner in open.iter().filter_map(|rectangle| rectangle.corners.as_ref()).flatten() {
            search.known.insert(corner.place.map(f64::to_bits), Arc::downgrade(corner));
        }
        search.open = open;
        search
    }

    /// Searches what is open, column by column.
    pub(super) fn columns(&mut self, threads: usize) -> Result<(), BilevelError> {
        let mut columns: Vec<Vec<Rectangle>> = Vec::new();
        for rectangle in std::mem::take(&mut self.open) {
            match columns.iter_mut().find(|column| column.iter().any(|other| other.vary == rectangle.vary)) {
                Some(column) => column.push(rectangle),
                None => columns.push(vec![rectangle]),
            }
        }
        for Parts { envelope, lines, floor, stats } in self.parts(columns, threads)? {
            self.builder.add_envelope(envelope);
            self.lines.take(lines);
            self.floor.extend(floor);
            self.stats.add(&stats);
        }
        Ok(())
    }

    /// What each column comes to, in their order.
    fn parts(&self, columns: Vec<Vec<Rectangle>>, threads: usize) -> Result<Vec<Parts>, BilevelError> {
        let searches = columns.into_iter().enumerate().map(|(k, open)| self.column(k + 1, open));
        let parts = side_by_side(threads, searches.collect(), |mut search| search.work().map(|()| search.into_parts()));
        parts.into_iter().collect()
    }

    /// Everything that is open.
    fn work(&mut self) -> Result<(), BilevelError> {
        while let Some(rectangle) = self.open.pop() {
            self.look_into(rectangle)?;
        }
        Ok(())
    }

    fn into_parts(self) -> Parts {
        Parts { envelope: self.builder.finish(), lines: self.lines, floor: self.floor, stats: self.stats }
    }
}

/// What a column came to.
struct Parts {
    envelope: Envelope<f64>,
    lines: Lines,
    floor: Vec<Segment>,
    stats: super::BilevelStats,
}
