//! Monotone and convex regression on the command line and in Python.

use super::pooled::value;
use super::{Shape, ShapeRegression};
use crate::course::{Axis, Parameter};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution};
use crate::spec::{Data, Entry, Kind, Opt, Spec};
use crate::trend_filtering::differences_of;
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::{ParametricQp, Path, Point, Settings};

/// The entry of `shape-regression`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    weights: true,
    options: &[
        Opt::new("shape", "SHAPE", Kind::Word, "increasing, decreasing, convex or concave").or("increasing"),
        Opt::new(
            "feature",
            "NAME",
            Kind::Word,
            "The column of the feature, if there are several; x1, x2, … without names",
        ),
    ],
    ..Entry::new(
        "shape-regression",
        "Monotone or convex regression in one feature: the fit at every lower bound on its slope or curvature",
        &["bound"],
        |spec, _| Ok(Box::new(pose(spec)?)),
    )
};

const PARAMETERS: [Parameter; 1] = [Parameter { name: "bound", range: [f64::NEG_INFINITY, f64::INFINITY] }];

/// The problem that a description means.
fn pose(spec: &Spec) -> Result<ShapeRegression, AdapterError> {
    let shape = match spec.words.get("shape").map(String::as_str) {
        None | Some("increasing") => Shape::Increasing,
        Some("decreasing") => Shape::Decreasing,
        Some("convex") => Shape::Convex,
        Some("concave") => Shape::Concave,
        Some(_) => {
            let reason = "must be increasing, decreasing, convex or concave";
            return Err(AdapterError::Meaningless { option: "shape", reason });
        }
    };
    let rows = &spec.rows;
    ShapeRegression::new((&rows.features, column(spec)?), &rows.response, rows.weights.as_deref(), shape)
}

/// The column of the feature: the one that is named (x1, x2, … without names), or the only one.
fn column(spec: &Spec) -> Result<usize, AdapterError> {
    let found = spec.rows.features.columns();
    let Some(wanted) = spec.words.get("feature") else {
        return if found == 1 { Ok(0) } else { Err(AdapterError::OneFeature { found }) };
    };
    let names = spec.names.clone().unwrap_or_else(|| (1..=found).map(|j| format!("x{j}")).collect());
    names.iter().position(|name| name == wanted).ok_or_else(|| AdapterError::NoColumn { name: wanted.clone() })
}

impl PathProblem for ShapeRegression {
    fn parameters(&self) -> &[Parameter] {
        &PARAMETERS
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.qp()
    }

    /// Up to the shape, or to the largest slope or curvature of data that have it.
    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        let [least, most] = self.range();
        let further = if most > least { most } else { least + least.abs().max(1.0) };
        Ok([Some(least), Some(if least < 0.0 { 0.0 } else { further })])
    }

    /// `held`: the rows of D, from zero, at which f is at the bound.
    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let (fitted, theta) = (self.fit(point), theta.first().copied().unwrap_or(f64::NAN));
        let objective = self.loss(&fitted);
        // What the bound costs: ½‖f − ȳ‖² = ½uᵀHu, and the dual is −½uᵀHu − cᵀu.
        let differences = differences_of(&self.differences, &fitted).into_iter().zip(&self.units);
        let slack: f64 = differences.zip(&point.x).map(|((d, unit), u)| (d - theta * unit) * u).sum();
        let mut held = point.free.clone();
        held.sort_unstable();
        Solution {
            objective,
            dual_objective: Some(objective - slack),
            values: vec![("fitted", fitted.into()), ("held", Value::Indices(held))],
            further: Vec::new(),
        }
    }

    fn columns(&self) -> Vec<Group> {
        let names = self.places().iter().map(|place| format!("f({place})")).collect();
        vec![Group::named("fitted", "f", names)]
    }

    fn view(&self) -> View<'_> {
        View::Signal { observed: self.means(), places: Some(self.places()) }
    }

    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        let fitted = solution.get("fitted")?.numbers()?;
        Some((0..rows.rows()).map(|i| self.at(fitted, value(rows, i, self.column))).collect())
    }

    fn facts(&self, _spec: &Spec, _path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let ([least, _], places) = (self.range(), self.places().len());
        let what = if self.shape().is_monotone() { "slope" } else { "curvature" };
        Ok(vec![
            Fact::value("places", places),
            Fact::value("least", least),
            Fact::text("size", format!("{places} distinct values of the feature, least {what} {least:.4e}")),
        ])
    }
}
