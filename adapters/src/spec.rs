//! A problem with its data, as a value: the command line makes it from arguments, Python from arrays, and path files store it.
//!
//! An [`Entry`] describes a problem without data: its name, its options, and how a [`Spec`] becomes a [`PathProblem`]. The included ones are in
//! `problems.rs`; other crates add theirs to the list.

use crate::bias::Bias;
use crate::course::{Course, Direction};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::kernel::KernelKind;
use crate::kernel_choice::KernelChoice;
use crate::problem::PathProblem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The rows that a problem is made from: scaled features, responses, case weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// n × d, scaled.
    pub features: Arc<Features>,
    /// The response: n labels +1 or −1, or n numbers.
    pub response: Vec<f64>,
    /// n case weights.
    pub weights: Option<Vec<f64>>,
}

impl Default for Rows {
    fn default() -> Self {
        let features = Arc::new(Features::Dense { rows: 0, columns: 0, values: Vec::new() });
        Rows { features, response: Vec::new(), weights: None }
    }
}

/// A table of numbers beside the rows: bounds, edges, matrices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The names of its columns, if it has any.
    pub names: Option<Vec<String>>,
    /// Its numbers.
    pub values: Features,
}

impl Table {
    /// From rows of the same length.
    pub fn new(rows: &[Vec<f64>]) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        Table { names: None, values: Features::Dense { rows: rows.len(), columns, values: rows.concat() } }
    }

    /// Its rows.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; self.values.columns()]; self.values.rows()];
        rows.iter_mut().enumerate().for_each(|(i, row)| self.values.dense_row(i, row));
        rows
    }
}

/// A problem and everything that it is made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// The name of the problem.
    pub problem: String,
    /// The kernel.
    pub kernel: KernelKind,
    /// The bias.
    pub bias: Bias,
    /// Values of the parameters that do not vary.
    pub fixed: BTreeMap<String, f64>,
    /// The direction in the plane of parameters.
    pub direction: Option<Direction>,
    /// Other numbers, which may be infinite.
    #[serde(with = "infinite")]
    pub numbers: BTreeMap<String, f64>,
    /// Lists of numbers.
    pub lists: BTreeMap<String, Vec<f64>>,
    /// Words.
    pub words: BTreeMap<String, String>,
    /// Tables.
    pub tables: BTreeMap<String, Table>,
    /// The names of the columns of the features, if they have any.
    pub names: Option<Vec<String>>,
    /// The rows.
    pub rows: Rows,
}

/// Numbers that may be infinite: text has no such number, and holds a word in its place.
mod infinite {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Word(String),
    }

    pub fn serialize<S: Serializer>(numbers: &BTreeMap<String, f64>, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return numbers.serialize(serializer);
        }
        let written = |v: &f64| if v.is_finite() { Written::Number(*v) } else { Written::Word(v.to_string()) };
        numbers.iter().map(|(name, v)| (name, written(v))).collect::<BTreeMap<_, _>>().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, f64>, D::Error> {
        if !deserializer.is_human_readable() {
            return BTreeMap::deserialize(deserializer);
        }
        let written: BTreeMap<String, Written> = BTreeMap::deserialize(deserializer)?;
        let number = |(name, written)| match written {
            Written::Number(number) => Ok((name, number)),
            Written::Word(word) => word.parse().map(|number| (name, number)).map_err(D::Error::custom),
        };
        written.into_iter().map(number).collect()
    }
}

impl Spec {
    /// The description of a problem by its name, without data and options.
    pub fn new(problem: &str) -> Self {
        Spec {
            problem: problem.into(),
            kernel: KernelKind::Linear,
            bias: Bias::None,
            fixed: BTreeMap::new(),
            direction: None,
            numbers: BTreeMap::new(),
            lists: BTreeMap::new(),
            words: BTreeMap::new(),
            tables: BTreeMap::new(),
            names: None,
            rows: Rows::default(),
        }
    }

    /// A number by its name.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.get(name).copied()
    }

    /// The course along which a parameter varies.
    pub fn course(&self, vary: &str) -> Course {
        Course { vary: vary.into(), fixed: self.fixed.clone(), direction: self.direction }
    }
}

/// What the rows of a problem are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Features, and one of two labels.
    Classes,
    /// Features, and a number.
    Numbers,
    /// Features only.
    Features,
    /// Numbers in their order, without features.
    Signal,
    /// No rows: the problem is made from tables.
    Tables,
}

/// What a number may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// Positive and finite.
    Positive,
    /// Not negative and finite.
    NotNegative,
    /// From 0 to 1.
    Share,
    /// Finite.
    Finite,
    /// Any number, also an infinite one.
    Any,
}

