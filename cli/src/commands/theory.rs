//! `pathqp theory`: training versus testing asymmetry for mixtures of Gaussians.

use crate::args::{TheoryArgs, TheoryLoss};
use crate::errors::{CliError, Exit};
use crate::output::{self, Target};
use crate::report;
use pathqp_moments::theory::{Asymptotics, Component, Expansion, Loss, Model, RocPoint, TheoryError};
use pathqp_views::plot::theory::{self as drawing, LossCurve};
use pathqp_views::words::file_name;
use pathqp_views::words::number;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The file of mixtures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MixtureFile {
    prior: f64,
    positive: Vec<Component>,
    negative: Vec<Component>,
}

/// JSON of `theory`.
#[derive(Debug, Serialize)]
struct TheoryReport {
    d: usize,
    prior: f64,
    components: [usize; 2],
    exchanged: bool,
    losses: Vec<LossReport>,
}

/// One loss.
#[derive(Debug, Serialize)]
struct LossReport {
    #[serde(flatten)]
    asymptotics: Asymptotics,
    regime: &'static str,
    points: Vec<PointReport>,
}

/// One training asymmetry.
#[derive(Debug, Serialize)]
struct PointReport {
    gamma: f64,
    w: Vec<f64>,
    b: f64,
    #[serde(flatten)]
    roc: RocPoint,
    /// Whether the point lies on the upper convex envelope of the curve; null where a rate is 0 or 1 to rounding.
    consistent: Option<bool>,
    expansion: Expansion,
}

/// Solves, draws, and prints the summary.
///
/// # Errors
/// A file that holds no mixtures; a training asymmetry outside its range.
pub fn run(args: &TheoryArgs) -> Result<Exit, CliError> {
    let reads = [("the mixtures", args.file.as_path())];
    let plot = args.plot.as_deref().map(|file| Target::new("--plot", file, &reads)).transpose()?;
    let file = args.file.display().to_string();
    let refused = |error: TheoryError| CliError::Theory { file: file.clone(), error };
    let model = read(&args.file)?;
    let model = if args.exchange { model.exchanged() } else { model };
    let losses: &[Loss] = match args.loss {
        TheoryLoss::Square => &[Loss::Square],
        TheoryLoss::Erf => &[Loss::Erf],
        TheoryLoss::Both => &[Loss::Square, Loss::Erf],
    };
    let (mut reports, mut curves) = (Vec::new(), Vec::new());
    for &loss in losses {
        let asymptotics = Asymptotics::new(&model, loss).map_err(refused)?;
        let curve = curve(&model, loss, args).map_err(refused)?;
        let solved = args.gamma.iter().map(|&gamma| point(&model, &asymptotics, &curve, gamma));
        let points = solved.collect::<Result<Vec<PointReport>, TheoryError>>().map_err(refused)?;
        let regime = asymptotics.regime();
        curves.push(LossCurve { loss, a: asymptotics.a, points: curve });
        reports.push(LossReport { asymptotics, regime, points });
    }
    let summary = TheoryReport {
        d: model.columns(),
        prior: model.prior(),
        components: [model.positive().components(), model.negative().components()],
        exchanged: args.exchange,
        losses: reports,
    };
    if let Some(target) = &plot {
        target.draw(drawing::draw(&model, &curves, &file_name(&file)))?;
    }
    output::print(&if args.json { report::json(&summary) } else { table(&summary, &args.file) })?;
    Ok(Exit::Done)
}

/// The mixtures of a file.
fn read(path: &Path) -> Result<Model, CliError> {
    let file = path.display().to_string();
    let wrong = |place: String, reason: String| CliError::Mixture { file: file.clone(), place, reason };
    let text =
        std::fs::read_to_string(path).map_err(|cause| wrong(String::new(), format!("cannot be read ({cause})")))?;
    let mixtures: MixtureFile = serde_json::from_str(&text).map_err(|error| {
        let (message, line, column) = (error.to_string(), error.line(), error.column());
        let reason = message.split(" at line ").next().unwrap_or_default().to_owned();
        wrong(format!(", line {line}, column {column}"), reason)
    })?;
    Model::new(mixtures.prior, mixtures.positive, mixtures.negative)
        .map_err(|error| CliError::Theory { file: file.clone(), error })
}

