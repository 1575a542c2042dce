//! Hastie's C-path with an intercept on real data: certificates, an interior-point solver, and the path followed backwards.
//!
//! The data lie outside the repository, in `shared/data/binary` beside it; without them the tests say so and pass.

use crate::common::primal::{Losses, explicit};
use crate::common::{assert_same, breakpoints};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Certificate, Settings, Start, trace};
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::dataset::{ReadOptions, read, two_classes};
use pathqp_adapters::{Bias, KernelProblem, PathProblem};
use std::path::PathBuf;
use std::sync::Arc;

/// The largest C.
const MOST: f64 = 100.0;

fn load(name: &str, kernel: &str) -> Option<CostSvm> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../shared/data/binary/{name}.svm"));
    if !path.exists() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    let data = read(&path, &ReadOptions::default()).unwrap();
    let (labels, _) = two_classes(&data, None).unwrap();
    let kernel = kernel.parse().unwrap();
    Some(CostSvm::new(Arc::new(data.features), labels, None, kernel, Bias::Intercept).unwrap())
}

fn interior_point(svm: &CostSvm, c: f64) -> f64 {
    let (machine, n) = (svm.machine(), svm.labels().len());
    let unit = |j: usize| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let kernel: Vec<Vec<f64>> =
        (0..n).map(|j| machine.kernel().expand(machine.features(), machine.features(), &unit(j))).collect();
    let losses = Losses {
        rows: &explicit(&kernel),
        intercept: true,
        signs: svm.labels().to_vec(),
        targets: vec![1.0; n],
        below: vec![c; n],
        above: vec![0.0; n],
    };
    losses.minimum()
}

fn whole_path(name: &str, kernel: &str, objectives: usize) {
    let Some(svm) = load(name, kernel) else { return };
    let settings = Settings::default();
    let qp = svm.qp(&settings).unwrap();
    let (line, back) = (qp.line(&[0.0; 2], &[MOST; 2]).unwrap(), qp.line(&[MOST; 2], &[0.0; 2]).unwrap());
    let follow = |line| trace(line, &Start::Anywhere, &settings, &mut ()).unwrap_or_else(|f| panic!("{name}: {}", f.0));
    let (path, reverse) = (follow(&line), follow(&back));
    assert!(path.is_complete() && reverse.is_complete());
    assert_eq!(validate(&path, &line, &1e-9), [], "{name} {kernel}");
    assert_same(name, &breakpoints(&path), &breakpoints(&reverse), 1e-9 * MOST);
    let mut random = Random(5);
    for _ in 0..objectives {
        // Evenly over four orders of magnitude.
        let c = MOST * 10f64.powf(-4.0 * random.unit());
        let point = path.at(&c).unwrap();
        let certificate = Certificate::new(&line, &c, &point.x, &point.y);
        let (model, other) = (svm.model(&[c; 2], &point), interior_point(&svm, c));
        let off = (model.objective - other).abs() / other;
        println!("{name} {kernel} C = {c:.4e}: off by {off:.1e}, residual {:.1e}", certificate.kkt_residual());
        assert!(off <= 1e-8 && certificate.kkt_residual() <= 1e-9, "{name} {kernel} C = {c}: {off:e}");
    }
}

#[test]
fn linear() {
    for name in
        ["heart_scale", "sonar_scale", "ionosphere_scale", "australian_scale", "breast-cancer_scale", "diabetes_scale"]
    {
        whole_path(name, "linear", 5);
    }
}

#[test]
fn gaussian() {
    for (name, objectives) in [
        ("heart_scale", 3),
        ("sonar_scale", 3),
        ("ionosphere_scale", 2),
        ("australian_scale", 1),
        ("breast-cancer_scale", 1),
        ("diabetes_scale", 1),
    ] {
        whole_path(name, "rbf:0.5", objectives);
    }
}
