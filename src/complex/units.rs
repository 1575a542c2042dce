//! The unit of length along a parameter whose range has one end only.
//!
//! Coordinates are counted in units, and a point very many units away counts as infinity (geometry.rs). The right unit depends on the problem: for a cost, the
//! breakpoints scale with the inverse squared lengths of the rows, and may lie at 10⁻⁶ or at 10⁶. The unit is the median of the breakpoints along the axis, so that as
//! many lie below one unit as above.

use crate::error::PathError;
use crate::observe::Observer;
use crate::path::{Failure, Start, Stop, trace};
use crate::problem::{ParametricQp, Range};
use crate::scalar::Scalar;
use crate::settings::Settings;

/// The unit along a parameter without end is told from at most so many events.
const UNIT_EVENTS: usize = 1000;

/// The unit along each parameter: the length of its range; if that has one end only the middle breakpoint on the ray from there, the other parameter being in the
/// middle of its range, or one of its units from the end. One where nothing happens. None if a range has no end; the error is that of an observer who stops it.
pub(super) fn units<S: Scalar>(
    qp: &ParametricQp<S>,
    settings: &Settings,
    observer: &mut dyn Observer<S>,
) -> Result<Option<[S; 2]>, PathError> {
    let [first, second] = qp.domain() else { return Ok(None) };
    let ranges = [first, second];
    let mut units: [Option<S>; 2] = ranges.map(|range| Some(range.to.clone()? - range.from.as_ref()?));
    // The first may depend on the second: nothing happens along the width of a tube while the cost is zero.
    for a in [0, 1, 0] {
        if units[a].is_none() {
            let mut from = [0, 1].map(|b: usize| place(ranges[b], units[b].as_ref()));
            let Some((end, sign)) = outwards(ranges[a]) else { return Ok(None) };
            from[a] = end;
            units[a] = middle(qp, &from, (a, sign), settings, observer)?;
        }
    }
    Ok(Some(units.map(|unit| unit.unwrap_or_else(S::one))))
}

/// The only end of a range, and the direction away from it.
fn outwards<S: Scalar>(range: &Range<S>) -> Option<(S, S)> {
    match (&range.from, &range.to) {
        (Some(from), _) => Some((from.clone(), S::one())),
        (None, Some(to)) => Some((to.clone(), -S::one())),
        (None, None) => None,
    }
}

/// A value at which something happens along the other parameter, as far as is known.
fn place<S: Scalar>(range: &Range<S>, unit: Option<&S>) -> S {
    match (&range.from, &range.to) {
        (Some(from), Some(to)) => (from.clone() + to) / S::integer(2),
        _ => outwards(range).map_or_else(S::zero, |(end, sign)| end + sign * unit.cloned().unwrap_or_else(S::zero)),
    }
}

/// The middle breakpoint on the ray from a point along parameter `a`; none where there is no breakpoint, or no path.
fn middle<S: Scalar>(
    qp: &ParametricQp<S>,
    from: &[S; 2],
    (a, sign): (usize, S),
    settings: &Settings,
    observer: &mut dyn Observer<S>,
) -> Result<Option<S>, PathError> {
    let mut direction = vec![S::zero(); 2];
    direction[a] = sign;
    let ray = qp.restrict(from, direction, S::zero(), None);
    let most = settings.max_events.map_or(UNIT_EVENTS, |most| most.min(UNIT_EVENTS));
    let settings = Settings { max_events: Some(most), ..settings.clone() };
    let path = match trace(&ray, &Start::Anywhere, &settings, observer) {
        Ok(path) => path,
        Err(Failure(error @ PathError::StartStopped { .. }, _)) => return Err(error),
        Err(Failure(_, None)) => return Ok(None),
        Err(Failure(_, Some(path))) => *path,
    };
    if matches!(path.stop(), Some(Stop::Asked { .. })) {
        return Err(PathError::StartStopped { events: path.stats().events });
    }
    let breakpoints: Vec<S> = path.breakpoints().into_iter().filter(|t| *t > S::zero()).collect();
    Ok(breakpoints.get(breakpoints.len() / 2).cloned())
}
