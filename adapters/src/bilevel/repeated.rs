//! Repeated rows with the same response, taken together with the sum of their weights: the same function by fewer variables, whose x is unique.

use crate::kernel::KernelKind;
use crate::machine::KernelMachine;
use std::collections::HashMap;

/// Which rows are the first of their kind, and the weights of each kind. With a precomputed kernel every row is one.
pub(super) fn kinds(machine: &KernelMachine, responses: &[f64]) -> (Vec<usize>, Vec<f64>) {
    if machine.kernel() == KernelKind::Precomputed {
        return ((0..machine.rows()).collect(), machine.weights().to_vec());
    }
    let mut row = vec![0.0; machine.features().columns()];
    let (mut rows, mut weights, mut seen) = (Vec::new(), Vec::<f64>::new(), HashMap::new());
    for (i, (y, v)) in responses.iter().zip(machine.weights()).enumerate() {
        machine.features().dense_row(i, &mut row);
        // Adding zero turns −0 into 0.
        let key: Vec<u64> = row.iter().chain([y]).map(|v| (v + 0.0).to_bits()).collect();
        let place = *seen.entry(key).or_insert(rows.len());
        match weights.get_mut(place) {
            Some(weight) => *weight += v,
            None => {
                rows.push(i);
                weights.push(*v);
            }
        }
    }
    (rows, weights)
}
