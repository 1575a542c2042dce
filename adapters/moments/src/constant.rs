//! Features and classes without variance, where the objectives jump and a minimisation by gradients fails.
//!
//! *Features without variance in either class* form a set Z; constant features are among them. With weights on Z alone all rows of a class have one score, and
//! F takes its least value 0 where these two scores are separated. For the AUC this means (μ₊ − μ₋)ᵀw > 0, with w = (μ₊ − μ₋)|Z. For the zero-one objective it
//! means aᵀw > 0 and bᵀw > 0 with a = μ₊|Z, b = −μ₋|Z. If a feature in Z has the same value B in both classes, w is δ = (μ₊ − μ₋)|Z, with the threshold δᵀ(μ₊ +
//! μ₋)/2 as the weight of that feature. Otherwise w is the point of the segment from a to b that is nearest to zero, which has the widest margin min(aᵀw,
//! bᵀw)/‖w‖; if that point is zero, no w separates the scores.
//!
//! *A class c without variance and a class o that varies* (zero-one objective). With s = ±1 for the classes ±1, let c = s μ of the former and a = s μ of the
//! latter. Then
//!
//! ```text
//! F(w) = p_c [cᵀw on the wrong side of 0] + R(w),        R(w) = p_o φ(−aᵀw / √(wᵀΣ_o w)) + λ(1 − ‖w‖²)²
//! ```
//!
//! R is smooth, and falls as the ratio r = aᵀw/√(wᵀΣ_o w) grows. Where aᵀw > 0 the ratio is a positive linear function over a convex one: the w with r(w) ≥ ρ >
//! 0 form a convex cone, and a stationary point is a maximum. So there are three cases, in each of which at most one smooth function is minimised; the lowest
//! value is the infimum of F:
//!
//! - the unconstrained minimum of R has cᵀw > 0: it is the minimum of F;
//! - it has cᵀw < 0. Then the least R with cᵀw ≥ 0 lies on the boundary cᵀw = 0 (from any interior point towards the unconstrained minimum the ratio grows),
//!   where R is minimised, starting from a less its part along c;
//! - all of class c is misclassified: F = p_c + the least R; this is R = 0 for w = a restricted to features without variance in o, such as a constant one.
//!
//! If a is parallel to c nothing is gained along the boundary, and w = ±c are tried too.
//!
//! *At the boundary* a row of class c has the score zero and is classified as −1, correctly if c = −1; if c = +1 the infimum is not attained. A score of zero
//! cannot be told from rounding, so the point returned lies inside the half-space cᵀw > 0 by as much as rounding can change a score of that row, in whatever
//! order it is summed (Higham 2002, *Accuracy and Stability of Numerical Algorithms*, eq. 3.5).

use super::minimise::{Minimum, Settings, Smooth, Stop, minimise};
use super::objective::{norm, unit};
use super::{Class, MomentObjective, Moments, MomentsError, Objective, dot};

/// A w of length one at which the features without variance in either class tell the classes apart, F = 0; none if they do not.
pub(super) fn separated(moments: &Moments, objective: Objective) -> Option<Vec<f64>> {
    let (positive, negative) = (&moments.positive, &moments.negative);
    let fixed: Vec<bool> =
        positive.variances().iter().zip(negative.variances()).map(|(p, n)| *p == 0.0 && n == 0.0).collect();
    let a = kept(&positive.mean, &fixed);
    let b: Vec<f64> = kept(&negative.mean, &fixed).iter().map(|m| -m).collect();
    let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    if norm(&difference) == 0.0 {
        return None;
    }
    if objective == Objective::Auc {
        let w = unit(&difference);
        return (dot(&difference, &w) > 2.0 * (rounding(&a, &w) + rounding(&b, &w))).then_some(w);
    }
    // The largest of the features that are one number in all rows.
    let same =
        (0..a.len()).filter(|&j| a[j] == -b[j] && a[j] != 0.0).max_by(|&i, &j| a[i].abs().total_cmp(&a[j].abs()));
    let w = match same {
        Some(j) => {
            let middle: f64 = difference.iter().zip(a.iter().zip(&b)).map(|(d, (a, b))| d * (a - b) / 2.0).sum();
            let mut w = difference;
            w[j] = -middle / a[j];
            w
        }
        None => nearest_to_zero(&a, &b),
    };
    let clear = |m: &[f64]| dot(m, &w) > 2.0 * rounding(m, &w);
    (clear(&a) && clear(&b)).then(|| unit(&w))
}