/// What an option holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The value of a parameter that does not vary.
    Parameter(Limits),
    /// A number.
    Number(Limits),
    /// A whole number.
    Whole,
    /// Numbers, separated by commas.
    List(Limits),
    /// A word.
    Word,
    /// No value: it is given or not.
    Flag,
    /// A direction in the plane of two costs.
    Direction,
    /// A table; `true`: with a row of names unless `no-header` is given.
    Table(bool),
    /// A table of rows with bounds, see [`crate::constraints`].
    Rows,
    /// A number for all, or a table with one for each.
    Bound,
    /// A JSON document of numbers, lists and matrices, each of which becomes a number or a table of its own name.
    Document,
    /// A text that [`Entry::read`] puts into the description.
    Text,
}

/// An option of a problem.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// Its name.
    pub name: &'static str,
    /// What its value is called in the help.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Its default value.
    pub default: Option<&'static str>,
    /// Options that must be given with it.
    pub requires: &'static [&'static str],
    /// Options that must not be given with it.
    pub excludes: &'static [&'static str],
    /// The parameter that varies by default if this option is given.
    pub varies: Option<&'static str>,
}

impl Opt {
    /// λ, of the problems that have it.
    pub const LAMBDA: Opt = Opt::new(
        "lambda",
        "L",
        Kind::Parameter(Limits::Positive),
        "The penalty lambda > 0, the weight of ½‖f‖² in the objective",
    );

    /// An option that may be left out.
    pub const fn new(name: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Self {
        Opt { name, value, help, kind, default: None, requires: &[], excludes: &[], varies: None }
    }

    /// With a default value.
    pub const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// With a parameter that varies by default if this option is given.
    pub const fn varying(mut self, name: &'static str) -> Self {
        self.varies = Some(name);
        self
    }

    /// With others that must be given too.
    pub const fn with(mut self, requires: &'static [&'static str]) -> Self {
        self.requires = requires;
        self
    }

    /// With others that must not be given.
    pub const fn without(mut self, excludes: &'static [&'static str]) -> Self {
        self.excludes = excludes;
        self
    }
}

/// How a description becomes the problem of which some parameters vary.
pub type Build = fn(&Spec, &[&str]) -> Result<Box<dyn PathProblem>, AdapterError>;

/// How the text of an option of this name is taken into a description.
pub type Read = fn(&mut Spec, &str, &str) -> Result<(), AdapterError>;

/// The description of a problem without data.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one line, for the help.
    pub about: &'static str,
    /// What its rows are.
    pub data: Data,
    /// Whether it has case weights.
    pub weights: bool,
    /// Whether its features can be scaled.
    pub scale: bool,
    /// Whether it has a kernel.
    pub kernel: bool,
    /// The default kernel.
    pub default_kernel: KernelChoice,
    /// The default bias.
    pub bias: Bias,
    /// Whether `--bias` can set another one.
    pub biased: bool,
    /// The parameters that can vary; the first one is the default.
    pub vary: &'static [&'static str],
    /// The two parameters of its maps without rows, the coordinates of θ.
    pub plane: Option<[&'static str; 2]>,
    /// Whether it has maps with rows, in any number of parameters, the coordinates of θ.
    pub regions: bool,
    /// Its options.
    pub options: &'static [Opt],
    /// Which of the options that only some problems have it has: `test` (rates on test rows), `ranks` (ranks of outliers).
    pub answers: &'static [&'static str],
    /// Parameters without which it cannot be posed, apart from the one that varies.
    pub required: &'static [&'static str],
    /// Reads its options of the kind [`Kind::Text`].
    pub read: Option<Read>,
    /// Makes the problem from its description and the parameters that vary.
    pub build: Build,
}

impl Entry {
    /// A problem on tables, with options and nothing else.
    pub const fn new(name: &'static str, about: &'static str, vary: &'static [&'static str], build: Build) -> Self {
        Entry {
            name,
            about,
            data: Data::Tables,
            weights: false,
            scale: false,
            kernel: false,
            default_kernel: KernelChoice::LINEAR,
            bias: Bias::None,
            biased: false,
            vary,
            plane: None,
            regions: false,
            options: &[],
            answers: &[],
            required: &[],
            read: None,
            build,
        }
    }

    /// A problem that learns a function by a kernel.
    pub const fn kernel(name: &'static str, about: &'static str, vary: &'static [&'static str], build: Build) -> Self {
        Entry {
            weights: true,
            scale: true,
            kernel: true,
            bias: Bias::Intercept,
            ..Entry::new(name, about, vary, build)
        }
    }

    /// An option by its name.
    pub fn option(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().find(|option| option.name == name)
    }
}
