//! Training versus testing asymmetry: optimality, derivatives, ROC points, and the expansions beside exact values.
#![allow(missing_docs)]

use pathqp_moments::theory::{Asymptotics, Component, Loss, Model, RocPoint, Solution, TheoryError};
use pathqp_moments::{normal_cdf, normal_density};

const BOTH: [Loss; 2] = [Loss::Square, Loss::Erf];

fn component(weight: f64, mean: &[f64], covariance: &[&[f64]]) -> Component {
    Component { weight, mean: mean.to_vec(), covariance: covariance.iter().map(|row| row.to_vec()).collect() }
}

fn line(weight: f64, mean: f64, variance: f64) -> Component {
    component(weight, &[mean], &[&[variance]])
}

/// Mixtures on a line, with means, variances and priors all different.
fn on_a_line() -> Model {
    let positive = vec![line(0.3, 2.0, 0.5), line(0.7, 0.5, 1.5)];
    let negative = vec![line(0.6, -1.0, 1.0), line(0.4, 0.25, 0.3)];
    Model::new(0.35, positive, negative).unwrap()
}

/// Mixtures in the plane.
fn in_the_plane() -> Model {
    let positive = vec![
        component(0.5, &[1.5, 0.0], &[&[1.0, 0.3], &[0.3, 0.5]]),
        component(0.5, &[0.5, 2.0], &[&[0.4, -0.1], &[-0.1, 0.8]]),
    ];
    let negative = vec![
        component(0.25, &[-1.0, -0.5], &[&[0.7, 0.0], &[0.0, 1.2]]),
        component(0.75, &[0.0, -1.0], &[&[1.1, 0.4], &[0.4, 0.6]]),
    ];
    Model::new(0.4, positive, negative).unwrap()
}

/// One Gaussian a class in the plane, variance one in all directions for the class −1; along m = (δ, 0) the class +1 has variance σ². Then a = m and
/// A = Ã = (1 − 1/σ²)/δ².
fn pair(sigma2: f64, delta2: f64) -> Model {
    let positive = vec![component(1.0, &[delta2.sqrt(), 0.0], &[&[sigma2, 0.0], &[0.0, 1.0]])];
    let negative = vec![component(1.0, &[0.0, 0.0], &[&[1.0, 0.0], &[0.0, 1.0]])];
    Model::new(0.5, positive, negative).unwrap()
}

fn loss(loss: Loss, u: f64) -> f64 {
    match loss {
        Loss::Square => 0.5 * (u - 1.0) * (u - 1.0),
        Loss::Erf => u * normal_cdf(u) - u + normal_density(u),
    }
}

/// The risk of f = wx + b on a line, by the trapezoidal rule on ±12 standard deviations, which is exact to rounding for such integrands.
fn risk(model_loss: Loss, gamma: f64, w: f64, b: f64) -> f64 {
    let classes = [
        (1.0, 0.35 * gamma, [(0.3, 2.0, 0.5f64), (0.7, 0.5, 1.5)]),
        (-1.0, 0.65 * (1.0 - gamma), [(0.6, -1.0, 1.0), (0.4, 0.25, 0.3)]),
    ];
    let mut sum = 0.0;
    for (y, cost, parts) in classes {
        for (weight, mean, variance) in parts {
            let (deviation, n) = (variance.sqrt(), 4000);
            for k in 0..=n {
                let z = -12.0 + 24.0 * f64::from(k) / f64::from(n);
                let f = w * (mean + deviation * z) + b;
                sum += cost * weight * loss(model_loss, y * f) * normal_density(z) * 24.0 / f64::from(n);
            }
        }
    }
    sum
}

#[test]
fn solutions_minimise_the_risk_by_quadrature() {
    let model = on_a_line();
    for kind in BOTH {
        for gamma in [1e-3, 0.1, 0.5, 0.9, 0.999] {
            let Solution { w, b, .. } = model.solve(kind, gamma).unwrap();
            let at = |dw: f64, db: f64| risk(kind, gamma, w[0] + dw, b + db);
            let h = 1e-4;
            let weight = gamma.min(1.0 - gamma);
            // Central differences of a smooth function: h² times a third derivative, and rounding over h.
            let bound = 1e-7 * weight + 1e-11;
            assert!(((at(h, 0.0) - at(-h, 0.0)) / (2.0 * h)).abs() < bound, "{kind:?} {gamma}");
            assert!(((at(0.0, h) - at(0.0, -h)) / (2.0 * h)).abs() < bound, "{kind:?} {gamma}");
            for (dw, db) in [(0.1, 0.0), (-0.1, 0.0), (0.0, 0.1), (0.0, -0.1), (0.1, -0.1), (-0.1, 0.1)] {
                assert!(at(dw, db) > at(0.0, 0.0), "{kind:?} {gamma}");
            }
        }
    }
}

