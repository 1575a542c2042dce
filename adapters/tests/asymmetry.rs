//! The best penalty for every asymmetry of costs against single solutions at many asymmetries, each from a start of its own.

use crate::common::dense;
use pathqp::testing::Random;
use pathqp::{Settings, Start, trace};
use pathqp_adapters::asymmetry::{Candidate, HeldOut, Question, Tuned, Varied, tune};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::roc::Fold;
use pathqp_adapters::spec::Rows;
use pathqp_adapters::{AdapterError, Bias};

const LAMBDAS: [f64; 3] = [0.3, 0.03, 0.003];

fn clouds(n: usize, seed: u64, grid: bool) -> (Features, Vec<f64>) {
    let mut random = Random(seed);
    let labels: Vec<f64> = (0..n).map(|i| if i % 5 < 2 { 1.0 } else { -1.0 }).collect();
    let rows: Vec<Vec<f64>> = labels
        .iter()
        .map(|y| {
            let value = |random: &mut Random| random.normal() + 0.6 * y;
            (0..2).map(|_| if grid { value(&mut random).round() } else { value(&mut random) }).collect()
        })
        .collect();
    (dense(&rows), labels)
}

type Data = (Features, Vec<f64>);

fn posed(data: &Data) -> Rows {
    Rows { features: data.0.clone().into(), response: data.1.clone(), weights: None }
}

fn candidates(
    data: &Data,
    (varied, range): (Varied, [f64; 2]),
    grid: &[f64],
    kernel: &str,
    bias: Bias,
) -> Vec<Candidate> {
    let rows = &posed(data);
    let kernel: KernelKind = kernel.parse().unwrap();
    let question = Question { varied, range, grid: grid.to_vec(), rows, kernel, bias, held: None, folds: 3 };
    question.candidates().unwrap()
}

/// Misses and false alarms of the solution at θ, found without a path to it; and the least |f| of the held-out rows that is not zero.
fn alone(folds: &[Fold], theta: &[f64], beyond: &[f64]) -> ([usize; 2], f64) {
    let (mut errors, mut least) = ([0; 2], f64::INFINITY);
    for fold in folds {
        let qp = fold.problem.qp(&Settings::default()).unwrap();
        let path =
            trace(&qp.line(theta, beyond).unwrap(), &Start::Anywhere, &Settings::default(), &mut ()).map_err(|f| f.0);
        let point = path.unwrap().at(&0.0).unwrap();
        let f = fold.problem.decision(&fold.problem.model(theta, &point), &fold.rows);
        for (f, y) in f.iter().zip(&fold.labels) {
            // f = 0 is negative, also where rounding leaves something of it.
            errors[usize::from(*y < 0.0)] += usize::from((*f > 1e-10) != (*y > 0.0));
            if f.abs() > 1e-12 {
                least = least.min(f.abs());
            }
        }
    }
    (errors, least)
}

fn loss(errors: [usize; 2], gamma: f64, held: usize, which: HeldOut) -> f64 {
    let [misses, alarms] = errors.map(|count| count as f64);
    match which {
        HeldOut::Cost => (2.0 * gamma * misses + 2.0 * (1.0 - gamma) * alarms) / held as f64,
        HeldOut::Error => (misses + alarms) / held as f64,
    }
}

/// The pieces tile the range, and at many values the best penalty is the best of all by single solutions.
fn is_best(candidates: &[Candidate], found: &Tuned, varied: Varied, which: HeldOut) {
    let (first, last) = (found.pieces.first().unwrap(), found.pieces.last().unwrap());
    let [from, to] = [first.vary[0], last.vary[1]];
    assert!(found.pieces.windows(2).all(|two| two[0].vary[1] == two[1].vary[0]));
    assert_eq!((found.recount.points, found.recount.worst), (found.pieces.len(), 0.0));
    let mut compared = 0;
    for k in 0..40 {
        let v = from + (to - from) * (f64::from(k) + 0.377) / 40.0;
        let gamma = if varied == Varied::Tau { 1.0 - v } else { v };
        let mut clear = f64::INFINITY;
        let losses: Vec<f64> = candidates
            .iter()
            .map(|candidate| {
                let at = |v: f64| -> Vec<f64> {
                    let part = (v - from) / (to - from);
                    candidate.ends[0].iter().zip(&candidate.ends[1]).map(|(a, b)| a + part * (b - a)).collect()
                };
                let (errors, least) = alone(&candidate.folds, &at(v), &candidate.ends[1]);
                clear = clear.min(least);
                loss(errors, gamma, found.held_out, which)
            })
            .collect();
        // A row that is nearer to a change of sign may lie on either side.
        if clear > 1e-8 {
            compared += 1;
            let (penalty, least) = found.at(v).unwrap();
            let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
            assert!((least - best).abs() < 1e-12, "at {v}: {least}, not {best}");
            let place = candidates.iter().position(|candidate| candidate.penalty == penalty).unwrap();
            assert!((losses[place] - best).abs() < 1e-12, "at {v}: {penalty}");
            for (curve, loss) in found.curves.iter().zip(&losses) {
                let (ends, [a, b]) = curve.pieces.iter().find(|piece| v <= piece.0[1]).unwrap();
                let there = a + (v - ends[0]) / (ends[1] - ends[0]) * (b - a);
                assert!((there - loss).abs() < 1e-12, "at {v}, {}: {there}, not {loss}", curve.penalty);
            }
        }
    }
    assert!(compared > 20, "{compared}");
    assert_eq!(found.curves.iter().map(|curve| curve.penalty).collect::<Vec<_>>(), penalties(candidates));
}

