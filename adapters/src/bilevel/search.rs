//! The search: strips of the domain, their regions, and the envelope of all branches.

use super::ceiling::Ceiling;
use super::cells::{Cell, Cutter, Segment, lower_sides};
use super::{BilevelError, BilevelPath, BilevelStats, Domain, Fold, InSample, OVERLAP, Place, overlay};
use super::{area_of, area_of_domain, scale_of_lambda};
use crate::adapter::Adapter;
use crate::error::positive;
use pathqp::complex::{self, CriticalRegion, Options};
use pathqp::envelope::{Branch, EnvelopeBuilder, RationalFunction};
use pathqp::{Range, Settings};

/// The smallest λ at first, as a part of the median of the largest knots at some τ.
const SMALLEST: f64 = 1e-3;

/// Where the best λ is the smallest one, the next strip goes down by this factor, and so many strips are added at most.
const DOWN: f64 = 10.0;
const STRIPS: usize = 3;

/// Ranges of τ that are closer together than this part of the domain are one strip; each reaches half as much further on both sides.
const APART: f64 = 0.01;

/// A rectangle of the domain.
pub(super) struct Strip {
    pub tau: [f64; 2],
    pub lambda: [f64; 2],
}

/// What is known while the regions are gone through.
#[derive(Clone)]
pub(super) struct Search<'a> {
    domain: [f64; 2],
    lambda: [f64; 2],
    scale: f64,
    settings: &'a Settings,
    /// Σ ṽ of all folds.
    weight: f64,
    /// Ranges of τ and the smallest λ that is searched there.
    searched: Vec<([f64; 2], f64)>,
    stats: BilevelStats,
    ceiling: Ceiling,
    builder: EnvelopeBuilder<f64>,
}

impl<'a> Search<'a> {
    pub fn new(folds: &[Fold], domain: &Domain, settings: &'a Settings) -> Result<Self, BilevelError> {
        let [from, to] = domain.tau;
        if !(from > 0.0 && from < to && to < 1.0) {
            return Err(BilevelError::Range { name: "tau", from, to });
        }
        let scale = scale_of_lambda(folds, domain, settings)?;
        let lambda = [
            positive("lambda-from", domain.lambda_from.unwrap_or(SMALLEST * scale))?,
            domain.lambda_to.unwrap_or(f64::INFINITY),
        ];
        if lambda[0].partial_cmp(&lambda[1]) != Some(std::cmp::Ordering::Less) {
            return Err(BilevelError::Range { name: "lambda", from: lambda[0], to: lambda[1] });
        }
        Ok(Search {
            domain: domain.tau,
            lambda,
            scale,
            settings,
            weight: folds.iter().map(Fold::weight).sum(),
            searched: vec![(domain.tau, lambda[0])],
            stats: BilevelStats::default(),
            ceiling: Ceiling::new(domain.tau),
            builder: EnvelopeBuilder::new(settings),
        })
    }

    /// The whole domain, and, unless the smallest λ is given, strips below it. One that cannot be had is left out: then the best λ remains the smallest one for
    /// some τ, as it does where three strips are not enough.
    pub fn run(
        mut self,
        domain: &Domain,
        add: &mut dyn FnMut(&mut Self, &Strip) -> Result<(), BilevelError>,
    ) -> Result<BilevelPath, BilevelError> {
        let whole = Strip { tau: self.domain, lambda: self.lambda };
        add(&mut self, &whole)?;
        let mut path = self.path();
        for _ in 0..if domain.lambda_from.is_none() { STRIPS } else { 0 } {
            let ranges = self.at_the_end(&path);
            if ranges.is_empty() || !path.is_complete() {
                break;
            }
            let high = self.lambda[0];
            self.lambda[0] = high / DOWN;
            self.searched.extend(ranges.iter().map(|tau| (*tau, high / DOWN)));
            let added =
                ranges.into_iter().try_for_each(|tau| add(&mut self, &Strip { tau, lambda: [high / DOWN, high] }));
            let further = self.path();
            if added.is_err() || !further.is_complete() {
                break;
            }
            path = further;
        }
        Ok(path)
    }

    fn path(&self) -> BilevelPath {
        BilevelPath::new(self.builder.clone().finish(), self.domain, self.lambda, self.searched.clone(), self.stats)
    }

    /// Ranges of τ for which the best λ is the smallest one.
    fn at_the_end(&self, path: &BilevelPath) -> Vec<[f64; 2]> {
        let [from, to] = self.domain;
        let apart = APART * (to - from);
        let mut ranges: Vec<[f64; 2]> = Vec::new();
        for [a, b] in path.at_smallest().map(|piece| piece.tau) {
            let wide = [(a - 0.5 * apart).max(from), (b + 0.5 * apart).min(to)];
            match ranges.last_mut().filter(|last| wide[0] <= last[1]) {
                Some(last) => last[1] = wide[1],
                None => ranges.push(wide),
            }
        }
        ranges
    }

