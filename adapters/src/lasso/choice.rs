//! The choice of one α of a path, by a criterion or by held-out rows.
//!
//! *Criteria.* The degrees of freedom of the lasso with k non-zero coefficients of linearly independent columns are k (Zou, Hastie and Tibshirani 2007,
//! doi:10.1214/009053607000000127; for dependent columns they are the rank of the active columns, Tibshirani and Taylor 2012, doi:10.1214/12-AOS1003, which is
//! k because the active columns of a path are independent). With RSS = ‖y − Xw‖² and the variance σ² of the noise
//!
//! ```text
//! AIC = n log 2πσ² + RSS/σ² + 2k        (Akaike 1973)             BIC = n log 2πσ² + RSS/σ² + k log n       (Schwarz 1978)
//! Cp  = RSS/σ² − n + 2k                 (Mallows 1973)            σ² = RSS(0)/(n − k(0) − 1), without the 1 if there is no intercept
//! ```
//!
//! With rows k is reduced by the rank of the active rows ([`Lasso::degrees_of_freedom`]). On a piece of the path k is constant and RSS grows with α, so that
//! the least value over all α is attained at a knot.
//!
//! *Folds.* The loss of α is the mean over the folds of the mean squared error on the held-out rows, by the solution on the other rows; the best α is chosen
//! among the knots of the paths of all folds, as by Efron, Hastie, Johnstone and Tibshirani 2004. *One standard error* (Breiman, Friedman, Olshen and Stone
//! 1984, §3.4.3): the largest α whose loss is at most the least one plus the standard error of that mean.

use super::Lasso;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::value::Value;
use pathqp::{Path, Point, Settings};

/// An information criterion to minimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// Akaike's information criterion.
    Aic,
    /// Schwarz's (Bayesian) information criterion.
    Bic,
    /// Mallows' Cp.
    Cp,
}

impl Criterion {
    const ALL: [Criterion; 3] = [Criterion::Aic, Criterion::Bic, Criterion::Cp];

    /// The name of the criterion: `aic`, `bic` or `cp`.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Aic => "aic",
            Criterion::Bic => "bic",
            Criterion::Cp => "cp",
        }
    }

    /// The criterion with this name.
    pub fn named(name: &str) -> Option<Self> {
        Criterion::ALL.into_iter().find(|criterion| criterion.name() == name)
    }

    fn value(self, n: f64, squares: f64, k: f64, variance: f64) -> f64 {
        let log = n * (std::f64::consts::TAU * variance).ln();
        match self {
            Criterion::Aic => log + squares / variance + 2.0 * k,
            Criterion::Bic => log + squares / variance + k * n.ln(),
            Criterion::Cp => squares / variance - n + 2.0 * k,
        }
    }
}

/// A chosen α.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The chosen α.
    pub alpha: f64,
    /// The criterion: `aic`, `bic`, `cp`, `mse` or `mse, one standard error`.
    pub criterion: &'static str,
    /// The value of the criterion at α.
    pub loss: f64,
    /// Whether α is the least one of a path that ends before zero, so that a better one may lie below.
    pub at_end: bool,
}

impl Chosen {
    /// The choice as a record of values by name.
    pub fn value(&self) -> Value {
        Value::Record(vec![
            ("alpha", self.alpha.into()),
            ("criterion", self.criterion.into()),
            ("loss", self.loss.into()),
            ("at_end", Value::Truth(self.at_end)),
        ])
    }
}

/// A design with the fold of each row.
#[derive(Clone, Copy, Debug)]
pub struct Folds<'a> {
    /// X, n × d.
    pub features: &'a Features,
    /// y, n values.
    pub response: &'a [f64],
    /// The fold in which each row is held out, n values.
    pub fold: &'a [usize],
}

/// The values of α at the beginnings and ends of the segments, each once.
fn knots(path: &Path<f64>) -> Vec<f64> {
    let mut knots: Vec<f64> = path
        .segments()
        .iter()
        .map(|segment| &segment.t)
        .chain([path.end()])
        .filter_map(|t| path.parameter(t).first().copied())
        .collect();
    knots.dedup();
    knots
}

