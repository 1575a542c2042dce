//! Critical regions in any number of parameters, with any rows.
//!
//! Over Θ ⊂ ℝᵖ, a box, the solution of
//!
//! ```text
//! minimise ½ xᵀHx + c(θ)ᵀx    subject to   bl(θ) ≤ A x ≤ bu(θ),   l(θ) ≤ x ≤ u(θ)
//! ```
//!
//! is affine in θ on each of finitely many polyhedra (Bemporad, Morari, Dua and Pistikopoulos 2002, doi:10.1016/S0005-1098(01)00174-1). [`explore`] finds them.
//! A [`Cell`] is where one basis is optimal; a critical region is the union of the cells on which the same bounds and rows are active. That is one cell, unless
//! y is not unique there. docs/regions.md has the mathematics.
//!
//! The projection of θ onto the triangle x ≥ 0, x₁ + x₂ ≤ 1 has seven regions: the triangle itself, and one for each of its sides and corners.
//!
//! ```
//! use pathqp::{Affine, ParametricQp, Range, hessian::{Dense, Rows}, regions::{self, Options}};
//! use std::sync::Arc;
//!
//! let h = Arc::new(Dense::new(vec![vec![1.0, 0.0], vec![0.0, 1.0]])?);
//! let c = Affine { constant: vec![0.0; 2], slopes: vec![vec![-1.0, 0.0], vec![0.0, -1.0]] };
//! let rows = Rows::Dense { columns: 2, values: vec![1.0, 1.0] };
//! let (none, one) = (Affine::constant(vec![f64::NEG_INFINITY], 2), Affine::constant(vec![1.0], 2));
//! let qp = ParametricQp::new(h, vec![Range::new(-2.0, 2.0), Range::new(-2.0, 2.0)], c)?
//!     .lower(Affine::constant(vec![0.0; 2], 2))?
//!     .rows(rows, none, one)?;
//! let found = regions::explore(&qp, &Options::default())?;
//! assert_eq!(found.regions(), 7);
//! assert_eq!(found.coverage(&qp, 1000, 1).uncovered, 0);
//! let point = found.at(&qp, &[1.0, 1.5])?;
//! assert!((point.x[0] - 0.25).abs() < 1e-14 && (point.x[1] - 0.75).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cell;
mod coverage;
mod explore;
mod frame;
mod linear;
mod locate;
mod polyhedron;
mod search;
mod vertices;
mod wall;

#[cfg(any(test, feature = "testing"))]
pub(crate) use linear::{Answer, Program};

pub use cell::Cell;
pub use coverage::{Coverage, Gap};
pub use search::{Search, SearchCell, SearchNode, Side};
pub use wall::Wall;

use crate::active_set::Status;
use crate::error::PathError;
use crate::path::Point;
use crate::problem::ParametricQp;
use crate::settings::Settings;
use explore::Explorer;
use frame::Frame;
use locate::Tree;
use polyhedron::SAME;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Why regions could not be found, or a point of them not be solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RegionsError {
    /// A range without two ends, or of no length.
    #[error("parameter {parameter} needs a range with two ends, and of positive length")]
    Domain {
        /// The index of the parameter.
        parameter: usize,
    },
    /// No cell with an interior was found: the problem may have no solution in the domain.
    #[error(
        "no critical region with an interior was found in the domain: the problem has no solution there, or only on a hyperplane; choose another domain"
    )]
    NoRegion,
    /// A point outside Θ.
    #[error("({}) lies outside the domain: choose a point inside", point.join(", "))]
    Outside {
        /// The point θ.
        point: Vec<String>,
    },
    /// A point at which the problem has no solution, by one of the proofs ([`Regions::walls`]).
    #[error("there is no solution at ({}): proof {wall} of the regions holds there", point.join(", "))]
    NoSolution {
        /// The point θ.
        point: Vec<String>,
        /// The index of the proof in [`Regions::walls`].
        wall: usize,
    },
    /// A point that no cell and no proof covers.
    #[error("no critical region at ({}): it is not covered", point.join(", "))]
    Uncovered {
        /// The point θ.
        point: Vec<String>,
    },
    /// The regions were found for a problem of another size or on another domain.
    #[error("the regions belong to a problem with other variables, rows or another domain")]
    OtherProblem,
    /// No solution could be computed where the exploration begins.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// A fault of stored regions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", cell.map_or_else(String::new, |cell| format!("cell {cell}: ")))]
pub struct RegionsViolation {
    /// The cell that has the fault; `None` if it is no single cell.
    pub cell: Option<usize>,
    /// The part that is wrong, in words.
    pub what: &'static str,
}

