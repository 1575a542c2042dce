//! How much of the domain the cells cover, measured by random points and lines.

use super::Regions;
use super::locate::clip;
use super::polyhedron::{HalfSpace, SAME, STEPPED, along, direction};
use crate::active_set::key;
use crate::problem::ParametricQp;

/// The number of random points of the domain in cells, without a solution, and neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The number of random points.
    pub points: usize,
    /// Points in a cell.
    pub covered: usize,
    /// Points without a solution, by a proof.
    pub infeasible: usize,
    /// The other points.
    pub uncovered: usize,
}

/// A part of a line that no cell and no proof covers, or more than one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// Its middle, as θ (p entries).
    pub at: Vec<f64>,
    /// Its length, with θ in units of half the range of each parameter.
    pub length: f64,
    /// The cells that cover it: none, or several.
    pub cells: Vec<usize>,
}

impl Coverage {
    /// The share of points in a cell among those not proved to have no solution; zero if there are none.
    pub fn share(&self) -> f64 {
        let all = self.covered + self.uncovered;
        if all == 0 { 0.0 } else { self.covered as f64 / all as f64 }
    }
}

/// Between −1 and 1.
fn random(seed: u64, number: usize) -> f64 {
    (key(number, seed.wrapping_mul(8)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

impl Regions {
    /// A random point of the domain, p entries: always the same for the same seed and number.
    pub fn random_point(&self, seed: u64, number: usize) -> Vec<f64> {
        let p = self.frame.p();
        self.frame.theta(&(0..p).map(|k| random(seed, number * p + k)).collect::<Vec<f64>>())
    }

    /// Counts where `points` random points of the domain lie. `qp` is the problem of these regions.
    pub fn coverage(&self, qp: &ParametricQp<f64>, points: usize, seed: u64) -> Coverage {
        let mut coverage = Coverage { points, ..Coverage::default() };
        for number in 0..points {
            let theta = self.random_point(seed, number);
            if self.locate(&theta).is_some() {
                coverage.covered += 1;
            } else if self.walls.iter().any(|wall| wall.proves(qp, &theta)) {
                coverage.infeasible += 1;
            } else {
                coverage.uncovered += 1;
            }
        }
        coverage
    }

    /// The parts of `lines` random lines through the domain that no cell and no proof covers, or more than one cell. Parts no longer than 2.4e-7 (θ in units of
    /// half the range of each parameter) are left out, because the exploration steps over cells without an interior.
    pub fn gaps(&self, lines: usize, seed: u64) -> Vec<Gap> {
        let p = self.frame.p();
        let mut gaps = Vec::new();
        for number in 0..lines {
            let from: Vec<f64> = (0..p).map(|k| random(seed, number * p + k)).collect();
            let to = direction(p, seed.wrapping_add(1), number);
            self.gaps_of(&from, &to, &mut gaps);
        }
        gaps
    }

    fn gaps_of(&self, from: &[f64], to: &[f64], gaps: &mut Vec<Gap>) {
        let mut line = [f64::NEG_INFINITY, f64::INFINITY];
        HalfSpace::walls(from.len()).for_each(|wall| clip(&wall, from, to, &mut line));
        // A cell of a line, or none for a proof.
        let mut stretches: Vec<([f64; 2], Option<usize>)> = Vec::new();
        for (id, cell) in self.cells.iter().enumerate() {
            let mut own = line;
            cell.sides.iter().for_each(|side| clip(side, from, to, &mut own));
            stretches.extend((own[1] - own[0] > SAME).then_some((own, Some(id))));
        }
        for wall in &self.walls {
            let mut own = line;
            clip(&wall.plane.opposite(), from, to, &mut own);
            stretches.extend((own[1] - own[0] > SAME).then_some((own, None)));
        }
        let mut ends: Vec<f64> = stretches.iter().flat_map(|s| s.0).chain(line).collect();
        ends.sort_by(f64::total_cmp);
        for pair in ends.windows(2).filter(|pair| pair[1] - pair[0] > STEPPED) {
            let (middle, length) = (pair[0] / 2.0 + pair[1] / 2.0, pair[1] - pair[0]);
            let here = stretches.iter().filter(|(own, _)| own[0] <= middle && middle <= own[1]);
            let (mut cells, mut walls) = (Vec::new(), 0);
            here.for_each(|(_, cell)| cell.map_or_else(|| walls += 1, |cell| cells.push(cell)));
            if cells.len() != 1 && !(cells.is_empty() && walls > 0) {
                gaps.push(Gap { at: self.frame.theta(&along(from, middle, to)), length, cells });
            }
        }
    }
}
