//! The sum of the losses of all folds along the sides of the cells of each fold.
//!
//! The cells of another fold divide a side into parts, on each of which the loss of that fold is one function with the same denominator λ = ℓ(τ), so that the
//! numerators are
//! added. The candidate cells for a side are those in the buckets, of a grid in τ and log λ, through which the side passes.

use super::BilevelError;
use super::cells::{Cell, Corner, Segment, VERTICAL, branches, value};

/// Two cells are neighbours along a side when they leave no more than this of it between them, as a part of its length.
const BETWEEN: f64 = 1e-9;

/// Points this close to a side lie on it, relative to the terms of the side's equation.
const ON: f64 = 1e-13;

/// Where the tuned parameter begins at zero, this part of its range is added before the logarithm is taken.
const SHIFT: f64 = 1e-3;

/// The cells of one fold by the buckets that they reach.
struct Grid<'a> {
    cells: &'a [Cell],
    columns: usize,
    rows: usize,
    from: [f64; 2],
    size: [f64; 2],
    /// Buckets are even in log(λ + shift).
    shift: f64,
    buckets: Vec<Vec<u32>>,
    /// When a cell was seen last.
    seen: Vec<u32>,
    round: u32,
}

/// A part of a side: where it begins and ends, as parts of the side's length, and the numerator in τ − from of the side.
#[derive(Clone)]
struct Part {
    from: f64,
    to: f64,
    numerator: [f64; 3],
}

/// Goes through the sides of all folds' cells, each in parts, with the loss of all folds.
pub(super) fn sides_of_all(
    folds: &[Vec<Cell>],
    tau: [f64; 2],
    lambda: [f64; 2],
    add: &mut dyn FnMut(Segment) -> Result<(), BilevelError>,
) -> Result<(), BilevelError> {
    let mut grids: Vec<Grid> = folds.iter().map(|cells| Grid::new(cells, tau, lambda)).collect();
    let mut infinite: Vec<Vec<Segment>> = vec![Vec::new(); folds.len()];
    for (k, cells) in folds.iter().enumerate() {
        let mut own = Vec::new();
        for cell in cells {
            branches(cell, lambda[1], &mut |side| {
                if side.infinite {
                    own.push(side);
                    return Ok(());
                }
                let others = grids.iter_mut().enumerate().filter(|(j, _)| *j != k);
                let whole = vec![Part { from: 0.0, to: 1.0, numerator: side.numerator }];
                let parts = others.fold(whole, |parts, (_, grid)| refine(&parts, &grid.along(&side)));
                parts.iter().filter_map(|part| side.part(part)).try_for_each(&mut *add)
            })?;
        }
        own.sort_by(|a, b| a.from.total_cmp(&b.from));
        if let Some(list) = infinite.get_mut(k) {
            *list = own;
        }
    }
    constants(&infinite).into_iter().try_for_each(add)
}

/// Goes through the branches of all faces, each what a cell of every fold has in common, with a quadratic loss. The area of the faces.
pub(super) fn branches_of_faces(
    folds: &[Vec<Cell>],
    vary: [f64; 2],
    tuned: [f64; 2],
    add: &mut dyn FnMut(Segment) -> Result<(), BilevelError>,
) -> Result<f64, BilevelError> {
    let Some((first, rest)) = folds.split_first() else { return Ok(0.0) };
    let mut area = 0.0;
    let mut grids: Vec<Grid> = rest.iter().map(|cells| Grid::new(cells, vary, tuned)).collect();
    for cell in first {
        let mut faces = vec![cell.clone()];
        for grid in &mut grids {
            faces = faces.iter().flat_map(|face| grid.shared(face)).collect();
        }
        area += faces.iter().map(Cell::area).sum::<f64>();
        faces.iter().try_for_each(|face| branches(face, tuned[1], &mut *add))?;
    }
    Ok(area)
}

/// Adds the numerators where both are defined.
fn refine(left: &[Part], right: &[Part]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(p), Some(q)) = (left.peek(), right.peek()) {
        let (from, to) = (p.from.max(q.from), p.to.min(q.to));
        if from < to {
            let numerator = [0, 1, 2].map(|a: usize| p.numerator[a] + q.numerator[a]);
            parts.push(Part { from, to, numerator });
        }
        if p.to <= q.to {
            left.next();
        } else {
            right.next();
        }
    }
    parts
}

