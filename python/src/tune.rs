//! λ*(τ) of quantile regression and of the quantile SVM.

use crate::error::{adapter as refused, bilevel as failed, input};
use crate::path::ProblemPath;
use crate::problem::kqr;
use crate::rows::{Rows, matrix};
use crate::watch::apart;
use pathqp::Settings;
use pathqp_adapters::AdapterError;
use pathqp_adapters::asymmetry::{self, Question, Tuned, Varied};
use pathqp_adapters::bilevel::{BilevelPath, BilevelPiece, Domain, Fold, InSample, Recount};
use pathqp_adapters::bilevel::{bilevel, in_sample, recount, recount_in_sample};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::spec::Spec;
use pathqp_views::plot;
use pathqp_views::plot::tuning::Figure;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;

/// Rows that are held out: features, responses, weights.
type Held = (Py<Rows>, Vec<f64>, Option<Vec<f64>>);

/// By what λ is chosen: rows that are held out, folds, or a criterion on the training rows.
#[derive(FromPyObject)]
pub enum Judge {
    Held(Held),
    Folds(usize),
    Criterion(String),
}

/// Rows that are held out, with their responses and weights.
type HeldOut = (Arc<Features>, Vec<f64>, Option<Vec<f64>>);

/// λ*(τ), what is found when its losses are computed again from the paths, and its figure.
fn searched(
    spec: &Spec,
    judge: Judge,
    held: Option<HeldOut>,
    domain: &Domain,
) -> PyResult<(BilevelPath, Recount, Figure)> {
    let kqr = kqr(spec).map_err(refused)?;
    let settings = Settings::default();
    let folds = match (judge, held) {
        (Judge::Criterion(name), _) => {
            let criterion = match name.as_str() {
                "sic" => InSample::Sic,
                "gacv" => InSample::Gacv,
                other => return Err(input(format!("criterion = {other}: it must be sic or gacv"))),
            };
            let path = in_sample(&kqr, criterion, domain, &settings).map_err(failed)?;
            let recount = recount_in_sample(&kqr, criterion, &path, &settings).map_err(refused)?;
            let figure = plot::tuning::figure(&kqr, &[], &path, &settings).map_err(refused)?;
            return Ok((path, recount, figure));
        }
        (Judge::Folds(k), _) => {
            let rows = &spec.rows;
            let weights = rows.weights.as_deref();
            Fold::split(&rows.features, &rows.response, weights, spec.kernel, spec.bias, k).map_err(refused)?
        }
        (Judge::Held(_), Some((rows, responses, weights))) => {
            let fold: Result<Fold<Kqr>, AdapterError> =
                Fold::new(kqr.clone(), rows.as_ref().clone(), responses, weights);
            vec![fold.map_err(refused)?]
        }
        (Judge::Held(_), None) => return Err(input("no rows are held out")),
    };
    let path = bilevel(&folds, domain, &settings).map_err(failed)?;
    let recount = recount(&folds, &path, &settings).map_err(refused)?;
    let figure = plot::tuning::figure(&kqr, &folds, &path, &settings).map_err(refused)?;
    Ok((path, recount, figure))
}

/// What a figure is drawn from, to be kept.
fn packed<'py>(py: Python<'py>, figure: &Figure) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = postcard::to_stdvec(figure).map_err(|error| input(format!("the figure cannot be kept: {error}")))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The figure that `pathqp tune --plot` draws, as SVG, from what [`tune`] or [`tune_classifier`] has kept of it.
#[pyfunction]
pub fn tuning_figure(figure: &[u8]) -> PyResult<String> {
    let figure: Figure = postcard::from_bytes(figure)
        .map_err(|_| input("the figure of this Tuning is damaged or of another version: tune again"))?;
    figure.draw().map_err(|error| input(error.to_string()))
}

