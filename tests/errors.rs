//! Bad questions and bad starts: every error that input can cause, with the values it carries; limits and observers.

use crate::common::exact;
use pathqp::hessian::{Dense, Gram, Kernel, KernelFunction, Rows, Signed};
use pathqp::path::Start;
use pathqp::{Affine, Hessian, ParametricQp, PathError, ProblemError, Range, Settings, Status, trace};
use std::sync::Arc;

fn identity(n: usize) -> Arc<dyn Hessian<f64>> {
    let rows = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    Arc::new(Dense::new(rows).unwrap())
}

fn line_of(constant: &[f64], slope: &[f64]) -> Affine<f64> {
    Affine::line(constant.to_vec(), slope.to_vec())
}

/// min ½‖x‖² + cᵀx on θ ∈ [0, 2], two variables.
fn plain() -> ParametricQp<f64> {
    ParametricQp::new(identity(2), vec![Range::new(0.0, 2.0)], line_of(&[-1.0, 1.0], &[1.0, 0.0])).unwrap()
}

fn boxed() -> ParametricQp<f64> {
    plain().lower(line_of(&[0.0; 2], &[0.0; 2])).and_then(|qp| qp.upper(line_of(&[1.0; 2], &[0.0; 2]))).unwrap()
}

fn error<T>(result: Result<T, ProblemError>) -> ProblemError {
    result.err().expect("an error")
}

fn not_finite(what: &'static str, index: usize, parameter: Option<usize>, value: &str) -> ProblemError {
    ProblemError::NotFinite { what, index, parameter, value: value.into() }
}

#[test]
fn empty_problems() {
    let nothing: Arc<dyn Hessian<f64>> = Arc::new(Dense::new(vec![]).unwrap());
    let result = ParametricQp::new(nothing, vec![Range::new(0.0, 1.0)], line_of(&[], &[]));
    assert_eq!(error(result), ProblemError::Empty { variables: 0, parameters: 1 });
    let result = ParametricQp::new(identity(2), vec![], Affine { constant: vec![0.0; 2], slopes: vec![] });
    assert_eq!(error(result), ProblemError::Empty { variables: 2, parameters: 0 });
}

#[test]
fn domains_that_are_not_intervals() {
    let new = |range| {
        let c = Affine::constant(vec![0.0], 2);
        error(ParametricQp::new(identity(1), vec![Range::new(0.0, 1.0), range], c))
    };
    for range in [Range::new(0.0, f64::INFINITY), Range::new(f64::NAN, 1.0), Range::at_least(f64::NEG_INFINITY)] {
        assert_eq!(new(range), ProblemError::Domain { parameter: 1 });
    }
    let reversed =
        |from: &str, to: &str, parameter| ProblemError::Reversed { parameter, from: from.into(), to: to.into() };
    assert_eq!(new(Range::new(1.0, 0.0)), reversed("1", "0", 1));
    // A part of Θ = [0, 2].
    let within = |range| error(plain().within(vec![range]));
    let outside = |value: &str| ProblemError::OutsideDomain { parameter: 0, value: value.into() };
    assert_eq!(within(Range::new(1.0, 0.5)), reversed("1", "0.5", 0));
    assert_eq!(within(Range::new(f64::NAN, 0.5)), ProblemError::Domain { parameter: 0 });
    assert_eq!(within(Range::new(-1.0, 0.5)), outside("-1"));
    assert_eq!(within(Range::new(1.0, 2.5)), outside("2.5"));
    assert_eq!(within(Range::at_least(1.0)), outside("∞"));
    assert_eq!(within(Range { from: None, to: Some(1.0) }), outside("−∞"));
    assert_eq!(error(plain().within(vec![])), ProblemError::Shape { what: "domain", expected: 1, found: 0 });
    assert!(plain().within(vec![Range::new(0.5, 0.5)]).is_ok());
}

