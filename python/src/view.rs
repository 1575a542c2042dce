//! Pages and figures.

use crate::error::{adapter as refused, input};
use crate::map::Map;
use crate::path::ProblemPath;
use numpy::PyReadonlyArray2;
use pathqp_adapters::dataset::{Classes, Label, Scaler, Scaling};
use pathqp_adapters::spec::Spec;
use pathqp_views::plot::map::Shows;
use pathqp_views::{About, Form, MapView, PathView, ViewError, page, plot, program};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What one class is called.
#[derive(FromPyObject)]
pub enum ClassLabel {
    Number(f64),
    Word(String),
}

impl From<ClassLabel> for Label {
    fn from(label: ClassLabel) -> Self {
        match label {
            ClassLabel::Number(number) => Label::Number(number),
            ClassLabel::Word(word) => Label::Word(word),
        }
    }
}

fn failed(error: ViewError) -> PyErr {
    match error {
        ViewError::Adapter(error) => refused(error),
        error => input(error),
    }
}

/// Calls `make` with what is said of a problem whose features are not scaled.
fn about<T>(
    (spec, source): (&Spec, &str),
    classes: Option<Classes>,
    make: impl FnOnce(About<'_>) -> Result<T, ViewError>,
) -> PyResult<T> {
    let (program, scaler) = (program(), Scaler::fit(&spec.rows.features, Scaling::None));
    let about = About { spec, source, program: &program, classes: classes.as_ref(), scaler: &scaler };
    make(about).map_err(failed)
}

fn path_view<T: Send>(
    py: Python<'_>,
    path: &ProblemPath,
    (source, labels): (&str, Option<[ClassLabel; 2]>),
    make: impl FnOnce(PathView<'_>) -> Result<T, ViewError> + Send,
) -> PyResult<T> {
    let (kept, posed) = (&path.kept, &path.posed);
    let classes = labels.map(|labels| {
        let [negative, positive] = labels.map(Label::from);
        Classes { negative, positive }
    });
    py.detach(|| {
        about((&kept.spec, source), classes, |about| {
            make(PathView { about, posed, path: &kept.path, reached: kept.path.is_complete() })
        })
    })
}

/// The page that `pathqp report` writes of a path. `classes` are the labels of −1 and +1.
#[pyfunction]
pub fn report(py: Python<'_>, path: &ProblemPath, source: &str, classes: Option<[ClassLabel; 2]>) -> PyResult<String> {
    path_view(py, path, (source, classes), |view| page::of_path(view, None, &|_, _| {})).map(|made| made.text)
}

/// The figure that `pathqp path --plot` draws of a path, as SVG.
#[pyfunction]
pub fn path_figure(
    py: Python<'_>,
    path: &ProblemPath,
    source: &str,
    classes: Option<[ClassLabel; 2]>,
) -> PyResult<String> {
    path_view(py, path, (source, classes), |view| match view.path.segments().is_empty() {
        true => Err(ViewError::Nothing),
        false => plot::path(view, None),
    })
}

/// The figure that `pathqp map --plot` draws of a map, as SVG: the number of free variables of each region, or the dual variable of a row.
#[pyfunction]
pub fn map_figure(py: Python<'_>, map: &Map, source: &str, row: Option<usize>) -> PyResult<String> {
    let (spec, plane) = (&map.kept.spec, &map.plane);
    let rows = spec.rows.response.len();
    if let Some(row) = row.filter(|row| *row >= rows) {
        return Err(input(format!("row = {row}: the map has {rows} rows, counted from 0")));
    }
    let shows = row.map_or(Shows::Free, Shows::Dual);
    py.detach(|| {
        about((spec, source), None, |about| {
            plot::map::draw(MapView { about, plane, complex: &map.kept.complex }, shows)
        })
    })
}

/// The figure that `pathqp roc --plot` draws of four curves, each as rows (FPR, TPR), as SVG. The model is kernel, bias, and C₊ + C₋ of the
/// first line.
#[pyfunction]
pub fn roc_figure(
    curves: [PyReadonlyArray2<'_, f64>; 4],
    source: &str,
    model: (String, String, f64),
) -> PyResult<String> {
    let rows = |curve: PyReadonlyArray2<'_, f64>| {
        let curve = curve.as_array();
        curve.rows().into_iter().map(|row| [row[0], row[1]]).collect::<Vec<[f64; 2]>>()
    };
    let curves = curves.map(rows);
    let (kernel, bias, sum) = model;
    let title = plot::roc::title(source, (&kernel, &bias), sum);
    plot::roc::curves(curves.each_ref().map(Vec::as_slice), &title).map_err(failed)
}

/// Refuses a file of a figure whose ending is unknown.
#[pyfunction]
pub fn check_figure(file: PathBuf) -> PyResult<()> {
    Form::of(&file).map(drop).map_err(failed)
}

/// A figure in the form that its file's name asks for.
#[pyfunction]
pub fn encode_figure(py: Python<'_>, file: PathBuf, svg: String) -> PyResult<Vec<u8>> {
    py.detach(|| Form::of(&file)?.encode(svg)).map_err(failed)
}
