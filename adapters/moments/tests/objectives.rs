//! The two objectives: derivatives, minima, and starts of paths.

use crate::common::{Random, assert_close, dense, dot, nearer, norm, random_moments, rows};
use crate::hyper_dual::HyperDual;
use argmin::core::{Executor, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::newton::NewtonCG;
use pathqp::{Start, trace};
use pathqp_adapters::guess::from_direction;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::{Bias, PathProblem};
use pathqp_moments::empirical::error;
use pathqp_moments::minimise::{SecondOrder, Settings, Smooth, Stop, minimise};
use pathqp_moments::{Class, Covariance, MomentObjective, Moments, MomentsError, Objective, Route, fit};
use proptest::prelude::*;
use std::sync::Arc;

const BOTH: [Objective; 2] = [Objective::ZeroOne, Objective::Auc];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn derivatives_are_those_of_exact_dual_numbers(seed in any::<u64>(), d in 1usize..7, spread in 0i32..150, lambda in 0.0..0.1f64) {
        let mut random = Random(seed);
        let (moments, scale) = random_moments(&mut random, d, spread);
        let w: Vec<f64> = scale.iter().map(|s| random.normal() / s).collect();
        let [v, u] = [(); 2].map(|()| scale.iter().map(|s| random.normal() / s).collect::<Vec<f64>>());
        // The penalty measures w itself, so that it is left out where the features have wide scales.
        let lambda = if spread > 3 { 0.0 } else { lambda };
        for objective in BOTH {
            let own = MomentObjective::new(&moments, objective, lambda).unwrap();
            let expected = exact(&moments, objective, lambda, &w, &v, &u);
            let mut gradient = vec![0.0; d];
            let value = own.evaluate(&w, &mut gradient);
            prop_assert!((value - expected.value).abs() <= 1e-14 * if lambda > 0.0 { 1.0 + lambda * dot(&w, &w).powi(2) } else { 1.0 }, "{} {}", value, expected.value);
            let mut product = vec![0.0; d];
            own.hessian_times(&w, &v, &mut product);
            let size = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x * y).abs()).sum::<f64>();
            let (slope, curvature) = (dot(&gradient, &v), dot(&product, &u));
            // φ′(g) has the relative error g²ε of its exponent.
            prop_assert!((slope - expected.first).abs() <= 1e-12 * size(&gradient, &v).max(1.0), "{} {}", slope, expected.first);
            prop_assert!((curvature - expected.both).abs() <= 1e-12 * size(&product, &u).max(expected.scale), "{} {}", curvature, expected.both);
        }
    }

    #[test]
    fn derivatives_are_those_of_differences(seed in any::<u64>(), d in 1usize..12) {
        let mut random = Random(seed);
        let (moments, _) = random_moments(&mut random, d, 0);
        let (w, v) = (random.normals(d), random.normals(d));
        for objective in BOTH {
            let own = MomentObjective::new(&moments, objective, 1e-3).unwrap();
            let step = 1e-5 * norm(&w) / norm(&v);
            let at = |t: f64| {
                let moved: Vec<f64> = w.iter().zip(&v).map(|(w, v)| w + t * v).collect();
                let mut gradient = vec![0.0; d];
                (own.evaluate(&moved, &mut gradient), gradient)
            };
            let ((_, gradient), (above, up), (below, down)) = (at(0.0), at(step), at(-step));
            let mut product = vec![0.0; d];
            own.hessian_times(&w, &v, &mut product);
            // The third derivative along v, which bounds the error, is of the order of (‖v‖/σ)³ with a variance along w of at least 0.05‖w‖².
            let reach = norm(&v) / norm(&w) * 5.0;
            let bound = 1e3 * step * step * reach.powi(3) + 1e-15 / step;
            prop_assert!((dot(&gradient, &v) - (above - below) / (2.0 * step)).abs() <= bound);
            for j in 0..d {
                prop_assert!((product[j] - (up[j] - down[j]) / (2.0 * step)).abs() <= bound * 5.0 * (reach + 1.0) / norm(&v).min(1.0));
            }
        }
    }
}

/// Value and derivatives along v and u, from the formulas (3.3) and (3.8) alone.
struct Exact {
    value: f64,
    first: f64,
    both: f64,
    scale: f64,
}

