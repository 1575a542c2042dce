//! Data files: training rows, and further rows in the columns of the training rows.

use crate::errors::CliError;
use crate::values::MOST_COLUMNS;
use pathqp_adapters::dataset::{
    self, Categories, Classes, Dataset, Features, Label, ReadOptions, Scaler, Scaling, two_classes,
};
use pathqp_adapters::spec::{Data, Rows};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// How the training data were read, kept with the path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataOptions {
    /// The response column of a table.
    pub response: Option<String>,
    /// The table has no row of names.
    pub no_header: bool,
    /// The number of feature columns.
    pub features: Option<usize>,
    /// The indices of LIBSVM text start at 0.
    pub zero_based: bool,
    /// The label that stands for +1.
    pub positive: Option<Label>,
    /// The column of case weights of a table.
    pub weights: Option<String>,
    /// Columns of a table that are left out.
    pub exclude: Vec<String>,
    /// The column of a table that names the rows.
    pub index: Option<String>,
    /// Columns of a table whose values are categories.
    pub categorical: Vec<String>,
    /// The first level of each column of categories has no feature.
    pub drop_first: bool,
}

impl DataOptions {
    /// In the words of the reader.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            response: self.response.clone(),
            no_header: self.no_header,
            features: self.features,
            zero_based: self.zero_based,
            weights: self.weights.clone(),
            exclude: self.exclude.clone(),
            index: self.index.clone(),
            categorical: self.categorical.clone(),
            drop_first: self.drop_first,
            ..ReadOptions::default()
        }
    }
}

/// The columns of the training data, and what was done to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// How the data were read.
    pub options: DataOptions,
    /// The two labels, of a problem that has them.
    pub classes: Option<Classes>,
    /// The scaling.
    pub scaler: Scaler,
    /// The names of the features, if the file has names.
    pub feature_names: Option<Vec<String>>,
    /// The columns that they come from.
    pub inputs: Option<Vec<String>>,
    /// The levels of those that are categories.
    pub categories: Vec<Categories>,
    /// The name of the response.
    pub response_name: Option<String>,
}

/// Rows besides the training data.
pub struct Further {
    /// The features, scaled.
    pub features: Features,
    /// The names of the rows, where the training data have them and the file too.
    pub names: Option<Vec<String>>,
    /// The signs of their labels, if there are labels and all are known.
    pub signs: Option<Vec<f64>>,
}

/// Training data as read and scaled.
pub struct Training {
    /// The rows.
    pub rows: Rows,
    /// Their columns.
    pub columns: Columns,
    /// The line of each row.
    pub lines: Vec<usize>,
}

/// Reads training data.
///
/// # Errors
/// The file, the labels, or values that the scaling cannot take.
pub fn read_training(path: &Path, options: DataOptions, scaling: Scaling, kind: Data) -> Result<Training, CliError> {
    let data = read_as(path, &options, kind)?;
    let (response, classes) = match kind {
        Data::Classes => {
            two_classes(&data, options.positive.as_ref()).map(|(signs, classes)| (signs, Some(classes)))?
        }
        _ => (data.response.clone(), None),
    };
    let scaler = fit(&data, scaling);
    let features = scaled(&scaler, &data.features, path)?.compact();
    let Dataset { feature_names, inputs, categories, response_name, .. } = data;
    let columns = Columns { options, classes, scaler, feature_names, inputs, categories, response_name };
    let rows = Rows { features: Arc::new(features), response, weights: data.weights };
    Ok(Training { rows, columns, lines: data.lines })
}

/// The file; where a problem has no response, and none is named, every column of a table is a feature, and the response is zero.
fn read_as(path: &Path, options: &DataOptions, kind: Data) -> Result<Dataset, CliError> {
    let unlabelled = kind == Data::Features && options.response.is_none();
    read(path, &ReadOptions { unlabelled, words: kind == Data::Classes, ..options.read_options() })
}

/// The values of one column, in the order of the rows; a table may have others.
///
/// # Errors
/// The file.
pub fn read_signal(path: &Path, options: &DataOptions) -> Result<Vec<f64>, CliError> {
    let alone = dataset::columns(path, options.no_header)?.is_some_and(|columns| columns.len() == 1);
    let features = if alone { Some(0) } else { options.features };
    Ok(read(path, &ReadOptions { features, ..options.read_options() })?.response)
}

fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, CliError> {
    let data = dataset::read(path, options)?;
    let columns = data.features.columns();
    if columns > MOST_COLUMNS {
        return Err(CliError::TooWide { file: data.source, columns, most: MOST_COLUMNS });
    }
    Ok(data)
}

/// The scaling by the rows that have a say: each row of positive weight counts once, one of weight zero not at all.
fn fit(data: &Dataset, scaling: Scaling) -> Scaler {
    let counted = |weights: &Vec<f64>| (0..data.rows()).filter(|&i| weights[i] > 0.0).collect::<Vec<usize>>();
    match data.weights.as_ref().map(counted).filter(|rows| rows.len() < data.rows()) {
        Some(rows) => Scaler::fit(&data.features.select_rows(&rows), scaling),
        None => Scaler::fit(&data.features, scaling),
    }
}