/// The minimum of the zero-one objective where exactly one class has no variance; none elsewhere.
///
/// # Errors
/// As [`minimise`].
pub(super) fn beside_constant(
    function: &MomentObjective<'_>,
    moments: &Moments,
    settings: &Settings,
) -> Result<Option<Minimum>, MomentsError> {
    let (constant, other, sign) = match (moments.positive.varies(), moments.negative.varies()) {
        (false, true) => (&moments.positive, &moments.negative, 1.0),
        (true, false) => (&moments.negative, &moments.positive, -1.0),
        _ => return Ok(None),
    };
    let signed = |class: &Class, sign: f64| class.mean.iter().map(|m| sign * m).collect::<Vec<f64>>();
    let (c, a) = (signed(constant, sign), signed(other, -sign));
    let mut found = Candidates { function, best: None, iterations: 0, evaluations: 0 };
    let given_up = kept(&a, &other.variances().iter().map(|v| *v == 0.0).collect::<Vec<bool>>());
    for w in [&given_up, &c].into_iter().filter(|w| norm(w) > 0.0) {
        found.take(unit(w), None);
        found.take(unit(w).iter().map(|w| -w).collect(), None);
    }
    let smooth = function.where_it_varies();
    if norm(&a) > 0.0 {
        let free = minimise(&smooth, unit(&a), settings)?;
        found.take(free.w.clone(), Some(&free));
    }
    if let Some(boundary) = Boundary::of(&smooth, &c) {
        let least = minimise(&boundary, boundary.start(&a), settings)?;
        found.take(boundary.inside(&least.w, &c), Some(&least));
    }
    Ok(found.best.map(|best| Minimum { iterations: found.iterations, evaluations: found.evaluations, ..best }))
}

/// The best of some points.
struct Candidates<'f, 'm> {
    function: &'f MomentObjective<'m>,
    best: Option<Minimum>,
    iterations: u64,
    evaluations: u64,
}

impl Candidates<'_, '_> {
    /// Takes a point, at length one, and what the minimisation that led to it has to say.
    fn take(&mut self, w: Vec<f64>, from: Option<&Minimum>) {
        let w = unit(&w);
        let mut slope = vec![0.0; w.len()];
        let value = self.function.evaluate(&w, &mut slope);
        self.evaluations += 1 + from.map_or(0, |from| from.evaluations);
        self.iterations += from.map_or(0, |from| from.iterations);
        if self.best.as_ref().is_none_or(|best| value < best.value) {
            let (gradient, stop) = from.map_or((norm(&slope), Stop::Gradient), |from| (from.gradient, from.stop));
            self.best = Some(Minimum { w, value, gradient, iterations: 0, evaluations: 0, stop });
        }
    }
}

/// A function on the plane of the v with nᵀv = 0, ‖n‖ = 1: f(v − (nᵀv) n).
struct Boundary<'f, 'm> {
    function: &'f MomentObjective<'m>,
    normal: Vec<f64>,
}

impl<'f, 'm> Boundary<'f, 'm> {
    /// None where the plane is a point or everything.
    fn of(function: &'f MomentObjective<'m>, normal: &[f64]) -> Option<Self> {
        (normal.len() > 1 && norm(normal) > 0.0).then(|| Boundary { function, normal: unit(normal) })
    }

    fn project(&self, v: &[f64]) -> Vec<f64> {
        let along = dot(&self.normal, v);
        v.iter().zip(&self.normal).map(|(v, n)| v - along * n).collect()
    }

    /// The direction of a in the plane; any other one if it has none.
    fn start(&self, a: &[f64]) -> Vec<f64> {
        let flat = self.project(a);
        if norm(&flat) > 16.0 * f64::EPSILON * norm(a) {
            return unit(&flat);
        }
        let mut axis = vec![0.0; a.len()];
        let least = (0..a.len()).min_by(|&i, &j| self.normal[i].abs().total_cmp(&self.normal[j].abs()));
        axis[least.unwrap_or(0)] = 1.0;
        unit(&self.project(&axis))
    }

    /// The point of the plane moved to the side of c, so far that rounding cannot move cᵀw back; c has the direction of the normal. Where every term of cᵀw is zero any step
    /// does: then those of cᵀ(w + step n) have one sign, and no rounding that could change it.
    fn inside(&self, v: &[f64], c: &[f64]) -> Vec<f64> {
        let w = unit(&self.project(v));
        let step = ((2.0 * rounding(c, &w) - dot(c, &w)) / norm(c)).max(f64::EPSILON * f64::EPSILON);
        w.iter().zip(&self.normal).map(|(w, n)| w + step * n).collect()
    }
}

impl Smooth for Boundary<'_, '_> {
    fn columns(&self) -> usize {
        self.normal.len()
    }

    fn evaluate(&self, v: &[f64], gradient: &mut [f64]) -> f64 {
        let value = self.function.evaluate(&self.project(v), gradient);
        let projected = self.project(gradient);
        gradient.copy_from_slice(&projected);
        value
    }
}

/// A bound of the rounding of mᵀw, summed in any order: (d + 2)u Σ|mⱼwⱼ|.
fn rounding(m: &[f64], w: &[f64]) -> f64 {
    let size: f64 = m.iter().zip(w).map(|(m, w)| (m * w).abs()).sum();
    (m.len() + 2) as f64 * 0.5 * f64::EPSILON * size
}

/// v where `kept`, zero elsewhere.
fn kept(v: &[f64], kept: &[bool]) -> Vec<f64> {
    v.iter().zip(kept).map(|(v, kept)| if *kept { *v } else { 0.0 }).collect()
}

/// The point of the segment from a to b that is nearest to zero.
fn nearest_to_zero(a: &[f64], b: &[f64]) -> Vec<f64> {
    let way: Vec<f64> = b.iter().zip(a).map(|(b, a)| b - a).collect();
    let square = dot(&way, &way);
    let part = if square > 0.0 { (-dot(a, &way) / square).clamp(0.0, 1.0) } else { 0.0 };
    a.iter().zip(&way).map(|(a, way)| a + part * way).collect()
}
