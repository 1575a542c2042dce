//! The stored path: its start, its segments, why it ends, and approximations with fewer points.

mod approximate;
mod ends;
mod fits;
mod held;
mod path;
mod point;
mod proof;
mod rows;
mod segment;

pub use approximate::Approximation;
pub use ends::{Start, Stop};
pub use path::{FORMAT_VERSION, Path, PathParts};
pub use point::Point;
pub use proof::Proof;
pub use segment::Segment;

pub(crate) use rows::RowSegment;
pub(crate) use segment::SegmentData;
