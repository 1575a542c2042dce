//! Training data read in parts: moments in one pass, the error of a classifier in another.

use crate::data::{Columns, DataOptions};
use crate::errors::CliError;
use crate::linear::LinearFile;
use pathqp_adapters::dataset::{Classes, DataError, Dataset, Features, Scaler, Scaling, stream};
use pathqp_moments::{Accumulator, ClassMoments};
use std::path::Path;

/// The most columns: two matrices of so many rows and columns must fit in memory.
const STREAM_COLUMNS: usize = 10_000;

/// The moments of each label seen so far; there are at most two.
#[derive(Default)]
struct Labels {
    seen: Vec<(f64, ClassMoments)>,
    rows: u64,
    feature_names: Option<Vec<String>>,
    response_name: Option<String>,
}

impl Labels {
    fn take(&mut self, part: Dataset) -> Result<(), CliError> {
        let columns = part.features.columns();
        if columns > STREAM_COLUMNS {
            return Err(CliError::TooWideToStream { file: part.source, columns, most: STREAM_COLUMNS });
        }
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); self.seen.len()];
        for (i, label) in part.response.iter().enumerate() {
            let known = self.seen.iter().position(|(seen, _)| seen == label);
            let class = match known {
                Some(class) => class,
                None if self.seen.len() < 2 => {
                    self.seen.push((*label, ClassMoments::default()));
                    rows.push(Vec::new());
                    self.seen.len() - 1
                }
                None => return Err(self.third(&part, i, *label)),
            };
            if let Some(rows) = rows.get_mut(class) {
                rows.push(i);
            }
        }
        for ((_, moments), rows) in self.seen.iter_mut().zip(&rows) {
            moments.absorb(&part.features, rows);
        }
        self.rows += part.rows() as u64;
        self.feature_names = part.feature_names;
        self.response_name = part.response_name;
        Ok(())
    }

    fn third(&self, part: &Dataset, i: usize, label: f64) -> CliError {
        let mut earlier = [f64::NAN; 2];
        earlier.iter_mut().zip(&self.seen).for_each(|(e, (seen, _))| *e = *seen);
        let (line, rows) = (part.lines.get(i).copied().unwrap_or(i + 1), self.rows as usize + i + 1);
        DataError::ManyClasses { file: part.source.clone(), line, label, earlier, labels: 3, rows }.into()
    }

    /// The classes −1 and +1: which label is which, and their moments.
    fn classes(self, file: String, positive: Option<f64>) -> Result<(Classes, Accumulator), CliError> {
        let rows = self.rows as usize;
        let mut seen = self.seen.into_iter();
        let (first, second) = match (seen.next(), seen.next()) {
            (Some(first), Some(second)) => (first, second),
            (only, _) => {
                let label = only.map_or(f64::NAN, |only| only.0);
                return Err(DataError::OneClass { file, label, rows }.into());
            }
        };
        let (small, large) = if first.0 < second.0 { (first, second) } else { (second, first) };
        let (minus, plus) = match positive {
            Some(label) if label == small.0 => (large, small),
            Some(label) if label != large.0 => {
                return Err(DataError::PositiveAbsent { file, positive: label, found: [small.0, large.0] }.into());
            }
            _ => (small, large),
        };
        Ok((Classes { negative: minus.0, positive: plus.0 }, Accumulator { negative: minus.1, positive: plus.1 }))
    }
}

/// The moments of a file, in memory for one part of it and two matrices of d × d.
///
/// # Errors
/// As for data that are read at once.
pub fn read_moments(path: &Path, options: DataOptions) -> Result<(Accumulator, Columns), CliError> {
    let mut labels = Labels::default();
    stream(path, &options.read_options(), |part| labels.take(part))?;
    let (feature_names, response_name) = (labels.feature_names.clone(), labels.response_name.clone());
    let (classes, accumulator) = labels.classes(path.display().to_string(), options.positive)?;
    let d = accumulator.negative.columns().max(accumulator.positive.columns());
    let scaler = Scaler::fit(&Features::Dense { rows: 0, columns: d, values: Vec::new() }, Scaling::None);
    Ok((accumulator, Columns { options, classes: Some(classes), scaler, feature_names, response_name }))
}

/// The share of errors of a classifier on the rows of a file, in memory for one part of it.
///
/// # Errors
/// The file.
pub fn training_error(path: &Path, model: &LinearFile) -> Result<f64, CliError> {
    let (mut wrong, mut rows) = (0u64, 0u64);
    stream(path, &model.columns.options.read_options(), |part: Dataset| {
        let signs = model.columns.response(&part)?;
        let scores = model.scores(&part.features);
        wrong += scores.iter().zip(&signs).filter(|(f, y)| (**f > 0.0) != (**y > 0.0)).count() as u64;
        rows += part.rows() as u64;
        Ok::<(), CliError>(())
    })?;
    Ok(wrong as f64 / rows as f64)
}
