//! A program as a JSON document. Indices in messages count from zero.
//!
//! ```json
//! {"z": [[1, 0], [0, 1]], "c": [[-1, 0], [0, 1]], "lower": [[0, 0], null], "rows": [{"a": [1, 1], "upper": [1, 0.5]}], "from": 0, "to": 1}
//! ```
//!
//! For maps in p parameters, a moving number is [value, rate 1, …, rate p] instead of [value, rate]; p follows from the length of the first list of c.

use super::program::{Hessian, Program, Rates};
use super::wrong;
use crate::dataset::Features;
use crate::error::AdapterError;
use serde_json::{Map, Value};

/// The keys that there are.
const KEYS: [&str; 9] = ["z", "h", "c", "lower", "upper", "rows", "from", "to", "constant"];

/// The program of a document.
///
/// # Errors
/// [`AdapterError::Entry`] with line and column of text that is not JSON, or with the key and index of an entry that cannot be used.
pub fn read(text: &str) -> Result<Program, AdapterError> {
    let document = parse(text, &KEYS)?;
    let get = |key: &str| document.get(key).filter(|value| !value.is_null());
    let c = get("c").ok_or_else(|| wrong("c", "is missing: give a pair [value, rate] a variable"))?;
    let c = list("c", c)?;
    let p = c.iter().find_map(|v| v.as_array()).map_or(1, |numbers| numbers.len().saturating_sub(1).max(1));
    let c = c.iter().enumerate().map(|(j, v)| moving(&format!("c[{j}]"), v, p));
    let c = c.collect::<Result<Vec<Law>, _>>()?;
    let n = c.len();
    if n == 0 {
        return Err(wrong("c", "is empty: a program has at least one variable"));
    }
    let hessian = match (get("z"), get("h")) {
        (None, None) => Hessian::Zero,
        (Some(z), None) => Hessian::Factor(matrix("z", z, n, None)?),
        (None, Some(h)) => Hessian::Entries(matrix("h", h, n, Some(n))?),
        (Some(_), Some(_)) => return Err(wrong("h", "z is given as well: give one of them")),
    };
    let side = |key: &str| get(key).map_or_else(|| Ok(vec![None; n]), |value| sides(key, value, (n, p)));
    let (lower, upper) = (side("lower")?, side("upper")?);
    let rows = get("rows").map_or_else(|| Ok(Table::default()), |rows| table(rows, (n, p)))?;
    let constant = get("constant").map_or_else(|| Ok(vec![0.0; p + 1]), |value| moving("constant", value, p))?;
    let further = (2..=p).map(|k| {
        let of = |laws: &[Option<Law>]| laws.iter().map(|law| law.as_ref().map_or(0.0, |law| law[k])).collect();
        Rates {
            c: c.iter().map(|law| law[k]).collect(),
            bounds: [of(&lower), of(&upper), of(&rows.lower), of(&rows.upper)],
            constant: constant[k],
        }
    });
    let first = |laws: &[Option<Law>]| laws.iter().map(|law| law.as_ref().map(|law| [law[0], law[1]])).collect();
    Ok(Program {
        hessian,
        further: further.collect(),
        c: c.iter().map(|law| [law[0], law[1]]).collect(),
        lower: first(&lower),
        upper: first(&upper),
        row_lower: first(&rows.lower),
        row_upper: first(&rows.upper),
        rows: assemble(n, rows.a),
        range: range(&document, [0.0, 1.0])?,
        constant: [constant[0], constant[1]],
        maximised: false,
        names: None,
    })
}

/// What moves: a value and p rates.
type Law = Vec<f64>;

/// An object without keys other than these.
pub(super) fn parse(text: &str, keys: &[&str]) -> Result<Map<String, Value>, AdapterError> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or_default().to_owned();
        wrong(
            format!("line {}, column {}", error.line(), error.column()),
            format!("not a JSON document ({reason}): correct it"),
        )
    })?;
    let Value::Object(document) = value else {
        return Err(wrong("the document", "must be an object {…} of the program's parts"));
    };
    match document.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(wrong(key, format!("is not a key of a program: use {}", keys.join(", ")))),
        None => Ok(document),
    }
}

/// Where the path begins and ends.
pub(super) fn range(document: &Map<String, Value>, or: [f64; 2]) -> Result<[f64; 2], AdapterError> {
    let end = |key: &str, or: f64| match document.get(key) {
        None | Some(Value::Null) => Ok(or),
        Some(Value::String(word)) if key == "to" && word == "inf" => Ok(f64::INFINITY),
        Some(value) => number(key, value),
    };
    let [from, to] = [end("from", or[0])?, end("to", or[1])?];
    if from == to {
        return Err(wrong("to", format!("{to}, which is also where the path begins: give another end")));
    }
    Ok([from, to])
}

/// A finite number.
pub(super) fn number(place: &str, value: &Value) -> Result<f64, AdapterError> {
    let found = value.as_f64().filter(|v| v.is_finite());
    found.ok_or_else(|| wrong(place, format!("{} where a finite number is needed", short(value))))
}

/// A value with p rates, or a number that does not move.
fn moving(place: &str, value: &Value, p: usize) -> Result<Law, AdapterError> {
    match value {
        Value::Number(_) => Ok([vec![number(place, value)?], vec![0.0; p]].concat()),
        Value::Array(law) if law.len() == p + 1 => {
            law.iter().enumerate().map(|(k, v)| number(&format!("{place}[{k}]"), v)).collect()
        }
        other if p == 1 => Err(wrong(place, format!("{} where a pair [value, rate] is needed", short(other)))),
        other => Err(wrong(place, format!("{} where a value and {p} rates are needed, as c has them", short(other)))),
    }
}

