//! The numbers of a program: read from a description, and posed as a parametric QP.

use super::wrong;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::spec::{Spec, Table};
use pathqp::hessian::{self, Gram, Rows, semidefinite};
use pathqp::{Affine, ParametricQp, Range};
use std::sync::Arc;

/// A number that moves with t: its value at t = 0, and its rate.
pub type Moving = [f64; 2];

/// H, in the form in which it was given.
#[derive(Clone, Debug, PartialEq)]
pub enum Hessian {
    /// Zero: a linear program.
    Zero,
    /// A matrix z of n rows, with H = zzᵀ.
    Factor(Features),
    /// The entries of H, n × n.
    Entries(Features),
}

/// A program of n variables and m rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The quadratic term H.
    pub hessian: Hessian,
    /// The linear term c, n entries.
    pub c: Vec<Moving>,
    /// The lower bounds l, n entries; `None` where there is no bound.
    pub lower: Vec<Option<Moving>>,
    /// The upper bounds u, n entries; `None` where there is no bound.
    pub upper: Vec<Option<Moving>>,
    /// The rows A, m × n.
    pub rows: Features,
    /// The lower bounds bl of the rows, m entries.
    pub row_lower: Vec<Option<Moving>>,
    /// The upper bounds bu of the rows, m entries.
    pub row_upper: Vec<Option<Moving>>,
    /// The t at which the path begins and ends; the end may be infinite.
    pub range: [f64; 2],
    /// The constant of the objective.
    pub constant: Moving,
    /// Whether the program was given as a maximisation; its objective is then stored with the opposite sign.
    pub maximised: bool,
    /// The names of the variables, n entries, if they have names.
    pub names: Option<Vec<String>>,
    /// The rates along the second and further parameters, for maps; empty for paths.
    pub further: Vec<Rates>,
}

/// The rates of all moving numbers along one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// The rates of c, n entries.
    pub c: Vec<f64>,
    /// The rates of l and u (n entries each), bl and bu (m entries each); zero where there is no bound.
    pub bounds: [Vec<f64>; 4],
    /// The rate of the constant of the objective.
    pub constant: f64,
}

/// The tables of bounds.
const BOUNDS: [&str; 4] = ["lower", "upper", "row_lower", "row_upper"];

impl Program {
    /// The number of variables n.
    pub fn n(&self) -> usize {
        self.c.len()
    }

