//! What the integration tests share: problems as integer literals ([`Raw`]), checks written from the definition
//! ([`kkt`]), enumeration for small problems ([`brute`]) and an interior-point reference ([`interior`]); branches of
//! envelopes ([`branches`]).
//!
//! Nothing here uses the engine's own certificate: z, the fit and the intervals of y are computed from the data.
#![allow(dead_code)]

pub mod branches;
pub mod brute;
pub mod instances;
pub mod interior;
pub mod kkt;
pub mod strategy;

use pathqp::hessian::{Dense, Gram, Rows};
use pathqp::path::{Follower, Path, Start, Stop};
use pathqp::{Affine, Exact, Hessian, Line, ParametricQp, PathError, ProblemError, Range, Scalar, Settings};
use std::sync::Arc;

/// The lasso of a response on d columns of n entries, normal numbers or in {−1, 0, 1}, from where all coefficients are zero down to no penalty: signed copies of each column.
pub fn wide_lasso(n: usize, d: usize, integers: bool, seed: u64) -> Line<f64> {
    let mut random = pathqp::testing::Random(seed);
    let mut entry = || if integers { random.integer(1) } else { random.normal() };
    let columns: Vec<f64> = (0..n * d).map(|_| entry()).collect();
    let y: Vec<f64> = (0..n).map(|_| entry()).collect();
    let values: Vec<f64> = columns.iter().copied().chain(columns.iter().map(|v| -v)).collect();
    let costs: Vec<f64> = values.chunks(n).map(|x| -x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>()).collect();
    let largest = costs.iter().fold(0.0, |m: f64, c| m.max(c.abs()));
    let h = Arc::new(Gram::new(2 * d, Rows::Dense { columns: n, values }, 1.0).unwrap());
    let qp = ParametricQp::new(h, vec![Range::at_least(0.0)], Affine::line(costs, vec![1.0; 2 * d])).unwrap();
    let qp = qp.lower(Affine::constant(vec![0.0; 2 * d], 1)).unwrap();
    qp.line_about(&[0.0], &[largest], &[0.0]).unwrap()
}

/// numerator/denominator in any scalar (correctly rounded in `f64`).
pub fn q<S: Scalar>(numerator: i64, denominator: i64) -> S {
    S::integer(numerator) / S::integer(denominator)
}

/// A problem with one parameter θ ∈ [0, length] in small integers. H = Z Zᵀ; c, l, u and b are given at both ends of
/// the line, counted in 1/`unit`, so that they are affine with rational slopes.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw {
    pub z: Vec<Vec<i64>>,
    pub c: Vec<(i64, i64)>,
    pub lower: Vec<Option<(i64, i64)>>,
    pub upper: Vec<Option<(i64, i64)>>,
    pub row: Option<(Vec<i64>, (i64, i64))>,
    pub unit: i64,
    pub length: i64,
}

/// The same as numbers: every pair is a value at θ = 0 and a slope.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec<S> {
    pub z: Vec<Vec<S>>,
    pub c: Vec<[S; 2]>,
    pub lower: Vec<Option<[S; 2]>>,
    pub upper: Vec<Option<[S; 2]>>,
    pub row: Option<(Vec<S>, [S; 2])>,
    pub from: S,
    pub to: S,
}

impl Raw {
    pub fn n(&self) -> usize {
        self.z.len()
    }

    pub fn spec<S: Scalar>(&self) -> Spec<S> {
        let pair = |&(start, end): &(i64, i64)| [q(start, self.unit), q(end - start, self.unit * self.length)];
        let pairs = |v: &[Option<(i64, i64)>]| v.iter().map(|p| p.as_ref().map(pair)).collect();
        Spec {
            z: self.z.iter().map(|row| row.iter().map(|&v| S::integer(v)).collect()).collect(),
            c: self.c.iter().map(pair).collect(),
            lower: pairs(&self.lower),
            upper: pairs(&self.upper),
            row: self.row.as_ref().map(|(a, b)| (a.iter().map(|&v| S::integer(v)).collect(), pair(b))),
            from: S::zero(),
            to: S::integer(self.length),
        }
    }