fn scaled(scaler: &Scaler, features: &Features, path: &Path) -> Result<Features, CliError> {
    scaler.apply(features).map_err(|error| CliError::Scaling { file: path.display().to_string(), error })
}

impl Columns {
    /// The number of features d.
    pub fn count(&self) -> usize {
        self.scaler.columns()
    }

    /// The training data read again, to be compared with those kept: how they were read and scaled comes from here.
    ///
    /// # Errors
    /// The file, or another number of columns.
    pub fn reread(&self, path: &Path, kind: Data) -> Result<(Rows, Vec<usize>), CliError> {
        let data = read_as(path, &self.options, kind)?;
        let (found, expected) = (data.features.columns(), self.count());
        if found != expected {
            return Err(CliError::OtherSize { file: data.source, what: "feature columns", found, expected });
        }
        let response = self.response(&data)?;
        let features = scaled(&self.scaler, &data.features, path)?.compact();
        Ok((Rows { features: Arc::new(features), response, weights: data.weights }, data.lines))
    }

    /// The response of each row: signs where there are classes.
    ///
    /// # Errors
    /// A label that is neither of them.
    pub fn response(&self, data: &Dataset) -> Result<Vec<f64>, CliError> {
        match &self.classes {
            Some(classes) => Ok(classes.signs(data)?),
            None => Ok(data.response.clone()),
        }
    }

    /// Rows with their response, scaled: features and signs or numbers.
    ///
    /// # Errors
    /// The file, its labels, or columns that do not agree.
    pub fn read_labelled(&self, path: &Path) -> Result<(Features, Vec<f64>), CliError> {
        let (options, _) = self.further(path)?;
        let data = self.read(path, &options, None)?;
        Ok((scaled(&self.scaler, &data.features, path)?, self.response(&data)?))
    }

    /// Rows with or without a response, scaled. Columns of a table go by name when the training data have names, and
    /// by position otherwise; others than the features are ignored. Labels are read if they are `asked` for and there are some.
    ///
    /// # Errors
    /// The file, or columns that do not agree.
    pub fn read_features(&self, path: &Path, asked: bool) -> Result<Further, CliError> {
        let (mut options, columns) = self.further(path)?;
        if let Some(columns) = &columns {
            let has = |name: &Option<String>| name.as_ref().is_some_and(|name| columns.contains(name));
            match self.inputs {
                Some(_) if asked && has(&options.response) => {}
                Some(_) => (options.unlabelled, options.response) = (true, None),
                // By position: nothing but the features, or everything that the training data have.
                None if columns.len() == self.count() && self.categories.is_empty() => {
                    options = ReadOptions { unlabelled: true, no_header: options.no_header, ..ReadOptions::default() };
                }
                None => {}
            }
        }
        let data = self.read(path, &options, columns.map(|columns| columns.len()))?;
        let features = scaled(&self.scaler, &data.features, path)?;
        let signs = self
            .classes
            .as_ref()
            .filter(|_| asked && !options.unlabelled)
            .and_then(|classes| classes.signs(&data).ok());
        Ok(Further { features, names: data.row_names, signs })
    }

    /// How further rows are read: the columns of the training data by name where both have names, and as those otherwise; and the columns that a table has.
    fn further(&self, path: &Path) -> Result<(ReadOptions, Option<Vec<String>>), CliError> {
        let Some(columns) = dataset::columns(path, self.options.no_header)? else {
            let zero_based = self.options.zero_based;
            return Ok((ReadOptions { features: Some(self.count()), zero_based, ..ReadOptions::default() }, None));
        };
        let (words, categories) = (self.classes.is_some(), self.categories.clone());
        let as_training = ReadOptions { features: None, words, categories, ..self.options.read_options() };
        let Some(inputs) = &self.inputs else { return Ok((as_training, Some(columns))) };
        if let Some(name) = inputs.iter().find(|name| !columns.contains(name)) {
            return Err(CliError::MissingFeature { file: path.display().to_string(), name: name.clone() });
        }
        let index = as_training.index.filter(|name| columns.contains(name));
        let (only, response) = (Some(inputs.clone()), self.response_name.clone());
        let options = ReadOptions { only, response, index, weights: None, exclude: Vec::new(), ..as_training };
        Ok((options, Some(columns)))
    }

    /// Reads as many features as there are; a table may have `columns` in all.
    fn read(&self, path: &Path, options: &ReadOptions, columns: Option<usize>) -> Result<Dataset, CliError> {
        let data = read(path, options)?;
        let (found, expected) = (columns.unwrap_or(data.features.columns()), self.count());
        if data.features.columns() == expected {
            Ok(data)
        } else {
            Err(CliError::Columns { file: data.source, found, expected })
        }
    }
}

/// All columns of a table of numbers, with their names if it has any.
///
/// # Errors
/// The file.
pub fn read_table(path: &Path, header: bool) -> Result<(Features, Option<Vec<String>>), CliError> {
    let data = read(path, &ReadOptions { no_header: !header, unlabelled: true, ..ReadOptions::default() })?;
    Ok((data.features.to_dense(), data.feature_names))
}
