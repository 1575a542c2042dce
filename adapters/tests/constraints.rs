//! Rows on portfolios and on the lasso's coefficients: an interior-point solver along the path, sums that are known, and what is refused.

use crate::common::dense;
use pathqp::testing::{Options, Random, check};
use pathqp::{Settings, Start};
use pathqp_adapters::constraints::Constraints;
use pathqp_adapters::critical_line::CriticalLine;
use pathqp_adapters::lasso::Lasso;
use pathqp_adapters::spec::Spec;

fn rows(rows: Vec<Vec<f64>>, lower: Vec<f64>, upper: Vec<f64>) -> Constraints {
    Constraints { names: None, rows, lower, upper }
}

fn normal(n: usize, d: usize, random: &mut Random) -> Vec<Vec<f64>> {
    (0..n).map(|_| (0..d).map(|_| random.normal()).collect()).collect()
}

#[test]
fn portfolios_with_sectors_agree_with_an_interior_point_solver() {
    for seed in 1..=8 {
        let mut random = Random(seed);
        // Sectors of three assets hold at most 40 % each, and an exposure is zero.
        let (n, periods) = (9, if seed % 2 == 0 { 6 } else { 30 });
        let returns = dense(&normal(periods, n, &mut random));
        let sector = |k: usize| (0..n).map(|j| f64::from(u8::from(j / 3 == k))).collect::<Vec<f64>>();
        let exposure: Vec<f64> = (0..n).map(|j| if j % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let all = rows(
            vec![sector(0), sector(1), sector(2), exposure],
            vec![f64::NEG_INFINITY, 0.1, 0.0, 0.0],
            vec![0.4, 0.4, f64::INFINITY, 0.0],
        );
        let problem = CriticalLine::from_returns(&returns, vec![0.0; n], vec![1.0; n]).unwrap().with_rows(all).unwrap();
        let qp = problem.qp().unwrap();
        assert_eq!(check(&qp, &[0.0], &[5.0], &Start::Anywhere, &Options::default()), [], "seed {seed}");
        let path = problem.path(&Settings::default()).unwrap();
        for t in [0.0, 0.3, 2.0, 1e6] {
            let w = problem.at(&path, t).unwrap().weights;
            assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((0..2).all(|k| w[3 * k..3 * k + 3].iter().sum::<f64>() <= 0.4 + 1e-12));
            assert!(w.iter().step_by(2).sum::<f64>() - w.iter().skip(1).step_by(2).sum::<f64>() < 1e-12);
        }
        // The largest Sharpe ratio is no smaller than that of any portfolio of the path.
        let best = problem.max_sharpe(&path, 0.0);
        if let Some(ratio) = best.ratio {
            for k in 0..200 {
                let portfolio = problem.at(&path, f64::from(k) / 40.0).unwrap();
                assert!(portfolio.sharpe(0.0) <= ratio + 1e-9, "seed {seed}");
            }
        }
    }
}

#[test]
fn coefficients_with_a_sum_of_zero_agree_with_an_interior_point_solver() {
    for seed in 1..=10 {
        let mut random = Random(seed);
        let (n, d) = if seed % 3 == 0 { (8, 12) } else { (25, 7) };
        let x = normal(n, d, &mut random);
        let y: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let order: Vec<f64> = (0..d).map(|j| [1.0, -1.0].get(j).copied().unwrap_or(0.0)).collect();
        let both = rows(vec![vec![1.0; d], order], vec![0.0, f64::NEG_INFINITY], vec![0.0, 0.05]);
        let lasso = Lasso::new(&dense(&x), y, seed % 2 == 0, 0.0).unwrap().with_rows(both).unwrap();
        let (qp, largest) = (lasso.qp().unwrap(), lasso.largest_alpha());
        let options = Options { points: 25, ..Options::default() };
        assert_eq!(check(&qp, &[largest], &[1e-3 * largest], &Start::Anywhere, &options), [], "seed {seed}");
        let path = lasso.path(1e-3 * largest, &Settings::default()).unwrap();
        for part in [1.0, 0.5, 0.1, 0.01] {
            let w = lasso.at(&path, part * largest).unwrap().coefficients;
            assert!(w.iter().sum::<f64>().abs() < 1e-12 && w[0] - w[1] < 0.05 + 1e-12, "{w:?}");
        }
        assert!(lasso.at(&path, largest).unwrap().coefficients.iter().all(|w| w.abs() < 1e-12));
    }
}

#[test]
fn tables_that_are_no_rows_are_refused_by_line_and_column() {
    let read = |text: &str| {
        let mut spec = Spec::new("lasso");
        Constraints::read(&mut spec, "rows", text).map(|()| Constraints::of(&spec).unwrap().unwrap())
    };
    let good = read("a,lower,b,upper\n1,0.5,-2,\n3,,4,1\n5,2,6,2\n").unwrap();
    assert_eq!(good.rows, [[1.0, -2.0], [3.0, 4.0], [5.0, 6.0]]);
    assert_eq!((good.lower, good.upper), (vec![0.5, f64::NEG_INFINITY, 2.0], vec![f64::INFINITY, 1.0, 2.0]));
    assert_eq!(good.names.unwrap(), ["a", "b"]);
    for (text, words) in [
        ("a,b\n1,2\n", "line 1: no column is called lower or upper"),
        ("a,upper\n1,2\n1,2,3\n", "line 3: another number of cells"),
        ("a,upper\nx,2\n", "line 2, column 'a': 'x' where a finite number is needed"),
        ("a,lower,upper\n1,2,\n1,,\n", "line 3: neither lower nor upper"),
        ("a,lower,upper\n1,2,1\n", "line 2: lower 2 is above upper 1"),
        ("a,upper\n1,many\n", "line 2, column 'upper': 'many'"),
    ] {
        let found = read(text).err().unwrap_or_else(|| panic!("{text}")).to_string();
        assert!(found.contains(words), "{text}: {found}");
    }
}
