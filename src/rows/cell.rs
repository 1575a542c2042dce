//! A basis as the parameters move in all directions: where it is optimal, and what it takes to leave.
//!
//! x, y and z of a basis are affine in θ ∈ ℝᵖ: value and p slopes, one solution each. Where all of them are as they should be,
//!
//! ```text
//! σ(xᵢ(θ) − bound(θ)) ≥ 0  for the basis,      σⱼ zⱼ(θ) ≥ 0  for the columns at bounds,
//! ```
//!
//! is a polyhedron, the *cell* of the basis. To cross a side of it is what a path does at an event ([`super::cross`]): at a point of the side, in the direction of its normal.
//!
//! A function that is zero for every θ (`Functions::null`) says that y, or x, is not unique all over the cell: other bases have cells over the same θ. One of them is chosen by moving
//! all bounds outwards and the costs by ε times generic amounts: problems near this one in which x and y are unique, whose cells do not overlap; as ε → 0 neither do their limits (the symbolic perturbation of the
//! simplex method, for parameters Jones, Kerrigan and Maciejowski 2007, "Lexicographic perturbation for multiparametric linear programming"). The step to it is a crossing as well, along ε.

use super::RowRunner;
use super::dependent::dependent_rows;
use super::follower::RowFollower;
use super::scale::Scale;
use super::start;
use super::system::{Data, System};
use crate::active_set::{Status, key};
use crate::error::PathError;
use crate::problem::{Bounds, Line, LineRows, ParametricQp};
use crate::record::{Proof, Start};
use crate::settings::{Pricing, ROUNDS, Settings};
use std::sync::Arc;

/// A problem with the units of its followers.
pub(crate) struct Ground<'a> {
    qp: &'a ParametricQp<f64>,
    /// The length of a step along each parameter.
    unit: Vec<f64>,
    settings: Settings,
    scale: Scale<f64>,
    /// Equality rows that follow from others.
    dropped: Vec<usize>,
}

/// What is shown of a constraint: a, and its bounds as values and slopes.
pub(crate) type Constraint<'v> = dyn FnMut(Vec<f64>, Option<Vec<f64>>, Option<Vec<f64>>) + 'v;

/// A basis, at a point.
#[derive(Clone)]
pub(crate) struct Stand {
    follower: RowFollower<f64>,
    parked: Vec<usize>,
}

/// What is beyond a point.
pub(crate) enum Beyond {
    /// The basis there.
    Basis(Box<Stand>),
    /// No solution, with the proof.
    Nothing(Proof<f64>),
}

/// A function v + gᵀ(steps along the parameters) that is not negative where the basis is optimal.
pub(crate) struct Function {
    /// The column that it belongs to.
    pub column: usize,
    pub value: f64,
    pub gradient: Vec<f64>,
}

/// All that is known of a basis around a point.
pub(crate) struct Functions {
    pub functions: Vec<Function>,
    /// Columns in the basis and at this bound, or at a bound without a price, all over the cell.
    pub null: Vec<(usize, Status)>,
    /// x (n) and y (m): value at the point, then p slopes.
    pub x: Vec<Vec<f64>>,
    pub y: Vec<Vec<f64>>,
}

/// A line with rows, also where the problem has one equality row or none.
pub(crate) fn with_rows(mut line: Line<f64>) -> Result<Line<f64>, PathError> {
    if line.rows.is_none() {
        let a = std::mem::take(&mut line.a);
        let rows = crate::hessian::Rows::Dense { columns: line.n(), values: a };
        let matrix = Arc::new(super::Matrix::new(line.n(), rows)?);
        let side = vec![Some([line.b0, line.b1]); matrix.rows()];
        line.rows = Some(LineRows { matrix, bounds: Bounds { lower: side.clone(), upper: side } });
    }
    Ok(line)
}