/// log(γ/(1 − γ)) moved by h.
fn shifted(gamma: f64, h: f64) -> f64 {
    let odds = gamma / (1.0 - gamma) * h.exp();
    odds / (1.0 + odds)
}

#[test]
fn derivatives_are_those_of_differences() {
    for model in [on_a_line(), in_the_plane()] {
        for kind in BOTH {
            for gamma in [1e-12, 1e-3, 0.1, 0.5, 0.9, 0.999] {
                let own = model.solve(kind, gamma).unwrap();
                let h = 1e-4;
                let [up, down] = [h, -h].map(|h| model.solve(kind, shifted(gamma, h)).unwrap());
                let scale = own.w.iter().chain([&own.b]).fold(0.0_f64, |l, v| l.max(v.abs()));
                for (j, dw) in own.dw.iter().enumerate() {
                    let size = own.w.iter().fold(0.0_f64, |l, v| l.max(v.abs()));
                    assert!((dw - (up.w[j] - down.w[j]) / (2.0 * h)).abs() < 1e-6 * size, "{kind:?} {gamma}");
                }
                assert!((own.db - (up.b - down.b) / (2.0 * h)).abs() < 1e-7 * scale, "{kind:?} {gamma}");
            }
        }
    }
}

/// Where β is the testing asymmetry, the cost p₊β(1 − v) + p₋(1 − β)u does not change to first order with γ.
#[test]
fn the_testing_asymmetry_makes_the_cost_stationary() {
    let model = in_the_plane();
    for kind in BOTH {
        for gamma in [0.05, 0.3, 0.5, 0.7] {
            let roc = |gamma| model.solve(kind, gamma).unwrap().roc(&model);
            let beta = roc(gamma).beta.unwrap();
            assert!(beta > 0.0 && beta < 1.0);
            let cost = |point: RocPoint| 0.4 * beta * (1.0 - point.tpr) + 0.6 * (1.0 - beta) * point.fpr;
            let h = 1e-4;
            let [up, down] = [h, -h].map(|h| roc(shifted(gamma, h)));
            let moved = (up.fpr - down.fpr).abs();
            assert!((cost(up) - cost(down)).abs() < 1e-6 * moved, "{kind:?} {gamma}");
        }
    }
}

#[test]
fn rates_are_probabilities() {
    let model = on_a_line();
    let solution = model.solve(Loss::Erf, 0.4).unwrap();
    let threshold = -solution.b / solution.w[0];
    assert!(solution.w[0] > 0.0);
    let above = |mean: f64, variance: f64| normal_cdf((mean - threshold) / variance.sqrt());
    let point = solution.roc(&model);
    assert!((point.fpr - 0.6 * above(-1.0, 1.0) - 0.4 * above(0.25, 0.3)).abs() < 1e-14);
    assert!((point.tpr - 0.3 * above(2.0, 0.5) - 0.7 * above(0.5, 1.5)).abs() < 1e-14);
}

#[test]
fn exchanging_the_classes_turns_the_classifier_round() {
    let model = in_the_plane();
    for kind in BOTH {
        for gamma in [1e-6, 0.2, 0.5, 0.75] {
            let (own, other) = (model.solve(kind, gamma).unwrap(), model.exchanged().solve(kind, 1.0 - gamma).unwrap());
            for (a, b) in own.w.iter().chain([&own.b]).zip(other.w.iter().chain([&other.b])) {
                assert!((a + b).abs() < 1e-9, "{kind:?} {gamma}: {a} {b}");
            }
        }
    }
}

/// The remainders of Proposition 1 over γ² have a limit: they settle as γ shrinks.
#[test]
fn proposition_1_holds_to_second_order() {
    for model in [on_a_line(), in_the_plane()] {
        let asymptotics = Asymptotics::new(&model, Loss::Square).unwrap();
        let remainders = |gamma: f64| {
            let (own, first) = (model.solve(Loss::Square, gamma).unwrap(), asymptotics.expansion(gamma));
            let pairs = own.w.iter().chain([&own.b]).zip(first.w.iter().chain([&first.b]));
            pairs.map(|(a, b)| (a - b) / (gamma * gamma)).collect::<Vec<f64>>()
        };
        let (coarse, fine) = (remainders(1e-3), remainders(1e-4));
        for (c, f) in coarse.iter().zip(&fine) {
            assert!(f.abs() > 1e-3 && (c - f).abs() < 0.02 * f.abs(), "{coarse:?} {fine:?}");
        }
    }
}

