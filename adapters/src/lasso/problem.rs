//! The lasso on the command line and in Python.

use super::{Chosen, Criterion, Folds, Lasso, LassoFit};
use crate::bias::Bias;
use crate::constraints::Constraints;
use crate::course::{ALPHA, Axis, Course, Parameter, alpha_axis};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution, linear_columns, linear_prediction};
use crate::spec::{Data, Entry, Kind, Limits, Opt, Spec};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{ParametricQp, Path, PathError, Point, Settings, Start};

/// The entry of `lasso`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    scale: true,
    bias: Bias::Intercept,
    biased: true,
    options: &[
        Opt::new(
            "ridge",
            "R",
            Kind::Number(Limits::NotNegative),
            "Add a fixed ridge penalty R/2·‖w‖² (an elastic net)",
        )
        .without(&["l1-ratio"]),
        Opt::new(
            "l1-ratio",
            "R",
            Kind::Number(Limits::Share),
            "With --alpha A: fix the ridge penalty at A(1 − R)/2·‖w‖², so that the path passes through the elastic net A·(R·‖w‖₁ + (1 − R)/2·‖w‖²)",
        )
        .with(&["alpha"]),
        Opt::new(
            "alpha",
            "A",
            Kind::Number(Limits::Positive),
            "The penalty A of the elastic net of --l1-ratio R, which is the solution at A·R on the path",
        )
        .with(&["l1-ratio"]),
        Opt::new(
            "rows",
            "FILE.csv",
            Kind::Rows,
            "Linear constraints on the coefficients: a table with one row per constraint, one column per feature (by name, or by position without names), and the columns lower and upper with its bounds; an empty bound is none",
        ),
        Opt::new("criterion", "NAME", Kind::Word, "Choose alpha by aic, bic or cp (Mallows' Cp)").without(&["folds"]),
        Opt::new(
            "sigma",
            "S",
            Kind::Number(Limits::Positive),
            "The standard deviation of the noise, for --criterion [default: estimated from the residuals of least squares]",
        )
        .with(&["criterion"]),
        Opt::new(
            "folds",
            "K",
            Kind::Whole,
            "Choose alpha by the squared error in K-fold cross-validation; row i is held out in fold i mod K",
        ),
        Opt::new(
            "rule",
            "NAME",
            Kind::Word,
            "With --folds: best, or one-se for the largest alpha within one standard error of the best [default: best]",
        )
        .with(&["folds"]),
    ],
    ..Entry::new("lasso", "Lasso and elastic net: coefficients at every l1 penalty alpha", &["alpha"], |spec, _| {
        let intercept = spec.bias.unpenalised()?;
        criterion(spec)?;
        one_error(spec)?;
        let elastic = spec.number("alpha").zip(spec.number("l1-ratio"));
        let ridge = spec.number("ridge").or(elastic.map(|(alpha, ratio)| alpha * (1.0 - ratio))).unwrap_or(0.0);
        let lasso = Lasso::new(&spec.rows.features, spec.rows.response.clone(), intercept, ridge)?;
        match Constraints::of_features(spec)? {
            Some(rows) => Ok(Box::new(lasso.with_rows(rows)?)),
            None => Ok(Box::new(lasso)),
        }
    })
};

/// The criterion that was asked for.
fn criterion(spec: &Spec) -> Result<Option<Criterion>, AdapterError> {
    let Some(name) = spec.words.get("criterion") else { return Ok(None) };
    let reason = "must be aic, bic or cp";
    Criterion::named(name).map(Some).ok_or(AdapterError::Meaningless { option: "criterion", reason })
}

/// Whether the rule of one standard error was asked for.
fn one_error(spec: &Spec) -> Result<bool, AdapterError> {
    match spec.words.get("rule").map(String::as_str) {
        None | Some("best") => Ok(false),
        Some("one-se") => Ok(true),
        Some(_) => Err(AdapterError::Meaningless { option: "rule", reason: "must be best or one-se" }),
    }
}

impl LassoFit {
    /// The fit by name, as it is printed.
    fn value(self) -> Value {
        let LassoFit { alpha, coefficients, intercept, objective, dual_objective } = self;
        Value::Record(vec![
            ("alpha", alpha.into()),
            ("coefficients", coefficients.into()),
            ("intercept", intercept.into()),
            ("objective", objective.into()),
            ("dual_objective", dual_objective.into()),
        ])
    }
}

