//! The roles of the columns of a table, and its rows.

use std::collections::HashMap;

use ::csv::StringRecord;
use serde::{Deserialize, Serialize};

use super::error::DataError;
use super::features::Features;
use super::message::{Column, Role};
use super::number::{self, NumberFault};
use super::{Dataset, ReadOptions};

/// A column of categories, with its levels in the order of their features.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Categories {
    /// The name of the column or, without a row of names, its number.
    pub column: String,
    /// The levels, all different.
    pub levels: Vec<String>,
}

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Nothing,
    Response,
    Weights,
    Index,
    /// The input of this number.
    Number(usize),
    /// The input of this number, and which of the columns of categories it is.
    Category(usize, usize),
}

/// What the columns are for.
pub(super) struct Layout<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    /// What each column is for.
    uses: Vec<Use>,
    /// The columns of the inputs, in the order of the features.
    inputs: Vec<usize>,
    /// The names of all columns.
    names: Option<Vec<String>>,
    response: Option<usize>,
    /// Whether the labels are words.
    words: bool,
}

impl<'a> Layout<'a> {
    /// The layout of `width` columns.
    pub fn new(
        file: &'a str,
        names: Option<Vec<String>>,
        width: usize,
        options: &'a ReadOptions,
    ) -> Result<Self, DataError> {
        let uses = vec![Use::Nothing; width];
        let mut layout = Self { file, options, uses, inputs: Vec::new(), names, response: None, words: false };
        for name in &options.exclude {
            layout.find(Role::Exclude, name)?;
        }
        let named = [(Role::Index, &options.index, Use::Index), (Role::Weights, &options.weights, Use::Weights)];
        for (role, name, what) in named {
            if let Some(name) = name {
                let column = layout.find(role, name)?;
                layout.give(column, what)?;
            }
        }
        layout.response = match &options.response {
            Some(name) => Some(layout.find(Role::Response, name)?),
            None if options.unlabelled => None,
            // The last column that is not left out and does not name the rows.
            None => (0..width).rev().find(|&j| layout.uses[j] != Use::Index && !layout.is_excluded(j)),
        };
        if let Some(response) = layout.response {
            layout.give(response, Use::Response)?;
        }
        layout.inputs = match &options.only {
            Some(names) => names.iter().map(|name| layout.find(Role::Feature, name)).collect::<Result<_, _>>()?,
            None => (0..width).filter(|&j| layout.uses[j] == Use::Nothing && !layout.is_excluded(j)).collect(),
        };
        for (slot, column) in layout.inputs.clone().into_iter().enumerate() {
            layout.give(column, Use::Number(slot))?;
        }
        for (k, name) in options.categorical.iter().enumerate() {
            let column = layout.find(Role::Categorical, name)?;
            match layout.uses[column] {
                Use::Number(slot) => layout.uses[column] = Use::Category(slot, k),
                // A column that is not looked at.
                Use::Nothing if !layout.is_excluded(column) => {}
                _ => return Err(layout.shared(column)),
            }
        }
        Ok(layout)
    }

    fn is_excluded(&self, j: usize) -> bool {
        let is_it = |name: &String| match &self.names {
            Some(names) => names[j] == name.trim(),
            None => name.trim().parse() == Ok(j + 1),
        };
        self.options.exclude.iter().any(is_it)
    }

    /// A column is for one thing.
    fn give(&mut self, column: usize, what: Use) -> Result<(), DataError> {
        if self.uses[column] != Use::Nothing || self.is_excluded(column) {
            return Err(self.shared(column));
        }
        self.uses[column] = what;
        Ok(())
    }

    fn shared(&self, column: usize) -> DataError {
        DataError::SharedColumn { file: self.file.to_owned(), column: self.column(column) }
    }

    /// The column (from 0) of a name or, without names, of a number.
    fn find(&self, role: Role, name: &str) -> Result<usize, DataError> {
        let file = self.file.to_owned();
        let wanted = name.to_owned();
        match &self.names {
            Some(names) => {
                let found = names.iter().position(|other| other == name.trim());
                found.ok_or_else(|| DataError::UnknownColumn { file, role, name: wanted, available: names.clone() })
            }
            None => match name.trim().parse::<usize>() {
                Ok(number) if (1..=self.uses.len()).contains(&number) => Ok(number - 1),
                _ => Err(DataError::UnknownColumnNumber { file, role, name: wanted, columns: self.uses.len() }),
            },
        }
    }

    /// Whether there are features, as many as were asked for; the first row is on `line`.
    pub fn check(&self, line: usize, delimiter: Option<u8>) -> Result<(), DataError> {
        let file = self.file.to_owned();
        match (self.inputs.len(), self.options.features) {
            (0, Some(0)) => Ok(()),
            (0, _) => Err(DataError::NoFeatures { file, line, columns: self.uses.len(), delimiter }),
            (found, Some(expected)) if found != expected && self.options.categorical.is_empty() => {
                Err(DataError::FeatureCount { file, found, expected })
            }
            _ => Ok(()),
        }
    }

