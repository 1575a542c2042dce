//! Solutions at one parameter value from guesses: against whole paths, on degenerate data, and from guesses that are no good.

use crate::common;

use crate::common::{Problem, dense, follow};
use pathqp::testing::Random;
use pathqp::{Certificate, ParametricQp, PathError, Settings, Start, trace};
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::guess::{self, Guess, Origin, Solution, guess, solve};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::svr::{Chart, Svr};
use pathqp_adapters::{AdapterError, Bias, KernelProblem, PathProblem};
use std::sync::Arc;

const BIASES: [Bias; 3] = [Bias::None, Bias::Augmented(2.0), Bias::Intercept];
const KERNELS: [&str; 3] = ["linear", "rbf:0.5", "poly:2,0.5,1"];

fn run(qp: &ParametricQp<f64>, theta: &[f64], origin: Origin<'_>) -> Solution {
    let found = solve(qp, theta, origin, &guess::Settings::default(), &Settings::default(), &mut ());
    found.unwrap_or_else(|error| panic!("{error}"))
}

/// The certificate holds; returns the objective.
#[track_caller]
fn certified(adapter: &dyn KernelProblem, theta: &[f64], found: &Solution) -> f64 {
    let point = found.path.at(&0.0).unwrap();
    let certificate = Certificate::new(&found.line, &0.0, &point.x, &point.y);
    assert!(certificate.kkt_residual() <= 1e-9, "{certificate:?}");
    adapter.model(theta, &point).objective
}

/// Every origin leads to the solution at `to` that a path from `from` finds there.
#[track_caller]
fn check(what: &str, adapter: &dyn KernelProblem, from: &[f64], to: &[f64]) {
    let settings = Settings::default();
    let qp = adapter.qp(&settings).unwrap();
    let line = qp.line(from, to).unwrap();
    let start = adapter.start(&qp, from, &settings);
    let path = trace(&line, &start, &settings, &mut ()).or_else(|_| trace(&line, &Start::Anywhere, &settings, &mut ()));
    let path = path.unwrap_or_else(|failure| panic!("{what}: {}", failure.0));
    let (first, last) = (path.at(&0.0).unwrap(), path.at(path.end()).unwrap());
    let expected = adapter.model(to, &last).objective;
    let mut random = Random(9);
    let noise: Vec<f64> = (0..qp.n()).map(|_| 1e3 * random.normal()).collect();
    let near = |x| Origin::Solution { qp: &qp, theta: from, x, variables: None };
    for (name, origin) in [
        ("cold", Origin::Cold),
        ("smoothed", Origin::Smoothed),
        ("noise", Origin::Vector(&noise)),
        ("itself", Origin::Vector(&last.x)),
        ("neighbour", near(&first.x)),
    ] {
        let found = run(&qp, to, origin);
        let objective = certified(adapter, to, &found);
        // The size of the objective is that of the losses at f = 0: the minimum may be zero.
        let origin = pathqp::Point { x: vec![0.0; qp.n()], y: 0.0, ..last.clone() };
        let size = expected.abs().max(1e-4 * adapter.model(to, &origin).objective);
        let differ = (objective - expected).abs() / size;
        assert!(objective == expected || differ <= 1e-8, "{what}, {name}: {objective} against {expected}");
        if name == "smoothed" {
            assert!(found.refused.is_none(), "{what}: {:?}", found.refused);
        }
    }
}

fn clouds(bias: Bias, kernel: &str) -> Problem {
    Problem::clouds(60, 3, 5, bias).with_kernel(kernel)
}

/// Integer rows, some of them several times, with integer responses that tie.
fn grid() -> (Features, Vec<f64>) {
    let rows: Vec<Vec<f64>> = (0..48).map(|i| vec![f64::from(i % 3), f64::from(i / 3 % 2), f64::from(i % 4)]).collect();
    let responses = (0..48).map(|i| f64::from(i * i % 5)).collect();
    (dense(&rows), responses)
}

fn signs(responses: &[f64]) -> Vec<f64> {
    responses.iter().map(|y| if *y > 1.0 { 1.0 } else { -1.0 }).collect()
}