/// The sum of the losses for λ → ∞: affine functions of τ, fold by fold.
fn constants(folds: &[Vec<Segment>]) -> Vec<Segment> {
    let Some((first, rest)) = folds.split_first() else { return Vec::new() };
    rest.iter().fold(first.clone(), |total, fold| {
        let mut sum = Vec::with_capacity(total.len() + fold.len());
        let (mut left, mut right) = (total.iter().peekable(), fold.iter().peekable());
        while let (Some(p), Some(q)) = (left.peek(), right.peek()) {
            let (from, to) = (p.from.max(q.from), p.to.min(q.to));
            if to - from > VERTICAL {
                let at = |s: &Segment| s.numerator[0] + s.numerator[1] * (from - s.from);
                let numerator = [at(p) + at(q), p.numerator[1] + q.numerator[1], 0.0];
                sum.push(Segment { from, to, numerator, ..(*p).clone() });
            }
            if p.to <= q.to {
                left.next();
            } else {
                right.next();
            }
        }
        sum
    })
}

impl Segment {
    /// A part of it with another numerator; none without length.
    fn part(&self, part: &Part) -> Option<Self> {
        let at = |part: f64| self.from + (self.to - self.from) * part;
        let (from, to) = (at(part.from), if part.to == 1.0 { self.to } else { at(part.to) });
        let ([n0, n1, n2], [d0, d1], delta) = (part.numerator, self.denominator, from - self.from);
        (to - from > VERTICAL).then_some(Segment {
            from,
            to,
            numerator: [n0 + delta * (n1 + delta * n2), n1 + 2.0 * delta * n2, n2],
            denominator: [d0 + d1 * delta, d1],
            tuned: [self.tuned[0] + self.tuned[1] * delta, self.tuned[1]],
            infinite: self.infinite,
        })
    }

    /// (τ, λ) at its ends.
    fn ends(&self) -> [[f64; 2]; 2] {
        let lambda = |tau: f64| self.tuned[0] + self.tuned[1] * (tau - self.from);
        [[self.from, lambda(self.from)], [self.to, lambda(self.to)]]
    }
}

impl<'a> Grid<'a> {
    fn new(cells: &'a [Cell], tau: [f64; 2], lambda: [f64; 2]) -> Self {
        let across = ((cells.len() as f64).sqrt().ceil() as usize).clamp(1, 1024);
        let finite =
            cells.iter().flat_map(|cell| cell.corners.iter().filter(|p| p[2] != 0.0).map(|p| p[1] + cell.anchor[1]));
        let largest = finite.fold(2.0 * lambda[0], f64::max);
        let shift = if lambda[0] > 0.0 { 0.0 } else { SHIFT * largest };
        let (low, high) = ((lambda[0] + shift).ln(), (largest + shift).ln());
        let size = [(tau[1] - tau[0]) / across as f64, (high - low) / across as f64];
        let mut grid = Grid {
            cells,
            columns: across,
            rows: across,
            from: [tau[0], low],
            size,
            shift,
            buckets: vec![Vec::new(); across * across],
            seen: vec![0; cells.len()],
            round: 0,
        };
        for (number, cell) in cells.iter().enumerate() {
            let corner = |p: &Corner| match p[2] == 0.0 {
                true => None,
                false => Some([p[0] + cell.anchor[0], p[1] + cell.anchor[1]]),
            };
            let finite: Vec<[f64; 2]> = cell.corners.iter().filter_map(corner).collect();
            let mut reach = grid.reach(&finite);
            if finite.len() < cell.corners.len() {
                reach[1][1] = grid.rows - 1;
            }
            grid.visit(reach, |bucket| bucket.push(number as u32));
        }
        grid
    }

