//! A problem in the wider scalar.

use super::{Bounds, Line, LineRows};
use crate::error::{PathError, ProblemError};
use crate::hessian::{Dense, Gram, Hessian, Rows, Sparse};
use crate::scalar::Scalar;
use std::sync::Arc;

/// H in the wider scalar: by its entries where it is given by them, and by its rows Z where it has them: entries that were rounded need not be
/// semidefinite to all digits.
pub(crate) fn widened<S: Scalar + 'static>(
    h: &Arc<dyn Hessian<S>>,
) -> Result<Vec<Arc<dyn Hessian<S::Wider>>>, ProblemError> {
    let wide = |v: &[S]| v.iter().map(S::widen).collect::<Vec<_>>();
    let entries = || -> Result<Arc<dyn Hessian<S::Wider>>, ProblemError> {
        let mut rows = Vec::with_capacity(h.dim());
        for i in 0..h.dim() {
            h.with_row(i, &mut |row| rows.push(wide(row)));
        }
        Ok(Arc::new(Dense::new(rows)?))
    };
    if h.dim() > 0 && h.stored_row(0).is_some() {
        let row = |i: usize| {
            let (columns, values) = h.stored_row(i).unwrap_or((&[], &[]));
            columns.iter().zip(values).map(move |(&j, v)| (i, j as usize, v.widen()))
        };
        return Ok(vec![Arc::new(Sparse::new(h.dim(), (0..h.dim()).flat_map(row))?)]);
    }
    let Some(gram) = h.row_factor() else { return Ok(vec![Arc::new(Widened(h.clone()))]) };
    let mut forms = Vec::new();
    if h.is_given_by_entries()
        && let Ok(h) = entries()
    {
        forms.push(h);
    }
    let rows = match gram.rows() {
        Rows::Dense { columns, values } => Rows::Dense { columns: *columns, values: wide(values) },
        Rows::Sparse { columns, starts, indices, values } => {
            Rows::Sparse { columns: *columns, starts: starts.clone(), indices: indices.clone(), values: wide(values) }
        }
    };
    forms.push(Arc::new(Gram::new(h.dim(), rows, gram.scale().widen())?));
    Ok(forms)
}

/// H by its entries, each made wider when it is asked for. (H is known to be semidefinite up to rounding; where rounding matters the factor says so.)
struct Widened<S>(Arc<dyn Hessian<S>>);

impl<S: Scalar> Hessian<S::Wider> for Widened<S> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn diagonal(&self, i: usize) -> S::Wider {
        self.0.diagonal(i).widen()
    }

    fn gather(&self, i: usize, columns: &[usize], out: &mut [S::Wider]) {
        let mut own = vec![S::zero(); columns.len()];
        self.0.gather(i, columns, &mut own);
        out.iter_mut().zip(&own).for_each(|(out, v)| *out = v.widen());
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[S::Wider])) {
        self.0.with_row(i, &mut |row| visit(&row.iter().map(S::widen).collect::<Vec<_>>()));
    }

    fn prepare(&self, rows: &[usize]) {
        self.0.prepare(rows);
    }
}

/// The line from t on, in the wider scalar, with H in the first form that is semidefinite there.
pub(crate) fn widened_line<S: Scalar>(line: &Line<S>, t: &S::Wider) -> Result<Line<S::Wider>, PathError> {
    let hessian = widened(&line.hessian)?.into_iter().next().ok_or(PathError::Rows)?;
    Ok(widened_at(line, t, hessian))
}

/// The line from t on, in the wider scalar.
pub(crate) fn widened_at<S: Scalar>(
    line: &Line<S>,
    t: &S::Wider,
    hessian: Arc<dyn Hessian<S::Wider>>,
) -> Line<S::Wider> {
    let number = |v: &S, s: &S| v.widen() + s.widen() * t;
    let bound = |b: &Option<[S; 2]>| b.as_ref().map(|[v, s]| [number(v, s), s.widen()]);
    Line {
        hessian,
        c0: line.c0.iter().zip(&line.c1).map(|(v, s)| number(v, s)).collect(),
        c1: line.c1.iter().map(S::widen).collect(),
        bounds: Bounds {
            lower: line.bounds.lower.iter().map(bound).collect(),
            upper: line.bounds.upper.iter().map(bound).collect(),
        },
        a: line.a.iter().map(S::widen).collect(),
        b0: number(&line.b0, &line.b1),
        b1: line.b1.widen(),
        rows: line.rows.as_ref().map(|rows| LineRows {
            matrix: Arc::new(rows.matrix.map(S::widen)),
            bounds: Bounds {
                lower: rows.bounds.lower.iter().map(bound).collect(),
                upper: rows.bounds.upper.iter().map(bound).collect(),
            },
        }),
        origin: line.origin.iter().zip(&line.direction).map(|(v, s)| number(v, s)).collect(),
        direction: line.direction.iter().map(S::widen).collect(),
        begin: S::Wider::integer(0),
        end: line.end.as_ref().map(|end| end.widen() - t),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hessian::{Kernel, KernelFunction};

    struct Near;

    impl KernelFunction for Near {
        fn dim(&self) -> usize {
            5
        }

        fn entry(&self, i: usize, j: usize) -> f64 {
            (-(i.abs_diff(j) as f64)).exp()
        }
    }

    #[test]
    fn a_kernel_has_the_same_entries_in_the_wider_scalar() {
        let kernel: Arc<dyn Hessian<f64>> = Arc::new(Kernel::new(Near, 1 << 10));
        let forms = widened(&kernel).unwrap();
        assert_eq!((forms.len(), forms[0].dim()), (1, 5));
        for i in 0..5 {
            let own = [1, 4, 0].map(|j| Near.entry(i, j).widen());
            let mut gathered = own.map(|_| Scalar::integer(9));
            forms[0].gather(i, &[1, 4, 0], &mut gathered);
            assert_eq!(gathered, own);
            forms[0].with_row(i, &mut |row| assert_eq!([&row[1], &row[4], &row[0]], own.each_ref()));
            assert_eq!(forms[0].diagonal(i), 1.0.widen());
        }
    }
}
