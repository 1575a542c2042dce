//! The page of a map: the critical regions, and in each of them the laws of f, of the free variables and of the objective.

use super::encode::{Column, digits, exact, rough, whole};
use super::rows::{Grid, Labelled, Rows, Shown};
use super::{Fact, Head, file_name, machine};
use crate::certify;
use crate::map_file::MapFile;
use crate::plane::Plane;
use crate::plot::map::outlines;
use crate::problem::{Parameter, Problem};
use crate::values::bias_text;
use pathqp::complex::{CriticalRegion, RegionId};
use pathqp::{Certificate, Point, Status};
use serde::Serialize;

/// The points at which a region's law is evaluated lie so far from its centre, as a part of the view.
const STEP: f64 = 0.25;

/// The fewest rows whose f a page is worth having with.
const FEWEST: usize = 24;

/// With fewer rows than this the dual variables are left out.
const FEW: usize = 60;

/// What the data of the page look like.
#[derive(Serialize)]
pub struct Page {
    kind: &'static str,
    problem: &'static str,
    #[serde(flatten)]
    head: Head,
    parameters: [Parameter; 2],
    view: [[f64; 2]; 2],
    /// Of which parameter f and the objective are to be divided.
    divide: Option<usize>,
    regions: Regions,
    /// The free rows of the regions, one after another, and the laws of their dual variables if there is room for them.
    free: Column,
    duals: Option<Column>,
    label: &'static str,
    names: Option<Vec<String>>,
    features: Option<Column>,
    /// The laws of the weights and the constant, or of f at the rows: three columns each.
    laws: Vec<[Column; 3]>,
    train: Option<Shown>,
    test: Option<Shown>,
    grid: Option<Grid>,
    /// Whether f is kept at the rows, or at the grid only.
    valued: bool,
    classes: Option<[String; 2]>,
}

/// Columns with one entry a region. A law is v + g₁(θ₁ − a₁) + g₂(θ₂ − a₂) with a the region's anchor.
#[derive(Serialize)]
struct Regions {
    /// The regions' numbers in the map.
    id: Column,
    corners: Column,
    /// Corner after corner, both coordinates.
    points: Column,
    anchor: [Column; 2],
    free: Column,
    lower: Column,
    upper: Column,
    /// One where x or the multiplier is not unique.
    not_unique: Column,
    kkt: Column,
    gap: Column,
    /// v, g₁, g₂, and the second derivatives h₁₁/2, h₁₂, h₂₂/2.
    objective: [Column; 6],
}

/// What was found out about one region.
struct Found {
    id: u32,
    corners: Vec<[f64; 2]>,
    anchor: [f64; 2],
    counts: [usize; 3],
    not_unique: bool,
    kkt: f64,
    gap: f64,
    objective: [f64; 6],
    free: Vec<(usize, [f64; 3])>,
    /// The multiplier at the centre.
    y: f64,
}

/// What does not depend on the detail.
pub struct Prepared<'a> {
    kept: &'a MapFile,
    plane: &'a Plane,
    train: Labelled,
    test: Option<Labelled>,
    view: [[f64; 2]; 2],
    divide: Option<usize>,
    found: Vec<Found>,
    duals: bool,
    /// How many numbers of laws there is room for.
    room: usize,
}

impl<'a> Prepared<'a> {
    /// The map with the rows to show; none if it has too many regions for a page.
    pub fn new(kept: &'a MapFile, plane: &'a Plane, test: Option<Labelled>) -> Option<Self> {
        let (view, cells) = outlines(kept, plane);
        let divide = (kept.problem == Problem::Kqr).then_some(1);
        let free: usize = kept.complex.regions().iter().map(|r| r.free().count()).sum();
        let corners: usize = cells.iter().map(|cell| cell.1.len()).sum();
        // The bytes of a corner, a free row, a dual variable and the rest of a region, at four characters for three bytes.
        let weight = |duals: bool| 9 * corners + 6 * free + if duals { 16 * free } else { 0 } + 85 * cells.len();
        let rows = |duals: bool| super::LIMIT.saturating_sub(weight(duals)) * 4 / 17 / (3 * cells.len()).max(1);
        let duals = rows(true) >= FEW;
        if rows(duals) < FEWEST {
            return None;
        }
        let room = rows(duals) * 3 * cells.len();
        let region = Region { kept, plane, divide, view };
        let found = cells.into_iter().filter_map(|(id, corners)| region.find(id, corners)).collect();
        let train = (kept.features.as_ref().clone(), kept.response.clone());
        Some(Prepared { kept, plane, train, test, view, divide, found, duals, room })
    }

    /// The largest scaled KKT residual at the regions' centres.
    pub fn largest_residual(&self) -> f64 {
        self.found.iter().fold(0.0, |m: f64, r| m.max(r.kkt))
    }