    /// The first and last column and row of the buckets that some points span.
    fn reach(&self, points: &[[f64; 2]]) -> [[usize; 2]; 2] {
        let span = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
        };
        let place =
            |axis: usize, count: usize, v: f64| (((v - self.from[axis]) / self.size[axis]) as usize).min(count - 1);
        let (left, right) = span(&mut points.iter().map(|p| p[0]));
        let (low, high) = span(&mut points.iter().map(|p| (p[1] + self.shift).ln()));
        // A little further, so that rounding does not matter.
        let [dx, dy] = self.size.map(|s| 1e-6 * s);
        [
            [place(0, self.columns, left - dx), place(0, self.columns, right + dx)],
            [place(1, self.rows, low - dy), place(1, self.rows, high + dy)],
        ]
    }

    fn visit(&mut self, [[left, right], [low, high]]: [[usize; 2]; 2], mut visit: impl FnMut(&mut Vec<u32>)) {
        for row in low..=high {
            for column in left..=right {
                if let Some(bucket) = self.buckets.get_mut(row * self.columns + column) {
                    visit(bucket);
                }
            }
        }
    }

    /// The cells in the buckets that some points span.
    fn near(&mut self, points: &[[f64; 2]]) -> Vec<&'a Cell> {
        self.round += 1;
        let [[left, right], [low, high]] = self.reach(points);
        let mut near = Vec::new();
        for row in low..=high {
            for column in left..=right {
                for &number in self.buckets.get(row * self.columns + column).into_iter().flatten() {
                    let number = number as usize;
                    if let (Some(seen), Some(cell)) = (self.seen.get_mut(number), self.cells.get(number))
                        && std::mem::replace(seen, self.round) != self.round
                    {
                        near.push(cell);
                    }
                }
            }
        }
        near
    }

    /// The loss of this fold along a side, part by part.
    fn along(&mut self, side: &Segment) -> Vec<Part> {
        let ends = side.ends();
        let part = |cell: &Cell| {
            let (from, to) = inside(cell, &ends)?;
            let p = [ends[0][0] - cell.anchor[0], ends[0][1] - cell.anchor[1], 1.0];
            Some(Part { from, to, numerator: cell.numerator(&p, side.tuned[1]) })
        };
        tiled(self.near(&ends).into_iter().filter_map(part).collect())
    }

    /// What a cell of other folds shares with the cells of this one.
    fn shared(&mut self, face: &Cell) -> Vec<Cell> {
        let place = |p: &Corner| [p[0] + face.anchor[0], p[1] + face.anchor[1]];
        let corners: Vec<[f64; 2]> = face.corners.iter().map(place).collect();
        self.near(&corners).into_iter().filter_map(|cell| face.shared(cell)).collect()
    }
}

/// The part of a line between two points that lies in a cell.
fn inside(cell: &Cell, [p, q]: &[[f64; 2]; 2]) -> Option<(f64, f64)> {
    let local = |p: &[f64; 2]| [p[0] - cell.anchor[0], p[1] - cell.anchor[1], 1.0];
    let (p, q) = (local(p), local(q));
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for (a, b) in cell.corners.iter().zip(cell.corners.iter().cycle().skip(1)) {
        // a × b: positive on the left of the line from a to b.
        let side = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        let [v, w] = [&p, &q].map(|p| {
            let terms: f64 = side.iter().zip(p).map(|(s, x)| (s * x).abs()).sum();
            Some(value(&side, p)).filter(|v| v.abs() > ON * terms).unwrap_or(0.0)
        });
        if v < 0.0 && w < 0.0 {
            return None;
        }
        if v < 0.0 {
            from = from.max(v / (v - w));
        } else if w < 0.0 {
            to = to.min(v / (v - w));
        }
        if from >= to {
            return None;
        }
    }
    Some((from, to))
}

/// Parts in order, each from the end of the one before it; a hole stays one.
fn tiled(mut parts: Vec<Part>) -> Vec<Part> {
    parts.sort_by(|a, b| a.from.total_cmp(&b.from).then(a.to.total_cmp(&b.to)));
    let mut reached = 0.0;
    parts.retain_mut(|part| {
        if part.to - reached <= 0.0 {
            return false;
        }
        if part.from - reached <= BETWEEN {
            part.from = reached;
        }
        reached = part.to;
        true
    });
    if let Some(last) = parts.last_mut().filter(|last| 1.0 - last.to <= BETWEEN) {
        last.to = 1.0;
    }
    parts
}
