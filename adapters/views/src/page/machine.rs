//! The page of a kernel machine's path.

use super::encode::{Column, exact, whole};
use super::pieces::{self, Certificates, Free, Objective, Piece, ends, jumps};
use super::rows::{Functions, Grid, Labelled, Rows, Shown};
use super::{Fact, Head, Watch};
use crate::certify;
use crate::path::{Machine, PathView};
use crate::words::{self, number};
use pathqp::Point;
use pathqp_adapters::rates::{RateCurve, rates_by_position};
use pathqp_adapters::view::View;
use serde::Serialize;

/// Numbers in the columns that give f.
const VALUES: usize = 700_000;

/// Numbers in the values of the free variables.
const FREE: usize = 400_000;

/// What the data of the page look like.
#[derive(Serialize)]
pub struct Page {
    kind: &'static str,
    #[serde(flatten)]
    head: Head,
    parameter: String,
    /// The values of the parameter at the beginning of every piece and the end of the last.
    value: Column,
    /// Each piece has the node of its number, and one more for each of these pieces up to it: f jumps at their beginnings.
    gaps: Column,
    /// f is an affine function divided by the parameter.
    divide: bool,
    /// ε, where it is fixed and where it varies with the parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    tube: Option<f64>,
    objective: Objective,
    certificate: Certificates,
    free: Free,
    f: Functions,
    train: Option<Shown>,
    test: Option<Shown>,
    grid: Option<Grid>,
    /// Whether f is kept at the rows, or at the grid only.
    valued: bool,
    rates: Vec<Rates>,
    /// Names of the two classes: that of −1, that of +1.
    classes: Option<[String; 2]>,
}

/// TPR and FPR as step functions.
#[derive(Serialize)]
struct Rates {
    positives: usize,
    negatives: usize,
    /// The ends of the steps, one more than there are steps.
    value: Column,
    /// Rows of the class +1 with f > 0, and of the class −1 with f > 0.
    hits: Column,
    alarms: Column,
}

/// What does not depend on the detail.
pub struct Prepared<'a> {
    view: PathView<'a>,
    posed: Machine<'a>,
    train: Labelled,
    test: Option<Labelled>,
    pieces: Vec<Piece>,
    certificates: (Objective, Certificates),
    rates: Vec<Option<(RateCurve, [usize; 2])>>,
}

impl<'a> Prepared<'a> {
    /// The path with the rows to show.
    pub fn new(view: PathView<'a>, posed: Machine<'a>, test: Option<Labelled>, watch: Watch<'_>) -> Self {
        let (path, rows) = (view.path, &view.about.spec.rows);
        let train = (rows.features.as_ref().clone(), rows.response.clone());
        let rates = |(features, labels): &Labelled| {
            let positives = labels.iter().filter(|y| **y > 0.0).count();
            let View::Classifier(classifier) = posed.problem.view() else { return None };
            let curve = rates_by_position(classifier, path, features, labels).ok()?;
            Some((curve, [labels.len() - positives, positives]))
        };
        let rates: Vec<_> = match posed.problem.view() {
            View::Classifier(_) => [Some(&train), test.as_ref()].into_iter().flatten().map(rates).collect(),
            _ => Vec::new(),
        };
        // The objective goes with one over λ, or one over (νn)²: see the problems' `gap_unit`.
        let power = posed.problem.divisor(&posed.vary.name) as i32;
        let pieces = pieces::pieces(path, posed);
        let certificates = pieces::certificates(path, posed, (&pieces, power), watch);
        Prepared { view, posed, pieces, certificates, train, test, rates }
    }

    /// The largest scaled KKT residual and the largest relative gap along the path.
    pub fn worst(&self) -> [f64; 2] {
        self.certificates.1.worst
    }

    /// The page, with a part of the detail that there is.
    pub fn page(&self, detail: usize) -> Page {
        let Prepared { view, pieces, posed, .. } = self;
        let (posed, about, path) = (*posed, view.about, view.path);
        let name = posed.vary.name.clone();
        let kind = posed.problem.view().name();
        let divide = posed.problem.divisor(&name) > 0;
        let rows = Rows::new(
            about,
            (&self.train, self.test.as_ref()),
            (about.is_linear(), kind == "quantile" || kind == "tube"),
            (pieces.len() + 1, VALUES / detail),
        );
        let (kept_values, gaps) = self.nodes(&rows, divide);
        let (objective, certificate) = self.certificates.clone();
        let functions = rows.functions(&kept_values);
        let Rows { shown, grid, valued, .. } = rows;
        let mut shown = shown.into_iter();
        Page {
            kind,
            head: head(*view, &certificate),
            parameter: name,
            value: pieces::values(path, posed, pieces),
            gaps: whole(gaps),
            divide,
            tube: about.spec.fixed.get("epsilon").copied(),
            objective,
            certificate,
            free: pieces::free(path, posed, pieces, about.rows(), FREE / detail),
            f: functions,
            train: shown.next(),
            test: shown.next(),
            grid,
            valued,
            rates: self.rates.iter().flatten().map(|(curve, counts)| self.steps(curve, *counts)).collect(),
            classes: about.class_names(),
        }
    }

