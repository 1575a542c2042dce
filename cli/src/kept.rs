//! Kept paths and maps: one self-contained file of one format, for every problem. It has the problem with its data,
//! where it was solved (a parameter from one value
//! to another, or a rectangle of two), and the solution there.
//!
//! A file is validated on reading: what does not fit together is refused with a [`FileFault`], so that no later step
//! can go wrong on it.

use crate::data::Columns;
use crate::errors::CliError;
use crate::file::{FileFault, Format, damaged, load};
use crate::output::Target;
use crate::plane;
use crate::registry;
use crate::space::Space;
use crate::values::Domain;
use pathqp::complex::Complex;
use pathqp::regions::Regions;
use pathqp::{Path, Settings, Stop};
use pathqp_adapters::AdapterError;
use pathqp_adapters::plane::Plane;
use pathqp_adapters::run::{Posed, Vary};
use pathqp_adapters::spec::{Data, Entry, Spec};
use pathqp_views::{About, MapView, PathView, program};
use serde::{Deserialize, Serialize};
use std::path::Path as FsPath;

/// The format of kept paths and maps.
const KEPT: Format = Format { magic: b"PATHQP\0", version: 5, name: "path or map file; make one with --out" };

const A_PATH: &str = "a path (pathqp path --out)";
const A_MAP: &str = "a map (pathqp map --out)";
const REGIONS: &str = "a map in many parameters or with rows (pathqp map --out)";

/// Why a path ended where it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The end was reached.
    Target,
    /// No solution exists further on.
    Infeasible,
    /// The objective has no minimum further on.
    Unbounded,
    /// The solution grows without limit.
    Diverges,
    /// `--max-events`.
    MaxEvents,
    /// `--max-seconds`.
    MaxSeconds,
    /// Ctrl-C.
    Interrupted,
    /// An error of the engine.
    Error,
}

impl StopReason {
    /// Where nothing but the engine and whoever interrupts it ends a path.
    pub fn of(stop: &Stop<f64>) -> Self {
        match stop {
            Stop::Target => StopReason::Target,
            Stop::Infeasible { .. } => StopReason::Infeasible,
            Stop::Unbounded { .. } => StopReason::Unbounded,
            Stop::Diverges { .. } => StopReason::Diverges,
            Stop::EventLimit { .. } => StopReason::MaxEvents,
            Stop::Asked { .. } => StopReason::Interrupted,
        }
    }
}

/// What is said of the problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The program that wrote the file, with its version.
    pub program: String,
    /// The problem and its data.
    pub spec: Spec,
    /// The files that it was read from by their options, the main one first.
    pub sources: Vec<(String, String)>,
    /// The columns of its rows.
    pub columns: Columns,
}

/// A path with everything that is needed to use it.
#[derive(Clone, Debug, PartialEq)]
pub struct PathFile {
    /// The problem.
    pub kept: Kept,
    /// The parameter that varies.
    pub vary: Vary,
    /// Why the path ended.
    pub stop: StopReason,
    /// The path.
    pub path: Path<f64>,
}

/// A map with everything that is needed to use it.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFile {
    /// The problem.
    pub kept: Kept,
    /// The ranges of both parameters.
    pub domain: Domain,
    /// The complex of critical regions.
    pub complex: Complex<f64>,
}

/// A map in any number of parameters, with everything that is needed to use it.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionsFile {
    /// The problem.
    pub kept: Kept,
    /// The range of every parameter.
    pub domain: Vec<[f64; 2]>,
    /// The critical regions.
    pub regions: Regions,
}

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Stored<K, S> {
    format: u32,
    kept: K,
    solution: S,
}

/// Where the problem was solved, and its solution; the parts are borrowed when they are written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Solution<V, P, D, C, B, R> {
    Line { vary: V, stop: StopReason, path: P },
    Rectangle { domain: D, complex: C },
    Box { ranges: B, regions: R },
}

/// What was kept, with its problem posed again.
pub enum Read {
    /// A path.
    Path(Box<PathFile>, Box<Posed>),
    /// A map.
    Map(Box<MapFile>, Box<Plane>),
    /// A map in any number of parameters.
    Regions(Box<RegionsFile>, Box<Space>),
}