/// The ROC curve at asymmetries of which half are spread evenly in log(γ/(1 − γ)) from 10⁻⁶ to 1 − 10⁻⁶ and half in γ, and at those asked for.
fn curve(model: &Model, loss: Loss, args: &TheoryArgs) -> Result<Vec<(f64, RocPoint)>, TheoryError> {
    let reach = 1e6_f64.ln();
    let half = args.points / 2;
    let part = |k: usize| (k as f64 + 0.5) / half as f64;
    let in_odds = (0..half).map(|k| 1.0 / (1.0 + (reach - 2.0 * reach * part(k)).exp()));
    let mut gammas: Vec<f64> = in_odds.chain((0..half).map(part)).chain(args.gamma.iter().copied()).collect();
    gammas.sort_by(f64::total_cmp);
    gammas.dedup();
    gammas.into_iter().map(|gamma| Ok((gamma, model.solve(loss, gamma)?.roc(model)))).collect()
}

fn point(
    model: &Model,
    asymptotics: &Asymptotics,
    curve: &[(f64, RocPoint)],
    gamma: f64,
) -> Result<PointReport, TheoryError> {
    let solution = model.solve(asymptotics.loss, gamma)?;
    let roc = solution.roc(model);
    let expansion = asymptotics.expansion(gamma);
    Ok(PointReport { gamma, w: solution.w, b: solution.b, roc, consistent: is_consistent(curve, &roc), expansion })
}

/// No chord between two points of the curve, its corners (0, 0) and (1, 1) included, passes above the point by more than rounding: seen from the point, the steepest
/// line to the right is no steeper than the flattest one to the left. Rounding of the rates moves a slope between neighbours by about this much of itself.
fn is_consistent(curve: &[(f64, RocPoint)], point: &RocPoint) -> Option<bool> {
    const ROUNDING: f64 = 1e-6;
    let corners = [(0.0, 0.0), (1.0, 1.0)];
    if [point.fpr, point.tpr].iter().any(|rate| [0.0, 1.0].contains(rate)) {
        return None;
    }
    let (mut right, mut left, mut above) = (0.0_f64, f64::INFINITY, false);
    for (u, v) in curve.iter().map(|(_, p)| (p.fpr, p.tpr)).chain(corners) {
        let slope = (v - point.tpr) / (u - point.fpr);
        if u > point.fpr {
            right = right.max(slope);
        } else if u < point.fpr {
            left = left.min(slope);
        } else {
            above |= v > point.tpr * (1.0 + ROUNDING);
        }
    }
    Some(!above && right <= left * (1.0 + ROUNDING))
}

/// The summary for people.
fn table(summary: &TheoryReport, file: &Path) -> String {
    let [positive, negative] = summary.components;
    let exchanged = if summary.exchanged { ", classes exchanged" } else { "" };
    let mut text = format!(
        "asymmetries of {}: d = {}, prior {}, {positive} and {negative} components{exchanged}\n",
        file.display(),
        summary.d,
        number(summary.prior)
    );
    for LossReport { asymptotics, regime, points } in &summary.losses {
        let name = match asymptotics.loss {
            Loss::Square => "square loss",
            Loss::Erf => "erf loss",
        };
        text += &format!("{name}: A = {:.6}; {regime}\n", asymptotics.a);
        text += "       gamma          beta       u (fpr)       v (tpr)  log slope      expanded   consistent\n";
        for point in points {
            let optional = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.4e}"));
            text += &format!(
                "{:>12} {:>13} {:>13.4e} {:>13.4e} {:>10} {:>13.4e}   {}\n",
                number(point.gamma),
                optional(point.roc.beta),
                point.roc.fpr,
                point.roc.tpr,
                point.roc.log_slope.map_or("-".into(), |v| format!("{v:.4}")),
                point.expansion.log_slope,
                point.consistent.map_or("-", |yes| if yes { "yes" } else { "no" })
            );
        }
    }
    text
}
