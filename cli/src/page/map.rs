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
    /// The largest scaled KKT residual at the regions' centres.
    largest: f64,
    /// The free rows of the regions, one after another, and the laws of their dual variables.
    free: Column,
    duals: Column,
    label: &'static str,
    names: Option<Vec<String>>,
    features: Option<Column>,
    /// The laws of the weights and the constant, or of f at the rows: three columns each.
    laws: Vec<[Column; 3]>,
    train: Option<Shown>,
    test: Option<Shown>,
    grid: Option<Grid>,
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
    laws: Vec<[f64; 3]>,
}

/// The page with a part of the detail that there is.
pub fn page(kept: &MapFile, plane: &Plane, test: Option<&Labelled>, detail: usize) -> Page {
    let (view, cells) = outlines(kept, plane);
    let train = (kept.features.as_ref().clone(), kept.response.clone());
    let kind = machine::kind(kept.problem);
    let linear = kept.model.kernel == pathqp_adapters::kernel::KernelKind::Linear;
    let curves = kind == "quantile" || kind == "tube";
    let rows = Rows::new(&kept.columns, (&train, test), (linear, curves), (3 * cells.len(), detail));
    let divide = (kept.problem == Problem::Kqr).then_some(1);
    let find = |(id, corners): (RegionId, Vec<[f64; 2]>)| Region { kept, plane, rows: &rows, divide, view }.find(id, corners);
    let found: Vec<Found> = cells.into_iter().filter_map(find).collect();
    let number = |value: &dyn Fn(&Found) -> f64| digits(&found.iter().map(value).collect::<Vec<f64>>());
    let count = |value: &dyn Fn(&Found) -> usize| whole(found.iter().map(value));
    let regions = Regions {
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
    };
    let width = found.first().map_or(0, |r| r.laws.len());
    let law = |j: usize| [0, 1, 2].map(|k| number(&|r| r.laws.get(j).map_or(f64::NAN, |law| law[k])));
    let laws = (0..width).map(law).collect();
    let functions = rows.functions(&[]);
    let Rows { shown, grid, .. } = rows;
    let mut shown = shown.into_iter();
    Page {
        kind: "map",
        problem: kind,
        head: head(kept, plane, &found),
        parameters: plane.names,
        view,
        divide,
        largest: worst(&found),
        regions,
        free: whole(found.iter().flat_map(|r| r.free.iter().map(|f| f.0))),
        duals: digits(&found.iter().flat_map(|r| r.free.iter().flat_map(|f| f.1)).collect::<Vec<f64>>()),
        label: plane.adapter.dual_unit().1,
        names: functions.names,
        features: functions.features,
        laws,
        train: shown.next(),
        test: shown.next(),
        grid,
        classes: kept.columns.classes.map(|c| [c.negative, c.positive].map(crate::values::number)),
    }
}

/// The title of the page.
pub fn title(kept: &MapFile) -> String {
    format!("{} on {}", kept.problem, file_name(&kept.source))
}

impl Page {
    /// The largest scaled KKT residual.
    pub fn largest_residual(&self) -> f64 {
        self.largest
    }
}

fn head(kept: &MapFile, plane: &Plane, found: &[Found]) -> Head {
    let name = file_name(&kept.source);
    let (n, d) = (kept.response.len(), kept.columns.count());
    let worst = worst(found);
    let facts: Vec<Fact> = vec![
        ("data", format!("{name}: n = {n}, d = {d}, scaling {}", kept.columns.scaler.scaling())),
        ("model", format!("kernel {}, bias {}", kept.model.kernel, bias_text(kept.model.bias))),
        ("map", format!("{} critical regions of {}", kept.complex.regions().len(), plane.text())),
        ("certificate", format!("KKT residual {worst:.1e} at most, at the centre of every region")),
    ];
    Head { title: title(kept), program: kept.program.clone(), facts }
}

fn worst(found: &[Found]) -> f64 {
    found.iter().fold(0.0, |m: f64, r| m.max(r.kkt))
}

/// One region and what is asked of it.
struct Region<'a> {
    kept: &'a MapFile,
    plane: &'a Plane,
    rows: &'a Rows,
    divide: Option<usize>,
    view: [[f64; 2]; 2],
}

