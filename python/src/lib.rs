//! The Python module `pathqp._pathqp`: the adapters' problems, their paths and what is read from them, on NumPy arrays.
//!
//! Nothing is computed here. Arrays are copied on the way in, so that nobody can change the rows under a path that runs; the
//! interpreter is let go during work, and asked for signals now and then. What scikit-learn expects is written in Python.

mod error;
mod function;
mod map;
mod moments;
mod path;
mod portfolio;
mod problem;
mod regions;
mod report;
mod roc;
mod rows;
mod tune;
mod view;
mod watch;

use pyo3::prelude::*;

#[pymodule]
fn _pathqp(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("TOLERANCE", pathqp::certificate::TOLERANCE)?;
    module.add("REMEDY", pathqp::certificate::REMEDY)?;
    module.add("InputError", py.get_type::<error::InputError>())?;
    module.add("PathError", py.get_type::<error::PathError>())?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<path::ProblemPath>()?;
    module.add_class::<map::Map>()?;
    module.add_class::<regions::Regions>()?;
    module.add_class::<moments::Moments>()?;
    module.add_function(wrap_pyfunction!(portfolio::with_return, module)?)?;
    module.add_function(wrap_pyfunction!(portfolio::with_risk, module)?)?;
    module.add_function(wrap_pyfunction!(portfolio::max_sharpe, module)?)?;
    module.add_function(wrap_pyfunction!(portfolio::looks_like_prices, module)?)?;
    module.add_function(wrap_pyfunction!(portfolio::returns_of_prices, module)?)?;
    module.add_function(wrap_pyfunction!(function::function, module)?)?;
    module.add_function(wrap_pyfunction!(function::function_at, module)?)?;
    module.add_function(wrap_pyfunction!(view::report, module)?)?;
    module.add_function(wrap_pyfunction!(view::path_figure, module)?)?;
    module.add_function(wrap_pyfunction!(view::map_figure, module)?)?;
    module.add_function(wrap_pyfunction!(view::roc_figure, module)?)?;
    module.add_function(wrap_pyfunction!(view::check_figure, module)?)?;
    module.add_function(wrap_pyfunction!(view::encode_figure, module)?)?;
    module.add_function(wrap_pyfunction!(function::gap_allowed, module)?)?;
    module.add_function(wrap_pyfunction!(tune::tune, module)?)?;
    module.add_function(wrap_pyfunction!(tune::tune_classifier, module)?)?;
    module.add_function(wrap_pyfunction!(tune::tuning_figure, module)?)?;
    module.add_function(wrap_pyfunction!(roc::roc, module)?)?;
    Ok(())
}
