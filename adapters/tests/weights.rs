//! Rows of weight zero are ignored: every problem, kernel and bias with them and without them.

use crate::common::{assert_same, dense};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Path, Settings};
use pathqp_adapters::bilevel::{Domain, Fold, InSample, bilevel, in_sample};
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::course::Course;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::one_class_svm::OneClassSvm;
use pathqp_adapters::problem::begin;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::roc::explore::{Plan, cross_validation, explore};
use pathqp_adapters::svr::{Chart, Svr};
use pathqp_adapters::view::View;
use pathqp_adapters::{AdapterError, Bias, KernelProblem};
use std::collections::BTreeMap;
use std::sync::Arc;

const N: usize = 30;
const TOLERANCE: f64 = 1e-9;
const KERNELS: [&str; 4] = ["linear", "rbf:0.5", "poly:2,0.5,1", "precomputed"];
const BIASES: [Bias; 3] = [Bias::Intercept, Bias::None, Bias::Augmented(0.5)];

/// A problem, what varies, and what does not.
type Question = (&'static str, &'static str, &'static [(&'static str, f64)]);

const QUESTIONS: [Question; 10] = [
    ("quantile-svm", "tau", &[]),
    ("cost-svm", "c", &[]),
    ("cost-svm", "c-pos", &[("sum", 2.0)]),
    ("kqr", "tau", &[("lambda", 0.3)]),
    ("kqr", "lambda", &[("tau", 0.4)]),
    ("kqr", "lambda", &[("tau", 0.85)]),
    ("svr", "epsilon", &[("lambda", 0.3)]),
    ("svr", "lambda", &[("epsilon", 0.2)]),
    ("svr", "c", &[("epsilon", 0.2)]),
    ("one-class-svm", "nu", &[]),
];

/// Rows, a response, labels and weights, of which a third is zero; rows of weight zero have the largest and the smallest values.
struct Data {
    rows: Vec<Vec<f64>>,
    response: Vec<f64>,
    weights: Vec<f64>,
}

fn data(seed: u64) -> Data {
    let mut random = Random(seed);
    let mut weights: Vec<f64> = (0..N).map(|_| 0.5 + random.unit()).collect();
    let mut rows: Vec<Vec<f64>> = (0..N).map(|_| vec![random.normal(), random.normal()]).collect();
    let mut response: Vec<f64> = rows.iter().map(|x| x[0] - 0.5 * x[1] + 0.5 * random.normal()).collect();
    for i in (0..N).step_by(3) {
        weights[i] = 0.0;
        response[i] *= 10.0;
        rows[i].iter_mut().for_each(|x| *x *= 3.0);
    }
    // A copy of a row that counts, with another response.
    rows[0] = rows[1].clone();
    Data { rows, response, weights }
}

impl Data {
    fn counted(&self) -> Vec<usize> {
        (0..N).filter(|&i| self.weights[i] > 0.0).collect()
    }

    fn select(&self, kept: &[usize]) -> Data {
        let pick = |values: &[f64]| kept.iter().map(|&i| values[i]).collect();
        Data {
            rows: kept.iter().map(|&i| self.rows[i].clone()).collect(),
            response: pick(&self.response),
            weights: pick(&self.weights),
        }
    }

    fn labels(&self) -> Vec<f64> {
        self.response.iter().map(|y| if *y > 0.0 { 1.0 } else { -1.0 }).collect()
    }

    /// Features of these rows as an adapter with this kernel takes them; a precomputed one is exp(−‖x − z‖²/2) + x·z.
    fn features(&self, kernel: &str, rows: &[Vec<f64>]) -> Features {
        let entry = |x: &Vec<f64>, z: &Vec<f64>| {
            let (dot, square) = x.iter().zip(z).fold((0.0, 0.0), |(d, s), (a, b)| (d + a * b, s + (a - b) * (a - b)));
            f64::exp(-0.5 * square) + dot
        };
        if kernel != "precomputed" {
            return dense(rows);
        }
        dense(&rows.iter().map(|x| self.rows.iter().map(|z| entry(x, z)).collect()).collect::<Vec<_>>())
    }

