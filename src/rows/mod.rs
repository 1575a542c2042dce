//! Many rows: any convex QP or LP, bl(θ) ≤ Ax ≤ bu(θ), along a line.
//!
//! The mathematics is in docs/rows.md. In short: a row is an equality row with a slack inside; F, the variables and slacks in the *basis*, is always such that
//!
//! ```text
//! K_F = [ H_FF  A_Fᵀ ]  is nonsingular,     so that x_F and y are determined by F and the bounds of the others.
//!       [ A_F    0   ]
//! ```
//!
//! | module | what it has |
//! |---|---|
//! | `system` | the problem with slacks, and with the fit as rows without a right-hand side |
//! | `scale` | units in which the entries of A are near one |
//! | `basis`, `pivot` | the inverse of K_F and its updates; what enters and leaves, and null vectors where K_F would be singular |
//! | `solve` | solutions of its equations, refined to twice the working precision |
//! | `factors` | sparse factors in the place of the inverse, for large bases |
//! | `law`, `follower`, `ratio` | solutions of a basis, the loop from event to event, how far a law holds |
//! | `pricer` | which columns at bounds are priced |
//! | `cross`, `tied` | crossing a degenerate t: the same homotopy one level down |
//! | `start`, `crossover`, `dependent` | the solution at the beginning; the basis from which it is reached; rows that depend on others, or have no entries |
//! | `cell` | a basis as the parameters move in all directions |
//! | `runner` | the path as it is recorded, and the way in the wider scalar |

mod basis;
mod cell;
mod cross;
mod crossover;
mod dependent;
mod follower;
mod law;
mod pivot;
mod pricer;
mod ratio;
mod runner;
mod scale;
mod solve;
mod start;
mod system;
mod tied;

pub use crate::problem::Matrix;
pub use crate::record::Proof;
pub(crate) use cell::{Beyond, Functions, Ground, Stand, with_rows};
pub(crate) use runner::RowRunner;
