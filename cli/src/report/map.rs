//! What `map` and `locate` print.

use super::{AtReport, class_text, table};
use crate::certify;
use crate::kept::MapFile;
use pathqp::Status;
use pathqp::certificate::Verdict;
use pathqp::complex::{Complex, CriticalRegion, ExploreStats, RegionId, SignChange};
use pathqp_adapters::dataset::Classes;
use pathqp_adapters::plane::Plane;
use pathqp_adapters::problem::Group;
use pathqp_views::domain;
use pathqp_views::words::{bias_text, number};
use serde::Serialize;
use std::collections::BTreeMap;

/// JSON of `map`.
#[derive(Debug, Serialize)]
pub struct MapReport {
    /// The problem.
    pub problem: String,
    /// Rows.
    pub n: usize,
    /// Features.
    pub d: usize,
    /// The two labels, of a problem that has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Option<Classes>>,
    /// The kernel, as its option spells it, of a problem that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The bias, as its option spells it, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias: Option<String>,
    /// Both parameters with the ends of their ranges; null where there is no end.
    pub domain: BTreeMap<String, [Option<f64>; 2]>,
    /// Critical regions.
    pub regions: usize,
    /// Sides of regions, common ones once.
    pub edges: usize,
    /// Their ends.
    pub vertices: usize,
    /// The sum of the regions' areas; null if the domain is unbounded.
    pub area: Option<f64>,
    /// The area of the domain.
    pub domain_area: Option<f64>,
    /// The first divided by the second.
    pub covered: Option<f64>,
    /// Whether the regions tile the domain.
    pub complete: bool,
    /// What is wrong with the complex.
    pub violations: Vec<String>,
    /// The largest number of free variables at a region's centre.
    pub max_free: usize,
    /// Regions in which x is not unique.
    pub not_unique: usize,
    /// Random points at which the certificate was computed.
    pub certified: usize,
    /// The verdict for people.
    #[serde(skip)]
    certificate: String,
    /// The largest scaled KKT residual there.
    pub max_kkt_residual: f64,
    /// The largest relative duality gap there.
    pub max_relative_gap: f64,
    /// Wall-clock time.
    pub seconds: f64,
    /// Counters of the work done.
    pub stats: MapStats,
    /// With `--test`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<MapTest>,
    /// With `--param`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<LocateReport>,
    /// With `--full`.
    #[serde(flatten)]
    pub lists: Option<MapLists>,
}

/// Every region, edge and vertex, in the order of their numbers (from zero).
#[derive(Debug, Serialize)]
pub struct MapLists {
    /// Regions.
    pub region_list: Vec<RegionEntry>,
    /// Edges.
    pub edge_list: Vec<EdgeEntry>,
    /// Vertices.
    pub vertex_list: Vec<VertexEntry>,
}

/// A region.
#[derive(Debug, Serialize)]
pub struct RegionEntry {
    /// The variables that are free at its centre, from zero; those at their lower and upper bounds are the others.
    pub free: Vec<usize>,
    /// Variables at their upper bounds.
    pub upper: Vec<usize>,
    /// Its edges, anticlockwise.
    pub edges: Vec<u32>,
    /// Whether x is one affine function in it.
    pub unique: bool,
}

/// An edge.
#[derive(Debug, Serialize)]
pub struct EdgeEntry {
    /// What happens from the first region to the second; nothing on the boundary of the domain.
    pub events: Vec<EventEntry>,
    /// Where it begins and ends, with the first region to the left.
    pub vertices: [u32; 2],
    /// The regions beside it; the second is null on the boundary.
    pub regions: [Option<u32>; 2],
}

/// A sign of z that changes.
#[derive(Debug, Serialize)]
pub struct EventEntry {
    /// The variable, from zero.
    pub index: usize,
    /// Before: `lower` (z > 0, at the lower bound), `free` (z = 0) or `upper` (z < 0, at the upper bound).
    pub from: &'static str,
    /// After.
    pub to: &'static str,
}

/// A vertex.
#[derive(Debug, Serialize)]
pub struct VertexEntry {
    /// Both parameters there, or a direction.
    pub at: [f64; 2],
    /// Whether it is a point; otherwise it lies at infinity in that direction.
    pub finite: bool,
    /// The edges that end there, anticlockwise.
    pub edges: Vec<u32>,
    /// The regions between them.
    pub regions: Vec<u32>,
    /// The variables that change at its edges.
    pub events: Vec<usize>,
}