    fn adapter(
        &self,
        (problem, vary, _): Question,
        kernel: &str,
        bias: Bias,
    ) -> Result<Box<dyn KernelProblem>, AdapterError> {
        let features = Arc::new(self.features(kernel, &self.rows));
        let (kernel, weights): (KernelKind, _) = (kernel.parse().unwrap(), Some(self.weights.clone()));
        let chart = if vary == "c" { Chart::Cost } else { Chart::Penalty };
        Ok(match problem {
            "quantile-svm" => Box::new(QuantileSvm::new(features, self.labels(), weights, 0.05, kernel, bias)?),
            "cost-svm" => Box::new(CostSvm::new(features, self.labels(), weights, kernel, bias)?),
            "kqr" => Box::new(Kqr::new(features, self.response.clone(), weights, kernel, bias)?),
            "svr" => Box::new(Svr::new(features, self.response.clone(), weights, kernel, bias, chart)?),
            _ => Box::new(OneClassSvm::new(features, weights, kernel)?),
        })
    }
}

/// A path with the values of the parameter at its ends.
fn follow(adapter: &dyn KernelProblem, (_, vary, fixed): Question) -> (Path<f64>, [f64; 2]) {
    let settings = Settings::default();
    let fixed: BTreeMap<String, f64> = fixed.iter().map(|(name, value)| ((*name).into(), *value)).collect();
    let axis = adapter.axis(&Course { vary: vary.into(), fixed, direction: None }).unwrap();
    let qp = adapter.qp(&settings).unwrap();
    let natural = adapter.ends(&qp, &axis, &settings).unwrap();
    let ends = [natural[0].unwrap_or(0.1), natural[1].unwrap_or(5.0)];
    let line = qp.line(&axis.theta(ends[0]), &axis.theta(ends[1])).unwrap();
    let mut follower = begin(&line, &adapter.start(&qp, &axis.theta(ends[0]), &settings), &settings).unwrap();
    follower.run(&mut ()).unwrap();
    let path = follower.into_path();
    assert!(path.is_complete());
    assert_eq!(validate(&path, &line, &TOLERANCE), []);
    (path, ends)
}

fn values(path: &Path<f64>, ends: [f64; 2]) -> Vec<f64> {
    let length = *path.end();
    path.breakpoints().iter().map(|t| ends[0] + (ends[1] - ends[0]) * t / length).collect()
}

/// The largest size.
fn size<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(1.0, |m, v| m.max(v.abs()))
}

fn compare(question: Question, kernel: &str, bias: Bias, seed: u64) {
    let what = format!("{question:?}, {kernel}, {bias:?}, seed {seed}");
    let whole = data(seed);
    let kept = whole.counted();
    let part = whole.select(&kept);
    let [a, b] = [&whole, &part].map(|data| data.adapter(question, kernel, bias).unwrap());
    let ((path, ends), (expected, natural)) = (follow(a.as_ref(), question), follow(b.as_ref(), question));
    let scale = natural[0].abs().max(natural[1].abs());
    assert_same(&what, &ends, &natural, TOLERANCE * scale);
    assert_same(&what, &values(&path, ends), &values(&expected, natural), TOLERANCE * scale);
    let mut random = Random(seed + 1000);
    let probes: Vec<Vec<f64>> = (0..5).map(|_| vec![random.normal(), random.normal()]).collect();
    for _ in 0..7 {
        let share = random.unit();
        let models = [(&a, &path), (&b, &expected)].map(|(adapter, path)| {
            let t = share * path.end();
            (adapter.model(&path.parameter(&t), &path.at(&t).unwrap()), adapter)
        });
        let [(found, _), (model, _)] = &models;
        let variables = found.alpha.len() / N;
        for copy in 0..variables {
            let alpha = &found.alpha[copy * N..(copy + 1) * N];
            assert!((0..N).filter(|i| !kept.contains(i)).all(|i| alpha[i] == 0.0), "{what}: {alpha:?}");
        }
        let near = |a: f64, b: f64, scale: f64| assert!((a - b).abs() <= TOLERANCE * scale, "{what}: {a}, not {b}");
        near(found.objective, model.objective, model.objective.abs().max(1.0));
        near(found.dual_objective, model.dual_objective, model.objective.abs().max(1.0));
        let f = a.decision(found, &whole.features(kernel, &probes));
        let expected = b.decision(model, &part.features(kernel, &probes));
        f.iter().zip(&expected).for_each(|(f, e)| near(*f, *e, size(&expected)));
        // Rows without a say are predicted like any others.
        let own = a.decision(found, &whole.features(kernel, &whole.rows));
        let expected = b.decision(model, &part.features(kernel, &whole.rows));
        own.iter().zip(&expected).for_each(|(f, e)| near(*f, *e, size(&expected)));
        if let (View::Tube(a), View::Tube(b)) = (a.view(), b.view()) {
            assert_eq!(a.outside(found), b.outside(model), "{what}");
        }
    }
}