#[test]
fn messages_are_sentences_about_the_user_s_numbers() {
    let says = |error: &dyn std::fmt::Display, text: &str| assert_eq!(error.to_string(), text);
    says(&not_finite("c", 1, None, "NaN"), "c[1] is NaN: it must be a finite number");
    says(&not_finite("c", 1, Some(0), "inf"), "c[1] is inf in the slope of parameter 0: it must be a finite number");
    let rows = |first, scale| error(Gram::new(1, Rows::Dense { columns: 1, values: vec![first] }, scale));
    says(&rows(1e200, 1.0), "the squared length of row 0 of Z is inf: it must be a finite number");
    says(&rows(1.0, -1.0), "the scale of H is -1: it must be a positive number");
    says(
        &error(plain().within(vec![Range::new(1.0, 0.5)])),
        "the range of parameter 0 begins at 1, above its end 0.5: exchange the two",
    );
    let corner = vec!["0".to_string(), "∞".to_string()];
    let crossed = ProblemError::CrossedBounds { index: 3, corner };
    says(&crossed, "the bounds of variable 3 cross: l > u at θ = (0, ∞); shrink the domain or correct the bounds");
    // x₀ ≥ 0 has no upper bound, x₁ no lower one.
    let qp = plain().lower(line_of(&[0.0, f64::NEG_INFINITY], &[0.0; 2])).unwrap();
    let line = qp.line(&[0.0], &[1.0]).unwrap();
    for (status, index, bound) in [([Status::Upper, Status::Free], 0, "upper"), ([Status::Lower; 2], 1, "lower")] {
        let start = Start::ActiveSet { status: status.to_vec(), y: None };
        let error = trace(&line, &start, &Settings::default(), &mut ()).unwrap_err().0;
        assert_eq!(error, PathError::StartWithoutBound { index, status: status[index] });
        says(
            &error,
            &format!("the start is not feasible: variable {index} is said to be at its {bound} bound, but has none"),
        );
    }
}

#[test]
fn the_multiplier_of_a_start_is_a_hint() {
    // At (1, 1) on x₀ + x₁ = 2 both are at their upper bounds: z = x + c − y·1 = (−y, 2 − y) ≤ 0 leaves y ≥ 2.
    let qp = boxed().equality(vec![1.0; 2], line_of(&[2.0], &[-1.0])).unwrap();
    let line = qp.line(&[0.0], &[1.0]).unwrap();
    let from = |y| {
        let start = Start::ActiveSet { status: vec![Status::Upper; 2], y };
        trace(&line, &start, &Settings::default(), &mut ()).map_err(|failure| failure.0)
    };
    let breakpoints = from(None).unwrap().breakpoints();
    for hint in [-1e9, 0.0, 2.0, 5.0, 1e9] {
        let path = from(Some(hint)).unwrap();
        assert_eq!(path.breakpoints(), breakpoints, "{hint}");
        // Beyond the start Σx = 2 − t makes x₁ free: y = x₁ + c₁ = 1 − t + 1, until t = 1.
        assert_eq!(path.at(&0.5).unwrap().x, [1.0, 0.5]);
        assert_eq!(path.at(&0.5).unwrap().y, 1.5);
    }
    for (bad, text) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        assert_eq!(from(Some(bad)).unwrap_err(), PathError::Problem(not_finite("y", 0, None, text)));
    }
}

#[test]
fn linear_terms_of_the_wrong_shape_or_value() {
    let new = |c: Affine<f64>| error(ParametricQp::new(identity(2), vec![Range::new(0.0, 1.0)], c));
    assert_eq!(new(line_of(&[0.0], &[0.0])), ProblemError::Shape { what: "c", expected: 2, found: 1 });
    assert_eq!(new(line_of(&[0.0; 2], &[0.0; 3])), ProblemError::Shape { what: "c", expected: 2, found: 3 });
    let two = Affine { constant: vec![0.0; 2], slopes: vec![vec![0.0; 2]; 2] };
    assert_eq!(new(two), ProblemError::Parameters { what: "c", expected: 1, found: 2 });
    assert_eq!(new(line_of(&[0.0, f64::NAN], &[0.0; 2])), not_finite("c", 1, None, "NaN"));
    assert_eq!(new(line_of(&[f64::INFINITY, 0.0], &[0.0; 2])), not_finite("c", 0, None, "inf"));
    assert_eq!(new(line_of(&[0.0; 2], &[0.0, f64::NAN])), not_finite("c", 1, Some(0), "NaN"));
}

