//! How a constant enters a function that is learnt from data.

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
    /// B² for a constant feature B, otherwise zero: what it adds to every kernel value.
    pub fn kernel_offset(self) -> f64 {
        if let Bias::Augmented(b) = self { b * b } else { 0.0 }
    }
}