impl<'a> Ground<'a> {
    /// Of a problem around a point, with a unit of length for each parameter.
    ///
    /// # Errors
    /// Rows that cannot be posed.
    pub fn new(
        qp: &'a ParametricQp<f64>,
        theta: &[f64],
        unit: Vec<f64>,
        settings: &Settings,
    ) -> Result<Self, PathError> {
        let (mut dropped, mut scale): (Option<Vec<usize>>, Option<Scale<f64>>) = (None, None);
        for k in 0..qp.p() {
            let direction: Vec<f64> = (0..qp.p()).map(|j| if j == k { unit[j] } else { 0.0 }).collect();
            let line = with_rows(qp.restrict(theta, direction, 0.0, None))?;
            let Some(rows) = &line.rows else { return Err(PathError::Rows) };
            let own = scale.get_or_insert_with(|| Scale::of(&line, &rows.matrix));
            let scaled = own.line(&line);
            let Some(rows) = &scaled.rows else { return Err(PathError::Rows) };
            // A row that follows from others along every axis says nothing; one that does not along some leaves a plane of θ at most, which the follower finds.
            let along = dependent_rows(&scaled, &rows.matrix, settings);
            match &mut dropped {
                None => dropped = Some(along),
                Some(dropped) => dropped.retain(|row| along.contains(row)),
            }
        }
        let (Some(dropped), Some(scale)) = (dropped, scale) else { return Err(PathError::Rows) };
        // Every price is wanted, all over the cell.
        let settings = Settings { pricing: Pricing::Full, ..settings.clone() };
        Ok(Ground { qp, unit, settings, scale, dropped })
    }

