//! A problem of another crate with a command line of its own: the smallest balls of `docs/adapters.md`, beside all problems of pathqp.
//!
//! ```text
//! cargo run --example balls -- path enclosing-balls --train points.csv --param 0.1 --out points.path
//! ```

#[allow(dead_code)]
#[path = "../../adapters/examples/custom_adapter.rs"]
mod custom_adapter;

use custom_adapter::{Ball, BallError, EnclosingBalls, outside};
use pathqp::observe::Observer;
use pathqp::{ParametricQp, PathError, Point, ProblemError, Settings, Start};
use pathqp_adapters::course::{Axis, Parameter};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::problem::{Group, Multipliers, Solution};
use pathqp_adapters::spec::{Data, Entry, Spec, Table};
use pathqp_adapters::{AdapterError, PathProblem};

/// What the command line knows of the problem before it has data.
const ENTRY: Entry = Entry {
    data: Data::Features,
    scale: true,
    ..Entry::new(
        "enclosing-balls",
        "The smallest ball that holds all but a share nu of the rows",
        &["nu"],
        |spec, _| Ok(Box::new(Balls::new(spec)?)),
    )
};

const PARAMETERS: [Parameter; 1] = [Parameter { name: "nu", range: [0.0, 1.0] }];

struct Balls {
    balls: EnclosingBalls,
    rows: Vec<Vec<f64>>,
}

impl Balls {
    fn new(spec: &Spec) -> Result<Self, AdapterError> {
        let rows = Table { names: None, values: spec.rows.features.as_ref().clone() }.rows();
        let balls = EnclosingBalls::new(rows.clone()).map_err(refused)?;
        Ok(Balls { balls, rows })
    }
}

/// The example's error in the terms of the trait; rows of a table are equally long.
fn refused(error: BallError) -> AdapterError {
    match error {
        BallError::Problem(error) => error.into(),
        BallError::Path(error) => error.into(),
        BallError::Ragged { found, expected, .. } => ProblemError::Shape { what: "a row", expected, found }.into(),
    }
}

impl PathProblem for Balls {
    fn parameters(&self) -> &[Parameter] {
        &PARAMETERS
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.balls.qp().map_err(refused)
    }

    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok([Some(1.0), Some(self.balls.least())])
    }

    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(if theta == [1.0] { self.balls.start() } else { Start::Anywhere })
    }

    fn gap_unit(&self, theta: &[f64]) -> f64 {
        theta.first().map_or(f64::NAN, |nu| (nu * self.rows.len() as f64).powi(-2))
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let nu = theta.first().copied().unwrap_or(f64::NAN);
        let Ball { centre, square } = self.balls.ball(nu, point);
        let ball = Ball { centre: centre.clone(), square };
        let beyond: f64 = self.rows.iter().map(|x| outside(&ball, x).max(0.0)).sum();
        let count = self.rows.iter().filter(|x| outside(&ball, x) > 1e-9 * square.abs()).count();
        Solution {
            objective: square + beyond / (nu * self.rows.len() as f64),
            dual_objective: None,
            values: vec![
                ("centre", centre.into()),
                ("radius", square.max(0.0).sqrt().into()),
                ("outside", count.into()),
            ],
            further: Vec::new(),
        }
    }

    fn columns(&self) -> Vec<Group> {
        let d = self.rows.first().map_or(0, Vec::len);
        vec![Group::of_features("centre", "x", d), Group::single("radius"), Group::single("outside")]
    }

    /// How far outside the ball each row is, as a square.
    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        let radius = solution.get("radius")?.flat().first().copied()?;
        let ball = Ball { centre: solution.numbers("centre").to_vec(), square: radius * radius };
        let rows = Table { names: None, values: rows.clone() }.rows();
        Some(rows.iter().map(|x| outside(&ball, x)).collect())
    }
}

fn main() -> std::process::ExitCode {
    pathqp_cli::main_with(&[ENTRY])
}
