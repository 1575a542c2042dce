//! Errors: of a problem ([`ProblemError`]), of a path ([`PathError`]), of a request for an approximate path ([`ApproximationError`]), and of a branch of an
//! envelope ([`BranchError`]). Numbers in them are text, so that the types do not depend on the scalar.

use crate::active_set::Status;
use thiserror::Error;

/// A problem that cannot be posed: wrong shapes, values or bounds.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// No variables, or no parameters.
    #[error("the problem has {variables} variables and {parameters} parameters: both must be at least one")]
    Empty {
        /// n.
        variables: usize,
        /// p.
        parameters: usize,
    },
    /// A vector of the wrong length.
    #[error("{what} has {found} entries: it must have {expected}")]
    Shape {
        /// The name of the vector or matrix.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A vector with the wrong number of slopes.
    #[error("{what} has slopes for {found} parameters: it must have them for {expected}")]
    Parameters {
        /// The name of the vector.
        what: &'static str,
        /// The number of parameters, p.
        expected: usize,
        /// The number of slopes.
        found: usize,
    },
    /// An entry that is NaN or infinite.
    #[error(
        "{what}[{index}] is {value}{}: it must be a finite number",
        parameter.map_or_else(String::new, |j| format!(" in the slope of parameter {j}"))
    )]
    NotFinite {
        /// The name of the vector or matrix.
        what: &'static str,
        /// The index of the entry.
        index: usize,
        /// The parameter, if the entry belongs to a slope; `None` for the constant.
        parameter: Option<usize>,
        /// The entry.
        value: String,
    },
    /// A range of Θ with a NaN or infinite end.
    #[error("the range of parameter {parameter} has an end that is not a finite number: leave an infinite end out")]
    Domain {
        /// The index of the parameter.
        parameter: usize,
    },
    /// A range of Θ with from > to.
    #[error("the range of parameter {parameter} begins at {from}, above its end {to}: exchange the two")]
    Reversed {
        /// The index of the parameter.
        parameter: usize,
        /// The lower end.
        from: String,
        /// The upper end.
        to: String,
    },
    /// A row of Z whose squared length is not finite.
    #[error("the squared length of row {row} of Z is {value}: it must be a finite number")]
    Length {
        /// The row.
        row: usize,
        /// The squared length.
        value: String,
    },
    /// The factor κ of κZZᵀ is not positive and finite.
    #[error("the scale of H is {value}: it must be a positive number")]
    Scale {
        /// The factor.
        value: String,
    },
    /// A parameter outside Θ, or a direction that leaves Θ.
    #[error("parameter {parameter} = {value} lies outside the problem's domain: choose a value inside")]
    OutsideDomain {
        /// The index of the parameter.
        parameter: usize,
        /// Its value, or the entry of the direction.
        value: String,
    },
    /// An origin of positions (t = 0) that does not lie on the line.
    #[error(
        "the origin does not lie on the line: parameter {parameter} = {value}; take a point of the line through its two ends"
    )]
    OffLine {
        /// The index of the parameter.
        parameter: usize,
        /// The value of that parameter at the origin.
        value: String,
    },
    /// l > u somewhere in Θ.
    #[error("the bounds of variable {index} cross: l > u at θ = ({}); shrink the domain or correct the bounds", corner.join(", "))]
    CrossedBounds {
        /// The variable.
        index: usize,
        /// The corner of Θ at which u − l is most negative.
        corner: Vec<String>,
    },
    /// A second equality row.
    #[error(
        "`equality` sets the only row of a problem: give several rows to `rows`, with equal bounds for an equality"
    )]
    SecondRow,
    /// An equality row of zeros.
    #[error("the equality row is zero: leave it out")]
    ZeroRow,
    /// An entry of A that is not finite, or a place of A with two entries.
    #[error("A[{row},{column}] is {value}: it must be a finite number, given once")]
    RowEntry {
        /// The row.
        row: usize,
        /// The variable (column).
        column: usize,
        /// The value.
        value: String,
    },
    /// bl > bu somewhere in Θ.
    #[error("the bounds of row {row} cross: bl > bu at θ = ({}); shrink the domain or correct the bounds", corner.join(", "))]
    CrossedRow {
        /// The row.
        row: usize,
        /// The corner of Θ at which bu − bl is most negative.
        corner: Vec<String>,
    },
    /// A negative or non-finite diagonal entry of H.
    #[error("H[{index},{index}] is {value}: the diagonal of a positive semidefinite matrix is finite and not negative")]
    Diagonal {
        /// The index i of Hᵢᵢ.
        index: usize,
        /// The value.
        value: String,
    },
    /// H is not symmetric.
    #[error("H[{row},{column}] and H[{column},{row}] differ by {difference}: H must be symmetric")]
    Asymmetric {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The difference |Hᵢⱼ − Hⱼᵢ|.
        difference: String,
    },
    /// H is indefinite: d with dᵀHd < 0.
    #[error(
        "H is not positive semidefinite: dᵀHd = {curvature} for the direction d with d[{0}] = {1} and {2} further entries",
        direction.first().map_or(0, |d| d.0),
        direction.first().map_or("0", |d| d.1.as_str()),
        direction.len().saturating_sub(1)
    )]
    Indefinite {
        /// The non-zero entries of d.
        direction: Vec<(usize, String)>,
        /// dᵀHd.
        curvature: String,
    },
}

