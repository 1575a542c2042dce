//! Maps of ε-SVR: complete in both charts, with ties, and optimal everywhere.

use crate::svr::{BIASES, KERNELS, assert_reversible, path, svr, wave};
use pathqp::complex::{Complex, ComplexError, Options, explore};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Certificate, ParametricQp, Range, Settings};
use pathqp_adapters::svr::{Chart, Svr};
use pathqp_adapters::{Bias, PathProblem};

/// The regions of a rectangle of θ.
fn found(svr: &Svr, ranges: [[f64; 2]; 2]) -> Result<(ParametricQp<f64>, Complex<f64>), ComplexError> {
    let settings = Settings::default();
    let qp = svr.qp(&settings).unwrap().within(ranges.map(|[from, to]| Range::new(from, to)).into()).unwrap();
    let explored = |part: f64| {
        let point = ranges.map(|[from, to]| from + part * (to - from));
        let start = svr.start(&qp, &point, &settings);
        explore(&qp, &Options { point: Some(point), start, settings: settings.clone(), ..Options::default() })
    };
    // Where every term of some z vanishes no start passes its audit: another place is tried, as by the command line.
    let complex = explored(0.4).or_else(|_| explored(0.4371))?;
    Ok((qp, complex))
}

fn assert_optimal(qp: &ParametricQp<f64>, complex: &Complex<f64>, ranges: [[f64; 2]; 2], points: usize) {
    let mut random = Random(4);
    for _ in 0..points {
        let theta = ranges.map(|[from, to]| from + random.unit() * (to - from));
        let point = complex.at(qp, &theta).unwrap();
        let line = qp.line(&theta, &theta).unwrap();
        let residual = Certificate::new(&line, &0.0, &point.x, &point.y).kkt_residual();
        assert!(residual <= 1e-9, "{theta:?}: {residual:e}");
    }
}

/// A complete map.
fn map(svr: &Svr, ranges: [[f64; 2]; 2]) -> Complex<f64> {
    let (qp, complex) = found(svr, ranges).unwrap();
    assert!((complex.covered() - 1.0).abs() <= 1e-9, "covered {}", complex.covered());
    assert_eq!((complex.holes(), complex.validate()), (0, vec![]));
    assert_optimal(&qp, &complex, ranges, 40);
    complex
}

#[test]
fn the_map_is_complete_in_both_charts() {
    let (x, y) = wave(60, 1, 1);
    for kernel in ["rbf:0.5", "linear"] {
        let costs = svr(&x, &y, None, kernel, Bias::Intercept, Chart::Cost);
        let complex = map(&costs, [[0.0, 4.0], [0.0, 1.25 * costs.widest()]]);
        println!("{kernel}, n = 60: {} regions, covered {:e}", complex.regions().len(), complex.covered() - 1.0);
        let penalties = costs.charted(Chart::Penalty);
        let complex = map(&penalties, [[0.25, 20.0], [0.0, 10.0]]);
        println!("{kernel}, n = 60: {} regions, covered {:e}", complex.regions().len(), complex.covered() - 1.0);
    }
    let (x, y) = wave(14, 2, 2);
    let rounded: Vec<f64> = y.iter().map(|y| (2.0 * y).round() / 2.0).collect();
    for bias in BIASES {
        for kernel in KERNELS {
            let costs = svr(&x, &rounded, None, kernel, bias, Chart::Cost);
            map(&costs, [[0.0, 3.0], [0.0, 1.25 * costs.widest()]]);
            map(&costs.charted(Chart::Penalty), [[0.3, 5.0], [0.0, 3.0]]);
        }
    }
}

/// Followed backwards, a tie of this problem comes apart by rounding.
#[test]
fn a_tie_that_rounding_parts() {
    let rows = [[2, 0, -1], [-1, 0, -2], [2, 1, 2], [0, 0, 0], [-2, 2, 2], [-1, -1, -2], [0, 0, 1], [2, 2, 2]];
    let x: Vec<Vec<f64>> = rows.iter().map(|row| vec![f64::from(row[0]), f64::from(row[1])]).collect();
    let y: Vec<f64> = rows.iter().map(|row| f64::from(row[2])).collect();
    let svr = svr(&x, &y, None, "laplacian:0.3", Bias::Augmented(2.0), Chart::Penalty);
    for (from, to) in [([0.05, 0.0], [50.0, 0.0]), ([0.5, 0.0], [0.5, 2.5]), ([0.1, 1.5], [3.0, 0.0])] {
        let (a, b) = (svr.theta(from[0], from[1]), svr.theta(to[0], to[1]));
        let there = path(&svr, a, b);
        assert!(validate(&there.1, &there.0, &1e-9).is_empty());
        assert_reversible("backwards", &svr, a, b, &there);
    }
}

/// Two parameters on integer grids with repeated rows, where many lines meet in a point. `SVR_MAPS` is the number of maps.
#[test]
fn maps_of_ties_are_complete() {
    let count = std::env::var("SVR_MAPS").ok().and_then(|v| v.parse().ok()).unwrap_or(400);
    let mut random = Random(11);
    for k in 0..count {
        let n = 2 + random.below(7);
        let x: Vec<Vec<f64>> = (0..n).map(|_| vec![random.below(5) as f64 - 2.0]).collect();
        let y: Vec<f64> = (0..n).map(|_| random.below(5) as f64 - 2.0).collect();
        let (bias, kernel) = (BIASES[random.below(3)], KERNELS[random.below(4)]);
        let chart = if k % 2 == 0 { Chart::Cost } else { Chart::Penalty };
        let ranges = if chart == Chart::Cost { [[0.0, 3.0], [0.0, 2.5]] } else { [[0.3, 5.0], [0.0, 3.0]] };
        let svr = svr(&x, &y, None, kernel, bias, chart);
        let what = format!("{x:?} {y:?} {kernel} {bias:?} {chart:?}");
        let (qp, complex) = found(&svr, ranges).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(complex.validate().is_empty(), "{what}: {:?}", complex.validate());
        assert!((complex.covered() - 1.0).abs() <= 1e-9, "{what}: {}", complex.covered());
        assert_optimal(&qp, &complex, ranges, 5);
    }
}
