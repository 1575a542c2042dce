//! From the labels of a file to the signs of a two-class problem.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Dataset;
use super::error::DataError;
use super::message::{number_text, shown};

/// A label: a number, or a word of a table. Numbers come before words.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum Label {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

impl Label {
    /// Whether the two are the same label in writing: the word 2 is the number 2.
    pub fn is(&self, other: &Label) -> bool {
        match (self, other) {
            (Label::Word(word), Label::Number(number)) | (Label::Number(number), Label::Word(word)) => {
                word.parse() == Ok(*number)
            }
            _ => self == other,
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Number(number) => f.write_str(&number_text(*number)),
            Label::Word(word) => f.write_str(&shown(word)),
        }
    }
}

impl FromStr for Label {
    type Err = &'static str;

    /// A number if the text spells one that is finite, and otherwise a word.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Label::Number(number)),
            _ if text.trim().is_empty() => Err("it is empty"),
            _ => Ok(Label::Word(text.trim().to_owned())),
        }
    }
}

/// As it stands in formats that people read, and with its kind in others.
impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (serializer.is_human_readable(), self) {
            (true, Label::Number(number)) => serializer.serialize_f64(*number),
            (true, Label::Word(word)) => serializer.serialize_str(word),
            (false, Label::Number(number)) => (Some(number), "").serialize(serializer),
            (false, Label::Word(word)) => (None::<f64>, word).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(f64),
            Word(String),
        }
        if deserializer.is_human_readable() {
            return Ok(match Either::deserialize(deserializer)? {
                Either::Number(number) => Label::Number(number),
                Either::Word(word) => Label::Word(word),
            });
        }
        let (number, word) = <(Option<f64>, String)>::deserialize(deserializer)?;
        Ok(number.map_or(Label::Word(word), Label::Number))
    }
}

/// The two labels of a two-class problem, as the file has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classes {
    /// The label that stands for y = −1.
    pub negative: Label,
    /// The label that stands for y = +1.
    pub positive: Label,
}

impl Classes {
    /// The sign y_i ∈ {−1, +1} of each row of `data`, length n. The rows may all be of one class, so that a test set can
    /// be read with the classes of its training set.
    ///
    /// # Errors
    ///
    /// [`DataError::LabelUnknown`] names the first row whose label is neither of the two.
    pub fn signs(&self, data: &Dataset) -> Result<Vec<f64>, DataError> {
        let sign = |i: usize| {
            let label = data.label(i);
            if label == self.positive {
                Ok(1.0)
            } else if label == self.negative {
                Ok(-1.0)
            } else {
                Err(DataError::LabelUnknown {
                    file: data.source.clone(),
                    line: data.line(i),
                    label,
                    known: Box::new([self.negative.clone(), self.positive.clone()]),
                })
            }
        };
        (0..data.rows()).map(sign).collect()
    }
}

/// The signs y_i ∈ {−1, +1} of the rows of `data`, length n, and the labels they stand for.
///
/// Any two labels will do. The label `positive` becomes +1 or, without it, the larger of the two; of two words, the later one in alphabetical order.
///
/// # Errors
///
/// [`DataError::OneClass`] when all rows have the same label, [`DataError::ManyClasses`] when there is a third one,
/// [`DataError::PositiveAbsent`] when no row has the label `positive` and [`DataError::Empty`] when there are no rows.
pub fn two_classes(data: &Dataset, positive: Option<&Label>) -> Result<(Vec<f64>, Classes), DataError> {
    let [smaller, larger] = two_labels(data)?;
    let classes = match positive {
        Some(label) if label.is(&smaller) => Classes { negative: larger, positive: smaller },
        Some(label) if !label.is(&larger) => {
            return Err(DataError::PositiveAbsent {
                file: data.source.clone(),
                positive: label.clone(),
                found: [smaller, larger],
            });
        }
        _ => Classes { negative: smaller, positive: larger },
    };
    Ok((classes.signs(data)?, classes))
}

/// The two labels of `data`, the smaller first.
fn two_labels(data: &Dataset) -> Result<[Label; 2], DataError> {
    let Some(&first) = data.response.first() else {
        let file = data.source.clone();
        return Err(DataError::Empty { file });
    };
    let Some(other) = data.response.iter().position(|&label| label != first) else {
        return Err(DataError::OneClass { file: data.source.clone(), label: data.label(0), rows: data.rows() });
    };
    let second = data.response[other];
    let is_third = |label: f64| label != first && label != second;
    match data.response.iter().position(|&label| is_third(label)) {
        None if first < second => Ok([data.label(0), data.label(other)]),
        None => Ok([data.label(other), data.label(0)]),
        Some(i) => Err(DataError::ManyClasses {
            file: data.source.clone(),
            line: data.line(i),
            label: data.label(i),
            earlier: Box::new([data.label(0), data.label(other)]),
            labels: count_distinct(&data.response),
            rows: data.rows(),
        }),
    }
}

/// The number of different values.
fn count_distinct(values: &[f64]) -> usize {
    // Adding zero turns −0 into +0.
    let mut sorted: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    sorted.len()
}
