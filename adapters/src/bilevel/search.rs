//! The search: regions are streamed and cut into cells, and the sides of these are added to an envelope.

use super::ceiling::Ceiling;
use super::cells::{Cell, Loss, Segment, branches};
use super::{BilevelError, BilevelPath, BilevelStats, OVERLAP, Place, overlay};
use pathqp::complex::{self, CriticalRegion, Options};
use pathqp::envelope::{Branch, EnvelopeBuilder, RationalFunction};
use pathqp::{ParametricQp, Settings};

/// The critical regions of one fold in the plane of the varying and the tuned parameter.
pub(super) trait Regions {
    /// The problem on its domain, and how its regions are found.
    fn plane(&self) -> (&ParametricQp<f64>, &Options<f64>);

    /// The area of the domain, …
    fn whole(&self) -> f64;

    /// … and of a region.
    fn area(&self, corners: &[Place]) -> f64;

    /// The cells of a region, and the number of validation crossings in it.
    fn cut(&mut self, region: &CriticalRegion<f64>, corners: &[Place]) -> (Vec<Cell>, usize);
}

/// Makes the regions of a fold.
pub(super) type OfFold<'f, 'a> = dyn Fn(usize) -> Result<Box<dyn Regions + 'a>, BilevelError> + 'f;

/// The best value of the tuned parameter for all of the varying one.
pub(super) fn search<'a>(
    folds: usize,
    regions: &OfFold<'_, 'a>,
    vary: [f64; 2],
    tuned: [f64; 2],
    settings: &Settings,
) -> Result<BilevelPath, BilevelError> {
    let mut search = Search::new(vary, settings);
    search.add(folds, regions, vary, tuned)?;
    Ok(BilevelPath::new(search.builder.finish(), &search.lines, vary, tuned, search.stats))
}

/// What is known while the cells are gone through.
struct Search {
    stats: BilevelStats,
    ceiling: Ceiling,
    builder: EnvelopeBuilder<f64>,
    /// The tuned parameter along each branch that was added.
    lines: Vec<[f64; 2]>,
}

impl Search {
    fn new(vary: [f64; 2], settings: &Settings) -> Self {
        Search {
            stats: BilevelStats::default(),
            ceiling: Ceiling::new(vary),
            builder: EnvelopeBuilder::new(settings),
            lines: Vec::new(),
        }
    }

    /// Goes through the domain.
    fn add<'a>(
        &mut self,
        folds: usize,
        regions: &OfFold<'_, 'a>,
        vary: [f64; 2],
        tuned: [f64; 2],
    ) -> Result<(), BilevelError> {
        if folds == 1 {
            let mut failed = None;
            self.cells(regions(0)?.as_mut(), 0, &mut |search, cell| {
                failed = branches(&cell, tuned[1], &mut |segment| search.side(&segment)).err();
                failed.is_none()
            })?;
            return failed.map_or(Ok(()), Err);
        }
        let mut all: Vec<Vec<Cell>> = Vec::with_capacity(folds);
        for k in 0..folds {
            let mut kept = Vec::new();
            self.cells(regions(k)?.as_mut(), k, &mut |_, cell| {
                kept.push(cell);
                true
            })?;
            all.push(kept);
        }
        if !all.iter().flatten().any(|cell| matches!(cell.loss, Loss::Squared(_))) {
            return overlay::sides_of_all(&all, vary, tuned, &mut |segment| self.side(&segment));
        }
        let area = overlay::branches_of_faces(&all, vary, tuned, &mut |segment| self.side(&segment))?;
        self.stats.covered = self.stats.covered.min(area / ((vary[1] - vary[0]) * (tuned[1] - tuned[0])));
        Ok(())
    }

    /// Streams the cells of a fold.
    fn cells(
        &mut self,
        regions: &mut dyn Regions,
        number: usize,
        visit: &mut dyn FnMut(&mut Self, Cell) -> bool,
    ) -> Result<(), BilevelError> {
        let (qp, options) = regions.plane();
        let (qp, options, whole) = (qp.clone(), options.clone(), regions.whole());
        let (mut area, mut failed) = (0.0, None);
        let (stats, holes) = complex::stream(&qp, &options, &mut |_, region| {
            let Some(corners) = region.corners(&qp, &options) else { return false };
            self.stats.regions += 1;
            area += regions.area(&corners);
            if area > whole * (1.0 + OVERLAP) {
                failed = Some(BilevelError::Overlap { fold: number, regions: self.stats.regions });
                return false;
            }
            let (cells, crossings) = regions.cut(&region, &corners);
            self.stats.crossings += crossings;
            self.stats.cells += cells.len();
            cells.into_iter().all(|cell| visit(self, cell))
        })?;
        self.stats.holes += holes;
        self.stats.most_open = self.stats.most_open.max(stats.most_open);
        self.stats.covered = self.stats.covered.min(area / whole);
        failed.map_or(Ok(()), Err)
    }

    /// Adds a branch to the envelope, unless it lies above a bound of it.
    fn side(&mut self, segment: &Segment) -> Result<(), BilevelError> {
        self.stats.branches += 1;
        if !self.ceiling.reaches(segment) {
            return Ok(());
        }
        let id = self.lines.len() as u64;
        self.stats.added += 1;
        self.lines.push(segment.tuned);
        let function =
            RationalFunction { origin: segment.from, numerator: segment.numerator, denominator: segment.denominator };
        self.builder.add(id, Branch::new(function, segment.from, segment.to)?);
        Ok(())
    }
}