/// The same, or null where there is no bound.
fn bound(place: &str, value: Option<&Value>, p: usize) -> Result<Option<Law>, AdapterError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => moving(place, value, p).map(Some),
    }
}

pub(super) fn list<'a>(place: &str, value: &'a Value) -> Result<&'a [Value], AdapterError> {
    let list = value.as_array().map(Vec::as_slice);
    list.ok_or_else(|| wrong(place, format!("{} where a list is needed", short(value))))
}

/// n bounds.
fn sides(key: &str, value: &Value, (n, p): (usize, usize)) -> Result<Vec<Option<Law>>, AdapterError> {
    let list = list(key, value)?;
    if list.len() != n {
        return Err(wrong(key, format!("{} entries, and c has {n}", list.len())));
    }
    list.iter().enumerate().map(|(j, v)| bound(&format!("{key}[{j}]"), Some(v), p)).collect()
}

/// The entries of a row by their columns, of which there are `width`: from a list of numbers, or an object {"column": number}.
fn row(place: &str, value: &Value, width: usize) -> Result<Vec<(u32, f64)>, AdapterError> {
    let mut entries = match value {
        Value::Array(list) => {
            if list.len() != width {
                return Err(wrong(place, format!("{} numbers where {width} are needed", list.len())));
            }
            let entry = |(j, v): (usize, &Value)| Ok((j as u32, number(&format!("{place}[{j}]"), v)?));
            list.iter().enumerate().map(entry).collect::<Result<Vec<_>, AdapterError>>()?
        }
        Value::Object(entries) => {
            let entry = |(key, v): (&String, &Value)| {
                let inside = key.trim().parse::<u32>().ok().filter(|j| (*j as usize) < width);
                let last = width.saturating_sub(1);
                let missing =
                    || wrong(format!("{place}.{key}"), format!("no column: they are numbered from 0 to {last}"));
                Ok((inside.ok_or_else(missing)?, number(&format!("{place}.{key}"), v)?))
            };
            entries.iter().map(entry).collect::<Result<Vec<_>, AdapterError>>()?
        }
        other => {
            let needed = "where a list of numbers or an object {\"index\": number} is needed";
            return Err(wrong(place, format!("{} {needed}", short(other))));
        }
    };
    entries.sort_by_key(|entry| entry.0);
    match entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(wrong(place, format!("column {} is there twice", pair[0].0))),
        None => Ok(entries),
    }
}

/// A matrix of n rows; its width is that of its first list unless told otherwise.
fn matrix(key: &str, value: &Value, n: usize, width: Option<usize>) -> Result<Features, AdapterError> {
    let list = list(key, value)?;
    if list.len() != n {
        return Err(wrong(key, format!("{} rows, and c has {n} entries", list.len())));
    }
    let width = width.or_else(|| list.iter().find_map(|row| row.as_array().map(Vec::len)));
    let width = width.ok_or_else(|| wrong(key, "no row is a list: give at least one as a list of numbers"))?;
    let rows = list.iter().enumerate().map(|(i, v)| row(&format!("{key}[{i}]"), v, width));
    Ok(assemble(width, rows.collect::<Result<Vec<_>, _>>()?))
}

/// Rows of entries, in the order of their columns, as a matrix.
pub(super) fn assemble(columns: usize, rows: Vec<Vec<(u32, f64)>>) -> Features {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in &rows {
        for &(j, v) in row.iter().filter(|entry| entry.1 != 0.0) {
            indices.push(j);
            values.push(v);
        }
        starts.push(values.len());
    }
    Features::Sparse { rows: rows.len(), columns, starts, indices, values }.compact()
}

/// The rows of a document.
#[derive(Default)]
struct Table {
    a: Vec<Vec<(u32, f64)>>,
    lower: Vec<Option<Law>>,
    upper: Vec<Option<Law>>,
}

fn table(value: &Value, (n, p): (usize, usize)) -> Result<Table, AdapterError> {
    let mut table = Table::default();
    for (r, value) in list("rows", value)?.iter().enumerate() {
        let place = format!("rows[{r}]");
        let Value::Object(parts) = value else {
            return Err(wrong(place, format!("{} where an object of a, lower and upper is needed", short(value))));
        };
        if let Some(key) = parts.keys().find(|key| !["a", "lower", "upper"].contains(&key.as_str())) {
            return Err(wrong(format!("{place}.{key}"), "is not a key of a row: use a, lower, upper"));
        }
        let a = parts.get("a").ok_or_else(|| wrong(&place, "a is missing: the row's coefficients"))?;
        table.a.push(row(&format!("{place}.a"), a, n)?);
        table.lower.push(bound(&format!("{place}.lower"), parts.get("lower"), p)?);
        table.upper.push(bound(&format!("{place}.upper"), parts.get("upper"), p)?);
    }
    Ok(table)
}

/// A value for a message, cut short.
pub(super) fn short(value: &Value) -> String {
    const MOST: usize = 40;
    let text = value.to_string();
    if text.chars().count() <= MOST { text } else { text.chars().take(MOST).collect::<String>() + "…" }
}
