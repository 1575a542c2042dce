//! The options of a problem: each problem is a subcommand of `path`, `solve` and `map`, made from its [`Entry`].

use super::{DataArgs, ModelArgs};
use crate::errors::CliError;
use crate::registry::problems;
use crate::values;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use pathqp_adapters::course::Direction;
use pathqp_adapters::spec::{Data, Entry, Kind, Limits, Opt};
use pathqp_views::words::bias_text;
use std::path::PathBuf;

/// What an option was given.
#[derive(Clone, Debug)]
pub enum Given {
    /// A number.
    Number(f64),
    /// Numbers.
    Numbers(Vec<f64>),
    /// A word.
    Word(String),
    /// Nothing more.
    Flag,
    /// A direction.
    Direction(Direction),
    /// A file.
    File(PathBuf),
}

/// A problem with its data and options.
#[derive(Clone, Debug)]
pub struct ProblemArgs {
    /// The problem.
    pub entry: &'static Entry,
    /// Its rows; none for one that is made from tables.
    pub data: Option<DataArgs>,
    /// Scaling, kernel and bias.
    pub model: ModelArgs,
    /// Its own options, in the order of the entry.
    pub options: Vec<(&'static Opt, Given)>,
    /// Values of parameters that have no option of their own.
    values: Vec<(&'static str, f64)>,
    /// The first of its options that means nothing for it.
    unused: Option<&'static str>,
}

/// What a command has besides the problem.
pub trait Rest: Args {
    /// Whether it has `--from` and `--to`, numbers unless the problem has such options of its own.
    const RANGE: bool;

    /// Options that only some problems have.
    const SOME: &'static [&'static str];

    /// Whether every parameter that can vary has an option of its own name.
    const VALUES: bool;

    /// Whether a problem has the command.
    fn serves(_entry: &Entry) -> bool {
        true
    }
}

/// A problem as a subcommand, and the options of the command.
#[derive(Debug)]
pub struct Each<R> {
    /// The problem.
    pub problem: ProblemArgs,
    /// `--from` and `--to`.
    pub range: RangeArgs,
    /// The options of the command.
    pub rest: R,
}

/// Where a path begins and ends.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct RangeArgs {
    /// The value of the parameter at which the path begins [default: that end of the parameter's natural range at which a solution is known]
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = values::end)]
    pub from: Option<f64>,
    /// The value at which the path ends; smaller than --from for a path downwards, inf if the parameter has no largest value [default: the other end of the range]
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = values::end)]
    pub to: Option<f64>,
}

