//! From moments to weights: the start of the paper, and a second start for when the first one fails.
//!
//! The zero-one objective is not convex. Where the weight of a constant feature (or of one that is nearly constant) dominates, every row is assigned to the
//! larger class: F is then about min(p₊, p₋) and flat, and a minimisation that arrives there stops. Such a minimum is no better than a classifier that ignores
//! the data, and is recognised by its value. The
//! minimisation is then started again from the direction v that ranks best (the minimiser of the AUC objective, Fisher's direction (Σ₊ + Σ₋)⁻¹(μ₊ − μ₋)) with the best
//! threshold along it:
//!
//! ```text
//! w = (v, −c/B)/‖·‖ for a constant feature B,  c one of several values between the means of the classes' scores and two deviations beyond
//! ```
//!
//! Classes and features without variance, where F jumps, are treated in `constant.rs`.

use super::constant::{beside_constant, separated};
use super::minimise::{Minimum, Settings, Smooth, Stop, minimise};
use super::objective::norm;
use super::{MomentObjective, Moments, MomentsError, Objective, dot};

/// How a minimum was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// From the paper's start.
    Start,
    /// From the ranking direction: the paper's start led to a classifier no better than assigning every row to one class.
    Ranking,
    /// Features without variance in either class separate the classes: nothing was minimised.
    ConstantFeatures,
    /// All rows of one class are equal: the best of the cases in `constant.rs`.
    ConstantClass,
}

impl std::fmt::Display for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Route::Start => "start",
            Route::Ranking => "ranking",
            Route::ConstantFeatures => "constant-features",
            Route::ConstantClass => "constant-class",
        })
    }
}

/// A minimum, and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The minimum; iterations and evaluations are summed over all minimisations. If the minimum lies on a boundary, the gradient is its part along the
    /// boundary.
    pub minimum: Minimum,
    /// How it was found; [`Route::Start`] also if the second minimisation was no better.
    pub route: Route,
}

/// Thresholds that are tried along the ranking direction.
const THRESHOLDS: usize = 64;

/// Minimises the objective of `moments`, for the zero-one objective with a constant feature of the value `constant` added if one is given. λ ≥ 0 is the weight
/// of the penalty (the paper uses 0.001).
///
/// # Errors
/// As [`MomentObjective::new`] and [`minimise`].
pub fn fit(
    moments: &Moments,
    constant: Option<f64>,
    objective: Objective,
    lambda: f64,
    settings: &Settings,
) -> Result<Fit, MomentsError> {
    let extended = match constant {
        Some(value) => moments.clone().with_constant(value),
        None => moments.clone(),
    };
    let function = MomentObjective::new(&extended, objective, lambda)?;
    if let Some(w) = separated(&extended, objective) {
        let mut slope = vec![0.0; w.len()];
        let value = function.evaluate(&w, &mut slope);
        let gradient = norm(&slope);
        let minimum = Minimum { w, value, gradient, iterations: 0, evaluations: 1, stop: Stop::Gradient };
        return Ok(Fit { minimum, route: Route::ConstantFeatures });
    }
    if objective == Objective::ZeroOne
        && let Some(minimum) = beside_constant(&function, &extended, settings)?
    {
        return Ok(Fit { minimum, route: Route::ConstantClass });
    }
    let first = minimise(&function, function.start(&extended), settings)?;
    let trivial = moments.prior.min(1.0 - moments.prior);
    // What the penalty adds is not part of the error.
    let error = |minimum: &Minimum| minimum.value - lambda * (1.0 - dot(&minimum.w, &minimum.w)).powi(2);
    if objective == Objective::Auc || error(&first) < trivial * (1.0 - 1e-3) {
        return Ok(Fit { minimum: first, route: Route::Start });
    }
    let ranking = MomentObjective::new(moments, Objective::Auc, lambda)?;
    let ranked = minimise(&ranking, ranking.start(moments), settings)?;
    let start = best_along(&function, moments, &ranked.w, constant);
    let mut second = minimise(&function, start, settings)?;
    let route = if error(&first) <= error(&second) { Route::Start } else { Route::Ranking };
    if route == Route::Start {
        second = Minimum { iterations: second.iterations, evaluations: second.evaluations, ..first.clone() };
    }
    second.iterations += first.iterations + ranked.iterations;
    second.evaluations += first.evaluations + ranked.evaluations;
    Ok(Fit { minimum: second, route })
}

/// The point of least value on the direction v, over its sign and, with a constant feature, its threshold.
fn best_along(function: &MomentObjective<'_>, moments: &Moments, v: &[f64], constant: Option<f64>) -> Vec<f64> {
    let points = match constant {
        None => vec![v.to_vec(), v.iter().map(|x| -x).collect()],
        Some(value) => thresholds(moments, v).into_iter().map(|c| with_threshold(v, -c / value)).collect(),
    };
    let mut gradient = vec![0.0; function.columns()];
    let mut best = (f64::INFINITY, v.to_vec());
    for point in points {
        let value = function.evaluate(&point, &mut gradient);
        if value < best.0 {
            best = (value, point);
        }
    }
    best.1
}

/// Values that spread over the scores of both classes.
fn thresholds(moments: &Moments, v: &[f64]) -> Vec<f64> {
    let ends = [&moments.positive, &moments.negative].map(|class| {
        let mut product = vec![0.0; v.len()];
        class.add_times(v, &mut product);
        let (centre, deviation) = (dot(&class.mean, v), dot(&product, v).max(0.0).sqrt());
        [centre - 2.0 * deviation, centre + 2.0 * deviation]
    });
    let low = ends[0][0].min(ends[1][0]);
    let high = ends[0][1].max(ends[1][1]);
    (0..=THRESHOLDS).map(|k| low + (high - low) * k as f64 / THRESHOLDS as f64).collect()
}

/// (v, last), at length one.
fn with_threshold(v: &[f64], last: f64) -> Vec<f64> {
    let length = (dot(v, v) + last * last).sqrt();
    v.iter().chain([&last]).map(|x| x / length).collect()
}
