//! The parameter that varies along a path and the values of the others, and the straight line of Θ that they define.
//!
//! Users name parameters: the coordinates of θ, and possibly others that vary along a line of Θ. A [`Course`] says which parameter varies and what the values
//! of the others are; its [`Axis`] is the straight line of Θ that this defines.

use crate::error::AdapterError;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A parameter of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its natural range; the upper end may be infinite.
    pub range: [f64; 2],
}

/// The parameter that varies along a path, and the values of the others.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Course {
    /// The parameter that varies.
    pub vary: String,
    /// The values of the parameters that do not vary, by name.
    pub fixed: BTreeMap<String, f64>,
    /// The direction in Θ, if the varying parameter is the multiple of a direction.
    pub direction: Option<Direction>,
}

/// A direction in the plane of two costs.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Direction {
    /// The direction (A, B).
    Towards(f64, f64),
    /// The direction in which both classes have the same total cost.
    Balanced,
}

impl FromStr for Direction {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
        match text.split_once(',').map(|(a, b)| (number(a), number(b))) {
            None if text == "balanced" => Ok(Direction::Balanced),
            Some((Some(a), Some(b))) if a + b > 0.0 => Ok(Direction::Towards(a, b)),
            _ => Err("use balanced, or two numbers A,B that are not negative and not both zero".into()),
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Direction::Towards(a, b) => write!(f, "{a},{b}"),
            Direction::Balanced => f.write_str("balanced"),
        }
    }
}

/// The line of Θ along which a parameter v varies: θ = origin + v·direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// θ at v = 0, p entries.
    pub origin: Vec<f64>,
    /// dθ/dv, p entries, not all zero.
    pub direction: Vec<f64>,
    /// The natural range of v on this line; the upper end may be infinite.
    pub range: [f64; 2],
    /// Whether paths are always followed towards larger v. Positions are known to rounding of their distance from the beginning, which matters if the solution
    /// changes fastest at small v.
    pub rising: bool,
    /// Whether positions are counted from v = 0 (t = ±v), wherever the path begins: each v is then known to rounding of itself.
    pub from_zero: bool,
}

impl Axis {
    /// θ at v.
    pub fn theta(&self, value: f64) -> Vec<f64> {
        self.origin.iter().zip(&self.direction).map(|(o, d)| o + d * value).collect()
    }

    /// The v of a point θ of the line, from the coordinate that changes most.
    pub fn value(&self, theta: &[f64]) -> f64 {
        let sizes = self.direction.iter().map(|d| d.abs()).enumerate();
        let largest = sizes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(j, _)| j);
        let part = |v: &[f64]| v.get(largest).copied().unwrap_or(f64::NAN);
        (part(theta) - part(&self.origin)) / part(&self.direction)
    }
}

/// The parameters of a problem whose only one is the penalty α ≥ 0.
pub const ALPHA: [Parameter; 1] = [Parameter { name: "alpha", range: [0.0, f64::INFINITY] }];

/// The axis of α, with positions counted from α = 0.
///
/// # Errors
/// As [`crate::PathProblem::axis`].
pub fn alpha_axis(course: &Course) -> Result<Axis, AdapterError> {
    Ok(Axis { from_zero: true, ..coordinate_axis(&ALPHA, course)? })
}

/// The axis of a coordinate of θ, the others being fixed.
///
/// # Errors
/// As [`crate::PathProblem::axis`].
pub fn coordinate_axis(parameters: &[Parameter], course: &Course) -> Result<Axis, AdapterError> {
    let vary = course.vary.as_str();
    let Some(moving) = parameters.iter().find(|p| p.name == vary) else {
        let names: Vec<&str> = parameters.iter().map(|p| p.name).collect();
        return Err(AdapterError::Vary { vary: vary.into(), reason: format!("vary {} instead", names.join(" or ")) });
    };
    if course.direction.is_some() {
        return Err(AdapterError::Vary { vary: vary.into(), reason: "it takes no direction".into() });
    }
    let is_known = |name: &str| name != vary && parameters.iter().any(|p| p.name == name);
    refuse_unused(course, is_known)?;
    let origin = |p: &Parameter| if p.name == vary { Ok(0.0) } else { fixed_value(course, p) };
    Ok(Axis {
        origin: parameters.iter().map(origin).collect::<Result<_, _>>()?,
        direction: parameters.iter().map(|p| if p.name == vary { 1.0 } else { 0.0 }).collect(),
        range: moving.range,
        rising: false,
        from_zero: false,
    })
}

/// Checks that every fixed value of a course is used.
///
/// # Errors
/// [`AdapterError::Unused`] names the first one that is not.
pub fn refuse_unused(course: &Course, is_used: impl Fn(&str) -> bool) -> Result<(), AdapterError> {
    match course.fixed.keys().find(|name| !is_used(name)) {
        Some(name) => Err(AdapterError::Unused { name: name.clone(), vary: course.vary.clone() }),
        None => Ok(()),
    }
}

/// The value of a parameter that does not vary.
///
/// # Errors
/// [`AdapterError`] if none is given, or it is out of range.
pub fn fixed_value(course: &Course, parameter: &Parameter) -> Result<f64, AdapterError> {
    let Parameter { name, range: [low, high] } = *parameter;
    let value = course.fixed.get(name).copied();
    let value = value.ok_or_else(|| AdapterError::Missing { name, vary: course.vary.clone() })?;
    if value.is_finite() && (low..=high).contains(&value) {
        return Ok(value);
    }
    let expected = if high.is_finite() { "lie in its range" } else { "be a finite number that is not negative" };
    Err(AdapterError::Parameter { name, value, expected })
}