/// |x/y − 1| at the given powers of ten.
fn relative(powers: &[i32], error: impl Fn(f64) -> f64) -> Vec<f64> {
    powers.iter().map(|&k| error(10f64.powi(k))).collect()
}

/// The terms left out are smaller by log log(1/γ) / log(1/γ): the error over that ratio does not grow, and the error itself falls.
fn falls_like_loglog_over_log(powers: &[i32], errors: &[f64], what: &str) {
    for (pair, k) in errors.windows(2).zip(powers.windows(2)) {
        assert!(pair[1] < pair[0], "{what}: {errors:?}");
        let rate = |k: i32| {
            let l = f64::from(-k) * std::f64::consts::LN_10;
            l.ln() / l
        };
        assert!(pair[1] / rate(k[1]) < 1.1 * pair[0] / rate(k[0]), "{what}: {errors:?}");
    }
}

#[test]
fn proposition_2_holds_to_leading_order() {
    let powers = [-20, -40, -80, -160, -280];
    for model in [on_a_line(), in_the_plane(), pair(2.0, 1.0)] {
        let asymptotics = Asymptotics::new(&model, Loss::Erf).unwrap();
        let errors = relative(&powers, |gamma| {
            let (own, first) = (model.solve(Loss::Erf, gamma).unwrap(), asymptotics.expansion(gamma));
            let away: f64 = own.w.iter().zip(&first.w).map(|(a, b)| (a - b).powi(2)).sum();
            let size: f64 = first.w.iter().map(|v| v * v).sum();
            (away / size).sqrt()
        });
        falls_like_loglog_over_log(&powers, &errors, "w");
        assert!(errors[4] < 0.02, "{errors:?}");
        let errors = relative(&powers, |gamma| {
            let (own, first) = (model.solve(Loss::Erf, gamma).unwrap(), asymptotics.expansion(gamma));
            (own.b / first.b - 1.0).abs()
        });
        falls_like_loglog_over_log(&powers, &errors, "b");
        assert!(errors[4] < 0.02, "{errors:?}");
    }
}

fn log_slope(model: &Model, kind: Loss, gamma: f64) -> f64 {
    model.solve(kind, gamma).unwrap().roc(model).log_slope.unwrap()
}

/// log(v′/u′) over its expansion differs from one by O(γ): a tenth of γ, a tenth of the error.
#[test]
fn proposition_3_holds_with_the_component_that_decays_slowest() {
    for model in [on_a_line(), in_the_plane(), pair(0.25, 0.5), pair(4.0, 0.25)] {
        let asymptotics = Asymptotics::new(&model, Loss::Square).unwrap();
        assert!(asymptotics.a.abs() > 0.05, "{asymptotics:?}");
        let errors = relative(&[-3, -4, -5], |gamma| {
            (log_slope(&model, Loss::Square, gamma) / asymptotics.expansion(gamma).log_slope - 1.0).abs()
        });
        assert!(errors[1] < 0.11 * errors[0] && errors[2] < 0.11 * errors[1] && errors[2] < 1e-3, "{errors:?}");
    }
    // Components that differ: A with the largest 1/(aᵀΣa), as printed, is far off.
    let model = on_a_line();
    let asymptotics = Asymptotics::new(&model, Loss::Square).unwrap();
    let a2 = asymptotics.direction[0].powi(2);
    let printed = 1.0 / (0.3 * a2) - 1.0 / (0.5 * a2);
    assert!(printed > 0.0 && asymptotics.a > 0.0);
    assert!((asymptotics.a - (1.0 / a2 - 1.0 / (1.5 * a2))).abs() < 1e-12);
    let limit = log_slope(&model, Loss::Square, 1e-6) * 8.0 * (0.35f64 * 1e-6 / 0.65).powi(2);
    assert!((limit / asymptotics.a - 1.0).abs() < 1e-4 && (limit / printed - 1.0).abs() > 0.5, "{limit} {printed}");
}

#[test]
fn proposition_4_holds_with_the_square_of_the_logarithm() {
    let powers = [-20, -40, -80, -160, -280];
    for model in [on_a_line(), in_the_plane(), pair(0.25, 0.5), pair(4.0, 0.25)] {
        let asymptotics = Asymptotics::new(&model, Loss::Erf).unwrap();
        let ratio = |gamma: f64| log_slope(&model, Loss::Erf, gamma) / asymptotics.expansion(gamma).log_slope;
        let errors = relative(&powers, |gamma| (ratio(gamma) - 1.0).abs());
        falls_like_loglog_over_log(&powers, &errors, "log slope");
        assert!(errors[4] < 0.1, "{errors:?}");
        // As printed, 2Ã log(1/γ), the ratio grows like log(1/γ).
        assert!(ratio(1e-280) * 280.0 * std::f64::consts::LN_10 > 100.0);
    }
}

