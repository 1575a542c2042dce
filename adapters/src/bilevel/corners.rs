//! Solutions at the corners of rectangles of the plane, each followed from one near by.

use super::plane::Plane;
use crate::problem::begin;
use pathqp::{ParametricQp, Settings, Start, Status, Stop};

/// The active set of a solution at one θ.
pub(super) struct Vertex {
    status: Vec<Status>,
    y: f64,
}

impl Vertex {
    /// What a start leads to on the way from one θ to another, which may be the same.
    fn follow(
        qp: &ParametricQp<f64>,
        [from, to]: [&[f64; 2]; 2],
        start: &Start<f64>,
        settings: &Settings,
    ) -> Option<Self> {
        let line = qp.line(from, to).ok()?;
        let mut follower = begin(&line, start, settings).ok()?;
        if follower.run(&mut ()).ok()? != Stop::Target {
            return None;
        }
        let status = follower.status().to_vec();
        let path = follower.into_path();
        path.before(path.end()).map(|point| Vertex { status, y: point.y })
    }

    /// As a start where it was found.
    pub fn start(&self) -> Start<f64> {
        Start::ActiveSet { status: self.status.clone(), y: Some(self.y) }
    }

    /// In how many variables the active set differs.
    fn changes(&self, other: &Self) -> usize {
        self.status.iter().zip(&other.status).filter(|(a, b)| a != b).count()
    }
}

/// A point of the plane with the solutions of all folds.
pub(super) struct Corner {
    pub place: [f64; 2],
    pub folds: Vec<Vertex>,
}

impl Corner {
    /// From starts of the problems themselves.
    pub fn first(planes: &[Box<dyn Plane + '_>], place: [f64; 2], settings: &Settings) -> Option<Self> {
        let vertex = |plane: &(dyn Plane + '_)| {
            let theta = plane.theta(place);
            Vertex::follow(plane.qp(), [&theta, &theta], &plane.start(&theta), settings)
        };
        Some(Corner { place, folds: planes.iter().map(|plane| vertex(plane.as_ref())).collect::<Option<_>>()? })
    }

    /// From a corner near by.
    pub fn beside(&self, planes: &[Box<dyn Plane + '_>], place: [f64; 2], settings: &Settings) -> Option<Self> {
        let vertex = |plane: &(dyn Plane + '_), near: &Vertex| {
            let (from, to) = (plane.theta(self.place), plane.theta(place));
            Vertex::follow(plane.qp(), [&from, &to], &near.start(), settings)
        };
        let folds = planes.iter().zip(&self.folds).map(|(plane, near)| vertex(plane.as_ref(), near));
        Some(Corner { place, folds: folds.collect::<Option<_>>()? })
    }

    /// In how many variables of all folds the active sets differ.
    pub fn changes(&self, other: &Self) -> usize {
        self.folds.iter().zip(&other.folds).map(|(a, b)| a.changes(b)).sum()
    }
}
