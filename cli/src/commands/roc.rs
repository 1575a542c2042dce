//! `pathqp roc`: ROC curves of a cost-asymmetric SVM, and the experiment on training asymmetries.

use crate::args::RocArgs;
use crate::data::{Training, read_training};
use crate::errors::{CliError, Exit};
use crate::output::{self, Target};
use crate::report;
use pathqp::Settings;
use pathqp_adapters::cost_svm::{self, CostSvm};
use pathqp_adapters::dataset::Classes;
use pathqp_adapters::roc::experiment::{self, Design, Outcome};
use pathqp_adapters::roc::explore::{LineSummary, Recount, cross_validation, held_out, model};
use pathqp_adapters::roc::{Fold, Operating, Plan, Roc, explore};
use pathqp_adapters::spec::Data;
use pathqp_adapters::{AdapterError, Bias};
use pathqp_views::plot;
use pathqp_views::words::{bias_text, number, rounded};
use serde::Serialize;
use std::time::Instant;

/// Points [FPR, TPR].
type Curve = Vec<[f64; 2]>;

fn bias(args: &RocArgs) -> Bias {
    args.model.bias.unwrap_or(Bias::Intercept)
}

/// Computes the curves, answers the questions, and prints.
///
/// # Errors
/// Invalid input; paths that could not be followed.
pub fn run(args: &RocArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    args.model.check()?;
    let mut reads = vec![("--train", args.data.train.as_path())];
    reads.extend(args.test.as_deref().map(|file| ("--test", file)));
    let target = |option, file: &Option<_>| file.as_deref().map(|file| Target::new(option, file, &reads)).transpose();
    let (curves, lines) = (target("--plot", &args.plot)?, target("--plot-lines", &args.plot_lines)?);
    if let Some(file) = lines.as_ref().filter(|file| curves.as_ref().is_some_and(|c| c.path() == file.path())) {
        let file = file.given().display().to_string();
        return Err(CliError::SameFile { option: "--plot-lines", file, other: "--plot".into() });
    }
    let training = read_training(&args.data.train, args.data.options(), args.model.scale, Data::Classes)?;
    let rows = training.rows.clone();
    let kernel = args.model.kernel_on(&cost_svm::ENTRY, &rows);
    let in_training = |error| refusal(error, &args.data.train);
    let svm = CostSvm::new(rows.features, rows.response, rows.weights, kernel, bias(args)).map_err(in_training)?;
    let settings = Settings::default();
    if args.experiment {
        let sum = args.sum.unwrap_or(Design::default().sum);
        let design =
            Design { folds: args.folds, asymmetries: args.asymmetries, sum, seed: args.seed, ..Design::default() };
        let outcome = experiment::run(&svm, &design, &settings).map_err(in_training)?;
        let report = ExperimentReport::new(args, &training, &design, outcome, began);
        output::print(&if args.json { report::json(&report) } else { report.table() })?;
        return Ok(Exit::Done);
    }
    let folds = folds(args, &training, &svm)?;
    let plan = Plan {
        multiples: args.multiples.clone(),
        sum: args.sum,
        max_sum: args.max_sum,
        gamma: args.ratio / (1.0 + args.ratio),
    };
    let roc = explore(&svm, &folds, &plan, &settings);
    let validated = args.test.as_deref().unwrap_or(&args.data.train);
    let roc = roc.map_err(|error| refusal(error, validated))?;
    let answers = answers(args, &svm, &roc, &settings).map_err(in_training)?;
    let report = RocReport::new(args, &training, &roc, answers, began);
    if let Some(target) = &curves {
        let drawn = [&report.curves.intercept, &report.curves.asymmetry, &report.curves.both, &report.hull];
        let drawn = drawn.map(Vec::as_slice);
        target.draw(plot::roc::curves(drawn, &report.title()))?;
    }
    if let Some(target) = &lines {
        target.draw(plot::roc::lines(&roc, &report.title()))?;
    }
    output::print(&if args.json { report::json(&report) } else { report.table() })?;
    Ok(Exit::Done)
}

