//! What the commands print: JSON documents and aligned tables.

pub mod map;
mod solve;

pub use solve::{SolveReport, SolveSeconds, StartReport};

use crate::certify::{self, Residuals};
use crate::file::{PathFile, StopReason};
use crate::model::Posed;
use crate::problem::{Parameter, Problem};
use crate::values::{bias_text, number};
use pathqp::hessian::CacheCounts;
use pathqp::{Path, Stats};
use pathqp_adapters::adapter::Constant;
use pathqp_adapters::dataset::Classes;
use serde::Serialize;
use std::collections::BTreeMap;

/// JSON of `path`.
#[derive(Debug, Serialize)]
pub struct PathReport {
    /// The problem.
    pub problem: Problem,
    /// Rows.
    pub n: usize,
    /// Features.
    pub d: usize,
    /// The two labels, of a problem that has them.
    pub classes: Option<Classes>,
    /// The kernel, as its option spells it.
    pub kernel: String,
    /// The bias, as its option spells it.
    pub bias: String,
    /// The parameters that do not vary.
    pub fixed: BTreeMap<String, f64>,
    /// The direction in which it varies, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// The parameter that varies.
    pub vary: Parameter,
    /// Where the path begins.
    pub from: f64,
    /// Where it was to end.
    pub to: f64,
    /// Where the path ends; `to` when it is complete.
    pub reached: f64,
    /// Why it ends there.
    pub stop: StopReason,
    /// Whether it reached `to`.
    pub complete: bool,
    /// Changes of the sign pattern; with `--tolerance`, stored points between the two ends.
    pub breakpoints: usize,
    /// Changes of the active set.
    pub events: usize,
    /// With `--tolerance`.
    #[serde(flatten)]
    pub approximation: Option<Approximation>,
    /// The largest number of free variables.
    pub max_free: usize,
    /// The number of points at which the certificate was computed.
    pub certified: usize,
    /// The verdict for people.
    #[serde(skip)]
    certificate: String,
    /// The largest scaled KKT residual there.
    pub max_kkt_residual: f64,
    /// The largest relative duality gap there.
    pub max_relative_gap: f64,
    /// The share of training rows outside of the tube, of a problem with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<OutsideReport>,
    /// Wall-clock times.
    pub seconds: Seconds,
    /// Counters of the work done.
    pub stats: StatsReport,
    /// With `--test`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<TestReport>,
}

/// A step function of the parameter: the share of training rows outside of the tube.
#[derive(Clone, Debug, Serialize)]
pub struct OutsideReport {
    /// Where the steps begin and end, K + 1 values of the parameter that varies.
    pub param: Vec<f64>,
    /// The share on each, K values.
    pub share: Vec<f64>,
}

impl OutsideReport {
    /// That of a path; none if its problem has no tube.
    fn new(kept: &PathFile, posed: &Posed) -> Option<Self> {
        let steps = posed.adapter.outside_along(&kept.path)?;
        Some(OutsideReport {
            param: steps.theta.iter().map(|theta| posed.axis.value(theta)).collect(),
            share: steps.values,
        })
    }

    fn text(&self) -> Option<String> {
        let ends = |values: &[f64]| values.first().copied().zip(values.last().copied());
        let ((first, last), (from, to)) = (ends(&self.share)?, ends(&self.param)?);
        let ([first, last], [from, to]) = ([first, last].map(number), [from, to].map(number));
        Some(format!("{first} of the rows at {from}, {last} at {to}, in {} steps", self.share.len()))
    }
}

/// What an approximate path promises, in units of the objective.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Approximation {
    /// The largest duality gap that was asked for.
    pub tolerance: f64,
    /// The largest bound on it between stored points.
    pub max_gap_bound: f64,
}

impl Approximation {
    /// That of a path, none if it is exact; `unit` is one of the engine's objective.
    pub fn new(path: &Path<f64>, unit: f64) -> Option<Self> {
        let (tolerance, bound) = path.tolerance().zip(path.max_gap_bound())?;
        Some(Approximation { tolerance: tolerance * unit, max_gap_bound: bound * unit })
    }

    fn text(&self) -> String {
        format!("gap {:.1e} at most between stored points (tolerance {})", self.max_gap_bound, number(self.tolerance))
    }
}

/// Wall-clock times.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// Reading and scaling the data.
    pub read: f64,
    /// Posing the problem and solving it where the path begins.
    pub start: f64,
    /// Following the path.
    pub path: f64,
    /// Approximating it, with `--tolerance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approximate: Option<f64>,
    /// Everything, certificates, files and figures included.
    pub total: f64,
}

