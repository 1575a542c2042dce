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
