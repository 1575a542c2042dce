//! Approximate paths of the quantile SVM: the tolerance is in units of the primal objective, and the number of points grows
//! like the inverse of its root.

use crate::common::Problem;
use pathqp::testing::Random;
use pathqp::{Path, validate::validate};
use pathqp_adapters::dataset::{ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::{Bias, PathProblem};

/// The data that come with the project, in [0, 1].
fn pima() -> Problem {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/pima.csv");
    let data = read(&file, &ReadOptions::default()).unwrap();
    let (labels, _) = two_classes(&data, None).unwrap();
    let features = Scaler::fit(&data.features, Scaling::MinMax).apply(&data.features).unwrap();
    let bias = Bias::Augmented(1.0);
    Problem { features, labels, weights: None, lambda: 1e-3, kernel: KernelKind::Linear, bias }
}

/// The approximate path of a problem, checked at random τ against the exact one.
fn approximate(problem: &Problem, exact: &Path<f64>, tolerance: f64) -> Path<f64> {
    let (svm, line) = (problem.svm(), problem.line(0.0, 1.0));
    let path = exact.approximate(&line, &(tolerance / svm.gap_unit(&[]))).unwrap();
    assert_eq!(validate(&path, &line, &1e-9), []);
    let mut random = Random(9);
    for tau in (0..40).map(|_| random.unit()) {
        let (model, best) = (svm.at(&path, tau).unwrap(), svm.at(exact, tau).unwrap());
        // The objective is computed from the rows, not from the dual variables.
        let primal = problem.objective(&model);
        assert!((model.objective - primal).abs() <= 1e-10);
        assert!(primal - model.dual_objective <= tolerance + 1e-10, "τ = {tau}: {model:?}");
        assert!((-1e-10..=tolerance + 1e-10).contains(&(primal - best.objective)), "τ = {tau}");
    }
    path
}

#[test]
fn the_objective_is_within_the_tolerance() {
    for bias in [Bias::None, Bias::Augmented(2.0), Bias::Intercept] {
        for kernel in ["linear", "rbf:0.5"] {
            let problem = Problem::clouds(120, 3, 8, bias).with_kernel(kernel);
            let exact = problem.follow(0.0, 1.0);
            let counts = [1e-1, 1e-3, 1e-5].map(|tolerance| approximate(&problem, &exact, tolerance).segments().len());
            assert!(counts.is_sorted() && counts[2] <= exact.segments().len(), "{kernel} {bias:?} {counts:?}");
            assert!(counts[1] * 4 < exact.segments().len(), "{kernel} {bias:?} {counts:?}");
        }
    }
}

#[test]
fn a_hundredth_of_the_tolerance_takes_ten_times_the_points() {
    let problem = pima();
    let exact = problem.follow(0.0, 1.0);
    let count = |tolerance| approximate(&problem, &exact, tolerance).segments().len() as f64;
    let counts = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5].map(count);
    for pair in counts.windows(3) {
        assert!((6.0..=16.0).contains(&(pair[2] / pair[0])), "{counts:?}");
    }
    assert!(counts[2] * 50.0 < exact.segments().len() as f64, "{counts:?}");
}
