//! What `path` prints.

use super::{AtReport, table};
use crate::certify::{self, Residuals};
use crate::kept::{Kept, PathFile, StopReason};
use pathqp::hessian::CacheCounts;
use pathqp::{Path, Stats};
use pathqp_adapters::dataset::Classes;
use pathqp_adapters::problem::Group;
use pathqp_adapters::run::Posed;
use pathqp_adapters::value::{Fact, Value};
use pathqp_adapters::view::View;
use pathqp_views::Series;
use pathqp_views::words::{bias_text, label, number};
use serde::Serialize;
use std::collections::BTreeMap;

/// The most columns of numbers that the JSON document holds in full; the table in --out always does.
const MOST_SHOWN: usize = 1000;

/// JSON of `path`.
#[derive(Debug, Serialize)]
pub struct PathReport {
    /// The problem.
    pub problem: String,
    /// Rows.
    pub n: usize,
    /// Features.
    pub d: usize,
    /// The two labels, of a problem that has them; left out for one without rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Option<Classes>>,
    /// The kernel, as its option spells it, of a problem that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The bias, as its option spells it, of a problem that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias: Option<String>,
    /// The parameters that do not vary.
    pub fixed: BTreeMap<String, f64>,
    /// The direction in which it varies, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// The parameter that varies.
    pub vary: String,
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
    /// With `--param`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<Asked>,
    /// What the problem itself has to say.
    #[serde(flatten)]
    facts: Value,
    /// The same for people.
    #[serde(skip)]
    lines: Vec<(String, String)>,
    /// And what it warns of.
    #[serde(skip)]
    warnings: Vec<String>,
    /// The table along the path, of a problem without a kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Series>,
    #[serde(skip)]
    groups: Vec<Group>,
}

