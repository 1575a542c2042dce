//! `pathqp path mpc` and `pathqp map mpc`: the optimal inputs of a linear plant along a line of initial states, or for all of a rectangle.

use crate::args::{MpcArgs, MpcMapArgs, Rectangle};
use crate::certify::{self, uniform};
use crate::errors::{CliError, Exit};
use crate::output::{self, Target};
use crate::page::control::ControllerFile;
use crate::plot;
use crate::report;
use crate::series::{Series, Summary, Targets, finish, follow};
use crate::series_file;
use crate::values::number;
use pathqp::certificate::Verdict;
use pathqp::complex::{Complex, ComplexError, Options, RegionId, explore};
use pathqp::{ParametricQp, Range, Start};
use pathqp_adapters::AdapterError;
use pathqp_adapters::mpc::{Mpc, Trajectory};
use serde::Serialize;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// A trajectory in the JSON document.
#[derive(Serialize)]
struct Shown {
    state: Vec<f64>,
    cost: f64,
    inputs: Vec<Vec<f64>>,
    states: Vec<Vec<f64>>,
}

impl Shown {
    fn new(mpc: &Mpc, state: &[f64], x: &[f64]) -> Result<Self, AdapterError> {
        let Trajectory { states, inputs, cost } = mpc.trajectory(state, x)?;
        Ok(Shown { state: state.to_vec(), cost, inputs, states })
    }

    fn text(&self) -> String {
        let list = |v: &[f64]| v.iter().map(|v| number(*v)).collect::<Vec<_>>().join(", ");
        let first = self.inputs.first().map_or(String::new(), |u| list(u));
        format!("from ({}) the cost is {:.6e} and the first input ({first})", list(&self.state), self.cost)
    }
}

/// What only this problem has in the JSON of its path.
#[derive(Serialize)]
struct Details {
    states: usize,
    inputs: usize,
    horizon: usize,
    /// The trajectories from both ends of the line.
    ends: Vec<Shown>,
}

/// The names of n inputs: u[step], or u1[step] where there are several.
pub(super) fn names(mpc: &Mpc, n: usize) -> Vec<String> {
    let m = mpc.inputs().max(1);
    let name = |i: usize| if m == 1 { format!("u[{i}]") } else { format!("u{}[{}]", i % m + 1, i / m) };
    (0..n).map(name).collect()
}

/// A plant.
pub(super) fn read(file: &Path) -> Result<Mpc, CliError> {
    let name = || file.display().to_string();
    let text = fs::read_to_string(file).map_err(|cause| CliError::Plant { file: name(), cause: cause.to_string() })?;
    serde_json::from_str(&text).map_err(|cause| CliError::Plant { file: name(), cause: cause.to_string() })
}

/// Follows the inputs along a line of initial states; the parameter s goes from 0 to 1 on it.
///
/// # Errors
/// A wrong question; a path that could not even begin.
pub fn run(args: &MpcArgs) -> Result<Exit, CliError> {
    let targets = Targets::new(&args.output, &[("--model", &args.model)])?;
    let mpc = read(&args.model)?;
    let refused = |error: AdapterError| CliError::Model { file: args.model.display().to_string(), error };
    for (option, found) in [("--from", args.from.len()), ("--to", args.to.len())] {
        if found != mpc.states() {
            return Err(CliError::StateSize { option, found, expected: mpc.states() });
        }
    }
    if args.from == args.to {
        return Err(CliError::Arguments { line: "--from and --to are the same state: give two".into() });
    }
    let posing = Instant::now();
    let ranges = args.from.iter().zip(&args.to).map(|(a, b)| Range::new(a.min(*b), a.max(*b))).collect();
    let qp = mpc.qp(ranges).map_err(refused)?;
    let line = qp.line(&args.from, &args.to).map_err(|error| refused(error.into()))?;
    let followed = follow(&line, &Start::Anywhere, posing)?;
    let places = followed.places();
    let points: Vec<_> = places.iter().filter_map(|t| followed.path.at(t)).collect();
    let (m, length) = (mpc.inputs(), line.length().unwrap_or(1.0));
    let series = Series {
        parameter: "s",
        values: points.iter().map(|point| point.t / length).collect(),
        names: names(&mpc, qp.n()),
        columns: (0..qp.n()).map(|i| points.iter().map(|point| point.x[i]).collect()).collect(),
        axis: "u",
        ..Series::default()
    };
    let ends = points.first().into_iter().chain(points.last());
    let ends = ends.map(|point| Shown::new(&mpc, &line.parameter(&point.t), &point.x));
    let ends = ends.collect::<Result<Vec<_>, _>>().map_err(refused)?;
    let size = format!("{} states, {m} inputs, horizon {}", mpc.states(), mpc.horizon);
    let mut rows = vec![("plant".to_owned(), size)];
    rows.extend(ends.iter().map(|end| ("at an end".to_owned(), end.text())));
    let details = Details { states: mpc.states(), inputs: m, horizon: mpc.horizon, ends };
    let summary = Summary { problem: "mpc", source: &args.model, details, rows };
    finish(&followed, &series, summary, (&targets, args.output.json))
}

/// JSON of the map.
#[derive(Serialize)]
struct MapReport {
    problem: &'static str,
    n: usize,
    horizon: usize,
    regions: usize,
    edges: usize,
    vertices: usize,
    area: Option<f64>,
    domain_area: Option<f64>,
    covered: f64,
    complete: bool,
    max_kkt_residual: f64,
    max_relative_gap: f64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Shown>,
}