/// Why a path could not be followed, or a solution not be trusted. The path so far can still be taken from the follower ([`crate::path::Follower::into_path`]);
/// [`crate::path::trace`] returns it with the error.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PathError {
    /// A starting point of the wrong length, not finite, or outside its bounds.
    #[error("the start is not feasible: variable {index} has the value {value}, outside its bounds")]
    StartOutsideBounds {
        /// The variable.
        index: usize,
        /// Its value.
        value: String,
    },
    /// A start that puts a variable at a bound which does not exist.
    #[error("the start is not feasible: variable {index} is said to be at its {} bound, but has none", if *status == Status::Upper { "upper" } else { "lower" })]
    StartWithoutBound {
        /// The variable.
        index: usize,
        /// The bound that the start puts it at.
        status: Status,
    },
    /// A start with the wrong number of entries.
    #[error("the start has {found} entries, and the problem has {expected} variables: give one entry per variable")]
    StartShape {
        /// The number of entries it should have.
        expected: usize,
        /// The number of entries it has.
        found: usize,
    },
    /// No x satisfies the bounds and the equality row at the beginning of the line.
    #[error(
        "infeasible at the start: the equality row needs Σ aᵢxᵢ = {needed}, but within the bounds the sum lies in [{least}, {most}]; change the row, or the bounds of variables {conflicting:?}"
    )]
    Infeasible {
        /// The right-hand side b.
        needed: String,
        /// The least Σ aᵢxᵢ within the bounds.
        least: String,
        /// The largest Σ aᵢxᵢ within the bounds.
        most: String,
        /// The first few variables with aᵢ ≠ 0, whose bounds cause the conflict.
        conflicting: Vec<usize>,
    },
    /// No x satisfies the bounds and the rows at the beginning of the line: a weighted sum of the rows is out of reach within the bounds
    /// ([`crate::rows::Proof`]).
    #[error(
        "infeasible at the start: no x within its bounds has the sum of rows Σ wᵣ(Ax)ᵣ with the weights {}",
        weights.iter().map(|(row, w)| format!("{w} of row {row}")).collect::<Vec<_>>().join(", ")
    )]
    InfeasibleRows {
        /// The rows in conflict, each with its weight.
        weights: Vec<(usize, String)>,
    },
    /// The objective has no minimum at the beginning of the line: along a direction d with Hd = 0 that no bound and no row limits it decreases without end.
    #[error(
        "the objective is unbounded below at the start, along the direction d with d[{}] = {} and {} further entries",
        direction.first().map_or(0, |d| d.0),
        direction.first().map_or("0", |d| d.1.as_str()),
        direction.len().saturating_sub(1)
    )]
    UnboundedAlong {
        /// The non-zero entries of d.
        direction: Vec<(usize, String)>,
    },
    /// A line with several rows or an inequality row, where only one equality row is possible.
    #[error(
        "a line with several rows or rows with bounds is followed from the start to its end: this needs one equality row or none"
    )]
    Rows,
    /// A start that was given as optimal and is not.
    #[error("the start is not optimal: variable {index} violates its optimality condition by {violation}")]
    StartNotOptimal {
        /// The variable.
        index: usize,
        /// By how much: zᵢ, or the distance to the bound.
        violation: String,
    },
    /// A guess that does not satisfy the equality row.
    #[error("the start violates the equality row by {off}: give a start that satisfies it, or `Start::Anywhere`")]
    StartOffRow {
        /// b − aᵀx.
        off: String,
    },
    /// The free set of a start is dependent: x is not unique on it.
    #[error(
        "the start's free set is not independent: variable {index} depends on those before it; give a guess instead"
    )]
    StartDependent {
        /// A variable that depends on the others.
        index: usize,
    },
    /// The objective has no minimum at the beginning of the line.
    #[error("the objective is unbounded below at the start: variable {index} grows without bound; bound it")]
    UnboundedStart {
        /// A variable that grows without bound.
        index: usize,
    },
    /// The same active set occurred twice at one t.
    #[error("the active sets cycle at t = {t} (|F| = {free}, {tied} indices tied)")]
    Cycle {
        /// The position.
        t: String,
        /// The number of free variables.
        free: usize,
        /// The number of tied variables.
        tied: usize,
    },
    /// The observer stopped the search for the first solution.
    #[error("stopped after {events} events on the way to the solution at which the path begins; there is no path yet")]
    StartStopped {
        /// The number of events until then.
        events: usize,
    },
    /// `Settings::start_limit` was reached in the search for the first solution.
    #[error(
        "the limit of {events} events was reached before the first solution of the path was found: raise the limit, or give a better start"
    )]
    StartLimit {
        /// The number of events allowed.
        events: usize,
    },
    /// The solution fails the audit, also after it was computed again from a fresh factor.
    #[error(
        "the solution at t = {t} fails its check: variable {index} is off by {violation} (allowed: {allowed}); scale the columns alike, or follow the line from its other end"
    )]
    Inaccurate {
        /// The position.
        t: String,
        /// The worst variable.
        index: usize,
        /// The size of the violation.
        violation: String,
        /// The size allowed.
        allowed: String,
    },
    /// A checkpoint of another problem or line, or a damaged one.
    #[error("the checkpoint does not belong to this problem ({reason}); begin the path again")]
    Checkpoint {
        /// What does not fit.
        reason: &'static str,
    },
    /// The problem itself turned out to be wrong on the way: H is indefinite.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// x is not unique: it can move along a direction in which no variable has a bound.
    #[error("x is not unique along a direction in which variable {index} has no bound: bound this variable")]
    FreeDirection {
        /// A variable that moves along that direction.
        index: usize,
    },
}

