//! Numbers along a path, one row a breakpoint: what the problems without a kernel print, write and draw.

use crate::args::OutputArgs;
use crate::certify::{self, Residuals};
use crate::errors::{CliError, Exit};
use crate::interrupt::Interrupt;
use crate::output::{self, Target};
use crate::plot::series as plot;
use crate::report;
use crate::series_file::{self, SeriesFile};
use crate::values::number;
use pathqp::certificate::{Place, Verdict, certificates};
use pathqp::observe::{Event, Observer};
use pathqp::{Certificate, Follower, Line, Path, PathError, Settings, Start, Status, Stop};
use serde::Serialize;
use std::time::Instant;

/// The most columns of numbers that the JSON document holds in full; the table in --out always does.
const MOST_SHOWN: usize = 1000;

/// A table: a parameter and some columns, one value a breakpoint each.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Series {
    /// The name of the parameter.
    pub parameter: &'static str,
    /// Its values: the ends of the path and the breakpoints between them, in the order of the path.
    pub values: Vec<f64>,
    /// The name of each column.
    pub names: Vec<String>,
    /// The columns.
    pub columns: Vec<Vec<f64>>,
    /// What a column is called on the axis of a figure.
    #[serde(skip)]
    pub axis: &'static str,
    /// What was observed of every column, if they are fitted values.
    #[serde(skip)]
    pub observed: Option<Vec<f64>>,
    /// The variance halfway between every two values of the parameter, of a portfolio.
    #[serde(skip)]
    pub middle: Option<Vec<f64>>,
    /// How many coefficients or weights are not zero between every two values of the parameter, where they are counted.
    #[serde(skip)]
    pub nonzero: Option<Vec<usize>>,
}

/// A path as far as it could be followed.
pub struct Followed {
    /// The path.
    pub path: Path<f64>,
    /// Its certificates at all breakpoints.
    pub residuals: Residuals,
    line: Line<f64>,
    error: Option<PathError>,
    interrupted: bool,
    seconds: f64,
}

/// Stops at Ctrl-C.
struct Stopping<'a>(&'a Interrupt);

impl Observer<f64> for Stopping<'_> {
    fn event(&mut self, _event: &Event<'_, f64>) -> bool {
        !self.0.is_set()
    }
}

/// Follows a line and certifies what was found; its time counts from when the problem began to be posed.
///
/// # Errors
/// A path that could not begin.
pub fn follow(line: &Line<f64>, start: &Start<f64>, posing: Instant) -> Result<Followed, CliError> {
    let interrupt = Interrupt::install();
    let mut follower = Follower::new(line, start, Settings::default())?;
    let ran = follower.run(&mut Stopping(&interrupt));
    let path = follower.into_path();
    let seconds = posing.elapsed().as_secs_f64();
    let residuals =
        certify::certify(&path, line, &certify::breakpoints(&path), certify::cores(), &|| !interrupt.is_set());
    let line = line.clone();
    Ok(Followed { path, residuals, line, error: ran.err(), interrupted: interrupt.is_set(), seconds })
}

impl Followed {
    /// The ends of the path and the breakpoints between them, as positions.
    pub fn places(&self) -> Vec<f64> {
        let mut places = vec![*self.path.begin()];
        places.extend(self.path.breakpoints().into_iter().filter(|t| t > self.path.begin() && t < self.path.end()));
        places.extend([*self.path.end()].into_iter().filter(|end| end > self.path.begin()));
        places
    }

    /// The pieces between the places; of a path that is one point, that point.
    fn spans(&self) -> Vec<[f64; 2]> {
        match self.places().as_slice() {
            [only] if !self.path.segments().is_empty() => vec![[*only; 2]],
            places => places.windows(2).map(|ends| [ends[0], ends[1]]).collect(),
        }
    }

    /// The positions halfway along every piece. What is zero all along a piece is exactly zero there, as a variable at its bound is; at the ends of a
    /// piece a variable that leaves its bound is zero up to rounding only.
    pub fn middles(&self) -> Vec<f64> {
        self.spans().into_iter().map(|[a, b]| a + (b - a) / 2.0).collect()
    }