/// Counters of the work done.
#[derive(Debug, Serialize)]
pub struct StatsReport {
    /// Changes of the active set.
    pub events: usize,
    /// Events that leave the sign pattern as it is.
    pub exchanges: usize,
    /// Jumps at a fixed parameter.
    pub jumps: usize,
    /// Indices priced in all.
    pub priced: u64,
    /// The largest tied set.
    pub max_tied: usize,
    /// Rows appended to the factor.
    pub appends: usize,
    /// Rows deleted from the factor.
    pub deletes: usize,
    /// Factors made afresh, whatever the cause.
    pub refactors: usize,
    /// With a kernel: rows of its matrix that were found in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_found: Option<u64>,
    /// With a kernel: rows that were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_computed: Option<u64>,
}

impl From<&Stats> for StatsReport {
    fn from(stats: &Stats) -> Self {
        StatsReport {
            events: stats.events,
            exchanges: stats.exchanges,
            jumps: stats.jumps,
            priced: stats.priced,
            max_tied: stats.max_tied,
            appends: stats.appends,
            deletes: stats.deletes,
            refactors: stats.refactors.residual + stats.refactors.audit,
            rows_found: None,
            rows_computed: None,
        }
    }
}

/// The test rows along the path.
#[derive(Debug, Serialize)]
pub struct TestReport {
    /// Test rows.
    pub n: usize,
    /// The largest share of rows that are classified rightly.
    pub best_accuracy: f64,
    /// The first interval of the parameter with that accuracy.
    pub at: [f64; 2],
}

impl PathReport {
    /// The report on a path.
    pub fn new(
        kept: &PathFile,
        posed: &Posed,
        residuals: &Residuals,
        seconds: Seconds,
        test: Option<TestReport>,
    ) -> Self {
        let stats = kept.path.stats();
        PathReport {
            problem: kept.problem,
            n: kept.response.len(),
            d: kept.columns.count(),
            classes: kept.columns.classes,
            kernel: kept.model.kernel.to_string(),
            bias: bias_text(kept.model.bias),
            fixed: kept.model.fixed.clone(),
            direction: kept.model.direction.map(|direction| direction.to_string()),
            vary: kept.vary.name,
            from: kept.vary.from,
            to: kept.vary.to,
            reached: posed.covered(&kept.path).map_or(kept.vary.from, |(_, end)| end),
            stop: kept.stop,
            complete: kept.stop == StopReason::Target,
            breakpoints: kept.path.breakpoints().len(),
            events: stats.events,
            approximation: Approximation::new(&kept.path, posed.gap_unit()),
            max_free: stats.max_free,
            certified: residuals.verdict.points,
            certificate: certify::text(&residuals.verdict),
            max_kkt_residual: residuals.verdict.residual,
            max_relative_gap: residuals.verdict.gap,
            outside: OutsideReport::new(kept, posed),
            seconds,
            stats: stats.into(),
            test,
        }
    }

    /// With what became of the rows of a kernel matrix.
    pub fn with_cache(mut self, counts: Option<CacheCounts>) -> Self {
        self.stats.rows_found = counts.map(|counts| counts.hits);
        self.stats.rows_computed = counts.map(|counts| counts.misses);
        self
    }

    /// The summary for people.
    pub fn table(&self, kept: &PathFile) -> String {
        let stats = &self.stats;
        let mut rows = vec![
            ("data", format!("{}: n = {}, d = {}, scaling {}", kept.source, self.n, self.d, scaling(kept))),
            ("model", format!("kernel {}, bias {}{}", self.kernel, self.bias, self.fixed_text())),
            ("path", self.extent()),
            ("breakpoints", self.breakpoints.to_string()),
            ("events", format!("{} ({} exchanges, {} jumps)", self.events, stats.exchanges, stats.jumps)),
            ("most free", self.max_free.to_string()),
            ("most tied", stats.max_tied.to_string()),
            ("KKT residual", format!("{:.1e} at most, at {} points", self.max_kkt_residual, self.certified)),
            ("relative gap", format!("{:.1e} at most", self.max_relative_gap)),
            ("certificate", self.certificate.clone()),
        ];
        rows.extend(self.outside.as_ref().and_then(OutsideReport::text).map(|text| ("outside", text)));
        if let Some((found, computed)) = stats.rows_found.zip(stats.rows_computed) {
            let share = 100.0 * found as f64 / (found + computed).max(1) as f64;
            rows.push(("kernel rows", format!("{computed} computed, {share:.1} % of {} found", found + computed)));
        }
        if let Some(approximation) = &self.approximation {
            rows.insert(3, ("approximate", approximation.text()));
        }
        if let Some(classes) = &self.classes {
            rows.insert(1, ("classes", class_text(classes, &kept.response)));
        }
        if let Some(test) = &self.test {
            let [from, to] = test.at;
            let accuracy =
                format!("accuracy {:.4} at best, for {} in ({from:.4}, {to:.4})", test.best_accuracy, self.vary);
            rows.push(("test", format!("n = {}, {accuracy}", test.n)));
        }
        let Seconds { read, start, path, approximate, total } = self.seconds;
        let approximate = approximate.map_or(String::new(), |seconds| format!(", approximate {seconds:.3}"));
        let seconds = format!("read {read:.3}, start {start:.3}, path {path:.3}{approximate}, total {total:.3}");
        rows.push(("seconds", seconds));
        format!("{}\n{}", self.problem, table(&rows))
    }

