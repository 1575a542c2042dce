//! `pathqp moments`: from a data file to a linear classifier, by its moments.

use crate::args::{MomentsArgs, MomentsObjective};
use crate::data::{Columns, read_training};
use crate::errors::{CliError, Exit};
use crate::linear::LinearFile;
use crate::output::{self, Target};
use crate::report;
use crate::stream::{read_moments, training_error};
use pathqp_adapters::Bias;
use pathqp_adapters::dataset::{Features, Scaling};
use pathqp_adapters::spec::Data;
use pathqp_moments::comparators::{Logistic, PairwiseHinge, lda};
use pathqp_moments::minimise::{Minimum, Settings, Smooth, Stop, minimise};
use pathqp_moments::{Covariance, Fit, Moments, MomentsError, Objective, Route, empirical, fit};
use pathqp_views::words::{label, number};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// The most features for which LDA is computed: it factors a matrix of them.
const LDA_COLUMNS: usize = 3000;

/// JSON of `moments`.
#[derive(Debug, Serialize)]
struct MomentsReport {
    objective: MomentsObjective,
    n: u64,
    d: usize,
    classes: Option<pathqp_adapters::dataset::Classes>,
    positives: u64,
    lambda: f64,
    /// Whether the covariances were formed.
    covariance: &'static str,
    /// How the minimum was found: start, ranking, constant-features or constant-class.
    route: String,
    iterations: u64,
    evaluations: u64,
    stop: String,
    gradient_norm: f64,
    w: Vec<f64>,
    constant: f64,
    value: f64,
    train: Rates,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<Rates>,
    seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<Vec<Comparison>>,
}

/// Error and AUC on labelled rows; null where they do not exist or were not computed.
#[derive(Clone, Copy, Debug, Serialize)]
struct Rates {
    error: Option<f64>,
    auc: Option<f64>,
}

impl Rates {
    fn of(scores: &[f64], labels: &[f64]) -> Self {
        let number = |v: f64| v.is_finite().then_some(v);
        Rates { error: number(empirical::error(scores, labels)), auc: number(empirical::auc(scores, labels)) }
    }

    fn text(&self) -> String {
        let shown = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.4}"));
        format!("error {}, AUC {}", shown(self.error), shown(self.auc))
    }
}

/// Wall-clock times.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    moments: f64,
    optimise: f64,
    total: f64,
}

/// What another method did on the same data.
#[derive(Debug, Serialize)]
struct Comparison {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    train: Rates,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<Rates>,
    seconds: f64,
    w: Vec<f64>,
    constant: f64,
}

/// Labelled rows.
struct Labelled {
    features: Arc<Features>,
    labels: Vec<f64>,
}

impl Labelled {
    fn rates(&self, w: &[f64], constant: f64) -> Rates {
        let rows = 0..self.features.rows();
        let scores: Vec<f64> = rows.map(|i| self.features.row(i).dot(w) + constant).collect();
        Rates::of(&scores, &self.labels)
    }
}

/// What the training data come to.
struct Training {
    moments: Moments,
    columns: Columns,
    counts: [u64; 2],
    /// The rows themselves, unless they were streamed.
    rows: Option<Labelled>,
}

/// Fits the classifier, keeps it, and prints the summary.
///
/// # Errors
/// Invalid input.
pub fn run(args: &MomentsArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    check(args)?;
    let mut others = vec![("--train", args.data.train.as_path())];
    others.extend(args.test.as_deref().map(|file| ("--test", file)));
    let out = args.out.as_deref().map(|file| Target::new("--out", file, &others)).transpose()?;
    let refused = |error: MomentsError| CliError::Moments { file: args.data.train.display().to_string(), error };

    let mut seconds = Seconds::default();
    let training = read(args, &mut seconds)?;
    let test = args.test.as_deref().map(|file| training.columns.read_labelled(file)).transpose()?;
    let test = test.map(|(features, labels)| Labelled { features: Arc::new(features), labels });

    let constant = if let Bias::Augmented(value) = args.bias { Some(value) } else { None };
    let d = training.moments.columns();
    let clock = Instant::now();
    let settings = Settings { iterations: args.max_iterations as u64, ..Settings::default() };
    let objective = match args.objective {
        MomentsObjective::ZeroOne => Objective::ZeroOne,
        MomentsObjective::Auc => Objective::Auc,
    };
    let Fit { minimum, route } =
        fit(&training.moments, constant, objective, args.lambda, &settings).map_err(refused)?;
    seconds.optimise = clock.elapsed().as_secs_f64();
    warn_of_limit("", &minimum, settings.tolerance);
    let (w, threshold) = split(&minimum, d, constant);

    let model = LinearFile::new(
        &args.data.train,
        training.columns.clone(),
        (args.objective, args.lambda),
        (w.clone(), threshold),
    );
    if let Some(target) = &out {
        model.write(target)?;
    }
    let train = match &training.rows {
        Some(rows) => rows.rates(&w, threshold),
        None => Rates { error: Some(training_error(&args.data.train, &model)?), auc: None },
    };
    let compare = training
        .rows
        .as_ref()
        .filter(|_| args.compare)
        .map(|rows| compare(args, &training, rows, test.as_ref(), constant, &settings).map_err(refused));
    seconds.total = began.elapsed().as_secs_f64();
    let test = test.as_ref().map(|rows| rows.rates(&w, threshold));
    let rates = (train, test, compare.transpose()?);
    let summary = summarised(args, &training, (&minimum, &route.to_string()), (w, threshold), rates, seconds);
    output::print(&if args.json { report::json(&summary) } else { table(&summary, args, route) })?;
    Ok(Exit::Done)
}

