//! Verdicts: what fails although it looks small, what passes although it is rounding, and many certificates at once.
#![allow(missing_docs)]

use crate::common::{Form, Spec, follow};
use num_traits::FromPrimitive;
use pathqp::certificate::{Certifier, TOLERANCE, Verdict, along, breakpoints, certificates};
use pathqp::hessian::{Kernel, KernelFunction};
use pathqp::testing::{Random, exact};
use pathqp::{Certificate, Exact, Line, Settings, Start, Status, trace};
use std::sync::Arc;

/// Six points on which the smallest sum of ρ_½ is 1.3 for any small penalty.
const SIX: [(f64, f64); 6] = [(1.0, 0.3), (2.0, 1.1), (3.0, 0.2), (4.0, 1.6), (6.0, 1.4), (7.0, 3.1)];

/// Quantile regression on rows z with responses y, an intercept and a penalty, along τ: H = zzᵀ, c = −λy, τ − 1 ≤ x ≤ τ, Σx = 0.
fn quantiles(z: &[Vec<f64>], y: &[f64], lambda: f64) -> Line<f64> {
    let n = y.len();
    let spec = Spec {
        z: z.to_vec(),
        c: y.iter().map(|y| [-lambda * y, 0.0]).collect(),
        lower: vec![Some([-1.0, 1.0]); n],
        upper: vec![Some([0.0, 1.0]); n],
        row: Some((vec![1.0; n], [0.0, 0.0])),
        from: 0.0,
        to: 1.0,
    };
    spec.line(Form::Gram, false)
}

fn six(lambda: f64, shift: f64) -> Line<f64> {
    let (z, y): (Vec<_>, Vec<_>) = SIX.into_iter().map(|(x, y)| (vec![x], y + shift)).unzip();
    quantiles(&z, &y, lambda)
}