fn exact(moments: &Moments, objective: Objective, lambda: f64, w: &[f64], v: &[f64], u: &[f64]) -> Exact {
    let at: Vec<HyperDual> = (0..w.len()).map(|j| HyperDual::new(w[j], v[j], u[j])).collect();
    let linear =
        |mean: &[f64]| at.iter().zip(mean).fold(HyperDual::from(0.0), |sum, (x, m)| sum + *x * HyperDual::from(*m));
    let quadratic = |class: &Class| {
        let values = class.covariance.to_dense();
        let mut sum = HyperDual::from(0.0);
        for i in 0..w.len() {
            for j in 0..w.len() {
                let (a, b) = (i.max(j), i.min(j));
                sum = sum + at[i] * at[j] * HyperDual::from(values[a * (a + 1) / 2 + b]);
            }
        }
        sum
    };
    let (plus, minus) = (&moments.positive, &moments.negative);
    let risk = match objective {
        Objective::ZeroOne => {
            let share = |class: &Class| linear(&class.mean) / quadratic(class).sqrt();
            let p = HyperDual::from(moments.prior);
            p * (HyperDual::from(1.0) - share(plus).normal_cdf())
                + (HyperDual::from(1.0) - p) * share(minus).normal_cdf()
        }
        Objective::Auc => {
            let mean: Vec<f64> = minus.mean.iter().zip(&plus.mean).map(|(n, p)| n - p).collect();
            (linear(&mean) / (quadratic(plus) + quadratic(minus)).sqrt()).normal_cdf()
        }
    };
    let square = at.iter().fold(HyperDual::from(0.0), |sum, x| sum + *x * *x);
    let rest = HyperDual::from(1.0) - square;
    let total = risk + HyperDual::from(lambda) * rest * rest;
    let reach = |a: &[f64]| {
        [plus, minus]
            .map(|c| {
                let mut out = vec![0.0; a.len()];
                c.add_times(a, &mut out);
                let mut own = vec![0.0; a.len()];
                c.add_times(w, &mut own);
                (dot(&out, a) / dot(&own, w)).sqrt() * (1.0 + dot(&c.mean, a).abs() / dot(&out, a).sqrt())
            })
            .into_iter()
            .fold(1.0, f64::max)
    };
    Exact {
        value: total.value,
        first: total.first,
        both: total.both,
        scale: reach(v) * reach(u) * if lambda > 0.0 { 1.0 + lambda * dot(w, w) } else { 1.0 },
    }
}

#[test]
fn the_normal_distribution_function_is_accurate_in_the_tail() {
    // mpmath 1.4: mp.dps = 30; [mp.ncdf(x) for x in (-37, -10, -1, 0, 2)].
    let golden = [
        (-37.0, 5.725_571_222_524_577e-300_f64),
        (-10.0, 7.619_853_024_160_526e-24),
        (-1.0, 0.158_655_253_931_457_05),
        (0.0, 0.5),
        (2.0, 0.977_249_868_051_820_8),
    ];
    for (x, expected) in golden {
        let found = pathqp_moments::normal_cdf(x);
        assert!((found - expected).abs() <= 1e-13 * expected, "{x}: {found}, {expected}");
    }
}

/// φ(g) falls with (μ₊ − μ₋)ᵀw/√(wᵀ(Σ₊ + Σ₋)w), which by Cauchy–Schwarz is largest at w = (Σ₊ + Σ₋)⁻¹(μ₊ − μ₋) and nowhere else: Fisher's direction.
#[test]
fn the_minimiser_of_the_auc_objective_is_fishers_direction() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let d = 2 + seed as usize % 6;
        let moments = nearer(random_moments(&mut random, d, 0).0);
        let objective = MomentObjective::new(&moments, Objective::Auc, 1e-3).unwrap();
        let settings = Settings { tolerance: 1e-9, ..Settings::default() };
        let minimum = minimise(&objective, objective.start(&moments), &settings).unwrap();
        let [p, n] = [&moments.positive, &moments.negative].map(|c| c.covariance.to_dense());
        let lower: Vec<f64> = p.iter().zip(&n).map(|(a, b)| a + b).collect();
        let delta: Vec<f64> = moments.positive.mean.iter().zip(&moments.negative.mean).map(|(a, b)| a - b).collect();
        let sigma = faer::Mat::from_fn(d, d, |i, j| lower[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)]);
        use faer::linalg::solvers::Solve;
        let fisher = sigma.llt(faer::Side::Lower).unwrap().solve(&faer::Mat::from_fn(d, 1, |i, _| delta[i]));
        let fisher: Vec<f64> = (0..d).map(|i| fisher[(i, 0)]).collect();
        let cosine = dot(&fisher, &minimum.w) / norm(&fisher) / norm(&minimum.w);
        // One minus the cosine is half the square of the angle, which is the gradient over the curvature.
        assert!(cosine > 1.0 - 1e-8, "seed {seed}: {cosine}, {minimum:?}");
        // The penalty is the only part that sees the length.
        assert!((norm(&minimum.w) - 1.0).abs() < 1e-4, "{}", norm(&minimum.w));
        let expected = pathqp_moments::normal_cdf(-(dot(&fisher, &delta)).sqrt());
        assert!((minimum.value - expected).abs() < 1e-9, "{} {expected}", minimum.value);
    }
}

