//! The search for every cell: across all of each side.
//!
//! ```text
//! start    a basis at a point where there is a solution
//! cell     of a basis: half-spaces, without those that are implied by others; no cell if it has no interior
//! side     its uncovered parts, at first all of it:
//!   known    a cell found before lies beyond, at the point inside the part
//!   cross    otherwise the follower crosses there, in the direction of the normal: another basis, or a proof that there is no solution beyond
//!   cover    what the cell beyond has in common with the part is covered; the rest is cut along its half-spaces into parts, which are crossed again
//! end      no side has an uncovered part
//! ```
//!
//! Sides need not match: several cells may lie beyond one side (Spjøtvold, Kerrigan, Jones, Tøndel and Johansen 2006, doi:10.1016/j.automatica.2006.06.026);
//! that is why sides are divided into parts. The θ that have a solution form a convex set. So every cell is reached, and if there is no solution beyond one
//! point inside a side there is none beyond the whole side.

use super::cell::{Cell, nearest_to_zero};
use super::frame::Frame;
use super::linear::{Answer, Program};
use super::polyhedron::{HalfSpace, NARROW, Polyhedron, SAME, STEPPED, Side, along, ball, direction, dot, length};
use super::wall::Wall;
use super::{RegionsError, RegionsStats};
use crate::active_set::Status;
use crate::error::PathError;
use crate::problem::ParametricQp;
use crate::rows::{Beyond, Functions, Ground, Proof, Stand};
use crate::settings::{ATTEMPTS, Settings};
use std::collections::{HashMap, VecDeque};

/// A cell whose sides have not been looked beyond.
struct Open {
    id: usize,
    stand: Stand,
    polyhedron: Polyhedron,
}

/// An uncovered part of a side.
struct Part {
    /// Its half-spaces in the plane of the side.
    within: Vec<HalfSpace>,
    /// A point inside.
    point: Vec<f64>,
    /// Places where nothing was found.
    attempts: u32,
}

/// What lies beyond a point of a side.
enum Across {
    Cell(usize),
    Wall,
    Nothing,
}

/// How far it is from a point to the end of a polyhedron in a direction.
fn room(sides: &[Side], from: &[f64], to: &[f64]) -> f64 {
    let ahead = sides.iter().filter_map(|side| {
        let speed = dot(&side.plane.normal, to);
        (speed > SAME).then(|| -side.plane.excess(from) / speed)
    });
    ahead.fold(2.0, f64::min)
}

/// The cells so far.
pub(super) struct Explorer<'a> {
    qp: &'a ParametricQp<f64>,
    ground: Ground<'a>,
    pub frame: Frame,
    /// Where laws have their values: a generic point, so that nothing is zero there by chance.
    anchor: Vec<f64>,
    pub cells: Vec<Cell>,
    neighbours: Vec<Vec<usize>>,
    by_status: HashMap<Vec<Status>, usize>,
    pub walls: Vec<Wall>,
    queue: VecDeque<Open>,
    pub stats: RegionsStats,
}

impl<'a> Explorer<'a> {
    /// At the first cell.
    pub fn new(qp: &'a ParametricQp<f64>, settings: &Settings) -> Result<Self, RegionsError> {
        let frame = Frame::new(qp)?;
        let ground = Ground::new(qp, &frame.middle, frame.half.clone(), settings)?;
        let mut explorer = Explorer {
            qp,
            ground,
            anchor: direction(frame.p(), 2, 0).iter().map(|v| v / 4.0).collect(),
            frame,
            cells: Vec::new(),
            neighbours: Vec::new(),
            by_status: HashMap::new(),
            walls: Vec::new(),
            queue: VecDeque::new(),
            stats: RegionsStats::default(),
        };
        explorer.begin()?;
        Ok(explorer)
    }