/// The solution from exact arithmetic, rounded.
fn solution(line: &Line<f64>, t: f64) -> (Vec<f64>, f64) {
    let exactly = exact(line).unwrap();
    let path = trace(&exactly, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
    let point = path.at(&Exact::from_f64(t).unwrap()).unwrap();
    let rounded = |v: &Exact| v.to_f64().value();
    (point.x.iter().map(rounded).collect(), rounded(&point.y))
}

#[test]
fn a_fit_that_is_lost_in_the_rounding_of_x_fails() {
    for (lambda, holds) in [(1.0, true), (1e-3, true), (1e-9, false), (1e-12, false), (1e-16, false)] {
        let line = six(lambda, 0.0);
        let (x, y) = solution(&line, 0.5);
        let certificate = Certificate::new(&line, &0.5, &x, &y);
        assert_eq!(certificate.holds(&TOLERANCE), holds, "{lambda}: {certificate:?}");
        let verdict = Verdict::of(&certificate, 0.5);
        assert_eq!((verdict.holds(), verdict.failure().is_none()), (holds, holds));
        // The loss and λ/2 f²: −1/λ times the dual objective.
        if holds {
            let objective = -certificate.dual_objective / lambda;
            assert!((objective - 1.3).abs() < 5e-3 || lambda == 1.0, "{objective}");
        }
    }
}

#[test]
fn an_objective_that_is_small_beside_what_all_responses_have_in_common_must_be_right() {
    let line = six(1e-2, 1e6);
    let (x, y) = solution(&line, 0.5);
    assert!(Certificate::new(&line, &0.5, &x, &y).holds(&TOLERANCE));
    // An intercept that is off by 10⁻³: 10⁻⁹ of the responses, 10⁻³ of their losses.
    let off = Certificate::new(&line, &0.5, &x, &(y + 1e-5));
    assert!(off.kkt_residual() <= TOLERANCE && off.relative_gap > 2.0 * TOLERANCE, "{off:?}");
    assert!(!off.holds(&TOLERANCE));
    assert_eq!(Verdict::of(&off, 0.5).failure().unwrap().what, "relative duality gap");
}

#[test]
fn where_the_objective_vanishes_rounding_is_no_gap() {
    let mut random = Random(3);
    for seed in 0..20 {
        let n = 5 + seed % 4;
        let z: Vec<Vec<f64>> = (0..n).map(|_| vec![random.normal(), random.normal()]).collect();
        // Half of the sets have a quantile of zero that most responses share, so that nothing of c is left in their rows.
        let y: Vec<f64> = (0..n).map(|i| if seed % 2 == 0 && i > 1 { 0.0 } else { random.normal().abs() }).collect();
        for lambda in [1e-2, 1.0] {
            let line = quantiles(&z, &y, lambda);
            for t in [0.0, 1e-12, 1e-7, 0.01, 0.5, 1.0 - 1e-7, 1.0] {
                let (x, y) = solution(&line, t);
                let certificate = Certificate::new(&line, &t, &x, &y);
                assert!(certificate.holds(&TOLERANCE), "seed {seed}, {lambda}, t = {t}: {certificate:?}");
            }
        }
    }
}

/// min ½|Aw − b|², w ≥ 0, for the columns of A.
fn least_squares(columns: [[f64; 2]; 2], b: [f64; 2]) -> Line<f64> {
    let dot = |u: [f64; 2], v: [f64; 2]| u[0] * v[0] + u[1] * v[1];
    let spec = Spec {
        z: columns.iter().map(|a| a.to_vec()).collect(),
        c: columns.iter().map(|a| [-dot(*a, b), 0.0]).collect(),
        lower: vec![Some([0.0, 0.0]); 2],
        upper: vec![None; 2],
        row: None,
        from: 0.0,
        to: 1.0,
    };
    spec.line(Form::Gram, false)
}

/// A w = b is solved by (1, 0); (0, 3/5) is the best without the first column, with |Aw − b|² = 1/5.
#[test]
fn the_units_of_the_columns_change_nothing() {
    for unit in [1.0, 1e-10, 1e4, 1e10, 1e14] {
        let line = least_squares([[1.0, 1.0], [unit, 2.0 * unit]], [1.0, 1.0]);
        let right = Certificate::new(&line, &0.0, &[1.0, 0.0], &0.0);
        assert!(right.holds(&TOLERANCE), "{unit}: {right:?}");
        let wrong = Certificate::new(&line, &0.0, &[0.0, 0.6 / unit], &0.0);
        assert!(!wrong.holds(&TOLERANCE) && wrong.kkt_residual() > 0.01, "{unit}: {wrong:?}");
        // A share of the second column that should not be there.
        let more = Certificate::new(&line, &0.0, &[1.0 - 1.5e-4, 1e-4 / unit], &0.0);
        assert!(!more.holds(&TOLERANCE), "{unit}: {more:?}");
    }
}

/// ½x² + x on 0 ≤ x ≤ u is least at zero, however large u is.
#[test]
fn a_wide_box_does_not_excuse_a_distance_from_the_other_bound() {
    for upper in [1.0, 1e8, 1e16] {
        let spec = Spec {
            z: vec![vec![1.0]],
            c: vec![[1.0, 0.0]],
            lower: vec![Some([0.0, 0.0])],
            upper: vec![Some([upper, 0.0])],
            row: None,
            from: 0.0,
            to: 1.0,
        };
        let line = spec.line(Form::Dense, false);
        let certificate = |x: f64| Certificate::new(&line, &0.0, &[x], &0.0);
        assert!(certificate(0.0).holds(&TOLERANCE));
        for x in [1e-3, 0.5, -1e-3] {
            assert!(!certificate(x).holds(&TOLERANCE), "{upper}: {x}");
        }
    }
}

#[test]
fn what_is_not_a_number_fails() {
    let line = six(1.0, 0.0);
    let (mut x, y) = solution(&line, 0.5);
    for y in [f64::NAN, f64::INFINITY] {
        assert!(!Certificate::new(&line, &0.5, &x, &y).holds(&TOLERANCE));
    }
    x[0] = f64::NAN;
    let verdict = Verdict::of(&Certificate::new(&line, &0.5, &x, &y), 0.5);
    assert!(!verdict.holds() && verdict.failure().is_some(), "{verdict:?}");
    assert!(!Verdict::missing(0.5).holds() && Verdict::default().holds());
}

struct Rbf(Vec<Vec<f64>>);

impl KernelFunction for Rbf {
    fn dim(&self) -> usize {
        self.0.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        (-self.0[i].iter().zip(&self.0[j]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp()
    }
}

/// Along whole paths, in every form of H: the block has the certificates of the single points, by one thread and by several.
#[test]
fn a_block_has_the_certificates_of_its_points() {
    let mut random = Random(11);
    let n = 90;
    let z: Vec<Vec<f64>> = (0..n).map(|_| (0..3).map(|_| random.normal()).collect()).collect();
    let y: Vec<f64> = (0..n).map(|_| random.normal()).collect();
    let spec = Spec {
        z: z.clone(),
        c: y.iter().map(|y| [-0.1 * y, 0.0]).collect(),
        lower: vec![Some([-1.0, 1.0]); n],
        upper: vec![Some([0.0, 1.0]); n],
        row: Some((vec![1.0; n], [0.0, 0.0])),
        from: 0.0,
        to: 1.0,
    };
    let mut lines: Vec<Line<f64>> = [Form::Gram, Form::Sparse, Form::Dense].map(|form| spec.line(form, false)).into();
    let kernel = Arc::new(Kernel::new(Rbf(z), 1 << 14));
    lines.push(spec.problem(kernel, spec.domain()).unwrap().line(&[0.0], &[1.0]).unwrap());
    for line in &lines {
        let path = follow(line).unwrap();
        let places = breakpoints(&path);
        assert!(places.len() > 130, "several blocks: {}", places.len());
        let all = certificates(&path, line, &places, 1, &|_| true);
        assert_eq!(all, certificates(&path, line, &places, 2, &|_| true));
        let certifier = Certifier::new(line);
        let mut worst = Verdict::default();
        for (&(segment, t), (place, found)) in places.iter().zip(&all) {
            let point = path.law_at(segment, &t).unwrap();
            let (single, found) = (certifier.point(&point), found.as_ref().unwrap());
            assert_eq!(*place, (segment, t));
            assert!((single.kkt_residual() - found.kkt_residual()).abs() <= 1e-13, "{single:?} {found:?}");
            assert!((single.relative_gap - found.relative_gap).abs() <= 1e-13, "{single:?} {found:?}");
            assert!((single.objective - found.objective).abs() <= 1e-13 * n as f64);
            assert_eq!(single.multiplier_range.is_some(), found.multiplier_range.is_some());
            worst.include(&Verdict::on(&path, segment, &single, t));
        }
        let verdict = along(&path, line, &places, 2, &|_| true);
        assert_eq!((verdict.points, verdict.holds()), (places.len(), worst.holds()));
        assert!(verdict.holds(), "{verdict:?}");
        // What is not wanted any more is left out, and says nothing.
        let few = along(&path, line, &places, 1, &|begun| begun < 64);
        assert_eq!((few.points, few.holds()), (64, true));
    }
}

#[test]
fn z_is_known_to_the_rounding_that_is_said_of_it() {
    let mut signs = 0;
    for (lambda, shift) in [(1.0, 0.0), (1e-3, 0.0), (1e-2, 1e6)] {
        let line = six(lambda, shift);
        let exactly = exact(&line).unwrap();
        let path = trace(&exactly, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
        let rounded_path = follow(&line).unwrap();
        for t in [0.125, 0.25, 0.5, 0.6875] {
            let position = Exact::from_f64(t).unwrap();
            let (point, near) = (path.at(&position).unwrap(), rounded_path.at(&t).unwrap());
            let told = Certifier::new(&exactly).reduced(&point);
            for (i, (exact, found)) in told.iter().zip(Certifier::new(&line).reduced(&near)).enumerate() {
                // From the definition: H = zzᵀ, c = −λy, a row of ones.
                let entry = |v: f64| Exact::from_f64(v).unwrap();
                let fit = (0..6).fold(Exact::ZERO, |sum, j| sum + entry(SIX[j].0) * &point.x[j]);
                let z = entry(SIX[i].0) * fit + entry(-lambda * (SIX[i].1 + shift)) - &point.y;
                assert_eq!((&exact.z, &exact.rounding), (&z, &Exact::ZERO));
                let off = (Exact::from_f64(found.z).unwrap() - &z).to_f64().value().abs();
                assert!(off <= found.rounding && found.rounding <= 1e-10 * found.terms, "{i} at {t}: {off} {found:?}");
                assert!(!found.has_sign() || (found.z > 0.0) == (z > Exact::ZERO), "{i} at {t}: {found:?}");
                signs += usize::from(found.has_sign());
            }
            let segment = rounded_path.segment_at(&t).unwrap();
            let free: Vec<usize> = (0..6).filter(|&i| rounded_path.status_on(segment)[i] == Status::Free).collect();
            let mut of_point = near.free.clone();
            of_point.sort_unstable();
            assert_eq!(free, of_point);
        }
        assert_eq!((rounded_path.segment_at(&-0.1), rounded_path.segment_at(&1.5)), (None, None));
    }
    assert!(signs > 30, "{signs}");
}
