//! Solutions that go to zero where no bound gives them a scale: what rounding leaves of them is no violation.
#![allow(missing_docs)]

use pathqp::hessian::{Gram, Rows};
use pathqp::testing::Random;
use pathqp::{Affine, Certificate, Line, ParametricQp, Path, Range, Settings, Start, trace, validate::validate};
use std::sync::Arc;

/// ½|θ_c·Y − Xw|² with w ≥ 0 and, with a row, Σw = θ; else c moves with θ. Columns of X are the rows of Z.
fn least_squares(columns: &[Vec<f64>], y: &[f64], row: bool) -> ParametricQp<f64> {
    let n = columns.len();
    let z = Rows::Dense { columns: y.len(), values: columns.concat() };
    let c: Vec<f64> = columns.iter().map(|x| -x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>()).collect();
    let c = if row { Affine::constant(c, 1) } else { Affine::line(vec![0.0; n], c) };
    let qp = ParametricQp::new(Arc::new(Gram::new(n, z, 1.0).unwrap()), vec![Range::at_least(0.0)], c).unwrap();
    let qp = qp.lower(Affine::constant(vec![0.0; n], 1)).unwrap();
    if row { qp.equality(vec![1.0; n], Affine::line(vec![0.0], vec![1.0])).unwrap() } else { qp }
}

fn both_ways(qp: &ParametricQp<f64>, end: f64) -> [(Line<f64>, Path<f64>); 2] {
    [[0.0, end], [end, 0.0]].map(|[from, to]| {
        let line = qp.line(&[from], &[to]).unwrap();
        let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
        (line, path)
    })
}

#[test]
fn random_designs_in_all_scales() {
    for seed in 0..150 {
        for scale in [1e-6, 1.0, 1e6] {
            let mut random = Random(seed);
            let n = 1 + seed as usize % 6;
            let mut numbers = |count: usize| (0..count).map(|_| scale * random.normal()).collect::<Vec<f64>>();
            let (y, columns): (Vec<f64>, Vec<Vec<f64>>) = (numbers(9), (0..n).map(|_| numbers(9)).collect());
            for (row, end) in [(true, 20.0), (true, 0.3), (false, 1.0), (false, 0.7)] {
                let qp = least_squares(&columns, &y, row);
                for (line, path) in both_ways(&qp, end) {
                    let wrong = validate(&path, &line, &1e-9);
                    assert!(wrong.is_empty(), "seed {seed} scale {scale} row {row} end {end}: {wrong:?}");
                }
            }
        }
    }
}

/// Every entry of X, −Y and the far end from a small set: one and two variables, columns of zeros among them.
#[test]
fn small_integers() {
    let ends = [0.1, 0.3, 0.7, 1.0, 20.0];
    for code in 0..7usize.pow(4) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| (code / 7usize.pow(k)) % 7).map(|v| v as f64 - 3.0);
        let qp = least_squares(&[vec![a, b], vec![c, 0.0]], &[d, 1.0], code % 2 == 0);
        for (line, path) in both_ways(&qp, ends[code % 5]) {
            let wrong = validate(&path, &line, &1e-9);
            assert!(wrong.is_empty(), "{a} {b} {c} {d}: {wrong:?}");
        }
    }
}

/// ½·9x² − x with x = θ ≥ 0 at θ = 0: x is zero but for rounding, and y is an interval. An x that is off by more is found.
#[test]
fn what_is_more_than_rounding_is_found() {
    let qp = least_squares(&[vec![-3.0]], &[-1.0 / 3.0], true);
    let [(line, path), _] = both_ways(&qp, 1.0);
    let point = path.at(&0.0).unwrap();
    assert!(point.x[0].abs() <= 1e-15);
    let certificate = Certificate::new(&line, &0.0, &point.x, &point.y);
    assert!(certificate.kkt_residual() <= 1e-10, "{certificate:?}");
    // z = −1 − y ≥ 0.
    let (low, high) = certificate.multiplier_range.unwrap();
    assert!(low.is_none() && (high.unwrap() - -1.0).abs() <= 1e-14);
    for off in [1e-12, -1e-12, 1e-3] {
        let certificate = Certificate::new(&line, &0.0, &[off], &point.y);
        assert!(certificate.row > 1e-8, "{off}: {certificate:?}");
    }
}

/// The quantile SVM with an intercept, ½κ|Σ xᵢyᵢZᵢ|² − Σxᵢ with Σ yᵢxᵢ = 0, 0 ≤ x ≤ τ in one class and 1 − τ in the other, and columns in units of their own. At τ = 0 and τ = 1 one class has no
/// room, and the row then leaves none to the other one either: x is zero, and there is nothing that a rounding of it, times columns of 10⁶, would be small against.
#[test]
fn nothing_is_left_of_x_where_the_row_leaves_nothing() {
    for seed in 0..4 {
        let mut random = Random(seed);
        let n = 8 + seed as usize % 9;
        let units = [1.0, 1e3, 1e6, 1e-2].map(|unit: f64| unit * (1.0 + random.unit()));
        let labels: Vec<f64> = (0..n).map(|i| if i < 2 || random.chance(0.5) { 1.0 } else { -1.0 }).collect();
        let labels: Vec<f64> = labels.iter().enumerate().map(|(i, y)| if i == 1 { -1.0 } else { *y }).collect();
        let row = |y: &f64, random: &mut Random| units.map(|unit| y * unit * (random.integer(3) + 4.0)).to_vec();
        let values: Vec<f64> = labels.iter().flat_map(|y| row(y, &mut random)).collect();
        let gram = Gram::new(n, Rows::Dense { columns: 4, values }, 1000.0).unwrap();
        let at_zero = labels.iter().map(|y| if *y > 0.0 { 1.0 } else { 0.0 }).collect();
        let qp = ParametricQp::new(Arc::new(gram), vec![Range::new(0.0, 1.0)], Affine::constant(vec![-1.0; n], 1))
            .and_then(|qp| qp.lower(Affine::constant(vec![0.0; n], 1)))
            .and_then(|qp| qp.upper(Affine::line(at_zero, labels.iter().map(|y| -y).collect())))
            .and_then(|qp| qp.equality(labels.clone(), Affine::constant(vec![0.0], 1)))
            .unwrap();
        for (line, path) in both_ways(&qp, 1.0) {
            let first = path.at(path.begin()).unwrap();
            assert!(first.x.iter().all(|x| *x == 0.0), "seed {seed}: {:?}", first.x);
            let certificate = Certificate::of(&line, &first);
            assert!(certificate.holds(&1e-9), "seed {seed}: {certificate:?}");
        }
    }
}
