//! The numbers of a program, from a description and into one.

use super::wrong;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::spec::{Spec, Table};
use pathqp::hessian::{self, Gram, Rows, semidefinite};
use pathqp::{Affine, ParametricQp, Range};
use std::sync::Arc;

/// A number that moves: its value at t = 0, and its rate.
pub type Moving = [f64; 2];

/// H as it was given.
#[derive(Clone, Debug, PartialEq)]
pub enum Hessian {
    /// Not at all: a linear program.
    Zero,
    /// By rows z, n of them: H = zzᵀ.
    Factor(Features),
    /// By its entries, n × n.
    Entries(Features),
}

/// A program of n variables and m rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// H.
    pub hessian: Hessian,
    /// c, n entries.
    pub c: Vec<Moving>,
    /// l, n entries; none where there is no bound.
    pub lower: Vec<Option<Moving>>,
    /// u, likewise.
    pub upper: Vec<Option<Moving>>,
    /// A, m × n.
    pub rows: Features,
    /// bl, m entries.
    pub row_lower: Vec<Option<Moving>>,
    /// bu, likewise.
    pub row_upper: Vec<Option<Moving>>,
    /// Where the path begins and ends; the end may be infinite.
    pub range: [f64; 2],
    /// What is added to the objective.
    pub constant: Moving,
    /// Whether the objective, with the opposite sign, was to be maximised.
    pub maximised: bool,
    /// The names of the variables.
    pub names: Option<Vec<String>>,
}

/// The tables of bounds.
const BOUNDS: [&str; 4] = ["lower", "upper", "row_lower", "row_upper"];

impl Program {
    /// n.
    pub fn n(&self) -> usize {
        self.c.len()
    }

    /// m.
    pub fn m(&self) -> usize {
        self.rows.rows()
    }

    /// Takes the place of whatever program the description had.
    pub(super) fn describe(self, spec: &mut Spec) {
        spec.tables.clear();
        spec.numbers.clear();
        let mut put = |name: &str, values: Features, names: Option<Vec<String>>| {
            spec.tables.insert(name.into(), Table { names, values });
        };
        match self.hessian {
            Hessian::Zero => {}
            Hessian::Factor(z) => put("z", z, None),
            Hessian::Entries(h) => put("h", h, None),
        }
        put("c", dense(2, self.c.concat()), None);
        for (name, bounds) in BOUNDS.into_iter().zip([self.lower, self.upper, self.row_lower, self.row_upper]) {
            let given = bounds.iter().enumerate().filter_map(|(i, bound)| bound.map(|[v, r]| [i as f64, v, r]));
            put(name, dense(3, given.flatten().collect()), None);
        }
        put("rows", self.rows, self.names);
        let [from, to] = self.range;
        let sense = if self.maximised { -1.0 } else { 1.0 };
        let [constant, rate] = self.constant;
        let numbers = [("from", from), ("to", to), ("sense", sense), ("constant", constant), ("constant_rate", rate)];
        spec.numbers.extend(numbers.map(|(name, number)| (name.to_owned(), number)));
    }

    /// The program of a description.
    ///
    /// # Errors
    /// [`AdapterError::TableMissing`], and [`AdapterError::Entry`] names the table and the row.
    pub fn of(spec: &Spec) -> Result<Self, AdapterError> {
        let needed = "give --problem FILE.json, or --qps FILE";
        let c = spec.tables.get("c").ok_or(AdapterError::TableMissing { table: "problem", needed })?;
        let c = width("c", &c.values, 2)?.into_iter().map(|row| [row[0], row[1]]).collect::<Vec<Moving>>();
        let n = c.len();
        let square = |name: &str| spec.tables.get(name).map(|table| &table.values);
        let hessian = match (square("z"), square("h")) {
            (None, None) => Hessian::Zero,
            (Some(z), None) if z.rows() == n => Hessian::Factor(z.clone()),
            (None, Some(h)) if h.rows() == n && h.columns() == n => Hessian::Entries(h.clone()),
            (Some(z), None) => return Err(wrong("z", format!("{} rows, and c has {n} entries", z.rows()))),
            (None, Some(h)) => {
                let shape = format!("{} rows of {} numbers, and c has {n} entries", h.rows(), h.columns());
                return Err(wrong("h", shape));
            }
            (Some(_), Some(_)) => return Err(wrong("h", "z is given as well: give one of them")),
        };
        let none = || Table { names: None, values: Features::Dense { rows: 0, columns: n, values: Vec::new() } };
        let Table { names, values: rows } = spec.tables.get("rows").cloned().unwrap_or_else(none);
        if rows.columns() != n && rows.rows() > 0 {
            return Err(wrong("rows", format!("{} numbers a row, and c has {n} entries", rows.columns())));
        }
        let m = rows.rows();
        let [lower, upper, row_lower, row_upper] = BOUNDS;
        let number = |name: &str, or: f64| spec.number(name).unwrap_or(or);
        Ok(Program {
            hessian,
            c,
            lower: read_bounds(spec, lower, n)?,
            upper: read_bounds(spec, upper, n)?,
            rows,
            row_lower: read_bounds(spec, row_lower, m)?,
            row_upper: read_bounds(spec, row_upper, m)?,
            range: [number("from", 0.0), number("to", 1.0)],
            constant: [number("constant", 0.0), number("constant_rate", 0.0)],
            maximised: number("sense", 1.0) < 0.0,
            names,
        })
    }