#[test]
fn a_row_of_weight_zero_has_no_say() {
    for question in QUESTIONS {
        for kernel in KERNELS {
            for bias in if question.0 == "one-class-svm" { &BIASES[..1] } else { &BIASES[..] } {
                (0..3).for_each(|seed| compare(question, kernel, *bias, seed));
            }
        }
    }
}

#[test]
fn shares_outside_of_the_tube_and_outlier_ranks() {
    for seed in 0..5 {
        let whole = data(seed);
        let kept = whole.counted();
        let part = whole.select(&kept);
        let question = QUESTIONS[6];
        let steps = [&whole, &part].map(|data| {
            let adapter = data.adapter(question, "rbf:0.5", Bias::Intercept).unwrap();
            let View::Tube(svr) = adapter.view() else { panic!("a tube") };
            svr.outside_along(&follow(adapter.as_ref(), question).0).unwrap()
        });
        assert_eq!(steps[0].values, steps[1].values);

        let question = QUESTIONS[9];
        let ranks = [&whole, &part].map(|data| {
            let adapter = data.adapter(question, "rbf:0.5", Bias::Intercept).unwrap();
            let (path, ends) = follow(adapter.as_ref(), question);
            let View::Outliers(svm) = adapter.view() else { panic!("outliers") };
            (svm.outlier_ranks(&path).unwrap(), path, ends, adapter)
        });
        let (found, expected) = (&ranks[0].0, &ranks[1].0);
        for (k, &i) in kept.iter().enumerate() {
            let near = found[i].zip(expected[k]).map(|(a, b)| (a - b).abs() <= TOLERANCE);
            assert!(near.unwrap_or(found[i] == expected[k]), "{:?}, not {:?}", found[i], expected[k]);
        }
        // Of a row without a say: just below its rank it lies inside, just above it outside.
        let (_, path, _, adapter) = &ranks[0];
        for i in (0..N).filter(|i| !kept.contains(i)) {
            let f = |nu: f64| {
                let model = adapter.model(&[nu], &path.at_parameter(&[nu]).unwrap());
                adapter.decision(&model, &dense(&whole.rows[i..=i]))[0]
            };
            let least = *path.parameter(path.end()).first().unwrap();
            match found[i] {
                None => assert!((1..=50).all(|k| f(least + (1.0 - least) * f64::from(k) / 50.0) >= -TOLERANCE)),
                Some(rank) if rank <= least => assert!(f(least) < 0.0),
                Some(rank) => {
                    let ends = [-1e-9, 1e-9].map(|step| f((rank + step).clamp(least, 1.0)));
                    assert!(ends[0] > -TOLERANCE && ends[1] < TOLERANCE, "row {i}: {ends:?} at {rank}");
                    let inside = (0..50).map(|k| least + (rank - least) * f64::from(k) / 50.0);
                    assert!(inside.into_iter().all(|nu| f(nu) > -TOLERANCE));
                }
            }
        }
    }
}