    /// The same problem with its variables in the order `order`.
    pub fn permuted(&self, order: &[usize]) -> Raw {
        fn pick<T: Clone>(v: &[T], order: &[usize]) -> Vec<T> {
            order.iter().map(|&i| v[i].clone()).collect()
        }
        Raw {
            z: pick(&self.z, order),
            c: pick(&self.c, order),
            lower: pick(&self.lower, order),
            upper: pick(&self.upper, order),
            row: self.row.as_ref().map(|(a, b)| (pick(a, order), *b)),
            ..self.clone()
        }
    }
}

/// How H is given to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Dense,
    Gram,
    Sparse,
}

impl<S: Scalar> Spec<S> {
    pub fn n(&self) -> usize {
        self.z.len()
    }

    pub fn h(&self, i: usize, j: usize) -> S {
        self.z[i].iter().zip(&self.z[j]).fold(S::zero(), |sum, (a, b)| sum + a.clone() * b)
    }

    pub fn matrix(&self) -> Vec<Vec<S>> {
        (0..self.n()).map(|i| (0..self.n()).map(|j| self.h(i, j)).collect()).collect()
    }

    pub fn hessian(&self, form: Form) -> Arc<dyn Hessian<S>> {
        let columns = self.z.first().map_or(0, Vec::len);
        let rows = match form {
            Form::Dense => return Arc::new(Dense::new(self.matrix()).expect("a Gram matrix is semidefinite")),
            Form::Gram => Rows::Dense { columns, values: self.z.concat() },
            Form::Sparse => {
                let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
                for row in &self.z {
                    for (j, v) in row.iter().enumerate().filter(|(_, v)| !v.is_zero()) {
                        indices.push(j as u32);
                        values.push(v.clone());
                    }
                    starts.push(values.len());
                }
                Rows::Sparse { columns, starts, indices, values }
            }
        };
        Arc::new(Gram::new(self.n(), rows, S::one()).expect("well-formed rows"))
    }

    /// θ between `from` and `to`.
    pub fn domain(&self) -> Range<S> {
        let (from, to) = (self.from.clone(), self.to.clone());
        Range::new(S::smaller(from.clone(), to.clone()), S::larger(from, to))
    }

    pub fn problem(&self, hessian: Arc<dyn Hessian<S>>, domain: Range<S>) -> Result<ParametricQp<S>, ProblemError> {
        let affine = |v: Vec<[S; 2]>| {
            let (constant, slope) = v.into_iter().map(|[v, s]| (v, s)).unzip();
            Affine::line(constant, slope)
        };
        let zero = || [S::zero(), S::zero()];
        let lower = self.lower.iter().map(|l| l.clone().unwrap_or_else(zero)).collect();
        let upper = self.upper.iter().zip(&self.lower);
        let upper = upper.map(|(u, l)| u.clone().or_else(|| l.clone()).unwrap_or_else(zero)).collect();
        let mut qp = ParametricQp::new(hessian, vec![domain], affine(self.c.clone()))?.lower(affine(lower))?;
        for i in (0..self.n()).filter(|&i| self.lower[i].is_none()) {
            qp = qp.without_lower(i);
        }
        qp = qp.upper(affine(upper))?;
        for i in (0..self.n()).filter(|&i| self.upper[i].is_none()) {
            qp = qp.without_upper(i);
        }
        match &self.row {
            Some((a, b)) => qp.equality(a.clone(), affine(vec![b.clone()])),
            None => Ok(qp),
        }
    }

    /// The line from `from` to `to`, or back.
    pub fn line(&self, form: Form, backwards: bool) -> Line<S> {
        let qp = self.problem(self.hessian(form), self.domain()).expect("the problem is well posed");
        let (from, to) = if backwards { (&self.to, &self.from) } else { (&self.from, &self.to) };
        qp.line(std::slice::from_ref(from), std::slice::from_ref(to)).expect("both ends lie in the domain")
    }

