//! Errors of statistical problems.

use pathqp::{PathError, ProblemError};

/// Errors of a problem, or of a question about it. Rows and columns count from zero unless it says otherwise.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdapterError {
    /// A parameter outside its range.
    #[error("{name} = {value}: it must {expected}")]
    Parameter {
        /// The name of the parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The requirement, to follow "it must".
        expected: &'static str,
    },
    /// A parameter that does not vary and was given no value.
    #[error("{name} has no value: give one, because it is held fixed while {vary} varies")]
    Missing {
        /// The name of the parameter.
        name: &'static str,
        /// The parameter that varies.
        vary: String,
    },
    /// A value of a parameter that has no meaning on this line.
    #[error("{name} is not used while {vary} varies in this way: leave it out")]
    Unused {
        /// The name of the parameter.
        name: String,
        /// The parameter that varies.
        vary: String,
    },
    /// A parameter that cannot vary, or not along such a line.
    #[error("{vary} cannot vary here: {reason}")]
    Vary {
        /// The parameter.
        vary: String,
        /// The reason, and which parameters can vary.
        reason: String,
    },
    /// A constant feature that is not finite, or zero.
    #[error("the augmented bias {value} must be a finite number other than zero")]
    AugmentedBias {
        /// The value given.
        value: f64,
    },
    /// A list of the wrong length.
    #[error("{found} {what} for {expected} rows of features: give one per row")]
    Shape {
        /// The name of the list.
        what: &'static str,
        /// The number of rows.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// A label that is neither +1 nor −1.
    #[error("the label of row {row} is {value}: it must be +1 or -1")]
    Label {
        /// The row.
        row: usize,
        /// The label.
        value: f64,
    },
    /// A response that is not finite.
    #[error("the response of row {row} is {value}: it must be a finite number")]
    Response {
        /// The row.
        row: usize,
        /// The response.
        value: f64,
    },
    /// All rows are of one class.
    #[error("only one class ({class:+}) in {rows} rows: give rows of both classes")]
    OneClass {
        /// That class, +1 or −1.
        class: f64,
        /// The number of rows.
        rows: usize,
    },
    /// A case weight that is negative or not finite.
    #[error("the weight of row {row} is {value}: it must be a finite number that is not negative")]
    Weight {
        /// The row.
        row: usize,
        /// The weight.
        value: f64,
    },
    /// A problem in one feature was given none or several.
    #[error("{found} feature columns where the problem has one: name it, or leave the others out")]
    OneFeature {
        /// The number of columns.
        found: usize,
    },
    /// Too few distinct values of a feature.
    #[error("the feature has {found} distinct values with a positive weight: at least {needed} are needed")]
    Distinct {
        /// The number of distinct values.
        found: usize,
        /// The number that is needed.
        needed: usize,
    },
    /// No levels of quantiles.
    #[error("no levels of quantiles: give at least one number between 0 and 1")]
    NoLevels,
    /// A level of a quantile that is not strictly between 0 and 1.
    #[error("level {} of the quantiles is {value}: it must lie strictly between 0 and 1", index + 1)]
    Level {
        /// Its index.
        index: usize,
        /// The value given.
        value: f64,
    },
    /// A level that is not larger than the one before it.
    #[error("level {} of the quantiles is {value}, and the one before it {before}: give each level once, in rising order", index + 1)]
    LevelOrder {
        /// Its index.
        index: usize,
        /// The value given.
        value: f64,
        /// The level before it.
        before: f64,
    },
    /// All case weights are zero.
    #[error("the weights of all {rows} rows are zero: at least one must be positive")]
    NoWeight {
        /// The number of rows.
        rows: usize,
    },
    /// All case weights of one class are zero.
    #[error(
        "the weights of all {rows} rows of the class {class:+} are zero: at least one in each class must be positive"
    )]
    NoWeightInClass {
        /// The class without weight.
        class: f64,
        /// The number of its rows.
        rows: usize,
    },
    /// Rows to predict with another number of columns than the training data.
    #[error("{found} feature columns, and the training data have {expected}: give the same columns")]
    Columns {
        /// The number of columns of the training data.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// A precomputed kernel that is not square.
    #[error("a precomputed kernel needs as many columns as rows: {rows} rows, {columns} columns")]
    Precomputed {
        /// The number of its rows.
        rows: usize,
        /// The number of its columns.
        columns: usize,
    },
    /// A precomputed kernel that is not symmetric.
    #[error(
        "a precomputed kernel must be symmetric: it has {} in row {row}, column {column}, and {} in row {column}, column {row} (both from zero)",
        values.0, values.1
    )]
    Asymmetric {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The entry there, and the one across the diagonal.
        values: (f64, f64),
    },
    /// A question that has no answer for this problem or path.
    #[error("there is no {what}")]
    NoAnswer {
        /// The question.
        what: &'static str,
    },
    /// A beginning or end of a path outside the range of its parameter.
    #[error("{name} = {value}: it must lie between {low} and {high}")]
    EndOutside {
        /// Whether it is the end of the path, and not its beginning.
        is_end: bool,
        /// The parameter.
        name: String,
        /// The value.
        value: f64,
        /// The least value.
        low: f64,
        /// The largest value.
        high: f64,
    },
    /// A path without a beginning or an end, where there is no natural one.
    #[error("{name} has no natural end: give the value at which the path {}", if *is_end { "ends" } else { "begins" })]
    EndMissing {
        /// Whether it is the end that is missing, and not the beginning.
        is_end: bool,
        /// The parameter.
        name: String,
    },
    /// A path that is to end where it begins.
    #[error("the path from {name} = {value} to {value} has no length: give two different values")]
    NoLength {
        /// The parameter.
        name: String,
        /// The value.
        value: f64,
    },
    /// An unknown problem.
    #[error("this program has no problem named {name}: use the program that wrote the file")]
    NoProblem {
        /// The name.
        name: String,
    },
    /// An option that has no meaning together with the others.
    #[error("{option} {reason}")]
    Meaningless {
        /// The option.
        option: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// A table, list or number that the problem needs is missing.
    #[error("{table} is missing: {needed}")]
    TableMissing {
        /// Its name.
        table: &'static str,
        /// What is needed, in words.
        needed: &'static str,
    },
    /// An error of one of the tables that the problem is made from.
    #[error("{table}: {error}")]
    Table {
        /// Its name.
        table: &'static str,
        /// The error.
        error: Box<AdapterError>,
    },
    /// An entry of a program, or a line of its file, that cannot be used.
    #[error("{place}: {reason}")]
    Entry {
        /// Its place: a key with its indices, counted from zero, or a line.
        place: String,
        /// What is wrong, and what is needed.
        reason: String,
    },
    /// Rows with another number of bounds than rows.
    #[error("{found} {what} for {expected} rows: give one per row")]
    RowBounds {
        /// The name of the bounds.
        what: &'static str,
        /// The number of rows.
        expected: usize,
        /// The number of bounds.
        found: usize,
    },
    /// A row with a lower bound above its upper bound, or with a bound that no number satisfies.
    #[error("{row}: no number lies between the lower bound {lower} and the upper bound {upper}: correct one of them")]
    RowCrossed {
        /// The name of the row: its index from zero, or its line.
        row: String,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// Rows that cannot be satisfied together: a weighted sum of them is out of reach within the bounds ([`pathqp::rows::Proof`]).
    #[error(
        "no {what} satisfy all constraints: those of {} contradict each other or the bounds; change one of them",
        weighted(rows)
    )]
    Conflict {
        /// What the rows belong to.
        what: &'static str,
        /// For each row its name and its weight in the sum.
        rows: Vec<(String, String)>,
    },
    /// A table whose columns cannot be matched with those of another one.
    #[error("{table}: compared with {other}, {error}; give the assets the same names in all tables, in any order")]
    Tables {
        /// Its name.
        table: &'static str,
        /// The name of the table that it is compared with.
        other: &'static str,
        /// The error.
        error: Box<AdapterError>,
    },
    /// A table with the wrong number of columns.
    #[error("{found} columns, and {expected} are needed: {what}")]
    TableColumns {
        /// Its name.
        table: &'static str,
        /// The number of its columns.
        found: usize,
        /// The number that is needed.
        expected: usize,
        /// Which columns are needed.
        what: &'static str,
    },
    /// A state with the wrong number of entries.
    #[error("{name} has {found} numbers, and the plant has {expected} states: give one number per state")]
    States {
        /// Its name.
        name: &'static str,
        /// The number of entries given.
        found: usize,
        /// The number of states.
        expected: usize,
    },
    /// An edge of a graph between values that the signal does not have.
    #[error("edge {edge} joins {a} and {b}; use two different rows of the signal, from 1 to {rows}")]
    Edge {
        /// The edge, counted from one.
        edge: usize,
        /// One end, as in the table.
        a: f64,
        /// The other end.
        b: f64,
        /// The number of values of the signal.
        rows: usize,
    },
    /// An unknown column.
    #[error("no column is named '{name}': correct the name, or add the column")]
    NoColumn {
        /// Its name.
        name: String,
    },
    /// A value of the parameter that the path does not cover.
    #[error("{name} = {value}: the path covers {from} to {to}, choose a value between them")]
    OffPath {
        /// The parameter.
        name: String,
        /// The value.
        value: f64,
        /// The value at which the path begins.
        from: f64,
        /// The value at which it ends.
        to: f64,
    },
    /// There are no rows to validate on.
    #[error("no rows to validate on: give rows of both classes")]
    NoRows,
    /// A path without segments.
    #[error("the path was stopped before its first segment: allow more events or more time")]
    NoSegments,
    /// A path that stopped before its end.
    #[error("a path stopped at position {reached} of {length}: choose a range that ends before it")]
    Stopped {
        /// The position where it stopped.
        reached: f64,
        /// The length of its line.
        length: f64,
    },
    /// Bounds between which no weights sum to one.
    #[error(
        "no feasible portfolio: the lower bounds sum to {least} and the upper bounds to {most}, and 1 must lie between them; change the bounds"
    )]
    Budget {
        /// The sum of the lower bounds.
        least: f64,
        /// The sum of the upper bounds.
        most: f64,
    },
    /// Too few periods for a covariance.
    #[error("{periods} rows of returns: a covariance needs at least two")]
    Periods {
        /// The number of periods.
        periods: usize,
    },
    /// A return that no efficient portfolio has.
    #[error("no efficient portfolio has the return {value}: choose one from {least} to {most}")]
    Return {
        /// The return.
        value: f64,
        /// The least return on the path.
        least: f64,
        /// The largest return on the path; infinite where returns grow without bound.
        most: f64,
    },
    /// A risk that no efficient portfolio has.
    #[error("no efficient portfolio has the risk {value}: choose one from {least} to {most}")]
    Risk {
        /// The risk.
        value: f64,
        /// The least risk on the path.
        least: f64,
        /// The largest risk on the path; infinite where risks grow without bound.
        most: f64,
    },
    /// A table whose names differ from those of the tables before.
    #[error("the names of the columns differ{}{}", listed("missing", missing), listed("unknown", unknown))]
    Names {
        /// Names of the tables before that this table lacks.
        missing: Vec<String>,
        /// Names of this table that the tables before lack.
        unknown: Vec<String>,
    },
    /// A name that occurs twice in a table whose columns are in another order, so that it cannot be matched.
    #[error("two assets have the name '{name}', and the tables have them in different orders: rename one of them")]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// A price that is not positive.
    #[error("the price in row {row}, column {column} is {value}: it must be positive and finite")]
    Price {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The price.
        value: f64,
    },
    /// A signal too short for its differences.
    #[error("{values} values: trend filtering of order {order} needs at least {}", order.saturating_add(2))]
    ShortSignal {
        /// The order k of the piecewise polynomials.
        order: usize,
        /// The number of values.
        values: usize,
    },
    /// Folds that cannot be made of the rows.
    #[error(
        "{folds} folds of {rows} rows, {least} of them in the rarer class: use from 2 to {rows} folds, and at least 2 rows of each class"
    )]
    Folds {
        /// The number of folds.
        folds: usize,
        /// The number of rows.
        rows: usize,
        /// The number of rows in the smaller class.
        least: usize,
    },
    /// The quadratic program could not be posed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A path that leads to the answer could not be followed.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// The most names that a message lists.
const LISTED: usize = 5;

/// ", what: 'a', 'b'"; nothing for no names.
fn listed(what: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let first: Vec<String> = names.iter().take(LISTED).map(|name| format!("'{name}'")).collect();
    format!(", {what}: {}{}", first.join(", "), and_more(names.len()))
}

/// " and 3 more", of a list that is cut.
fn and_more(count: usize) -> String {
    match count.saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

/// "line 2 (times 1), line 5 (times -1)".
fn weighted(rows: &[(String, String)]) -> String {
    let first: Vec<String> = rows.iter().take(LISTED).map(|(row, weight)| format!("{row} (times {weight})")).collect();
    format!("{}{}", first.join(", "), and_more(rows.len()))
}

/// A positive finite number.
///
/// # Errors
/// [`AdapterError::Parameter`].
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64, AdapterError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(AdapterError::Parameter { name, value, expected: "be a positive finite number" })
    }
}
