//! An explicit controller as it is kept, and its page: the critical regions of the states, and the inputs as functions of both.

use super::encode::{digits, whole};
use super::map::{Page, Regions};
use super::regions::{self, Found, middle};
use super::{Fact, Head, file_name};
use crate::certify;
use crate::errors::CliError;
use crate::file::{PathFile, PathFileFault, damaged};
use crate::output::Target;
use crate::series_file::fingerprint;
use pathqp::complex::{Complex, CriticalRegion, RegionId};
use pathqp::{ParametricQp, Status};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of the format.
const CONTROLLER_VERSION: u32 = 2;

/// A kept controller: the plant is read again from its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControllerFile {
    kind: Kind,
    controller_format: u32,
    program: String,
    /// The file of the plant, as it was named.
    pub source: String,
    /// Its checksum: see [`fingerprint`].
    pub data: String,
    /// The ranges of both states.
    pub domain: [[f64; 2]; 2],
    complex: Complex<f64>,
}

/// What the file says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// An explicit controller.
    Controller,
}

/// The fields by which a file is told.
#[derive(Deserialize)]
struct Told {
    #[serde(rename = "kind")]
    _kind: Kind,
    controller_format: u32,
}

impl ControllerFile {
    /// Writes a controller.
    ///
    /// # Errors
    /// A plant that cannot be read a second time; [`CliError::Write`].
    pub fn write(
        target: &Target,
        source: &Path,
        domain: [[f64; 2]; 2],
        complex: &Complex<f64>,
    ) -> Result<(), CliError> {
        let file = ControllerFile {
            kind: Kind::Controller,
            controller_format: CONTROLLER_VERSION,
            program: PathFile::program(),
            source: source.display().to_string(),
            data: fingerprint(source)?,
            domain,
            complex: complex.clone(),
        };
        let bytes = serde_json::to_vec(&file).map_err(|error| target.error(std::io::Error::other(error)))?;
        target.write(&bytes)
    }

    /// What bytes hold; none when they are something else.
    ///
    /// # Errors
    /// A controller of another version, or one that is damaged.
    pub fn decode(bytes: &[u8]) -> Option<Result<Self, PathFileFault>> {
        let told: Told = serde_json::from_slice(bytes).ok()?;
        if told.controller_format != CONTROLLER_VERSION {
            return Some(Err(PathFileFault::Version { found: told.controller_format }));
        }
        Some(serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string())))
    }

    /// The number of regions.
    pub fn regions(&self) -> usize {
        self.complex.regions().len()
    }

    /// The title of the page.
    pub fn title(&self) -> String {
        format!("mpc on {}", file_name(&self.source))
    }

    /// The page, and the largest KKT residual and relative gap on it; `names` are those of the inputs. None if the regions are those of another problem.
    pub fn page(&self, qp: &ParametricQp<f64>, names: Vec<String>) -> Option<(Page, [f64; 2])> {
        if !self.complex.fits(qp) {
            return None;
        }
        let found: Vec<(Found, Vec<[f64; 3]>)> =
            (0..).zip(self.complex.regions()).filter_map(|(id, region)| self.find(qp, id, region)).collect();
        let law = |j: usize| [0, 1, 2].map(|k| digits(&found.iter().map(|f| f.1[j][k]).collect::<Vec<f64>>()));
        let laws = (0..qp.n()).map(law).collect();
        let found: Vec<Found> = found.into_iter().map(|f| f.0).collect();
        let worst = regions::worst(&found);
        let facts: Vec<Fact> = vec![
            ("plant".into(), format!("{}: {} inputs in all", file_name(&self.source), qp.n())),
            ("map".into(), format!("{} critical regions", self.regions())),
            ("certificate".into(), format!("{}, at the centre of every region", certify::sizes(worst))),
        ];
        let page = Page {
            kind: "map",
            problem: "control",
            head: Head { title: self.title(), program: self.program.clone(), facts },
            parameters: ["x1".into(), "x2".into()],
            view: self.domain,
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
        Some((page, worst))
    }

    /// A region, and the laws of all inputs about its anchor.
    fn find(&self, qp: &ParametricQp<f64>, id: u32, region: &CriticalRegion<f64>) -> Option<(Found, Vec<[f64; 3]>)> {
        let corners: Vec<[f64; 2]> = self.complex.corners(RegionId(id))?.into_iter().map(|corner| corner.0).collect();
        let (anchor, centre) = (middle(&corners), self.complex.centre(RegionId(id))?);
        let line = qp.line(&centre, &centre).ok()?;
        let point = self.complex.at(qp, &centre).ok()?;
        let certificate = certify::in_domain(qp, self.domain, &centre, (&point.x, point.y)).ok()?;
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
        let count = |status: Status| region.status().iter().filter(|s| **s == status).count();
        let found = Found {
            id,
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
        Some((found, laws))
    }
}
