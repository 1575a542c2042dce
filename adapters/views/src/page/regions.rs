//! The laws of a map's regions: f, the free variables and the objective as functions of both parameters.

use super::rows::Rows;
use crate::certify;
use crate::map::MapView;
use pathqp::complex::{CriticalRegion, RegionId};
use pathqp::{Certificate, Point, Settings, Status};
use pathqp_adapters::KernelProblem;

/// The points at which a region's law is evaluated lie so far from its centre, as a part of the view.
const STEP: f64 = 0.25;

/// What was found out about one region.
pub struct Found {
    pub id: u32,
    pub corners: Vec<[f64; 2]>,
    pub anchor: [f64; 2],
    pub counts: [usize; 3],
    pub not_unique: bool,
    pub kkt: f64,
    pub gap: f64,
    pub objective: [f64; 6],
    pub free: Vec<(usize, [f64; 3])>,
    /// The multiplier at the centre.
    pub y: f64,
}

/// What the regions are asked for.
pub struct Region<'a> {
    pub map: MapView<'a>,
    /// What only kernel problems have.
    pub kernel: &'a dyn KernelProblem,
    pub divide: Option<usize>,
    pub view: [[f64; 2]; 2],
}

/// A region's law at a point.
struct At {
    theta: [f64; 2],
    x: Vec<f64>,
    y: f64,
}

impl Region<'_> {
    /// Steps from the anchor towards the farther end of the view, so that every point of the law lies in the domain.
    fn steps(&self, anchor: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|a: usize| {
            let [from, to] = self.view[a];
            STEP * (to - from) * if anchor[a] - from > to - anchor[a] { -1.0 } else { 1.0 }
        })
    }

    /// A region as it is drawn, if pathqp can solve at its centre.
    pub fn find(&self, id: RegionId, corners: Vec<[f64; 2]>) -> Option<Found> {
        let MapView { about, plane, complex } = self.map;
        let region = complex.regions().get(id.0 as usize)?;
        let anchor = middle(&corners);
        let solved = plane.solve(complex, &complex.centre(id)?, &Settings::default(), &|| true).ok()?;
        let (law, unit) = (region.law(), self.kernel.dual_unit().0);
        let [da, db] = [anchor[0] - law.anchor[0], anchor[1] - law.anchor[1]];
        let n = about.rows();
        let free = region.free().zip(law.x).map(|(i, [v, g, h])| {
            // ε-SVR has both signs of every row.
            let sign = if i < n { unit } else { -unit };
            (i % n.max(1), [v + g * da + h * db, *g, *h].map(|v| v * sign))
        });
        let count = |status: Status| region.status().iter().filter(|s| **s == status).count();
        Some(Found {
            id: id.0,
            counts: [Status::Lower, Status::Upper, Status::Free].map(count),
            not_unique: !region.is_unique() || solved.point.floating,
            kkt: certify::number(solved.certificate.kkt_residual()),
            gap: certify::number(solved.certificate.relative_gap),
            objective: self.objective(region, anchor)?,
            free: free.collect(),
            y: solved.point.y,
            corners,
            anchor,
        })
    }

    /// The objective times what it is divided by, a polynomial of degree two, from its values at six points.
    fn objective(&self, region: &CriticalRegion<f64>, anchor: [f64; 2]) -> Option<[f64; 6]> {
        let steps = self.steps(anchor);
        let at = |share: [f64; 2]| {
            let At { theta, x, y } = self.at(region, 0.0, [0, 1].map(|a: usize| anchor[a] + share[a] * steps[a]))?;
            let line = self.map.plane.qp.line(&theta, &theta).ok()?;
            let certificate = Certificate::new(&line, &0.0, &x, &y);
            Some(0.0 - self.map.plane.problem.gap_unit(&theta) * self.divisor(&theta) * certificate.objective)
        };
        let [o, a, b] = [at([0.0, 0.0])?, at([1.0, 0.0])?, at([0.0, 1.0])?];
        let [half_a, half_b, both] = [at([0.5, 0.0])?, at([0.0, 0.5])?, at([0.5, 0.5])?];
        // q(s) = o + b·s + c·s² through s = 0, 1/2 and 1.
        let parabola = |half: f64, whole: f64| (4.0 * half - whole - 3.0 * o, 2.0 * (whole - 2.0 * half + o));
        let ((b1, c1), (b2, c2)) = (parabola(half_a, a), parabola(half_b, b));
        let ([s, t], mixed) = (steps, 4.0 * (both - half_a - half_b + o));
        Some([o, b1 / s, b2 / t, c1 / (s * s), mixed / (s * t), c2 / (t * t)])
    }

    /// The laws of what is kept of f, times what it is divided by, from its values at three points.
    pub fn laws(&self, found: &Found, rows: &Rows) -> Option<Vec<[f64; 3]>> {
        let region = self.map.complex.regions().get(found.id as usize)?;
        let (steps, kernel) = (self.steps(found.anchor), self.kernel);
        let at = |share: [f64; 2]| {
            let theta = [0, 1].map(|a: usize| found.anchor[a] + share[a] * steps[a]);
            let At { theta, x, y } = self.at(region, found.y, theta)?;
            let point = Point { t: 0.0, x, y, rows: Vec::new(), floating: false, free: Vec::new(), fit: None };
            let values = rows.values(kernel, &kernel.function(&theta, &point)).into_iter();
            Some(values.map(|f| f * self.divisor(&theta)).collect::<Vec<f64>>())
        };
        let [origin, first, second] = [at([0.0, 0.0])?, at([1.0, 0.0])?, at([0.0, 1.0])?];
        let slopes = origin.iter().zip(first.iter().zip(&second));
        Some(slopes.map(|(o, (a, b))| [*o, (a - o) / steps[0], (b - o) / steps[1]]).collect())
    }

    fn divisor(&self, theta: &[f64; 2]) -> f64 {
        self.divide.map_or(1.0, |a| theta[a])
    }

    /// The region's law at a point of the domain, whether or not it lies in the region; `y` where the multiplier has no law.
    fn at(&self, region: &CriticalRegion<f64>, y: f64, theta: [f64; 2]) -> Option<At> {
        let line = self.map.plane.qp.line(&theta, &theta).ok()?;
        let bounds = &line.bounds;
        let held = |(i, status): (usize, &Status)| match status {
            Status::Lower => bounds.lower_at(i, &0.0).unwrap_or(0.0),
            Status::Upper => bounds.upper_at(i, &0.0).unwrap_or(0.0),
            Status::Free => 0.0,
        };
        let mut x: Vec<f64> = region.status().iter().enumerate().map(held).collect();
        let law = region.law();
        let value = |[v, g, h]: &[f64; 3]| v + g * (theta[0] - law.anchor[0]) + h * (theta[1] - law.anchor[1]);
        for (i, plane) in region.free().zip(law.x) {
            *x.get_mut(i)? = value(plane);
        }
        Some(At { theta, x, y: law.y.map_or(y, value) })
    }
}

/// The largest KKT residual and the largest relative gap.
pub fn worst(found: &[Found]) -> [f64; 2] {
    found.iter().fold([0.0, 0.0], |[kkt, gap]: [f64; 2], r| [kkt.max(r.kkt), gap.max(r.gap)])
}

/// The mean of the corners.
pub fn middle(corners: &[[f64; 2]]) -> [f64; 2] {
    let count = corners.len().max(1) as f64;
    [0, 1].map(|a: usize| corners.iter().map(|corner| corner[a]).sum::<f64>() / count)
}
