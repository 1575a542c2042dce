//! Any parametric program on the command line and in Python.

use super::program::{Moving, Program};
use super::{document, qps, rates, wrong};
use crate::constraints::multipliers;
use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution};
use crate::spec::{Entry, Kind, Opt, Spec};
use crate::value::{Fact, Value};
use pathqp::hessian::{Hessian, multiply};
use pathqp::rows::Proof;
use pathqp::{ParametricQp, Path, Point, Range, Settings};
use std::sync::Arc;

/// The entry of `qp`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    options: &[
        Opt::new(
            "problem",
            "FILE.json",
            Kind::Text,
            "The program as JSON: c, and optionally h or z, lower, upper, rows, from, to; an entry that changes with t is a pair [value, rate]. docs/programs.md explains it. - is standard input",
        )
        .without(&["qps"]),
        Opt::new(
            "qps",
            "FILE.qps",
            Kind::Text,
            "The program at t = 0 in QPS or MPS format; what changes with t is in --rates. - is standard input",
        ),
        Opt::new(
            "rates",
            "FILE.json",
            Kind::Text,
            "The rates of change per unit of t, for --qps: JSON with c, lower, upper, rows, from, to; entries by name, or in the order of the file",
        )
        .with(&["qps"]),
    ],
    read: Some(read),
    regions: true,
    ..Entry::new(
        "qp",
        "Any parametric quadratic or linear program: x and the multipliers of its rows",
        &["t"],
        |spec, _| Ok(Box::new(Quadratic::new(spec)?)),
    )
};

/// The names of several parameters.
const NAMES: [&str; 12] = ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11", "t12"];

/// Between the names of rows.
const SEPARATOR: &str = "\n";

/// Takes a file into the description.
fn read(spec: &mut Spec, option: &str, text: &str) -> Result<(), AdapterError> {
    match option {
        "problem" => document::read(text)?.describe(spec),
        "qps" => {
            let qps::Read { program, rows } = qps::read(text)?;
            spec.words.insert("row_names".into(), rows.join(SEPARATOR));
            program.describe(spec);
        }
        _ => {
            let mut program = Program::of(spec)?;
            let names = row_names(spec).unwrap_or_default();
            rates::read(&mut program, &names, text)?;
            program.describe(spec);
        }
    }
    Ok(())
}

/// The names of the rows, if they have names.
fn row_names(spec: &Spec) -> Option<Vec<String>> {
    let names = spec.words.get("row_names").filter(|names| !names.is_empty());
    names.map(|names| names.split(SEPARATOR).map(str::to_owned).collect())
}

/// A program along t between two ends, or on a box of parameters.
pub struct Quadratic {
    program: Program,
    hessian: Arc<dyn Hessian<f64>>,
    qp: ParametricQp<f64>,
    parameters: Vec<Parameter>,
    row_names: Option<Vec<String>>,
}

impl Quadratic {
    /// The program of a description, whose entries the documentation of [`crate::qp`] lists.
    ///
    /// # Errors
    /// As [`Program::of`] and [`Program::qp`].
    pub fn new(spec: &Spec) -> Result<Self, AdapterError> {
        let program = Program::of(spec)?;
        if let Some(ends) = spec.lists.get("domain") {
            return Quadratic::on(program, ends, spec);
        }
        if program.p() > 1 {
            let reason =
                format!("{} rates an entry: a path has one parameter; map takes them with --domain", program.p());
            return Err(wrong("c", reason));
        }
        let [from, to] = program.range;
        if !from.is_finite() || to.is_nan() || to == f64::NEG_INFINITY || from == to {
            return Err(wrong(
                "from, to",
                format!("{from} and {to}: a path goes from a number to another one, or to inf"),
            ));
        }
        let qp = program.qp()?;
        let parameters = vec![Parameter { name: "t", range: [from.min(to), from.max(to)] }];
        Ok(Quadratic { hessian: qp.hessian().clone(), program, qp, parameters, row_names: row_names(spec) })
    }