/// The word for the sign of a z.
fn sign(status: Status) -> &'static str {
    match status {
        Status::Lower => "lower",
        Status::Free => "free",
        Status::Upper => "upper",
    }
}

impl MapLists {
    /// Those of a complex.
    pub fn new(complex: &Complex<f64>) -> Self {
        let edges = complex.edges();
        let vertices = complex.vertices(&edges);
        let region = |(id, region): (usize, &CriticalRegion<f64>)| RegionEntry {
            free: region.free().collect(),
            upper: (0..region.status().len()).filter(|&i| region.status()[i] == Status::Upper).collect(),
            edges: complex.topology().around(RegionId(id as u32)).map(|(edge, _, _)| edge.0).collect(),
            unique: region.is_unique(),
        };
        let event =
            |change: SignChange| EventEntry { index: change.index, from: sign(change.from), to: sign(change.to) };
        MapLists {
            region_list: complex.regions().iter().enumerate().map(region).collect(),
            edge_list: edges
                .into_iter()
                .map(|edge| EdgeEntry {
                    events: edge.events.into_iter().map(event).collect(),
                    vertices: edge.ends.map(|vertex| vertex.0),
                    regions: [Some(edge.regions.0.0), edge.regions.1.map(|region| region.0)],
                })
                .collect(),
            vertex_list: vertices
                .into_iter()
                .map(|vertex| VertexEntry {
                    at: vertex.place,
                    finite: vertex.finite,
                    edges: vertex.edges.into_iter().map(|edge| edge.0).collect(),
                    regions: vertex.regions.into_iter().map(|region| region.0).collect(),
                    events: vertex.events,
                })
                .collect(),
        }
    }
}

/// Counters of the work done.
#[derive(Debug, Serialize)]
pub struct MapStats {
    /// Layers of regions.
    pub layers: usize,
    /// Regions entered by changing one index.
    pub changed: usize,
    /// Regions entered by following a path.
    pub followed: usize,
    /// Sides glued to a region that was known already.
    pub known: usize,
    /// The most regions at hand at one time.
    pub most_open: usize,
    /// Parts of sides beyond which nothing was found.
    pub holes: usize,
}

/// The test rows over the map.
#[derive(Debug, Serialize)]
pub struct MapTest {
    /// Test rows.
    pub n: usize,
    /// What the loss is.
    pub loss: &'static str,
    /// The least mean loss at a region's centre.
    pub least: f64,
    /// The first region that has it.
    pub region: u32,
    /// Its centre.
    pub at: [f64; 2],
}

impl MapReport {
    /// The report on a map.
    pub fn new(
        kept: &MapFile,
        plane: &Plane,
        violations: Vec<String>,
        certificates: &Verdict,
        seconds: f64,
        test: Option<MapTest>,
    ) -> Self {
        let (complex, stats) = (&kept.complex, kept.complex.stats());
        let ExploreStats { layers, changed, followed, known, most_open, .. } = *stats;
        let topology = complex.topology();
        let domain_area = complex.domain_area();
        let kernel = plane.kernel().is_some();
        let area = domain_area.and_then(|_| complex.total_area());
        MapReport {
            problem: kept.kept.spec.problem.clone(),
            n: if kernel { kept.kept.rows() } else { plane.qp.n() },
            d: if kernel { kept.kept.columns.count() } else { plane.problem.parameters().len() },
            classes: kernel.then(|| kept.kept.columns.classes.clone()),
            kernel: kernel.then(|| kept.kept.spec.kernel.to_string()),
            bias: kernel.then(|| bias_text(kept.kept.spec.bias)),
            domain: plane.names.iter().map(ToString::to_string).zip(plane.ends()).collect(),
            regions: topology.regions(),
            edges: topology.edges(),
            vertices: topology.vertices(),
            area,
            domain_area,
            covered: area.zip(domain_area).map(|(area, whole)| area / whole),
            complete: violations.is_empty(),
            violations,
            max_free: complex.regions().iter().map(|region| region.free().count()).max().unwrap_or(0),
            not_unique: complex.regions().iter().filter(|region| !region.is_unique()).count(),
            certified: certificates.points,
            certificate: certify::text(certificates),
            max_kkt_residual: certificates.residual,
            max_relative_gap: certificates.gap,
            seconds,
            stats: MapStats { layers, changed, followed, known, most_open, holes: complex.holes() },
            test,
            at: None,
            lists: None,
        }
    }

    /// With the solution at a point that was asked for.
    pub fn with_point(mut self, at: Option<LocateReport>) -> Self {
        self.at = at;
        self
    }

