//! A kernel whose γ may depend on the data.
//!
//! `scale` stands for γ = 1/(d v), with v the variance of all n × d entries, rows counted by their weights (γ = 1/d where v = 0), and `auto` for γ = 1/d, as in
//! scikit-learn (Pedregosa et al. 2011) and LIBSVM.

use crate::dataset::Features;
use crate::kernel::{KernelKind, KernelParseError};
use std::fmt;
use std::str::FromStr;

/// What γ is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// 1/(d v).
    Scale,
    /// 1/d.
    Auto,
}

/// A kernel as it is written on the command line: `rbf:0.5` with a fixed γ, `rbf` or `rbf:scale` and `rbf:auto` with one that depends on the data, and likewise
/// for the other kernels with a γ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelChoice {
    /// With γ = 1 where it is left to the data.
    kind: KernelKind,
    width: Option<Width>,
}

impl FromStr for KernelChoice {
    type Err = KernelParseError;

    fn from_str(text: &str) -> Result<Self, KernelParseError> {
        let full = match text {
            "rbf" | "laplacian" => format!("{text}:scale"),
            "poly" => "poly:3,scale,0".to_owned(),
            _ => text.to_owned(),
        };
        let (name, rest) = full.split_once(':').unwrap_or((&full, ""));
        let mut parts: Vec<&str> = rest.split(',').map(str::trim).collect();
        let gamma = parts.get_mut(usize::from(name == "poly"));
        let width = match gamma.as_deref() {
            Some(&"scale") => Some(Width::Scale),
            Some(&"auto") => Some(Width::Auto),
            _ => None,
        };
        if let Some(gamma) = gamma.filter(|_| width.is_some()) {
            *gamma = "1";
        }
        let kind: Result<KernelKind, _> = match width {
            Some(_) => format!("{name}:{}", parts.join(",")).parse(),
            None => full.parse(),
        };
        kind.map(|kind| KernelChoice { kind, width }).map_err(|_| KernelParseError { given: text.to_owned() })
    }
}

impl From<KernelKind> for KernelChoice {
    fn from(kind: KernelKind) -> Self {
        KernelChoice { kind, width: None }
    }
}

impl fmt::Display for KernelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.width {
            None => return self.kind.fmt(f),
            Some(Width::Scale) => "scale",
            Some(Width::Auto) => "auto",
        };
        match self.kind {
            KernelKind::Rbf { .. } => write!(f, "rbf:{word}"),
            KernelKind::Laplacian { .. } => write!(f, "laplacian:{word}"),
            KernelKind::Polynomial { degree, coef0, .. } => write!(f, "poly:{degree},{word},{coef0}"),
            KernelKind::Linear | KernelKind::Precomputed => self.kind.fmt(f),
        }
    }
}

impl KernelChoice {
    /// The linear kernel x·z.
    pub const LINEAR: KernelChoice = KernelChoice { kind: KernelKind::Linear, width: None };

    /// The Gaussian kernel exp(−γ‖x − z‖²), with γ by the variance of the entries.
    pub const RBF: KernelChoice = KernelChoice { kind: KernelKind::Rbf { gamma: 1.0 }, width: Some(Width::Scale) };

    /// Whether the kernel is a given matrix.
    pub fn is_precomputed(&self) -> bool {
        self.kind == KernelKind::Precomputed
    }

    /// The kernel on n rows of features, with its γ computed from these and from their weights, if they have any.
    pub fn on(&self, features: &Features, weights: Option<&[f64]>) -> KernelKind {
        let d = features.columns().max(1) as f64;
        let found = match self.width {
            None => return self.kind,
            Some(Width::Auto) => 1.0 / d,
            Some(Width::Scale) => 1.0 / (d * variance(features, weights)),
        };
        let found = if found.is_finite() && found > 0.0 { found } else { 1.0 };
        match self.kind {
            KernelKind::Rbf { .. } => KernelKind::Rbf { gamma: found },
            KernelKind::Laplacian { .. } => KernelKind::Laplacian { gamma: found },
            KernelKind::Polynomial { degree, coef0, .. } => KernelKind::Polynomial { degree, gamma: found, coef0 },
            other => other,
        }
    }
}

/// The variance of all entries, zeros that are not stored included, each row counted by its weight.
fn variance(features: &Features, weights: Option<&[f64]>) -> f64 {
    let mut row = vec![0.0; features.columns()];
    let weight = |i: usize| weights.and_then(|w| w.get(i)).copied().unwrap_or(1.0);
    let mut mean_of = |entry: &dyn Fn(f64) -> f64| {
        let (mut sum, mut total) = (0.0, 0.0);
        for i in 0..features.rows() {
            features.dense_row(i, &mut row);
            sum += weight(i) * row.iter().map(|x| entry(*x)).sum::<f64>();
            total += weight(i) * row.len() as f64;
        }
        if total > 0.0 { sum / total } else { 0.0 }
    };
    let mean = mean_of(&|x| x);
    mean_of(&|x| (x - mean) * (x - mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in
            ["linear", "precomputed", "rbf:0.5", "rbf:scale", "laplacian:auto", "poly:3,scale,0", "poly:2,0.5,1"]
        {
            assert_eq!(text.parse::<KernelChoice>().unwrap().to_string(), text);
        }
        for (text, full) in [("rbf", "rbf:scale"), ("laplacian", "laplacian:scale"), ("poly", "poly:3,scale,0")] {
            assert_eq!(text.parse::<KernelChoice>().unwrap().to_string(), full);
        }
        for text in
            ["", "rbf:", "linear:scale", "poly:scale,1,0", "poly:3,1,auto", "rbf:scale,auto", "rbf:scale1", "scale"]
        {
            assert!(text.parse::<KernelChoice>().is_err(), "{text}");
        }
    }

    #[test]
    fn widths_are_those_of_the_entries() {
        // The entries 1, 2, 3, 6 have the mean 3 and the variance (4 + 1 + 0 + 9)/4 = 3.5.
        let features = Features::Dense { rows: 2, columns: 2, values: vec![1.0, 2.0, 3.0, 6.0] };
        let gamma =
            |text: &str, weights: Option<&[f64]>| match text.parse::<KernelChoice>().unwrap().on(&features, weights) {
                KernelKind::Rbf { gamma } | KernelKind::Laplacian { gamma } | KernelKind::Polynomial { gamma, .. } => {
                    gamma
                }
                other => panic!("{other} has no width"),
            };
        assert_eq!(gamma("rbf", None), 1.0 / 7.0);
        assert_eq!(gamma("poly", None), 1.0 / 7.0);
        assert_eq!(gamma("laplacian:auto", None), 0.5);
        // The second row alone: 3 and 6 have the variance 2.25.
        assert_eq!(gamma("rbf", Some(&[0.0, 2.0])), 1.0 / 4.5);
        let flat = Features::Dense { rows: 2, columns: 1, values: vec![4.0, 4.0] };
        assert_eq!("rbf".parse::<KernelChoice>().unwrap().on(&flat, None), KernelKind::Rbf { gamma: 1.0 });
    }
}