impl Lasso {
    /// The number of non-zero coefficients at α. At a knot a coefficient that enters or leaves is zero up to rounding on the side where it is free, and exactly
    /// zero on the other side; the smaller number counts.
    pub fn support(&self, path: &Path<f64>, alpha: f64) -> usize {
        let sides = path.position(&[alpha]).map(|t| [path.before(&t), path.at(&t)]);
        let count = |point: &Point<f64>| self.fit(alpha, point).coefficients.iter().filter(|w| **w != 0.0).count();
        sides.into_iter().flatten().flatten().map(|point| count(&point)).min().unwrap_or(0)
    }

    /// The best knot of a path by a criterion. `variance` is σ²; if it is `None`, σ² is estimated from the solution at α = 0, and the path is followed to there
    /// if it ends before.
    ///
    /// # Errors
    /// [`AdapterError`] for a problem with a ridge penalty, for σ² not given with as many coefficients as rows, and for a path that cannot be followed.
    pub fn choose(
        &self,
        path: &Path<f64>,
        criterion: Criterion,
        variance: Option<f64>,
    ) -> Result<Chosen, AdapterError> {
        if self.ridge > 0.0 {
            let reason = "uses the degrees of freedom of the lasso, which a ridge penalty changes: leave the ridge penalty out, or choose by --folds";
            return Err(AdapterError::Meaningless { option: "criterion", reason });
        }
        let variance = match variance {
            Some(variance) => variance,
            None => self.noise(path)?,
        };
        let n = self.columns.rows() as f64;
        let knots = knots(path);
        let of = |alpha: f64| -> Option<(f64, f64)> {
            let squares = self.squares(path, alpha)?;
            Some((alpha, criterion.value(n, squares, self.degrees_of_freedom(path, alpha) as f64, variance)))
        };
        let best = knots.iter().filter_map(|alpha| of(*alpha)).min_by(|a, b| a.1.total_cmp(&b.1));
        let (alpha, loss) =
            best.ok_or(AdapterError::Parameter { name: "alpha", value: f64::NAN, expected: "lie on the path" })?;
        Ok(Chosen { alpha, criterion: criterion.name(), loss, at_end: is_end(alpha, &knots) })
    }

    /// σ², from what is left at α = 0.
    fn noise(&self, path: &Path<f64>) -> Result<f64, AdapterError> {
        let whole = match path.at_parameter(&[0.0]) {
            Some(_) => None,
            None => Some(self.path(0.0, &Settings::default())?),
        };
        let path = whole.as_ref().unwrap_or(path);
        let used = self.degrees_of_freedom(path, 0.0) + usize::from(self.intercept);
        let left = self.columns.rows().saturating_sub(used);
        match self.squares(path, 0.0) {
            Some(squares) if left > 0 && squares > 0.0 => Ok(squares / left as f64),
            _ => {
                let reason = "needs the variance of the noise, which cannot be estimated because there are as many coefficients as rows: give --sigma, or choose by --folds";
                Err(AdapterError::Meaningless { option: "criterion", reason })
            }
        }
    }

    /// RSS at α.
    fn squares(&self, path: &Path<f64>, alpha: f64) -> Option<f64> {
        let fit = self.at(path, alpha)?;
        let scaled: Vec<f64> = fit.coefficients.iter().zip(self.columns.scales()).map(|(w, s)| w * s).collect();
        Some(self.columns.residual(&scaled).iter().map(|r| r * r).sum())
    }

