//! Data files: training rows, and further rows in the columns of the training rows.

use crate::errors::CliError;
use crate::values::MOST_COLUMNS;
use pathqp_adapters::dataset::{
    self, Classes, DataError, Dataset, Features, ReadOptions, Scaler, Scaling, two_classes,
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
    pub positive: Option<f64>,
    /// The column of case weights of a table.
    pub weights: Option<String>,
}

impl DataOptions {
    /// In the words of the reader.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            response: self.response.clone(),
            header: !self.no_header,
            features: self.features,
            zero_based: self.zero_based,
            weights: self.weights.clone(),
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
    /// The name of the response.
    pub response_name: Option<String>,
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
        Data::Classes => two_classes(&data, options.positive).map(|(signs, classes)| (signs, Some(classes)))?,
        _ => (data.response.clone(), None),
    };
    let scaler = fit(&data, scaling);
    let features = scaled(&scaler, &data.features, path)?.compact();
    let columns =
        Columns { options, classes, scaler, feature_names: data.feature_names, response_name: data.response_name };
    let rows = Rows { features: Arc::new(features), response, weights: data.weights };
    Ok(Training { rows, columns, lines: data.lines })
}

/// The file; where a problem has no response, and none is named, every column of a table is a feature, and the response is zero.
fn read_as(path: &Path, options: &DataOptions, kind: Data) -> Result<Dataset, CliError> {
    let mut read_options = options.read_options();
    if kind != Data::Features || !is_table(path) || options.response.is_some() {
        return read(path, &read_options);
    }
    read_options.features = options.features.map(|d| d.saturating_sub(1));
    let mut data = match read(path, &read_options) {
        // A single column is the one feature.
        Err(CliError::Data(DataError::NoFeatures { columns: 1, .. })) => {
            read(path, &ReadOptions { features: Some(0), ..read_options })?
        }
        data => data?,
    };
    data.features = with_response(&data);
    data.response.fill(0.0);
    if let (Some(names), Some(last)) = (&mut data.feature_names, data.response_name.take()) {
        names.push(last);
    }
    Ok(data)
}

/// The values of one column, in the order of the rows; a table may have others.
///
/// # Errors
/// The file.
pub fn read_signal(path: &Path, options: &DataOptions) -> Result<Vec<f64>, CliError> {
    let options = options.read_options();
    match read(path, &options) {
        Err(CliError::Data(DataError::NoFeatures { columns: 1, .. })) => {
            Ok(read(path, &ReadOptions { features: Some(0), ..options })?.response)
        }
        data => Ok(data?.response),
    }
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
        let table = is_table(path);
        let names = self.feature_names.as_ref().filter(|_| table);
        let options = match names {
            Some(_) => ReadOptions { response: self.response_name.clone(), ..ReadOptions::default() },
            None if table => ReadOptions { features: None, ..self.options.read_options() },
            None => self.text_options(),
        };
        let data = read(path, &options)?;
        let features = match names {
            Some(names) => by_name(&data, names)?,
            None => {
                self.expect(&data, data.features.columns())?;
                data.features.clone()
            }
        };
        Ok((scaled(&self.scaler, &features, path)?, self.response(&data)?))
    }

    /// Rows with or without a response, scaled. Columns of a table go by name when the training data have names, and
    /// by position otherwise; others than the features are ignored.
    ///
    /// # Errors
    /// The file, or columns that do not agree.
    pub fn read_features(&self, path: &Path) -> Result<Features, CliError> {
        if !is_table(path) {
            let data = read(path, &self.text_options())?;
            return scaled(&self.scaler, &data.features, path);
        }
        let header = !self.options.no_header;
        let every = ReadOptions { header, ..ReadOptions::default() };
        let all = match read(path, &every) {
            // A single column is the one feature.
            Err(CliError::Data(DataError::NoFeatures { columns: 1, .. })) if self.count() == 1 => {
                read(path, &ReadOptions { features: Some(0), ..every })?
            }
            all => all?,
        };
        let features = match &self.feature_names {
            Some(names) => by_name(&all, names)?,
            None if all.features.columns() + 1 == self.count() => with_response(&all),
            None => {
                let as_training = ReadOptions { features: None, ..self.options.read_options() };
                let data = read(path, &as_training)?;
                self.expect(&data, all.features.columns() + 1)?;
                data.features
            }
        };
        scaled(&self.scaler, &features, path)
    }

    /// LIBSVM text of d columns.
    fn text_options(&self) -> ReadOptions {
        let zero_based = self.options.zero_based;
        ReadOptions { features: Some(self.count()), zero_based, ..ReadOptions::default() }
    }

    fn expect(&self, data: &Dataset, found: usize) -> Result<(), CliError> {
        let expected = self.count();
        if data.features.columns() == expected {
            return Ok(());
        }
        Err(CliError::Columns { file: data.source.clone(), found, expected })
    }
}

/// All columns of a table of numbers, with their names if it has any.
///
/// # Errors
/// The file.
pub fn read_table(path: &Path, header: bool) -> Result<(Features, Option<Vec<String>>), CliError> {
    let every = ReadOptions { header, ..ReadOptions::default() };
    let all = match read(path, &every) {
        // A single column.
        Err(CliError::Data(DataError::NoFeatures { columns: 1, .. })) => {
            read(path, &ReadOptions { features: Some(0), ..every })?
        }
        all => all?,
    };
    let names = all.feature_names.clone().map(|names| names.into_iter().chain(all.response_name.clone()).collect());
    Ok((with_response(&all), names))
}

/// Whether the reader takes the file for a table: .csv or .tsv, with or without .gz.
fn is_table(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".csv", ".tsv"].iter().any(|extension| name.ends_with(extension))
}

/// The columns of these names, in this order; the column that was read as the response counts like the others.
fn by_name(data: &Dataset, names: &[String]) -> Result<Features, CliError> {
    let available = data.feature_names.as_deref().unwrap_or_default();
    let find = |name: &String| {
        let feature = available.iter().position(|other| other == name);
        let response = data.response_name.as_ref() == Some(name);
        feature
            .or(response.then_some(available.len()))
            .ok_or_else(|| CliError::MissingFeature { file: data.source.clone(), name: name.clone() })
    };
    let order = names.iter().map(find).collect::<Result<Vec<usize>, CliError>>()?;
    Ok(select(data, &order))
}

/// All columns, the response last.
fn with_response(data: &Dataset) -> Features {
    let order: Vec<usize> = (0..=data.features.columns()).collect();
    select(data, &order)
}

/// The columns in the given order; the number d stands for the response.
fn select(data: &Dataset, order: &[usize]) -> Features {
    let columns = data.features.columns();
    let mut row = vec![0.0; columns];
    let mut values = Vec::with_capacity(order.len() * data.rows());
    for (i, response) in data.response.iter().enumerate() {
        data.features.dense_row(i, &mut row);
        values.extend(order.iter().map(|&j| row.get(j).copied().unwrap_or(*response)));
    }
    Features::Dense { rows: data.rows(), columns: order.len(), values }
}
