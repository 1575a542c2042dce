//! Rows on what a problem looks for, as a table: a row a line, one column each for what it weighs, and the columns `lower` and `upper`, either of which may be empty.
//!
//! ```text
//! bonds,shares,gold,lower,upper
//! 1,0,1,0.2,0.6
//! 0,1,-1,,0
//! ```

use crate::dataset::Features;
use crate::error::AdapterError;
use crate::spec::{Kind, Opt, Spec, Table};
use pathqp::hessian::Rows;
use pathqp::{Affine, ParametricQp, ProblemError};

/// Rows lower ≤ Ax ≤ upper; equal bounds are an equality.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    /// The names of the columns of A, if they have names.
    pub names: Option<Vec<String>>,
    /// A by rows, m lists of as many numbers.
    pub rows: Vec<Vec<f64>>,
    /// m bounds, −∞ where there is none.
    pub lower: Vec<f64>,
    /// m bounds, ∞ where there is none.
    pub upper: Vec<f64>,
}

/// The tables of a description that hold them.
const TABLES: [&str; 3] = ["rows", "row_lower", "row_upper"];

fn wrong(place: String, reason: impl Into<String>) -> AdapterError {
    AdapterError::Entry { place, reason: reason.into() }
}

impl Constraints {
    /// The option that names the table.
    pub const fn option(help: &'static str) -> Opt {
        Opt::new("rows", "FILE.csv", Kind::Text, help)
    }

    /// Takes a table of text into a description.
    ///
    /// # Errors
    /// [`AdapterError::Entry`] names line and column.
    pub fn read(spec: &mut Spec, _option: &str, text: &str) -> Result<(), AdapterError> {
        let found = Self::parse(text)?;
        let names = found.names.unwrap_or_default();
        let values = Features::Dense { rows: found.rows.len(), columns: names.len(), values: found.rows.concat() };
        let [rows, lower, upper] = TABLES.map(str::to_owned);
        spec.tables.insert(rows, Table { names: Some(names), values });
        // A row a bound: its row and its value.
        let bounds = |bounds: &[f64]| {
            let there = bounds.iter().enumerate().filter(|(_, v)| v.is_finite());
            let values: Vec<f64> = there.flat_map(|(r, v)| [r as f64, *v]).collect();
            Table { names: None, values: Features::Dense { rows: values.len() / 2, columns: 2, values } }
        };
        spec.tables.insert(lower, bounds(&found.lower));
        spec.tables.insert(upper, bounds(&found.upper));
        Ok(())
    }

    fn parse(text: &str) -> Result<Self, AdapterError> {
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        let fault = |error: csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            wrong(format!("line {line}"), "another number of cells than the row of names")
        };
        let head: Vec<String> = reader.headers().map_err(fault)?.iter().map(str::to_owned).collect();
        let side = |name: &str| head.iter().position(|other| other == name);
        let sides = [side("lower"), side("upper")];
        if sides == [None; 2] {
            return Err(wrong("line 1".into(), "no column is called lower or upper: a row needs a bound"));
        }
        let weights: Vec<usize> = (0..head.len()).filter(|j| !sides.contains(&Some(*j))).collect();
        let mut found = Constraints { names: None, rows: Vec::new(), lower: Vec::new(), upper: Vec::new() };
        for record in reader.records() {
            let record = record.map_err(fault)?;
            let line = record.position().map_or(0, csv::Position::line);
            let place = |j: usize| format!("line {line}, column '{}'", head[j]);
            let number = |j: usize| {
                let cell = record.get(j).unwrap_or_default();
                let value = cell.parse::<f64>().ok().filter(|v| v.is_finite());
                value.ok_or_else(|| wrong(place(j), format!("'{cell}' where a finite number is needed")))
            };
            let bound = |side: Option<usize>, none: f64| match side.map(|j| (j, record.get(j).unwrap_or_default())) {
                None | Some((_, "")) => Ok(none),
                Some((_, cell)) if cell.parse() == Ok(none) => Ok(none),
                Some((j, _)) => number(j),
            };
            found.rows.push(weights.iter().map(|j| number(*j)).collect::<Result<_, _>>()?);
            let (lower, upper) = (bound(sides[0], f64::NEG_INFINITY)?, bound(sides[1], f64::INFINITY)?);
            if lower > upper {
                return Err(wrong(format!("line {line}"), format!("lower {lower} is above upper {upper}")));
            }
            if lower.is_infinite() && upper.is_infinite() {
                return Err(wrong(format!("line {line}"), "neither lower nor upper: a row needs a bound"));
            }
            found.lower.push(lower);
            found.upper.push(upper);
        }
        found.names = Some(weights.into_iter().map(|j| head[j].clone()).collect());
        Ok(found)
    }

    /// Those of a description, none if it has no rows.
    ///
    /// # Errors
    /// [`AdapterError::Entry`]: bounds of rows that there are not.
    pub fn of(spec: &Spec) -> Result<Option<Self>, AdapterError> {
        let [rows, lower, upper] = TABLES;
        let Some(table) = spec.tables.get(rows) else { return Ok(None) };
        let bounds = |name: &str, none: f64| {
            let mut bounds = vec![none; table.values.rows()];
            for (k, row) in spec.tables.get(name).map(Table::rows).unwrap_or_default().iter().enumerate() {
                let r = row.first().filter(|r| r.fract() == 0.0 && **r >= 0.0 && **r < bounds.len() as f64);
                match (r, row.get(1)) {
                    (Some(r), Some(value)) => bounds[*r as usize] = *value,
                    _ => return Err(wrong(format!("{name}[{k}]"), "no row and its bound")),
                }
            }
            Ok(bounds)
        };
        let (lower, upper) = (bounds(lower, f64::NEG_INFINITY)?, bounds(upper, f64::INFINITY)?);
        Ok((table.values.rows() > 0).then(|| Constraints {
            names: table.names.clone(),
            rows: table.rows(),
            lower,
            upper,
        }))
    }

    /// The same with the columns in this order.
    pub fn ordered(mut self, order: &[usize]) -> Self {
        self.rows.iter_mut().for_each(|row| *row = order.iter().map(|&j| row[j]).collect());
        self.names = self.names.map(|names| order.iter().map(|&j| names[j].clone()).collect());
        self
    }

    /// None if there are no rows.
    ///
    /// # Errors
    /// Rows of another length.
    pub fn of_width(self, expected: usize) -> Result<Option<Self>, AdapterError> {
        match self.rows.iter().map(Vec::len).find(|found| *found != expected) {
            Some(found) => Err(ProblemError::Shape { what: "a row of A", expected, found }.into()),
            None => Ok((self.count() > 0).then_some(self)),
        }
    }

    /// The program with these rows, if there are any; `variables` are the coefficients of a row on the program's own variables.
    ///
    /// # Errors
    /// What [`ParametricQp::rows`] refuses.
    pub fn onto(
        rows: Option<&Self>,
        qp: ParametricQp<f64>,
        variables: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Result<ParametricQp<f64>, AdapterError> {
        let Some(found) = rows else { return Ok(qp) };
        let values = found.rows.iter().flat_map(|row| variables(row)).collect();
        let [lower, upper] = [&found.lower, &found.upper].map(|bounds| Affine::constant(bounds.clone(), qp.p()));
        let columns = qp.n();
        Ok(qp.rows(Rows::Dense { columns, values }, lower, upper)?)
    }

    /// m.
    pub fn count(&self) -> usize {
        self.rows.len()
    }
}