    /// The ray from `from` upwards.
    pub fn ray(&self, form: Form) -> Line<S> {
        let domain = Range::at_least(self.from.clone());
        let qp = self.problem(self.hessian(form), domain).expect("the problem is well posed");
        qp.ray(std::slice::from_ref(&self.from), &[S::one()]).expect("the ray stays in the domain")
    }

    pub fn at(pair: &[S; 2], theta: &S) -> S {
        pair[0].clone() + pair[1].clone() * theta
    }

    pub fn c(&self, i: usize, theta: &S) -> S {
        Self::at(&self.c[i], theta)
    }

    pub fn lower(&self, i: usize, theta: &S) -> Option<S> {
        self.lower[i].as_ref().map(|p| Self::at(p, theta))
    }

    pub fn upper(&self, i: usize, theta: &S) -> Option<S> {
        self.upper[i].as_ref().map(|p| Self::at(p, theta))
    }

    pub fn a(&self, i: usize) -> S {
        self.row.as_ref().map_or_else(S::zero, |(a, _)| a[i].clone())
    }

    /// Hx.
    pub fn product(&self, x: &[S]) -> Vec<S> {
        let columns = self.z.first().map_or(0, Vec::len);
        let mut w = vec![S::zero(); columns];
        for (row, x) in self.z.iter().zip(x) {
            S::axpy(x, row, &mut w);
        }
        self.z.iter().map(|row| S::dot(row, &w)).collect()
    }

    /// ½xᵀHx + cᵀx.
    pub fn objective(&self, theta: &S, x: &[S]) -> S {
        let hx = self.product(x);
        let c: Vec<S> = (0..self.n()).map(|i| self.c(i, theta)).collect();
        S::dot(x, &hx) / S::integer(2) + S::dot(x, &c)
    }

    /// The least and the largest Σ aᵢxᵢ within the bounds; none where it is unbounded.
    pub fn row_range(&self, theta: &S) -> (Option<S>, Option<S>) {
        let end = |most: bool| {
            (0..self.n()).filter(|&i| !self.a(i).is_zero()).try_fold(S::zero(), |sum, i| {
                let bound = if most == (self.a(i) > S::zero()) { self.upper(i, theta) } else { self.lower(i, theta) };
                bound.map(|b| sum + b * self.a(i))
            })
        };
        (end(false), end(true))
    }
}

/// Follows a line; the error keeps the partial path out of the way.
pub fn follow<S: Scalar>(line: &Line<S>) -> Result<Path<S>, PathError> {
    pathqp::trace(line, &Start::Anywhere, &Settings::default(), &mut ()).map_err(|failure| failure.0)
}

/// The number of events a follower reports as an iterator, and its path.
pub fn follow_by_iterator<S: Scalar>(line: &Line<S>) -> (Vec<S>, Path<S>) {
    let mut follower = Follower::new(line, &Start::Anywhere, Settings::default()).expect("a start");
    let positions = follower.by_ref().map(|t| t.expect("a step")).collect();
    (positions, follower.into_path())
}

/// Whether the path ended because no x is feasible beyond it.
pub fn stopped_infeasible<S: Scalar>(path: &Path<S>) -> bool {
    matches!(path.stop(), Some(Stop::Infeasible { .. }))
}

/// The breakpoints as positions measured from the other end.
pub fn mirrored<S: Scalar>(breakpoints: &[S], length: &S) -> Vec<S> {
    breakpoints.iter().rev().map(|t| length.clone() - t).collect()
}

/// Equal to 1e-9 relative to the larger of |b| and one; exactly for an exact scalar.
pub fn close<S: Scalar>(a: &S, b: &S) -> bool {
    let allowed = if S::EXACT { S::zero() } else { q::<S>(1, 1_000_000_000) * S::larger(b.abs(), S::one()) };
    (a.clone() - b).abs() <= allowed
}

/// `Exact` from a fraction.
pub fn exact(numerator: i64, denominator: i64) -> Exact {
    q(numerator, denominator)
}