    /// The parameters that do not vary, after the model.
    fn fixed_text(&self) -> String {
        let fixed = self.fixed.iter().map(|(name, value)| format!(", {name} {}", number(*value)));
        let direction = self.direction.iter().map(|direction| format!(", direction {direction}"));
        fixed.chain(direction).collect()
    }

    fn extent(&self) -> String {
        let whole = format!("{} from {} to {}", self.vary, number(self.from), number(self.to));
        if self.complete {
            format!("{whole}, complete")
        } else {
            format!("{whole}, stopped at {}: {}", number(self.reached), self.reason())
        }
    }

    /// Why the path is incomplete.
    fn reason(&self) -> &'static str {
        match self.stop {
            StopReason::Target => "complete",
            StopReason::Infeasible => "no solution beyond",
            StopReason::Unbounded => "unbounded beyond",
            StopReason::Diverges => "the solution grows without limit",
            StopReason::MaxEvents => "--max-events reached",
            StopReason::MaxSeconds => "--max-seconds reached",
            StopReason::Interrupted => "interrupted",
            StopReason::Error => "an error",
        }
    }
}

fn class_text(classes: &Classes, response: &[f64]) -> String {
    let positives = response.iter().filter(|&&y| y > 0.0).count();
    let (positive, negative) = (number(classes.positive), number(classes.negative));
    format!("+1 is {positive} ({positives} rows), -1 is {negative} ({} rows)", response.len() - positives)
}

fn scaling(kept: &PathFile) -> String {
    kept.columns.scaler.scaling().to_string()
}

/// JSON of `at`, one value.
#[derive(Debug, Serialize)]
pub struct AtReport {
    /// The parameter and its value.
    pub param: BTreeMap<String, f64>,
    /// All coordinates of θ, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theta: Option<BTreeMap<&'static str, f64>>,
    /// The primal objective in the paper's form.
    pub objective: f64,
    /// The dual objective in the paper's form.
    pub dual_objective: f64,
    /// Their difference, relative to the size of the objective (see [`pathqp::certificate`]).
    pub relative_gap: f64,
    /// The scaled KKT residual.
    pub kkt_residual: f64,
    /// The verdict for people.
    #[serde(skip)]
    pub certificate: String,
    /// The features' weights; null for other kernels than the linear one.
    pub w: Option<Vec<f64>>,
    /// The constant of f.
    pub intercept: Constant,
    /// The number of free variables.
    pub free: usize,
    /// The share of training rows outside of the tube, of a problem with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<f64>,
    /// The dual variables, with `--full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Vec<f64>>,
}

/// A constant, or the interval in which it lies.
fn constant_text(constant: Constant) -> String {
    match constant {
        Constant::Unique(value) => number(value),
        Constant::Interval([low, high]) => {
            let low = low.map_or("(-inf".into(), |v| format!("[{}", number(v)));
            let high = high.map_or("inf)".into(), |v| format!("{}]", number(v)));
            format!("any in {low}, {high}")
        }
    }
}

