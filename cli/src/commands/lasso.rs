//! `pathqp path lasso`: coefficients at every penalty.

use crate::args::LassoArgs;
use crate::data::read_training;
use crate::errors::{CliError, Exit};
use crate::problem::Response;
use crate::series::{Series, Summary, Targets, finish, follow};
use crate::values::number;
use pathqp_adapters::lasso::{Lasso, LassoFit};
use pathqp_adapters::{AdapterError, Bias};
use serde::Serialize;
use std::time::Instant;

/// What only the lasso has in its JSON.
#[derive(Serialize)]
struct Details {
    rows: usize,
    features: usize,
    bias: &'static str,
    ridge: f64,
    alpha_max: f64,
    /// The solution at the end of the path, or at --alpha times --l1-ratio.
    fit: Option<LassoFit>,
}

/// Follows the path, writes, draws and prints it.
///
/// # Errors
/// A wrong question; a path that could not even begin.
pub fn run(args: &LassoArgs) -> Result<Exit, CliError> {
    let intercept = match args.bias {
        Bias::None => false,
        Bias::Intercept => true,
        Bias::Augmented(_) => {
            let reason = "would be penalised like a coefficient: use --bias intercept, or add a column of ones";
            return Err(CliError::Meaningless { option: "--bias augmented", reason });
        }
    };
    for (option, given) in [("--weights", args.data.weights.is_some()), ("--positive", args.data.positive.is_some())] {
        if given {
            return Err(CliError::Meaningless { option, reason: "has no use in a lasso" });
        }
    }
    let targets = Targets::new(&args.output, &[("--train", &args.data.train)])?;
    let training = read_training(&args.data.train, args.data.options(), args.scale, Response::Numbers)?;
    let refused = |error: AdapterError| CliError::Model { file: args.data.train.display().to_string(), error };
    let (ratio, alpha) = (args.l1_ratio.unwrap_or(1.0), args.alpha.unwrap_or(0.0));
    let ridge = args.ridge.unwrap_or(alpha * (1.0 - ratio));
    let features = &training.rows.features;
    let posing = Instant::now();
    let lasso = Lasso::new(features, training.rows.response.clone(), intercept, ridge).map_err(refused)?;
    let alpha_max = lasso.largest_alpha();
    let from = args.from.unwrap_or(alpha_max.max(args.to));
    let line = lasso.line(from, args.to).map_err(refused)?;
    let followed = follow(&line, &lasso.start(from), posing)?;

    let places = followed.places();
    let at = |t: &f64| followed.path.at(t).map(|point| lasso.fit(followed.path.parameter(t)[0], &point.x));
    let fits: Vec<LassoFit> = places.iter().filter_map(at).collect();
    let names = training.columns.feature_names.clone();
    let mut names = names.unwrap_or_else(|| (1..=features.columns()).map(|j| format!("w{j}")).collect());
    let mut columns: Vec<Vec<f64>> =
        (0..names.len()).map(|j| fits.iter().map(|fit| fit.coefficients[j]).collect()).collect();
    if intercept {
        names.push("intercept".into());
        columns.push(fits.iter().map(|fit| fit.intercept).collect());
    }
    let values = fits.iter().map(|fit| fit.alpha).collect();
    let count = |fit: &LassoFit| fit.coefficients.iter().filter(|w| **w != 0.0).count();
    let nonzero = Some(followed.middles().iter().filter_map(at).map(|fit| count(&fit)).collect());
    let series = Series { parameter: "alpha", values, names, columns, nonzero, axis: "w", ..Series::default() };
    let asked = args.alpha.map_or(args.to, |alpha| alpha * ratio);
    let fit = lasso.at(&followed.path, asked);
    // At a knot a coefficient that comes in or goes out is zero up to rounding on the side where it is free, and exactly zero on the other.
    let sides = followed.path.position(&[asked]).map(|t| [followed.path.before(&t), followed.path.at(&t)]);
    let sides = sides.into_iter().flatten().flatten().map(|point| count(&lasso.fit(asked, &point.x)));
    let nonzero = sides.min().unwrap_or(0);
    let (n, d) = (features.rows(), features.columns());
    let bias = if intercept { "intercept" } else { "none" };
    let rows = vec![
        ("size".into(), format!("n = {n}, d = {d}, bias {bias}, ridge {}", number(ridge))),
        (format!("at alpha = {}", number(asked)), format!("{nonzero} coefficients are not zero")),
    ];
    let details = Details { rows: n, features: d, bias, ridge, alpha_max, fit };
    let summary = Summary { problem: "lasso", source: &args.data.train, details, rows };
    finish(&followed, &series, summary, (&targets, args.output.json))
}
