//! The names of the assets, by which tables are matched.

use crate::error::AdapterError;

/// The assets in the order of the first table that has names. Every later table that has names is put in that order, whatever its own; tables without names go by
/// position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assets {
    names: Option<Vec<String>>,
}

impl Assets {
    /// The names; none as long as no table had any.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Takes a table with its names, if it has any: which of its columns stands for each asset, in the order of the assets; none where they stand in that order already.
    ///
    /// # Errors
    /// [`AdapterError::Names`] where the names are not those of the tables before, [`AdapterError::RepeatedName`] where a name in another order occurs twice.
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
