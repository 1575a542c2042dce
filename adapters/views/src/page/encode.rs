//! Columns of numbers as short text: bytes in base64, which the page's script turns back into arrays.
//!
//! | code | bytes a number | what it keeps |
//! |---|---|---|
//! | `d` | 8 | all of it |
//! | `f` | 4 | 24 bits: seven digits |
//! | `h` | 2 | 8 bits: two digits, for residuals |
//! | `q` | 3 | the least value plus a multiple of a step, 2²⁴ − 1 of which cover the column: seven digits of the largest value, and zero as it is |
//! | `i` | 4 | a whole number below 2³² |
//!
//! All are little-endian.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

/// The number of steps of the code `q`.
const STEPS: f64 = 16_777_215.0;

/// A step of `q` may be so large compared with the middle one of the sizes in its column; otherwise small numbers would lose their digits.
const COARSE: f64 = 1e-6;

/// Encoded numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    code: &'static str,
    /// Of the code `q`: the least value and the step.
    range: Option<[f64; 2]>,
    text: String,
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        list.serialize_element(self.code)?;
        list.serialize_element(&self.text)?;
        for number in self.range.iter().flatten() {
            list.serialize_element(number)?;
        }
        list.end()
    }
}

fn column(code: &'static str, range: Option<[f64; 2]>, bytes: Vec<u8>) -> Column {
    Column { code, range, text: STANDARD.encode(bytes) }
}

/// All of every number.
pub fn exact(values: &[f64]) -> Column {
    column("d", None, values.iter().flat_map(|v| v.to_le_bytes()).collect())
}

/// Two digits of every number; one that is not a number is infinite.
pub fn rough(values: &[f64]) -> Column {
    let short = |v: &f64| {
        let v = if v.is_nan() { f32::INFINITY } else { *v as f32 };
        ((v.to_bits() >> 16) as u16).to_le_bytes()
    };
    column("h", None, values.iter().flat_map(short).collect())
}

/// Whole numbers.
pub fn whole(values: impl IntoIterator<Item = usize>) -> Column {
    let bytes = values.into_iter().flat_map(|v| u32::try_from(v).unwrap_or(u32::MAX).to_le_bytes());
    column("i", None, bytes.collect())
}

/// Seven digits: in three bytes where the numbers are of one size, in four otherwise. Zero stays zero: where it lies between the least and the largest value the
/// least one is lowered to a multiple of the step, which rounds like the multiple that is added to it.
pub fn digits(values: &[f64]) -> Column {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    // One step is left for lowering.
    let step = (high - low) / (STEPS - 1.0);
    let low = if low < 0.0 && high >= 0.0 && step > 0.0 { -((-low / step).ceil() * step) } else { low };
    if !step.is_finite() || values.iter().any(|v| !v.is_finite()) || step > COARSE * middle_size(values) {
        return column("f", None, values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect());
    }
    let code = |v: &f64| {
        let steps = if step > 0.0 { ((v - low) / step).round() as u32 } else { 0 };
        let [a, b, c, _] = steps.to_le_bytes();
        [a, b, c]
    };
    column("q", Some([low, step]), values.iter().flat_map(code).collect())
}

/// The median of the sizes that are not zero.
fn middle_size(values: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = values.iter().map(|v| v.abs()).filter(|v| *v > 0.0).collect();
    if sizes.is_empty() {
        return 0.0;
    }
    let middle = sizes.len() / 2;
    *sizes.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(column: &Column) -> Vec<u8> {
        STANDARD.decode(&column.text).unwrap()
    }

    #[test]
    fn numbers_of_one_size_take_three_bytes_and_keep_seven_digits() {
        let values: Vec<f64> = (0..1000).map(|k| (f64::from(k) * 0.37).sin()).collect();
        let column = digits(&values);
        let [low, step] = column.range.unwrap();
        let back: Vec<f64> = bytes(&column)
            .chunks(3)
            .map(|b| low + step * f64::from(u32::from_le_bytes([b[0], b[1], b[2], 0])))
            .collect();
        assert_eq!(back.len(), values.len());
        assert!(back.iter().zip(&values).all(|(a, b)| (a - b).abs() <= 0.51 * step && step < 2e-7));
    }

    #[test]
    fn zero_stays_zero() {
        let values = |low: f64| (0..200).map(move |k| if k % 3 == 0 { 0.0 } else { low + f64::from(k) * 0.0173 });
        for low in [-1.7, -3.4, -0.0173, -1e-4, 0.0] {
            for sign in [1.0, -1.0] {
                let values: Vec<f64> = values(low).map(|v| sign * v).collect();
                let column = digits(&values);
                let [low, step] = column.range.unwrap();
                let back = |b: &[u8]| low + step * f64::from(u32::from_le_bytes([b[0], b[1], b[2], 0]));
                let back: Vec<f64> = bytes(&column).chunks(3).map(back).collect();
                assert!(
                    back.iter().zip(&values).all(|(a, b)| (a - b).abs() <= 0.51 * step && (*b != 0.0 || *a == 0.0))
                );
                assert!(back.iter().filter(|v| **v == 0.0).count() >= 67);
            }
        }
    }

    #[test]
    fn numbers_of_many_sizes_keep_their_own_digits() {
        let values: Vec<f64> = (-30..30).map(|k| 10f64.powi(k)).collect();
        let column = digits(&values);
        assert_eq!(column.code, "f");
        let back = bytes(&column);
        let back = back.chunks(4).map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        assert!(back.zip(&values).all(|(a, b)| (a - b).abs() <= 1e-7 * b));
        assert_eq!(digits(&[1.0, f64::NAN]).code, "f");
        assert_eq!((digits(&[0.5; 3]).code, digits(&[]).code), ("q", "f"));
    }

    #[test]
    fn residuals_keep_two_digits() {
        let column = rough(&[1.5e-12, f64::NAN]);
        let back: Vec<f32> = bytes(&column)
            .chunks(2)
            .map(|b| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16))
            .collect();
        assert!((back[0] / 1.5e-12 - 1.0).abs() < 0.01 && back[1].is_infinite());
    }
}