#[test]
fn quantile_svms_agree_with_their_paths() {
    for bias in BIASES {
        for kernel in KERNELS {
            let svm = clouds(bias, kernel).svm();
            for tau in [0.0, 0.1, 0.5, 1.0] {
                check(&format!("{bias:?} {kernel} {tau}"), &svm, &[0.4], &[tau]);
            }
        }
    }
}

#[test]
fn cost_svms_agree_with_their_paths() {
    for bias in BIASES {
        for kernel in KERNELS {
            let Problem { features, labels, .. } = clouds(bias, kernel);
            let svm = CostSvm::new(Arc::new(features), labels, None, kernel.parse().unwrap(), bias).unwrap();
            for theta in [[0.0, 1.0], [1.0, 3.0], [100.0, 100.0]] {
                check(&format!("{bias:?} {kernel} {theta:?}"), &svm, &[0.0, 0.0], &theta);
            }
        }
    }
}

#[test]
fn regressions_agree_with_their_paths() {
    for bias in BIASES {
        for kernel in KERNELS {
            let mut random = Random(3);
            let rows: Vec<Vec<f64>> = (0..40).map(|_| vec![random.normal(), random.normal()]).collect();
            let responses: Vec<f64> = rows.iter().map(|x| x[0].sin() + 0.3 * random.normal() + 5.0).collect();
            let (features, kernel) = (Arc::new(dense(&rows)), kernel.parse::<KernelKind>().unwrap());
            let kqr = Kqr::new(features.clone(), responses.clone(), None, kernel, bias).unwrap();
            for theta in [[0.1, 0.1], [0.5, 10.0], [0.9, 1.0]] {
                check(&format!("kqr {bias:?} {kernel} {theta:?}"), &kqr, &[0.4, 2.0], &theta);
            }
            for chart in [Chart::Penalty, Chart::Cost] {
                let svr = Svr::new(features.clone(), responses.clone(), None, kernel, bias, chart).unwrap();
                for (lambda, epsilon) in [(1.0, 0.1), (0.1, 0.0), (10.0, 100.0), (0.01, 0.3)] {
                    let (from, to) = (svr.theta(2.0, 0.2), svr.theta(lambda, epsilon));
                    check(&format!("svr {bias:?} {kernel} {to:?}"), &svr, &from, &to);
                }
            }
        }
    }
}

#[test]
fn ties_and_repeated_rows() {
    let (features, responses) = grid();
    let features = Arc::new(features);
    for bias in BIASES {
        for kernel in KERNELS {
            let kernel: KernelKind = kernel.parse().unwrap();
            let svm = QuantileSvm::new(features.clone(), signs(&responses), None, 0.125, kernel, bias).unwrap();
            let kqr = Kqr::new(features.clone(), responses.clone(), None, kernel, bias).unwrap();
            let svr = Svr::new(features.clone(), responses.clone(), None, kernel, bias, Chart::Cost).unwrap();
            for tau in [0.25, 0.5, 0.75] {
                check(&format!("svm {bias:?} {kernel} {tau}"), &svm, &[0.4], &[tau]);
                check(&format!("kqr {bias:?} {kernel} {tau}"), &kqr, &[0.4, 1.0], &[tau, 2.0]);
                check(&format!("svr {bias:?} {kernel} {tau}"), &svr, &[1.0, 1.0], &[2.0, tau]);
            }
        }
    }
}

#[test]
fn one_row() {
    for bias in BIASES {
        let features = Arc::new(dense(&[vec![2.0, -1.0]]));
        let kqr = Kqr::new(features.clone(), vec![3.0], None, KernelKind::Linear, bias).unwrap();
        check("kqr", &kqr, &[0.4, 1.0], &[0.3, 0.5]);
        let svr = Svr::new(features, vec![3.0], None, KernelKind::Linear, bias, Chart::Cost).unwrap();
        check("svr", &svr, &[1.0, 1.0], &[2.0, 0.5]);
        let features = Arc::new(dense(&[vec![1.0], vec![-2.0]]));
        let svm = QuantileSvm::new(features, vec![1.0, -1.0], None, 1.0, KernelKind::Linear, bias).unwrap();
        check("svm", &svm, &[0.4], &[0.75]);
    }
}