    /// The first cell: at generic points near the middle, or if there is no solution there, at a point that a linear program finds.
    fn begin(&mut self) -> Result<(), RegionsError> {
        let p = self.frame.p();
        let near = |scale: f64, number: usize| direction(p, 3, number).iter().map(|v| v * scale).collect::<Vec<f64>>();
        let mut error = None;
        for number in 0..ATTEMPTS as usize {
            let xi = if number == 0 { near(0.01, 0) } else { near(0.9, number) };
            match self.begin_at(&xi) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(PathError::InfeasibleRows { .. }) if number == 0 => {
                    let found = self.feasible_point()?.map(|xi| self.begin_at(&xi));
                    match found {
                        Some(Ok(true)) => return Ok(()),
                        // On the boundary of what is feasible.
                        Some(Err(PathError::InfeasibleRows { .. })) | Some(Ok(false)) | None => {}
                        Some(Err(other)) => error = Some(other),
                    }
                }
                Err(PathError::InfeasibleRows { .. }) => {}
                Err(found) => error = Some(found),
            }
        }
        Err(error.map_or(RegionsError::NoRegion, RegionsError::Path))
    }

    fn begin_at(&mut self, xi: &[f64]) -> Result<bool, PathError> {
        let theta = self.frame.theta(xi);
        let stand = self.ground.stand(&theta)?;
        let to = direction(self.frame.p(), 4, 0);
        match self.ground.cross(&stand, &theta, &to)? {
            Beyond::Basis(stand) => Ok(self.enter(*stand, xi, &to)?.is_some()),
            Beyond::Nothing(_) => Ok(false),
        }
    }

    /// A point of the domain at which all rows hold, as far inside as there is room.
    fn feasible_point(&self) -> Result<Option<Vec<f64>>, RegionsError> {
        let (n, p) = (self.qp.n(), self.frame.p());
        let free = [f64::NEG_INFINITY, f64::INFINITY];
        let mut program = Program::new([vec![free; n], vec![[-1.0, 1.0]; p], vec![[0.0, 1.0]]].concat());
        self.ground.for_constraints(&self.frame.middle, &mut |a: Vec<f64>, lower, upper| {
            let mut add = |side: &[f64], sign: f64| {
                // sign·(aᵀx − side(ξ)) ≤ −r·‖(a, slopes)‖
                let size = (dot(&a, &a) + dot(&side[1..], &side[1..])).sqrt();
                let row = a.iter().map(|a| sign * a).chain(side[1..].iter().map(|s| -sign * s)).chain([size]);
                program.at_most(row.collect(), sign * side[0]);
            };
            match (lower, upper) {
                (Some(lower), Some(upper)) if lower == upper => {
                    let row = a.iter().copied().chain(lower[1..].iter().map(|s| -s));
                    program.equal(row.collect(), lower[0]);
                }
                (lower, upper) => {
                    lower.into_iter().for_each(|lower| add(&lower, -1.0));
                    upper.into_iter().for_each(|upper| add(&upper, 1.0));
                }
            }
        })?;
        for wall in HalfSpace::walls(p) {
            let row = [vec![0.0; n], wall.normal, vec![1.0]].concat();
            program.at_most(row, wall.offset);
        }
        let objective = [vec![0.0; n + p], vec![1.0]].concat();
        match program.maximise(&objective).solve() {
            Answer::Optimal(point) => Ok(Some(point[n..n + p].to_vec())),
            Answer::Infeasible | Answer::Unbounded => Err(RegionsError::NoRegion),
            Answer::Unknown => Ok(None),
        }
    }

    /// Looks beyond the sides of the next cell; whether there was one.
    pub fn step(&mut self) -> bool {
        let Some(open) = self.queue.pop_front() else { return false };
        for (k, side) in open.polyhedron.sides.iter().enumerate().filter(|(_, side)| !side.wall) {
            self.beyond(&open, k, side);
        }
        true
    }

    /// How many cells have not been looked beyond.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Covers a side.
    fn beyond(&mut self, open: &Open, k: usize, side: &Side) {
        let others = open.polyhedron.sides.iter().enumerate().filter(|(j, _)| *j != k);
        let within: Vec<HalfSpace> = others.filter_map(|(_, other)| other.plane.within(&side.plane)).collect();
        let point = match &side.inside {
            Some((point, _)) => point.clone(),
            None => match ball(within.iter(), Some(&side.plane), self.frame.p()) {
                Some((point, _)) => point,
                None => return,
            },
        };
        let mut parts = vec![Part { within, point, attempts: 0 }];
        while let Some(part) = parts.pop() {
            match self.across(open, side, &part) {
                Across::Wall => return,
                Across::Cell(id) => match self.uncovered(side, &part, id) {
                    Some(rest) => parts.extend(rest),
                    None => parts.extend(self.again(side, part)),
                },
                Across::Nothing => parts.extend(self.again(side, part)),
            }
        }
    }

    /// The same part with another point, unless there were many.
    fn again(&mut self, side: &Side, mut part: Part) -> Option<Part> {
        part.attempts += 1;
        if part.attempts >= ATTEMPTS {
            self.stats.holes += 1;
            return None;
        }
        let (centre, radius) = ball(part.within.iter(), Some(&side.plane), self.frame.p())?;
        self.stats.attempts += 1;
        part.point = self.shifted(side, &centre, radius / 2.0, self.stats.attempts);
        Some(part)
    }

    /// A generic point near another one in the plane of a side.
    fn shifted(&self, side: &Side, centre: &[f64], by: f64, number: usize) -> Vec<f64> {
        let d = direction(self.frame.p(), 6, number);
        let cosine = dot(&d, &side.plane.normal);
        along(centre, by, &along(&d, -cosine, &side.plane.normal))
    }

    /// What lies beyond the point of a part.
    fn across(&mut self, open: &Open, side: &Side, part: &Part) -> Across {
        let known = self.neighbours[open.id].iter().find(|id| self.cells[**id].faces(&side.plane, &part.point));
        if let Some(id) = known {
            self.stats.known += 1;
            return Across::Cell(*id);
        }
        self.stats.crossed += 1;
        // From inside the cell: what counts as zero at an event is known by how things come there.
        let normal = &side.plane.normal;
        let back: Vec<f64> = normal.iter().map(|a| -a).collect();
        let depth = room(&open.polyhedron.sides, &part.point, &back) / 2.0;
        let from = self.frame.theta(&along(&part.point, -depth, normal));
        let found = match self.ground.pass(&open.stand, (&from, normal), [depth - 2.0 * NARROW, depth + 2.0 * NARROW]) {
            Ok(Beyond::Basis(stand)) => self.enter(*stand, &part.point, normal),
            Ok(Beyond::Nothing(proof)) => return self.wall(proof, &part.point),
            Err(error) => Err(error),
        };
        match found {
            Ok(Some(id)) => {
                for (a, b) in [(open.id, id), (id, open.id)] {
                    if !self.neighbours[a].contains(&b) {
                        self.neighbours[a].push(b);
                    }
                }
                Across::Cell(id)
            }
            Ok(None) => Across::Nothing,
            Err(_) => {
                self.stats.failed += 1;
                Across::Nothing
            }
        }
    }

    /// Keeps a proof that there is no solution beyond a plane.
    fn wall(&mut self, proof: Proof<f64>, point: &[f64]) -> Across {
        let Some(wall) = Wall::new(self.qp, &self.frame, proof, point) else { return Across::Nothing };
        if !self.walls.iter().any(|other| other.plane.follows_from(&wall.plane)) {
            self.walls.push(wall);
        }
        Across::Wall
    }

    /// The cell of a basis that is optimal from ξ on in a direction, or the next one on the way that has an inside.
    fn enter(&mut self, mut stand: Stand, xi: &[f64], to: &[f64]) -> Result<Option<usize>, PathError> {
        let mut at = xi.to_vec();
        let anchor = self.frame.theta(&self.anchor);
        for _ in 0..ATTEMPTS {
            if let Some(&id) = self.by_status.get(stand.status()) {
                return Ok(Some(id));
            }
            let functions = self.ground.functions(&stand, &anchor)?;
            if let Some(polyhedron) = self.polyhedron(&functions) {
                let null: Vec<usize> =
                    functions.null.iter().map(|null| null.0).filter(|j| !stand.is_fixed(*j)).collect();
                if null.is_empty() {
                    return self.keep(stand, functions, polyhedron).map(Some);
                }
                return self.settled(&stand, (&polyhedron, &null), xi, to);
            }
            let theta = self.frame.theta(&at);
            let Beyond::Basis(next) = self.ground.pass(&stand, (&theta, to), [NARROW, 2.0 * NARROW])? else {
                return Ok(None);
            };
            stand = *next;
            at = along(&at, NARROW, to);
        }
        Ok(None)
    }

    /// Where y or x is not unique: the basis that remains optimal under a perturbation by ε, taken at a point beyond ξ in the direction `to`, which comes
    /// closer until the cell of the basis contains ξ.
    fn settled(
        &mut self,
        stand: &Stand,
        (around, null): (&Polyhedron, &[usize]),
        xi: &[f64],
        to: &[f64],
    ) -> Result<Option<usize>, PathError> {
        let mut step = room(&around.sides, xi, to) / 4.0;
        let mut last = None;
        while step > NARROW / 4.0 {
            let at = along(xi, step, to);
            let settled = self.ground.settle(stand, &self.frame.theta(&at), null)?;
            let id = match self.by_status.get(settled.status()) {
                Some(&id) => Some(id),
                None => {
                    let functions = self.ground.functions(&settled, &self.frame.theta(&self.anchor))?;
                    let inside = self.polyhedron(&functions);
                    inside.map(|polyhedron| self.keep(settled, functions, polyhedron)).transpose()?
                }
            };
            if let Some(id) = id {
                if self.cells[id].excess(xi) <= SAME {
                    return Ok(Some(id));
                }
                last = Some(id);
            }
            step /= 16.0;
        }
        Ok(last)
    }

    fn polyhedron(&self, functions: &Functions) -> Option<Polyhedron> {
        let spaces = functions.functions.iter();
        let spaces = spaces.filter_map(|f| HalfSpace::of_function(f.value, &f.gradient, &self.anchor));
        Polyhedron::new(spaces, self.frame.p())
    }

    fn keep(&mut self, stand: Stand, mut functions: Functions, polyhedron: Polyhedron) -> Result<usize, PathError> {
        let anchor = nearest_to_zero(polyhedron.corners.each_ref().map(|corner| self.frame.theta(corner)));
        let (x, y) = self.ground.values(&stand, &anchor)?;
        let laws = functions.x.iter_mut().zip(x).chain(functions.y.iter_mut().zip(y));
        laws.for_each(|(law, value)| law[0] = value);
        let id = self.cells.len();
        self.stats.most_waiting = self.stats.most_waiting.max(self.queue.len() + 1);
        self.by_status.insert(stand.status().to_vec(), id);
        self.cells.push(Cell::new(&stand, functions, &polyhedron, anchor));
        self.neighbours.push(Vec::new());
        self.queue.push_back(Open { id, stand, polyhedron });
        Ok(id)
    }

    /// The parts of a part that a cell beyond leaves; none where the two have nothing in common.
    fn uncovered(&mut self, side: &Side, part: &Part, id: usize) -> Option<Vec<Part>> {
        let p = self.frame.p();
        let mut within = part.within.clone();
        let mut rest = Vec::new();
        let sides = self.cells[id].sides.clone();
        for own in &sides {
            // Where it begins: at the plane, or behind a cell that was stepped over.
            if length(&along(&own.normal, 1.0, &side.plane.normal)) <= STEPPED {
                if own.excess(&part.point) <= STEPPED {
                    continue;
                }
                return None;
            }
            let Some(cut) = own.within(&side.plane) else {
                // Parallel: the cell goes on beyond the plane, or it does not lie beyond.
                if own.offset > side.plane.offset + SAME {
                    continue;
                }
                return None;
            };
            if within.iter().any(|known| cut.follows_from(known)) || self.holds(side, &within, &cut) {
                continue;
            }
            let beyond: Vec<HalfSpace> = within.iter().cloned().chain([cut.opposite()]).collect();
            if let Some((centre, radius)) = ball(beyond.iter(), Some(&side.plane), p) {
                self.stats.split += 1;
                let point = self.shifted(side, &centre, radius / 4.0, self.stats.split);
                rest.push(Part { within: beyond, point, attempts: 0 });
            }
            within.push(cut);
        }
        if !rest.is_empty() && ball(within.iter(), Some(&side.plane), p).is_none() {
            return None;
        }
        Some(rest)
    }

    /// Whether a half-space holds all over a part.
    fn holds(&self, side: &Side, within: &[HalfSpace], cut: &HalfSpace) -> bool {
        let mut program = Program::new(vec![[-1.0, 1.0]; self.frame.p()]).maximise(&cut.normal);
        within.iter().for_each(|h| program.at_most(h.normal.clone(), h.offset));
        program.equal(side.plane.normal.clone(), side.plane.offset);
        program.solve().point().is_some_and(|point| cut.excess(&point) <= NARROW)
    }
}
