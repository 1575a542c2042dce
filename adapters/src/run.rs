//! From a description to a path: the problem on its line, the follower, and values along the path.

use crate::course::Axis;
use crate::error::AdapterError;
use crate::problem::{Group, KernelProblem, PathProblem, Solution, begin_watched};
use crate::spec::{Entry, Spec};
use pathqp::observe::Observer;
use pathqp::{Certificate, Follower, Line, ParametricQp, Path, PathError, Point, Settings};
use serde::{Deserialize, Serialize};

/// The parameter that varies, with its range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vary {
    /// The name of the parameter.
    pub name: String,
    /// The value at which the path begins.
    pub from: f64,
    /// The value at which the path is to end; it may lie below `from`, and may be infinite.
    #[serde(with = "infinite")]
    pub to: f64,
}

/// An end that may be infinite: JSON has no such number.
mod infinite {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(end: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        end.is_finite().then_some(*end).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}

/// A problem posed on the line along which its path is followed.
pub struct Posed {
    /// The problem.
    pub problem: Box<dyn PathProblem>,
    /// Its quadratic program.
    pub qp: ParametricQp<f64>,
    /// The line on which the parameter varies.
    pub axis: Axis,
    /// The parameter that varies, with its range.
    pub vary: Vary,
    /// The quadratic program along the line.
    pub line: Line<f64>,
}

impl Posed {
    /// Poses a problem of which one parameter varies. An end that is not given is the natural one.
    ///
    /// # Errors
    /// [`AdapterError`] for what the problem or the engine refuses, an end outside the parameter's range, and a missing end where there is no natural one.
    pub fn new(
        entry: &Entry,
        spec: &Spec,
        (name, from, to): (&str, Option<f64>, Option<f64>),
        settings: &Settings,
    ) -> Result<Self, AdapterError> {
        let problem = (entry.build)(spec, &[name])?;
        let axis = problem.axis(&spec.course(name))?;
        let [low, high] = axis.range;
        for (is_end, value) in [(false, from), (true, to)] {
            if let Some(value) = value.filter(|value| !(low..=high).contains(value)) {
                return Err(AdapterError::EndOutside { is_end, value, name: name.into(), low, high });
            }
        }
        let qp = problem.qp(settings)?;
        let natural = if from.and(to).is_some() { [from, to] } else { problem.ends(&qp, &axis, settings)? };
        let (from, to) = ends(&axis, [from, to], natural);
        let end = |is_end, end: Option<f64>| end.ok_or_else(|| AdapterError::EndMissing { is_end, name: name.into() });
        let (from, to) = (end(false, from)?, end(true, to)?);
        let line = line(&qp, &axis, [from, to])?;
        Ok(Posed { problem, qp, axis, vary: Vary { name: name.into(), from, to }, line })
    }

    /// The kernel problem, if it is one.
    pub fn kernel(&self) -> Option<&dyn KernelProblem> {
        self.problem.view().kernel()
    }

    /// The value of the parameter at a position of the path.
    pub fn value(&self, path: &Path<f64>, t: f64) -> f64 {
        self.axis.value(&path.parameter(&t))
    }

    /// The values of the parameter at which a path begins and ends; `None` for a path without segments.
    pub fn covered(&self, path: &Path<f64>) -> Option<(f64, f64)> {
        let end = if path.is_complete() { self.vary.to } else { self.value(path, *path.end()) };
        (!path.segments().is_empty()).then_some((self.vary.from, end))
    }

    /// The size of one unit of the engine's duality gap in units of the objective of the literature, at the end of the line where it is larger.
    pub fn gap_unit(&self) -> f64 {
        let unit = |value: f64| self.problem.gap_unit(&self.axis.theta(value));
        unit(self.vary.from).max(unit(self.vary.to))
    }

    /// The follower at the beginning of the line, with the start of the problem.
    ///
    /// # Errors
    /// [`PathError`] if no solution is found there, or the observer stops the search.
    pub fn begin(&self, settings: &Settings, observer: &mut dyn Observer<f64>) -> Result<Follower<'_, f64>, PathError> {
        let start = self.problem.start_watched(&self.qp, &self.axis.theta(self.vary.from), settings, observer)?;
        begin_watched(&self.line, &start, settings, observer)
    }

