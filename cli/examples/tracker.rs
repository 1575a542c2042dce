//! A problem with rows, of another crate and with a command line of its own: the portfolios of `docs/adapters.md` that are ahead of an index.
//!
//! ```text
//! cargo run --example tracker -- path index-tracker --train returns.csv --response index --out tracker.path
//! ```

#[allow(dead_code)]
#[path = "../../adapters/examples/index_tracker.rs"]
mod index_tracker;

use index_tracker::IndexTracker;
use pathqp::{ParametricQp, Point, Settings};
use pathqp_adapters::course::{Axis, Parameter};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::problem::{Group, Multipliers, Solution, linear_prediction};
use pathqp_adapters::spec::{Data, Entry, Spec, Table};
use pathqp_adapters::{AdapterError, PathProblem};

/// What the command line knows of the problem before it has data.
const ENTRY: Entry = Entry {
    data: Data::Numbers,
    ..Entry::new(
        "index-tracker",
        "The portfolio that misses an index least, for every lead in mean return",
        &["lead"],
        |spec, _| Ok(Box::new(Tracker::new(spec)?)),
    )
};

const PARAMETERS: [Parameter; 1] = [Parameter { name: "lead", range: [0.0, f64::INFINITY] }];

struct Tracker {
    tracker: IndexTracker,
    names: Option<Vec<String>>,
    d: usize,
}

impl Tracker {
    /// A row of the table is a period: the features are the assets' returns, the response is the index.
    fn new(spec: &Spec) -> Result<Self, AdapterError> {
        let periods = Table { names: None, values: spec.rows.features.as_ref().clone() }.rows();
        let d = spec.rows.features.columns();
        let assets = (0..d).map(|j| periods.iter().map(|period| period[j]).collect()).collect();
        let tracker = IndexTracker::new(assets, spec.rows.response.clone())?;
        Ok(Tracker { tracker, names: spec.names.clone(), d })
    }
}

impl PathProblem for Tracker {
    fn parameters(&self) -> &[Parameter] {
        &PARAMETERS
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        Ok(self.tracker.qp()?)
    }

    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok([Some(0.0), Some(self.tracker.most())])
    }

    /// `price`: by how much ½ the mean square grows with the lead.
    fn solution(&self, _theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let square = self.tracker.error(&point.x);
        Solution {
            objective: square / 2.0,
            dual_objective: None,
            values: vec![
                ("weights", point.x.clone().into()),
                ("error", square.sqrt().into()),
                ("price", point.rows.get(1).copied().unwrap_or(0.0).into()),
            ],
            further: Vec::new(),
        }
    }

    fn columns(&self) -> Vec<Group> {
        let mut weights = Group::numbered("weights", "w", self.d);
        weights.names = self.names.clone().unwrap_or(weights.names);
        vec![weights, Group::single("error"), Group::single("price")]
    }

    /// The portfolio's return in each period.
    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        linear_prediction(solution, "weights", rows)
    }
}

fn main() -> std::process::ExitCode {
    pathqp_cli::main_with(&[ENTRY])
}
