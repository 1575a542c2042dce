//! What can go wrong on the way to a page or a figure.

use pathqp_adapters::AdapterError;
use thiserror::Error;

/// Why there is no page or no figure. Each is one line that names the culprit.
#[derive(Debug, Error)]
pub enum ViewError {
    /// A path without a segment, or one that ends where it begins.
    #[error("the path ends where it begins: there is nothing to show")]
    Nothing,
    /// A path or map that does not fit on a page.
    #[error(
        "{title}: {count} {what} are too many for a page of 5 MB; make a shorter path or a map of a smaller domain"
    )]
    TooLarge {
        /// What the page would be about.
        title: String,
        /// How many it has.
        count: usize,
        /// Of what.
        what: &'static str,
    },
    /// Numbers that JSON cannot hold; there should be none.
    #[error("the page cannot be written: {0}")]
    Json(#[from] serde_json::Error),
    /// What the problem cannot say of its path.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    /// A figure whose file's name has another ending.
    #[error("{file}: figures are written as .svg, .png or .pdf; choose one of these endings")]
    Ending {
        /// The file.
        file: String,
    },
    /// A figure that could not be drawn, or not be turned into the form of its file.
    #[error("the figure cannot be drawn ({cause})")]
    Drawing {
        /// What the drawing library says.
        cause: String,
    },
}

impl ViewError {
    /// [`ViewError::Drawing`].
    pub(crate) fn drawing(cause: impl ToString) -> Self {
        ViewError::Drawing { cause: cause.to_string() }
    }
}