#[test]
fn any_unit_will_do() {
    for (rows, responses) in [(1e-6, 1.0), (1e6, 1.0), (1.0, 1e-9), (1.0, 1e9), (1e-4, 1e6)] {
        let mut random = Random(8);
        let points: Vec<Vec<f64>> = (0..30).map(|_| vec![rows * random.normal(), rows * random.normal()]).collect();
        let y: Vec<f64> = points.iter().map(|x| responses * (x[0] / rows + random.normal() + 1.0)).collect();
        let features = Arc::new(dense(&points));
        let kqr = Kqr::new(features.clone(), y.clone(), None, KernelKind::Linear, Bias::Intercept).unwrap();
        // λ in units of k/Y.
        let lambda = rows * rows / responses;
        check(&format!("kqr {rows} {responses}"), &kqr, &[0.4, lambda], &[0.6, 3.0 * lambda]);
        let svr = Svr::new(features.clone(), y, None, KernelKind::Linear, Bias::Intercept, Chart::Penalty).unwrap();
        let (from, to) = (svr.theta(lambda, 0.1 * responses), svr.theta(3.0 * lambda, 0.3 * responses));
        check(&format!("svr {rows} {responses}"), &svr, &from, &to);
        let labels = points.iter().map(|x| if x[0] + 0.5 * x[1] > 0.0 { 1.0 } else { -1.0 }).collect();
        let svm =
            QuantileSvm::new(features, labels, None, 0.1 * rows * rows, KernelKind::Linear, Bias::Intercept).unwrap();
        check(&format!("svm {rows}"), &svm, &[0.4], &[0.6]);
    }
}

#[test]
fn guesses_are_feasible_and_say_what_they_took() {
    let svm = clouds(Bias::Intercept, "rbf:0.5").svm();
    let qp = svm.qp(&Settings::default()).unwrap();
    let settings = guess::Settings::default();
    let Guess { x, smoothing, stages, iterations, evaluations } =
        guess(&qp, &[0.3], Origin::Smoothed, &settings).unwrap();
    let line = qp.line(&[0.3], &[0.3]).unwrap();
    assert!((0..line.n()).all(|i| (0.0..=line.bounds.upper_at(i, &0.0).unwrap()).contains(&x[i])));
    let off: f64 = line.a.iter().zip(&x).map(|(a, x)| a * x).sum();
    assert!(off.abs() <= 1e-15, "{off:e}");
    assert!(smoothing.is_some_and(|h| h > 0.0 && h < 1.0));
    assert!((1..=settings.stages).contains(&stages));
    assert!(iterations >= 1 && evaluations >= iterations);
    // Without stages a guess stays what it is.
    let none = guess::Settings { stages: 0, ..settings };
    let same = guess(&qp, &[0.3], Origin::Vector(&x), &none).unwrap();
    assert_eq!((same.x, same.stages, same.smoothing), (x, 0, None));
}

#[test]
fn a_solution_is_a_guess_for_itself() {
    for bias in BIASES {
        let problem = clouds(bias, "rbf:0.5");
        let (svm, path) = (problem.svm(), problem.follow(0.0, 1.0));
        let qp = svm.qp(&Settings::default()).unwrap();
        for tau in [0.2, 0.5, 0.8] {
            let point = path.at(&path.position(&[tau]).unwrap()).unwrap();
            let as_it_is = guess::Settings { stages: 0, ..guess::Settings::default() };
            let found = solve(&qp, &[tau], Origin::Vector(&point.x), &as_it_is, &Settings::default(), &mut ()).unwrap();
            assert_eq!((found.events, found.refused), (0, None), "{bias:?} at {tau}");
        }
    }
}

