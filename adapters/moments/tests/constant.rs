//! Classes and features without variance, and the best point of a search: the zero-one and the AUC objective where they jump.

use faer::linalg::solvers::Solve;
use pathqp::testing::Random;
use pathqp_adapters::dataset::Features;
use pathqp_moments::empirical::{auc, error};
use pathqp_moments::minimise::{Settings, Smooth, Stop, minimise};
use pathqp_moments::{Accumulator, Fit, MomentObjective, Moments, Objective, Route, fit, normal_cdf};
use std::cell::Cell;
use std::sync::Arc;

const LAMBDA: f64 = 1e-3;

/// Rows with their labels.
struct Rows {
    features: Arc<Features>,
    labels: Vec<f64>,
}

impl Rows {
    fn new(columns: usize, positive: &[Vec<f64>], negative: &[Vec<f64>]) -> Self {
        let values = positive.iter().chain(negative).flatten().copied().collect();
        let labels = positive.iter().map(|_| 1.0).chain(negative.iter().map(|_| -1.0)).collect();
        let rows = positive.len() + negative.len();
        Rows { features: Arc::new(Features::Dense { rows, columns, values }), labels }
    }

    fn fit(&self, objective: Objective, constant: Option<f64>, settings: &Settings) -> Fit {
        let moments = Moments::of(&self.features, &self.labels).unwrap();
        fit(&moments, constant, objective, LAMBDA, settings).unwrap()
    }

    /// Error and AUC of a minimum on the rows.
    fn rates(&self, found: &Fit, constant: Option<f64>) -> (f64, f64) {
        let d = self.features.columns();
        let last = constant.map_or(0.0, |value| value * found.minimum.w[d]);
        let row = |i: usize| self.features.row(i).dot(&found.minimum.w[..d]) + last;
        let scores: Vec<f64> = (0..self.labels.len()).map(row).collect();
        (error(&scores, &self.labels), auc(&scores, &self.labels))
    }
}