    /// The page with a part of the detail that there is.
    pub fn page(&self, detail: usize) -> Page {
        let Prepared { kept, plane, found, divide, view, .. } = self;
        let kind = machine::kind(kept.problem);
        let linear = kept.model.kernel == pathqp_adapters::kernel::KernelKind::Linear;
        let curves = kind == "quantile" || kind == "tube";
        let (files, sizes) = ((&self.train, self.test.as_ref()), (3 * found.len(), self.room / detail));
        let rows = Rows::new(&kept.columns, files, (linear, curves), sizes);
        let region = Region { kept, plane, divide: *divide, view: *view };
        let laws: Vec<Vec<[f64; 3]>> = found.iter().map(|r| region.laws(r, &rows).unwrap_or_default()).collect();
        let width = laws.iter().map(Vec::len).max().unwrap_or(0);
        let entry = |law: &Vec<[f64; 3]>, j: usize, k: usize| law.get(j).map_or(f64::NAN, |law| law[k]);
        let law = |j: usize| [0, 1, 2].map(|k| digits(&laws.iter().map(|law| entry(law, j, k)).collect::<Vec<f64>>()));
        let laws = (0..width).map(law).collect();
        let functions = rows.functions(&[]);
        let Rows { shown, grid, valued, .. } = rows;
        let mut shown = shown.into_iter();
        Page {
            kind: "map",
            problem: kind,
            head: self.head(),
            parameters: plane.names,
            view: *view,
            divide: *divide,
            regions: Regions::new(found),
            free: whole(found.iter().flat_map(|r| r.free.iter().map(|f| f.0))),
            duals: self
                .duals
                .then(|| digits(&found.iter().flat_map(|r| r.free.iter().flat_map(|f| f.1)).collect::<Vec<f64>>())),
            label: plane.adapter.dual_unit().1,
            names: functions.names,
            features: functions.features,
            laws,
            train: shown.next(),
            test: shown.next(),
            grid,
            valued,
            classes: kept.columns.classes.map(|c| [c.negative, c.positive].map(crate::values::number)),
        }
    }

    fn head(&self) -> Head {
        let Prepared { kept, plane, .. } = self;
        let name = file_name(&kept.source);
        let (n, d) = (kept.response.len(), kept.columns.count());
        let facts: Vec<Fact> = vec![
            ("data".into(), format!("{name}: n = {n}, d = {d}, scaling {}", kept.columns.scaler.scaling())),
            ("model".into(), format!("kernel {}, bias {}", kept.model.kernel, bias_text(kept.model.bias))),
            ("map".into(), format!("{} critical regions of {}", kept.complex.regions().len(), plane.text())),
            (
                "certificate".into(),
                format!("KKT residual {:.1e} at most, at the centre of every region", self.largest_residual()),
            ),
        ];
        Head { title: title(kept), program: kept.program.clone(), facts }
    }
}

impl Regions {
    fn new(found: &[Found]) -> Self {
        let number = |value: &dyn Fn(&Found) -> f64| digits(&found.iter().map(value).collect::<Vec<f64>>());
        let count = |value: &dyn Fn(&Found) -> usize| whole(found.iter().map(value));
        Regions {
            id: count(&|r| r.id as usize),
            corners: count(&|r| r.corners.len()),
            points: digits(&found.iter().flat_map(|r| r.corners.iter().flatten().copied()).collect::<Vec<f64>>()),
            anchor: [0, 1].map(|a| exact(&found.iter().map(|r| r.anchor[a]).collect::<Vec<f64>>())),
            lower: count(&|r| r.counts[0]),
            upper: count(&|r| r.counts[1]),
            free: count(&|r| r.counts[2]),
            not_unique: count(&|r| usize::from(r.not_unique)),
            kkt: rough(&found.iter().map(|r| r.kkt).collect::<Vec<f64>>()),
            gap: rough(&found.iter().map(|r| r.gap).collect::<Vec<f64>>()),
            objective: [0, 1, 2, 3, 4, 5].map(|k| number(&|r| r.objective[k])),
        }
    }
}

/// The title of the page.
pub fn title(kept: &MapFile) -> String {
    format!("{} on {}", kept.problem, file_name(&kept.source))
}

/// What the regions are asked for.
struct Region<'a> {
    kept: &'a MapFile,
    plane: &'a Plane,
    divide: Option<usize>,
    view: [[f64; 2]; 2],
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

    fn find(&self, id: RegionId, corners: Vec<[f64; 2]>) -> Option<Found> {
        let region = self.kept.complex.regions().get(id.0 as usize)?;
        let anchor = middle(&corners);
        let solved = self.plane.solve(&self.kept.complex, &self.kept.complex.centre(id)?).ok()?;
        let (law, unit) = (region.law(), self.plane.adapter.dual_unit().0);
        let [da, db] = [anchor[0] - law.anchor[0], anchor[1] - law.anchor[1]];
        let n = self.kept.response.len();
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
            gap: certify::number(certify::relative_gap(&solved.line, 0.0, &solved.certificate)),
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
            let line = self.plane.qp.line(&theta, &theta).ok()?;
            let certificate = Certificate::new(&line, &0.0, &x, &y);
            Some(0.0 - self.plane.adapter.gap_unit(&theta) * self.divisor(&theta) * certificate.objective)
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
    fn laws(&self, found: &Found, rows: &Rows) -> Option<Vec<[f64; 3]>> {
        let region = self.kept.complex.regions().get(found.id as usize)?;
        let (steps, adapter) = (self.steps(found.anchor), self.plane.adapter.as_ref());
        let at = |share: [f64; 2]| {
            let theta = [0, 1].map(|a: usize| found.anchor[a] + share[a] * steps[a]);
            let At { theta, x, y } = self.at(region, found.y, theta)?;
            let point = Point { t: 0.0, x, y, floating: false, free: Vec::new() };
            let values = rows.values(adapter, &adapter.function(&theta, &point)).into_iter();
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
        let line = self.plane.qp.line(&theta, &theta).ok()?;
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

/// The mean of the corners.
fn middle(corners: &[[f64; 2]]) -> [f64; 2] {
    let count = corners.len().max(1) as f64;
    [0, 1].map(|a: usize| corners.iter().map(|corner| corner[a]).sum::<f64>() / count)
}
