//! What `map` and `locate` print of maps in any number of parameters, and with rows.

use super::{AtReport, table};
use crate::certify;
use crate::kept::RegionsFile;
use crate::space::{self, Space};
use pathqp::Status;
use pathqp::certificate::Verdict;
use pathqp::regions::{Coverage, Regions, RegionsStats};
use pathqp_adapters::problem::Group;
use pathqp_views::words::number;
use serde::Serialize;
use std::collections::BTreeMap;

/// JSON of `map`.
#[derive(Debug, Serialize)]
pub struct RegionsReport {
    /// The problem.
    pub problem: String,
    /// Variables.
    pub n: usize,
    /// Rows.
    pub m: usize,
    /// The parameters with their ranges.
    pub domain: BTreeMap<String, [f64; 2]>,
    /// Critical regions.
    pub regions: usize,
    /// Their polyhedra: more than regions where multipliers are not unique.
    pub cells: usize,
    /// The covered part of the random points that have a solution.
    pub covered: f64,
    /// Random points.
    pub points: usize,
    /// Those without a solution, by a proof.
    pub infeasible: usize,
    /// Those that no region covers, and no proof.
    pub uncovered: usize,
    /// Whether the search came to its end and nothing is uncovered.
    pub complete: bool,
    /// Half-spaces that have no solution, with a proof each.
    pub proofs: usize,
    /// The most hyperplanes a point is compared with until its region is among a few.
    pub depth: usize,
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
    pub stats: RegionsStats,
    /// With `--param`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<RegionsLocated>,
    /// With `--full`.
    #[serde(flatten)]
    pub lists: Option<RegionLists>,
}

/// Every cell.
#[derive(Debug, Serialize)]
pub struct RegionLists {
    /// In the order of their numbers (from zero).
    pub region_list: Vec<CellReport>,
}

/// A cell of a region: one polyhedron.
#[derive(Debug, Serialize)]
pub struct CellReport {
    /// The number of its region.
    pub id: usize,
    /// Its own number.
    pub cell: usize,
    /// The centre of the largest ball in it.
    pub centre: Vec<f64>,
    /// G and g of Gθ ≤ g, no row of which is implied by the others.
    pub normals: Vec<Vec<f64>>,
    /// g.
    pub offsets: Vec<f64>,
    /// Variables at their lower (−) and upper bounds all over it, counted from one: −3 is the third at its lower bound.
    pub at_bounds: Vec<i64>,
    /// Rows likewise.
    pub active_rows: Vec<i64>,
    /// Whether multipliers (or x) are not unique.
    pub degenerate: bool,
}

impl CellReport {
    /// The report on a cell; empty where there is none.
    pub fn new(regions: &Regions, cell: usize) -> Self {
        let (normals, offsets) = regions.half_spaces(cell).unwrap_or_default().into_iter().unzip();
        let found = regions.cells().get(cell);
        let n = found.map_or(0, |found| found.variables());
        let active = found.map_or(&[][..], |found| found.active());
        let sides = |statuses: &[Status]| {
            let of = |(j, status): (usize, &Status)| -status.sign() * (j as i64 + 1);
            statuses.iter().enumerate().map(of).filter(|side| *side != 0).collect()
        };
        let (variables, rows) = active.split_at(n.min(active.len()));
        CellReport {
            id: regions.region_of(cell).unwrap_or(0),
            cell,
            centre: regions.centre(cell).map_or_else(Vec::new, |centre| centre.0),
            normals,
            offsets,
            at_bounds: sides(variables),
            active_rows: sides(rows),
            degenerate: found.is_some_and(pathqp::regions::Cell::is_degenerate),
        }
    }
}

impl RegionLists {
    /// Those of all cells.
    pub fn new(regions: &Regions) -> Self {
        RegionLists { region_list: (0..regions.cells().len()).map(|cell| CellReport::new(regions, cell)).collect() }
    }
}

impl RegionsReport {
    /// The report on a map.
    pub fn new(kept: &RegionsFile, space: &Space, coverage: Coverage, certificates: &Verdict, seconds: f64) -> Self {
        let regions = &kept.regions;
        let Coverage { points, infeasible, uncovered, .. } = coverage;
        RegionsReport {
            problem: kept.kept.spec.problem.clone(),
            n: space.qp.n(),
            m: space.qp.m(),
            domain: space.names.iter().map(ToString::to_string).zip(space.domain.iter().copied()).collect(),
            regions: regions.regions(),
            cells: regions.cells().len(),
            covered: coverage.share(),
            points,
            infeasible,
            uncovered,
            complete: regions.is_complete() && uncovered == 0,
            proofs: regions.walls().len(),
            depth: regions.depth(),
            certified: certificates.points,
            certificate: certify::text(certificates),
            max_kkt_residual: certificates.residual,
            max_relative_gap: certificates.gap,
            seconds,
            stats: regions.stats().clone(),
            at: None,
            lists: None,
        }
    }

    /// The summary for people.
    pub fn table(&self, kept: &RegionsFile, space: &Space) -> String {
        let state = if self.complete { "complete" } else { "INCOMPLETE" };
        let stats = &self.stats;
        let rows = [
            ("data", format!("{}: n = {}, m = {}", kept.kept.source(), self.n, self.m)),
            ("map", format!("{}, {state}", space::text(space))),
            ("regions", format!("{} ({} polyhedra)", self.regions, self.cells)),
            ("covered", format!("{} by {} random points", number(self.covered), self.points)),
            ("uncovered", self.uncovered.to_string()),
            ("infeasible", format!("{}, by {} proofs", self.infeasible, self.proofs)),
            ("search tree", format!("{} hyperplanes deep", self.depth)),
            ("KKT residual", format!("{:.1e} at most, at {} random points", self.max_kkt_residual, self.certified)),
            ("relative gap", format!("{:.1e} at most", self.max_relative_gap)),
            ("certificate", self.certificate.clone()),
            ("found", format!("{} sides crossed, {} known, {} parts", stats.crossed, stats.known, stats.split)),
            ("seconds", format!("{:.3}", self.seconds)),
        ];
        let at = self.at.as_ref().map(|at| format!("\n{}", at.table(&space.problem.columns())));
        format!("{}\n{}{}", self.problem, table(&rows), at.unwrap_or_default())
    }
}

/// JSON of `locate`.
#[derive(Debug, Serialize)]
pub struct RegionsLocated {
    /// The region.
    pub region: CellReport,
    /// The solution.
    #[serde(flatten)]
    pub solution: AtReport,
}

impl RegionsLocated {
    /// The region and the solution for people; `groups` name the columns of tables.
    pub fn table(&self, groups: &[Group]) -> String {
        let region = &self.region;
        let point = region.centre.iter().map(|v| number(*v)).collect::<Vec<_>>().join(", ");
        let rows = [
            ("region", format!("{}, polyhedron {} of {} half-spaces", region.id, region.cell, region.offsets.len())),
            ("centre", format!("({point})")),
        ];
        table(&rows) + &self.solution.table(groups)
    }
}