/// Reads what was kept, in either form.
///
/// # Errors
/// [`CliError::Kept`].
pub fn read(path: &FsPath) -> Result<Read, CliError> {
    let read = || {
        type Owned = Stored<Kept, Solution<Vary, Path<f64>, Domain, Complex<f64>, Vec<[f64; 2]>, Regions>>;
        let Stored { format, kept, solution }: Owned = KEPT.decode(&load(path)?)?;
        KEPT.check_version(format)?;
        kept.check()?;
        match solution {
            Solution::Line { vary, stop, path } => {
                let file = PathFile { kept, vary, stop, path };
                let posed = file.pose(&file.kept.spec).map_err(|error| damaged(error.to_string()))?;
                file.check_line(&posed)?;
                Ok(Read::Path(Box::new(file), Box::new(posed)))
            }
            Solution::Rectangle { domain, complex } => {
                let file = MapFile { kept, domain, complex };
                let plane = file.pose()?;
                Ok(Read::Map(Box::new(file), Box::new(plane)))
            }
            Solution::Box { ranges, regions } => {
                let file = RegionsFile { kept, domain: ranges, regions };
                let space = file.pose()?;
                Ok(Read::Regions(Box::new(file), Box::new(space)))
            }
        }
    };
    read().map_err(|fault| CliError::Kept { file: path.display().to_string(), fault })
}

fn other_kind(path: &FsPath, [found, expected]: [&'static str; 2]) -> CliError {
    CliError::Kept { file: path.display().to_string(), fault: FileFault::OtherKind { found, expected } }
}

impl Kept {
    /// Of a description.
    pub fn new(spec: Spec, sources: Vec<(String, String)>, columns: Columns) -> Self {
        Kept { program: program(), spec, sources, columns }
    }

    /// What is known of the problem.
    ///
    /// # Errors
    /// A problem that this program does not have.
    pub fn entry(&self) -> Result<&'static Entry, FileFault> {
        let name = &self.spec.problem;
        registry::find(name).ok_or_else(|| damaged(format!("no problem is called {name}")))
    }

    /// The main file.
    pub fn source(&self) -> &str {
        self.sources.first().map_or("", |(_, file)| file)
    }

    /// The number of rows, or what stands for it.
    pub fn rows(&self) -> usize {
        self.spec.rows.response.len()
    }

    /// What pages and figures say of it.
    pub fn about(&self) -> About<'_> {
        let Kept { program, spec, columns, .. } = self;
        About { spec, source: self.source(), program, classes: columns.classes.as_ref(), scaler: &columns.scaler }
    }

    /// Whether the parts fit together.
    ///
    /// # Errors
    /// [`FileFault::Damaged`] names the part.
    pub fn check(&self) -> Result<(), FileFault> {
        let spec = &self.spec;
        let data = self.entry()?.data;
        let with_features = !matches!(data, Data::Signal | Data::Tables);
        let (n, d) = (spec.rows.response.len(), if with_features { self.columns.count() } else { 0 });
        let rows = if with_features { n } else { 0 };
        let agrees = [
            ("rows of features", spec.rows.features.rows(), rows),
            ("feature columns", spec.rows.features.columns(), d),
            ("case weights", spec.rows.weights.as_ref().map_or(n, Vec::len), n),
            ("feature names", spec.names.as_ref().map_or(d, Vec::len), d),
        ];
        if let Some((what, found, expected)) = agrees.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(damaged(format!("{found} {what}, {expected} expected")));
        }
        let features = [spec.rows.features.as_ref()].into_iter().chain(spec.tables.values().map(|table| &table.values));
        if let Some(violation) = features.flat_map(|features| features.violations()).next() {
            return Err(damaged(violation.to_string()));
        }
        let names = |table: &pathqp_adapters::spec::Table| table.names.as_ref().map(Vec::len);
        let wrong = |table: &&pathqp_adapters::spec::Table| names(table).is_some_and(|n| n != table.values.columns());
        if spec.tables.values().any(|table| wrong(&table)) {
            return Err(damaged("names of a table's columns".into()));
        }
        if spec.kernel.to_string().parse() != Ok(spec.kernel) {
            return Err(damaged(format!("the kernel {}", spec.kernel)));
        }
        Ok(())
    }
}

impl PathFile {
    /// The problem of a description, along the line of the path.
    ///
    /// # Errors
    /// As [`Posed::new`].
    pub fn pose(&self, spec: &Spec) -> Result<Posed, AdapterError> {
        let Vary { name, from, to } = &self.vary;
        let entry =
            registry::find(&spec.problem).ok_or_else(|| AdapterError::NoProblem { name: spec.problem.clone() })?;
        Posed::new(entry, spec, (name, Some(*from), Some(*to)), &Settings::default())
    }

    /// The path as it is shown.
    pub fn view<'a>(&'a self, posed: &'a Posed) -> PathView<'a> {
        PathView { about: self.kept.about(), posed, path: &self.path, reached: self.stop == StopReason::Target }
    }