/// Options of the exploration.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The settings of the follower.
    pub settings: Settings,
    /// The exploration ends when this many cells are known. Default: when all are.
    pub max_cells: Option<usize>,
}

/// Counters of the exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RegionsStats {
    /// Crossings of a side.
    pub crossed: usize,
    /// Parts of sides beyond which a known cell was found to lie.
    pub known: usize,
    /// Parts that arose because the cell beyond covered a part of a side only.
    pub split: usize,
    /// Attempts at another place of a part, after one had failed.
    pub attempts: usize,
    /// Crossings that failed because of rounding.
    pub failed: usize,
    /// Parts of sides beyond which nothing was found from that side.
    pub holes: usize,
    /// The largest number of cells waiting to be explored at one time.
    pub most_waiting: usize,
}

/// All critical regions of a problem on its domain.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Regions {
    frame: Frame,
    /// Variables and rows.
    shape: [usize; 2],
    cells: Vec<Cell>,
    /// The region of every cell.
    region: Vec<u32>,
    walls: Vec<Wall>,
    complete: bool,
    stats: RegionsStats,
    #[serde(skip)]
    tree: OnceLock<Tree>,
}

impl PartialEq for Regions {
    fn eq(&self, other: &Self) -> bool {
        let parts = |r: &Self| (r.frame.clone(), r.shape, r.region.clone(), r.complete, r.stats.clone());
        parts(self) == parts(other) && self.cells == other.cells && self.walls == other.walls
    }
}

/// The solution at one θ.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionPoint {
    /// The parameters θ, p entries.
    pub theta: Vec<f64>,
    /// x, n entries.
    pub x: Vec<f64>,
    /// The multipliers y of the rows, m entries; where they are not unique, those of one basis.
    pub y: Vec<f64>,
    /// The free variables of the basis, in ascending order.
    pub free: Vec<usize>,
    /// The number of the critical region that contains θ.
    pub region: usize,
    /// The number of the cell that contains θ.
    pub cell: usize,
}

/// Finds every critical region of a problem all of whose ranges have two ends.
///
/// # Errors
/// [`RegionsError::Domain`] for a range of no length or without two ends, [`RegionsError::NoRegion`] if no cell is found, and [`RegionsError::Path`] if a first
/// solution cannot be computed.
pub fn explore(qp: &ParametricQp<f64>, options: &Options) -> Result<Regions, RegionsError> {
    explore_while(qp, options, &mut |_, _| true)
}

