//! Paths: the [`Follower`] that finds them, and the [`Path`] that it records.

mod active;
mod checkpoint;
mod exchange;
mod feasible;
mod follower;
mod jump;
mod law;
mod pricer;
mod ratio;
mod recorder;
mod start;
mod wider;
mod yrange;

pub use crate::record::{Approximation, FORMAT_VERSION, Path, PathParts, Point, Segment, Start, Stop};
pub use checkpoint::Checkpoint;
pub(crate) use feasible::feasible_point;
pub use follower::{Failure, Follower, trace};