impl<R: Rest> Args for Each<R> {
    fn augment_args(command: Command) -> Command {
        let of = |entry: &'static Entry| {
            let command = ProblemArgs::augment(Command::new(entry.name), entry);
            let has_range = R::RANGE && entry.option("from").is_none();
            let command = if has_range { RangeArgs::augment_args(command) } else { command };
            let named = own(entry).filter(|_| R::VALUES);
            let command = named.fold(command, |command, name| command.arg(value_of(name)));
            let command = R::augment_args(command).about(entry.about);
            let has_vary = command.get_arguments().any(|arg| arg.get_id() == "vary");
            let command = if has_vary { command.mut_arg("vary", |arg| varying(arg, entry)) } else { command };
            let missing = R::SOME.iter().filter(|option| !entry.answers.contains(option));
            missing.fold(command, |command, option| command.mut_arg(*option, |arg| arg.hide(true)))
        };
        let command = command.subcommand_required(true).arg_required_else_help(false).disable_help_subcommand(true);
        let command = command.subcommand_value_name("PROBLEM").subcommand_help_heading("Problems");
        problems().iter().filter(|entry| R::serves(entry)).map(of).fold(command, Command::subcommand)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<R: Rest> FromArgMatches for Each<R> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let entry = crate::registry::find(name).ok_or_else(missing)?;
        let mut problem = ProblemArgs::from_matches(entry, matches)?;
        let named = own(entry).filter(|_| R::VALUES);
        problem.values = named.filter_map(|name| Some((name, *matches.get_one(name)?))).collect();
        let given = |option: &&&str| matches.value_source(option) == Some(ValueSource::CommandLine);
        let unused = R::SOME.iter().filter(|option| !entry.answers.contains(option)).find(given);
        problem.unused = problem.unused.or(unused.copied());
        let has_range = R::RANGE && entry.option("from").is_none();
        let range = if has_range { RangeArgs::from_arg_matches(matches)? } else { RangeArgs::default() };
        Ok(Each { problem, range, rest: R::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ProblemArgs {
    /// The shared options that mean nothing for a problem.
    fn meaningless(entry: &Entry) -> impl Iterator<Item = &'static str> {
        let rows = entry.data != Data::Tables;
        let features = rows && entry.data != Data::Signal;
        let all = [
            ("positive", rows && entry.data != Data::Classes),
            ("weights", rows && !entry.weights),
            ("features", rows && !features),
            ("zero_based", rows && !features),
            ("scale", !entry.scale),
            ("kernel", !entry.kernel),
            ("bias", !entry.biased),
        ];
        all.into_iter().filter(|(_, is_meaningless)| *is_meaningless).map(|(option, _)| option)
    }

    fn augment(command: Command, entry: &'static Entry) -> Command {
        let command = if entry.data == Data::Tables { command } else { DataArgs::augment_args(command) };
        let command = ModelArgs::augment_args(command);
        let bias = format!("{} [default: {}]", BIAS, bias_text(entry.bias));
        let kernel = format!("{} [default: {}]", KERNEL, entry.default_kernel);
        let command = command.mut_arg("bias", |arg| arg.help(bias)).mut_arg("kernel", |arg| arg.help(kernel));
        let command = Self::meaningless(entry).fold(command, |command, id| command.mut_arg(id, |arg| arg.hide(true)));
        entry.options.iter().map(argument).fold(command, Command::arg)
    }

    fn from_matches(entry: &'static Entry, matches: &ArgMatches) -> Result<Self, clap::Error> {
        let data = (entry.data != Data::Tables).then(|| DataArgs::from_arg_matches(matches)).transpose()?;
        let options = entry.options.iter().filter_map(|option| Some((option, given(option, matches)?))).collect();
        let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let unused = Self::meaningless(entry).find(is_given);
        Ok(ProblemArgs {
            entry,
            data,
            model: ModelArgs::from_arg_matches(matches)?,
            options,
            values: Vec::new(),
            unused,
        })
    }

    /// The first parameter that can vary and was given a value.
    pub fn value(&self) -> Option<(&'static str, f64)> {
        let given = |name: &&'static str| match self.get(name) {
            Some(Given::Number(value)) => Some((*name, *value)),
            _ => self.values.iter().find(|(other, _)| other == name).copied(),
        };
        self.entry.vary.iter().find_map(given)
    }

    /// What an option was given.
    pub fn get(&self, name: &str) -> Option<&Given> {
        self.options.iter().find(|(option, _)| option.name == name).map(|(_, given)| given)
    }

    /// Refuses options that mean nothing here.
    ///
    /// # Errors
    /// [`CliError::OptionUnused`], and a kernel matrix that would be scaled.
    pub fn check(&self) -> Result<(), CliError> {
        if let Some(option) = self.unused {
            let problem = self.entry.name.to_owned();
            return Err(CliError::OptionUnused { problem, option: option.replace('_', "-") });
        }
        self.model.check()
    }

    /// The files that are read, with their options; the main one first.
    pub fn files(&self) -> Vec<(&'static str, &std::path::Path)> {
        let rows = self.data.iter().map(|data| ("train", data.train.as_path()));
        let tables = self.options.iter().filter_map(|(option, given)| match given {
            Given::File(file) => Some((option.name, file.as_path())),
            _ => None,
        });
        rows.chain(tables).collect()
    }

    /// The parameter that varies: the one that is named, or else the one that an option goes with, or the problem's first.
    ///
    /// # Errors
    /// [`CliError::VaryUnknown`].
    pub fn vary(&self, named: Option<&str>) -> Result<&'static str, CliError> {
        let entry = self.entry;
        let implied = self.options.iter().find_map(|(option, _)| option.varies);
        let first = entry.vary.first().copied().unwrap_or_default();
        let name = named.unwrap_or_else(|| implied.unwrap_or(first));
        let found = entry.vary.iter().find(|other| **other == name).copied();
        found.ok_or_else(|| {
            let can = entry.vary.join(", ");
            CliError::VaryUnknown { problem: entry.name.into(), name: name.into(), can }
        })
    }
}

