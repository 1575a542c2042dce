//! The names of the assets, by which the columns of tables are matched.

use crate::error::AdapterError;

/// The assets, in the order of the first table with names. The columns of every later table with names are put into that order; tables without names are taken
/// by position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assets {
    names: Option<Vec<String>>,
}

impl Assets {
    /// The names of the assets; `None` as long as no table had any.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Registers a table by the names of its columns, if it has any, and returns the column of each asset in the order of the assets; `None` where the columns
    /// are in that order already.
    ///
    /// # Errors
    /// [`AdapterError::Names`] if the names are not those of the tables before, [`AdapterError::RepeatedName`] if a name occurs twice and the order differs.
    pub fn place(&mut self, table: Option<&[String]>) -> Result<Option<Vec<usize>>, AdapterError> {
        let Some(table) = table else { return Ok(None) };
        let Some(names) = &self.names else {
            self.names = Some(table.to_vec());
            return Ok(None);
        };
        if names == table {
            return Ok(None);
        }
        for list in [names.as_slice(), table] {
            if let Some(name) = repeated(list) {
                return Err(AdapterError::RepeatedName { name: name.clone() });
            }
        }
        let order: Vec<usize> = names.iter().filter_map(|name| table.iter().position(|other| other == name)).collect();
        if order.len() == names.len() && order.len() == table.len() {
            return Ok(Some(order));
        }
        let without = |these: &[String], those: &[String]| -> Vec<String> {
            these.iter().filter(|name| !those.contains(name)).cloned().collect()
        };
        Err(AdapterError::Names { missing: without(names, table), unknown: without(table, names) })
    }
}

/// A name that occurs twice.
fn repeated(names: &[String]) -> Option<&String> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