impl AtReport {
    /// The solution for people; `names` are those of the features.
    pub fn table(&self, names: Option<&[String]>) -> String {
        let mut rows: Vec<(&str, String)> =
            self.param.iter().map(|(name, value)| (name.as_str(), number(*value))).collect();
        let others = self.theta.iter().flatten().filter(|(name, _)| !self.param.contains_key(**name));
        rows.extend(others.map(|(name, value)| (*name, number(*value))));
        rows.extend([
            ("objective", number(self.objective)),
            ("dual objective", number(self.dual_objective)),
            ("relative gap", format!("{:.1e}", self.relative_gap)),
            ("KKT residual", format!("{:.1e}", self.kkt_residual)),
            ("certificate", self.certificate.clone()),
            ("intercept", constant_text(self.intercept)),
            ("free", self.free.to_string()),
        ]);
        rows.extend(self.outside.map(|share| ("outside", number(share))));
        let mut text = table(&rows);
        if let Some(w) = &self.w {
            let name = |j: usize| names.and_then(|n| n.get(j)).cloned().unwrap_or_else(|| (j + 1).to_string());
            let w: Vec<(String, String)> = w.iter().enumerate().map(|(j, v)| (name(j), number(*v))).collect();
            text += &format!("w\n{}", table(&w));
        }
        if let Some(alpha) = &self.alpha {
            let alpha: Vec<(String, String)> =
                alpha.iter().enumerate().map(|(i, v)| ((i + 1).to_string(), number(*v))).collect();
            text += &format!("alpha\n{}", table(&alpha));
        }
        text
    }
}

/// JSON of `check`.
#[derive(Debug, Serialize)]
pub struct CheckReport {
    /// The problem.
    pub problem: Problem,
    /// Rows.
    pub n: usize,
    /// Features.
    pub d: usize,
    /// The parameter that varies.
    pub vary: Parameter,
    /// Where the path begins.
    pub from: f64,
    /// Where it ends.
    pub reached: f64,
    /// Whether that is where it was to end.
    pub complete: bool,
    /// Changes of the sign pattern; of an approximate path, stored points between the two ends.
    pub breakpoints: usize,
    /// Pieces of the path.
    pub segments: usize,
    /// Both sides of every event, every midpoint, and the random values.
    pub points: usize,
    /// How many of the points are random.
    pub random: usize,
    /// The largest scaled KKT residual; between the stored points of an approximate path only that of the constraints.
    pub max_kkt_residual: f64,
    /// The largest relative duality gap.
    pub max_relative_gap: f64,
    /// Of an approximate path.
    #[serde(flatten)]
    pub gaps: Option<Gaps>,
    /// The parameter with the largest KKT residual.
    pub worst: f64,
    /// The largest residual that passes.
    pub tolerance: f64,
    /// Whether every residual passes, and every gap.
    pub passed: bool,
    /// Wall-clock time.
    pub seconds: f64,
}

/// The gaps between the stored points of an approximate path, in units of the objective.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Gaps {
    /// The largest gap that passes.
    pub gap_tolerance: f64,
    /// The largest bound on the gap, computed afresh for every piece.
    pub max_gap_bound: f64,
    /// The largest gap at the midpoints and random values.
    pub max_gap: f64,
}

impl CheckReport {
    /// The report for people.
    pub fn table(&self) -> String {
        let whole = if self.complete { "complete" } else { "incomplete" };
        let verdict = if self.passed { "passed" } else { "FAILED" };
        let points = format!("{} on {} segments, {} of them random", self.points, self.segments, self.random);
        let mut rows = vec![
            ("path", format!("{} from {} to {}, {whole}", self.vary, number(self.from), number(self.reached))),
            ("breakpoints", self.breakpoints.to_string()),
            ("points", points),
            (
                "KKT residual",
                format!("{:.1e} at most, at {} = {}", self.max_kkt_residual, self.vary, number(self.worst)),
            ),
            ("relative gap", format!("{:.1e} at most", self.max_relative_gap)),
        ];
        if let Some(Gaps { gap_tolerance, max_gap_bound, max_gap }) = self.gaps {
            let tolerance = number(gap_tolerance);
            rows.push(("gap", format!("{max_gap:.1e} at most, bound {max_gap_bound:.1e} (tolerance {tolerance})")));
        }
        rows.push(("check", format!("{verdict} (tolerance {:e})", self.tolerance)));
        rows.push(("seconds", format!("{:.3}", self.seconds)));
        table(&rows)
    }
}

/// One JSON document, with a line end.
pub fn json(report: &impl Serialize) -> String {
    // The reports hold no maps with other keys than strings, the only thing that JSON cannot take.
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

/// Two aligned columns.
pub fn table<K: AsRef<str>, V: AsRef<str>>(rows: &[(K, V)]) -> String {
    let width = rows.iter().map(|(key, _)| key.as_ref().chars().count()).max().unwrap_or(0);
    rows.iter().map(|(key, value)| format!("  {:width$}  {}\n", key.as_ref(), value.as_ref())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_without_an_end_is_written_as_one() {
        assert_eq!(constant_text(Constant::Unique(0.5)), "0.5");
        assert_eq!(constant_text(Constant::Interval([Some(-1.0), Some(-0.25)])), "any in [-1, -0.25]");
        assert_eq!(constant_text(Constant::Interval([None, None])), "any in (-inf, inf)");
    }
}