impl PathProblem for Lasso {
    fn parameters(&self) -> &[Parameter] {
        &ALPHA
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.qp()
    }

    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        alpha_axis(course)
    }

    /// From the least α at which w = 0 down to zero.
    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok([Some(self.largest_alpha()), Some(0.0)])
    }

    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(theta.first().map_or(Start::Anywhere, |alpha| self.start(*alpha)))
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let fit = self.fit(theta.first().copied().unwrap_or(f64::NAN), point);
        let mut values: Vec<(&'static str, Value)> =
            vec![("w", fit.coefficients.into()), ("intercept", fit.intercept.into())];
        values.extend(self.rows().map(|_| ("y", self.multipliers(point).into())));
        Solution { objective: fit.objective, dual_objective: Some(fit.dual_objective), values, further: Vec::new() }
    }

    fn is_settled(&self, _vary: &str, value: f64) -> bool {
        value >= self.largest_alpha()
    }

    fn columns(&self) -> Vec<Group> {
        linear_columns(self.columns.count(), self.intercept)
    }

    fn view(&self) -> View<'_> {
        View::Coefficients
    }

    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        linear_prediction(solution, "w", rows)
    }

    /// The solution at the end of the path, or at the elastic net that was asked for.
    fn facts(&self, spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let elastic = spec.number("alpha").zip(spec.number("l1-ratio"));
        let asked = elastic.map(|(alpha, ratio)| alpha * ratio);
        let asked = asked.or_else(|| path.parameter(path.end()).first().copied()).unwrap_or(0.0);
        let nonzero = self.support(path, asked);
        let (n, d) = (self.columns.rows(), self.columns.count());
        let bias = if self.intercept { "intercept" } else { "none" };
        let constraints = self.rows().map(Constraints::count);
        let constrained = constraints.map_or(String::new(), |m| format!(", {m} rows of constraints"));
        let mut facts = vec![
            Fact::value("rows", n),
            Fact::value("features", d),
            Fact::value("ridge", self.ridge),
            Fact::value("alpha_max", self.largest_alpha()),
            Fact::value("fit", self.at(path, asked).map_or(Value::Missing, LassoFit::value)),
            Fact::text("size", format!("n = {n}, d = {d}, bias {bias}, ridge {}{constrained}", self.ridge)),
            Fact::text(format!("at alpha = {asked}"), format!("{nonzero} coefficients are not zero")),
        ];
        facts.extend(constraints.map(|m| Fact::value("constraints", m)));
        if let Some(chosen) = self.chosen(spec, path)? {
            let Chosen { alpha, criterion, loss, at_end } = &chosen;
            let size = self.support(path, *alpha);
            let text = format!("alpha = {alpha} with {size} coefficients, by {criterion}: {loss}");
            facts.extend([Fact::text("chosen", text), Fact::value("chosen", chosen.value())]);
            if *at_end {
                facts.push(Fact::warning(
                    "the chosen alpha is the end of the path, and a better one may lie below; go on with --to 0",
                ));
            }
        }
        Ok(facts)
    }
}

impl Lasso {
    /// The α that was asked to be chosen, on the whole path. Folds are those of `fold` (a number for each row), or row i is held out in fold i mod K.
    fn chosen(&self, spec: &Spec, path: &Path<f64>) -> Result<Option<Chosen>, AdapterError> {
        if let Some(criterion) = criterion(spec)? {
            return self.choose(path, criterion, spec.number("sigma").map(|sigma| sigma * sigma)).map(Some);
        }
        let rows = spec.rows.response.len();
        let fold: Vec<usize> = match (spec.lists.get("fold"), spec.number("folds")) {
            (Some(fold), _) => fold.iter().map(|fold| *fold as usize).collect(),
            (None, Some(k)) if (2.0..=rows as f64).contains(&k) => (0..rows).map(|i| i % k as usize).collect(),
            (None, Some(value)) => {
                let expected = "be at least two, and at most the number of rows";
                return Err(AdapterError::Parameter { name: "folds", value, expected });
            }
            (None, None) => return Ok(None),
        };
        let (features, response) = (&*spec.rows.features, spec.rows.response.as_slice());
        let end = |t: &f64| path.parameter(t).first().copied().unwrap_or(0.0);
        let range = path.segments().first().map_or([0.0, 0.0], |first| [end(&first.t), end(path.end())]);
        self.choose_by_folds(Folds { features, response, fold: &fold }, range, one_error(spec)?).map(Some)
    }
}
