//! What `pathqp solve` prints.

use super::{AtReport, table};
use pathqp_adapters::problem::Group;
use pathqp_views::words::number;
use serde::Serialize;

/// JSON of `solve`.
#[derive(Debug, Serialize)]
pub struct SolveReport {
    /// The solution, as `at` prints it.
    #[serde(flatten)]
    pub answer: AtReport,
    /// How it was found.
    pub start: StartReport,
}

/// The way to the solution.
#[derive(Debug, Serialize)]
pub struct StartReport {
    /// cold, lbfgs or file.
    pub from: &'static str,
    /// The smoothing of the last stage, in units of z.
    pub smoothing: Option<f64>,
    /// Stages of smoothing.
    pub stages: usize,
    /// Iterations of L-BFGS.
    pub iterations: u64,
    /// Changes of the active set between the guess and the solution.
    pub events: usize,
    /// How many entries changed their status in them.
    pub changes: usize,
    /// Why the way from the guess failed, so that the start was a cold one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Wall-clock time.
    pub seconds: SolveSeconds,
}

/// Wall-clock time of the parts.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SolveSeconds {
    /// Of the guess.
    pub guess: f64,
    /// From the guess to the solution.
    pub start: f64,
    /// Of the certificate.
    pub certificate: f64,
}

impl SolveReport {
    /// The report for people; `groups` name the columns of tables.
    pub fn table(&self, groups: &[Group]) -> String {
        let StartReport { from, smoothing, stages, iterations, events, changes, .. } = self.start;
        let SolveSeconds { guess, start, certificate } = self.start.seconds;
        let mut rows = vec![("start", from.to_owned())];
        if let Some(smoothing) = smoothing {
            rows.push(("smoothing", format!("{} after {stages} stages, {iterations} iterations", number(smoothing))));
        }
        if let Some(reason) = &self.start.refused {
            rows.push(("refused", reason.clone()));
        }
        rows.push(("events", format!("{events} ({changes} changes of status)")));
        rows.push(("seconds", format!("guess {guess:.3}, start {start:.3}, certificate {certificate:.3}")));
        format!("{}{}", self.answer.table(groups), table(&rows))
    }
}
