//! A path as it is shown.

use crate::about::About;
use pathqp::Path;
use pathqp_adapters::run::Posed;
use pathqp_adapters::value::Fact;
use pathqp_adapters::{AdapterError, KernelProblem};
use std::ops::Deref;

/// A path with what is said of it. The parameter that varies is that of `posed`.
#[derive(Clone, Copy)]
pub struct PathView<'a> {
    /// The problem and its data.
    pub about: About<'a>,
    /// The problem on its line.
    pub posed: &'a Posed,
    /// The path along that line.
    pub path: &'a Path<f64>,
    /// Whether it reached the end that was asked for.
    pub reached: bool,
}

impl PathView<'_> {
    /// Whether it reached its end, or goes on to infinity.
    pub fn is_complete(&self) -> bool {
        self.reached || self.path.is_endless()
    }

    /// What the problem itself has to say of its path; nothing of a path without a segment.
    ///
    /// # Errors
    /// What the problem cannot say.
    pub fn facts(&self) -> Result<Vec<Fact>, AdapterError> {
        match self.path.segments().is_empty() {
            true => Ok(Vec::new()),
            false => self.posed.problem.facts(self.about.spec, self.path),
        }
    }
}

/// A kernel problem on its line.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    /// What only kernel problems have.
    pub kernel: &'a dyn KernelProblem,
    posed: &'a Posed,
}

impl<'a> Machine<'a> {
    /// That of a problem; none if it has no kernel.
    pub fn of(posed: &'a Posed) -> Option<Self> {
        Some(Machine { kernel: posed.kernel()?, posed })
    }
}

impl Deref for Machine<'_> {
    type Target = Posed;

    fn deref(&self) -> &Posed {
        self.posed
    }
}