    /// One validation set: nothing is kept but the front of the complex and the envelope.
    pub fn validation(&mut self, fold: &Fold, strip: &Strip) -> Result<(), BilevelError> {
        let mut failed = None;
        self.cells(fold, 0, strip, &mut |search, cell| {
            failed = lower_sides(&cell, strip.lambda[1], &mut |segment| search.add(&segment)).err();
            failed.is_none()
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Several folds: the cells of all of them are kept.
    pub fn cross_validation(&mut self, folds: &[Fold], strip: &Strip) -> Result<(), BilevelError> {
        let mut all: Vec<Vec<Cell>> = Vec::with_capacity(folds.len());
        for (k, fold) in folds.iter().enumerate() {
            let mut kept = Vec::new();
            self.cells(fold, k, strip, &mut |_, cell| {
                kept.push(cell);
                true
            })?;
            all.push(kept);
        }
        overlay::sides_of_all(&all, strip.tau, strip.lambda, &mut |segment| self.add(&segment))
    }

    /// The regions themselves are the cells, and the training rows are held out.
    pub fn in_sample(&mut self, fold: &Fold, criterion: InSample, strip: &Strip) -> Result<(), BilevelError> {
        let mut cutter = Cutter::new(fold, self.weight);
        let mut failed = None;
        self.regions(fold, 0, strip, &mut |search, region, corners| {
            let Some(cell) = cutter.whole(region, corners, criterion) else { return true };
            search.stats.cells += 1;
            failed = lower_sides(&cell, strip.lambda[1], &mut |segment| search.add(&segment)).err();
            failed.is_none()
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Streams the cells of a fold.
    fn cells(
        &mut self,
        fold: &Fold,
        number: usize,
        strip: &Strip,
        visit: &mut dyn FnMut(&mut Self, Cell) -> bool,
    ) -> Result<(), BilevelError> {
        let mut cutter = Cutter::new(fold, self.weight);
        self.regions(fold, number, strip, &mut |search, region, corners| {
            let cells = cutter.cut(region, corners);
            search.stats.crossings += cutter.crossings;
            search.stats.cells += cells.len();
            cells.into_iter().all(|cell| visit(search, cell))
        })
    }

    /// Streams the regions of a fold.
    fn regions(
        &mut self,
        fold: &Fold,
        number: usize,
        strip: &Strip,
        visit: &mut dyn FnMut(&mut Self, &CriticalRegion<f64>, &[Place]) -> bool,
    ) -> Result<(), BilevelError> {
        let kqr = fold.kqr();
        let [from, to] = strip.lambda;
        let range = if to.is_finite() { Range::new(from, to) } else { Range::at_least(from) };
        let qp = kqr.qp(self.settings)?.within(vec![Range::new(strip.tau[0], strip.tau[1]), range])?;
        // Beyond the largest knots, or as far as the domain goes, a start is at hand.
        let point = [strip.tau[0], to.min((2.0 * self.scale).max(2.0 * from))];
        let options = Options {
            point: Some(point),
            start: kqr.start(&qp, &point, self.settings),
            settings: self.settings.clone(),
            scale: [1.0, self.scale.min(to)],
        };
        let whole = area_of_domain(strip.tau, strip.lambda);
        let (mut area, mut failed) = (0.0, None);
        let (stats, holes) = complex::stream(&qp, &options, &mut |_, region| {
            let Some(corners) = region.corners(&qp, &options) else { return false };
            self.stats.regions += 1;
            area += area_of(&corners);
            if area > whole * (1.0 + OVERLAP) {
                failed = Some(BilevelError::Overlap { fold: number, regions: self.stats.regions });
                return false;
            }
            visit(self, &region, &corners)
        })?;
        self.stats.holes += holes;
        self.stats.most_open = self.stats.most_open.max(stats.most_open);
        self.stats.covered = self.stats.covered.min(area / whole);
        failed.map_or(Ok(()), Err)
    }

    /// Adds a side to the envelope, unless it lies above a bound of it.
    fn add(&mut self, segment: &Segment) -> Result<(), BilevelError> {
        self.stats.branches += 1;
        if !self.ceiling.reaches(segment) {
            return Ok(());
        }
        let id = 2 * self.stats.added as u64 + u64::from(segment.infinite);
        self.stats.added += 1;
        let function =
            RationalFunction { origin: segment.from, numerator: segment.numerator, denominator: segment.denominator };
        self.builder.add(id, Branch::new(function, segment.from, segment.to)?);
        Ok(())
    }
}