fn column(values: &[f64]) -> Vec<Vec<f64>> {
    values.iter().map(|v| vec![*v]).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Mean and covariance with divisor n − 1 of rows.
fn moments_of(rows: &[Vec<f64>]) -> (Vec<f64>, faer::Mat<f64>) {
    let (n, d) = (rows.len() as f64, rows[0].len());
    let mean: Vec<f64> = (0..d).map(|j| rows.iter().map(|r| r[j]).sum::<f64>() / n).collect();
    let entry = |i: usize, j: usize| rows.iter().map(|r| (r[i] - mean[i]) * (r[j] - mean[j])).sum::<f64>() / (n - 1.0);
    let sigma = faer::Mat::from_fn(d, d, entry);
    (mean, sigma)
}

/// Σ⁻¹v.
fn solve(sigma: &faer::Mat<f64>, v: &[f64]) -> Vec<f64> {
    let solved = sigma.llt(faer::Side::Lower).unwrap().solve(&faer::Mat::from_fn(v.len(), 1, |i, _| v[i]));
    (0..v.len()).map(|i| solved[(i, 0)]).collect()
}

#[test]
fn six_equal_rows_are_told_from_three_others() {
    // Least as the threshold comes to 0 from above: (1/3) φ(−m/s) for the mean and deviation of the others.
    let others = [1.5, 2.0, 3.5];
    let (mean, sigma) = moments_of(&column(&others));
    let infimum = normal_cdf(-mean[0] / sigma[(0, 0)].sqrt()) / 3.0;
    assert!((infimum - 0.004162).abs() < 1e-6, "{infimum}");
    let rows = Rows::new(1, &column(&others), &column(&[0.0; 6]));
    for iterations in [1, 2, 3, 500] {
        let found = rows.fit(Objective::ZeroOne, Some(1.0), &Settings { iterations, ..Settings::default() });
        assert!(found.minimum.value <= 0.004163 && found.minimum.value >= infimum * (1.0 - 1e-12), "{found:?}");
        assert_eq!(rows.rates(&found, Some(1.0)), (0.0, 1.0), "{found:?}");
        assert_eq!(found.route, Route::ConstantClass);
    }
    // The other way round a score of zero would be wrong: the infimum is not attained, and the rows are told apart all the same.
    let rows = Rows::new(1, &column(&[0.0; 6]), &column(&others));
    let found = rows.fit(Objective::ZeroOne, Some(1.0), &Settings::default());
    assert!(found.minimum.value <= 0.004163 && rows.rates(&found, Some(1.0)) == (0.0, 1.0), "{found:?}");
}

/// One feature, a threshold: with the class at c and the other one at m ± s the threshold is best at c, or beyond everything, which gives up the class at c.
#[test]
fn one_feature_and_a_constant_class() {
    let mut random = Random(60);
    let mut given_up = 0;
    for trial in 0..300 {
        let at = [0.0, 0.1, -3.7, 1e4 / 3.0][trial % 4] + if trial % 8 < 4 { 0.0 } else { random.normal() };
        let (equal, others) = (2 + random.below(9), 2 + random.below(9));
        let spread = 10f64.powf(2.0 * random.unit() - 1.0);
        let shift = at + spread * 3.0 * random.normal();
        let values: Vec<f64> = (0..others).map(|_| shift + spread * random.normal()).collect();
        let (mean, sigma) = moments_of(&column(&values));
        let n = (equal + others) as f64;
        let beside = others as f64 / n * normal_cdf(-(mean[0] - at).abs() / sigma[(0, 0)].sqrt());
        let infimum = beside.min(equal as f64 / n);
        let constant = column(&vec![at; equal]);
        let rows = match trial % 2 {
            0 => Rows::new(1, &constant, &column(&values)),
            _ => Rows::new(1, &column(&values), &constant),
        };
        for features in [rows.features.clone(), Arc::new(rows.features.to_sparse())] {
            let rows = Rows { features, labels: rows.labels.clone() };
            let found = rows.fit(Objective::ZeroOne, Some([1.0, 0.25, -2.0][trial % 3]), &Settings::default());
            let bound = [1.0, 0.25, -2.0][trial % 3];
            // The point lies beside the class by the rounding of a score: |at| ε in units of the deviation, times the density.
            let rounding = 1e-14 * (1.0 + (at / sigma[(0, 0)].sqrt()).abs());
            assert!((found.minimum.value - infimum).abs() < rounding, "trial {trial}: {found:?}, {infimum}");
            let wrong = rows.labels.iter().zip(0..).filter(|(y, i)| {
                let f = rows.features.row(*i).dot(&found.minimum.w[..1]) + bound * found.minimum.w[1];
                let own = rows.features.row(*i).dot(&[1.0]) == at && (trial % 2 == 0) == (**y > 0.0);
                own && (f > 0.0) != (**y > 0.0)
            });
            // The equal rows are all right, or all given up.
            let wrong = wrong.count();
            assert_eq!(wrong, if beside <= equal as f64 / n { 0 } else { equal }, "trial {trial}: {found:?}");
            given_up += usize::from(wrong > 0);
        }
    }
    assert!(given_up > 5, "{given_up}");
}

/// With a constant feature the threshold passes through the constant class, and the best direction is Fisher's: (1 − …) p φ(−√(δᵀΣ⁻¹δ)), δ the difference of the means.
#[test]
fn several_features_and_a_constant_class() {
    let mut random = Random(61);
    let exact = Settings { tolerance: 1e-9, ..Settings::default() };
    let mut worst = 0.0_f64;
    for trial in 0..100 {
        let d = 2 + trial % 4;
        let (equal, others) = (2 + random.below(6), d + 2 + random.below(8));
        let centre: Vec<f64> = (0..d).map(|_| random.normal()).collect();
        let at: Vec<f64> = centre.iter().map(|c| c + 1.5 * random.normal()).collect();
        let cloud: Vec<Vec<f64>> = (0..others).map(|_| centre.iter().map(|c| c + random.normal()).collect()).collect();
        let (mean, sigma) = moments_of(&cloud);
        let delta: Vec<f64> = mean.iter().zip(&at).map(|(m, a)| m - a).collect();
        let n = (equal + others) as f64;
        let beside = others as f64 / n * normal_cdf(-dot(&delta, &solve(&sigma, &delta)).sqrt());
        let infimum = beside.min(equal as f64 / n);
        let constant = vec![at.clone(); equal];
        let rows = match trial % 2 {
            0 => Rows::new(d, &constant, &cloud),
            _ => Rows::new(d, &cloud, &constant),
        };
        let found = rows.fit(Objective::ZeroOne, Some(1.0), &exact);
        assert!((found.minimum.value - infimum).abs() < 1e-9, "trial {trial}: {found:?}, {infimum}");
        let usual = rows.fit(Objective::ZeroOne, Some(1.0), &Settings::default());
        worst = worst.max(usual.minimum.value - infimum);
        // Never above what a start with fewer iterations gives.
        for iterations in [1, 2, 3] {
            let few = rows.fit(Objective::ZeroOne, Some(1.0), &Settings { iterations, ..exact });
            assert!(found.minimum.value <= few.minimum.value + 1e-12, "trial {trial}: {few:?}");
        }
    }
    assert!(worst < 1e-5, "{worst}");
}

/// Without a constant feature the best w of the half-space is Σ⁻¹(a + κc), κ ≥ 0 (see `constant.rs`); checked against directions all around as well.
#[test]
fn a_constant_class_without_a_constant_feature() {
    let mut random = Random(62);
    let exact = Settings { tolerance: 1e-9, ..Settings::default() };
    for trial in 0..100 {
        let centre: Vec<f64> = (0..2).map(|_| 1.5 * random.normal()).collect();
        let at: Vec<f64> = (0..2).map(|_| 1.5 * random.normal()).collect();
        let cloud: Vec<Vec<f64>> = (0..9).map(|_| centre.iter().map(|c| c + random.normal()).collect()).collect();
        let constant = vec![at.clone(); 2 + trial % 12];
        let sign = if trial % 2 == 0 { 1.0 } else { -1.0 };
        let rows = match trial % 2 {
            0 => Rows::new(2, &constant, &cloud),
            _ => Rows::new(2, &cloud, &constant),
        };
        let found = rows.fit(Objective::ZeroOne, None, &exact);
        let (mean, sigma) = moments_of(&cloud);
        let (p_c, p_o) = (constant.len() as f64, cloud.len() as f64);
        let value = |w: &[f64], class: f64| {
            let s = sigma[(0, 0)] * w[0] * w[0] + 2.0 * sigma[(1, 0)] * w[0] * w[1] + sigma[(1, 1)] * w[1] * w[1];
            (p_c * class + p_o * normal_cdf(sign * dot(&mean, w) / s.sqrt())) / (p_c + p_o)
        };
        let mut least = f64::INFINITY;
        for k in 0..20_000 {
            let angle = f64::from(k) * std::f64::consts::TAU / 20_000.0;
            let w = [angle.cos(), angle.sin()];
            let wrong = if sign * dot(&at, &w) > 0.0 { 0.0 } else { 1.0 };
            least = least.min(value(&w, wrong));
        }
        // Both sides of the boundary, where the grid may have missed.
        for side in [1.0, -1.0] {
            least = least.min(value(&[-side * at[1], side * at[0]], 0.0));
        }
        assert!(found.minimum.value < least + 1e-12, "trial {trial}: {found:?}, {least}");
        assert!(found.minimum.value > least - 1e-5, "trial {trial}: {found:?}, {least}");
    }
}

#[test]
fn features_that_are_constant_within_both_classes_tell_them_apart() {
    let mut random = Random(63);
    for trial in 0..200 {
        let d = 1 + trial % 4;
        let offset = [0.0, 0.1, 1e6 / 3.0, -1e3][trial % 4];
        let apart = [1.0, 1e-3, 10.0][trial % 3];
        let mut class = |value: f64, n: usize| -> Vec<Vec<f64>> {
            (0..n).map(|_| (0..d).map(|j| if j == 0 { value } else { random.normal() }).collect()).collect()
        };
        let (positive, negative) = (class(offset + apart, 3 + trial % 300), class(offset, 4));
        let rows = Rows::new(d, &positive, &negative);
        for features in [rows.features.clone(), Arc::new(rows.features.to_sparse())] {
            let rows = Rows { features, labels: rows.labels.clone() };
            let found = rows.fit(Objective::ZeroOne, Some(1.0), &Settings::default());
            assert!(
                found.minimum.value < 1e-15 && rows.rates(&found, Some(1.0)) == (0.0, 1.0),
                "trial {trial}: {found:?}"
            );
            assert_eq!((found.route, found.minimum.iterations), (Route::ConstantFeatures, 0));
            let found = rows.fit(Objective::Auc, None, &Settings::default());
            assert!(found.minimum.value < 1e-15 && rows.rates(&found, None).1 == 1.0, "trial {trial}: {found:?}");
            // Without a constant feature both values must lie on either side of zero, or one on it.
            let found = rows.fit(Objective::ZeroOne, None, &Settings::default());
            if offset == -1e3 || offset > 1.0 {
                assert_ne!(found.route, Route::ConstantFeatures, "trial {trial}: {found:?}");
            }
        }
    }
    let rows = Rows::new(1, &column(&[2.0, 2.0]), &column(&[-1.0, -1.0, -1.0]));
    let found = rows.fit(Objective::ZeroOne, None, &Settings::default());
    assert_eq!((found.route, found.minimum.w[0], rows.rates(&found, None).0), (Route::ConstantFeatures, 1.0, 0.0));
    // A score of zero is -1: class -1 at zero is right, class +1 at zero is wrong whatever w is.
    let rows = Rows::new(1, &column(&[2.0, 2.0]), &column(&[0.0, 0.0, 0.0]));
    assert_eq!(rows.rates(&rows.fit(Objective::ZeroOne, None, &Settings::default()), None).0, 0.0);
    let rows = Rows::new(1, &column(&[0.0, 0.0]), &column(&[2.0, 2.0, 2.0]));
    let found = rows.fit(Objective::ZeroOne, None, &Settings::default());
    assert!((found.minimum.value - 0.4).abs() < 1e-15 && (rows.rates(&found, None).0 - 0.4).abs() < 1e-15, "{found:?}");
}

#[test]
fn columns_of_equal_numbers_have_no_variance_to_the_last_bit() {
    for value in [0.1, 1.0 / 3.0, 1e9 + 0.7, -1e-300, 123_456.789] {
        for n in [2, 3, 7, 255, 256, 257, 1000] {
            let values: Vec<f64> = (0..2 * n).flat_map(|i| [value, i as f64]).collect();
            let labels: Vec<f64> = (0..2 * n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
            let dense = Features::Dense { rows: 2 * n, columns: 2, values };
            let sparse = dense.to_sparse();
            let mut parts = Accumulator::new(2);
            for k in 0..n {
                parts.absorb(&dense.select_rows(&[2 * k, 2 * k + 1]), &labels[..2]).unwrap();
            }
            let moments = [
                Moments::of(&Arc::new(dense.clone()), &labels).unwrap(),
                Moments::implicit(&Arc::new(dense), &labels).unwrap(),
                Moments::implicit(&Arc::new(sparse), &labels).unwrap(),
                parts.moments().unwrap(),
            ];
            for class in moments.iter().flat_map(|m| [&m.positive, &m.negative]) {
                assert_eq!((class.mean[0], class.variances()[0]), (value, 0.0), "{value}, {n} rows");
                assert!(class.variances()[1] > 0.0);
            }
        }
    }
}

/// Remembers the least value.
struct Watched<'a> {
    function: &'a dyn Smooth,
    least: Cell<f64>,
}

impl Smooth for Watched<'_> {
    fn columns(&self) -> usize {
        self.function.columns()
    }

    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        let value = self.function.evaluate(w, gradient);
        self.least.set(self.least.get().min(value));
        value
    }
}

