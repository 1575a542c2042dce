//! Equivalent problems, whose paths must have the same breakpoints and objectives.
//!
//! Each entry x̃ⱼ of the equivalent problem stands for a part of one entry of the given one, xᵢ = Σ sⱼx̃ⱼ over the j with iⱼ = i: H̃ⱼₖ = sⱼsₖHᵢⱼᵢₖ, c̃ⱼ =
//! sⱼcᵢⱼ, ãⱼ = sⱼaᵢⱼ, and the bounds are divided by sⱼ and by the number of parts. With one part each the variables are in another order or in other units;
//! with two parts each the problem has every variable twice, with half the bounds, and a singular H.

use super::{Finding, Options, Which, compare, followed, terms};
use crate::certificate::Certificate;
use crate::error::ProblemError;
use crate::hessian::{Gram, Hessian, Rows, semidefinite};
use crate::path::{Path, Start, trace};
use crate::problem::{Bounds, Line, ParametricQp};
use crate::testing::Random;
use std::sync::Arc;

/// Every difference between the path from one point of Θ to another (p entries each) and the paths of three equivalent problems: with the variables in another
/// order, in other units (powers of two from 2⁻ᵏ to 2ᵏ with k = `units`), and with every variable twice at half the bounds.
pub fn check_alike(qp: &ParametricQp<f64>, from: &[f64], to: &[f64], units: u8, options: &Options) -> Vec<Finding> {
    let (line, path) = match followed(qp, from, to, (&Start::Anywhere, Which::Forwards), options) {
        Ok(found) => found,
        Err(finding) => return vec![finding],
    };
    let (n, mut random) = (line.n(), Random(options.seed));
    let order = random.order(n).into_iter().map(|i| (i, 1.0)).collect();
    let unit = |i: usize, random: &mut Random| {
        let exponent = random.below(2 * usize::from(units) + 1) as i32 - i32::from(units);
        (i, 2f64.powi(exponent))
    };
    let units = (0..n).map(|i| unit(i, &mut random)).collect();
    let twice = (0..2 * n).map(|j| (j % n, 1.0)).collect();
    let differences = |which: Which, parts: Vec<(usize, f64)>, count: f64| match alike(&line, &parts, count) {
        Ok(other) => differ((&path, &line), &other, which, options),
        Err(error) => vec![Finding::Problem(error)],
    };
    let mut found = differences(Which::Permuted, order, 1.0);
    found.extend(differences(Which::Scaled, units, 1.0));
    found.extend(differences(Which::Duplicated, twice, 2.0));
    found
}

/// The other problem: `parts` has (iⱼ, sⱼ), and every variable as many of them.
fn alike(line: &Line<f64>, parts: &[(usize, f64)], count: f64) -> Result<Line<f64>, ProblemError> {
    let given = line.hessian.row_factor().filter(|_| !line.hessian.is_given_by_entries());
    let hessian: Arc<dyn Hessian<f64>> = match given {
        Some(gram) => {
            let columns = gram.columns();
            let mut values = vec![0.0; parts.len() * columns];
            for (row, (i, s)) in values.chunks_mut(columns.max(1)).zip(parts) {
                gram.for_row(*i, |k, z| row[k] = s * z);
            }
            Arc::new(Gram::new(parts.len(), Rows::Dense { columns, values }, *gram.scale())?)
        }
        None => {
            let rows = super::entries(line);
            let entry = |(i, s): &(usize, f64), (k, r): &(usize, f64)| s * r * rows[*i][*k];
            semidefinite(parts.iter().map(|j| parts.iter().map(|k| entry(j, k)).collect()).collect())?
        }
    };
    let times = |v: &[f64]| parts.iter().filter_map(|(i, s)| v.get(*i).map(|v| s * v)).collect::<Vec<f64>>();
    let bounds = |v: &[Option<[f64; 2]>]| {
        let part = |(i, s): &(usize, f64)| v.get(*i).copied().flatten().map(|bound| bound.map(|b| b / (s * count)));
        parts.iter().map(part).collect::<Vec<_>>()
    };
    Ok(Line {
        hessian,
        c0: times(&line.c0),
        c1: times(&line.c1),
        a: times(&line.a),
        bounds: Bounds { lower: bounds(&line.bounds.lower), upper: bounds(&line.bounds.upper) },
        ..line.clone()
    })
}

/// Breakpoints that one of the two has alone, and objectives that differ.
fn differ((path, line): (&Path<f64>, &Line<f64>), other: &Line<f64>, which: Which, options: &Options) -> Vec<Finding> {
    let found = match trace(other, &Start::Anywhere, &options.settings, &mut ()) {
        Ok(found) => found,
        Err(failure) => return vec![Finding::Path { error: failure.0, on: which }],
    };
    if found.is_complete() != path.is_complete() {
        return vec![Finding::Stopped { stop: found.stop().cloned(), on: which }];
    }
    let mut findings = compare(path, (&found.breakpoints(), which), options);
    let mut random = Random(options.seed);
    for t in (0..options.points).map(|_| random.between(*path.begin(), *path.end())) {
        let (Some(a), Some(b)) = (path.at(&t), found.at(&t)) else { continue };
        let ours = Certificate::of(line, &a).objective;
        let theirs = Certificate::of(other, &b).objective;
        let [size, noise] = terms(line, t, &a.x);
        if (ours - theirs).abs() > options.objective * size + noise {
            findings.push(Finding::Unlike { theta: line.parameter(&t), path: ours, other: theirs, on: which });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hessian::Dense;
    use crate::problem::{Affine, Range};

    fn problem() -> ParametricQp<f64> {
        let h = Arc::new(Dense::new(vec![vec![2.0, 1.0, 0.0], vec![1.0, 2.0, 0.5], vec![0.0, 0.5, 1.0]]).unwrap());
        let cost = Affine::line(vec![0.5, 0.0, -1.0], vec![-1.0, -2.0, 1.0]);
        ParametricQp::new(h, vec![Range::new(0.0, 4.0)], cost)
            .and_then(|qp| qp.lower(Affine::constant(vec![0.0; 3], 1)))
            .and_then(|qp| qp.upper(Affine::constant(vec![1.0, 0.75, 2.0], 1)))
            .and_then(|qp| qp.equality(vec![1.0, 1.0, -1.0], Affine::constant(vec![0.25], 1)))
            .unwrap()
    }

    #[test]
    fn problems_that_mean_the_same_have_the_same_path() {
        assert_eq!(check_alike(&problem(), &[0.0], &[4.0], 10, &Options::default()), []);
    }

    #[test]
    fn another_problem_is_found_out() {
        let line = problem().line(&[0.0], &[4.0]).unwrap();
        let path = trace(&line, &Start::Anywhere, &Options::default().settings, &mut ()).unwrap();
        let parts: Vec<(usize, f64)> = (0..3).map(|i| (i, 1.0)).collect();
        // Half the bounds without the second half of every variable.
        let other = alike(&line, &parts, 2.0).unwrap();
        assert!(!differ((&path, &line), &other, Which::Duplicated, &Options::default()).is_empty());
    }
}
