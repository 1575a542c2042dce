//! Checks of critical regions in any number of parameters.

use super::{Finding, LinearAnswer, Options, judge, solve, solve_linear};
use crate::problem::ParametricQp;
use crate::regions::{self, Regions, RegionsError};

/// Everything wrong with the critical regions of a problem on its domain: parts of random lines that no cell and no proof covers, or more than one cell; and at
/// random points the certificate, the objective compared with that of Clarabel, and solutions of Clarabel where there should be none.
pub fn check_regions(qp: &ParametricQp<f64>, options: &Options) -> Vec<Finding> {
    let settings = regions::Options { settings: options.settings.clone(), ..regions::Options::default() };
    match regions::explore(qp, &settings) {
        Ok(found) => check_found_regions(qp, &found, options),
        Err(error) => vec![Finding::Complex(error.to_string())],
    }
}

/// The same checks for regions that were found before.
pub fn check_found_regions(qp: &ParametricQp<f64>, found: &Regions, options: &Options) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !found.is_complete() {
        findings.push(Finding::Complex("the exploration did not come to its end".into()));
    }
    for gap in found.gaps(options.points, options.seed) {
        let text = format!("a stretch of {:e} around {:?} is in the cells {:?}", gap.length, gap.at, gap.cells);
        findings.push(Finding::Complex(text));
    }
    for number in 0..options.points {
        let theta = found.random_point(options.seed, number);
        let line = qp.line_between(&theta, &theta);
        match found.at(qp, &theta) {
            Ok(point) => findings.extend(judge(&line, 0.0, &point.as_point(qp), options)),
            Err(RegionsError::NoSolution { .. }) => {
                let linear = solve_linear(&line, 0.0);
                if let (Some(found), LinearAnswer::Optimal(_)) = (solve(&line, 0.0), linear) {
                    findings.push(Finding::Complex(format!("at {theta:?} there is a solution: {found:?}")));
                }
            }
            Err(error) => findings.push(Finding::Complex(error.to_string())),
        }
    }
    findings
}