    /// The summary for people.
    pub fn table(&self, kept: &MapFile, plane: &Plane) -> String {
        let stats = &self.stats;
        let state = if self.complete { "complete" } else { "INCOMPLETE" };
        let size = format!("{}: n = {}, d = {}", kept.kept.source(), self.n, self.d);
        let mut rows = match self.kernel.as_ref().zip(self.bias.as_ref()) {
            None => vec![("data", size)],
            Some((kernel, bias)) => vec![
                ("data", format!("{size}, scaling {}", kept.kept.columns.scaler.scaling())),
                ("model", format!("kernel {kernel}, bias {bias}")),
            ],
        };
        rows.extend([
            ("map", format!("{}, {state}", domain(plane))),
            ("regions", format!("{} ({} in which x is not unique)", self.regions, self.not_unique)),
            ("edges", self.edges.to_string()),
            ("vertices", self.vertices.to_string()),
        ]);
        if let Some(classes) = self.classes.iter().flatten().next() {
            rows.insert(1, ("classes", class_text(classes, &kept.kept.spec.rows.response)));
        }
        if let Some((area, covered)) = self.domain_area.zip(self.covered) {
            rows.push(("area", format!("{}, of which {} is covered", number(area), number(covered))));
        }
        rows.push(("most free", self.max_free.to_string()));
        let points = self.certified;
        rows.push(("KKT residual", format!("{:.1e} at most, at {points} random points", self.max_kkt_residual)));
        rows.push(("relative gap", format!("{:.1e} at most", self.max_relative_gap)));
        rows.push(("certificate", self.certificate.clone()));
        if let Some(test) = &self.test {
            let [v, w] = test.at.map(number);
            let least =
                format!("{} {:.4} at least, in region {} around ({v}, {w})", test.loss, test.least, test.region);
            rows.push(("test", format!("n = {}, {least}", test.n)));
        }
        let found =
            format!("{} by one index, {} by a path, {} sides known", stats.changed, stats.followed, stats.known);
        rows.push(("found", format!("{found}; {} layers, {} open at most", stats.layers, stats.most_open)));
        rows.push(("seconds", format!("{:.3}", self.seconds)));
        let at = self.at.as_ref().map(|at| format!("\n{}", at.table(&plane.problem.columns())));
        format!("{}\n{}{}", self.problem, table(&rows), at.unwrap_or_default())
    }
}

/// A region of a map.
#[derive(Debug, Serialize)]
pub struct RegionReport {
    /// Its number.
    pub id: u32,
    /// Its corners, anticlockwise.
    pub corners: Vec<[f64; 2]>,
    /// Directions in which it is unbounded.
    pub directions: Vec<[f64; 2]>,
    /// Its area; null if it is unbounded.
    pub area: Option<f64>,
    /// The number of free variables at its centre.
    pub free: usize,
    /// Whether x is one affine function in it.
    pub unique: bool,
}

impl RegionReport {
    /// The report on a region.
    pub fn new(complex: &Complex<f64>, id: RegionId) -> Self {
        let corners = complex.corners(id).unwrap_or_default();
        let pick = |finite: bool| corners.iter().filter(|c| c.1 == finite).map(|c| c.0).collect();
        let region = complex.regions().get(id.0 as usize);
        RegionReport {
            id: id.0,
            corners: pick(true),
            directions: pick(false),
            area: complex.area(id),
            free: region.map_or(0, |region| region.free().count()),
            unique: region.is_some_and(|region| region.is_unique()),
        }
    }
}

/// JSON of `locate`.
#[derive(Debug, Serialize)]
pub struct LocateReport {
    /// The region.
    pub region: RegionReport,
    /// The solution.
    #[serde(flatten)]
    pub solution: AtReport,
}

impl LocateReport {
    /// The region and the solution for people; `groups` name the columns of tables.
    pub fn table(&self, groups: &[Group]) -> String {
        let region = &self.region;
        let points = |points: &[[f64; 2]]| {
            let text = points.iter().map(|[v, w]| format!("({}, {})", number(*v), number(*w)));
            text.collect::<Vec<_>>().join(" ")
        };
        let unique = if region.unique { "x is unique" } else { "x is not unique" };
        let mut rows = vec![
            ("region", format!("{}: {} free, {unique}", region.id, region.free)),
            ("corners", points(&region.corners)),
        ];
        if !region.directions.is_empty() {
            rows.push(("unbounded", format!("towards {}", points(&region.directions))));
        }
        table(&rows) + &self.solution.table(groups)
    }
}