/// What went wrong, with the file it is about.
fn refusal(error: AdapterError, file: &std::path::Path) -> CliError {
    match error {
        AdapterError::Path(error) => CliError::Path(error),
        error => CliError::Model { file: file.display().to_string(), error },
    }
}

/// The rows to validate on.
fn folds(args: &RocArgs, training: &Training, svm: &CostSvm) -> Result<Vec<Fold>, CliError> {
    match &args.test {
        None => cross_validation(svm, args.folds, args.seed).map_err(|error| refusal(error, &args.data.train)),
        Some(file) => {
            let (features, labels) = training.columns.read_labelled(file)?;
            Ok(held_out(svm.clone(), features, labels))
        }
    }
}

/// An answer, with its classifier trained on all training rows.
#[derive(Debug, Serialize)]
struct Answer {
    /// The largest FPR allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_fpr: Option<f64>,
    /// C₊/C₋ in its use.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_ratio: Option<f64>,
    /// The cost a row with C₊ + C₋ = 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    fpr: f64,
    tpr: f64,
    /// The costs it was trained with.
    #[serde(rename = "c-pos")]
    c_pos: f64,
    #[serde(rename = "c-neg")]
    c_neg: f64,
    /// What is added to the trained function.
    shift: f64,
    /// The constant of the function, shift included.
    intercept: f64,
    /// The features' weights; null for other kernels than the linear one.
    w: Option<Vec<f64>>,
}

fn answers(args: &RocArgs, svm: &CostSvm, roc: &Roc, settings: &Settings) -> Result<Vec<Answer>, AdapterError> {
    let answer = |point: Option<Operating>| -> Result<Option<Answer>, AdapterError> {
        let Some(point) = point else { return Ok(None) };
        let sum = roc.lines.get(point.choice.line).map_or(f64::NAN, |line| line.sum);
        let found = model(svm, sum, &point.choice, settings)?;
        let [fpr, tpr] = roc.totals.rates(&point);
        let cost = |j: usize| found.theta.get(j).copied().unwrap_or(f64::NAN);
        Ok(Some(Answer {
            max_fpr: None,
            cost_ratio: None,
            cost: None,
            fpr,
            tpr,
            c_pos: cost(0),
            c_neg: cost(1),
            shift: point.choice.shift,
            intercept: found.function.constant,
            w: found.function.w,
        }))
    };
    let mut answers = Vec::new();
    for &most in &args.max_fpr {
        answers.extend(answer(roc.all.largest_tpr(most))?.map(|a| Answer { max_fpr: Some(most), ..a }));
    }
    for &ratio in &args.cost_ratio {
        let gamma = ratio / (1.0 + ratio);
        let point = roc.all.least_cost(gamma);
        let cost = point.map(|point| roc.totals.cost(&point, gamma));
        answers.extend(answer(point)?.map(|a| Answer { cost_ratio: Some(ratio), cost, ..a }));
    }
    Ok(answers)
}

/// How the rows were validated.
#[derive(Debug, Serialize)]
struct Validation {
    /// The file of its own, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<String>,
    /// The folds otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    folds: Option<usize>,
    positives: usize,
    negatives: usize,
}

/// The three curves of the first line.
#[derive(Debug, Serialize)]
struct Curves {
    intercept: Curve,
    asymmetry: Curve,
    both: Curve,
}

/// The area below the intercept's curve, and below the envelopes of the others.
#[derive(Debug, Serialize)]
struct Areas {
    intercept: f64,
    asymmetry: f64,
    both: f64,
    hull: f64,
}

