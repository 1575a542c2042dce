//! Paths: the [`Follower`] that finds them, and the [`Path`] object that keeps and evaluates them.

mod active;
mod approximate;
mod checkpoint;
mod exchange;
mod feasible;
mod fits;
mod follower;
mod held;
mod jump;
mod law;
mod pricer;
mod ratio;
mod record;
mod recorder;
mod rows;
mod start;
mod wider;
mod yrange;

pub use approximate::Approximation;
pub use checkpoint::Checkpoint;
pub use follower::{Failure, Follower, Stop, trace};
pub use record::{FORMAT_VERSION, Path, PathParts, Point, Segment};
pub(crate) use rows::RowSegment;
pub use start::Start;
pub(crate) use wider::widened_line;
