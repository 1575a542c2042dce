//! Quantile regression in the plane of (τ, λ).

use super::fold::Fold;
use super::kernels::Kernels;
use super::plane::{Law, Place, Plane, Strip};
use super::{BilevelError, InSample, cells, limit};
use crate::problem::{KernelProblem, PathProblem};
use pathqp::{ParametricQp, Path, Settings, Start};

/// One fold, judged on its held-out rows or by a criterion on its training rows.
#[derive(Clone)]
pub(super) struct Quantiles<'a> {
    fold: &'a Fold,
    qp: ParametricQp<f64>,
    cutter: cells::Cutter<'a>,
    criterion: Option<InSample>,
    settings: Settings,
}

impl<'a> Quantiles<'a> {
    /// `weight` is the total weight of all held-out rows.
    pub fn new(
        fold: &'a Fold,
        kernels: &Kernels,
        criterion: Option<InSample>,
        weight: f64,
        settings: &Settings,
    ) -> Result<Self, BilevelError> {
        let kqr = fold.problem();
        let qp = kqr.qp(settings)?;
        let cutter = cells::Cutter::new(fold, kernels, weight);
        Ok(Quantiles { fold, qp, cutter, criterion, settings: settings.clone() })
    }
}

impl Plane for Quantiles<'_> {
    fn twin(&self) -> Box<dyn Plane + '_> {
        Box::new(self.clone())
    }

    fn qp(&self) -> &ParametricQp<f64> {
        &self.qp
    }

    fn theta(&self, place: [f64; 2]) -> [f64; 2] {
        place
    }

    fn start(&self, theta: &[f64; 2]) -> Start<f64> {
        self.fold.problem().start(&self.qp, theta, &self.settings)
    }

    fn cut(&mut self, law: &Law, corners: &[Place]) -> (Vec<cells::Cell>, usize) {
        match self.criterion {
            None => self.cutter.cut(law, corners),
            Some(criterion) => (self.cutter.whole(law, corners, criterion).into_iter().collect(), 0),
        }
    }

    /// Where every row is free f interpolates, and x = λw with the same w for all τ and for all λ up to the largest one at which every wᵢ lies between −(1 −
    /// τ)vᵢ/λ and τvᵢ/λ. Returns that λ.
    fn settled(&self, path: &Path<f64>) -> Option<f64> {
        let weights = self.fold.problem().machine().weights();
        let n = weights.iter().filter(|v| **v > 0.0).count();
        if (0..path.segments().len()).any(|k| path.free_on(k).len() < n) {
            return None;
        }
        let at = |t: f64| {
            let (point, theta) = (path.at(&t)?, path.parameter(&t));
            let &[tau, lambda] = theta.as_slice() else { return None };
            let room = |(x, v): (&f64, &f64)| v * if *x > 0.0 { tau / x } else { (tau - 1.0) / x };
            let rooms = point.x.iter().zip(weights).filter(|(x, _)| **x != 0.0).map(room);
            rooms.reduce(f64::min).map(|least| least * lambda)
        };
        at(0.0)?.min(at(*path.end())?).into()
    }

    fn strips(&self, [from, to]: [f64; 2], level: f64, settings: &Settings) -> Option<(Vec<Strip>, Vec<[f64; 2]>)> {
        let start = self.start(&[from, level]);
        limit::strips(self.fold.problem(), &self.qp, [from, to], level, &start, settings)
    }
}
