//! The exit statuses.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// Invalid input.
    Wrong,
    /// The answer could not be had, or failed its certificate.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The status that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Wrong => 2,
            Exit::Failed => 3,
            Exit::Interrupted => 130,
        }
    }
}
