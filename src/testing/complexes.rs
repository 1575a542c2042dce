//! Checks of complexes of critical regions in two parameters.

use super::{Finding, Options, Random, judge};
use crate::complex::{self, Complex, ComplexError};
use crate::problem::{ParametricQp, Range};

/// Everything wrong with the critical regions of a problem with two parameters on a rectangle (`domain`: both ends of both ranges): the violations of the
/// complex, and at random points the certificate, and the objective compared with that of Clarabel.
pub fn check_complex(qp: &ParametricQp<f64>, domain: [[f64; 2]; 2], options: &Options) -> Vec<Finding> {
    let ranges = domain.map(|[from, to]| Range::new(from, to)).to_vec();
    let qp = match qp.clone().within(ranges) {
        Ok(qp) => qp,
        Err(error) => return vec![Finding::Problem(error)],
    };
    let settings = complex::Options { settings: options.settings.clone(), ..complex::Options::default() };
    let complex = match complex::explore(&qp, &settings) {
        Ok(complex) => complex,
        Err(error) => return vec![Finding::Complex(error.to_string())],
    };
    let mut findings: Vec<Finding> = complex.validate().iter().map(|v| Finding::Complex(v.to_string())).collect();
    let mut random = Random(options.seed);
    for _ in 0..options.points {
        let theta = domain.map(|[from, to]| random.between(from, to));
        findings.extend(
            at(&qp, &complex, theta, options).unwrap_or_else(|error| vec![Finding::Complex(error.to_string())]),
        );
    }
    findings
}

/// The certificate and the objective at one point.
fn at(
    qp: &ParametricQp<f64>,
    complex: &Complex<f64>,
    theta: [f64; 2],
    options: &Options,
) -> Result<Vec<Finding>, ComplexError> {
    let point = complex.at(qp, &theta)?.as_point();
    let line = match qp.line(&theta, &theta) {
        Ok(line) => line,
        Err(error) => return Ok(vec![Finding::Problem(error)]),
    };
    Ok(judge(&line, 0.0, &point, options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hessian::Dense;
    use crate::problem::Affine;
    use std::sync::Arc;

    #[test]
    fn the_projection_of_a_point_of_the_plane_onto_a_square() {
        let h = Arc::new(Dense::new(vec![vec![1.0, 0.0], vec![0.0, 1.0]]).unwrap());
        let cost = Affine { constant: vec![0.0; 2], slopes: vec![vec![-1.0, -0.5], vec![0.25, -1.0]] };
        let qp = ParametricQp::new(h, vec![Range::new(-3.0, 3.0); 2], cost)
            .and_then(|qp| qp.lower(Affine::constant(vec![0.0; 2], 2)))
            .and_then(|qp| qp.upper(Affine::constant(vec![1.0; 2], 2)))
            .unwrap();
        assert_eq!(check_complex(&qp, [[-2.0, 2.5], [-3.0, 2.0]], &Options::default()), []);
        assert!(matches!(
            check_complex(&qp, [[-4.0, 2.5], [-3.0, 2.0]], &Options::default())[..],
            [Finding::Problem(_)]
        ));
    }
}