    /// Whether the cells of column `j` (from 0) are looked at.
    pub fn is_used(&self, j: usize) -> bool {
        self.uses[j] != Use::Nothing
    }

    /// Whether column `j`, of this name, is a number or the response, and no option says so.
    pub fn is_by_default(&self, j: usize, name: &str) -> bool {
        let named = self.options.response.as_deref().is_some_and(|response| response.trim() == name);
        matches!(self.uses[j], Use::Number(_) | Use::Response) && !named && self.options.only.is_none()
    }

    /// Labels are words if that of the first row is one.
    pub fn look_at(&mut self, first: &StringRecord) {
        let label = self.response.and_then(|j| first.get(j)).map(|label| number::parse(label.trim()));
        self.words = self.options.words && matches!(label, Some(Err(NumberFault::Malformed)));
    }

    /// What to call column `j` (from 0) in a message.
    fn column(&self, j: usize) -> Column {
        let name = self.names.as_ref().and_then(|names| names.get(j));
        name.map_or(Column::Numbered(j + 1), |name| Column::Named(name.clone()))
    }

    /// The name of column `j`, or its number.
    fn name(&self, j: usize) -> String {
        self.names.as_ref().and_then(|names| names.get(j)).cloned().unwrap_or_else(|| (j + 1).to_string())
    }

    /// The levels of a column of categories that are known beforehand.
    fn known(&self, column: &str) -> Option<&'a [String]> {
        let known = self.options.categories.iter().find(|known| known.column == column);
        known.map(|known| known.levels.as_slice())
    }
}

/// The rows read so far.
pub(super) struct Rows<'a> {
    layout: &'a Layout<'a>,
    /// Row after row the inputs; of a category, the place of its level in the order of the file.
    values: Vec<f64>,
    response: Vec<f64>,
    labels: Levels,
    categories: Vec<Levels>,
    weights: Vec<f64>,
    row_names: Vec<String>,
    lines: Vec<usize>,
}

impl<'a> Rows<'a> {
    pub fn new(layout: &'a Layout<'a>) -> Self {
        Self {
            layout,
            values: Vec::new(),
            response: Vec::new(),
            labels: Levels::default(),
            categories: layout.options.categorical.iter().map(|_| Levels::default()).collect(),
            weights: Vec::new(),
            row_names: Vec::new(),
            lines: Vec::new(),
        }
    }

    pub fn push(&mut self, line: usize, record: &StringRecord) -> Result<(), DataError> {
        let (file, width) = (self.layout.file, self.layout.uses.len());
        if record.len() != width {
            return Err(DataError::FieldCount { file: file.to_owned(), line, found: record.len(), expected: width });
        }
        let begin = self.values.len();
        self.values.resize(begin + self.layout.inputs.len(), 0.0);
        let mut norm_squared = 0.0;
        for (j, cell) in record.iter().enumerate() {
            let cell = cell.trim();
            let fail = |rows: &Self, fault| rows.number_error(line, j, cell, fault);
            match self.layout.uses[j] {
                Use::Nothing => {}
                Use::Index => self.row_names.push(cell.to_owned()),
                Use::Category(..) | Use::Response if cell.is_empty() => return Err(fail(self, NumberFault::Missing)),
                Use::Category(slot, k) => self.values[begin + slot] = self.categories[k].place(cell) as f64,
                Use::Response if self.layout.words => self.response.push(self.labels.place(cell) as f64),
                Use::Response => self.response.push(number::parse(cell).map_err(|fault| fail(self, fault))?),
                Use::Weights => self.weights.push(number::weight(cell).map_err(|fault| fail(self, fault))?),
                Use::Number(slot) => {
                    let value = number::parse(cell).map_err(|fault| fail(self, fault))?;
                    norm_squared += value * value;
                    self.values[begin + slot] = value;
                }
            }
        }
        if !f64::is_finite(norm_squared) {
            let file = file.to_owned();
            return Err(DataError::RowNorm { file, line });
        }
        if self.layout.response.is_none() {
            self.response.push(0.0);
        }
        self.lines.push(line);
        Ok(())
    }

    fn number_error(&self, line: usize, j: usize, cell: &str, fault: NumberFault) -> DataError {
        let (file, column, value) = (self.layout.file.to_owned(), self.layout.column(j), cell.to_owned());
        let is_input = matches!(self.layout.uses[j], Use::Number(_));
        let fault = match fault {
            NumberFault::Malformed if self.lines.is_empty() && self.layout.names.is_none() => NumberFault::Header,
            NumberFault::Malformed if is_input => return DataError::Word { file, line, column, value },
            other => other,
        };
        DataError::Number { file, line, column, value, fault }
    }

