//! QPS, the text form of quadratic programs (Maros and Mészáros 1999, doi:10.1080/10556789908805768): MPS with the entries of H.
//!
//! ```text
//! minimise   ½ xᵀQx + cᵀx − constant      RHS of the objective row: the constant
//! rows       L: aᵀx ≤ b    G: aᵀx ≥ b    E: aᵀx = b        RANGES r:   L: b − |r| ≤ aᵀx,  G: aᵀx ≤ b + |r|,  E: between b and b + r
//! bounds     0 ≤ x unless told otherwise; an upper bound below zero alone leaves x without a lower one
//! ```
//!
//! QUADOBJ contains one triangle of Q, QMATRIX every entry. Whether a file is in free form (words) or fixed form (names may contain blanks) is found by trying
//! to read it.

use super::document::assemble;
use super::program::{Hessian, Moving, Program};
use super::wrong;
use crate::error::AdapterError;
use std::collections::BTreeMap;

/// A bound of at least this size is none, by the format's custom.
const INFINITE: f64 = 1e20;

/// The columns in which the six fields of fixed form lie.
const FIELDS: [(usize, usize); 6] = [(1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61)];

/// A program and the names of its rows, as read from QPS.
pub struct Read {
    /// The program; all rates are zero.
    pub program: Program,
    /// The names of the rows, m entries.
    pub rows: Vec<String>,
}

/// Reads a program from the text of a QPS file.
///
/// # Errors
/// [`AdapterError::Entry`] names the line.
pub fn read(text: &str) -> Result<Read, AdapterError> {
    // What cannot be read word by word may have blanks in its names.
    Reader::read(text, words).or_else(|error| Reader::read(text, fixed).map_err(|_| error))
}

/// The words of a line.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// The fields of a line in fixed form that are not empty; an empty name of a set between others is left out.
fn fixed(line: &str) -> Vec<&str> {
    let field = |&(from, to): &(usize, usize)| line.get(from..to.min(line.len())).unwrap_or("").trim();
    FIELDS.iter().map(field).filter(|field| !field.is_empty()).collect()
}

/// What a row is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Less,
    Greater,
    Equal,
}

/// Where a row's name leads.
#[derive(Clone, Copy)]
enum Place {
    Objective,
    /// A further row without bounds, which says nothing.
    Free,
    Row(usize),
}

#[derive(Default)]
struct Reader {
    maximised: bool,
    objective: bool,
    kinds: Vec<Kind>,
    names: Vec<String>,
    rows: BTreeMap<String, Place>,
    columns: BTreeMap<String, usize>,
    variables: Vec<String>,
    c: Vec<f64>,
    constant: f64,
    /// Entries of A by row: column and value.
    entries: Vec<BTreeMap<u32, f64>>,
    right: Vec<f64>,
    ranges: Vec<Option<f64>>,
    lower: Vec<Option<f64>>,
    upper: Vec<Option<f64>>,
    /// Whether a lower bound was given.
    told: Vec<bool>,
    /// Entries of Q by row.
    quadratic: Vec<BTreeMap<u32, f64>>,
}

impl Reader {
    fn read(text: &str, fields: fn(&str) -> Vec<&str>) -> Result<Read, AdapterError> {
        let (mut reader, mut section, mut ended) = (Reader::default(), String::new(), false);
        for (k, line) in text.lines().enumerate() {
            let at = |reason: String| wrong(format!("line {}", k + 1), reason);
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('*') || ended {
                continue;
            }
            if !line.starts_with([' ', '\t']) {
                let mut head = line.split_whitespace();
                section = head.next().unwrap_or_default().to_ascii_uppercase();
                ended = section == "ENDATA";
                reader.section(&section, head.next()).map_err(at)?;
                continue;
            }
            reader.line(&section, &fields(line)).map_err(at)?;
        }
        let last =
            || wrong(format!("line {}", text.lines().count().max(1)), "ENDATA is missing: the file is cut short");
        if ended { reader.finish() } else { Err(last()) }
    }

    fn section(&mut self, name: &str, rest: Option<&str>) -> Result<(), String> {
        match name {
            "OBJSENSE" => rest.map_or(Ok(()), |word| self.sense(word)),
            "NAME" | "ROWS" | "COLUMNS" | "RHS" | "RANGES" | "BOUNDS" | "QUADOBJ" | "QMATRIX" | "ENDATA" => Ok(()),
            "OBJSENSEMAX" | "MAX" | "MAXIMIZE" => self.sense("MAX"),
            other => Err(format!(
                "the section {other} is not supported: use NAME, OBJSENSE, ROWS, COLUMNS, RHS, RANGES, BOUNDS, QUADOBJ, QMATRIX, ENDATA"
            )),
        }
    }

