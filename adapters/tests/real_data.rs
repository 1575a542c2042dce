//! Whole quantile-SVM paths on real data sets: certificates, an interior-point solver, and the path followed backwards.
//!
//! The data lie outside the repository, in `shared/data/binary` beside it; without them the tests say so and pass.

use crate::common::{Problem, assert_same, breakpoints, follow, residual};
use pathqp::problem::Line;
use pathqp::settings::Pricing;
use pathqp::testing::Random;
use pathqp::{Certificate, Path, Settings, Start, trace, validate::validate};
use pathqp_adapters::dataset::{ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::Bias;
use std::path::PathBuf;

/// The scaled KKT residual that a certificate may show.
const RESIDUAL: f64 = 1e-9;

/// Relative difference of objectives.
const OBJECTIVE: f64 = 1e-8;

/// A problem and how much of it is checked.
struct Case {
    file: &'static str,
    lambda: f64,
    kernel: &'static str,
    bias: Bias,
    scaling: Scaling,
    /// The segments at whose ends and middle the certificate is computed; none: all of them.
    segments: Option<usize>,
    /// The random τ at which it is.
    points: usize,
    /// The random τ at which the objective is compared.
    objectives: usize,
}

impl Default for Case {
    fn default() -> Self {
        Case {
            file: "",
            lambda: 1e-3,
            kernel: "linear",
            bias: Bias::Augmented(1.0),
            scaling: Scaling::None,
            segments: None,
            points: 200,
            objectives: 5,
        }
    }
}

impl Case {
    /// The problem, or none when the data are not there.
    fn load(&self) -> Option<Problem> {
        let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/binary");
        let file = directory.join(self.file);
        if !file.exists() {
            println!("skipped: {} is not there", file.display());
            return None;
        }
        let data = read(&file, &ReadOptions::default()).unwrap();
        let (labels, _) = two_classes(&data, None).unwrap();
        let features = Scaler::fit(&data.features, self.scaling).apply(&data.features).unwrap().compact();
        let kernel: KernelKind = self.kernel.parse().unwrap();
        Some(Problem { features, labels, weights: None, lambda: self.lambda, kernel, bias: self.bias })
    }

    /// Certified and full pricing give the same events, to the last bit of every law.
    fn compare(self) {
        let Some(problem) = self.load() else { return };
        let line = problem.line(0.0, 1.0);
        let [certified, full] = [Pricing::Certified, Pricing::Full].map(|pricing| {
            let settings = Settings { pricing, ..Settings::default() };
            let path = trace(&line, &Start::Anywhere, &settings, &mut ());
            path.unwrap_or_else(|failure| panic!("{}, {pricing:?}: {}", self.file, failure.0))
        });
        let (looked, all) = (certified.stats().priced, full.stats().priced);
        println!("{}: {} events, {looked} of {all} priced", self.file, full.stats().events);
        assert!(looked < all, "{}", self.file);
        assert_eq!(certified.stats().events, full.stats().events, "{}", self.file);
        assert_eq!(certified.segments().len(), full.segments().len(), "{}", self.file);
        for (k, (a, b)) in certified.segments().iter().zip(full.segments()).enumerate() {
            assert_eq!(a, b, "{}, segment {k}", self.file);
            assert_eq!(certified.free_on(k), full.free_on(k), "{}, segment {k}", self.file);
            assert_eq!(certified.changes_on(k), full.changes_on(k), "{}, segment {k}", self.file);
            let [x, y] = [&certified, &full].map(|path| path.law_at(k, &a.t).unwrap());
            assert!(k % 100 > 0 || x == y, "{}, segment {k}", self.file);
        }
    }

    fn check(self) {
        let Some(problem) = self.load() else { return };
        let line = problem.line(0.0, 1.0);
        let path = follow(&line);
        self.certificates(&path, &line);
        let mut random = Random(2);
        for _ in 0..self.points {
            let tau = random.unit();
            let residual = residual(&path, &line, tau);
            assert!(residual <= RESIDUAL, "{}: residual {residual:e} at tau = {tau}", self.file);
        }
        self.objectives(&problem, &path, &mut random);
        let backwards = problem.follow(1.0, 0.0);
        assert_same(self.file, &breakpoints(&path), &breakpoints(&backwards), 1e-11);
    }

    /// At both ends and the middle of segments, with the law of that segment.
    fn certificates(&self, path: &Path<f64>, line: &Line<f64>) {
        let Some(count) = self.segments else {
            let violations = validate(path, line, &RESIDUAL);
            assert!(violations.is_empty(), "{}: {} violations, {:?}", self.file, violations.len(), violations.first());
            return;
        };
        let segments = path.segments();
        for j in 0..count {
            // Spread over the path, the first and the last segment among them.
            let k = j * (segments.len() - 1) / (count - 1);
            let (t0, t1) = (segments[k].t, segments.get(k + 1).map_or(*path.end(), |s| s.t));
            for t in [t0, (t0 + t1) / 2.0, t1] {
                let point = path.law_at(k, &t).unwrap();
                let residual = Certificate::new(line, &t, &point.x, &point.y).kkt_residual();
                assert!(residual <= RESIDUAL, "{}: residual {residual:e} at t = {t}, segment {k}", self.file);
            }
        }
    }

    fn objectives(&self, problem: &Problem, path: &Path<f64>, random: &mut Random) {
        let (svm, primal) = (problem.svm(), problem.interior_point());
        for _ in 0..self.objectives {
            let tau = random.unit();
            let model = svm.at(path, tau).unwrap();
            let other = primal.minimum(tau);
            let difference = (model.objective - other).abs() / other;
            assert!(difference <= OBJECTIVE, "{}: objectives differ by {difference:e} at tau = {tau}", self.file);
            let gap = (model.objective - model.dual_objective).abs() / model.objective;
            assert!(gap <= OBJECTIVE, "{}: gap {gap:e} at tau = {tau}", self.file);
        }
    }
}

fn pima_case() -> Case {
    Case { file: "pima.svm", scaling: Scaling::MinMax, points: 1000, objectives: 50, ..Case::default() }
}

fn splice_case() -> Case {
    Case { file: "splice.svm", lambda: 1e-2, objectives: 10, ..Case::default() }
}

fn german_case() -> Case {
    Case { file: "german.numer_scale.svm", objectives: 10, ..Case::default() }
}

fn a1a_case() -> Case {
    Case { file: "a1a.svm", ..Case::default() }
}

fn w1a_case() -> Case {
    Case { file: "w1a.svm", ..Case::default() }
}

fn heart_case() -> Case {
    let (kernel, bias) = ("rbf:0.5", Bias::Intercept);
    Case { file: "heart_scale.svm", lambda: 1e-2, kernel, bias, objectives: 10, ..Case::default() }
}

fn svmguide1_case() -> Case {
    let (kernel, bias, scaling) = ("rbf:0.5", Bias::Intercept, Scaling::MinMax);
    Case { file: "svmguide1.svm", kernel, bias, scaling, segments: Some(20), objectives: 2, ..Case::default() }
}

fn mushrooms_case() -> Case {
    Case { file: "mushrooms.svm", segments: Some(20), objectives: 3, ..Case::default() }
}

fn spambase_case() -> Case {
    let scaling = Scaling::MinMax;
    Case { file: "spambase.svm", scaling, segments: Some(200), objectives: 3, ..Case::default() }
}

#[test]
fn pima() {
    pima_case().check();
}

#[test]
fn splice() {
    splice_case().check();
}

#[test]
fn german() {
    german_case().check();
}

#[test]
fn a1a() {
    a1a_case().check();
}

#[test]
fn w1a() {
    w1a_case().check();
}

#[test]
fn heart_with_an_rbf_kernel_and_an_intercept() {
    heart_case().check();
}

#[test]
fn svmguide1_with_an_rbf_kernel_and_an_intercept() {
    svmguide1_case().check();
}

#[test]
fn mushrooms() {
    mushrooms_case().check();
}

#[test]
fn spambase() {
    spambase_case().check();
}

#[test]
fn certified_and_full_pricing_give_the_same_events() {
    for case in [pima_case, german_case, heart_case] {
        case().compare();
    }
    for bias in [Bias::None, Bias::Intercept] {
        Case { bias, ..pima_case() }.compare();
        Case { bias, ..german_case() }.compare();
    }
}

/// With `--release -- --nocapture` it prints how long both take.
#[test]
fn certified_and_full_pricing_give_the_same_events_on_larger_data() {
    for case in [spambase_case, splice_case, a1a_case, w1a_case, mushrooms_case, svmguide1_case] {
        case().compare();
    }
    for case in [spambase_case, a1a_case, w1a_case] {
        Case { bias: Bias::Intercept, ..case() }.compare();
    }
}
