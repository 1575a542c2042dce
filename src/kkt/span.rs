//! The rows z̃ of the free set, factored: by QR of Z̃_Fᵀ, or where Z has too many columns for that by LDLᵀ of Z̃_F Z̃_Fᵀ, dense or sparse.

use super::ldl::Ldl;
use super::qr::{Qr, Split};
use super::rows::Extended;
use super::sparse_span::SparseSpan;
use crate::scalar::Scalar;

/// A factor of the free rows. All vectors in feature space have `width` entries.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) enum Span {
    Qr(Qr),
    Normal(Ldl<f64>),
    Sparse(Box<SparseSpan>),
}

/// Where the rows of Z have fewer columns, sparse factors take as long as QR.
const FEW_COLUMNS: usize = 256;

/// The result of trying to add a row.
pub(super) enum Added {
    /// The squared length of its part outside the span.
    Pivot(f64),
    /// The coefficients d with Z̃_Fᵀd + z̃ = 0.
    Dependent(Vec<f64>),
}

/// A solution of w = v + Z̃_Fᵀx, Z̃_F w = rhs + A_F y, ρA_F x + v_last = w_last.
pub(super) struct Unknowns {
    pub w: Vec<f64>,
    pub x: Vec<f64>,
    pub y: f64,
    /// ‖Z̃_Fᵀx‖.
    pub free_part: f64,
    /// The size of the terms that x was solved from, those with y among them, before they cancel, as lengths in feature
    /// space.
    pub terms: f64,
    /// The same for y.
    pub y_terms: f64,
}

impl Span {
    pub fn new(rows: &Extended<'_>, qr_columns: usize) -> Self {
        let width = rows.width();
        if rows.gram.has_sparse_products() && !rows.line.has_row() && width >= FEW_COLUMNS {
            Span::Sparse(Box::default())
        } else if width <= qr_columns {
            Span::Qr(Qr::new(width))
        } else {
            Span::Normal(Ldl::new())
        }
    }

    /// Whether its parts (read from somewhere) are those of k of n rows of this width.
    pub fn is_sound(&self, n: usize, width: usize, k: usize) -> bool {
        match self {
            Span::Sparse(sparse) => sparse.is_sound(n, k),
            Span::Qr(qr) => qr.is_sound(width, k),
            Span::Normal(ldl) => ldl.is_sound(k),
        }
    }

    /// Adds row i. It is dependent when its part outside the span is at most `dependent`·ε of its length (of its square for
    /// products, where rounding alone leaves ε of that).
    pub fn add(&mut self, rows: &Extended<'_>, i: usize, dependent: f64) -> Added {
        let square = rows.square(i);
        match self {
            Span::Sparse(sparse) => match sparse.add(rows, i, square, dependent) {
                Ok(pivot) => Added::Pivot(pivot),
                Err(d) => Added::Dependent(d),
            },
            Span::Qr(qr) => {
                let split = qr.split(rows.dense(i));
                if split.length <= f64::tolerance(dependent) * square.sqrt() {
                    let mut d = split.along;
                    qr.solve(&mut d);
                    d.iter_mut().for_each(|d| *d = -*d);
                    return Added::Dependent(d);
                }
                let pivot = split.length * split.length;
                qr.append(split);
                Added::Pivot(pivot)
            }
            Span::Normal(ldl) => {
                let (row, pivot) = ldl.row_and_pivot(&rows.times(&rows.dense(i)), &square);
                if pivot <= f64::tolerance(dependent) * square {
                    let mut d = row;
                    ldl.backward(&mut d);
                    d.iter_mut().for_each(|d| *d = -*d);
                    return Added::Dependent(d);
                }
                ldl.append(row, pivot);
                Added::Pivot(pivot)
            }
        }
    }

    /// The row at a position of F, which `rows` still has, goes. Returns the unit vector that the span loses, where the factor has it.
    pub fn delete(&mut self, rows: &Extended<'_>, position: usize) -> Option<Vec<f64>> {
        match self {
            Span::Sparse(sparse) => {
                sparse.delete(rows, position);
                None
            }
            Span::Qr(qr) => Some(qr.delete(position)),
            Span::Normal(ldl) => {
                ldl.delete(position);
                None
            }
        }
    }

    /// Takes up what was not saved. False where it cannot be had.
    pub fn restore(&mut self, rows: &Extended<'_>) -> bool {
        match self {
            Span::Sparse(sparse) => sparse.restore(rows),
            _ => true,
        }
    }

    /// What of v lies outside the span, and its length.
    pub fn outside(&self, v: Vec<f64>) -> Option<(Vec<f64>, f64)> {
        match self {
            Span::Qr(qr) => {
                let split = qr.split(v);
                Some((split.outside, split.length))
            }
            Span::Normal(_) | Span::Sparse(_) => None,
        }
    }