    /// What is kept of f at the ends of the pieces, one entry where two pieces meet and two where f jumps; and the pieces at whose
    /// beginning it does.
    fn nodes(&self, rows: &Rows, divide: bool) -> (Vec<Vec<f64>>, Vec<usize>) {
        let Prepared { view: PathView { path, .. }, pieces, posed, .. } = self;
        let posed = *posed;
        let at = |point: &Point<f64>| {
            let value = posed.value(path, point.t);
            let function = posed.kernel.function(&posed.axis.theta(value), point);
            let values = rows.values(posed.kernel, &function);
            if divide { values.into_iter().map(|f| f * value).collect() } else { values }
        };
        let (mut nodes, mut gaps): (Vec<Vec<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut before: Option<Point<f64>> = None;
        for (k, piece) in pieces.iter().enumerate() {
            let Some([start, end]) = ends(path, *piece) else { continue };
            let values = at(&start);
            if let Some(before) = before.filter(|before| jumps(before, &start)) {
                let left = at(&before);
                if differ(&left, &values) {
                    nodes.push(left);
                    gaps.push(k);
                }
            }
            nodes.push(values);
            before = Some(end);
        }
        nodes.extend(before.map(|end| at(&end)));
        (nodes, gaps)
    }

    fn steps(&self, curve: &RateCurve, [negatives, positives]: [usize; 2]) -> Rates {
        let (path, posed) = (self.view.path, self.posed);
        let mut value: Vec<f64> = curve.tau.iter().map(|t| posed.value(path, *t)).collect();
        // A class without rows has no rate.
        let count = |share: &f64, of: usize| if share.is_finite() { (share * of as f64).round() as usize } else { 0 };
        let mut hits: Vec<usize> = curve.tpr.iter().map(|rate| count(rate, positives)).collect();
        let mut alarms: Vec<usize> =
            curve.tnr.iter().map(|rate| negatives - count(rate, negatives).min(negatives)).collect();
        if value.last() < value.first() {
            value.reverse();
            hits.reverse();
            alarms.reverse();
        }
        Rates { positives, negatives, value: exact(&value), hits: whole(hits), alarms: whole(alarms) }
    }
}

/// Whether two rows of numbers differ by more than rounding.
fn differ(a: &[f64], b: &[f64]) -> bool {
    const ROUNDING: f64 = 1e-8;
    let size = a.iter().chain(b).fold(0.0, |m: f64, v| m.max(v.abs()));
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > ROUNDING * size)
}

/// The facts of a path.
fn head(view: PathView<'_>, certificate: &Certificates) -> Head {
    let PathView { about, posed, path, reached } = view;
    let (name, spec) = (about.file(), about.spec);
    let (n, d) = (about.rows(), about.features());
    let mut facts: Vec<Fact> = vec![
        ("data".into(), format!("{name}: n = {n}, d = {d}, scaling {}", about.scaler.scaling())),
        ("model".into(), format!("kernel {}, bias {}", spec.kernel, words::bias_text(spec.bias))),
    ];
    if !spec.fixed.is_empty() {
        let fixed: Vec<String> = spec.fixed.iter().map(|(name, v)| format!("{name} = {}", number(*v))).collect();
        facts.push(("fixed".into(), fixed.join(", ")));
    }
    let state = if reached { "complete" } else { "incomplete" };
    let points = if path.tolerance().is_some() { "stored points" } else { "breakpoints" };
    facts.push((
        "path".into(),
        format!("{} {points}, {} events, {state}", path.breakpoints().len(), path.stats().events),
    ));
    facts.push(("certificate".into(), certify::sizes(certificate.worst)));
    if let Some(tolerance) = path.tolerance() {
        facts.push(("approximate".into(), format!("a duality gap of {:.1e} at most", tolerance * posed.gap_unit())));
    }
    Head { title: about.title(), program: about.program.into(), facts }
}