impl PathError {
    /// This error of a second attempt where it is no failure but a wish, or that of the first one.
    pub(crate) fn or(self, first: PathError) -> PathError {
        if matches!(self, PathError::StartStopped { .. } | PathError::StartLimit { .. }) { self } else { first }
    }

    /// Whether rounding may be the cause, so that a wider scalar has an answer.
    pub(crate) fn is_of_rounding(&self) -> bool {
        use PathError::{Cycle, Inaccurate, StartDependent, StartNotOptimal, StartOffRow, StartOutsideBounds};
        matches!(
            self,
            Cycle { .. }
                | Inaccurate { .. }
                | StartDependent { .. }
                | StartNotOptimal { .. }
                | StartOffRow { .. }
                | StartOutsideBounds { .. }
        )
    }
}

/// Why a path could not be approximated.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ApproximationError {
    /// A tolerance that is negative or not finite.
    #[error("the tolerance is {value}: it must be a finite number that is not negative")]
    Tolerance {
        /// The value.
        value: String,
    },
    /// A line other than the one that the path was followed on.
    #[error("the path was followed on another line; approximate it on its own")]
    OtherLine,
    /// A path that is already approximate.
    #[error("the path is already approximate; approximate the exact path")]
    Approximate,
    /// A tolerance that is no positive finite number, for a path of inexact solutions.
    #[error("the tolerance is {value}: for inexact solutions it must be a positive finite number")]
    Positive {
        /// The value.
        value: String,
    },
    /// A problem with rows other than a single equality row.
    #[error(
        "a path of inexact solutions needs a problem with bounds and at most one equality row; this one has other rows: follow the exact path"
    )]
    Rows,
    /// A variable without a lower or an upper bound.
    #[error("variable {} has no bound on one side, so that inexact solutions have no finite duality gap: follow the exact path", variable + 1)]
    Bound {
        /// Its index.
        variable: usize,
    },
    /// A line without an end.
    #[error("a path of inexact solutions needs an end: the line is a ray")]
    Ray,
    /// The observer stopped the search for the first point.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// What can be wrong with a branch of an envelope.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BranchError {
    /// A number that is NaN or infinite.
    #[error("{what} of the branch has {value}: it must be a finite number")]
    NotFinite {
        /// The name of the number.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// An interval that ends before it begins.
    #[error("the branch runs from {from} to {to}: give its ends in ascending order")]
    Interval {
        /// Where it begins.
        from: String,
        /// Where it ends.
        to: String,
    },
    /// A denominator that is not positive.
    #[error(
        "the denominator of the branch is {value} at {at}: it must be positive on the whole interval (where it is negative change the sign of both polynomials, where it vanishes cut the interval)"
    )]
    Denominator {
        /// The end of the interval.
        at: String,
        /// The value of the denominator there.
        value: String,
    },
    /// A numerator or denominator so large or small that products of it would overflow or underflow.
    #[error(
        "the {what} of the branch has the sizes {values:?} on its interval: they are at most 1e100, and of denominators at least 1e-100; scale the branches"
    )]
    Size {
        /// "numerator" or "denominator".
        what: &'static str,
        /// Its Bernstein coefficients on the interval, or the sizes of their terms.
        values: Vec<String>,
    },
    /// Functions to be added that have different denominators or origins.
    #[error("the denominators {left} and {right} differ: only functions with the same one have a sum of the same form")]
    Denominators {
        /// The denominator of the first.
        left: String,
        /// The denominator of the second.
        right: String,
    },
}
