//! Follows one line of a parametric QP from a text file, certifies it, and writes points for others to check (benches/lines runs it on test sets).
//!
//!     cargo run --release --example lines -- FILE [--back] [--positions N] [--points FILE]
//!
//! The file has numbers in free form: n m; the count of H's entries and (row, column, value) of each, both sides of the diagonal; those of A likewise; then c, c', and
//! lower, upper, lower', upper' of the m rows and of the n variables, `inf` or `-inf` for none: value at t = 0 and what is added up to t = 1.
//!
//! One line of JSON says what became of it: `outcome` is complete, infeasible or unbounded from some t on or at the start (`proof`: what the proof is worth there), or declined with an `error`; `residual` and `gap` are
//! the worst of the certificates at both ends of every segment and at N random positions (100), the worse of the two at `worst_at`. The points are binary: t, x and y of each, at up to N breakpoints and the random positions.
#![allow(missing_docs)]

use pathqp::certificate::{Place, along, breakpoints, sample};
use pathqp::hessian::{self, Hessian, Rows, Sparse};
use pathqp::testing::Random;
use pathqp::{Affine, Line, ParametricQp, Path, Range, Settings, Start, Stop, trace};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

struct Numbers<'a>(std::str::SplitAsciiWhitespace<'a>);

impl Numbers<'_> {
    fn next(&mut self) -> Result<f64, String> {
        let text = self.0.next().ok_or("the file ends early")?;
        text.parse().map_err(|e| format!("{text}: {e}"))
    }

    fn count(&mut self) -> Result<usize, String> {
        self.next().map(|v| v as usize)
    }

    fn vector(&mut self, n: usize) -> Result<Vec<f64>, String> {
        (0..n).map(|_| self.next()).collect()
    }

    fn entries(&mut self) -> Result<Vec<(usize, usize, f64)>, String> {
        let count = self.count()?;
        (0..count).map(|_| Ok((self.count()?, self.count()?, self.next()?))).collect()
    }
}

/// Bounds where they are finite, and which are not.
struct Sides {
    lower: Affine<f64>,
    upper: Affine<f64>,
    open: [Vec<usize>; 2],
}

fn sides(numbers: &mut Numbers<'_>, n: usize) -> Result<Sides, String> {
    let (mut l, mut u) = (numbers.vector(n)?, numbers.vector(n)?);
    let (mut dl, mut du) = (numbers.vector(n)?, numbers.vector(n)?);
    let ends_at: Vec<bool> = u.iter().map(|u| u.is_finite()).collect();
    let mut open = [Vec::new(), Vec::new()];
    for i in 0..n {
        let ends = [l[i], u[i]];
        // Where one is missing the other one stands for it until it is taken away.
        if !ends[0].is_finite() {
            open[0].push(i);
            l[i] = if ends[1].is_finite() { ends[1] } else { 0.0 };
        }
        if !ends[1].is_finite() {
            open[1].push(i);
            u[i] = l[i];
        }
    }
    for &i in &open[0] {
        dl[i] = if ends_at[i] { du[i] } else { 0.0 };
    }
    for &i in &open[1] {
        du[i] = dl[i];
    }
    Ok(Sides { lower: Affine::line(l, dl), upper: Affine::line(u, du), open })
}

fn read(text: &str) -> Result<ParametricQp<f64>, String> {
    let wrong = |e: pathqp::ProblemError| e.to_string();
    let mut numbers = Numbers(text.split_ascii_whitespace());
    let (n, m) = (numbers.count()?, numbers.count()?);
    let (h, mut a) = (numbers.entries()?, numbers.entries()?);
    let c = Affine::line(numbers.vector(n)?, numbers.vector(n)?);
    let (rows, boxes) = (sides(&mut numbers, m)?, sides(&mut numbers, n)?);
    let hessian: Arc<dyn Hessian<f64>> = match h.is_empty() {
        true => Arc::new(hessian::zero(n).map_err(wrong)?),
        false => Arc::new(Sparse::new(n, h).map_err(wrong)?),
    };
    let mut qp = ParametricQp::new(hessian, vec![Range::new(0.0, 1.0)], c).map_err(wrong)?;
    qp = qp.lower(boxes.lower).and_then(|qp| qp.upper(boxes.upper)).map_err(wrong)?;
    qp = boxes.open[0].iter().fold(qp, |qp, &i| qp.without_lower(i));
    qp = boxes.open[1].iter().fold(qp, |qp, &i| qp.without_upper(i));
    if m > 0 {
        a.sort_by_key(|entry| (entry.0, entry.1));
        let starts = (0..=m).map(|r| a.partition_point(|entry| entry.0 < r)).collect();
        let (indices, values) = a.iter().map(|entry| (entry.1 as u32, entry.2)).unzip();
        qp = qp.rows(Rows::Sparse { columns: n, starts, indices, values }, rows.lower, rows.upper).map_err(wrong)?;
        qp = rows.open[0].iter().fold(qp, |qp, &r| qp.without_row_lower(r));
        qp = rows.open[1].iter().fold(qp, |qp, &r| qp.without_row_upper(r));
    }
    Ok(qp)
}

