//! ROC curves of the cost-asymmetric SVM.

use crate::error::{adapter as refused, input};
use crate::path::ProblemPath;
use crate::problem::cost_svm;
use crate::rows::{Rows, matrix};
use crate::watch::apart;
use pathqp::Settings;
use pathqp_adapters::roc::explore::{cross_validation, held_out};
use pathqp_adapters::roc::{Operating, Plan, Roc, explore};
use pathqp_views::words::bias_text;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The rows to validate on: labelled rows, or folds with a seed.
#[derive(FromPyObject)]
pub enum Validation {
    Held((Py<Rows>, Vec<f64>)),
    Folds((usize, u64)),
}

/// The curves, each as rows (FPR, TPR), and the candidates of the questions as rows (FPR, TPR, false positives, true positives,
/// C₊ + C₋, C₊, shift).
#[pyfunction]
pub fn roc<'py>(
    py: Python<'py>,
    path: &ProblemPath,
    validation: Validation,
    multiples: Vec<f64>,
    sum: Option<f64>,
    max_sum: f64,
    gamma: f64,
) -> PyResult<Bound<'py, PyDict>> {
    path.expect("cost-svm", "only the cost-asymmetric SVM has ROC curves of its costs")?;
    let spec = path.kept.spec.clone();
    let model = (spec.kernel.to_string(), bias_text(spec.bias));
    let plan = Plan { multiples, sum, max_sum, gamma };
    let held = match &validation {
        Validation::Held((rows, labels)) => Some((rows.get().0.as_ref().clone(), labels.clone())),
        Validation::Folds(_) => None,
    };
    let found = apart(py, None, move |_| {
        let svm = cost_svm(&spec).map_err(refused)?;
        let folds = match (validation, held) {
            (Validation::Folds((folds, seed)), _) => cross_validation(&svm, folds, seed).map_err(refused)?,
            (_, Some((rows, labels))) => held_out(svm.clone(), rows, labels),
            _ => return Err(input("there are no rows to validate on")),
        };
        explore(&svm, &folds, &plan, &Settings::default()).map_err(refused)
    })?;
    let out = PyDict::new(py);
    let curve = |points: &[Operating]| -> PyResult<_> {
        let rates = closed(points.iter().map(|point| found.totals.rates(point)).collect());
        matrix(py, rates.concat(), [rates.len(), 2])
    };
    out.set_item("intercept", curve(&found.intercept)?)?;
    out.set_item("asymmetry", curve(&found.asymmetry)?)?;
    out.set_item("both", curve(&found.both.hull())?)?;
    out.set_item("hull", curve(&found.all.hull())?)?;
    out.set_item("staircase_choices", choices(py, &found, &found.all.staircase())?)?;
    out.set_item("hull_choices", choices(py, &found, &found.all.hull())?)?;
    out.set_item("totals", (found.totals.negatives, found.totals.positives))?;
    out.set_item("costs", found.costs)?;
    let sum = found.lines.first().map_or(f64::NAN, |line| line.sum);
    out.set_item("_model", (model.0, model.1, sum))?;
    out.set_item("recounted", found.recount.points)?;
    out.set_item("withdrawn", found.recount.withdrawn)?;
    out.set_item("area", found.totals.area(&found.intercept))?;
    out.set_item("hull_area", found.totals.area(&found.all.hull()))?;
    Ok(out)
}

fn choices<'py>(py: Python<'py>, roc: &Roc, points: &[Operating]) -> PyResult<Bound<'py, PyAny>> {
    let row = |point: &Operating| {
        let ([fpr, tpr], choice) = (roc.totals.rates(point), point.choice);
        let sum = roc.lines.get(choice.line).map_or(f64::NAN, |line| line.sum);
        [fpr, tpr, point.false_positives as f64, point.true_positives as f64, sum, choice.t, choice.shift]
    };
    let rows: Vec<[f64; 7]> = points.iter().map(row).collect();
    matrix(py, rows.concat(), [rows.len(), 7])
}

/// The curve from (0, 0) to (1, 1).
fn closed(mut curve: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    if curve.first() != Some(&[0.0; 2]) {
        curve.insert(0, [0.0; 2]);
    }
    if curve.last() != Some(&[1.0; 2]) {
        curve.push([1.0; 2]);
    }
    curve
}
