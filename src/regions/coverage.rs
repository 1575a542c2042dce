//! How much of the domain the cells cover, by random points and lines.

use super::Regions;
use super::locate::clip;
use super::polyhedron::{HalfSpace, SAME, STEPPED, along, direction};
use crate::active_set::key;
use crate::problem::ParametricQp;

/// What random points of the domain say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Random points.
    pub points: usize,
    /// Those in a cell.
    pub covered: usize,
    /// Those that a proof says to have no solution.
    pub infeasible: usize,
    /// The others.
    pub uncovered: usize,
}

/// A stretch of a line that not exactly one cell, or proof, covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The middle of the stretch.
    pub at: Vec<f64>,
    /// Its length, in units of half the range of each parameter.
    pub length: f64,
    /// The cells that cover it: none, or several.
    pub cells: Vec<usize>,
}

impl Coverage {
    /// The covered part of what has a solution.
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
    /// A random point of the domain: the same for the same numbers.
    pub fn random_point(&self, seed: u64, number: usize) -> Vec<f64> {
        let p = self.frame.p();
        self.frame.theta(&(0..p).map(|k| random(seed, number * p + k)).collect::<Vec<f64>>())
    }

    /// Where so many random points of the domain lie.
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

    /// Stretches of so many random lines through the domain that no cell covers and no proof, or more than one cell. What is shorter than 2.4e-7 (in units of half the range of each parameter) is left out: cells without an
    /// inside are stepped over.
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