#[test]
fn bounds_of_the_wrong_shape_or_value() {
    let lower = |l: Affine<f64>| error(plain().lower(l));
    let upper = |u: Affine<f64>| error(plain().upper(u));
    assert_eq!(lower(line_of(&[0.0; 3], &[0.0; 3])), ProblemError::Shape { what: "l", expected: 2, found: 3 });
    assert_eq!(upper(line_of(&[0.0; 2], &[0.0])), ProblemError::Shape { what: "u", expected: 2, found: 1 });
    let none = Affine { constant: vec![0.0; 2], slopes: vec![] };
    assert_eq!(lower(none), ProblemError::Parameters { what: "l", expected: 1, found: 0 });
    assert_eq!(lower(line_of(&[0.0, f64::NAN], &[0.0; 2])), not_finite("l", 1, None, "NaN"));
    assert_eq!(lower(line_of(&[f64::INFINITY, 0.0], &[0.0; 2])), not_finite("l", 0, None, "inf"));
    assert_eq!(upper(line_of(&[0.0, f64::NEG_INFINITY], &[0.0; 2])), not_finite("u", 1, None, "-inf"));
    assert_eq!(upper(line_of(&[0.0; 2], &[f64::INFINITY, 0.0])), not_finite("u", 0, Some(0), "inf"));
    // Infinities on the right side leave the variable without that bound.
    let infinite = plain().lower(line_of(&[f64::NEG_INFINITY, 0.0], &[0.0; 2])).unwrap();
    let line = infinite.line(&[0.0], &[1.0]).unwrap();
    assert_eq!(line.bounds.lower, [None, Some([0.0, 0.0])]);
}

#[test]
fn bounds_that_cross_name_the_corner() {
    let crossed = |index, corner: &[&str]| ProblemError::CrossedBounds {
        index,
        corner: corner.iter().map(ToString::to_string).collect(),
    };
    // u₁ = 3 − 2θ < 0 = l₁ from θ = 1.5 on, worst at the upper end of [0, 2].
    let qp = plain().lower(line_of(&[0.0; 2], &[0.0; 2])).unwrap();
    assert_eq!(error(qp.upper(line_of(&[1.0, 3.0], &[0.0, -2.0]))), crossed(1, &["2"]));
    // l₀ = 1 − θ > ½ at the lower end.
    let qp = plain().upper(line_of(&[0.5, 0.5], &[0.0; 2])).unwrap();
    assert_eq!(error(qp.lower(line_of(&[1.0, 0.0], &[-1.0, 0.0]))), crossed(0, &["0"]));
    // Two parameters: the corner that makes −1 + θ₀ − θ₁ smallest on [0, 1] × [0, 2].
    let domain = vec![Range::new(0.0, 1.0), Range::new(0.0, 2.0)];
    let u = Affine { constant: vec![-1.0], slopes: vec![vec![1.0], vec![-1.0]] };
    let qp = ParametricQp::new(identity(1), domain, Affine::constant(vec![0.0], 2)).unwrap();
    let qp = qp.lower(Affine::constant(vec![0.0], 2)).unwrap();
    assert_eq!(error(qp.upper(u)), crossed(0, &["0", "2"]));
    // Without an upper end the width falls for ever.
    let qp = ParametricQp::new(identity(1), vec![Range::at_least(0.0)], line_of(&[0.0], &[0.0])).unwrap();
    let qp = qp.lower(line_of(&[0.0], &[0.0])).unwrap();
    assert_eq!(error(qp.upper(line_of(&[5.0], &[-0.1]))), crossed(0, &["∞"]));
    // A box of no width is not crossed.
    let qp = plain().lower(line_of(&[0.1; 2], &[0.3; 2])).unwrap();
    assert!(qp.upper(line_of(&[0.1; 2], &[0.3; 2])).is_ok());
}

#[test]
fn equality_rows() {
    let with = |a: &[f64], b: Affine<f64>| error(boxed().equality(a.to_vec(), b));
    let b = || line_of(&[1.0], &[0.0]);
    assert_eq!(with(&[0.0; 2], b()), ProblemError::ZeroRow);
    assert_eq!(with(&[1.0; 3], b()), ProblemError::Shape { what: "A", expected: 2, found: 3 });
    assert_eq!(with(&[1.0, f64::NAN], b()), not_finite("A", 1, None, "NaN"));
    assert_eq!(
        with(&[1.0; 2], line_of(&[1.0; 2], &[0.0; 2])),
        ProblemError::Shape { what: "b", expected: 1, found: 2 }
    );
    assert_eq!(with(&[1.0; 2], line_of(&[1.0], &[f64::INFINITY])), not_finite("b", 0, Some(0), "inf"));
    assert_eq!(with(&[1.0; 2], line_of(&[f64::NEG_INFINITY], &[0.0])), not_finite("b", 0, None, "-inf"));
    let one = boxed().equality(vec![1.0; 2], b()).unwrap();
    assert_eq!(error(one.equality(vec![1.0, 0.0], b())), ProblemError::SecondRow);
}