    /// Calls `visit` with every constraint lower(ξ) ≤ aᵀx ≤ upper(ξ), of the variables and then of the rows: a (n), and the bounds as values at θ and slopes along the parameters.
    pub fn for_constraints(&self, theta: &[f64], visit: &mut Constraint<'_>) -> Result<(), PathError> {
        let p = self.qp.p();
        let axis = |k: usize| (0..p).map(|j| if j == k { self.unit[k] } else { 0.0 }).collect::<Vec<f64>>();
        let lines = (0..p).map(|k| with_rows(self.qp.restrict(theta, axis(k), 0.0, None)));
        let lines = lines.collect::<Result<Vec<_>, _>>()?;
        let n = self.qp.n();
        let side = |of: &dyn Fn(&Line<f64>) -> Option<[f64; 2]>| {
            let first = lines.first().and_then(of)?;
            Some(std::iter::once(first[0]).chain(lines.iter().filter_map(|line| Some(of(line)?[1]))).collect())
        };
        for j in 0..n {
            let a = (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            visit(a, side(&|line| line.bounds.lower[j]), side(&|line| line.bounds.upper[j]));
        }
        let Some(rows) = lines.first().and_then(|line| line.rows.as_ref()) else { return Ok(()) };
        for r in 0..rows.matrix.rows() {
            let mut a = vec![0.0; n];
            rows.matrix.for_row(r, |j, v| a[j] = *v);
            let of = |upper: bool| {
                side(&|line| {
                    let bounds = &line.rows.as_ref()?.bounds;
                    if upper { bounds.upper[r] } else { bounds.lower[r] }
                })
            };
            visit(a, of(false), of(true));
        }
        Ok(())
    }

    /// The data along a line, in the units of the followers.
    fn data(&self, origin: &[f64], direction: &[f64]) -> Result<Data<f64>, PathError> {
        let steps = direction.iter().zip(&self.unit).map(|(d, unit)| d * unit).collect();
        let line = with_rows(self.qp.restrict(origin, steps, 0.0, None))?;
        let mut data = Data::of(&line, &self.dropped);
        let n = line.n();
        let scale = |j: usize| if j < n { 1.0 / self.scale.columns[j] } else { self.scale.rows[j - n] };
        for j in 0..data.c.len() {
            let by = scale(j);
            let ends = [&mut data.lower[j], &mut data.upper[j]].into_iter().flatten();
            ends.flatten().for_each(|v| *v *= by);
            data.c[j].iter_mut().for_each(|v| *v /= by);
        }
        Ok(data)
    }

    /// A basis at θ, found from nothing.
    ///
    /// # Errors
    /// As a path that begins there.
    pub fn stand(&self, theta: &[f64]) -> Result<Stand, PathError> {
        let steps = |k: usize| if k == 0 { self.unit[0] } else { 0.0 };
        let line = with_rows(self.qp.restrict(theta, (0..self.qp.p()).map(steps).collect(), 0.0, None))?;
        let follower = match start::begin(&line, &Start::Anywhere, &self.settings, &mut ()) {
            Err(error) if error.is_of_rounding() => {
                let runner = RowRunner::new(&line, &Start::Anywhere, &self.settings, &mut ())?;
                let start = Start::ActiveSet { status: runner.status().to_vec(), y: None };
                start::begin(&line, &start, &self.settings, &mut ())?
            }
            begun => begun?,
        };
        let unbounded = |j: &usize| follower.data.lower[*j].is_none() && follower.data.upper[*j].is_none();
        let parked = (0..follower.system.n).filter(|&j| !follower.is_basic(j)).filter(unbounded).collect();
        Ok(Stand { follower, parked })
    }

    /// The basis beyond a point in a direction, from one that is optimal there.
    ///
    /// # Errors
    /// Rounding.
    pub fn cross(&self, stand: &Stand, at: &[f64], to: &[f64]) -> Result<Beyond, PathError> {
        self.move_on(stand, self.data(at, to)?, &[])
    }

    fn move_on(&self, stand: &Stand, data: Data<f64>, hits: &[usize]) -> Result<Beyond, PathError> {
        let mut follower = stand.follower.clone().on(data, &stand.parked);
        let stop = follower.cross(hits)?;
        match (stop, follower.proof.take()) {
            (None, _) => Ok(Beyond::Basis(Box::new(Stand { follower, parked: stand.parked.clone() }))),
            (Some(_), Some(proof)) => Ok(Beyond::Nothing(proof)),
            (Some(_), None) => Err(follower.cycling()),
        }
    }

    /// The basis beyond a place on a line (a point and a direction), from one that is optimal at its beginning: what happens before `range[1]` is crossed until `range[0]` lies behind.
    ///
    /// # Errors
    /// Rounding.
    pub fn pass(&self, stand: &Stand, (at, to): (&[f64], &[f64]), range: [f64; 2]) -> Result<Beyond, PathError> {
        let mut follower = stand.follower.clone().on(self.data(at, to)?, &stand.parked);
        // What is tied all along is known to be after that.
        let mut stop = follower.cross(&[])?;
        for _ in 0..ROUNDS[0] + follower.system.columns() {
            if stop.is_none() {
                let ahead = follower.law()?;
                let near = ahead.length.as_ref().is_some_and(|length| follower.at.t + length <= range[1]);
                if follower.at.t >= range[0] || !near {
                    return Ok(Beyond::Basis(Box::new(Stand { follower, parked: stand.parked.clone() })));
                }
                stop = follower.advance(&ahead)?;
            }
            if stop.is_some() {
                return follower.proof.take().map(Beyond::Nothing).ok_or_else(|| follower.cycling());
            }
        }
        Err(follower.cycling())
    }

    /// Of the bases that are optimal around θ the one that stays so when all gives way by ε; the functions of the columns `null` are zero.
    ///
    /// # Errors
    /// Rounding.
    pub fn settle(&self, stand: &Stand, theta: &[f64], null: &[usize]) -> Result<Stand, PathError> {
        let mut data = self.data(theta, &vec![0.0; self.qp.p()])?;
        let random = |j: usize, what: u64| ((key(j, 7 + what) >> 44) as f64 + f64::from(1 << 18)) / f64::from(1 << 20);
        for j in (0..data.c.len()).filter(|&j| !stand.follower.fixed[j]) {
            let [l, u] = [data.lower[j].is_some(), data.upper[j].is_some()];
            // No ray of the feasible set becomes one along which the cost falls.
            let sign = match (l, u) {
                (true, true) => {
                    if key(j, 11) >> 63 == 0 {
                        1.0
                    } else {
                        -1.0
                    }
                }
                (true, false) => 1.0,
                (false, true) => -1.0,
                (false, false) => 0.0,
            };
            if let Some(bound) = &mut data.lower[j] {
                bound[1] = -random(j, 0);
            }
            if let Some(bound) = &mut data.upper[j] {
                bound[1] = random(j, 1);
            }
            if j < stand.follower.system.n {
                data.c[j][1] = sign * random(j, 2);
            }
        }
        match self.move_on(stand, data, null)? {
            Beyond::Basis(stand) => Ok(*stand),
            // More room takes nothing away.
            Beyond::Nothing(_) => Err(stand.follower.cycling()),
        }
    }

    /// x (n) and y (m) of a basis at θ, by its law, wherever that is.
    ///
    /// # Errors
    /// Rounding.
    pub fn values(&self, stand: &Stand, theta: &[f64]) -> Result<(Vec<f64>, Vec<f64>), PathError> {
        let first: Vec<f64> = (0..self.qp.p()).map(|k| f64::from(u8::from(k == 0))).collect();
        let mut f = stand.follower.clone().on(self.data(theta, &first)?, &stand.parked);
        f.direction()?;
        Ok(laws(&f, 0))
    }

    /// The functions of a basis around a point where it is optimal.
    ///
    /// # Errors
    /// Rounding; [`PathError::Inaccurate`] where the basis is not optimal there.
    pub fn functions(&self, stand: &Stand, theta: &[f64]) -> Result<Functions, PathError> {
        let p = self.qp.p();
        let mut found: Vec<(Function, Status, f64)> = Vec::new();
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for k in 0..p {
            let axis: Vec<f64> = (0..p).map(|j| if j == k { 1.0 } else { 0.0 }).collect();
            let mut f = stand.follower.clone().on(self.data(theta, &axis)?, &stand.parked);
            f.direction()?;
            let own = of_line(&f);
            if k == 0 {
                let whole = |v: f64| [vec![v], vec![0.0; p]].concat();
                (x, y) =
                    (laws(&f, 0).0.into_iter().map(whole).collect(), laws(&f, 0).1.into_iter().map(whole).collect());
                let function =
                    |(column, value, _, side, zero)| (Function { column, value, gradient: vec![0.0; p] }, side, zero);
                found = own.iter().copied().map(function).collect();
            }
            let (dx, dy) = laws(&f, 1);
            x.iter_mut().zip(dx).for_each(|(x, d)| x[k + 1] = d);
            y.iter_mut().zip(dy).for_each(|(y, d)| y[k + 1] = d);
            found.iter_mut().zip(own).for_each(|(f, own)| f.0.gradient[k] = own.2);
        }
        let mut functions = Functions { functions: Vec::new(), null: Vec::new(), x, y };
        for (function, side, zero) in found {
            if function.gradient.iter().any(|g| *g != 0.0) {
                functions.functions.push(function);
            } else if function.value < -zero {
                return Err(stand.follower.inaccurate(function.column, -function.value, zero));
            } else if function.value <= zero {
                functions.null.push((function.column, side));
            }
        }
        Ok(functions)
    }
}

/// x and y, value (0) or rate (1), in the user's units.
fn laws(f: &RowFollower<f64>, part: usize) -> (Vec<f64>, Vec<f64>) {
    let half = if part == 0 { &f.value } else { &f.rate };
    let system: &System<f64> = &f.system;
    let y: Vec<f64> = half.eta.high[..system.m].iter().map(|e| -e).collect();
    let x = |j: usize| match f.is_basic(j) {
        true => *half.x.high(j),
        false if part == 0 => f.at.affine(&f.held(j)),
        false => f.held(j)[1],
    };
    (system.scale.variables(&(0..system.n).map(x).collect::<Vec<f64>>()), system.scale.multipliers(&y))
}

/// Column, value, rate, side, and what counts as zero in the value, of every function of the law at the beginning of a line.
fn of_line(f: &RowFollower<f64>) -> Vec<(usize, f64, f64, Status, f64)> {
    let mut found = Vec::new();
    for j in 0..f.system.columns() {
        if f.is_basic(j) {
            for (upper, side) in [(false, Status::Lower), (true, Status::Upper)] {
                let Some(bound) = f.data.bound(j, upper) else { continue };
                let [value, rate] = f.room(j, upper, bound).map(|(high, low)| high + low);
                let rate = if rate.abs() <= f.x_rate_zero(j, &bound[1]) { 0.0 } else { rate };
                found.push((j, value, rate, side, f.allowance(&f.x_sizes(j, bound), 0)));
            }
        } else if !f.fixed[j] {
            let sign = f.status[j].sign() as f64;
            found.push((j, f.z[0][j] * sign, f.z[1][j] * sign, f.status[j], f.z_zero[0][j]));
        }
    }
    found
}

impl Stand {
    /// Of the n variables, and then the rows.
    pub fn status(&self) -> &[Status] {
        &self.follower.status
    }

    /// Whether l = u for good.
    pub fn is_fixed(&self, column: usize) -> bool {
        self.follower.fixed[column]
    }
}
