//! The region that a point lies in, and the solution there.
//!
//! Jump and walk (Mücke, Saias and Zhu 1999, doi:10.1016/S0925-7721(98)00035-2): with R regions the walk begins in the one of about R^⅓ whose centre is nearest
//! to the point, and crosses the side that is violated the most until none is violated. It takes O(R^⅓) steps if the regions have few sides each and are spread
//! evenly.

use super::geometry::Point;
use super::law::axes;
use super::{Complex, ComplexError, PlanePoint, RegionId};
use crate::kkt::bound;
use crate::observe::Observer;
use crate::path::{Failure, Start, trace};
use crate::problem::ParametricQp;
use crate::scalar::Scalar;
use crate::settings::{NEAR, Settings};

impl<S: Scalar> Complex<S> {
    /// A region that contains θ (one of several on a common edge or vertex); `None` outside Θ and in holes.
    pub fn locate(&self, theta: &[S; 2]) -> Option<RegionId> {
        let point = self.frame.point(theta);
        if self.frame.walls.iter().flatten().any(|wall| wall.excess(&point) > S::zero()) {
            return None;
        }
        self.walk(&point).or_else(|| self.look_everywhere(&point))
    }

    fn walk(&self, point: &Point<S>) -> Option<RegionId> {
        let count = self.regions.len();
        let jumps = (count as f64).cbrt().ceil() as usize;
        let distance = |r: &usize| {
            let centre = &self.regions[*r].centre;
            (centre[0].clone() - &point[0]).abs() + (centre[1].clone() - &point[1]).abs()
        };
        let sample = (0..jumps).map(|k| k * count / jumps.max(1));
        let mut here = sample.map(|r| (distance(&r), r)).reduce(|a, b| if b.0 < a.0 { b } else { a })?.1;
        for _ in 0..=count {
            let Some(side) = self.violated(here, point) else { return Some(RegionId(here as u32)) };
            let beyond = self.topology.beyond(RegionId(here as u32)).filter(|b| b.0 == side);
            // Of the regions beyond that side the one whose centre is nearest.
            let next = beyond.filter_map(|b| b.1).map(|r| (distance(&(r.0 as usize)), r.0 as usize));
            here = next.reduce(|a, b| if b.0 < a.0 { b } else { a })?.1;
        }
        None
    }

    /// The side of a region beyond which the point lies the farthest.
    fn violated(&self, region: usize, point: &Point<S>) -> Option<usize> {
        let lines = self.regions[region].lines.iter().enumerate();
        let values = lines.map(|(k, line)| (line.excess(point), k)).filter(|v| v.0 > S::zero());
        values.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|v| v.1)
    }

    /// The region that the point lies the least far outside of, if that is no more than regions may differ by where they meet.
    fn look_everywhere(&self, point: &Point<S>) -> Option<RegionId> {
        let outside = |r: usize| self.regions[r].lines.iter().map(|l| -l.value(point)).fold(S::zero(), S::larger);
        let all = (0..self.regions.len()).map(|r| (outside(r), r));
        let nearest = all.reduce(|a, b| if b.0 < a.0 { b } else { a })?;
        (nearest.0 <= S::tolerance(NEAR)).then_some(RegionId(nearest.1 as u32))
    }

    /// The solution at θ of the problem that the complex was made from: by the law of its region or, where x or y is not unique, at the end of a path from the
    /// region's centre to θ.
    ///
    /// # Errors
    /// [`ComplexError::Outside`] for a point outside Θ, [`ComplexError::Hole`] where there is no region, [`ComplexError::OtherProblem`] for another problem,
    /// and [`ComplexError::Path`] for a path that could not be followed.
    pub fn at(&self, qp: &ParametricQp<S>, theta: &[S; 2]) -> Result<PlanePoint<S>, ComplexError> {
        self.at_watched(qp, theta, &Settings::default(), &mut ())
    }

    /// As [`Complex::at`], with settings for that path and an observer that may stop it.
    ///
    /// # Errors
    /// As [`Complex::at`], and [`ComplexError::Stopped`] where `Settings::max_events` or the observer ends the path before it arrives.
    pub fn at_watched(
        &self,
        qp: &ParametricQp<S>,
        theta: &[S; 2],
        settings: &Settings,
        observer: &mut dyn Observer<S>,
    ) -> Result<PlanePoint<S>, ComplexError> {
        if !self.fits(qp) {
            return Err(ComplexError::OtherProblem);
        }
        let named = || theta.clone().map(|t| t.to_string());
        let outside = self.frame.walls.iter().flatten().any(|w| w.excess(&self.frame.point(theta)) > S::zero());
        if outside {
            return Err(ComplexError::Outside { point: named() });
        }
        let id = self.locate(theta).ok_or_else(|| ComplexError::Hole { point: named() })?;
        let region = &self.regions[id.0 as usize];
        let unique = region.unique && region.y.is_some() | !axes(qp, theta)[0].has_row();
        if unique && qp.hessian().row_factor().is_none() {
            return Ok(self.by_law(qp, theta, id));
        }
        // Where x is unique the active set is known: no way to go. The law is solved at θ itself, since far from its anchor it has lost digits of the fit.
        let from = if unique { theta.clone() } else { self.frame.theta(&region.centre) };
        let line = qp.line_between(&from, theta);
        let start = Start::ActiveSet { status: region.status.clone(), y: None };
        let path = match trace(&line, &start, settings, observer) {
            Ok(path) => path,
            Err(_) if unique => return Ok(self.by_law(qp, theta, id)),
            Err(Failure(error, _)) => return Err(error.into()),
        };
        let arrived = path.is_complete().then(|| path.at(path.end())).flatten();
        match arrived {
            Some(point) => Ok(PlanePoint {
                theta: theta.clone(),
                x: point.x,
                y: point.y,
                floating: point.floating,
                free: point.free,
                fit: point.fit,
                region: id,
            }),
            None if unique => Ok(self.by_law(qp, theta, id)),
            None => Err(ComplexError::Stopped { point: named(), events: path.stats().events }),
        }
    }

    /// The solution by the law of a region in which x and y are unique.
    fn by_law(&self, qp: &ParametricQp<S>, theta: &[S; 2], id: RegionId) -> PlanePoint<S> {
        let region = &self.regions[id.0 as usize];
        let (x_free, y) = region.law_at(theta);
        let line = &axes(qp, theta)[0];
        let mut x: Vec<S> = (0..line.n()).map(|i| bound(line, i, region.status[i])[0].clone()).collect();
        for (i, value) in region.free().zip(x_free) {
            x[i] = value;
        }
        let (y, free) = (y.unwrap_or_else(S::zero), region.free().collect());
        PlanePoint { theta: theta.clone(), x, y, floating: false, free, fit: None, region: id }
    }
}