/// A step beside a slope: the search is drawn to the jump and over it.
struct Cliff {
    at: f64,
    height: f64,
}

impl Smooth for Cliff {
    fn columns(&self) -> usize {
        2
    }

    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        gradient[0] = w[0] - 3.0;
        gradient[1] = w[1];
        let over = if w[0] > self.at { self.height } else { 0.0 };
        over + 0.5 * (w[0] - 3.0).powi(2) + 0.5 * w[1] * w[1]
    }
}

#[test]
fn no_point_of_a_search_is_better_than_its_minimum() {
    let mut random = Random(64);
    for trial in 0..300 {
        let cliff = Cliff { at: 3.0 * random.unit(), height: 10.0 * random.unit() };
        let moments = {
            let at = random.normal();
            let values: Vec<f64> = (0..5).map(|_| at + 2.0 + random.normal()).collect();
            let rows = Rows::new(1, &column(&values), &column(&vec![at; 2 + trial % 5]));
            Moments::of(&rows.features, &rows.labels).unwrap().with_constant(1.0)
        };
        let jumps = MomentObjective::new(&moments, Objective::ZeroOne, LAMBDA).unwrap();
        for function in [&cliff as &dyn Smooth, &jumps] {
            for iterations in [1, 2, 3, 5, 100] {
                let watched = Watched { function, least: Cell::new(f64::INFINITY) };
                let start: Vec<f64> = (0..2).map(|_| random.normal()).collect();
                let settings = Settings { iterations, ..Settings::default() };
                let minimum = minimise(&watched, start, &settings).unwrap();
                assert_eq!(minimum.value, watched.least.get(), "trial {trial}, {iterations}: {minimum:?}");
                let mut gradient = [0.0; 2];
                assert_eq!(minimum.value, function.evaluate(&minimum.w, &mut gradient), "{minimum:?}");
                assert!(
                    (minimum.gradient - dot(&gradient, &gradient).sqrt()).abs() <= 1e-14 * minimum.gradient,
                    "{minimum:?}"
                );
            }
        }
    }
    // The number of iterations is the reason where it is.
    let mut gradient = [0.0; 2];
    let cliff = Cliff { at: 10.0, height: 1.0 };
    let minimum = minimise(&cliff, vec![-50.0, 70.0], &Settings { iterations: 0, ..Settings::default() }).unwrap();
    assert_eq!((minimum.stop, minimum.value), (Stop::Iterations, cliff.evaluate(&[-50.0, 70.0], &mut gradient)));
}