/// A solution that was asked for.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Asked {
    /// At a value of the parameter.
    At(AtReport),
    /// By what the problem itself was asked, such as a return.
    Own(Value),
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
        let View::Tube(svr) = posed.problem.view() else { return None };
        let steps = svr.outside_along(&kept.path)?;
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
        let (stats, spec, is_kernel) = (kept.path.stats(), &kept.kept.spec, posed.kernel().is_some());
        let biased = is_kernel || crate::registry::find(&spec.problem).is_some_and(|entry| entry.biased);
        PathReport {
            problem: spec.problem.clone(),
            n: rows(&kept.kept, posed),
            d: features(&kept.kept, posed),
            classes: is_kernel.then(|| kept.kept.columns.classes.clone()),
            kernel: is_kernel.then(|| spec.kernel.to_string()),
            bias: biased.then(|| bias_text(spec.bias)),
            fixed: spec.fixed.clone(),
            direction: spec.direction.map(|direction| direction.to_string()),
            vary: kept.vary.name.clone(),
            from: kept.vary.from,
            to: kept.vary.to,
            reached: posed.covered(&kept.path).map_or(kept.vary.from, |(_, end)| end),
            stop: kept.stop,
            complete: kept.view(posed).is_complete(),
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
            at: Vec::new(),
            facts: Value::Record(Vec::new()),
            lines: Vec::new(),
            warnings: Vec::new(),
            path: None,
            groups: posed.columns(spec),
        }
    }

    /// With what the problem itself has to say, and the solutions that were asked for.
    pub fn with_facts(mut self, facts: Vec<Fact>, at: Vec<AtReport>) -> Self {
        let (mut values, mut at): (Vec<_>, Vec<_>) = (Vec::new(), at.into_iter().map(Asked::At).collect());
        for Fact { value, text, warning } in facts {
            match value {
                Some(("at", Value::List(found))) => at.extend(found.into_iter().map(Asked::Own)),
                value => values.extend(value),
            }
            self.lines.extend(text);
            self.warnings.extend(warning);
        }
        (self.facts, self.at) = (Value::Record(values), at);
        self
    }

    /// With the table along the path, of a problem without a kernel that has few enough columns.
    pub fn with_table(mut self, kept: &PathFile, posed: &Posed) -> Self {
        let columns: usize = self.groups.iter().map(|group| group.names.len()).sum();
        self.path = (posed.kernel().is_none() && columns <= MOST_SHOWN).then(|| Series::new(kept.view(posed)));
        self
    }

    /// What it warns of.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
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
        let size = format!("{}: n = {}, d = {}{}", kept.kept.source(), self.n, self.d, scaling(kept));
        let mut rows: Vec<(&str, String)> = vec![("data", size)];
        let kernel = self.kernel.as_ref().map(|kernel| format!("kernel {kernel}"));
        let bias = self.bias.as_ref().map(|bias| format!("bias {bias}"));
        let model: Vec<String> = kernel.into_iter().chain(bias).collect();
        if !model.is_empty() {
            rows.push(("model", format!("{}{}", model.join(", "), self.fixed_text())));
        }
        rows.extend(self.lines.iter().map(|(what, text)| (what.as_str(), text.clone())));
        rows.extend([
            ("path", self.extent()),
            ("breakpoints", self.breakpoints.to_string()),
            ("events", format!("{} ({} exchanges, {} jumps)", self.events, stats.exchanges, stats.jumps)),
            ("most free", self.max_free.to_string()),
            ("most tied", stats.max_tied.to_string()),
            ("KKT residual", format!("{:.1e} at most, at {} points", self.max_kkt_residual, self.certified)),
            ("relative gap", format!("{:.1e} at most", self.max_relative_gap)),
            ("certificate", self.certificate.clone()),
        ]);
        rows.extend(self.outside.as_ref().and_then(OutsideReport::text).map(|text| ("outside", text)));
        if let Some((found, computed)) = stats.rows_found.zip(stats.rows_computed) {
            let share = 100.0 * found as f64 / (found + computed).max(1) as f64;
            rows.push(("kernel rows", format!("{computed} computed, {share:.1} % of {} found", found + computed)));
        }
        if let Some(approximation) = &self.approximation {
            let place = rows.iter().position(|(what, _)| *what == "breakpoints").unwrap_or(0);
            rows.insert(place, ("approximate", approximation.text()));
        }
        if let Some(classes) = self.classes.iter().flatten().next() {
            rows.insert(1, ("classes", class_text(classes, &kept.kept.spec.rows.response)));
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
        let text = |at: &Asked| match at {
            Asked::At(at) => format!("\n{}", at.table(&self.groups)),
            Asked::Own(_) => String::new(),
        };
        let at: String = self.at.iter().map(text).collect();
        format!("{}\n{}{at}", self.problem, table(&rows))
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

/// The two classes and how many rows each has.
pub fn class_text(classes: &Classes, response: &[f64]) -> String {
    let positives = response.iter().filter(|&&y| y > 0.0).count();
    let (positive, negative) = (label(&classes.positive), label(&classes.negative));
    format!("+1 is {positive} ({positives} rows), -1 is {negative} ({} rows)", response.len() - positives)
}

/// The scaling of the features, where there can be one.
fn scaling(kept: &PathFile) -> String {
    let scales = crate::registry::find(&kept.kept.spec.problem).is_some_and(|entry| entry.scale);
    if scales { format!(", scaling {}", kept.kept.columns.scaler.scaling()) } else { String::new() }
}

/// The rows of a problem, or the variables of one that is made from tables.
pub fn rows(kept: &Kept, posed: &Posed) -> usize {
    if kept.rows() > 0 { kept.rows() } else { posed.line.n() }
}

/// The features of a problem, or the columns of its table.
pub fn features(kept: &Kept, posed: &Posed) -> usize {
    match kept.columns.count() {
        0 => posed.columns(&kept.spec).first().map_or(0, |group| group.names.len()),
        d => d,
    }
}