#[test]
fn another_fold_is_a_guess() {
    let problem = clouds(Bias::Intercept, "rbf:0.5");
    // Rows 10 to 49 and rows 0 to 39: thirty in common.
    let (first, second): (Vec<usize>, Vec<usize>) = ((10..50).collect(), (0..40).collect());
    let [a, b] = [&first, &second].map(|rows| problem.select(rows).svm());
    let [p, q] = [&a, &b].map(|svm| svm.qp(&Settings::default()).unwrap());
    let found = run(&p, &[0.4], Origin::Smoothed);
    let x = found.path.at(&0.0).unwrap().x;
    let variables: Vec<Option<usize>> = second.iter().map(|row| first.iter().position(|r| r == row)).collect();
    let origin = Origin::Solution { qp: &p, theta: &[0.4], x: &x, variables: Some(&variables) };
    let carried = run(&q, &[0.4], origin);
    let smoothed = run(&q, &[0.4], Origin::Smoothed);
    let [first, second] = [&carried, &smoothed].map(|found| certified(&b, &[0.4], found));
    assert!((first - second).abs() <= 1e-8 * second);
    assert!(carried.refused.is_none());
    // A mapping of the wrong length, or to a variable that does not exist.
    for (variables, found) in [(vec![Some(0); 3], 3), (vec![Some(40); 40], 40)] {
        let origin = Origin::Solution { qp: &p, theta: &[0.4], x: &x, variables: Some(&variables) };
        let error = guess(&q, &[0.4], origin, &guess::Settings::default()).unwrap_err();
        let expected = if found == 3 { 40 } else { 41 };
        assert_eq!(error, AdapterError::Path(PathError::StartShape { expected, found }));
    }
}

#[test]
fn guesses_that_cannot_be_used() {
    let svm = clouds(Bias::Intercept, "linear").svm();
    let qp = svm.qp(&Settings::default()).unwrap();
    let error = |x: &[f64]| guess(&qp, &[0.4], Origin::Vector(x), &guess::Settings::default()).unwrap_err();
    assert_eq!(error(&[0.0; 3]), AdapterError::Path(PathError::StartShape { expected: 60, found: 3 }));
    for value in [f64::NAN, f64::INFINITY] {
        let mut x = vec![0.0; 60];
        x[7] = value;
        let outside = PathError::StartOutsideBounds { index: 7, value: value.to_string() };
        assert_eq!(error(&x), AdapterError::Path(outside));
    }
    let outside = guess(&qp, &[1.5], Origin::Smoothed, &guess::Settings::default());
    assert!(matches!(outside, Err(AdapterError::Problem(_))), "{outside:?}");
}

/// All terms of a z cancel here, and rounding is all that is left of it.
#[test]
fn rounding_does_not_refuse_a_guess() {
    let features = Arc::new(dense(&[vec![0.0, 1.0], vec![0.0, 0.0], vec![0.0, -2.0]]));
    let kernel: KernelKind = "poly:2,0.5,1".parse().unwrap();
    let kqr = Kqr::new(features, vec![0.0, -1.0, 0.0], None, kernel, Bias::None).unwrap();
    let qp = kqr.qp(&Settings::default()).unwrap();
    for to in [[0.1, 50.0], [0.1, 60.0], [0.1, 5.0], [0.9, 50.0]] {
        let line = qp.line(&[0.1, 50.0], &to).unwrap();
        let path = trace(&line, &Start::Guess(vec![0.0, -0.9, 0.0]), &Settings::default(), &mut ());
        let path = path.unwrap_or_else(|failure| panic!("{to:?}: {}", failure.0));
        let point = path.at(path.end()).unwrap();
        assert!(Certificate::new(&line, path.end(), &point.x, &point.y).kkt_residual() <= 1e-9);
    }
}

/// A path goes on from a guess as from anywhere.
#[test]
fn a_path_from_a_guess_is_the_same_path() {
    let problem = clouds(Bias::Intercept, "rbf:0.5");
    let (svm, line) = (problem.svm(), problem.line(0.3, 0.9));
    let qp = svm.qp(&Settings::default()).unwrap();
    let x = guess(&qp, &[0.3], Origin::Smoothed, &guess::Settings::default()).unwrap().x;
    let path = trace(&line, &Start::Guess(x), &Settings::default(), &mut ()).unwrap();
    common::assert_same("a guess", &common::breakpoints(&path), &common::breakpoints(&follow(&line)), 1e-11);
}
