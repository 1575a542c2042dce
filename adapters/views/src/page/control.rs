//! The page of an explicit controller, or of any other map without a kernel: the critical regions, and the variables as functions of both parameters.

use super::encode::{digits, whole};
use super::map::{Page, Regions};
use super::regions::{self, Found, middle};
use super::{Fact, Head};
use crate::certify;
use crate::map::MapView;
use crate::outline::outlines;
use pathqp::complex::{CriticalRegion, RegionId};
use pathqp::{Line, Status};

/// The page of a map, and the largest KKT residual and relative gap on it.
pub fn page(map: MapView<'_>) -> (Page, [f64; 2]) {
    let MapView { about, plane, complex } = map;
    let (view, cells) = outlines(map);
    let found: Vec<(Found, Vec<[f64; 3]>)> =
        cells.into_iter().filter_map(|(id, corners)| find(map, view, id, corners)).collect();
    let law = |j: usize| [0, 1, 2].map(|k| digits(&found.iter().map(|f| f.1[j][k]).collect::<Vec<f64>>()));
    let laws = (0..plane.qp.n()).map(law).collect();
    let found: Vec<Found> = found.into_iter().map(|f| f.0).collect();
    let worst = regions::worst(&found);
    let names: Vec<String> = plane.problem.columns().into_iter().flat_map(|group| group.names).collect();
    let n = plane.qp.n();
    let names = if names.len() == n { names } else { (1..=n).map(|i| format!("x{i}")).collect() };
    let facts: Vec<Fact> = vec![
        ("data".into(), format!("{}: {n} variables in all", about.file())),
        ("map".into(), format!("{} critical regions", complex.regions().len())),
        ("certificate".into(), format!("{}, at the centre of every region", certify::sizes(worst))),
    ];
    let page = Page {
        kind: "map",
        problem: "control",
        head: Head { title: about.title(), program: about.program.into(), facts },
        parameters: plane.names.map(String::from),
        view,
        divide: None,
        regions: Regions::new(&found),
        free: whole(found.iter().flat_map(|r| r.free.iter().map(|f| f.0))),
        duals: None,
        label: "",
        names: Some(names),
        features: None,
        laws,
        train: None,
        test: None,
        grid: None,
        valued: false,
        classes: None,
    };
    (page, worst)
}

/// A region, and the laws of all variables about its anchor.
fn find(
    MapView { plane, complex, .. }: MapView<'_>,
    view: [[f64; 2]; 2],
    id: RegionId,
    corners: Vec<[f64; 2]>,
) -> Option<(Found, Vec<[f64; 3]>)> {
    let (qp, region) = (&plane.qp, complex.regions().get(id.0 as usize)?);
    let (anchor, centre) = (middle(&corners), complex.centre(id)?);
    let line = qp.line(&centre, &centre).ok()?;
    let point = plane.at(complex, &centre).ok()?;
    let certificate = certify::in_domain(qp, view, &centre, (&point.x, point.y)).ok()?;
    let count = |status: Status| region.status().iter().filter(|s| **s == status).count();
    let found = Found {
        id: id.0,
        counts: [Status::Lower, Status::Upper, Status::Free].map(count),
        not_unique: !region.is_unique(),
        kkt: certify::number(certificate.kkt_residual()),
        gap: certify::number(certificate.relative_gap),
        objective: [0.0; 6],
        free: region.free().map(|i| (i, [0.0; 3])).collect(),
        y: point.y,
        corners,
        anchor,
    };
    Some((found, laws(region, &line, anchor)?))
}

/// x as a function of both parameters about the anchor.
fn laws(region: &CriticalRegion<f64>, line: &Line<f64>, anchor: [f64; 2]) -> Option<Vec<[f64; 3]>> {
    let held = |(i, status): (usize, &Status)| match status {
        Status::Lower => [line.bounds.lower_at(i, &0.0).unwrap_or(0.0), 0.0, 0.0],
        Status::Upper => [line.bounds.upper_at(i, &0.0).unwrap_or(0.0), 0.0, 0.0],
        Status::Free => [0.0; 3],
    };
    let mut laws: Vec<[f64; 3]> = region.status().iter().enumerate().map(held).collect();
    let law = region.law();
    let [da, db] = [anchor[0] - law.anchor[0], anchor[1] - law.anchor[1]];
    for (i, [v, g, h]) in region.free().zip(law.x) {
        *laws.get_mut(i)? = [v + g * da + h * db, *g, *h];
    }
    Some(laws)
}