    /// The number of rows m.
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
        let further = &self.further;
        let c = self.c.iter().enumerate();
        let c = c.flat_map(|(j, c)| c.iter().copied().chain(further.iter().map(move |rates| rates.c[j])));
        put("c", dense(2 + further.len(), c.collect()), None);
        let bounds = [self.lower, self.upper, self.row_lower, self.row_upper];
        for (k, (name, bounds)) in BOUNDS.into_iter().zip(bounds).enumerate() {
            let given = bounds.iter().enumerate().filter_map(|(i, bound)| bound.map(|[v, r]| (i, [i as f64, v, r])));
            let given = given.flat_map(|(i, own)| own.into_iter().chain(further.iter().map(move |r| r.bounds[k][i])));
            put(name, dense(3 + further.len(), given.collect()), None);
        }
        put("rows", self.rows, self.names);
        let [from, to] = self.range;
        let sense = if self.maximised { -1.0 } else { 1.0 };
        let [constant, rate] = self.constant;
        let numbers = [("from", from), ("to", to), ("sense", sense), ("constant", constant), ("constant_rate", rate)];
        spec.numbers.extend(numbers.map(|(name, number)| (name.to_owned(), number)));
        let rates = self.further.iter().enumerate();
        spec.numbers.extend(rates.map(|(k, rates)| (further_rate(k), rates.constant)));
    }

    /// The program of a description.
    ///
    /// # Errors
    /// [`AdapterError::TableMissing`] for a table that is needed, and [`AdapterError::Entry`], with the table and its line, for entries that cannot be used.
    pub fn of(spec: &Spec) -> Result<Self, AdapterError> {
        let needed = "give --problem FILE.json, or --qps FILE";
        let c = spec.tables.get("c").ok_or(AdapterError::TableMissing { table: "problem", needed })?;
        let more = c.values.columns().saturating_sub(2);
        let c = width("c", &c.values, 2 + more)?;
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
        let all = [
            bounds(spec, lower, (n, more))?,
            bounds(spec, upper, (n, more))?,
            bounds(spec, row_lower, (m, more))?,
            bounds(spec, row_upper, (m, more))?,
        ];
        let further = (0..more).map(|k| Rates {
            c: c.iter().map(|row| row[2 + k]).collect(),
            bounds: all.each_ref().map(|side| side.iter().map(|b| b.as_ref().map_or(0.0, |b| b[2 + k])).collect()),
            constant: number(&further_rate(k), 0.0),
        });
        let further = further.collect();
        let [lower, upper, row_lower, row_upper] =
            all.map(|side| side.into_iter().map(|b| b.map(|b| [b[0], b[1]])).collect());
        Ok(Program {
            hessian,
            c: c.iter().map(|row| [row[0], row[1]]).collect(),
            lower,
            upper,
            rows,
            row_lower,
            row_upper,
            further,
            range: [number("from", 0.0), number("to", 1.0)],
            constant: [number("constant", 0.0), number("constant_rate", 0.0)],
            maximised: number("sense", 1.0) < 0.0,
            names,
        })
    }

    /// The number of parameters.
    pub fn p(&self) -> usize {
        1 + self.further.len()
    }

    /// The parametric QP with θ = t, on the range of the program.
    ///
    /// # Errors
    /// What [`ParametricQp`] and the Hessians refuse.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let [from, to] = self.range;
        self.qp_on(vec![match to.is_finite() {
            true => Range::new(from.min(to), from.max(to)),
            false => Range::at_least(from),
        }])
    }

    /// The parametric QP on a domain of p ranges.
    ///
    /// # Errors
    /// As [`Program::qp`].
    pub fn qp_on(&self, domain: Vec<Range<f64>>) -> Result<ParametricQp<f64>, AdapterError> {
        let (below, above) = (f64::NEG_INFINITY, f64::INFINITY);
        let with = |mut law: Affine<f64>, of: &dyn Fn(&Rates) -> Vec<f64>| {
            law.slopes.extend(self.further.iter().map(of));
            law
        };
        let c = with(affine(self.c.iter().map(|c| Some(*c)), 0.0), &|rates| rates.c.clone());
        let side = |k: usize, side: &[Option<Moving>], none: f64| {
            with(affine(side.iter().copied(), none), &|rates| rates.bounds[k].clone())
        };
        let qp = ParametricQp::new(self.matrix()?, domain, c)?;
        let qp = qp.lower(side(0, &self.lower, below))?.upper(side(1, &self.upper, above))?;
        if self.m() == 0 {
            return Ok(qp);
        }
        let rows = engine_rows(&self.rows);
        Ok(qp.rows(rows, side(2, &self.row_lower, below), side(3, &self.row_upper, above))?)
    }

    /// c, l, u, bl, bu and the constant at θ (p entries): a program of one parameter that does not move.
    pub(super) fn held(&self, theta: &[f64]) -> Self {
        let first = theta.first().copied().unwrap_or(0.0);
        let rest = |of: &dyn Fn(&Rates) -> f64| {
            self.further.iter().zip(theta.iter().skip(1)).map(|(rates, t)| of(rates) * t).sum::<f64>()
        };
        let at = |[value, rate]: Moving, rest: f64| [value + rate * first + rest, 0.0];
        let side = |k: usize, side: &[Option<Moving>]| {
            let of = |(i, b): (usize, &Option<Moving>)| b.map(|b| at(b, rest(&|rates| rates.bounds[k][i])));
            side.iter().enumerate().map(of).collect()
        };
        Program {
            c: self.c.iter().enumerate().map(|(j, c)| at(*c, rest(&|rates| rates.c[j]))).collect(),
            lower: side(0, &self.lower),
            upper: side(1, &self.upper),
            row_lower: side(2, &self.row_lower),
            row_upper: side(3, &self.row_upper),
            constant: at(self.constant, rest(&|rates| rates.constant)),
            further: Vec::new(),
            ..self.clone()
        }
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

/// The name of the rate of the constant along a further parameter.
fn further_rate(k: usize) -> String {
    format!("constant_rate_{}", k + 2)
}

/// The bounds of a table along a line: value and rate.
pub(crate) fn read_bounds(spec: &Spec, name: &str, count: usize) -> Result<Vec<Option<Moving>>, AdapterError> {
    let bounds = bounds(spec, name, (count, 0))?;
    Ok(bounds.into_iter().map(|bound| bound.map(|b| [b[0], b[1]])).collect())
}

/// The bounds of a table: a row a bound, its place, value and rates, of which there are `more` than one.
fn bounds(spec: &Spec, name: &str, (count, more): (usize, usize)) -> Result<Vec<Option<Vec<f64>>>, AdapterError> {
    let mut bounds = vec![None; count];
    let Some(table) = spec.tables.get(name) else { return Ok(bounds) };
    for (k, row) in width(name, &table.values, 3 + more)?.into_iter().enumerate() {
        let whole = row[0] >= 0.0 && row[0].fract() == 0.0 && row[0] < count as f64;
        if !whole {
            let reason = format!("{} where a place from 0 to {} is needed", row[0], count.saturating_sub(1));
            return Err(wrong(format!("{name}[{k}]"), reason));
        }
        bounds[row[0] as usize] = Some(row[1..].to_vec());
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