/// The parameters that can vary and have no option of their own.
fn own(entry: &'static Entry) -> impl Iterator<Item = &'static str> {
    entry.vary.iter().copied().filter(|name| entry.option(name).is_none())
}

/// `--vary` with the parameters of a problem in its help.
fn varying(arg: Arg, entry: &'static Entry) -> Arg {
    let what = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let implied =
        entry.options.iter().filter_map(|option| Some(format!(", or {} with --{}", option.varies?, option.name)));
    let first = entry.vary.first().copied().unwrap_or_default();
    arg.help(format!("{what}: {} [default: {first}{}]", entry.vary.join(", "), implied.collect::<String>()))
}

/// The option of a parameter.
fn value_of(name: &'static str) -> Arg {
    let arg = Arg::new(name).long(name).value_name("V").allow_hyphen_values(true);
    arg.help(format!("The value of {name} at which to solve")).value_parser(values::finite)
}

const KERNEL: &str = "linear, rbf:GAMMA, laplacian:GAMMA, poly:DEGREE,GAMMA,COEF0 or precomputed; GAMMA is a number, scale for 1/(columns · variance of all entries), or auto for 1/columns";

const BIAS: &str = "none, augmented (a constant feature 1, penalised), augmented:B (a constant feature B, penalised) or intercept (not penalised)";

fn limited(limits: Limits) -> fn(&str) -> Result<f64, String> {
    match limits {
        Limits::Positive => values::positive,
        Limits::NotNegative => values::not_negative,
        Limits::Share => values::share,
        Limits::Finite => values::finite,
        Limits::Any => values::bound,
    }
}

/// An option as the parser has it.
fn argument(option: &'static Opt) -> Arg {
    let arg = Arg::new(option.name).long(option.name).help(option.help).allow_hyphen_values(true);
    let arg = if option.value.is_empty() { arg } else { arg.value_name(option.value) };
    let arg = match option.kind {
        Kind::Parameter(limits) | Kind::Number(limits) => arg.value_parser(limited(limits)),
        Kind::Whole => arg.value_parser(|text: &str| values::count(text).map(|count| count as f64)),
        Kind::List(limits) => arg.value_parser(limited(limits)).value_delimiter(',').num_args(1),
        Kind::Word => arg.value_parser(|text: &str| Ok::<_, String>(text.to_owned())),
        Kind::Flag => arg.action(ArgAction::SetTrue).allow_hyphen_values(false),
        Kind::Direction => arg.value_parser(|text: &str| text.parse::<Direction>()),
        Kind::Table(_) | Kind::Document | Kind::Rows | Kind::Text => arg.value_parser(clap::value_parser!(PathBuf)),
        Kind::Bound => arg.value_parser(bound),
    };
    let arg = option.default.map_or(arg.clone(), |default| arg.default_value(default));
    let arg = arg.conflicts_with_all(option.excludes);
    option.requires.iter().fold(arg, |arg, other| arg.requires(*other))
}

/// A number, inf, -inf, or else a file.
fn bound(text: &str) -> Result<Given, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_nan() => Err("a bound must be a number, inf, -inf, or a file".into()),
        Ok(value) => Ok(Given::Number(value)),
        Err(_) => Ok(Given::File(text.into())),
    }
}

fn given(option: &Opt, matches: &ArgMatches) -> Option<Given> {
    let name = option.name;
    match option.kind {
        Kind::Parameter(_) | Kind::Number(_) | Kind::Whole => matches.get_one(name).copied().map(Given::Number),
        Kind::List(_) => matches.get_many(name).map(|values| Given::Numbers(values.copied().collect())),
        Kind::Word => matches.get_one(name).cloned().map(Given::Word),
        Kind::Flag => matches.get_flag(name).then_some(Given::Flag),
        Kind::Direction => matches.get_one(name).copied().map(Given::Direction),
        Kind::Table(_) | Kind::Document | Kind::Rows | Kind::Text => matches.get_one(name).cloned().map(Given::File),
        Kind::Bound => matches.get_one(name).cloned(),
    }
}