    /// The best α of a range by cross-validation; with `one_error` the largest α within one standard error of it.
    ///
    /// # Errors
    /// [`AdapterError`] for fewer than two folds, a fold that holds out all rows, lengths that do not agree, and paths that cannot be followed.
    pub fn choose_by_folds(&self, folds: Folds, range: [f64; 2], one_error: bool) -> Result<Chosen, AdapterError> {
        let n = folds.features.rows();
        for (what, found) in [("responses", folds.response.len()), ("folds", folds.fold.len())] {
            if found != n {
                return Err(AdapterError::Shape { what, expected: n, found });
            }
        }
        let mut names = folds.fold.to_vec();
        names.sort_unstable();
        names.dedup();
        if names.len() < 2 {
            let expected = "be at least two, and at most the number of rows";
            return Err(AdapterError::Parameter { name: "folds", value: names.len() as f64, expected });
        }
        let [low, high] = [range[0].min(range[1]), range[0].max(range[1])];
        let followed = names.iter().map(|name| self.hold_out(&folds, *name, low)).collect::<Result<Vec<Held>, _>>()?;
        let mut knots: Vec<f64> =
            followed.iter().flat_map(|held| knots(&held.path)).filter(|alpha| (low..=high).contains(alpha)).collect();
        knots.sort_unstable_by(|a, b| b.total_cmp(a));
        knots.dedup();
        let losses: Vec<(f64, [f64; 2])> =
            knots.iter().map(|&alpha| (alpha, mean_and_error(followed.iter().map(|held| held.loss(alpha))))).collect();
        let nothing = AdapterError::Parameter { name: "alpha", value: high, expected: "leave a knot on the path" };
        let best = losses.iter().min_by(|a, b| a.1[0].total_cmp(&b.1[0])).ok_or(nothing)?;
        let bound = best.1[0] + best.1[1];
        // In falling order: the first is the largest.
        let chosen = if one_error { losses.iter().find(|(_, [loss, _])| *loss <= bound).unwrap_or(best) } else { best };
        let criterion = if one_error { "mse, one standard error" } else { "mse" };
        Ok(Chosen { alpha: chosen.0, criterion, loss: chosen.1[0], at_end: is_end(best.0, &knots) })
    }

    /// The path on the rows that one fold does not hold out.
    fn hold_out(&self, folds: &Folds, name: usize, low: f64) -> Result<Held, AdapterError> {
        let part = |is_held: bool| {
            let rows: Vec<usize> = (0..folds.fold.len()).filter(|&i| (folds.fold[i] == name) == is_held).collect();
            (folds.features.select_rows(&rows), rows.iter().map(|&i| folds.response[i]).collect::<Vec<f64>>())
        };
        let ((features, response), (rows, responses)) = (part(false), part(true));
        let lasso = Lasso::new(&features, response, self.intercept, self.ridge)?;
        let lasso = self.rows().map_or(Ok(lasso.clone()), |rows| lasso.with_rows(rows.clone()))?;
        let path = lasso.path(low, &Settings::default())?;
        Ok(Held { lasso, path, rows, responses })
    }
}

/// A fold.
struct Held {
    lasso: Lasso,
    path: Path<f64>,
    rows: Features,
    responses: Vec<f64>,
}

impl Held {
    /// The mean squared error at α, above the largest one as there.
    fn loss(&self, alpha: f64) -> f64 {
        let top = self.lasso.largest_alpha();
        let Some(fit) = self.lasso.at(&self.path, alpha.min(top)) else { return f64::INFINITY };
        let error = |i: usize| self.responses[i] - fit.intercept - self.rows.row(i).dot(&fit.coefficients);
        (0..self.responses.len()).map(|i| error(i).powi(2)).sum::<f64>() / self.responses.len() as f64
    }
}

/// The mean, and its standard error.
fn mean_and_error(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let values: Vec<f64> = values.collect();
    let k = values.len() as f64;
    let mean = values.iter().sum::<f64>() / k;
    let spread = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (k - 1.0);
    [mean, (spread / k).sqrt()]
}

/// Whether α is the least of the knots, and not zero.
fn is_end(alpha: f64, knots: &[f64]) -> bool {
    alpha > 0.0 && knots.iter().all(|knot| alpha <= *knot)
}