    fn sense(&mut self, word: &str) -> Result<(), String> {
        self.maximised = match word.to_ascii_uppercase().as_str() {
            "MAX" | "MAXIMIZE" | "MAXIMISE" => true,
            "MIN" | "MINIMIZE" | "MINIMISE" => false,
            other => return Err(format!("{other} where MIN or MAX is needed")),
        };
        Ok(())
    }

    fn line(&mut self, section: &str, fields: &[&str]) -> Result<(), String> {
        match (section, fields) {
            ("OBJSENSE", [word]) => self.sense(word),
            ("ROWS", [kind, name]) => self.row(kind, name),
            ("COLUMNS", [_, marker, _]) if marker.trim_matches('\'') == "MARKER" => {
                Err("integer variables are not supported: remove the markers".into())
            }
            ("COLUMNS", [column, pairs @ ..]) => {
                let j = self.column(column);
                each(pairs, |row, value| self.coefficient(j, row, value))
            }
            ("RHS", fields) => each(&fields[fields.len() % 2..], |row, value| self.right_side(row, value)),
            ("RANGES", fields) => each(&fields[fields.len() % 2..], |row, value| self.range(row, value)),
            ("BOUNDS", [kind, rest @ ..]) => self.bound(&kind.to_ascii_uppercase(), rest),
            ("QUADOBJ" | "QMATRIX", [column, pairs @ ..]) => {
                let j = self.known(column)?;
                each(pairs, |row, value| self.product(j, row, value, section == "QUADOBJ"))
            }
            ("" | "NAME" | "ENDATA", _) => Err("a line of data before the first section: check the file".into()),
            (section, fields) => Err(format!("'{}' is not a valid line of {section}: correct it", fields.join(" "))),
        }
    }

    fn row(&mut self, kind: &str, name: &str) -> Result<(), String> {
        let kind = match kind.to_ascii_uppercase().as_str() {
            "N" => None,
            "L" => Some(Kind::Less),
            "G" => Some(Kind::Greater),
            "E" => Some(Kind::Equal),
            other => return Err(format!("row '{name}' is of kind {other}, which must be N, L, G or E")),
        };
        let place = match kind {
            None if self.objective => Place::Free,
            None => Place::Objective,
            Some(_) => Place::Row(self.kinds.len()),
        };
        self.objective |= kind.is_none();
        if let Some(kind) = kind {
            self.kinds.push(kind);
            self.names.push(name.into());
            self.right.push(0.0);
            self.ranges.push(None);
            self.entries.push(BTreeMap::new());
        }
        match self.rows.insert(name.into(), place) {
            None => Ok(()),
            Some(_) => Err(format!("row '{name}' is there twice")),
        }
    }

    /// The column of this name, which may be new.
    fn column(&mut self, name: &str) -> usize {
        let count = self.variables.len();
        let j = *self.columns.entry(name.into()).or_insert(count);
        if j == count {
            self.variables.push(name.into());
            self.c.push(0.0);
            self.lower.push(Some(0.0));
            self.upper.push(None);
            self.told.push(false);
            self.quadratic.push(BTreeMap::new());
        }
        j
    }

    fn known(&self, name: &str) -> Result<usize, String> {
        self.columns.get(name).copied().ok_or_else(|| format!("no column is called '{name}'"))
    }

    fn place(&self, name: &str) -> Result<Place, String> {
        self.rows.get(name).copied().ok_or_else(|| format!("no row is called '{name}'"))
    }

    fn coefficient(&mut self, j: usize, row: &str, value: f64) -> Result<(), String> {
        match self.place(row)? {
            Place::Objective => self.c[j] += value,
            Place::Free => {}
            Place::Row(r) => {
                if self.entries[r].insert(j as u32, value).is_some() {
                    return Err(format!("column '{}' is in row '{row}' twice", self.variables[j]));
                }
            }
        }
        Ok(())
    }

    fn right_side(&mut self, row: &str, value: f64) -> Result<(), String> {
        match self.place(row)? {
            Place::Objective => self.constant = -value,
            Place::Free => {}
            Place::Row(r) => self.right[r] = value,
        }
        Ok(())
    }

    fn range(&mut self, row: &str, value: f64) -> Result<(), String> {
        match self.place(row)? {
            Place::Row(r) => self.ranges[r] = Some(value),
            _ => return Err(format!("row '{row}' has no bounds, and no range")),
        }
        Ok(())
    }