/// JSON of `roc`.
#[derive(Debug, Serialize)]
struct RocReport {
    n: usize,
    d: usize,
    classes: Option<Classes>,
    kernel: String,
    bias: String,
    scale: String,
    validation: Validation,
    /// C₊ + C₋ of the first line.
    sum: f64,
    /// Where the balanced line meets the first one: (C₊, C₋).
    costs: [f64; 2],
    lines: Vec<LineSummary>,
    curves: Curves,
    /// The upper convex envelope over all lines.
    hull: Curve,
    auc: Areas,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<Answer>,
    /// All points and answers were counted again from their own classifiers.
    recounted: bool,
    recount: Recount,
    seconds: f64,
    #[serde(skip)]
    source: String,
}

impl RocReport {
    fn new(args: &RocArgs, training: &Training, roc: &Roc, answers: Vec<Answer>, began: Instant) -> Self {
        let totals = roc.totals;
        let curve = |points: &[Operating]| closed(points.iter().map(|p| totals.rates(p)).collect());
        let envelope = |points: &[Operating]| {
            let mut best = pathqp_adapters::roc::Best::new(totals);
            points.iter().for_each(|point| best.offer(*point, 0.0));
            totals.area(&best.hull())
        };
        let (both, hull) = (roc.both.hull(), roc.all.hull());
        RocReport {
            n: training.rows.response.len(),
            d: training.columns.count(),
            classes: training.columns.classes.clone(),
            kernel: args.model.kernel_on(&cost_svm::ENTRY, &training.rows).to_string(),
            bias: bias_text(bias(args)),
            scale: args.model.scale.to_string(),
            validation: Validation {
                test: args.test.as_ref().map(|file| file.display().to_string()),
                folds: args.test.is_none().then_some(args.folds),
                positives: totals.positives,
                negatives: totals.negatives,
            },
            sum: roc.lines.first().map_or(f64::NAN, |line| line.sum),
            costs: roc.costs,
            lines: roc.lines.clone(),
            auc: Areas {
                intercept: totals.area(&roc.intercept),
                asymmetry: envelope(&roc.asymmetry),
                both: totals.area(&both),
                hull: totals.area(&hull),
            },
            curves: Curves { intercept: curve(&roc.intercept), asymmetry: curve(&roc.asymmetry), both: curve(&both) },
            hull: curve(&hull),
            answers,
            recounted: roc.recount.points > 0,
            recount: roc.recount,
            seconds: began.elapsed().as_secs_f64(),
            source: args.data.train.display().to_string(),
        }
    }

    fn title(&self) -> String {
        plot::roc::title(&self.source, (&self.kernel, &self.bias), self.sum)
    }

    fn table(&self) -> String {
        let Validation { test, folds, positives, negatives } = &self.validation;
        let on = test.clone().unwrap_or_else(|| format!("{} folds", folds.unwrap_or_default()));
        let Areas { intercept, asymmetry, both, hull } = self.auc;
        let sums: Vec<String> = self.lines.iter().map(|line| rounded(line.sum)).collect();
        let count = |of: fn(&LineSummary) -> usize| self.lines.iter().map(of).sum::<usize>();
        let mut rows = vec![
            ("data", format!("{}: n = {}, d = {}, scaling {}", self.source, self.n, self.d, self.scale)),
            ("model", format!("kernel {}, bias {}", self.kernel, self.bias)),
            ("validation", format!("{on}: {positives} positive rows, {negatives} negative ones")),
            ("lines", format!("C₊ + C₋ = {}", sums.join(", "))),
            ("first model", format!("C₊ = {}, C₋ = {}", rounded(self.costs[0]), rounded(self.costs[1]))),
            ("breakpoints", count(|line| line.breakpoints).to_string()),
            ("crossings", format!("{} of two rows by score", count(|line| line.crossings))),
            ("intercept", format!("area {intercept:.4}, {} points", self.curves.intercept.len())),
            ("asymmetry", format!("area {asymmetry:.4} of its envelope, {} points", self.curves.asymmetry.len())),
            ("both", format!("area {both:.4}, {} points", self.curves.both.len())),
            ("all lines", format!("area {hull:.4}, {} points", self.hull.len())),
            ("recounted", format!("{} points, {} withdrawn", self.recount.points, self.recount.withdrawn)),
        ];
        for answer in &self.answers {
            let Answer { fpr, tpr, c_pos, c_neg, shift, .. } = answer;
            let asked = match (answer.max_fpr, answer.cost_ratio, answer.cost) {
                (Some(most), ..) => format!("FPR ≤ {}", number(most)),
                (_, Some(ratio), Some(cost)) => format!("C₊/C₋ = {}: cost {cost:.4}", number(ratio)),
                _ => String::new(),
            };
            let model =
                format!("trained at C₊ = {}, C₋ = {}, shift {}", rounded(*c_pos), rounded(*c_neg), rounded(*shift));
            rows.push(("answer", format!("{asked}: TPR {tpr:.4}, FPR {fpr:.4}; {model}")));
        }
        rows.push(("seconds", format!("{:.3}", self.seconds)));
        format!("roc\n{}", report::table(&rows))
    }
}

