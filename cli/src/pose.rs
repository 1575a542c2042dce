//! From options and files to a description, and from a description to a problem on its line; errors in the words of options and files.

use crate::args::{Given, ProblemArgs};
use crate::data::{Columns, DataOptions, read_signal, read_table, read_training};
use crate::errors::CliError;
use crate::registry;
use pathqp::Settings;
use pathqp_adapters::constraints;
use pathqp_adapters::dataset::read_bounded;
use pathqp_adapters::run::Posed;
use pathqp_adapters::spec::{Data, Entry, Kind, Opt, Rows, Spec, Table};
use pathqp_adapters::{AdapterError, Bias};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// A description with what is known of the files that it was read from.
pub struct Described {
    /// The problem.
    pub entry: &'static Entry,
    /// The description.
    pub spec: Spec,
    /// The columns of the rows.
    pub columns: Columns,
    /// The line of each row.
    pub lines: Vec<usize>,
    /// The files by their options, the main one first.
    pub sources: Vec<(String, String)>,
}

impl Described {
    /// Reads what the options name. `vary` are the parameters that vary.
    ///
    /// # Errors
    /// Options that mean nothing, or are missing; files that cannot be used.
    pub fn read(args: &ProblemArgs, vary: &[&str]) -> Result<Self, CliError> {
        let entry = args.entry;
        let mut spec = Spec::new(entry.name);
        spec.bias = args.model.bias.unwrap_or(entry.bias);
        spec.fixed = fixed_values(args, vary)?;
        let (mut columns, mut lines) = (Columns::default(), Vec::new());
        if let Some(data) = &args.data {
            let options = DataOptions { drop_first: matches!(spec.bias, Bias::Intercept), ..data.options() };
            if entry.data == Data::Signal {
                let response = read_signal(&data.train, &options)?;
                columns.options = options;
                spec.rows = Rows { response, ..Rows::default() };
            } else {
                let training = read_training(&data.train, options, args.model.scale, entry.data)?;
                spec.names = training.columns.feature_names.clone();
                (spec.rows, columns, lines) = (training.rows, training.columns, training.lines);
            }
        }
        spec.kernel = args.model.kernel_on(entry, &spec.rows);
        let header = args.get("no-header").is_none();
        columns.options.no_header |= !header;
        for (option, given) in &args.options {
            take(&mut spec, entry, (option, given), header)?;
        }
        let files = args.files().into_iter();
        let sources = files.map(|(option, file)| (option.to_owned(), file.display().to_string())).collect();
        Ok(Described { entry, spec, columns, lines, sources })
    }

    /// The problem with a parameter that varies.
    ///
    /// # Errors
    /// As [`Posed::new`], in the words of options and files.
    pub fn pose(&self, vary: (&str, Option<f64>, Option<f64>), settings: &Settings) -> Result<Posed, CliError> {
        Posed::new(self.entry, &self.spec, vary, settings).map_err(|error| self.refused(error))
    }

    /// The main file.
    pub fn source(&self) -> &str {
        self.sources.first().map_or("", |(_, file)| file)
    }

    /// The adapter's error with the file, and the line where it names a row.
    pub fn refused(&self, error: AdapterError) -> CliError {
        let line = |row: usize| self.lines.get(row).copied().unwrap_or(row + 1);
        let file = self.source().to_owned();
        match error {
            AdapterError::Weight { row, value } => CliError::Weight { file, line: line(row), value },
            AdapterError::Asymmetric { row, column, values } => {
                CliError::Asymmetric { file, line: line(row), row: row + 1, column: column + 1, values }
            }
            error => refused(self.entry.name, &self.sources, error),
        }
    }
}

/// An adapter's error in the words of options and files.
pub fn refused(problem: &str, sources: &[(String, String)], error: AdapterError) -> CliError {
    let source = |table: &str| {
        let found = sources.iter().find(|(option, _)| option == table).or(sources.first());
        found.map_or_else(String::new, |(_, file)| file.clone())
    };
    let option = |is_end: bool| if is_end { "--to" } else { "--from" };
    let problem = problem.to_owned();
    match error {
        AdapterError::Missing { name, .. } => CliError::OptionMissing { problem, option: name },
        AdapterError::Unused { name, .. } => CliError::OptionUnused { problem, option: name },
        AdapterError::EndOutside { is_end, name, value, low, high } => {
            CliError::EndOutside { option: option(is_end), value, name, low, high }
        }
        AdapterError::EndMissing { is_end, name } => CliError::EndMissing { option: option(is_end), name },
        AdapterError::Table { table, error } => CliError::Model { file: source(table), error: *error },
        AdapterError::Tables { table, other, error } => {
            CliError::Assets { file: source(table), other: source(other), error }
        }
        error @ AdapterError::TableColumns { table, .. } => CliError::Model { file: source(table), error },
        error @ AdapterError::Edge { .. } => CliError::Model { file: source("edges"), error },
        AdapterError::NoColumn { name } => CliError::MissingFeature { file: source(""), name },
        AdapterError::TableMissing { table, needed } => {
            let is_file =
                |option: &&Opt| matches!(option.kind, Kind::Document | Kind::Table(_) | Kind::Rows | Kind::Text);
            let file = registry::find(&problem).and_then(|entry| entry.options.iter().find(is_file));
            match (sources.first(), file) {
                // The file is there, and has no such entry.
                (Some((_, file)), Some(option))
                    if option.kind == Kind::Document && option_of(&problem, table).is_none() =>
                {
                    CliError::Document { file: file.clone(), cause: format!("{table} is missing: {needed}") }
                }
                (None, Some(option)) if option.kind == Kind::Document => {
                    CliError::Arguments { line: format!("--{} is needed: {needed}", option.name) }
                }
                _ => CliError::Arguments { line: format!("--{table} is needed: {needed}") },
            }
        }
        AdapterError::States { name, found, expected } => {
            CliError::StateSize { option: format!("--{name}"), found, expected }
        }
        AdapterError::Meaningless { option, reason } => CliError::Arguments { line: format!("--{option} {reason}") },
        AdapterError::Path(error) => CliError::Path(error),
        error => CliError::Model { file: source(""), error },
    }
}