    /// The certificates of every piece between two of the places, at its beginning, its middle and its end: KKT residuals and relative gaps.
    pub fn certificates(&self) -> [Vec<[f64; 3]>; 2] {
        let three = |[a, b]: [f64; 2]| [a, a + (b - a) / 2.0, b].map(|t| (self.segment(a), t));
        let places: Vec<Place> = self.spans().into_iter().flat_map(three).collect();
        let found = certificates(&self.path, &self.line, &places, certify::cores(), &|_| true);
        // JSON has no infinity.
        let number = |v: f64| if v.is_finite() { v } else { f64::MAX };
        let of = |get: &dyn Fn(&Certificate<f64>) -> f64| {
            let values: Vec<f64> = found.iter().map(|(_, c)| c.as_ref().map_or(f64::MAX, |c| number(get(c)))).collect();
            values.as_chunks::<3>().0.to_vec()
        };
        [of(&Certificate::kkt_residual), of(&|certificate| certificate.relative_gap)]
    }

    /// The numbers of variables at their lower bounds, at their upper ones and free, between every two of the places.
    pub fn counts(&self) -> Vec<[usize; 3]> {
        let count = |[start, _]: [f64; 2]| {
            let status = self.path.status_on(self.segment(start));
            [Status::Lower, Status::Upper, Status::Free].map(|s| status.iter().filter(|t| **t == s).count())
        };
        self.spans().into_iter().map(count).collect()
    }

    /// The value of the series' parameter at a position: positions and values both run from one end of the path to the other.
    fn value(&self, series: &Series, t: f64) -> f64 {
        let ends = series.values.first().zip(series.values.last());
        let (begin, end) = (*self.path.begin(), *self.path.end());
        let part = if end > begin { (t - begin) / (end - begin) } else { 0.0 };
        ends.map_or(f64::NAN, |(from, to)| from + (to - from) * part)
    }

    /// The segment that begins at or before t.
    fn segment(&self, t: f64) -> usize {
        self.path.segments().partition_point(|s| s.t <= t).saturating_sub(1)
    }
}

/// JSON of these problems.
#[derive(Serialize)]
struct Report<'a, D> {
    problem: &'static str,
    n: usize,
    breakpoints: usize,
    events: u64,
    complete: bool,
    residual: Option<f64>,
    max_kkt_residual: Option<f64>,
    max_relative_gap: Option<f64>,
    seconds: f64,
    #[serde(flatten)]
    details: D,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a Series>,
}

/// What is printed besides the path.
pub struct Summary<'a, D> {
    /// The problem's name.
    pub problem: &'static str,
    /// The data file.
    pub source: &'a std::path::Path,
    /// What the problem itself has to say, in JSON.
    pub details: D,
    /// The same for people.
    pub rows: Vec<(String, String)>,
}

/// Where to write, checked before any work starts.
pub struct Targets {
    out: Option<Target>,
    plot: Option<Target>,
}