fn penalties(candidates: &[Candidate]) -> Vec<f64> {
    candidates.iter().map(|candidate| candidate.penalty).collect()
}

#[test]
fn the_best_lambda_for_every_tau_is_that_of_single_solutions() {
    for (seed, grid, kernel, bias) in [
        (1, false, "linear", Bias::Intercept),
        (2, true, "linear", Bias::Augmented(1.0)),
        (3, false, "rbf:0.7", Bias::Intercept),
        (4, true, "rbf:0.3", Bias::Intercept),
    ] {
        let data = clouds(45, seed, grid);
        for (which, range) in [(HeldOut::Cost, [0.0, 1.0]), (HeldOut::Error, [0.2, 0.7])] {
            let candidates = candidates(&data, (Varied::Tau, range), &LAMBDAS, kernel, bias);
            let found = tune(&candidates, (Varied::Tau, range), which, &Settings::default()).unwrap();
            assert_eq!((found.pieces[0].vary[0], found.pieces.last().unwrap().vary[1]), (range[0], range[1]));
            assert_eq!(found.held_out, 45);
            is_best(&candidates, &found, Varied::Tau, which);
        }
    }
}

#[test]
fn the_best_cost_for_every_direction_is_that_of_single_solutions() {
    let data = clouds(40, 5, false);
    for which in [HeldOut::Cost, HeldOut::Error] {
        let question = (Varied::Gamma, [0.0, 1.0]);
        let candidates = candidates(&data, question, &[5.0, 0.05, 0.5], "rbf:0.5", Bias::Intercept);
        assert!(candidates.windows(2).all(|two| two[0].penalty < two[1].penalty));
        let found = tune(&candidates, (Varied::Gamma, [0.0, 1.0]), which, &Settings::default()).unwrap();
        is_best(&candidates, &found, Varied::Gamma, which);
    }
}

/// With folds of n training rows c = 1/(nλ) and γ = 1 − τ are the same machines.
#[test]
fn both_problems_have_the_same_answer() {
    let data = clouds(45, 6, false);
    let penalties = LAMBDAS.map(|lambda| 1.0 / (30.0 * lambda));
    let settings = Settings::default();
    let [one, other] = [(Varied::Tau, &LAMBDAS), (Varied::Gamma, &penalties)].map(|(varied, grid)| {
        let question = (varied, [0.0, 1.0]);
        let candidates = candidates(&data, question, grid, "rbf:0.5", Bias::Intercept);
        tune(&candidates, question, HeldOut::Cost, &settings).unwrap()
    });
    for k in 0..200 {
        let v = (f64::from(k) + 0.5) / 200.0;
        let ((lambda, a), (c, b)) = (one.at(v).unwrap(), other.at(1.0 - v).unwrap());
        assert!((a - b).abs() < 1e-9, "{v}: {a} and {b}");
        assert!((c * 30.0 * lambda - 1.0).abs() < 1e-9, "{v}: {lambda} and {c}");
    }
}

#[test]
fn what_cannot_be_tuned_is_named() {
    let data = clouds(30, 7, false);
    let settings = Settings::default();
    let none = tune(&[], (Varied::Tau, [0.0, 1.0]), HeldOut::Cost, &settings);
    assert!(matches!(none, Err(AdapterError::Parameter { name: "grid", .. })));
    let candidates = candidates(&data, (Varied::Tau, [0.5, 0.5]), &LAMBDAS, "linear", Bias::Intercept);
    let empty = tune(&candidates, (Varied::Tau, [0.5, 0.5]), HeldOut::Cost, &settings);
    assert!(matches!(empty, Err(AdapterError::Parameter { name: "to", .. })));
    let rows = &posed(&data);
    let question = |range, held, folds| {
        let (varied, kernel, bias) = (Varied::Tau, KernelKind::Linear, Bias::None);
        Question { varied, range, grid: vec![0.1], rows, kernel, bias, held, folds }.candidates().map(|_| ())
    };
    let unlabelled = Some((data.0.clone(), vec![0.5; 30]));
    assert!(matches!(question([0.0, 1.0], unlabelled, 0), Err(AdapterError::Label { row: 0, .. })));
    assert!(matches!(question([0.0, 2.0], None, 3), Err(AdapterError::Parameter { name: "to", .. })));
    assert!(matches!(question([0.0, 1.0], None, 1), Err(AdapterError::Parameter { name: "folds", .. })));
}
