//! Products with the rows of D.

use super::Difference;
use pathqp::ProblemError;
use pathqp::hessian::{Gram, Rows};

/// Dv, m values.
pub(crate) fn differences_of(differences: &[Difference], v: &[f64]) -> Vec<f64> {
    differences.iter().map(|row| row.iter().map(|(j, d)| d * v[*j]).sum()).collect()
}

/// H = DDᵀ of m rows with entries in so many columns.
///
/// # Errors
/// A column beyond them, and an entry that is not finite.
pub(crate) fn gram(differences: &[Difference], columns: usize) -> Result<Gram<f64>, ProblemError> {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in differences {
        let mut row = row.clone();
        row.sort_by_key(|entry| entry.0);
        indices.extend(row.iter().map(|entry| u32::try_from(entry.0).unwrap_or(u32::MAX)));
        values.extend(row.iter().map(|entry| entry.1));
        starts.push(indices.len());
    }
    Gram::new(differences.len(), Rows::Sparse { columns, starts, indices, values }, 1.0)
}