impl Targets {
    /// # Errors
    /// A file that cannot be written, or is one of those that are read.
    pub fn new(output: &OutputArgs, reads: &[(&'static str, &std::path::Path)]) -> Result<Self, CliError> {
        let target = |option, file: &Option<std::path::PathBuf>, reads: &[_]| {
            file.as_deref().map(|file| Target::new(option, file, reads)).transpose()
        };
        let out = target("--out", &output.out, reads)?;
        let plot = target("--plot", &output.plot, reads)?;
        if let Some((_, plot)) = out.as_ref().zip(plot.as_ref()).filter(|(a, b)| a.path() == b.path()) {
            let file = plot.given().display().to_string();
            return Err(CliError::SameFile { option: "--plot", file, other: "--out" });
        }
        Ok(Targets { out, plot })
    }
}

/// Writes, draws and prints; returns the exit status.
///
/// # Errors
/// A file that cannot be written, or a figure that cannot be drawn.
pub fn finish<D: Serialize>(
    followed: &Followed,
    series: &Series,
    summary: Summary<'_, D>,
    (targets, json): (&Targets, bool),
) -> Result<Exit, CliError> {
    match &targets.out {
        Some(target) if series_file::is_asked_for(target) => {
            let about = (summary.problem, summary.source, summary.rows.as_slice());
            SeriesFile::new(followed, series, about)?.write(target)?;
        }
        Some(target) => target.write(series.csv().as_bytes())?,
        None => {}
    }
    if let Some(target) = &targets.plot {
        let title = format!("{} on {}", summary.problem, summary.source.display());
        target.write(plot::draw(series, &title, target.given())?.as_bytes())?;
    }
    let breakpoints = followed.path.breakpoints().len();
    let stats = followed.path.stats();
    let Verdict { residual, gap, points, .. } = followed.residuals.verdict;
    let finite = |value: f64| value.is_finite().then_some(value);
    let text = if json {
        report::json(&Report {
            problem: summary.problem,
            n: followed.path.n(),
            breakpoints,
            events: stats.events as u64,
            complete: followed.path.is_complete() || followed.path.is_endless(),
            residual: finite(residual),
            max_kkt_residual: finite(residual),
            max_relative_gap: finite(gap),
            seconds: followed.seconds,
            details: summary.details,
            path: (series.columns.len() <= MOST_SHOWN).then_some(series),
        })
    } else {
        let ends = [series.values.first(), series.values.last()].map(|v| number(v.copied().unwrap_or(f64::NAN)));
        let mut rows = vec![("data".to_owned(), summary.source.display().to_string())];
        rows.extend(summary.rows);
        rows.push((series.parameter.into(), format!("from {} to {}", ends[0], ends[1])));
        rows.push(("path".into(), format!("{breakpoints} breakpoints, {} events", stats.events)));
        let state = certify::text(&followed.residuals.verdict);
        let sizes = format!("{}, at {points} points", certify::sizes([residual, gap]));
        rows.push(("certificate".into(), format!("{state}: {sizes}")));
        rows.push(("seconds".into(), format!("{:.3}", followed.seconds)));
        format!("{} path\n{}", summary.problem, report::table(&rows))
    };
    output::print(&text)?;
    Ok(verdict(followed, series))
}

/// The exit status, with a line on stderr for what went wrong.
fn verdict(followed: &Followed, series: &Series) -> Exit {
    let (name, reached) = (series.parameter, number(series.values.last().copied().unwrap_or(f64::NAN)));
    let mut exit = Exit::Done;
    let mut fail = |message: String, as_exit: Exit| {
        output::complain(&message);
        exit = if exit == Exit::Done { as_exit } else { exit };
    };
    if let Some(error) = &followed.error {
        fail(format!("the path ends at {name} = {reached}: {error}"), crate::errors::path_error_exit(error));
    }
    if matches!(followed.path.stop(), Some(Stop::Infeasible { .. } | Stop::Unbounded { .. })) {
        fail(format!("the problem has no solution beyond {name} = {reached}"), Exit::Failed);
    }
    let place = |t: f64| format!("{name} = {}", number(followed.value(series, t)));
    if let Some(text) = certify::failure(&followed.residuals.verdict, place) {
        fail(format!("the certificate fails: {text}"), Exit::Failed);
    }
    if followed.interrupted {
        fail(format!("interrupted at {name} = {reached}"), Exit::Interrupted);
    }
    exit
}

impl Series {
    /// A table with a row of names.
    pub fn csv(&self) -> String {
        let quoted = |name: &String| match name.contains([',', '"', '\n']) {
            true => format!("\"{}\"", name.replace('"', "\"\"")),
            false => name.clone(),
        };
        let head = [self.parameter.to_owned()].into_iter().chain(self.names.iter().map(quoted));
        let mut text = head.collect::<Vec<String>>().join(",") + "\n";
        for (k, value) in self.values.iter().enumerate() {
            text += &value.to_string();
            for column in &self.columns {
                text.push(',');
                text += &column.get(k).map_or_else(String::new, f64::to_string);
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathqp_adapters::dataset::Features;
    use pathqp_adapters::lasso::Lasso;

    #[test]
    fn a_place_is_named_by_the_parameter_wherever_t_begins() {
        let features = Features::Dense { rows: 2, columns: 1, values: vec![1.0, -1.0] };
        let lasso = Lasso::new(&features, vec![3.0, -1.0], true, 0.0).unwrap();
        let line = lasso.line(2.0, 0.5).unwrap();
        let followed = follow(&line, &lasso.start(2.0), Instant::now()).unwrap();
        let series = Series { values: vec![2.0, 0.5], ..Series::default() };
        let path = &followed.path;
        for t in [*path.begin(), *path.end(), 0.25 * path.begin() + 0.75 * path.end()] {
            assert!((followed.value(&series, t) - path.parameter(&t)[0]).abs() <= 1e-15, "{t}");
        }
    }

    #[test]
    fn names_with_commas_are_quoted() {
        let series = Series {
            parameter: "alpha",
            values: vec![1.0, 0.5],
            names: vec!["a,b".into(), "c".into()],
            columns: vec![vec![0.0, 1.0], vec![0.0, -2.5]],
            axis: "w",
            ..Series::default()
        };
        assert_eq!(series.csv(), "alpha,\"a,b\",c\n1,0,0\n0.5,1,-2.5\n");
    }
}