#[test]
fn dense_hessians() {
    let new = |rows: &[&[f64]]| error(Dense::new(rows.iter().map(|r| r.to_vec()).collect()));
    assert_eq!(new(&[&[1.0, 0.0], &[0.0]]), ProblemError::Shape { what: "a row of H", expected: 2, found: 1 });
    assert_eq!(new(&[&[1.0, f64::NAN], &[0.0, 1.0]]), not_finite("H", 1, None, "NaN"));
    let asymmetric = ProblemError::Asymmetric { row: 1, column: 0, difference: "0.5".into() };
    assert_eq!(new(&[&[1.0, 0.25], &[0.75, 1.0]]), asymmetric);
    // d = (1, −1)/…: dᵀHd = h₁₁ − h₀₁²/h₀₀ < 0 for the direction that is returned.
    let h = [[4.0, 6.0, 0.0], [6.0, 8.0, 0.0], [0.0, 0.0, 1.0]];
    let ProblemError::Indefinite { direction, curvature } = new(&[&h[0], &h[1], &h[2]]) else { panic!() };
    let d: Vec<(usize, f64)> = direction.iter().map(|(i, v)| (*i, v.parse().unwrap())).collect();
    let value: f64 = d.iter().flat_map(|a| d.iter().map(move |b| a.1 * b.1 * h[a.0][b.0])).sum();
    assert!(value < 0.0 && (value - curvature.parse::<f64>().unwrap()).abs() < 1e-14 * value.abs().max(1.0));
    assert!(matches!(new(&[&[-1.0]]), ProblemError::Indefinite { .. }));
    let exact_rows = vec![vec![exact(0, 1), exact(1, 3)], vec![exact(1, 3), exact(5, 1)]];
    assert!(matches!(error(Dense::new(exact_rows)), ProblemError::Indefinite { .. }));
}

#[test]
fn gram_rows() {
    let dense = |values: &[f64], scale| error(Gram::new(2, Rows::Dense { columns: 2, values: values.to_vec() }, scale));
    assert_eq!(dense(&[1.0; 3], 1.0), ProblemError::Shape { what: "Z", expected: 4, found: 3 });
    let length = |row, value: &str| ProblemError::Length { row, value: value.into() };
    assert_eq!(dense(&[1.0, 1.0, f64::NAN, 1.0], 1.0), length(1, "NaN"));
    assert_eq!(dense(&[1e200, 1.0, 1.0, 1.0], 1.0), length(0, "inf"));
    assert_eq!(dense(&[1.0; 4], 0.0), ProblemError::Scale { value: "0".into() });
    assert_eq!(dense(&[1.0; 4], -1.0), ProblemError::Scale { value: "-1".into() });
    let sparse = |starts: &[usize], indices: &[u32]| {
        let values = vec![1.0; indices.len()];
        let rows = Rows::Sparse { columns: 2, starts: starts.to_vec(), indices: indices.to_vec(), values };
        error(Gram::new(2, rows, 1.0))
    };
    assert!(matches!(sparse(&[0, 1], &[0]), ProblemError::Shape { expected: 3, found: 2, .. }));
    assert_eq!(sparse(&[0, 1, 2], &[0, 2]), ProblemError::Shape { what: "a row of Z", expected: 2, found: 3 });
    assert!(matches!(sparse(&[0, 1, 5], &[0, 1]), ProblemError::Shape { .. }));
}

/// A kernel with a negative entry on its diagonal.
struct Broken(f64);

impl KernelFunction for Broken {
    fn dim(&self) -> usize {
        2
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        if i != j {
            0.0
        } else if i == 1 {
            self.0
        } else {
            1.0
        }
    }
}