/// The pieces of λ*(τ) from the training rows of a path: k × 6 numbers (τ, λ and the loss at both ends) and k × 6 coefficients of the
/// loss, see `BilevelPiece::loss` (origin, numerator, denominator); and what their figure is drawn from.
#[pyfunction]
pub fn tune<'py>(
    py: Python<'py>,
    path: &ProblemPath,
    judge: Judge,
    tau: [f64; 2],
    lambda: (Option<f64>, Option<f64>),
) -> PyResult<Bound<'py, PyDict>> {
    path.expect("kqr", "only quantile regression is tuned")?;
    let spec = path.kept.spec.clone();
    let domain = Domain { lambda_from: lambda.0, lambda_to: lambda.1, ..Domain::tau(tau[0], tau[1]) };
    let held = match &judge {
        Judge::Held((rows, responses, weights)) => Some((rows.get().0.clone(), responses.clone(), weights.clone())),
        _ => None,
    };
    let (best, recount, figure) = apart(py, None, move |_| searched(&spec, judge, held, &domain))?;
    let loss = |piece: &BilevelPiece, tau: f64| piece.at(tau).map_or(f64::NAN, |best| best.loss);
    let ends =
        |p: &BilevelPiece| [p.vary[0], p.vary[1], p.tuned[0], p.tuned[1], loss(p, p.vary[0]), loss(p, p.vary[1])];
    let function = |p: &BilevelPiece| {
        let ([a, b, c], [d, e]) = (p.loss.numerator, p.loss.denominator);
        [p.loss.origin, a, b, c, d, e]
    };
    let pieces = best.pieces();
    let table = |rows: Vec<[f64; 6]>| matrix(py, rows.concat(), [rows.len(), 6]);
    let out = PyDict::new(py);
    out.set_item("pieces", table(pieces.iter().map(ends).collect())?)?;
    out.set_item("losses", table(pieces.iter().map(function).collect())?)?;
    out.set_item("lambda_range", best.tuned_range())?;
    let [from, to] = tau.map(|tau| best.at(tau).map(|best| (best.vary, best.tuned, best.loss)));
    out.set_item("ends", (from, to))?;
    out.set_item("complete", best.is_complete() && !best.is_cut_off())?;
    out.set_item("searched", best.is_complete())?;
    out.set_item("at_end", best.at_end())?;
    out.set_item("end", best.end().name())?;
    out.set_item("recounted", recount.agrees())?;
    out.set_item("recount", (recount.points, recount.worst))?;
    out.set_item("regions", best.stats().regions)?;
    out.set_item("figure", packed(py, &figure)?)?;
    Ok(out)
}

/// λ*(τ) of a grid for the quantile SVM, in the form of [`tune`].
#[pyfunction]
pub fn tune_classifier<'py>(
    py: Python<'py>,
    path: &ProblemPath,
    judge: Judge,
    tau: [f64; 2],
    lambdas: Vec<f64>,
    by_error: bool,
) -> PyResult<Bound<'py, PyDict>> {
    path.expect("quantile-svm", "only the quantile SVM is tuned by a grid")?;
    let (spec, grid) = (path.kept.spec.clone(), lambdas.clone());
    let (folds, held) = match judge {
        Judge::Held((rows, labels, _)) => (0, Some((rows.get().0.as_ref().clone(), labels))),
        Judge::Folds(k) => (k, None),
        Judge::Criterion(name) => return Err(input(format!("criterion = {name}: give rows or a number of folds"))),
    };
    let (found, figure): (Tuned, Figure) = apart(py, None, move |_| {
        let (varied, rows, settings) = (Varied::Tau, &spec.rows, Settings::default());
        let question = Question { varied, range: tau, grid, rows, kernel: spec.kernel, bias: spec.bias, held, folds };
        let loss = if by_error { asymmetry::HeldOut::Error } else { asymmetry::HeldOut::Cost };
        let candidates = question.candidates().map_err(refused)?;
        let found = asymmetry::tune(&candidates, (varied, tau), loss, &settings).map_err(refused)?;
        let figure = plot::asymmetry::figure((&rows.features, spec.kernel, spec.bias), &found, varied, loss);
        Ok((found, figure))
    })?;
    let ends = |p: &asymmetry::Piece| [p.vary[0], p.vary[1], p.penalty, p.penalty, p.loss[0], p.loss[1]];
    let function = |p: &asymmetry::Piece| {
        let slope = (p.loss[1] - p.loss[0]) / (p.vary[1] - p.vary[0]);
        [p.vary[0], p.loss[0], slope, 0.0, 1.0, 0.0]
    };
    let table = |rows: Vec<[f64; 6]>| matrix(py, rows.concat(), [rows.len(), 6]);
    let out = PyDict::new(py);
    out.set_item("pieces", table(found.pieces.iter().map(ends).collect())?)?;
    out.set_item("losses", table(found.pieces.iter().map(function).collect())?)?;
    out.set_item("lambda_range", [f64::min, f64::max].map(|of| lambdas.iter().copied().fold(f64::NAN, of)))?;
    out.set_item("ends", (py.None(), py.None()))?;
    out.set_item("complete", !found.at_end())?;
    out.set_item("searched", true)?;
    out.set_item("at_end", found.at_end())?;
    out.set_item("end", "asked")?;
    out.set_item("recounted", found.recount.worst == 0.0)?;
    out.set_item("recount", (found.recount.points, found.recount.worst))?;
    out.set_item("regions", found.steps)?;
    out.set_item("figure", packed(py, &figure)?)?;
    Ok(out)
}
