//! A map as it is shown.

use crate::about::About;
use crate::words::number;
use pathqp::complex::Complex;
use pathqp_adapters::plane::Plane;

/// A map with what is said of it.
#[derive(Clone, Copy)]
pub struct MapView<'a> {
    /// The problem and its data.
    pub about: About<'a>,
    /// The problem on its rectangle.
    pub plane: &'a Plane,
    /// The critical regions of the rectangle.
    pub complex: &'a Complex<f64>,
}

/// The domain of a map in words.
pub fn domain(plane: &Plane) -> String {
    let ends = plane.ends().map(|[from, to]| {
        let from = from.map_or("(-inf".into(), |v| format!("[{}", number(v)));
        format!("{from}, {}", to.map_or("inf)".into(), |v| format!("{}]", number(v))))
    });
    format!("{} in {} and {} in {}", plane.names[0], ends[0], plane.names[1], ends[1])
}
