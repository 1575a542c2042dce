//! What is seen of a path and of a map: figures, and pages on which they are explored.
//!
//! ```text
//! PathView ─┬─ Series, Pieces: numbers along the path ─┬─ plot: SVG ── Form: PNG, PDF
//! MapView  ─┘                                          └─ page: one HTML file
//! ```
//!
//! A view is lent: it says which path of which problem is shown ([`PathView`], [`MapView`]), and what its data are called ([`About`]). [`plot`] draws it,
//! [`page`] makes a page of it, both as text; [`Form`] turns a drawing into the form that a file's name asks for. The command line and the Python package show
//! the same because both call this crate. It reads and writes no file.

mod about;
pub mod certify;
mod error;
mod figure;
mod map;
mod outline;
pub mod page;
mod path;
pub mod plot;
mod series;
mod tuning;
pub mod words;

pub use about::About;
pub use error::ViewError;
pub use figure::Form;
pub use map::{MapView, domain};
pub use path::PathView;
pub use series::Series;
pub use tuning::{Best, Shown};

/// The program with its version, as pages and kept files name it.
pub fn program() -> String {
    concat!("pathqp ", env!("CARGO_PKG_VERSION")).into()
}