    /// The parametric QP with θ = t, between the two ends.
    ///
    /// # Errors
    /// What [`ParametricQp`] and the Hessians refuse.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let [from, to] = self.range;
        let domain = match to.is_finite() {
            true => Range::new(from.min(to), from.max(to)),
            false => Range::at_least(from),
        };
        let qp = ParametricQp::new(self.matrix()?, vec![domain], affine(self.c.iter().map(|c| Some(*c)), 0.0))?;
        let (below, above) = (f64::NEG_INFINITY, f64::INFINITY);
        let qp = qp.lower(affine(self.lower.iter().copied(), below))?;
        let qp = qp.upper(affine(self.upper.iter().copied(), above))?;
        if self.m() == 0 {
            return Ok(qp);
        }
        let (lower, upper) = (self.row_lower.iter().copied(), self.row_upper.iter().copied());
        Ok(qp.rows(engine_rows(&self.rows), affine(lower, below), affine(upper, above))?)
    }

    /// H in the form that suits it.
    fn matrix(&self) -> Result<Arc<dyn hessian::Hessian<f64>>, AdapterError> {
        let n = self.n();
        let h = match &self.hessian {
            Hessian::Zero => return Ok(Arc::new(hessian::zero(n)?)),
            Hessian::Factor(z) => return Ok(Arc::new(Gram::new(n, engine_rows(z), 1.0)?)),
            Hessian::Entries(h) => h,
        };
        if let Some(diagonal) = diagonal(h) {
            if let Some(i) = diagonal.iter().position(|v| *v < 0.0) {
                return Err(wrong(format!("h[{i}][{i}]"), format!("{}: it must not be negative", diagonal[i])));
            }
            // One root a row: H = zzᵀ without rounding of more than the root's.
            let indices = (0..n as u32).collect();
            let values = diagonal.iter().map(|v| v.sqrt()).collect();
            let rows = Rows::Sparse { columns: n, starts: (0..=n).collect(), indices, values };
            return Ok(Arc::new(Gram::new(n, rows, 1.0)?));
        }
        let fits = n.checked_mul(n).is_some_and(|size| Vec::<f64>::new().try_reserve_exact(size).is_ok());
        if !fits {
            return Err(wrong(
                "h",
                format!("a matrix of {n} rows does not fit into memory: give z, or a diagonal one"),
            ));
        }
        Ok(semidefinite(Table { names: None, values: h.clone() }.rows())?)
    }
}

/// The diagonal of a matrix without other entries.
fn diagonal(h: &Features) -> Option<Vec<f64>> {
    let mut diagonal = vec![0.0; h.rows()];
    let mut alone = true;
    for (i, entry) in diagonal.iter_mut().enumerate() {
        h.row(i).for_each(|j, v| if j == i { *entry = v } else { alone &= v == 0.0 });
    }
    alone.then_some(diagonal)
}

/// A dense table of so many columns.
fn dense(columns: usize, values: Vec<f64>) -> Features {
    Features::Dense { rows: values.len() / columns, columns, values }
}

/// The rows of a table of the right width.
fn width(name: &str, table: &Features, expected: usize) -> Result<Vec<Vec<f64>>, AdapterError> {
    if table.columns() != expected && table.rows() > 0 {
        return Err(wrong(name, format!("{} numbers a row where {expected} are needed", table.columns())));
    }
    Ok(Table { names: None, values: table.clone() }.rows())
}

/// The bounds of a table: a row a bound, its place, value and rate.
pub(crate) fn read_bounds(spec: &Spec, name: &str, count: usize) -> Result<Vec<Option<Moving>>, AdapterError> {
    let mut bounds = vec![None; count];
    let Some(table) = spec.tables.get(name) else { return Ok(bounds) };
    for (k, row) in width(name, &table.values, 3)?.into_iter().enumerate() {
        let whole = row[0] >= 0.0 && row[0].fract() == 0.0 && row[0] < count as f64;
        if !whole {
            let reason = format!("{} where a place from 0 to {} is needed", row[0], count.saturating_sub(1));
            return Err(wrong(format!("{name}[{k}]"), reason));
        }
        bounds[row[0] as usize] = Some([row[1], row[2]]);
    }
    Ok(bounds)
}

/// What moves, as the engine has it; `none` stands for what is not there.
fn affine(values: impl Iterator<Item = Option<Moving>>, none: f64) -> Affine<f64> {
    let (constant, slope) = values.map(|v| v.map_or((none, 0.0), |[v, rate]| (v, rate))).unzip();
    Affine::line(constant, slope)
}

/// A matrix as the engine has it.
pub(crate) fn engine_rows(features: &Features) -> Rows<f64> {
    match features.clone() {
        Features::Dense { columns, values, .. } => Rows::Dense { columns, values },
        Features::Sparse { columns, starts, indices, values, .. } => Rows::Sparse { columns, starts, indices, values },
    }
}