#[test]
fn diagonals_and_signed_rows() {
    for (value, text) in [(-0.5, "-0.5"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let kernel = Arc::new(Kernel::new(Broken(value), 1000));
        let result = ParametricQp::new(kernel, vec![Range::new(0.0, 1.0)], line_of(&[0.0; 2], &[0.0; 2]));
        assert_eq!(error(result), ProblemError::Diagonal { index: 1, value: text.into() });
    }
    let result = Signed::new(identity(2), vec![(0, 1.0), (2, -1.0)]);
    assert!(matches!(error(result), ProblemError::NotFinite { what: "signed rows", index: 1, .. }));
    let result = Signed::new(identity(2), vec![(0, f64::NAN)]);
    assert!(matches!(error(result), ProblemError::NotFinite { what: "signed rows", index: 0, .. }));
}

/// A kernel that is not semidefinite is found out when its free set meets the negative direction.
struct Indefinite;

impl KernelFunction for Indefinite {
    fn dim(&self) -> usize {
        2
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        if i == j { 1.0 } else { 2.0 }
    }
}

#[test]
fn an_indefinite_kernel_is_refused_on_the_way() {
    let kernel = Arc::new(Kernel::new(Indefinite, 1000));
    // With x₁ = 0 and x₀ = 1: z₁ = 2x₀ + c₁ = 2 − 4θ reaches zero at θ = ½.
    let qp = ParametricQp::new(kernel, vec![Range::new(0.0, 1.0)], line_of(&[-1.0, 0.0], &[0.0, -4.0]))
        .and_then(|qp| qp.lower(line_of(&[0.0; 2], &[0.0; 2])))
        .and_then(|qp| qp.upper(line_of(&[10.0; 2], &[0.0; 2])))
        .unwrap();
    let line = qp.line(&[0.0], &[1.0]).unwrap();
    let failure = trace(&line, &Start::Guess(vec![1.0, 0.0]), &Settings::default(), &mut ()).unwrap_err();
    let path = failure.1.as_ref().expect("the path so far");
    assert_eq!(path.end(), &0.5);
    assert_eq!(path.at(&0.25).unwrap().x, [1.0, 0.0]);
    let PathError::Problem(ProblemError::Indefinite { direction, curvature }) = failure.0 else {
        panic!("{failure:?}")
    };
    let d: Vec<(usize, f64)> = direction.iter().map(|(i, v)| (*i, v.parse().unwrap())).collect();
    let entry = |i: usize, j: usize| if i == j { 1.0 } else { 2.0 };
    let value: f64 = d.iter().flat_map(|a| d.iter().map(move |b| a.1 * b.1 * entry(a.0, b.0))).sum();
    assert!(value < 0.0, "{d:?}, {curvature}");
}

#[test]
fn points_outside_the_domain() {
    let qp = boxed();
    let outside = |parameter, value: &str| ProblemError::OutsideDomain { parameter, value: value.into() };
    assert_eq!(error(qp.line(&[-0.5], &[1.0])), outside(0, "-0.5"));
    assert_eq!(error(qp.line(&[0.0], &[2.5])), outside(0, "2.5"));
    assert_eq!(error(qp.line(&[0.0], &[f64::NAN])), outside(0, "NaN"));
    assert_eq!(error(qp.line(&[0.0, 1.0], &[1.0])), ProblemError::Shape { what: "θ", expected: 1, found: 2 });
    assert_eq!(error(qp.line(&[0.0], &[])), ProblemError::Shape { what: "θ", expected: 1, found: 0 });
    // A ray must stay in Θ for ever.
    assert!(matches!(error(qp.ray(&[0.0], &[1.0])), ProblemError::OutsideDomain { parameter: 0, .. }));
    let endless = ParametricQp::new(identity(1), vec![Range::at_least(0.0)], line_of(&[0.0], &[0.0])).unwrap();
    assert!(matches!(error(endless.ray(&[0.0], &[-1.0])), ProblemError::OutsideDomain { parameter: 0, .. }));
    assert!(matches!(error(endless.ray(&[0.0], &[f64::NAN])), ProblemError::OutsideDomain { parameter: 0, .. }));
    let shape = ProblemError::Shape { what: "direction", expected: 1, found: 2 };
    assert_eq!(error(endless.ray(&[0.0], &[1.0, 0.0])), shape);
    assert_eq!(error(endless.ray(&[0.0], &[])), ProblemError::Shape { what: "direction", expected: 1, found: 0 });
    assert!(endless.ray(&[0.0], &[1.0]).is_ok());
}