/// As [`explore`], for as long as `go_on` returns true. It is called after each cell, with the number of cells known and the number of those that are still
/// waiting to be explored. If it ends early, [`Regions::is_complete`] is false.
///
/// # Errors
/// As [`explore`].
pub fn explore_while(
    qp: &ParametricQp<f64>,
    options: &Options,
    go_on: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Regions, RegionsError> {
    let mut explorer = Explorer::new(qp, &options.settings)?;
    let within = |cells: usize| options.max_cells.is_none_or(|most| cells < most);
    while within(explorer.cells.len()) && go_on(explorer.cells.len(), explorer.waiting()) && explorer.step() {}
    let complete = explorer.waiting() == 0;
    let mut numbers: HashMap<&[Status], u32> = HashMap::new();
    let mut region = Vec::with_capacity(explorer.cells.len());
    for cell in &explorer.cells {
        let next = numbers.len() as u32;
        region.push(*numbers.entry(&cell.pattern).or_insert(next));
    }
    Ok(Regions {
        shape: [qp.n(), qp.m()],
        region,
        complete,
        frame: explorer.frame,
        cells: explorer.cells,
        walls: explorer.walls,
        stats: explorer.stats,
        tree: OnceLock::new(),
    })
}

impl Regions {
    /// The number of critical regions.
    pub fn regions(&self) -> usize {
        self.region.iter().max().map_or(0, |last| *last as usize + 1)
    }

    /// The cells, in order of discovery; their index is the number of the cell.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The number of the region of a cell; `None` if there is no such cell.
    pub fn region_of(&self, cell: usize) -> Option<usize> {
        self.region.get(cell).map(|region| *region as usize)
    }

    /// The proofs that there is no solution, each for a half-space of θ.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// Whether the exploration was not ended early. That does not mean that all of the domain is covered: see [`Regions::coverage`].
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Counters of the exploration.
    pub fn stats(&self) -> &RegionsStats {
        &self.stats
    }

    /// The depth of the search tree: the most hyperplanes that a point is compared with before its leaf is known.
    pub fn depth(&self) -> usize {
        self.tree().depth()
    }

    /// The half-spaces gᵀθ ≤ h of a cell, each as (g, h) with p entries of g; none is implied by the others. `None` if there is no such cell.
    pub fn half_spaces(&self, cell: usize) -> Option<Vec<(Vec<f64>, f64)>> {
        Some(self.cells.get(cell)?.half_spaces(&self.frame))
    }

    /// The centre θ of the largest ball in a cell, with θ in units of half the range of each parameter, and the ball's radius in these units. `None` if there
    /// is no such cell.
    pub fn centre(&self, cell: usize) -> Option<(Vec<f64>, f64)> {
        let cell = self.cells.get(cell)?;
        Some((self.frame.theta(&cell.centre), cell.radius))
    }

    fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| Tree::new(&self.cells))
    }

    /// The cell that contains θ (one of several on a common side); `None` outside the domain and where no cell is.
    pub fn locate(&self, theta: &[f64]) -> Option<usize> {
        if !self.frame.contains(theta) {
            return None;
        }
        let (cell, excess) = self.tree().locate(&self.cells, &self.frame.xi(theta))?;
        (excess <= SAME).then_some(cell)
    }

    /// Whether the regions can belong to a problem: it has as many variables and rows, and the same domain.
    pub fn fits(&self, qp: &ParametricQp<f64>) -> bool {
        self.shape == [qp.n(), qp.m()] && Frame::new(qp).is_ok_and(|frame| frame == self.frame)
    }

    /// Everything wrong with stored regions; empty for the result of [`explore`].
    pub fn violations(&self) -> Vec<RegionsViolation> {
        let (p, [n, m], count) = (self.frame.p(), self.shape, self.regions());
        let mut found = Vec::new();
        let mut check = |fine: bool, cell: Option<usize>, what: &'static str| {
            if !fine {
                found.push(RegionsViolation { cell, what });
            }
        };
        check(self.frame.is_sound(), None, "the domain");
        check(self.region.len() == self.cells.len() && !self.cells.is_empty(), None, "the number of cells");
        let mut named = vec![false; self.cells.len()];
        for (cell, region) in self.region.iter().enumerate() {
            check((*region as usize) < named.len(), Some(cell), "the number of its region");
            named.get_mut(*region as usize).into_iter().for_each(|named| *named = true);
        }
        check(named.iter().take(count).all(|named| *named), None, "the numbers of regions");
        for (id, cell) in self.cells.iter().enumerate() {
            check(cell.fits(p, n, m), Some(id), "the shape of its parts, or a number that is not finite");
        }
        check(self.walls.iter().all(|wall| wall.plane.is_sound(p)), None, "the half-spaces without a solution");
        found
    }

    /// The solution at θ (p entries) of the problem that the regions were found for.
    ///
    /// # Errors
    /// [`RegionsError::Outside`] for a point outside Θ, [`RegionsError::NoSolution`] and [`RegionsError::Uncovered`] where no cell is, and
    /// [`RegionsError::OtherProblem`] for another problem.
    pub fn at(&self, qp: &ParametricQp<f64>, theta: &[f64]) -> Result<RegionPoint, RegionsError> {
        if !self.fits(qp) {
            return Err(RegionsError::OtherProblem);
        }
        let point = || theta.iter().map(ToString::to_string).collect::<Vec<String>>();
        if !self.frame.contains(theta) {
            return Err(RegionsError::Outside { point: point() });
        }
        let Some(cell) = self.locate(theta) else {
            return Err(match self.walls.iter().position(|wall| wall.proves(qp, theta)) {
                Some(wall) => RegionsError::NoSolution { point: point(), wall },
                None => RegionsError::Uncovered { point: point() },
            });
        };
        let (x, y) = self.cells[cell].at(theta, &self.frame.half);
        let free = (0..self.shape[0]).filter(|&j| self.cells[cell].status[j] == Status::Free).collect();
        Ok(RegionPoint { theta: theta.to_vec(), x, y, free, region: self.region[cell] as usize, cell })
    }
}

impl RegionPoint {
    /// The same solution as a [`Point`] with t = 0. `qp` tells whether the multipliers belong to a single equality row or to rows.
    pub fn as_point(&self, qp: &ParametricQp<f64>) -> Point<f64> {
        let RegionPoint { x, y, free, .. } = self.clone();
        let (y, rows) = if qp.has_rows() { (0.0, y) } else { (y.first().copied().unwrap_or(0.0), Vec::new()) };
        Point { t: 0.0, x, y, rows, floating: false, free, fit: None }
    }
}