fn random_places(path: &Path<f64>, count: usize) -> Vec<Place> {
    let (begin, length) = (*path.begin(), path.end() - path.begin());
    let segments = path.segments();
    let mut random = Random(7);
    let place = |t: f64| (segments.partition_point(|s| s.t <= t).max(1) - 1, t);
    (0..count).map(|_| place(begin + length * random.unit())).collect()
}

fn write_points(file: &str, path: &Path<f64>, places: &[Place], m: usize) -> Result<(), String> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file).map_err(|e| format!("{file}: {e}"))?);
    for (segment, t) in places {
        let Some(point) = path.law_at(*segment, t) else { continue };
        let y = if point.rows.is_empty() { vec![point.y; m.min(1)] } else { point.rows };
        for v in [*t].iter().chain(&point.x).chain(&y) {
            out.write_all(&v.to_le_bytes()).map_err(|e| format!("{file}: {e}"))?;
        }
    }
    out.flush().map_err(|e| format!("{file}: {e}"))
}

fn ended(path: &Path<f64>, line: &Line<f64>) -> (&'static str, Option<f64>) {
    let beyond = path.end() + 1.0 / f64::from(1 << 20);
    let worth = || path.proof().and_then(|proof| proof.excess(line, &beyond, &1e-9));
    match path.stop() {
        Some(Stop::Target) => ("complete", None),
        Some(Stop::Infeasible { .. }) => ("infeasible", worth()),
        Some(Stop::Unbounded { .. }) => ("unbounded", worth()),
        _ => ("declined", None),
    }
}

fn number(v: f64) -> String {
    if v.is_finite() { format!("{v:e}") } else { "null".into() }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let value = |name: &str| arguments.iter().position(|a| a == name).and_then(|k| arguments.get(k + 1));
    let file = arguments.first().ok_or("lines FILE [--back] [--positions N] [--points FILE]")?;
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let qp = read(&text)?;
    let (from, to) = if arguments.iter().any(|a| a == "--back") { (1.0, 0.0) } else { (0.0, 1.0) };
    let line = qp.line(&[from], &[to]).map_err(|e| e.to_string())?;
    let positions = value("--positions").map_or(Ok(100), |n| n.parse::<usize>().map_err(|e| e.to_string()))?;
    let begun = Instant::now();
    let path = match trace(&line, &Start::Anywhere, &Settings::default(), &mut ()) {
        Ok(path) => path,
        Err(failure) => {
            let seconds = begun.elapsed().as_secs_f64();
            let error: String = failure.0.to_string().chars().filter(|c| *c != '"' && *c != '\\').take(200).collect();
            return Ok(format!("{{\"outcome\": \"declined\", \"seconds\": {seconds:.4}, \"error\": \"{error}\"}}"));
        }
    };
    let seconds = begun.elapsed().as_secs_f64();
    let random = random_places(&path, positions);
    let mut places = breakpoints(&path);
    let told = [sample(places.clone(), positions), random.clone()].concat();
    places.extend(random);
    let verdict = along(&path, &line, &places, 1, &|_| true);
    if let Some(points) = value("--points") {
        write_points(points, &path, &told, line.m())?;
    }
    let (outcome, proof) = ended(&path, &line);
    let stats = path.stats();
    Ok(format!(
        "{{\"outcome\": \"{outcome}\", \"end\": {}, \"proof\": {}, \"seconds\": {seconds:.4}, \"segments\": {}, \"breakpoints\": {}, \"events\": {}, \"pivots\": {}, \"detours\": {}, \"residual\": {}, \"gap\": {}, \"worst_at\": {}}}",
        number(*path.end()),
        proof.map_or_else(|| "null".into(), number),
        path.segments().len(),
        path.breakpoints().len(),
        stats.events,
        stats.pivots,
        stats.detours,
        number(verdict.residual),
        number(verdict.gap),
        number(if verdict.gap > verdict.residual { verdict.gap_at } else { verdict.residual_at })
    ))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(report) => println!("{report}"),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2)
        }
    }
}
