//! Regions in which x is not unique: their sides are found as cuts, each of which is computed from a path.
//!
//! Let M be the indices with z = 0 in a region, that is F and the weakly active ones, and let R be the others, which lie at their bounds. With r(θ) = −c_M −
//! H_MR x_R the region consists of the θ for which some x_M in its box satisfies
//!
//! ```text
//! H_MM x_M − A_M y = r(θ),   A_M x_M = b − A_R x_R
//! ```
//!
//! and the signs of z_R hold. The law x^F of F satisfies the equations for all θ, but leaves its box. Any (v, η) with A_Mv = 0 gives a valid cut: with
//! ζ = H_MM v − ηA_M every solution of the equations has ζᵀx_M = vᵀr + (vᵀA_M)y − ηA_Mᵀx_M = ζᵀx^F_M(θ). Hence, where some solution lies in the box,
//!
//! ```text
//! g(θ) = Σ ζᵢ (x^F_i(θ) − bᵢ(θ)) ≥ 0,      bᵢ = lᵢ where ζᵢ > 0, uᵢ where ζᵢ < 0
//! ```
//!
//! which is affine in θ: a Farkas certificate of the system at a point outside, seen as a function of θ.
//!
//! *Where ζ comes from.* A path from a point inside the region to a corner that does not belong to it leaves the region somewhere. If the statuses of R are
//! unchanged behind that place, z_M of the path there is such a ζ, with v = x − x^F and η = y − y^F, and so is the rate of z_M along any direction. The
//! signs of z are those of the bounds at which x lies, so that with ζ = z
//!
//! ```text
//! g(θ) = Σ zᵢ(x^F_i − xᵢ) = −zᵀv = −vᵀH_MM v ≤ 0    at that point, and     g = 0 where the path left,
//! ```
//!
//! since x is a solution there too. The cut passes through the place at which the path left the region, and removes the corner. Where the path left through the
//! interior of a side, the cut is that side; at a corner of the region, the cut touches the region. The rates are taken across the side: along the path they
//! are ill-determined where the path runs along the side. If the statuses of R change where the path leaves, although the signs of z_R held up to there, y has
//! jumped and z with it: then ζ is z at that very place, where x_R is still unchanged.
//!
//! *Where y is an interval* behind that place, any y in it gives a cut; in the limit y → ±∞ the cut has ζ = ∓A_M.
//!
//! A cut is valid whatever ζ was, since the choice of the bounds bᵢ follows its signs; whether it removes the corner is checked. Each cut does so, and the
//! region has finitely many sides and vertices, at each of which a path ends or finds a side.

use super::geometry::{HalfPlane, OUTSIDE, Point, Polygon, is_at};
use super::law::{Law, Plane, axes, bounding, order};
use super::region::{Constraint, Question, Stretch, Stretches, WALLS};
use crate::active_set::Status;
use crate::error::PathError;
use crate::kkt::bound;
use crate::problem::Line;
use crate::scalar::Scalar;

/// A region where x is not unique is cut so many times for each weakly active index before it is given up.
const CUTS: usize = 16;

/// The law and the statuses behind the place where a path left a region.
type Behind<'a, S> = (&'a Law<S>, &'a [Status]);