#[test]
fn the_mixing_weights_solve_their_equations() {
    let weights = [0.2, 0.5, 0.3];
    let means = [[-1.0, 0.0], [0.5, -1.0], [-0.2, 1.5]];
    let covariances = [[[1.0, 0.2], [0.2, 0.5]], [[0.3, 0.0], [0.0, 2.0]], [[0.8, -0.3], [-0.3, 0.6]]];
    let rows = |c: &[[f64; 2]; 2]| c.iter().map(|r| r.to_vec()).collect();
    let negative: Vec<Component> = (0..3)
        .map(|i| Component { weight: weights[i], mean: means[i].to_vec(), covariance: rows(&covariances[i]) })
        .collect();
    let positive = vec![component(1.0, &[2.0, 1.0], &[&[1.0, 0.0], &[0.0, 1.0]])];
    let model = Model::new(0.5, positive, negative).unwrap();
    let Asymptotics { xi, direction, .. } = Asymptotics::new(&model, Loss::Erf).unwrap();
    assert!((xi.iter().sum::<f64>() - 1.0).abs() < 1e-12 && xi.iter().all(|x| *x > 0.0), "{xi:?}");
    // θ = −a, with Σξμ − μ₊ = Σ̃θ.
    let theta = [-direction[0], -direction[1]];
    for r in 0..2 {
        let left: f64 = (0..3).map(|i| xi[i] * means[i][r]).sum::<f64>() - [2.0, 1.0][r];
        let right: f64 =
            (0..3).map(|i| xi[i] * (covariances[i][r][0] * theta[0] + covariances[i][r][1] * theta[1])).sum();
        assert!((left - right).abs() < 1e-12, "{left} {right}");
    }
    let tilt = |i: usize| {
        let c = covariances[i];
        let quadratic =
            c[0][0] * theta[0] * theta[0] + 2.0 * c[0][1] * theta[0] * theta[1] + c[1][1] * theta[1] * theta[1];
        weights[i] * (0.5 * quadratic - means[i][0] * theta[0] - means[i][1] * theta[1]).exp()
    };
    let total: f64 = (0..3).map(tilt).sum();
    for (i, x) in xi.iter().enumerate() {
        assert!((x - tilt(i) / total).abs() < 1e-10, "{x} {}", tilt(i) / total);
    }
    // They are the limit of the components' shares among the false positives' part of the condition for b.
    let far = model.solve(Loss::Erf, 1e-250).unwrap();
    let share = |i: usize| {
        let c = covariances[i];
        let variance = c[0][0] * far.w[0].powi(2) + 2.0 * c[0][1] * far.w[0] * far.w[1] + c[1][1] * far.w[1].powi(2);
        weights[i] * normal_cdf((means[i][0] * far.w[0] + means[i][1] * far.w[1] + far.b) / (1.0 + variance).sqrt())
    };
    let total: f64 = (0..3).map(share).sum();
    for (i, x) in xi.iter().enumerate() {
        assert!((x - share(i) / total).abs() < 0.02, "{x} {}", share(i) / total);
    }
}

#[test]
fn the_sign_of_a_decides_the_regime() {
    // The values of A of the paper's Figures 7 and 8.
    for (sigma2, delta2, a) in [(2.0, 0.5 / 0.12, 0.12), (0.25, 0.5, -6.0), (4.0, 0.25, 3.0), (0.5, 1.0 / 0.96, -0.96)]
    {
        let model = pair(sigma2, delta2);
        for kind in BOTH {
            let asymptotics = Asymptotics::new(&model, kind).unwrap();
            assert!((asymptotics.a - a).abs() < 1e-12, "{asymptotics:?}");
            assert!(asymptotics.regime().starts_with(if a < 0.0 { "A < 0" } else { "A > 0" }));
            for gamma in [1e-2, 1e-3, 1e-4].into_iter().filter(|g| a.abs() > 1.0 || *g < 1e-3 || kind == Loss::Square) {
                let gamma = if a.abs() < 0.5 { gamma * 1e-2 } else { gamma };
                let point = model.solve(kind, gamma).unwrap().roc(&model);
                let beta = point.beta.unwrap();
                if a < 0.0 {
                    // Below the diagonal, and a testing asymmetry on the other side.
                    assert!(point.tpr <= point.fpr && beta > 0.5, "{kind:?} {a} {gamma}: {point:?}");
                } else {
                    assert!(point.tpr >= point.fpr && beta < gamma, "{kind:?} {a} {gamma}: {point:?}");
                }
            }
        }
    }
}

