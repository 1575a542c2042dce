//! The page of a path that lies in memory, for doors other than the command line.

use crate::commands::report;
use crate::data::Columns;
use crate::kept::{Kept, PathFile, StopReason};
use pathqp::Path;
use pathqp_adapters::dataset::{Classes, Label, Scaler, Scaling};
use pathqp_adapters::run::Posed;
use pathqp_adapters::spec::Spec;

/// The page that `pathqp report` writes of the same path, kept by `pathqp path --out` from unscaled data in the file `source`. `classes` are
/// the labels of −1 and +1.
///
/// # Errors
/// A path without a segment, and one whose page would be too large, in a sentence.
pub fn report(
    (spec, posed, path): (&Spec, &Posed, &Path<f64>),
    source: &str,
    classes: Option<[f64; 2]>,
) -> Result<String, String> {
    let columns = Columns {
        classes: classes.map(|labels| {
            let [negative, positive] = labels.map(Label::Number);
            Classes { negative, positive }
        }),
        scaler: Scaler::fit(&spec.rows.features, Scaling::None),
        feature_names: spec.names.clone(),
        ..Columns::default()
    };
    let kept = PathFile {
        kept: Kept::new(spec.clone(), vec![("train".into(), source.into())], columns),
        vary: posed.vary.clone(),
        stop: path.stop().map_or(StopReason::Error, StopReason::of),
        path: path.clone(),
    };
    report::of_path("the path", &kept, posed, None).map(|made| made.text).map_err(|error| error.to_string())
}