    /// One bound: `rest` is the set, which may be left out, the column, and the value of the kinds that have one.
    fn bound(&mut self, kind: &str, rest: &[&str]) -> Result<(), String> {
        let valued = match kind {
            "LO" | "UP" | "FX" => true,
            "FR" | "MI" | "PL" => false,
            "BV" | "LI" | "UI" | "SC" => {
                return Err(format!("{kind} is a bound of integer variables: a path has real ones only"));
            }
            other => return Err(format!("{other} is not a kind of bound: use LO, UP, FX, FR, MI or PL")),
        };
        let (name, value) = match (rest, valued) {
            ([.., name, value], true) => (*name, number(value)?),
            ([_, name] | [name], false) | ([_, name, _], false) => (*name, 0.0),
            _ => {
                return Err(format!(
                    "a bound of kind {kind} needs a column{}",
                    if valued { " and a value" } else { "" }
                ));
            }
        };
        let j = self.known(name)?;
        let finite = (value.abs() < INFINITE).then_some(value);
        match kind {
            "LO" => (self.lower[j], self.told[j]) = (finite, true),
            "UP" => {
                self.upper[j] = finite;
                if value < 0.0 && !self.told[j] {
                    self.lower[j] = None;
                }
            }
            "FX" => (self.lower[j], self.upper[j], self.told[j]) = (Some(value), Some(value), true),
            "FR" => (self.lower[j], self.upper[j], self.told[j]) = (None, None, true),
            "MI" => (self.lower[j], self.told[j]) = (None, true),
            _ => self.upper[j] = None,
        }
        Ok(())
    }

    fn product(&mut self, j: usize, other: &str, value: f64, triangle: bool) -> Result<(), String> {
        let i = self.known(other)?;
        let again = self.quadratic[j].insert(i as u32, value).is_some();
        // The other triangle.
        if triangle && i != j {
            self.quadratic[i].insert(j as u32, value);
        }
        match again {
            false => Ok(()),
            true => Err(format!("the product of '{}' and '{other}' is there twice", self.variables[j])),
        }
    }

    fn finish(self) -> Result<Read, AdapterError> {
        if self.variables.is_empty() {
            return Err(wrong("COLUMNS", "there are none: a program has at least one variable"));
        }
        let n = self.variables.len();
        let sign = if self.maximised { -1.0 } else { 1.0 };
        let still = |v: f64| -> Moving { [v, 0.0] };
        let matrix = |rows: Vec<BTreeMap<u32, f64>>, sign: f64| {
            let rows = rows.into_iter().map(|row| row.into_iter().map(|(j, v)| (j, sign * v)).collect());
            assemble(n, rows.collect())
        };
        let hessian = match self.quadratic.iter().all(BTreeMap::is_empty) {
            true => Hessian::Zero,
            false => Hessian::Entries(matrix(self.quadratic, sign)),
        };
        let sides: Vec<[Option<f64>; 2]> =
            (0..self.kinds.len()).map(|r| sides(self.kinds[r], self.right[r], self.ranges[r])).collect();
        let side = |k: usize| sides.iter().map(|side| side[k].map(still)).collect();
        let program = Program {
            further: Vec::new(),
            hessian,
            c: self.c.iter().map(|v| still(sign * v)).collect(),
            lower: self.lower.into_iter().map(|v| v.map(still)).collect(),
            upper: self.upper.into_iter().map(|v| v.map(still)).collect(),
            row_lower: side(0),
            row_upper: side(1),
            rows: matrix(self.entries, 1.0),
            range: [0.0, 1.0],
            constant: [sign * self.constant, 0.0],
            maximised: self.maximised,
            names: Some(self.variables),
        };
        Ok(Read { program, rows: self.names })
    }
}

/// The bounds of a row.
fn sides(kind: Kind, right: f64, range: Option<f64>) -> [Option<f64>; 2] {
    let finite = |v: f64| (v.abs() < INFINITE).then_some(v);
    let [low, high] = match (kind, range) {
        (Kind::Less, None) => [f64::NEG_INFINITY, right],
        (Kind::Greater, None) => [right, f64::INFINITY],
        (Kind::Less, Some(r)) => [right - r.abs(), right],
        (Kind::Greater, Some(r)) => [right, right + r.abs()],
        (Kind::Equal, None) => [right, right],
        (Kind::Equal, Some(r)) => [right + r.min(0.0), right + r.max(0.0)],
    };
    [finite(low), finite(high)]
}

/// Names and values, one after the other.
fn each(pairs: &[&str], mut take: impl FnMut(&str, f64) -> Result<(), String>) -> Result<(), String> {
    let (pairs, rest) = pairs.as_chunks::<2>();
    if pairs.is_empty() || !rest.is_empty() {
        return Err("a name without a number".into());
    }
    pairs.iter().try_for_each(|[name, value]| take(name, number(value)?))
}

fn number(text: &str) -> Result<f64, String> {
    // Old files write exponents with a D.
    let found = text.replace(['D', 'd'], "E").parse::<f64>().ok().filter(|v| v.is_finite());
    found.ok_or_else(|| format!("'{text}' where a finite number is needed"))
}
