//! Values of solutions and paths, by name: tables print them, JSON documents contain them, and Python returns them.

use crate::problem::Constant;
use pathqp::Path;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Missing,
    /// A number; in JSON null if it is not finite.
    Number(f64),
    /// A count.
    Count(usize),
    /// A truth value.
    Truth(bool),
    /// Text.
    Text(String),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// Indices of a list, counted from zero.
    Indices(Vec<usize>),
    /// Texts.
    Texts(Vec<String>),
    /// A matrix, row by row.
    Table(Vec<Vec<f64>>),
    /// A constant that may not be unique, with the value that is used.
    Constant(Constant, f64),
    /// Values by name.
    Record(Vec<(&'static str, Value)>),
    /// Several values.
    List(Vec<Value>),
}

impl Value {
    /// The list of numbers, if the value is one.
    pub fn numbers(&self) -> Option<&[f64]> {
        if let Value::Numbers(numbers) = self { Some(numbers) } else { None }
    }

    /// All numbers of the value, in order.
    pub fn flat(&self) -> Vec<f64> {
        match self {
            Value::Number(value) | Value::Constant(_, value) => vec![*value],
            Value::Count(count) => vec![*count as f64],
            Value::Numbers(numbers) => numbers.clone(),
            Value::Indices(indices) => indices.iter().map(|index| *index as f64).collect(),
            Value::Table(rows) => rows.concat(),
            Value::Missing | Value::Truth(_) | Value::Text(_) | Value::Texts(_) | Value::Record(_) | Value::List(_) => {
                Vec::new()
            }
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Value::Count(count)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.into())
    }
}

impl From<Vec<f64>> for Value {
    fn from(numbers: Vec<f64>) -> Self {
        Value::Numbers(numbers)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Missing, Into::into)
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Missing => serializer.serialize_none(),
            Value::Number(value) => value.serialize(serializer),
            Value::Count(count) => count.serialize(serializer),
            Value::Truth(truth) => truth.serialize(serializer),
            Value::Text(text) => text.serialize(serializer),
            Value::Numbers(numbers) => numbers.serialize(serializer),
            Value::Indices(indices) => indices.serialize(serializer),
            Value::Texts(texts) => texts.serialize(serializer),
            Value::Table(rows) => rows.serialize(serializer),
            Value::Constant(constant, _) => constant.serialize(serializer),
            Value::List(values) => values.serialize(serializer),
            Value::Record(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
                map.end()
            }
        }
    }
}

/// A statement about a path: a value, a line of text, or a warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The value with its name, for JSON and Python.
    pub value: Option<(&'static str, Value)>,
    /// The description and the value in words, for the printed summary.
    pub text: Option<(String, String)>,
    /// A warning.
    pub warning: Option<String>,
}

impl Fact {
    /// A value for JSON and Python only.
    pub fn value(name: &'static str, value: impl Into<Value>) -> Self {
        Fact { value: Some((name, value.into())), text: None, warning: None }
    }

    /// A line for the printed summary only.
    pub fn text(what: impl Into<String>, text: impl Into<String>) -> Self {
        Fact { value: None, text: Some((what.into(), text.into())), warning: None }
    }

    /// The number of different solutions of a path whose coefficients are step functions. Along the chords of an approximate path they are not: nothing is said of one.
    pub fn solutions(path: &Path<f64>) -> Vec<Self> {
        if path.tolerance().is_some() {
            return Vec::new();
        }
        let count = path.breakpoints().len() + 1;
        vec![Fact::value("solutions", count), Fact::text("solutions", format!("{count} different ones"))]
    }

    /// A warning; `{file}` stands for the file that the problem was read from.
    pub fn warning(text: impl Into<String>) -> Self {
        Fact { value: None, text: None, warning: Some(text.into()) }
    }
}
