//! Figures of `pathqp tune svr`: the best value of the tuned parameter, its loss, and the fits of a single feature.

use super::short;
use super::tuning::{Figure, PLACES, POINTS, Panel, model, shares, single};
use crate::tuning::Best;
use pathqp::Settings;
use pathqp_adapters::bilevel::tube_at;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::svr::Svr;
use pathqp_adapters::{AdapterError, KernelProblem};

/// λ*(ε) or ε*(λ) of ε-SVR. `loss` is the loss on held-out rows in words.
///
/// # Errors
/// [`AdapterError`] for fits that cannot be had.
pub fn figure(whole: &Svr, best: &Best, loss: &str, settings: &Settings) -> Result<Figure, AdapterError> {
    let panels = panels(whole, best, loss, settings)?;
    Ok(Figure::new("ε-SVR tuned", model(whole.machine()), panels))
}

fn panels(whole: &Svr, best: &Best, loss: &str, settings: &Settings) -> Result<Vec<Panel>, AdapterError> {
    let by_epsilon = best.vary == "epsilon";
    let (mut line, mut losses) = (Vec::new(), Vec::new());
    let finite = |v: f64| v.is_finite().then_some(v);
    let pieces = best.pieces();
    let largest = pieces.iter().flat_map(|p| [p.vary, p.tuned]).flatten().filter_map(finite).fold(0.0, f64::max);
    // λ is drawn as its logarithm, an infinite one a decade above all others.
    let scale = |v: f64| v.min(10.0 * largest).max(f64::MIN_POSITIVE).log10();
    let across = |vary: f64| if by_epsilon { vary } else { scale(vary) };
    let upward = |tuned: f64| if by_epsilon { scale(tuned) } else { tuned };
    let ends = pieces.first().zip(pieces.last()).map_or([0.0; 2], |(first, last)| [first.vary[0], last.vary[1]]);
    let width = across(ends[1]) - across(ends[0]);
    for piece in &pieces {
        let [from, to] = piece.vary;
        line.push((across(from), upward(piece.tuned[0])));
        losses.push((across(from), piece.loss[0]));
        // Between the ends neither is a straight line: λ is drawn as its logarithm, and the loss is a rational function.
        for share in shares([across(from), across(to)], width) {
            let vary = if by_epsilon { share } else { 10f64.powf(share).clamp(from, to) };
            let Some((tuned, loss)) = best.at(vary) else { continue };
            line.push((across(vary), upward(tuned)));
            losses.push((across(vary), loss));
        }
        line.push((across(to), upward(piece.tuned[1])));
        losses.push((across(to), piece.loss[1]));
    }
    let [x_label, y_label] = if by_epsilon { ["epsilon", "log10 lambda"] } else { ["log10 lambda", "epsilon"] };
    let panel = |title: &str, y_label, points| Panel::new(title, x_label, y_label, vec![(String::new(), points)]);
    let loss_title = format!("{loss} of the best {} on held-out rows", best.tuned);
    let title = if by_epsilon { "the best lambda (at the upper edge: infinite)" } else { "the best epsilon" };
    let mut panels = vec![panel(title, y_label, line), panel(&loss_title, "loss", losses)];
    if whole.machine().features().columns() == 1 {
        panels.push(fits(whole, best, settings)?);
    }
    Ok(panels)
}

/// The fits at some values of the varying parameter.
fn fits(whole: &Svr, best: &Best, settings: &Settings) -> Result<Panel, AdapterError> {
    let (x, places) = single(whole.machine().features());
    let rows = Features::Dense { rows: POINTS, columns: 1, values: places.clone() };
    let ([from, to], by_epsilon) = (best.path_range(), best.vary == "epsilon");
    let mut lines = Vec::new();
    for part in PLACES {
        // λ in geometric steps.
        let vary = if by_epsilon { from + (to - from) * part } else { (to * 1e-3f64.powf(1.0 - part)).max(from) };
        let Some(at) = best.path.at(vary) else { continue };
        let theta = if by_epsilon { [at.tuned, vary] } else { [vary, at.tuned] };
        let values = whole.decision(&tube_at(whole, theta, settings)?, &rows);
        let [epsilon, lambda] = [theta[1], 1.0 / theta[0]].map(|v| short(format!("{v:.2e}").parse().unwrap_or(v)));
        let name = format!("epsilon {epsilon}, lambda {lambda}");
        lines.push((name, places.iter().copied().zip(values).collect()));
    }
    let points = x.into_iter().zip(whole.responses().iter().copied()).collect();
    Ok(Panel { points, ..Panel::new("fits at the best values", "x", "y", lines) })
}