fn option_of(problem: &str, name: &str) -> Option<&'static Opt> {
    registry::find(problem).and_then(|entry| entry.option(name))
}

/// The values of the parameters that do not vary.
fn fixed_values(args: &ProblemArgs, vary: &[&str]) -> Result<BTreeMap<String, f64>, CliError> {
    let (entry, problem) = (args.entry, args.entry.name.to_owned());
    let mut fixed = BTreeMap::new();
    for (option, given) in &args.options {
        if let (Kind::Parameter(_), Given::Number(value)) = (option.kind, given) {
            if vary.contains(&option.name) {
                return Err(CliError::OptionUnused { problem, option: option.name.into() });
            }
            fixed.insert(option.name.to_owned(), *value);
        }
    }
    match entry.required.iter().find(|name| !vary.contains(name) && !fixed.contains_key(**name)) {
        Some(option) => Err(CliError::OptionMissing { problem, option }),
        None => Ok(fixed),
    }
}

/// Takes what an option was given into a description.
fn take(spec: &mut Spec, entry: &Entry, (option, given): (&Opt, &Given), header: bool) -> Result<(), CliError> {
    let name = || option.name.to_owned();
    match (given, option.kind) {
        (Given::Number(_), Kind::Parameter(_)) | (Given::Flag, _) => {}
        (Given::Number(number), _) => drop(spec.numbers.insert(name(), *number)),
        (Given::Numbers(numbers), _) => drop(spec.lists.insert(name(), numbers.clone())),
        (Given::Word(word), _) => drop(spec.words.insert(name(), word.clone())),
        (Given::Direction(direction), _) => spec.direction = Some(*direction),
        (Given::File(file), Kind::Document) => read_document(spec, file)?,
        (Given::File(file), Kind::Rows) => constraints::describe(read_bounded(file)?, spec),
        (Given::File(file), Kind::Text) => read_text(spec, entry, option.name, file)?,
        (Given::File(file), kind) => {
            let header = header && kind != Kind::Table(false);
            let (values, names) = read_table(file, header)?;
            spec.tables.insert(name(), Table { names, values });
        }
    }
    Ok(())
}

/// A text that the problem takes into the description; - is standard input.
pub fn read_text(spec: &mut Spec, entry: &Entry, option: &str, file: &Path) -> Result<(), CliError> {
    let name = || if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let text =
        if file == Path::new("-") { std::io::read_to_string(std::io::stdin()) } else { fs::read_to_string(file) };
    let unread = |cause: std::io::Error| match cause.kind() {
        ErrorKind::NotFound => "no such file".into(),
        _ => cause.to_string(),
    };
    let wrong = |reason| AdapterError::Entry { place: "cannot be read".into(), reason };
    let text = text.map_err(|cause| CliError::Model { file: name(), error: wrong(unread(cause)) })?;
    let read =
        entry.read.ok_or_else(|| CliError::OptionUnused { problem: entry.name.into(), option: option.into() })?;
    read(spec, option, &text).map_err(|error| CliError::Model { file: name(), error })
}

/// A JSON document: a list of lists becomes a table of its name, a list a table of one row, a number a number.
pub fn read_document(spec: &mut Spec, file: &Path) -> Result<(), CliError> {
    let fault = |cause: String| CliError::Document { file: file.display().to_string(), cause };
    let text = fs::read_to_string(file).map_err(|cause| match cause.kind() {
        ErrorKind::NotFound => fault("no such file".into()),
        _ => fault(cause.to_string()),
    })?;
    let document: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(&text).map_err(|cause| fault(cause.to_string()))?;
    let number = |value: &serde_json::Value| value.as_f64().filter(|v| v.is_finite());
    let list = |value: &serde_json::Value| value.as_array()?.iter().map(number).collect::<Option<Vec<f64>>>();
    for (name, value) in document {
        let rows = value.as_array().map(|rows| rows.iter().map(list).collect::<Option<Vec<_>>>());
        match (number(&value), list(&value), rows.flatten()) {
            (Some(number), ..) => drop(spec.numbers.insert(name, number)),
            (_, Some(row), _) if row.is_empty() => drop(spec.tables.insert(name, Table::new(&[]))),
            (_, Some(row), _) => drop(spec.tables.insert(name, Table::new(&[row]))),
            (.., Some(rows)) if rows.windows(2).all(|pair| pair[0].len() == pair[1].len()) => {
                spec.tables.insert(name, Table::new(&rows));
            }
            (.., Some(_)) => return Err(fault(format!("the rows of {name} have different lengths"))),
            _ if value.is_null() => {}
            _ => return Err(fault(format!("{name} must be a number, a list of numbers or a list of such lists"))),
        }
    }
    Ok(())
}