/// What is printed.
fn summarised(
    args: &MomentsArgs,
    training: &Training,
    (minimum, route): (&Minimum, &str),
    (w, constant): (Vec<f64>, f64),
    (train, test, compare): (Rates, Option<Rates>, Option<Vec<Comparison>>),
    seconds: Seconds,
) -> MomentsReport {
    let formed = matches!(training.moments.positive.covariance, Covariance::Dense { .. });
    MomentsReport {
        objective: args.objective,
        n: training.counts[0] + training.counts[1],
        d: training.moments.columns(),
        classes: training.columns.classes.clone(),
        positives: training.counts[0],
        lambda: args.lambda,
        covariance: if formed { "dense" } else { "implicit" },
        route: route.to_string(),
        iterations: minimum.iterations,
        evaluations: minimum.evaluations,
        stop: minimum.stop.to_string(),
        gradient_norm: minimum.gradient,
        test,
        w,
        constant,
        value: minimum.value,
        train,
        seconds,
        compare,
    }
}

/// Options that cannot be used together.
fn check(args: &MomentsArgs) -> Result<(), CliError> {
    let refuse = |option, reason| Err(CliError::Meaningless { option, reason });
    if args.data.weights.is_some() {
        return refuse("--weights", "cannot be used here: moments take every row once");
    }
    match args.bias {
        Bias::Intercept => refuse("--bias intercept", "cannot be had from moments: use --bias augmented"),
        Bias::Augmented(_) if args.objective == MomentsObjective::Auc => {
            refuse("--bias", "has no meaning with --objective auc: a constant does not change the order of scores")
        }
        _ if args.stream && args.scale != Scaling::None => {
            refuse("--stream", "reads the rows as they are, and cannot be used with --scale")
        }
        _ => Ok(()),
    }
}

/// The moments of the training data.
fn read(args: &MomentsArgs, seconds: &mut Seconds) -> Result<Training, CliError> {
    let data = &args.data;
    let options = data.options();
    let refused = |error: MomentsError| CliError::Moments { file: data.train.display().to_string(), error };
    let clock = Instant::now();
    if args.stream {
        let (accumulator, columns) = read_moments(&data.train, options)?;
        let counts = [accumulator.positive.count(), accumulator.negative.count()];
        let moments = accumulator.moments().map_err(refused)?;
        seconds.moments = clock.elapsed().as_secs_f64();
        return Ok(Training { moments, columns, counts, rows: None });
    }
    let training = read_training(&data.train, options, args.scale, Data::Classes)?;
    seconds.read = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let (features, labels) = (training.rows.features, training.rows.response);
    let moments = Moments::of(&features, &labels).map_err(refused)?;
    seconds.moments = clock.elapsed().as_secs_f64();
    let positives = labels.iter().filter(|y| **y > 0.0).count() as u64;
    let counts = [positives, labels.len() as u64 - positives];
    Ok(Training { moments, columns: training.columns, counts, rows: Some(Labelled { features, labels }) })
}

/// The features' weights, and the constant that the last one stands for.
fn split(minimum: &Minimum, d: usize, constant: Option<f64>) -> (Vec<f64>, f64) {
    let mut w = minimum.w.clone();
    let last = w.split_off(d.min(w.len()));
    (w, constant.zip(last.first()).map_or(0.0, |(value, weight)| value * weight))
}

/// Says so on stderr when a minimisation, of the method `of`, was ended by the number of its iterations.
fn warn_of_limit(of: &str, minimum: &Minimum, tolerance: f64) {
    if minimum.stop == Stop::Iterations {
        let Minimum { iterations, gradient, .. } = minimum;
        output::complain(&format_args!(
            "warning: {of}{}not converged after {iterations} iterations: the gradient is {gradient:.1e}, and {tolerance:.0e} is needed; \
             the best point so far is used; raise --max-iterations, or scale the features (--scale)",
            if of.is_empty() { "" } else { ": " }
        ));
    }
}