/// Finds the regions of the explicit controller.
///
/// # Errors
/// A wrong question; a complex that could not be found.
pub fn run_map(args: &MpcMapArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let reads: Vec<(&'static str, &Path)> = vec![("--model", &args.model)];
    let target = |option, file: &Option<_>, reads: &[_]| {
        file.as_deref().map(|file| Target::new(option, file, reads)).transpose()
    };
    let out = target("--out", &args.output.out, &reads)?;
    let others: Vec<_> = reads.iter().copied().chain(args.output.out.as_deref().map(|file| ("--out", file))).collect();
    let figure = target("--plot", &args.output.plot, &others)?;
    let mpc = read(&args.model)?;
    let refused = |error: AdapterError| CliError::Model { file: args.model.display().to_string(), error };
    let Rectangle(domain) = args.domain;
    let [Some(x0), Some(x1), Some(y0), Some(y1)] = [domain[0][0], domain[0][1], domain[1][0], domain[1][1]] else {
        return Err(CliError::Arguments {
            line: "--domain needs both ends of both ranges here, such as -5:5,-2:2".into(),
        });
    };
    let qp = mpc.qp(vec![Range::new(x0, x1), Range::new(y0, y1)]).map_err(refused)?;
    let complex = explore(&qp, &Options::default())?;
    let point = match args.param.as_slice() {
        [] => None,
        &[v, w] => Some([v, w]),
        found => return Err(CliError::StateSize { option: "--param", found: found.len(), expected: 2 }),
    };
    let at = point.map(|theta| Ok::<_, CliError>((theta, complex.at(&qp, &theta)?.x))).transpose()?;
    let at = at.map(|(theta, x)| Shown::new(&mpc, &theta, &x)).transpose().map_err(refused)?;
    let (certificates, places) = certified(&qp, &complex, [[x0, x1], [y0, y1]], args.points)?;
    match &out {
        Some(target) if series_file::is_asked_for(target) => {
            ControllerFile::write(target, &args.model, [[x0, x1], [y0, y1]], &complex)?;
        }
        Some(target) => target.write(corners(&complex).as_bytes())?,
        None => {}
    }
    if let Some(target) = &figure {
        let title = format!("mpc on {}", args.model.display());
        let svg = plot::map::draw_complex(&complex, ["x1", "x2"], [[x0, x1], [y0, y1]], &title, target.given())?;
        target.write(svg.as_bytes())?;
    }
    let violations = complex.validate();
    let report = MapReport {
        problem: "mpc",
        n: qp.n(),
        horizon: mpc.horizon,
        regions: complex.regions().len(),
        edges: complex.topology().edges(),
        vertices: complex.topology().vertices(),
        area: complex.total_area(),
        domain_area: complex.domain_area(),
        covered: complex.covered(),
        complete: violations.is_empty(),
        max_kkt_residual: certificates.residual,
        max_relative_gap: certificates.gap,
        seconds: began.elapsed().as_secs_f64(),
        at,
    };
    output::print(&if args.output.json { report::json(&report) } else { table(&report, &certificates, &args.model) })?;
    if let Some(violation) = violations.first() {
        output::complain(&format_args!("the map is incomplete: {violation}"));
        return Ok(Exit::Failed);
    }
    let place = |point: f64| {
        let [x, y] = places.get(point as usize).copied().unwrap_or([f64::NAN; 2]).map(number);
        format!("x1 = {x}, x2 = {y}")
    };
    let Some(text) = certify::failure(&certificates, place) else { return Ok(Exit::Done) };
    output::complain(&format_args!("the certificate fails: {text}"));
    Ok(Exit::Failed)
}

/// The certificates at random states, and these; a position of the verdict is the number of a state.
fn certified(
    qp: &ParametricQp<f64>,
    complex: &Complex<f64>,
    ends: [[f64; 2]; 2],
    points: usize,
) -> Result<(Verdict, Vec<[f64; 2]>), ComplexError> {
    let (mut state, mut worst, mut places) = (1, Verdict::default(), Vec::with_capacity(points));
    for number_of in 0..points {
        let theta = ends.map(|[from, to]| from + (to - from) * uniform(&mut state));
        let point = complex.at(qp, &theta)?;
        let certificate = certify::in_domain(qp, ends, &theta, (&point.x, point.y));
        let certificate = certificate.map_err(|_| ComplexError::Outside { point: theta.map(number) })?;
        worst.include(&Verdict::of(&certificate, number_of as f64));
        places.push(theta);
    }
    Ok((worst, places))
}

/// The corners of all regions, one a line.
fn corners(complex: &Complex<f64>) -> String {
    let mut text = String::from("region,free,x1,x2\n");
    for (k, region) in (0..).zip(complex.regions()) {
        for ([x, y], _) in complex.corners(RegionId(k)).unwrap_or_default() {
            text += &format!("{k},{},{x},{y}\n", region.free().count());
        }
    }
    text
}

fn table(report: &MapReport, certificates: &Verdict, source: &Path) -> String {
    let state = if report.complete { "complete" } else { "INCOMPLETE" };
    let mut rows = vec![
        ("plant", source.display().to_string()),
        ("size", format!("{} inputs over a horizon of {}", report.n, report.horizon)),
        ("map", state.to_owned()),
        ("regions", report.regions.to_string()),
        ("edges", report.edges.to_string()),
        ("vertices", report.vertices.to_string()),
        ("covered", number(report.covered)),
        ("KKT residual", format!("{:.1e} at most", report.max_kkt_residual)),
        ("relative gap", format!("{:.1e} at most", report.max_relative_gap)),
        ("certificate", certify::text(certificates)),
        ("seconds", format!("{:.3}", report.seconds)),
    ];
    rows.extend(report.at.as_ref().map(|at| ("asked", at.text())));
    format!("mpc map\n{}", report::table(&rows))
}
