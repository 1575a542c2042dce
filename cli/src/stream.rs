//! Training data read in parts: moments in one pass, the error of a classifier in another.

use crate::data::{Columns, DataOptions};
use crate::errors::CliError;
use crate::linear::LinearFile;
use pathqp_adapters::dataset::{Classes, DataError, Dataset, Features, Label, ReadOptions, Scaler, Scaling, stream};
use pathqp_moments::{Accumulator, ClassMoments};
use std::path::Path;

/// The most columns: two matrices of so many rows and columns must fit in memory.
const STREAM_COLUMNS: usize = 10_000;

/// The moments of each label seen so far; there are at most two.
#[derive(Default)]
struct Labels {
    seen: Vec<(Label, ClassMoments)>,
    rows: u64,
    feature_names: Option<Vec<String>>,
    inputs: Option<Vec<String>>,
    response_name: Option<String>,
}

impl Labels {
    fn take(&mut self, part: Dataset) -> Result<(), CliError> {
        let columns = part.features.columns();
        if columns > STREAM_COLUMNS {
            return Err(CliError::TooWideToStream { file: part.source, columns, most: STREAM_COLUMNS });
        }
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); self.seen.len()];
        for i in 0..part.rows() {
            let label = part.label(i);
            let known = self.seen.iter().position(|(seen, _)| *seen == label);
            let class = match known {
                Some(class) => class,
                None if self.seen.len() < 2 => {
                    self.seen.push((label, ClassMoments::default()));
                    rows.push(Vec::new());
                    self.seen.len() - 1
                }
                None => return Err(self.third(&part, i, label)),
            };
            if let Some(rows) = rows.get_mut(class) {
                rows.push(i);
            }
        }
        for ((_, moments), rows) in self.seen.iter_mut().zip(&rows) {
            moments.absorb(&part.features, rows);
        }
        self.rows += part.rows() as u64;
        (self.feature_names, self.inputs, self.response_name) = (part.feature_names, part.inputs, part.response_name);
        Ok(())
    }

    fn third(&self, part: &Dataset, i: usize, label: Label) -> CliError {
        let mut earlier = [label.clone(), label.clone()];
        earlier.iter_mut().zip(&self.seen).for_each(|(e, (seen, _))| *e = seen.clone());
        let earlier = Box::new(earlier);
        let (line, rows) = (part.lines.get(i).copied().unwrap_or(i + 1), self.rows as usize + i + 1);
        DataError::ManyClasses { file: part.source.clone(), line, label, earlier, labels: 3, rows }.into()
    }

    /// The classes −1 and +1: which label is which, and their moments.
    fn classes(self, file: String, positive: Option<&Label>) -> Result<(Classes, Accumulator), CliError> {
        let rows = self.rows as usize;
        let mut seen = self.seen.into_iter();
        let (first, second) = match (seen.next(), seen.next()) {
            (Some(first), Some(second)) => (first, second),
            (only, _) => {
                let label = only.map_or(Label::Number(f64::NAN), |only| only.0);
                return Err(DataError::OneClass { file, label, rows }.into());
            }
        };
        let (small, large) = if first.0 < second.0 { (first, second) } else { (second, first) };
        let (minus, plus) = match positive {
            Some(label) if label.is(&small.0) => (large, small),
            Some(label) if !label.is(&large.0) => {
                return Err(
                    DataError::PositiveAbsent { file, positive: label.clone(), found: [small.0, large.0] }.into()
                );
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
    if !options.categorical.is_empty() {
        let reason = "must see all levels before the first row is used, so it cannot be combined with --stream";
        return Err(CliError::Meaningless { option: "--categorical", reason });
    }
    stream(path, &ReadOptions { words: true, ..options.read_options() }, |part| labels.take(part))?;
    let (feature_names, inputs) = (labels.feature_names.clone(), labels.inputs.clone());
    let response_name = labels.response_name.clone();
    let (classes, accumulator) = labels.classes(path.display().to_string(), options.positive.as_ref())?;
    let d = accumulator.negative.columns().max(accumulator.positive.columns());
    let scaler = Scaler::fit(&Features::Dense { rows: 0, columns: d, values: Vec::new() }, Scaling::None);
    let (classes, categories) = (Some(classes), Vec::new());
    Ok((accumulator, Columns { options, classes, scaler, feature_names, inputs, categories, response_name }))
}

/// The share of errors of a classifier on the rows of a file, in memory for one part of it.
///
/// # Errors
/// The file.
pub fn training_error(path: &Path, model: &LinearFile) -> Result<f64, CliError> {
    let (mut wrong, mut rows) = (0u64, 0u64);
    stream(path, &ReadOptions { words: true, ..model.columns.options.read_options() }, |part: Dataset| {
        let signs = model.columns.response(&part)?;
        let scores = model.scores(&part.features);
        wrong += scores.iter().zip(&signs).filter(|(f, y)| (**f > 0.0) != (**y > 0.0)).count() as u64;
        rows += part.rows() as u64;
        Ok::<(), CliError>(())
    })?;
    Ok(wrong as f64 / rows as f64)
}