#[test]
fn with_one_covariance_the_square_loss_keeps_its_direction() {
    let gaussian = |mean: &[f64]| vec![component(1.0, mean, &[&[2.0, 0.5], &[0.5, 1.0]])];
    let model = Model::new(0.3, gaussian(&[1.0, 0.5]), gaussian(&[-1.0, 0.0])).unwrap();
    // Σ⁻¹m with m = (2, 0.5) and Σ⁻¹ = (1, −0.5; −0.5, 2)/1.75 is (1, 0).
    for gamma in [1e-9, 0.2, 0.5, 0.9] {
        let w = model.solve(Loss::Square, gamma).unwrap().w;
        assert!(w[0] > 0.0 && w[1].abs() < 1e-14 * w[0], "{w:?}");
    }
    assert!(Asymptotics::new(&model, Loss::Square).unwrap().a.abs() < 1e-12);
}

#[test]
fn equal_means_give_a_constant_classifier() {
    let model = Model::new(0.5, vec![line(1.0, 1.0, 1.0)], vec![line(1.0, 1.0, 1.0)]).unwrap();
    for kind in BOTH {
        let solution = model.solve(kind, 0.3).unwrap();
        assert!(solution.w[0].abs() < 1e-12 && solution.b < 0.0, "{solution:?}");
        let point = solution.roc(&model);
        assert!(point.fpr.is_finite() && point.tpr.is_finite());
    }
}

#[test]
fn bad_mixtures_are_named() {
    let good = || vec![line(1.0, 0.0, 1.0)];
    let error = |prior, positive, negative| Model::new(prior, positive, negative).map(|_| ()).unwrap_err();
    assert!(matches!(error(0.0, good(), good()), TheoryError::Prior { .. }));
    assert!(matches!(error(f64::NAN, good(), good()), TheoryError::Prior { .. }));
    assert_eq!(error(0.5, good(), vec![]), TheoryError::NoComponents { class: "negative" });
    assert_eq!(error(0.5, vec![], good()), TheoryError::NoComponents { class: "positive" });
    assert!(matches!(error(0.5, vec![line(-1.0, 0.0, 1.0)], good()), TheoryError::Weight { component: 1, .. }));
    assert!(matches!(error(0.5, vec![line(0.4, 0.0, 1.0), line(0.4, 0.0, 1.0)], good()), TheoryError::Weights { .. }));
    assert!(matches!(error(0.5, vec![line(1.0, f64::NAN, 1.0)], good()), TheoryError::NotFinite { what: "mean", .. }));
    assert!(matches!(error(0.5, vec![line(1.0, 0.0, f64::INFINITY)], good()), TheoryError::NotFinite { .. }));
    let ragged = component(1.0, &[0.0, 0.0], &[&[1.0, 0.0], &[0.0]]);
    assert!(matches!(error(0.5, vec![ragged], good()), TheoryError::Shape { class: "positive", found: 1, .. }));
    let plane = component(1.0, &[0.0, 0.0], &[&[1.0, 0.0], &[0.0, 1.0]]);
    assert!(matches!(
        error(0.5, vec![plane.clone()], good()),
        TheoryError::Shape { class: "negative", expected: 2, .. }
    ));
    let skew = component(1.0, &[0.0, 0.0], &[&[1.0, 0.5], &[0.4, 1.0]]);
    assert!(matches!(error(0.5, vec![skew], vec![plane.clone()]), TheoryError::Asymmetric { row: 2, column: 1, .. }));
    for bad in [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [[-1.0, 0.0], [0.0, 1.0]]]
    {
        let bad = component(1.0, &[0.0, 0.0], &[&bad[0], &bad[1]]);
        let found = error(0.5, vec![plane.clone()], vec![bad]);
        assert_eq!(found, TheoryError::NotPositiveDefinite { class: "negative", component: 1 });
    }
    let empty = component(1.0, &[], &[]);
    assert!(matches!(error(0.5, vec![empty.clone()], vec![empty]), TheoryError::Shape { found: 0, .. }));
    for gamma in [0.0, 1.0, -0.1, f64::NAN, 1e-300] {
        assert!(matches!(on_a_line().solve(Loss::Erf, gamma), Err(TheoryError::Asymmetry { .. })), "{gamma}");
    }
}