/// The logistic or the pairwise hinge loss, by the same minimiser from zero, and LDA.
fn compare(
    args: &MomentsArgs,
    training: &Training,
    rows: &Labelled,
    test: Option<&Labelled>,
    constant: Option<f64>,
    settings: &Settings,
) -> Result<Vec<Comparison>, MomentsError> {
    let (d, [positives, negatives]) = (training.moments.columns(), training.counts.map(|n| n as f64));
    let rates = |w: &[f64], constant: f64| (rows.rates(w, constant), test.map(|test| test.rates(w, constant)));
    let fitted = |name, function: &dyn Smooth, constant: Option<f64>| {
        let clock = Instant::now();
        let minimum = minimise(function, vec![0.0; function.columns()], settings)?;
        let seconds = clock.elapsed().as_secs_f64();
        warn_of_limit(name, &minimum, settings.tolerance);
        let (w, threshold) = split(&minimum, d, constant);
        let (train, test) = rates(&w, threshold);
        let (iterations, stop) = (Some(minimum.iterations), Some(minimum.stop.to_string()));
        Ok(Comparison {
            name,
            iterations,
            stop,
            value: Some(minimum.value),
            train,
            test,
            seconds,
            w,
            constant: threshold,
        })
    };
    let mut found = Vec::new();
    match args.objective {
        MomentsObjective::ZeroOne => {
            let features = match constant {
                Some(value) => Arc::new(rows.features.append_constant_column(value)),
                None => rows.features.clone(),
            };
            let loss = Logistic::new(&features, &rows.labels, 1.0 / (positives + negatives))?;
            found.push(fitted("logistic", &loss, constant)?);
        }
        MomentsObjective::Auc => {
            let loss = PairwiseHinge::new(&rows.features, &rows.labels, 1.0 / (positives * negatives).sqrt())?;
            found.push(fitted("pairwise-hinge", &loss, None)?);
        }
    }
    if d <= LDA_COLUMNS {
        let clock = Instant::now();
        let (w, threshold) = lda(&training.moments, training.counts)?;
        let seconds = clock.elapsed().as_secs_f64();
        let (train, test) = rates(&w, threshold);
        let (iterations, stop, value) = (None, None, None);
        found.push(Comparison { name: "lda", iterations, stop, value, train, test, seconds, w, constant: threshold });
    } else {
        output::complain(&format_args!(
            "warning: LDA is not computed: there are {d} features, and it takes at most {LDA_COLUMNS}"
        ));
    }
    Ok(found)
}

/// The summary for people.
fn table(summary: &MomentsReport, args: &MomentsArgs, route: Route) -> String {
    let MomentsReport { n, d, positives, classes, covariance, .. } = summary;
    let objective = match summary.objective {
        MomentsObjective::ZeroOne => "zero-one loss",
        MomentsObjective::Auc => "AUC",
    };
    let [plus, minus] = classes.as_ref().map_or(["+1".into(), "-1".into()], |c| [&c.positive, &c.negative].map(label));
    let mut rows: Vec<(String, String)> = vec![
        ("data".into(), format!("{}: n = {n}, d = {d}, scaling {}", args.data.train.display(), args.scale)),
        ("classes".into(), format!("+1 is {plus} ({positives} rows), -1 is {minus} ({} rows)", n - positives)),
        ("covariances".into(), (*covariance).into()),
        ("lambda".into(), number(summary.lambda)),
        ("value".into(), format!("{:.6}, gradient {:.1e}", summary.value, summary.gradient_norm)),
        (
            "iterations".into(),
            format!("{} ({} evaluations), stopped by {}", summary.iterations, summary.evaluations, summary.stop),
        ),
        ("train".into(), summary.train.text()),
    ];
    let found = match route {
        Route::Start => None,
        Route::Ranking => Some("from the ranking direction: the first one led to one class for all rows"),
        Route::ConstantFeatures => Some("by features that are constant within both classes, and tell them apart"),
        Route::ConstantClass => Some("beside a class all of whose rows are equal"),
    };
    rows.extend(found.map(|found| ("found".into(), found.into())));
    rows.extend(summary.test.map(|test| ("test".into(), test.text())));
    for other in summary.compare.iter().flatten() {
        let iterations = other.iterations.map_or(String::new(), |n| format!("{n} iterations, "));
        let test = other.test.map_or(String::new(), |test| format!(", test {}", test.text()));
        let text = format!("{iterations}{:.3} s, train {}{test}", other.seconds, other.train.text());
        rows.push((other.name.into(), text));
    }
    let Seconds { read, moments, optimise, total } = summary.seconds;
    rows.push((
        "seconds".into(),
        format!("read {read:.3}, moments {moments:.3}, optimise {optimise:.3}, total {total:.3}"),
    ));
    format!("{objective} from moments\n{}", report::table(&rows))
}