impl Region<'_> {
    fn find(&self, id: RegionId, corners: Vec<[f64; 2]>) -> Option<Found> {
        let region = self.kept.complex.regions().get(id.0 as usize)?;
        let anchor = middle(&corners);
        let centre = self.kept.complex.centre(id)?;
        let solved = self.plane.solve(&self.kept.complex, &centre).ok()?;
        let y = solved.point.y;
        // Steps towards the farther end of the view, so that every point lies in the domain.
        let steps = [0, 1].map(|a: usize| {
            let [from, to] = self.view[a];
            STEP * (to - from) * if anchor[a] - from > to - anchor[a] { -1.0 } else { 1.0 }
        });
        let at = |share: [f64; 2]| self.at(region, y, [0, 1].map(|a: usize| anchor[a] + share[a] * steps[a]));
        let [origin, first, second] = [at([0.0, 0.0])?, at([1.0, 0.0])?, at([0.0, 1.0])?];
        let [half_first, half_second, both] = [at([0.5, 0.0])?, at([0.0, 0.5])?, at([0.5, 0.5])?];
        let slope = |o: f64, a: f64, b: f64| [o, (a - o) / steps[0], (b - o) / steps[1]];
        let laws = origin.kept.iter().zip(first.kept.iter().zip(&second.kept)).map(|(o, (a, b))| slope(*o, *a, *b));
        let [o, h1, h2] = [origin.objective, half_first.objective, half_second.objective];
        // q(s) = o + b·s + c·s² through s = 0, 1/2 and 1.
        let parabola = |half: f64, whole: f64| (4.0 * half - whole - 3.0 * o, 2.0 * (whole - 2.0 * half + o));
        let ((b1, c1), (b2, c2)) = (parabola(h1, first.objective), parabola(h2, second.objective));
        let mixed = 4.0 * (both.objective - h1 - h2 + o);
        let [s, t] = steps;
        let objective = [o, b1 / s, b2 / t, c1 / (s * s), mixed / (s * t), c2 / (t * t)];
        let (law, unit) = (region.law(), self.plane.adapter.dual_unit().0);
        let [da, db] = [anchor[0] - law.anchor[0], anchor[1] - law.anchor[1]];
        let n = self.kept.response.len();
        let free = region.free().zip(law.x).map(|(i, [v, g, h])| {
            let sign = if i < n { unit } else { -unit };
            (i % n.max(1), [v + g * da + h * db, *g, *h].map(|v| v * sign))
        });
        let mut counts = [0; 3];
        for status in region.status() {
            counts[match status {
                Status::Lower => 0,
                Status::Upper => 1,
                Status::Free => 2,
            }] += 1;
        }
        Some(Found {
            id: id.0,
            corners,
            anchor,
            counts,
            not_unique: !region.is_unique() || solved.point.floating,
            kkt: certify::number(solved.certificate.kkt_residual()),
            gap: certify::number(certify::relative_gap(&solved.line, 0.0, &solved.certificate)),
            objective,
            free: free.collect(),
            laws: laws.collect(),
        })
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
        let y = law.y.map_or(y, value);
        let certificate = Certificate::new(&line, &0.0, &x, &y);
        let divisor = self.divide.map_or(1.0, |a| theta[a]);
        let adapter = self.plane.adapter.as_ref();
        let objective = 0.0 - adapter.gap_unit(&theta) * divisor * certificate.objective;
        let function = adapter.function(&theta, &Point { t: 0.0, x, y, floating: false, free: Vec::new() });
        let kept = self.rows.values(adapter, &function).into_iter().map(|f| f * divisor).collect();
        Some(At { kept, objective })
    }
}

/// A law's values at a point, times what they are divided by.
struct At {
    kept: Vec<f64>,
    objective: f64,
}

/// The mean of the corners.
fn middle(corners: &[[f64; 2]]) -> [f64; 2] {
    let count = corners.len().max(1) as f64;
    [0, 1].map(|a: usize| corners.iter().map(|corner| corner[a]).sum::<f64>() / count)
}