impl<S: Scalar> Question<'_, S> {
    /// Cuts off what does not belong to the sign pattern, given a point inside and the law there. Whether it came to an end.
    pub fn cut_by_paths(
        &self,
        polygon: &mut Polygon<S>,
        constraints: &mut Vec<Constraint<S>>,
        from: (&Point<S>, &[Status]),
        law: &Law<S>,
    ) -> Result<bool, PathError> {
        let mut settled: Vec<Point<S>> = Vec::new();
        let most = constraints.len() + CUTS * (4 + law.free.len() + law.weak.len());
        while let Some(corner) = polygon.corners.iter().find(|p| !settled.contains(p)).cloned() {
            let cut = |polygon: &mut Polygon<S>, half: &HalfPlane<S>| {
                polygon.clip(half, WALLS + constraints.len(), |label| self.frame.line_of(label, constraints))
            };
            match self.cuts_before(from, &corner, law)?.into_iter().find(|half| cut(polygon, half)) {
                Some(half) => constraints.push(Constraint { half, change: None }),
                None => settled.push(corner),
            }
            if constraints.len() > most {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Cuts that may take the corner off; none if it belongs to the region.
    fn cuts_before(
        &self,
        (centre, status): (&Point<S>, &[Status]),
        corner: &Point<S>,
        law: &Law<S>,
    ) -> Result<Vec<HalfPlane<S>>, PathError> {
        let line = self.line_to(centre, corner);
        let mut follower = self.follower(&line, status)?;
        let mut stretches = Stretches::behind(&mut follower, &self.frame);
        while let Some(stretch) = stretches.next()? {
            if is_at(&stretch.start, corner) {
                break;
            }
            let Some(ahead) = self.law(&stretch.middle, &stretch.status, Some(law))? else { continue };
            let cuts = self.cuts(status, law, &stretch, &ahead.law);
            if !cuts.is_empty() {
                return Ok(cuts);
            }
        }
        Ok(Vec::new())
    }

    /// Cuts from the law behind the place where a path left the region, the sharper one first.
    fn cuts(&self, status: &[Status], law: &Law<S>, stretch: &Stretch<S>, ahead: &Law<S>) -> Vec<HalfPlane<S>> {
        let (mut margin, mut zero) = (self.fixed.clone(), self.fixed.clone());
        law.free.iter().chain(&law.weak).for_each(|&i| margin[i] = true);
        ahead.free.iter().chain(&ahead.weak).for_each(|&i| zero[i] = true);
        let left: Vec<usize> = (0..status.len()).filter(|&i| margin[i] && !zero[i]).collect();
        let kept = (0..status.len()).all(|i| margin[i] || status[i] == stretch.status[i]);
        let lines = axes(self.qp, &law.anchor);
        let behind = (ahead, stretch.status.as_slice());
        let rates = if kept { self.rates_outwards(behind, &left, &lines[0]) } else { None };
        let values = self.values(behind, &left, if kept { &stretch.middle } else { &stretch.start }, &lines[0]);
        rates.into_iter().chain([values]).filter_map(|zeta| self.cut(status, law, &left, &zeta, &lines)).collect()
    }

    /// g ≥ 0 for the ζ of some indices of M, those of the others being zero.
    fn cut(
        &self,
        status: &[Status],
        law: &Law<S>,
        left: &[usize],
        zeta: &[S],
        lines: &[Line<S>; 2],
    ) -> Option<HalfPlane<S>> {
        let largest = zeta.iter().map(S::abs).fold(S::zero(), S::larger);
        let (mut cut, mut size) = ([S::zero(), S::zero(), S::zero()], [S::zero(), S::zero(), S::zero()]);
        for (&i, zeta) in left.iter().zip(zeta).filter(|(_, zeta)| !zeta.is_zero()) {
            let weight = zeta.clone() / &largest;
            let side = if weight > S::zero() { Status::Lower } else { Status::Upper };
            let (x, b) = (position(law, i, status[i], lines), bound_at(i, side, lines));
            for k in 0..3 {
                cut[k] += (x[k].clone() - &b[k]) * &weight;
                size[k] += (x[k].abs() + b[k].abs()) * weight.abs();
            }
        }
        // What is left of slopes that cancel would turn a side that runs to infinity along an axis away from it.
        for k in [1, 2] {
            if cut[k].abs() <= size[k].clone() * S::tolerance(OUTSIDE) {
                cut[k] = S::zero();
            }
        }
        let terms = self.frame.terms(&size, &law.anchor);
        let [_, first, second] = size;
        self.frame.half_plane_of_x(&cut, &[first, second], &law.anchor, terms)
    }

    /// The rates of some z in the direction in which one of them grows fastest; none where y is an interval.
    fn rates_outwards(&self, (law, status): Behind<S>, left: &[usize], row: &Line<S>) -> Option<Vec<S>> {
        if row.has_row() && law.y.is_none() {
            return None;
        }
        let unit = &self.frame.unit;
        let slope = |&i: &usize| {
            let [_, g, h] = law.z(i, &row.a(i));
            [g * &unit[0], h * &unit[1]]
        };
        let slopes: Vec<[S; 2]> = left.iter().map(slope).collect();
        let dot = |p: &[S; 2], q: &[S; 2]| p[0].clone() * &q[0] + p[1].clone() * &q[1];
        let steepest =
            (0..left.len()).max_by(|&j, &k| order(&dot(&slopes[j], &slopes[j]), &dot(&slopes[k], &slopes[k])))?;
        let sign = S::integer(status[left[steepest]].sign());
        let outwards = slopes[steepest].clone().map(|v| v * &sign);
        Some(slopes.iter().map(|slope| dot(slope, &outwards)).collect())
    }

    /// Some z at a point; where y is an interval for its middle, or up to a factor in the limit in which it has no end.
    fn values(&self, (law, status): Behind<S>, left: &[usize], point: &Point<S>, row: &Line<S>) -> Vec<S> {
        let theta = self.frame.theta(point);
        let away = [0, 1].map(|k: usize| theta[k].clone() - &law.anchor[k]);
        let value = |[v, g, h]: &Plane<S>| v.clone() + g.clone() * &away[0] + h.clone() * &away[1];
        if !row.has_row() || law.y.is_some() {
            return left.iter().map(|&i| value(&law.z(i, &row.a(i)))).collect();
        }
        let [lows, highs] = bounding(status, &self.fixed, row);
        let end = |&i: &usize| value(&law.q[i]) / row.a(i);
        let (low, high) = (lows.iter().map(end).reduce(S::larger), highs.iter().map(end).reduce(S::smaller));
        let z = |&i: &usize| match (&low, &high) {
            (Some(low), Some(high)) => value(&law.q[i]) - row.a(i) * (low.clone() + high) / S::integer(2),
            (Some(_), None) => -row.a(i),
            (None, Some(_)) => row.a(i),
            (None, None) => value(&law.q[i]),
        };
        left.iter().map(z).collect()
    }
}

/// xᵢ by the law of F, or at its bound where i is not free, around the law's anchor.
fn position<S: Scalar>(law: &Law<S>, i: usize, status: Status, lines: &[Line<S>; 2]) -> Plane<S> {
    let free = law.free.iter().position(|&j| j == i);
    free.and_then(|k| law.x.get(k)).cloned().unwrap_or_else(|| bound_at(i, status, lines))
}

fn bound_at<S: Scalar>(i: usize, side: Status, [first, second]: &[Line<S>; 2]) -> Plane<S> {
    let ([value, slope], [_, other]) = (bound(first, i, side), bound(second, i, side));
    [value, slope, other]
}