    /// At most the smallest length of a row outside the span of those before it.
    pub fn smallest_pivot(&self) -> f64 {
        match self {
            Span::Qr(qr) => qr.smallest_pivot(),
            Span::Normal(ldl) => ldl.smallest_pivot().map_or(f64::INFINITY, f64::sqrt),
            Span::Sparse(sparse) => sparse.smallest_pivot(),
        }
    }

    /// Whether solutions of sparse factors, which know the square of the condition of the rows, are to be refined whatever their pivots say.
    pub fn squares_condition(&self) -> bool {
        matches!(self, Span::Sparse(_))
    }

    pub fn solve(&self, rows: &Extended<'_>, v: Vec<f64>, rhs: Vec<f64>, last_of_w: f64) -> Unknowns {
        match self {
            Span::Qr(qr) => solve_qr(qr, rows, v, rhs, last_of_w),
            Span::Normal(_) | Span::Sparse(_) => self.solve_normal(rows, v, rhs, last_of_w),
        }
    }

    /// x becomes (Z̃_F Z̃_Fᵀ)⁻¹x, by factors of that matrix.
    fn divide(&self, x: &mut [f64]) {
        match self {
            Span::Normal(ldl) => ldl.solve(x),
            Span::Sparse(sparse) => sparse.solve(x),
            Span::Qr(qr) => {
                qr.solve_transposed(x);
                qr.solve(x);
            }
        }
    }

    /// ‖Z̃_Fᵀx‖.
    fn length(&self, rows: &Extended<'_>, width: usize, x: &[f64]) -> f64 {
        if let Span::Normal(ldl) = self {
            return ldl.quadratic(x).max(0.0).sqrt();
        }
        let mut v = vec![0.0; width];
        rows.add_transposed(x, &mut v);
        f64::dot(&v, &v).sqrt()
    }

    /// Z̃_F Z̃_Fᵀ x = rhs + A_F y − Z̃_F v, and y from the last entry of w.
    fn solve_normal(&self, rows: &Extended<'_>, mut v: Vec<f64>, rhs: Vec<f64>, last_of_w: f64) -> Unknowns {
        let width = v.len();
        let length = f64::dot(&v, &v).sqrt();
        let mut x: Vec<f64> = rhs.iter().zip(rows.times(&v)).map(|(r, t)| r - t).collect();
        self.divide(&mut x);
        let terms = length + self.length(rows, width, &x);
        let a = rows.row();
        let (mut y, mut y_terms) = (0.0, 0.0);
        if !a.is_empty() {
            let mut slope = a.clone();
            self.divide(&mut slope);
            let (gap, divisor) = (last_of_w - v[v.len() - 1], rows.rho * f64::dot(&a, &slope));
            y = (gap - rows.rho * f64::dot(&a, &x)) / divisor;
            let size = (f64::dot(&a, &a) * f64::dot(&x, &x)).sqrt();
            y_terms = (gap.abs() + rows.rho * size) / divisor;
            f64::axpy(&y, &slope, &mut x);
        }
        rows.add_transposed(&x, &mut v);
        Unknowns { w: v, free_part: self.length(rows, width, &x), x, y, terms, y_terms }
    }
}

/// With Z̃_Fᵀ = QR and p = Qᵀw: p = R⁻ᵀ(rhs + A_F y) = p₀ + (y/ρ)e, e the last row of Q; w = P⊥v + Qp; x = R⁻¹(p − Qᵀv).
fn solve_qr(qr: &Qr, rows: &Extended<'_>, v: Vec<f64>, rhs: Vec<f64>, last_of_w: f64) -> Unknowns {
    let mut p = rhs;
    qr.solve_transposed(&mut p);
    let mut terms = f64::dot(&p, &p).sqrt() + f64::dot(&v, &v).sqrt();
    let nothing = v.iter().all(|v| *v == 0.0);
    let last_of_v = v.last().map_or(0.0, |v| v.abs());
    let (along, mut w) = if nothing {
        (vec![0.0; p.len()], v)
    } else {
        let Split { along, outside, .. } = qr.split(v);
        (along, outside)
    };
    let (mut y, mut y_terms) = (0.0, 0.0);
    if !rows.row().is_empty() {
        let last = w.len() - 1;
        let e = qr.q_row(last);
        let square = f64::dot(&e, &e);
        // The last entry of w is what is left of that of v.
        let lengths = [f64::dot(&p, &p), f64::dot(&along, &along)].map(|length| (square * length).sqrt());
        y_terms = rows.rho * (last_of_w.abs() + last_of_v + lengths[0] + lengths[1]) / square;
        let step = (last_of_w - w[last] - f64::dot(&e, &p)) / square;
        f64::axpy(&step, &e, &mut p);
        terms += step.abs() * square.sqrt();
        y = step * rows.rho;
    }
    qr.add(&p, &mut w);
    let mut x: Vec<f64> = p.iter().zip(&along).map(|(p, h)| p - h).collect();
    let free_part = f64::dot(&x, &x).sqrt();
    qr.solve(&mut x);
    Unknowns { w, x, y, free_part, terms, y_terms }
}