    /// On a box of p ranges, whose ends are given one after the other.
    fn on(program: Program, ends: &[f64], spec: &Spec) -> Result<Self, AdapterError> {
        let (p, most) = (program.p(), NAMES.len());
        let names = if p == 1 { &["t"][..] } else { &NAMES[..p.min(most)] };
        if p > most {
            return Err(wrong("c", format!("{p} rates an entry: there are names for {most} parameters")));
        }
        let mut ranges: Vec<[f64; 2]> = ends.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        // With another number of ranges it is only asked for its parameters.
        ranges.resize(p, [f64::NEG_INFINITY, f64::INFINITY]);
        let end = |v: f64| v.is_finite().then_some(v);
        let qp = program.qp_on(ranges.iter().map(|[from, to]| Range { from: end(*from), to: end(*to) }).collect())?;
        let parameter = |(&name, range): (&&'static str, &[f64; 2])| Parameter { name, range: *range };
        let parameters = names.iter().zip(&ranges).map(parameter).collect();
        Ok(Quadratic { hessian: qp.hessian().clone(), program, qp, parameters, row_names: row_names(spec) })
    }

    /// The primal and the dual objective at θ.
    fn objectives(&self, theta: &[f64], x: &[f64], y: &[f64]) -> [f64; 2] {
        let program = self.program.held(theta);
        let at = |[value, _]: Moving| value;
        let mut z = multiply(self.hessian.as_ref(), x);
        let half = x.iter().zip(&z).map(|(x, hx)| x * hx).sum::<f64>() / 2.0;
        let mut linear = 0.0;
        for (j, c) in program.c.iter().map(|c| at(*c)).enumerate() {
            z[j] += c;
            linear += c * x[j];
        }
        for (r, y) in y.iter().enumerate().filter(|(_, y)| **y != 0.0) {
            program.rows.row(r).for_each(|j, a| z[j] -= a * y);
        }
        // A force without a bound is rounding of zero.
        let pull = |force: &[f64], lower: &[Option<Moving>], upper: &[Option<Moving>]| {
            let side = |i: usize, f: f64| if f > 0.0 { lower[i] } else { upper[i] };
            let terms = force.iter().enumerate().filter(|(_, f)| **f != 0.0);
            terms.filter_map(|(i, f)| side(i, *f).map(|bound| f * at(bound))).sum::<f64>()
        };
        let dual = pull(&z, &program.lower, &program.upper) + pull(y, &program.row_lower, &program.row_upper) - half;
        let sense = if program.maximised { -1.0 } else { 1.0 };
        [half + linear, dual].map(|v| sense * (v + at(program.constant)))
    }

    fn names(names: Option<&Vec<String>>, symbol: &str, count: usize) -> Vec<String> {
        match names.filter(|names| names.len() == count) {
            Some(names) => names.clone(),
            None => (1..=count).map(|j| format!("{symbol}{j}")).collect(),
        }
    }
}

impl PathProblem for Quadratic {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        Ok(self.qp.clone())
    }

    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        coordinate_axis(&self.parameters, course)
    }

    /// As the program has them.
    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok(self.program.range.map(Some))
    }

    /// Where x grows without end the last law holds for ever.
    fn may_diverge(&self) -> bool {
        true
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let y = multipliers(point, self.program.m());
        let [objective, dual] = self.objectives(theta, &point.x, &y);
        let values = vec![("x", point.x.clone().into()), ("y", y.into())];
        Solution { objective, dual_objective: Some(dual), values, further: Vec::new() }
    }

    fn columns(&self) -> Vec<Group> {
        let (n, m) = (self.program.n(), self.program.m());
        let x = Group::named("x", "x", Self::names(self.program.names.as_ref(), "x", n));
        let y = Group::named("y", "y", Self::names(self.row_names.as_ref(), "y", m));
        if m > 0 { vec![x, y] } else { vec![x] }
    }

    /// The size, and why there is no solution beyond the end of a path that ends early.
    fn facts(&self, _spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let (n, m) = (self.program.n(), self.program.m());
        let mut facts = vec![
            Fact::value("variables", n),
            Fact::value("rows", m),
            Fact::text("size", format!("{n} variables, {m} rows")),
        ];
        if let Some(proof) = path.proof() {
            let (kind, name, v) = match proof {
                Proof::Infeasible { weights } => ("infeasible", "weights", weights),
                Proof::Unbounded { direction } => ("unbounded", "direction", direction),
            };
            facts.push(Fact::value("proof", Value::Record(vec![("kind", kind.into()), (name, v.clone().into())])));
        }
        Ok(facts)
    }
}