#[test]
fn the_zero_one_objective_of_gaussians_with_one_covariance_has_a_known_minimum() {
    // Means ±m, equal priors: the errors are φ(−mᵀw/σ) in both classes, least at w = Σ⁻¹m, with value φ(−√(mᵀΣ⁻¹m)).
    let (mean, values) = (vec![1.0, 0.5], vec![2.0, 0.5, 1.0]);
    let class = |sign: f64| Class {
        mean: mean.iter().map(|m| sign * m).collect(),
        covariance: Covariance::Dense { columns: 2, values: values.clone() },
    };
    let moments = Moments::new(0.5, class(1.0), class(-1.0)).unwrap();
    let objective = MomentObjective::new(&moments, Objective::ZeroOne, 1e-3).unwrap();
    let start = objective.start(&moments);
    // μ₊ and μ₋ are parallel: the paper's starting point is zero, and the difference of the means is taken.
    assert_close(&start, &[1.0 / 1.25f64.sqrt(), 0.5 / 1.25f64.sqrt()], 1e-15);
    let minimum = minimise(&objective, start, &Settings { tolerance: 1e-10, ..Settings::default() }).unwrap();
    // Σ⁻¹m = (0.75, 0.5)/1.75 and mᵀΣ⁻¹m = 1/1.75.
    let expected = pathqp_moments::normal_cdf(-(1.0f64 / 1.75).sqrt());
    assert!((minimum.value - expected).abs() < 1e-12, "{minimum:?}");
    assert_close(&minimum.w, &[0.75 / 0.8125f64.sqrt(), 0.5 / 0.8125f64.sqrt()], 1e-6);
}

#[test]
fn newtons_method_with_hessian_products_ends_where_lbfgs_does() {
    let mut random = Random(3);
    let moments = nearer(random_moments(&mut random, 5, 0).0);
    for objective in BOTH {
        let function = MomentObjective::new(&moments, objective, 1e-2).unwrap();
        let settings = Settings { tolerance: 1e-8, ..Settings::default() };
        let minimum = minimise(&function, function.start(&moments), &Settings::default()).unwrap();
        let exact = minimise(&function, minimum.w.clone(), &settings).unwrap();
        let search = MoreThuenteLineSearch::new().with_c(1e-4, 0.9).unwrap();
        let run = Executor::new(SecondOrder(&function), NewtonCG::new(search))
            .configure(|state| state.param(minimum.w.clone()).max_iters(100))
            .run()
            .unwrap();
        let w = run.state().get_best_param().unwrap();
        let difference: Vec<f64> = w.iter().zip(&exact.w).map(|(a, b)| a - b).collect();
        assert!(
            norm(&difference) < 1e-6,
            "{w:?} {exact:?} {:?} {} {}",
            run.state().get_termination_status(),
            run.state().get_iter(),
            run.state().get_cost() - exact.value
        );
    }
}