/// A curve from (0, 0) to (1, 1).
fn closed(mut curve: Curve) -> Curve {
    if curve.first().is_some_and(|first| *first != [0.0, 0.0]) {
        curve.insert(0, [0.0, 0.0]);
    }
    if curve.last().is_some_and(|last| *last != [1.0, 1.0]) {
        curve.push([1.0, 1.0]);
    }
    curve
}

/// JSON of `roc --experiment`.
#[derive(Debug, Serialize)]
struct ExperimentReport {
    data: String,
    n: usize,
    d: usize,
    scale: String,
    folds: usize,
    asymmetries: usize,
    sum: f64,
    seed: u64,
    #[serde(flatten)]
    outcome: Outcome,
    seconds: f64,
}

impl ExperimentReport {
    fn new(args: &RocArgs, training: &Training, design: &Design, outcome: Outcome, began: Instant) -> Self {
        let name = args.data.train.file_stem().map(|name| name.to_string_lossy().into_owned());
        ExperimentReport {
            data: name.unwrap_or_default(),
            n: training.rows.response.len(),
            d: training.columns.count(),
            scale: args.model.scale.to_string(),
            folds: design.folds,
            asymmetries: design.asymmetries,
            sum: design.sum,
            seed: design.seed,
            outcome,
            seconds: began.elapsed().as_secs_f64(),
        }
    }

    fn table(&self) -> String {
        let Outcome { shares: s, mismatch: m, kept, mean_cost } = &self.outcome;
        let (data, d, n) = (&self.data, self.d, self.n);
        let spread = |s: &experiment::Spread| format!("{:.2} ± {:.2}", s.mean, s.deviation);
        let first = format!(
            "| {data} | {d} | {n} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            s.one_all, s.all_one, s.int_all, s.all_int, s.one_int, s.int_one
        );
        let second = format!(
            "| {data} | {:.3} | {} | {} | {} | {:.3} |",
            m.gamma_test,
            spread(&m.one),
            spread(&m.int),
            spread(&m.all),
            m.gamma_train
        );
        let [one, int, all] = mean_cost;
        let rows = [
            ("sum", number(self.sum)),
            ("folds", format!("{}, seed {}", self.folds, self.seed)),
            ("asymmetries", self.asymmetries.to_string()),
            ("kept", format!("int {:.1} %, all {:.1} % of folds and asymmetries", kept[0], kept[1])),
            ("mean cost", format!("one {one:.3}, int {int:.3}, all {all:.3} (times 100)")),
            ("seconds", format!("{:.1}", self.seconds)),
        ];
        format!(
            "roc experiment\n{}\
             | data set | d | n | one>all | all>one | int>all | all>int | one>int | int>one |\n\
             |---|---|---|---|---|---|---|---|---|\n{first}\n\n\
             | data set | γ (test) | one | int | all | γ (train) |\n|---|---|---|---|---|---|\n{second}\n",
            report::table(&rows)
        )
    }
}
