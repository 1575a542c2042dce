//! What `check` prints.

use super::table;
use pathqp_views::words::number;
use serde::Serialize;

/// JSON of `check`.
#[derive(Debug, Serialize)]
pub struct CheckReport {
    /// The problem.
    pub problem: String,
    /// Rows.
    pub n: usize,
    /// Features.
    pub d: usize,
    /// The parameter that varies.
    pub vary: String,
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