#[test]
fn degenerate_starts_are_starts() {
    let class = |mean: &[f64], values: &[f64]| Class {
        mean: mean.to_vec(),
        covariance: Covariance::Dense { columns: mean.len(), values: values.to_vec() },
    };
    let identity = [1.0, 0.0, 1.0];
    let zero = [0.0; 3];
    for (name, positive, negative) in [
        ("the mean of the class -1 is zero", class(&[1.0, 2.0], &identity), class(&[0.0, 0.0], &identity)),
        ("the mean of the class +1 is zero", class(&[0.0, 0.0], &identity), class(&[1.0, 2.0], &identity)),
        ("both are zero", class(&[0.0, 0.0], &identity), class(&[0.0, 0.0], &[1.0, 0.5, 1.0])),
        ("parallel means", class(&[1.0, 2.0], &identity), class(&[-2.0, -4.0], &identity)),
        ("equal means", class(&[1.0, 2.0], &identity), class(&[1.0, 2.0], &[2.0, 0.0, 1.0])),
        ("one feature", class(&[1.0], &[1.0]), class(&[3.0], &[2.0])),
        ("one feature without variance", class(&[1.0], &[0.0]), class(&[3.0], &[0.0])),
        ("no variance", class(&[1.0, 0.0], &zero), class(&[0.0, 1.0], &zero)),
        ("variance in one class only", class(&[1.0, 0.0], &identity), class(&[0.0, 1.0], &zero)),
        ("a feature that is zero", class(&[1.0, 0.0], &[1.0, 0.0, 0.0]), class(&[-1.0, 0.0], &[1.0, 0.0, 0.0])),
        ("tiny", class(&[1e-160, 1e-150], &[1e-300, 0.0, 1e-300]), class(&[-1e-150, 1e-150], &[1e-300, 0.0, 1e-300])),
        ("huge", class(&[1e150, 0.0], &[1e300, 0.0, 1e300]), class(&[-1e150, 1e149], &[1e300, 0.0, 1e300])),
    ] {
        let moments = Moments::new(0.3, positive, negative).unwrap();
        for objective in BOTH {
            let function = MomentObjective::new(&moments, objective, 1e-3).unwrap();
            let start = function.start(&moments);
            assert!((norm(&start) - 1.0).abs() < 1e-12, "{name}: {start:?}");
            let minimum = minimise(&function, start.clone(), &Settings::default()).unwrap();
            let mut gradient = vec![0.0; start.len()];
            assert!(
                minimum.value.is_finite() && minimum.value <= function.evaluate(&start, &mut gradient),
                "{name}: {minimum:?}"
            );
            assert!(minimum.w.iter().all(|w| w.is_finite()), "{name}: {minimum:?}");
        }
    }
    // One feature: only the sign of w matters. Ranking 1 above 3 needs w < 0.
    let moments = Moments::new(0.3, class(&[1.0], &[1.0]), class(&[3.0], &[2.0])).unwrap();
    let function = MomentObjective::new(&moments, Objective::Auc, 1e-3).unwrap();
    assert_eq!(function.start(&moments), [-1.0]);
    // Without variance the classes are told apart without error, and nothing can be improved.
    let moments = Moments::new(0.3, class(&[1.0, 0.0], &zero), class(&[0.0, 1.0], &zero)).unwrap();
    let function = MomentObjective::new(&moments, Objective::Auc, 0.0).unwrap();
    let minimum = minimise(&function, function.start(&moments), &Settings::default()).unwrap();
    assert_eq!((minimum.value, minimum.stop, minimum.iterations), (0.0, Stop::Gradient, 0));
}

#[test]
fn a_cross_covariance_changes_the_variance_of_a_pair() {
    let class = |mean: [f64; 2]| Class {
        mean: mean.to_vec(),
        covariance: Covariance::Dense { columns: 2, values: vec![1.0, 0.0, 1.0] },
    };
    let moments = Moments::new(0.5, class([1.0, 0.0]), class([0.0, 0.0])).unwrap();
    // C = diag(1/2, 0): the variance along the first axis is 1 + 1 − 2·½ = 1.
    let cross = [1.0, 0.0, 0.0, 0.0];
    let objective = MomentObjective::auc_with_cross(&moments, &cross, 0.0).unwrap();
    let mut gradient = [0.0; 2];
    let value = objective.evaluate(&[1.0, 0.0], &mut gradient);
    assert!((value - pathqp_moments::normal_cdf(-1.0)).abs() < 1e-16);
    let too_much = [5.0, 0.0, 0.0, 0.0];
    assert!(matches!(MomentObjective::auc_with_cross(&moments, &too_much, 0.0), Err(MomentsError::Indefinite { .. })));
    let skew = [0.0, 0.1, 0.0, 0.0];
    assert!(matches!(MomentObjective::auc_with_cross(&moments, &skew, 0.0), Err(MomentsError::Indefinite { .. })));
    assert!(matches!(MomentObjective::auc_with_cross(&moments, &[1.0], 0.0), Err(MomentsError::Shape { .. })));
}

