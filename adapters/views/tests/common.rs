//! Paths and a map to be shown.

use pathqp::complex::{Complex, Options, explore_while};
use pathqp::{Path, Range, Settings};
use pathqp_adapters::dataset::{Classes, Features, Label, Scaler, Scaling};
use pathqp_adapters::plane::Plane;
use pathqp_adapters::run::Posed;
use pathqp_adapters::spec::{Entry, Rows, Spec};
use pathqp_adapters::{cost_svm, lasso, quantile_svm};
use pathqp_views::{About, MapView, PathView};
use std::sync::Arc;

/// A problem with data that have a name.
pub struct Data {
    pub spec: Spec,
    pub classes: Option<Classes>,
    scaler: Scaler,
}

/// Twelve rows of two features.
fn data(entry: &Entry, response: impl Fn(usize) -> f64, classes: Option<Classes>) -> Data {
    let values = (0..24).map(|k| f64::from(k * k % 17) / 8.0 - 1.0).collect();
    let features = Features::Dense { rows: 12, columns: 2, values };
    let scaler = Scaler::fit(&features, Scaling::None);
    let mut spec = Spec::new(entry.name);
    spec.rows = Rows { features: Arc::new(features), response: (0..12).map(response).collect(), weights: None };
    spec.names = Some(vec!["height".into(), "<width>".into()]);
    Data { spec, classes, scaler }
}

impl Data {
    pub fn lasso() -> Data {
        data(&lasso::ENTRY, |i| (i * i % 7) as f64, None)
    }

    /// Classes whose names are words.
    pub fn classes(entry: &Entry) -> Data {
        let [negative, positive] = ["early", "late"].map(|word| Label::Word(word.into()));
        data(entry, |i| if i % 3 == 0 { 1.0 } else { -1.0 }, Some(Classes { negative, positive }))
    }

    pub fn about(&self) -> About<'_> {
        let Data { spec, classes, scaler } = self;
        About { spec, source: "folder/rows.csv", program: "a program", classes: classes.as_ref(), scaler }
    }
}

/// A path from one value to another.
pub struct Followed {
    pub data: Data,
    posed: Posed,
    path: Path<f64>,
}

impl Followed {
    pub fn new(entry: &Entry, data: Data, vary: &str, ends: [Option<f64>; 2]) -> Self {
        let settings = Settings::default();
        let posed = Posed::new(entry, &data.spec, (vary, ends[0], ends[1]), &settings).unwrap();
        let mut follower = posed.begin(&settings, &mut ()).unwrap();
        follower.run(&mut ()).unwrap();
        let path = follower.into_path();
        Followed { data, posed, path }
    }

    pub fn lasso() -> Self {
        Followed::new(&lasso::ENTRY, Data::lasso(), "alpha", [None; 2])
    }

    pub fn quantile_svm() -> Self {
        let mut data = Data::classes(&quantile_svm::ENTRY);
        data.spec.fixed.insert("lambda".into(), 0.05);
        Followed::new(&quantile_svm::ENTRY, data, "tau", [None; 2])
    }

    pub fn view(&self) -> PathView<'_> {
        PathView { about: self.data.about(), posed: &self.posed, path: &self.path, reached: self.path.is_complete() }
    }
}

/// A map of two costs.
pub struct Explored {
    pub data: Data,
    plane: Plane,
    complex: Complex<f64>,
}

impl Explored {
    pub fn costs() -> Self {
        let (data, settings) = (Data::classes(&cost_svm::ENTRY), Settings::default());
        let problem = (cost_svm::ENTRY.build)(&data.spec, &["c-pos", "c-neg"]).unwrap();
        let qp = problem.qp(&settings).unwrap().within(vec![Range::new(0.0, 1.0), Range::new(0.0, 2.0)]).unwrap();
        let (complex, error) = explore_while(&qp, &Options::default(), &mut |_| true).unwrap();
        assert!(error.is_none());
        Explored { data, plane: Plane { problem, qp, names: ["c-pos", "c-neg"] }, complex }
    }

    pub fn view(&self) -> MapView<'_> {
        MapView { about: self.data.about(), plane: &self.plane, complex: &self.complex }
    }
}
