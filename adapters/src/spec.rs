//! A problem with its data, as a value: the command line makes it from arguments, Python from arrays, and path files contain it.
//!
//! An [`Entry`] describes a problem without data: its name, its options, and how a [`Spec`] becomes a [`PathProblem`]. Those of the included problems are in
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
    /// The features, n × d, scaled.
    pub features: Arc<Features>,
    /// The responses: n labels +1 or −1, or n numbers.
    pub response: Vec<f64>,
    /// The case weights, n values, if there are any.
    pub weights: Option<Vec<f64>>,
}

impl Default for Rows {
    fn default() -> Self {
        let features = Arc::new(Features::Dense { rows: 0, columns: 0, values: Vec::new() });
        Rows { features, response: Vec::new(), weights: None }
    }
}

/// A table of numbers other than the rows: bounds, edges, matrices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The names of its columns, if it has any.
    pub names: Option<Vec<String>>,
    /// Its numbers.
    pub values: Features,
}

impl Table {
    /// A table from rows of equal length.
    pub fn new(rows: &[Vec<f64>]) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        Table { names: None, values: Features::Dense { rows: rows.len(), columns, values: rows.concat() } }
    }

    /// The rows of the table.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; self.values.columns()]; self.values.rows()];
        rows.iter_mut().enumerate().for_each(|(i, row)| self.values.dense_row(i, row));
        rows
    }
}

/// A problem and all data that it is made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// The name of the problem.
    pub problem: String,
    /// The kernel.
    pub kernel: KernelKind,
    /// The kind of bias.
    pub bias: Bias,
    /// The values of the parameters that do not vary, by name.
    pub fixed: BTreeMap<String, f64>,
    /// The direction in the plane of two costs, if one is given.
    pub direction: Option<Direction>,
    /// Other numbers by name; they may be infinite.
    #[serde(with = "infinite")]
    pub numbers: BTreeMap<String, f64>,
    /// Lists of numbers by name.
    pub lists: BTreeMap<String, Vec<f64>>,
    /// Words by name.
    pub words: BTreeMap<String, String>,
    /// Tables by name.
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
    /// The description of a problem with this name, without data or options.
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

    /// The number with this name, if it is given.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.get(name).copied()
    }

    /// The course along which the parameter `vary` varies, with the fixed values of this description.
    pub fn course(&self, vary: &str) -> Course {
        Course { vary: vary.into(), fixed: self.fixed.clone(), direction: self.direction }
    }
}

/// The kind of rows that a problem is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Features, with one of two labels in each row.
    Classes,
    /// Features, with a number in each row.
    Numbers,
    /// Features alone.
    Features,
    /// A sequence of numbers, without features.
    Signal,
    /// No rows: the problem is made from tables.
    Tables,
}

/// The numbers that an option allows.
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

/// The kind of value of an option.
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
    /// A table; with `true` its first row contains names, unless `no-header` is given.
    Table(bool),
    /// A table of rows with bounds, see [`crate::constraints`].
    Rows,
    /// One number for all, or a table with one number for each.
    Bound,
    /// A JSON document of numbers, lists and matrices; each becomes a number or a table with the name of its key.
    Document,
    /// A text that [`Entry::read`] reads into the description.
    Text,
}

/// An option of a problem.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// Its name.
    pub name: &'static str,
    /// The name of its value in the help.
    pub value: &'static str,
    /// The help text.
    pub help: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// Its default value.
    pub default: Option<&'static str>,
    /// Options that must be given with it.
    pub requires: &'static [&'static str],
    /// Options that must not be given with it.
    pub excludes: &'static [&'static str],
    /// The parameter that varies by default when this option is given.
    pub varies: Option<&'static str>,
}

impl Opt {
    /// The penalty λ, of problems that have it as an option.
    pub const LAMBDA: Opt = Opt::new(
        "lambda",
        "L",
        Kind::Parameter(Limits::Positive),
        "The penalty lambda > 0, the weight of ½‖f‖² in the objective",
    );

    /// An option that need not be given.
    pub const fn new(name: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Self {
        Opt { name, value, help, kind, default: None, requires: &[], excludes: &[], varies: None }
    }

    /// With a default value.
    pub const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// The option with a parameter that varies by default when it is given.
    pub const fn varying(mut self, name: &'static str) -> Self {
        self.varies = Some(name);
        self
    }

    /// The option with others that must be given with it.
    pub const fn with(mut self, requires: &'static [&'static str]) -> Self {
        self.requires = requires;
        self
    }

    /// The option with others that must not be given with it.
    pub const fn without(mut self, excludes: &'static [&'static str]) -> Self {
        self.excludes = excludes;
        self
    }
}

/// A function that makes the problem of a description, given the names of the parameters that vary.
pub type Build = fn(&Spec, &[&str]) -> Result<Box<dyn PathProblem>, AdapterError>;

/// A function that reads the text of an option into a description: `(spec, name, text)`.
pub type Read = fn(&mut Spec, &str, &str) -> Result<(), AdapterError>;

/// A problem without data: its name, its options, and how it is made.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for the help.
    pub about: &'static str,
    /// The kind of its rows.
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
    /// Whether the option `--bias` exists.
    pub biased: bool,
    /// The parameters that can vary; the first one is the default.
    pub vary: &'static [&'static str],
    /// The two parameters of its maps, the coordinates of θ, for problems without rows; `None` without such maps.
    pub plane: Option<[&'static str; 2]>,
    /// Whether it has critical regions in any number of parameters (the coordinates of θ), by the method for problems with rows.
    pub regions: bool,
    /// Its options.
    pub options: &'static [Opt],
    /// Which of the optional outputs it has: `test` (rates on test rows), `ranks` (ranks of outliers).
    pub answers: &'static [&'static str],
    /// Parameters that must have a value, unless they vary.
    pub required: &'static [&'static str],
    /// The function that reads its options of the kind [`Kind::Text`].
    pub read: Option<Read>,
    /// The function that makes the problem.
    pub build: Build,
}

impl Entry {
    /// An entry of a problem that is made from tables, without options.
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

    /// An entry of a problem that learns a function by a kernel.
    pub const fn kernel(name: &'static str, about: &'static str, vary: &'static [&'static str], build: Build) -> Self {
        Entry {
            weights: true,
            scale: true,
            kernel: true,
            bias: Bias::Intercept,
            ..Entry::new(name, about, vary, build)
        }
    }

    /// The option with this name.
    pub fn option(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().find(|option| option.name == name)
    }
}