    pub fn finish(mut self) -> Result<Dataset, DataError> {
        let layout = self.layout;
        let of_names = layout.names.is_some();
        let labels = layout.words.then(|| self.labels.sorted());
        if let Some((_, order)) = &labels {
            self.response.iter_mut().for_each(|label| *label = order[*label as usize] as f64);
        }
        let expanded = self.expand()?;
        let columns = expanded.names.len();
        match layout.options.features {
            Some(expected) if expected != columns => {
                return Err(DataError::FeatureCount { file: layout.file.to_owned(), found: columns, expected });
            }
            _ => {}
        }
        let features = Features::Dense { rows: self.lines.len(), columns, values: expanded.values };
        Ok(Dataset {
            features: features.compact(),
            response: self.response,
            labels: labels.map(|(levels, _)| levels),
            weights: layout.options.weights.as_ref().map(|_| self.weights),
            feature_names: of_names.then_some(expanded.names),
            inputs: of_names.then(|| layout.inputs.iter().map(|&j| layout.name(j)).collect()),
            categories: expanded.categories,
            response_name: layout.response.filter(|_| of_names).map(|j| layout.name(j)),
            row_names: layout.options.index.as_ref().map(|_| self.row_names),
            source: layout.file.to_owned(),
            lines: self.lines,
        })
    }

    /// Each column of categories becomes a column a level.
    fn expand(&mut self) -> Result<Expanded, DataError> {
        let layout = self.layout;
        let (mut names, mut kinds, mut categories) = (Vec::new(), Vec::new(), Vec::new());
        for &j in &layout.inputs {
            let Use::Category(slot, k) = layout.uses[j] else {
                kinds.push(None);
                names.push(layout.name(j));
                continue;
            };
            let column = layout.name(j);
            let (levels, places) = match layout.known(&column) {
                None => self.categories[k].sorted(),
                Some(known) => (known.to_vec(), self.among((slot, k), j, known)?),
            };
            let first = usize::from(layout.options.drop_first);
            names.extend(levels.iter().skip(first).map(|level| format!("{column}={level}")));
            kinds.push(Some((places, levels.len().saturating_sub(first), first)));
            categories.push(Categories { column, levels });
        }
        let inputs = std::mem::take(&mut self.values);
        if categories.is_empty() {
            return Ok(Expanded { names, categories, values: inputs });
        }
        let mut values = Vec::with_capacity(self.lines.len() * names.len());
        for row in inputs.chunks_exact(kinds.len()) {
            for (value, kind) in row.iter().zip(&kinds) {
                match kind {
                    None => values.push(*value),
                    Some((places, width, first)) => {
                        let level = places[*value as usize];
                        values.extend((0..*width).map(|k| f64::from(u8::from(k + first == level))));
                    }
                }
            }
        }
        Ok(Expanded { names, categories, values })
    }

    /// The places of a column's levels among those that are known.
    fn among(&self, (slot, k): (usize, usize), j: usize, known: &[String]) -> Result<Vec<usize>, DataError> {
        let of: HashMap<&str, usize> = known.iter().enumerate().map(|(place, level)| (level.as_str(), place)).collect();
        let find = |(place, level): (usize, &String)| {
            of.get(level.as_str()).copied().ok_or_else(|| {
                let mut column = self.values.iter().skip(slot).step_by(self.layout.inputs.len());
                let row = column.position(|value| *value as usize == place).unwrap_or(0);
                DataError::UnknownLevel {
                    file: self.layout.file.to_owned(),
                    line: self.lines.get(row).copied().unwrap_or(row + 1),
                    column: self.layout.column(j),
                    value: level.as_str().into(),
                    known: known.into(),
                }
            })
        };
        self.categories[k].levels.iter().enumerate().map(find).collect()
    }
}

/// Features of inputs.
struct Expanded {
    names: Vec<String>,
    categories: Vec<Categories>,
    values: Vec<f64>,
}

/// Different words, in the order in which they came.
#[derive(Default)]
struct Levels {
    levels: Vec<String>,
    places: HashMap<String, usize>,
}

impl Levels {
    fn place(&mut self, word: &str) -> usize {
        if let Some(place) = self.places.get(word) {
            return *place;
        }
        self.levels.push(word.to_owned());
        self.places.insert(word.to_owned(), self.levels.len() - 1);
        self.levels.len() - 1
    }

    /// The words in order, and the place there of each in the order in which they came: numbers by size and before other words, those by their letters.
    fn sorted(&self) -> (Vec<String>, Vec<usize>) {
        let number = |word: &String| word.parse::<f64>().ok().filter(|value| value.is_finite());
        let mut order: Vec<usize> = (0..self.levels.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&self.levels[a], &self.levels[b]);
            match (number(a), number(b)) {
                (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
                (x, y) => y.is_some().cmp(&x.is_some()).then_with(|| a.cmp(b)),
            }
        });
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &k)| places[k] = place);
        (order.iter().map(|&k| self.levels[k].clone()).collect(), places)
    }
}
