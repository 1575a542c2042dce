//! The page of a map: the critical regions, and in each of them the laws of f, of the free variables and of the objective.

use super::encode::{Column, digits, exact, rough, whole};
use super::regions::{self, Found, Region};
use super::rows::{Grid, Labelled, Rows, Shown};
use super::{Fact, Head};
use crate::certify;
use crate::map::{MapView, domain};
use crate::outline::outlines;
use crate::words;
use pathqp_adapters::KernelProblem;
use pathqp_adapters::view::View;
use serde::Serialize;

/// The fewest rows whose f a page is worth having with.
const FEWEST: usize = 24;

/// With fewer rows than this the dual variables are left out.
const FEW: usize = 60;

/// What the data of the page look like.
#[derive(Serialize)]
pub struct Page {
    pub(super) kind: &'static str,
    pub(super) problem: &'static str,
    #[serde(flatten)]
    pub(super) head: Head,
    pub(super) parameters: [String; 2],
    pub(super) view: [[f64; 2]; 2],
    /// Of which parameter f and the objective are to be divided.
    pub(super) divide: Option<usize>,
    pub(super) regions: Regions,
    /// The free rows of the regions, one after another, and the laws of their dual variables if there is room for them.
    pub(super) free: Column,
    pub(super) duals: Option<Column>,
    pub(super) label: &'static str,
    pub(super) names: Option<Vec<String>>,
    pub(super) features: Option<Column>,
    /// The laws of the weights and the constant, or of f at the rows: three columns each.
    pub(super) laws: Vec<[Column; 3]>,
    pub(super) train: Option<Shown>,
    pub(super) test: Option<Shown>,
    pub(super) grid: Option<Grid>,
    /// Whether f is kept at the rows, or at the grid only.
    pub(super) valued: bool,
    pub(super) classes: Option<[String; 2]>,
}

/// Columns with one entry a region. A law is v + g₁(θ₁ − a₁) + g₂(θ₂ − a₂) with a the region's anchor.
#[derive(Serialize)]
pub struct Regions {
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

/// What does not depend on the detail.
pub struct Prepared<'a> {
    map: MapView<'a>,
    kernel: &'a dyn KernelProblem,
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
    pub fn new(map: MapView<'a>, test: Option<Labelled>) -> Option<Self> {
        let MapView { about, plane, complex } = map;
        let kernel = plane.kernel()?;
        let (view, cells) = outlines(map);
        let divide = matches!(plane.problem.view(), View::Quantile(_)).then_some(1);
        let free: usize = complex.regions().iter().map(|r| r.free().count()).sum();
        let corners: usize = cells.iter().map(|cell| cell.1.len()).sum();
        // The bytes of a corner, a free row, a dual variable and the rest of a region, at four characters for three bytes.
        let weight = |duals: bool| 9 * corners + 6 * free + if duals { 16 * free } else { 0 } + 85 * cells.len();
        let rows = |duals: bool| super::LIMIT.saturating_sub(weight(duals)) * 4 / 17 / (3 * cells.len()).max(1);
        let duals = rows(true) >= FEW;
        if rows(duals) < FEWEST {
            return None;
        }
        let room = rows(duals) * 3 * cells.len();
        let region = Region { map, kernel, divide, view };
        let found = cells.into_iter().filter_map(|(id, corners)| region.find(id, corners)).collect();
        let train = (about.spec.rows.features.as_ref().clone(), about.spec.rows.response.clone());
        Some(Prepared { map, kernel, train, test, view, divide, found, duals, room })
    }

    /// The largest scaled KKT residual and the largest relative gap at the regions' centres.
    pub fn worst(&self) -> [f64; 2] {
        regions::worst(&self.found)
    }

    /// The page with a part of the detail that there is.
    pub fn page(&self, detail: usize) -> Page {
        let Prepared { map, found, divide, view, .. } = self;
        let MapView { about, plane, .. } = *map;
        let kind = plane.problem.view().name();
        let curves = kind == "quantile" || kind == "tube";
        let (files, sizes) = ((&self.train, self.test.as_ref()), (3 * found.len(), self.room / detail));
        let rows = Rows::new(about, files, (about.is_linear(), curves), sizes);
        let region = Region { map: *map, kernel: self.kernel, divide: *divide, view: *view };
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
            parameters: plane.names.map(|name| name.to_string()),
            view: *view,
            divide: *divide,
            regions: Regions::new(found),
            free: whole(found.iter().flat_map(|r| r.free.iter().map(|f| f.0))),
            duals: self
                .duals
                .then(|| digits(&found.iter().flat_map(|r| r.free.iter().flat_map(|f| f.1)).collect::<Vec<f64>>())),
            label: self.kernel.dual_unit().1,
            names: functions.names,
            features: functions.features,
            laws,
            train: shown.next(),
            test: shown.next(),
            grid,
            valued,
            classes: about.class_names(),
        }
    }

    fn head(&self) -> Head {
        let MapView { about, plane, complex } = self.map;
        let (name, n, d) = (about.file(), about.rows(), about.features());
        let facts: Vec<Fact> = vec![
            ("data".into(), format!("{name}: n = {n}, d = {d}, scaling {}", about.scaler.scaling())),
            ("model".into(), format!("kernel {}, bias {}", about.spec.kernel, words::bias_text(about.spec.bias))),
            ("map".into(), format!("{} critical regions of {}", complex.regions().len(), domain(plane))),
            ("certificate".into(), format!("{}, at the centre of every region", certify::sizes(self.worst()))),
        ];
        Head { title: about.title(), program: about.program.into(), facts }
    }
}

impl Regions {
    pub fn new(found: &[Found]) -> Self {
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