    /// Writes the file in the form that its name asks for.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn write(&self, target: &Target) -> Result<(), CliError> {
        let PathFile { kept, vary, stop, path } = self;
        let solution = Solution::<_, _, (), (), (), ()>::Line { vary, stop: *stop, path };
        target.keep(&KEPT, &Stored { format: KEPT.version, kept, solution })
    }

    /// Reads a kept path, in either form, and poses its problem again.
    ///
    /// # Errors
    /// [`CliError::Kept`].
    pub fn read(path: &FsPath) -> Result<(Self, Posed), CliError> {
        match read(path)? {
            Read::Path(file, posed) => Ok((*file, *posed)),
            Read::Map(..) => Err(other_kind(path, [A_MAP, A_PATH])),
            Read::Regions(..) => Err(other_kind(path, [REGIONS, A_PATH])),
        }
    }

    /// Whether the path is one of the problem, and lies on the line that the parameter says.
    fn check_line(&self, posed: &Posed) -> Result<(), FileFault> {
        const ROUNDING: f64 = 4.0 * f64::EPSILON;
        let (found, expected) = (self.path.n(), posed.line.n());
        if found != expected {
            return Err(damaged(format!("{found} variables of the path, {expected} expected")));
        }
        let Vary { name, from, to } = &self.vary;
        let (begin, target) = (posed.line.begin, posed.line.end.unwrap_or(f64::INFINITY));
        let near = |(found, expected): (&f64, &f64)| {
            (found - expected).abs().partial_cmp(&(ROUNDING * expected.abs().max(1.0)))
                == Some(std::cmp::Ordering::Less)
        };
        let on_line = |(t, value): (f64, f64)| {
            let (found, expected) = (self.path.parameter(&t), posed.axis.theta(value));
            found.len() == expected.len() && found.iter().zip(&expected).all(near)
        };
        let end = *self.path.end();
        let starts = self.path.segments().iter().map(|s| s.t);
        let inside = starts.chain([end]).all(|t| (begin..=target).contains(&t));
        let at_end = to.is_infinite() || on_line((target, *to));
        if !(on_line((begin, *from)) && at_end && inside) {
            return Err(damaged(format!("the path does not lie between {name} = {from} and {to}")));
        }
        Ok(())
    }
}

impl RegionsFile {
    /// Writes the file in the form that its name asks for.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn write(&self, target: &Target) -> Result<(), CliError> {
        let RegionsFile { kept, domain, regions } = self;
        let solution = Solution::<(), (), (), (), _, _>::Box { ranges: domain, regions };
        target.keep(&KEPT, &Stored { format: KEPT.version, kept, solution })
    }

    /// The error that it keeps no map in two parameters.
    pub fn is_no_map(path: &FsPath) -> CliError {
        other_kind(path, [REGIONS, A_MAP])
    }

    /// The problem on the ranges of the map.
    fn pose(&self) -> Result<Space, FileFault> {
        let ranges: Vec<[Option<f64>; 2]> = self.domain.iter().map(|ends| ends.map(Some)).collect();
        let space = Space::new(self.kept.entry()?, &self.kept.spec, &ranges, &Settings::default());
        let space = space.map_err(|error| damaged(error.to_string()))?;
        match self.regions.fits(&space.qp) && self.regions.violations().is_empty() {
            true => Ok(space),
            false => Err(damaged("the regions are of another problem or domain, or of no use".into())),
        }
    }
}

impl MapFile {
    /// Writes the file in the form that its name asks for.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn write(&self, target: &Target) -> Result<(), CliError> {
        let MapFile { kept, domain, complex } = self;
        let solution = Solution::<(), (), _, _, (), ()>::Rectangle { domain, complex };
        target.keep(&KEPT, &Stored { format: KEPT.version, kept, solution })
    }

    /// Reads a kept map, in either form, and poses its problem again.
    ///
    /// # Errors
    /// [`CliError::Kept`].
    pub fn read(path: &FsPath) -> Result<(Self, Plane), CliError> {
        match read(path)? {
            Read::Map(file, plane) => Ok((*file, *plane)),
            Read::Path(..) => Err(other_kind(path, [A_PATH, A_MAP])),
            Read::Regions(..) => Err(other_kind(path, [REGIONS, A_MAP])),
        }
    }

    /// The map as it is shown.
    pub fn view<'a>(&'a self, plane: &'a Plane) -> MapView<'a> {
        MapView { about: self.kept.about(), plane, complex: &self.complex }
    }

    /// The problem on the rectangle of the map.
    fn pose(&self) -> Result<Plane, FileFault> {
        let plane = plane::pose(self.kept.entry()?, &self.kept.spec, &self.domain, &Settings::default());
        let plane = plane.map_err(|error| damaged(error.to_string()))?;
        match self.complex.fits(&plane.qp) {
            true => Ok(plane),
            false => Err(damaged("the regions are of another problem or domain".into())),
        }
    }
}
