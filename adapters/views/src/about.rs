//! What a page or a figure says of a problem beside its solution.

use crate::words::{file_name, label};
use pathqp_adapters::dataset::{Classes, Scaler};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::spec::Spec;

/// A problem with its data, and what is known of where they come from.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// The problem and its data; features are scaled.
    pub spec: &'a Spec,
    /// The name of the data, that of a file for example.
    pub source: &'a str,
    /// The program that solved it, with its version.
    pub program: &'a str,
    /// The labels of −1 and +1, of a problem that has them.
    pub classes: Option<&'a Classes>,
    /// How the features were scaled.
    pub scaler: &'a Scaler,
}

impl About<'_> {
    /// The number of rows n.
    pub fn rows(&self) -> usize {
        self.spec.rows.response.len()
    }

    /// The number of features d.
    pub fn features(&self) -> usize {
        self.scaler.columns()
    }

    /// The name of feature j, counted from zero, or x with its number from one.
    pub fn feature(&self, j: usize) -> String {
        let names = self.spec.names.as_ref();
        names.and_then(|names| names.get(j).cloned()).unwrap_or_else(|| format!("x{}", j + 1))
    }

    /// Whether the problem is linear in its features.
    pub fn is_linear(&self) -> bool {
        self.spec.kernel == KernelKind::Linear
    }

    /// The names of the two classes: that of −1, that of +1.
    pub fn class_names(&self) -> Option<[String; 2]> {
        self.classes.map(|classes| [&classes.negative, &classes.positive].map(label))
    }

    /// The last part of the name of the data.
    pub fn file(&self) -> String {
        file_name(self.source)
    }

    /// The problem, and the data that it is on.
    pub fn title(&self) -> String {
        format!("{} on {}", self.spec.problem, self.file())
    }
}