#[test]
fn a_constant_feature_is_a_threshold() {
    // One feature, means 3 and 1 with variance one: without a constant the best direction still has both means on one side.
    let mut random = Random(9);
    let values: Vec<f64> = (0..200).map(|i| random.normal() + if i % 2 == 0 { 3.0 } else { 0.5 }).collect();
    let labels: Vec<f64> = (0..200).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let features = Arc::new(dense(200, 1, values));
    let moments = Moments::of(&features, &labels).unwrap();
    let with = moments.clone().with_constant(1.0);
    let fit = |moments: &Moments| {
        let function = MomentObjective::new(moments, Objective::ZeroOne, 1e-3).unwrap();
        minimise(&function, function.start(moments), &Settings::default()).unwrap()
    };
    let (without, with) = (fit(&moments), fit(&with));
    assert!(with.value < 0.13 && without.value > 0.3, "{with:?} {without:?}");
    let scores: Vec<f64> = (0..200).map(|i| features.row(i).dot(&with.w[..1]) + with.w[1]).collect();
    assert!((error(&scores, &labels) - with.value).abs() < 0.05);
    // The implicit covariance with a constant is that of the rows with a constant column.
    let appended = Arc::new(features.append_constant_column(1.0));
    let column = Moments::of(&appended, &labels).unwrap();
    let constant = Moments::implicit(&features, &labels).unwrap().with_constant(1.0);
    for (a, b) in [(&column.positive, &constant.positive), (&column.negative, &constant.negative)] {
        let [mut x, mut y] = [[0.0; 2]; 2];
        a.add_times(&[0.3, 0.7], &mut x);
        b.add_times(&[0.3, 0.7], &mut y);
        assert_close(&x, &y, 1e-13);
        assert_close(&a.mean, &b.mean, 1e-15);
    }
}

/// Three variances in one class, one of a nearly constant feature: from the paper's start the constant outgrows the rest.
#[test]
fn a_minimum_that_calls_all_rows_the_same_is_left() {
    let mut random = Random(77);
    let mut improved = 0;
    for _ in 0..200 {
        let d = 3;
        let (mut moments, _) = random_moments(&mut random, d, 0);
        moments.prior = 0.05 + 0.2 * random.uniform();
        let settings = Settings::default();
        let function = MomentObjective::new(&moments, Objective::ZeroOne, 1e-3).unwrap();
        let plain = minimise(&function, function.start(&moments), &settings).unwrap();
        let fitted = fit(&moments, None, Objective::ZeroOne, 1e-3, &settings).unwrap();
        assert!(fitted.minimum.value <= plain.value + 1e-3, "{plain:?} {fitted:?}");
        assert_eq!(fitted.route == Route::Start, fitted.minimum.w == plain.w);
        let constant = fit(&moments, Some(2.0), Objective::ZeroOne, 1e-3, &settings).unwrap();
        let extended = moments.clone().with_constant(2.0);
        let function = MomentObjective::new(&extended, Objective::ZeroOne, 1e-3).unwrap();
        let plain = minimise(&function, function.start(&extended), &settings).unwrap();
        assert!(constant.minimum.value <= plain.value + 1e-3, "{plain:?} {constant:?}");
        improved += usize::from(constant.minimum.value < 0.9 * plain.value);
    }
    assert!(improved > 0);
}

/// A guess leads to the solution that every other start leads to.
#[test]
fn the_direction_of_the_moments_starts_a_path() {
    let (features, labels) = rows(&mut Random(31), 120, 5, 0.2, 1.0);
    let features = Arc::new(features);
    let moments = Moments::of(&features, &labels).unwrap();
    for (bias, constant) in [(Bias::None, None), (Bias::Augmented(1.0), Some(1.0))] {
        let minimum = fit(&moments, constant, Objective::ZeroOne, 1e-3, &Settings::default()).unwrap().minimum;
        let threshold = if constant.is_some() { minimum.w[5] } else { 0.0 };
        let svm = QuantileSvm::new(features.clone(), labels.clone(), None, 1e-2, KernelKind::Linear, bias).unwrap();
        for tau in [0.2, 0.5] {
            let alpha = from_direction(&svm, &minimum.w[..5], threshold, tau).unwrap();
            let settings = pathqp::Settings::default();
            let line = svm.qp(&settings).unwrap().line(&[tau], &[0.9]).unwrap();
            let from = |start: Start<f64>| {
                let path = trace(&line, &start, &settings, &mut ()).unwrap();
                svm.at(&path, tau).unwrap().objective
            };
            let (guessed, anywhere) = (from(Start::Guess(alpha)), from(Start::Anywhere));
            assert!((guessed - anywhere).abs() < 1e-10 * anywhere, "{guessed} {anywhere}");
        }
    }
    let with_intercept =
        QuantileSvm::new(features.clone(), labels, None, 1e-2, KernelKind::Linear, Bias::Intercept).unwrap();
    assert!(from_direction(&with_intercept, &[1.0; 5], 0.0, 0.5).is_none());
}
