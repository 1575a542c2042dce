//! The one rule for numbers: finite, and so is the square.

use thiserror::Error;

/// Why a text is not accepted as a number. The display says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NumberFault {
    /// There is no text.
    #[error("is missing; fill it in or drop the row")]
    Missing,
    /// The text does not spell a number.
    #[error("is not a number; write it like -0.5 or 2e-3, or drop the row")]
    Malformed,
    /// The text does not spell a number, and it has commas in it where LIBSVM text was expected.
    #[error("is not a number; tables must be in a file named .csv or .tsv")]
    Commas,
    /// The text does not spell a number, and the file was read as having no row of names.
    #[error("is not a number; leave --no-header out if this line is the header row")]
    Header,
    /// The text spells an infinity or not-a-number.
    #[error("is not finite; fill it in or drop the row")]
    NotFinite,
    /// The text spells a number above the largest double.
    #[error("overflows a double; rescale the column")]
    Overflow,
    /// The text spells a double whose square is above the largest double: larger than about 1.34e154 in size.
    #[error("is finite but its square overflows a double; rescale the column")]
    SquareOverflow,
    /// The number is a weight below zero.
    #[error("is negative; case weights must be at least 0")]
    Negative,
}

/// The number that `text` spells.
pub(super) fn parse(text: &str) -> Result<f64, NumberFault> {
    let value: f64 = text.parse().map_err(|_| match text {
        "" | "?" | "NA" | "N/A" | "null" => NumberFault::Missing,
        _ => NumberFault::Malformed,
    })?;
    if has_finite_square(value) {
        Ok(value)
    } else if value.is_finite() {
        Err(NumberFault::SquareOverflow)
    } else if text.bytes().any(|byte| byte.is_ascii_digit()) {
        Err(NumberFault::Overflow)
    } else {
        Err(NumberFault::NotFinite)
    }
}

/// The case weight that `text` spells.
pub(super) fn weight(text: &str) -> Result<f64, NumberFault> {
    let value = parse(text)?;
    if value < 0.0 { Err(NumberFault::Negative) } else { Ok(value) }
}

/// Whether `value` and its square are finite.
pub(super) fn has_finite_square(value: f64) -> bool {
    (value * value).is_finite()
}
