//! How a constant enters a function that is learnt from data.

use crate::error::AdapterError;

/// How a constant enters the decision function.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Bias {
    /// f has no constant.
    None,
    /// A constant feature of this value, penalised like the others.
    Augmented(f64),
    /// A constant without penalty.
    Intercept,
}

impl Bias {
    /// Whether there is an intercept, of problems that penalise coefficients and cannot leave out the one of a constant feature.
    ///
    /// # Errors
    /// [`Bias::Augmented`].
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

    /// B² for a constant feature B, otherwise zero: what it adds to every kernel value.
    pub fn kernel_offset(self) -> f64 {
        if let Bias::Augmented(b) = self { b * b } else { 0.0 }
    }
}