#[test]
fn tuning_and_roc_curves_leave_them_out() {
    let settings = Settings::default();
    for kernel in ["rbf:0.5", "precomputed"] {
        let whole = data(7);
        let part = whole.select(&whole.counted());
        let extreme = |of: fn(f64, f64) -> f64| part.response.iter().copied().reduce(of).unwrap();
        let range = extreme(f64::max) - extreme(f64::min);
        let kind: KernelKind = kernel.parse().unwrap();
        let [a, b] = [&whole, &part].map(|data| {
            let (x, y) = (data.features(kernel, &data.rows), &data.response);
            let folds = Fold::split(&x, y, Some(&data.weights), kind, Bias::Intercept, 3).unwrap();
            let kqr = Kqr::new(Arc::new(x), y.clone(), Some(data.weights.clone()), kind, Bias::Intercept).unwrap();
            let domain = Domain::tau(0.3, 0.7);
            let probes = (data.features(kernel, &whole.rows), whole.response.clone(), Some(whole.weights.clone()));
            let held = Fold::new(kqr.clone(), probes.0, probes.1, probes.2).unwrap();
            let paths = [
                bilevel(&folds, &domain, &settings).unwrap(),
                bilevel(&[held], &domain, &settings).unwrap(),
                in_sample(&kqr, InSample::Sic, &domain, &settings).unwrap(),
            ];
            paths.map(|path| [0.31, 0.45, 0.5, 0.68].map(|tau| path.at(tau).unwrap().loss))
        });
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            // Where f interpolates the rows that are held out nothing is left but rounding, which is up to 1e-10 of the range of responses where the search ends (`End::Precision`).
            assert!((a - b).abs() <= 1e-8 * b.abs() + 1e-10 * range, "{kernel}: {a}, not {b}");
        }
    }
    let whole = data(8);
    let part = whole.select(&whole.counted());
    let [a, b] = [&whole, &part].map(|data| {
        let kernel: KernelKind = "rbf:0.5".parse().unwrap();
        let (features, weights) = (Arc::new(dense(&data.rows)), Some(data.weights.clone()));
        let svm = CostSvm::new(features, data.labels(), weights, kernel, Bias::Intercept).unwrap();
        let plan = Plan { multiples: vec![1.0], sum: Some(2.0), max_sum: 10.0, gamma: 0.5 };
        let roc = explore(&svm, &cross_validation(&svm, 3, 5).unwrap(), &plan, &settings).unwrap();
        roc.asymmetry.iter().map(|point| roc.totals.rates(point)).collect::<Vec<_>>()
    });
    assert_eq!(a, b);
}

#[test]
fn weights_that_leave_nothing_are_named() {
    let mut data = data(3);
    let labels = data.labels();
    let error = |data: &Data, question| data.adapter(question, "linear", Bias::Intercept).err();
    for question in QUESTIONS {
        for value in [-1.0, f64::NAN, f64::INFINITY] {
            data.weights[4] = value;
            assert!(matches!(error(&data, question), Some(AdapterError::Weight { row: 4, .. })), "{question:?}");
        }
        data.weights = vec![0.0; N];
        assert_eq!(error(&data, question), Some(AdapterError::NoWeight { rows: N }));
        data.weights = vec![1.0; N];
    }
    for class in [1.0, -1.0] {
        let weights = labels.iter().map(|y| if *y == class { 0.0 } else { 2.0 });
        data.weights = weights.collect();
        let rows = labels.iter().filter(|y| **y == class).count();
        for question in &QUESTIONS[..3] {
            assert_eq!(error(&data, *question), Some(AdapterError::NoWeightInClass { class, rows }));
        }
    }
}
