//! Problems with several rows: any convex QP or LP, bl(θ) ≤ Ax ≤ bu(θ), along a line.
//!
//! docs/rows.md has the mathematics. In short: a row is an equality with a slack. F, the variables and slacks in the *basis*, is always such that
//!
//! ```text
//! K_F = [ H_FF  A_Fᵀ ]  is nonsingular,     so that F and the bounds of the other variables and slacks determine x_F and y.
//!       [ A_F    0   ]
//! ```
//!
//! | module | what it has |
//! |---|---|
//! | `system` | the problem with slacks, and with the fit Zᵀx as rows without a right-hand side |
//! | `scale` | units in which the entries of A are near one |
//! | `basis`, `pivot` | the inverse of K_F and its updates; which columns enter and leave, and null vectors where K_F would be singular |
//! | `solve` | solutions of its equations, refined to twice the working precision |
//! | `factors` | sparse factors in place of the inverse, for large bases |
//! | `law`, `follower`, `ratio` | the law of a basis, the loop from event to event, the ratio test |
//! | `pricer` | which columns at bounds are priced |
//! | `cross`, `tied` | crossing a degenerate t, by the same homotopy for the derivatives |
//! | `start`, `crossover`, `dependent` | the solution at the beginning; the basis from which it is reached; rows that depend on others, or are zero |
//! | `interior` | where a large problem's start begins: what an interior-point method sees |
//! | `cell` | a basis as the parameters move in all directions |
//! | `runner` | the path as it is recorded, and its parts in the wider scalar |
//! | `checkpoint` | the state between two events, to be stored |

mod basis;
mod cell;
mod checkpoint;
mod cross;
mod crossover;
mod dependent;
mod follower;
mod interior;
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
pub(crate) use runner::{RowRunner, RunnerState};
