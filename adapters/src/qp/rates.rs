//! The rates of a program that was read from QPS: a JSON document with the keys of a program, whose entries are found by name or by their order in the file.
//!
//! ```json
//! {"c": {"X1": 0.5}, "rows": {"CAPACITY": {"upper": -2}}, "from": 0, "to": 1}
//! {"c": [0.5, 0], "upper": [null, 1], "rows": [{"lower": 0, "upper": -2}]}
//! ```
//!
//! A rate is a number. If a pair [value, rate] is given, the value must be zero or that of the file. Entries that are null or missing do not move.

use super::document::{list, number, parse, range, short};
use super::program::{Moving, Program};
use super::wrong;
use crate::error::AdapterError;
use serde_json::Value;

/// The keys that there are: A and H do not move.
const KEYS: [&str; 6] = ["c", "lower", "upper", "rows", "from", "to"];

/// Sets the rates of a program whose rows have the names `rows`, from the text of a document.
///
/// # Errors
/// [`AdapterError::Entry`] with the key and index of an entry that cannot be used.
pub fn read(program: &mut Program, rows: &[String], text: &str) -> Result<(), AdapterError> {
    let document = parse(text, &KEYS)?;
    let variables = program.names.clone().unwrap_or_default();
    // What is maximised is kept with the opposite sign.
    let sign = if program.maximised { -1.0 } else { 1.0 };
    for (j, place, value) in entries("c", document.get("c"), &variables)? {
        let [was, _] = program.c[j];
        if let Some(rate) = rate(&place, value, sign * was)? {
            program.c[j][1] = sign * rate;
        }
    }
    for (key, bounds) in [("lower", &mut program.lower), ("upper", &mut program.upper)] {
        for (j, place, value) in entries(key, document.get(key), &variables)? {
            set(&mut bounds[j], &place, value)?;
        }
    }
    for (r, place, value) in entries("rows", document.get("rows"), rows)? {
        let Value::Object(parts) = value else {
            // One rate for both.
            let sides = [&mut program.row_lower[r], &mut program.row_upper[r]];
            if sides.iter().all(|side| side.is_none()) && !value.is_null() {
                return Err(wrong(place, "the row has no bound to move"));
            }
            sides.into_iter().filter(|side| side.is_some()).try_for_each(|side| set(side, &place, value))?;
            continue;
        };
        for (key, value) in parts {
            let place = format!("{place}.{key}");
            match key.as_str() {
                "lower" => set(&mut program.row_lower[r], &place, value)?,
                "upper" => set(&mut program.row_upper[r], &place, value)?,
                _ => return Err(wrong(place, "does not move: the rates of a row are lower and upper")),
            }
        }
    }
    program.range = range(&document, program.range)?;
    Ok(())
}

/// Places, their words and values: of a list in the order of `names`, or of an object by name or number.
fn entries<'a>(
    key: &str,
    value: Option<&'a Value>,
    names: &[String],
) -> Result<Vec<(usize, String, &'a Value)>, AdapterError> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(map)) => {
            let find = |(name, value): (&'a String, &'a Value)| {
                let number = || name.parse::<usize>().ok().filter(|i| *i < names.len());
                let place = format!("{key}.{name}");
                let i = names.iter().position(|other| other == name).or_else(number);
                let i = i.ok_or_else(|| wrong(&place, "the QPS file has nothing of this name"))?;
                Ok((i, place, value))
            };
            map.iter().map(find).collect()
        }
        Some(value) => {
            let list = list(key, value)?;
            if list.len() != names.len() {
                return Err(wrong(key, format!("{} entries, and the QPS file has {}", list.len(), names.len())));
            }
            Ok(list.iter().enumerate().map(|(i, value)| (i, format!("{key}[{i}]"), value)).collect())
        }
    }
}

/// A rate; none where it stays.
fn rate(place: &str, value: &Value, was: f64) -> Result<Option<f64>, AdapterError> {
    match value {
        Value::Null => Ok(None),
        Value::Array(pair) if pair.len() == 2 => {
            let given = number(&format!("{place}[0]"), &pair[0])?;
            if given != 0.0 && given != was {
                let reason = format!("{given} where the QPS file has {was}: give the rate alone, or correct the value");
                return Err(wrong(format!("{place}[0]"), reason));
            }
            number(&format!("{place}[1]"), &pair[1]).map(Some)
        }
        Value::Number(_) => number(place, value).map(Some),
        other => Err(wrong(place, format!("{} where a rate is needed, a number", short(other)))),
    }
}

/// Sets the rate of a bound.
fn set(bound: &mut Option<Moving>, place: &str, value: &Value) -> Result<(), AdapterError> {
    let was = bound.map_or(0.0, |[value, _]| value);
    match (bound, rate(place, value, was)?) {
        (Some(bound), Some(rate)) => bound[1] = rate,
        (None, Some(rate)) if rate != 0.0 => {
            return Err(wrong(place, format!("{rate} for a bound that the QPS file does not have")));
        }
        _ => {}
    }
    Ok(())
}
