//! The constant term of a fitted function.

use crate::error::AdapterError;

/// The kind of constant term of a fitted function f.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Bias {
    /// f has no constant term.
    None,
    /// A constant feature with this value, whose weight is penalised like the others.
    Augmented(f64),
    /// A constant term without penalty.
    Intercept,
}

impl Bias {
    /// Whether there is an intercept; for problems that penalise coefficients and cannot exempt that of a constant feature.
    ///
    /// # Errors
    /// [`AdapterError`] for [`Bias::Augmented`].
    pub fn unpenalised(self) -> Result<bool, AdapterError> {
        match self {
            Bias::None => Ok(false),
            Bias::Intercept => Ok(true),
            Bias::Augmented(_) => {
                let reason = "would be penalised like a coefficient: use --bias intercept, or add a column of ones";
                Err(AdapterError::Meaningless { option: "bias augmented", reason })
            }
        }
    }

    /// What a constant feature B adds to every kernel value: B²; otherwise zero.
    pub fn kernel_offset(self) -> f64 {
        if let Bias::Augmented(b) = self { b * b } else { 0.0 }
    }
}