    /// The point of a path at a value of the parameter. A value that lies outside by rounding alone is taken for the end. For a value before the beginning of a
    /// path that begins where nothing changes any more, x is that of the beginning.
    ///
    /// # Errors
    /// [`AdapterError::OffPath`] for a value that the path does not cover, and [`AdapterError::NoSegments`].
    pub fn locate(&self, path: &Path<f64>, value: f64) -> Result<Point<f64>, AdapterError> {
        let (from, to) = self.covered(path).ok_or(AdapterError::NoSegments)?;
        let (begin, end) = (*path.begin(), *path.end());
        let rounding = f64::EPSILON * end.abs().max(begin.abs()).max(1.0);
        let last = if path.is_endless() { f64::INFINITY } else { end };
        let t = path.position(&self.axis.theta(value));
        if value > from && value.is_finite() && self.problem.is_settled(&self.vary.name, from) {
            let first = path.at(&begin).zip(t).map(|(point, t)| Point { t, ..point });
            return first.ok_or(AdapterError::NoSegments);
        }
        let inside = t.filter(|t| (begin - rounding..=last + rounding).contains(t));
        let point = inside.and_then(|t| path.at(&t.clamp(begin, last)));
        point.ok_or_else(|| AdapterError::OffPath { name: self.vary.name.clone(), value, from, to })
    }

    /// The solution that a point stands for, at a value of the parameter.
    pub fn solution(&self, value: f64, point: &Point<f64>, certificate: &Certificate<f64>) -> Solution {
        self.problem.solution(&self.axis.theta(value), point, certificate.multiplier_range)
    }

    /// The positions of the ends of a path and of the breakpoints between them. With rows all events are included: where solutions are not unique, the one that
    /// is followed may change its direction at an event that is not a breakpoint.
    pub fn places(&self, path: &Path<f64>) -> Vec<f64> {
        let mut places = vec![*path.begin()];
        let inner = match self.line.rows.is_some() {
            true => path.segments().iter().map(|segment| segment.t).collect(),
            false => path.breakpoints(),
        };
        places.extend(inner.into_iter().filter(|t| t > path.begin() && t < path.end()));
        places.extend([*path.end()].into_iter().filter(|end| end > path.begin()));
        places
    }

    /// The solution at a position of a path; `None` outside the path.
    pub fn at_position(&self, path: &Path<f64>, t: f64) -> Option<Solution> {
        Some(self.problem.solution(&path.parameter(&t), &path.at(&t)?, None))
    }

    /// The columns of the problem's tables, with the names of the features where they are known.
    pub fn columns(&self, spec: &Spec) -> Vec<Group> {
        let mut groups = self.problem.columns();
        // A column that an option names is no feature.
        let is_feature = |name: &&String| spec.words.get("toward") != Some(*name);
        let names: Vec<String> = spec.names.iter().flatten().filter(is_feature).cloned().collect();
        for group in groups.iter_mut().filter(|group| group.of_features && group.names.len() == names.len()) {
            group.names.clone_from(&names);
        }
        groups
    }
}

/// The ends that are meant: those that are given, or else the natural ones.
fn ends(axis: &Axis, given: [Option<f64>; 2], natural: [Option<f64>; 2]) -> (Option<f64>, Option<f64>) {
    let [from, to] = given;
    // A path that is asked for from its upper end downwards has its natural beginning there.
    let falls = axis.rising && natural[1].is_some_and(f64::is_finite) && to.is_some() && to < natural[1];
    let natural = if falls && from.is_none() { [natural[1]; 2] } else { natural };
    let (from, to) = (from.or(natural[0]), to.or(natural[1]));
    match from.zip(to) {
        Some((from, to)) if axis.rising => (Some(from.min(to)), Some(from.max(to))),
        // A largest value below the one that was asked for is no place to begin.
        Some((from, to)) if axis.from_zero && given[0].is_none() => (Some(from.max(to)), Some(to)),
        _ => (from, to),
    }
}

/// The line of Θ between two values, or from one on.
fn line(qp: &ParametricQp<f64>, axis: &Axis, [from, to]: [f64; 2]) -> Result<Line<f64>, AdapterError> {
    let theta = |value: f64| axis.theta(value);
    Ok(match (to.is_finite(), axis.from_zero) {
        (true, true) => qp.line_about(&theta(0.0), &theta(from), &theta(to)),
        (true, false) => qp.line(&theta(from), &theta(to)),
        (false, _) => qp.ray(&theta(from), &axis.direction),
    }?)
}
