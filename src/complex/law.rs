//! The law of an active set in the plane: x_F, y and q = Hx + c as affine functions of both parameters.
//!
//! With the statuses given, (x_F, y) solves the equations of the free set (kkt/mod.rs), whose right-hand side is affine in θ. It
//! is solved at one point, the anchor, and for the rates along both parameters.

use super::geometry::OUTSIDE;
use crate::active_set::Status;
use crate::error::PathError;
use crate::kkt::{Kkt, KktState, Part, Place, Refused, Sums, bound};
use crate::problem::{Line, ParametricQp};
use crate::scalar::Scalar;
use crate::settings::Settings;

/// Value at the anchor and the two partial derivatives.
pub(super) type Plane<S> = [S; 3];

/// The sign pattern of z, two bits a variable: `Lower` where z > 0, `Free` where z = 0, `Upper` where z < 0. Variables without
/// room count as `Free`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(super) struct Pattern(Box<[u8]>);

impl Pattern {
    fn new(n: usize) -> Self {
        Pattern(vec![0; n.div_ceil(4)].into())
    }

    pub fn set(&mut self, i: usize, sign: Status) {
        let code = match sign {
            Status::Free => 0,
            Status::Lower => 1,
            Status::Upper => 2,
        };
        let (byte, shift) = (&mut self.0[i / 4], 2 * (i % 4));
        *byte = (*byte & !(3 << shift)) | (code << shift);
    }

    /// The sign of zᵢ, as [`Pattern::set`] took it.
    pub fn sign(&self, i: usize) -> Status {
        match self.0[i / 4] >> (2 * (i % 4)) & 3 {
            0 => Status::Free,
            1 => Status::Lower,
            _ => Status::Upper,
        }
    }
}

/// The law of an active set; see the module's first lines.
#[derive(Clone, Debug)]
pub(super) struct Law<S> {
    pub anchor: [S; 2],
    pub free: Vec<usize>,
    pub x: Vec<Plane<S>>,
    /// None where F does not determine it.
    pub y: Option<Plane<S>>,
    pub q: Vec<Plane<S>>,
    /// The sizes of the terms of the derivatives of q, which are known to rounding of these.
    sizes: Vec<[S; 2]>,
    /// Indices at a bound whose z vanishes everywhere.
    pub weak: Vec<usize>,
    /// None for Gram Hessians, whose sums of rows are cheap to make afresh.
    bounds: Option<BoundsPart<S>>,
    /// The factor of F, likewise.
    factor: Option<KeptFactor<S>>,
}

/// A factor that is brought from one active set to the next.
#[derive(Clone, Debug)]
struct KeptFactor<S> {
    state: KktState<S>,
    /// The number of indices that have come and gone since it was made afresh.
    changes: usize,
}

/// A factor is made afresh when more indices than this have come and gone: rounding of updates adds up.
const UPDATES: usize = 40;

/// H x_B as a function of both parameters, brought from one active set to the next: neighbours differ in few indices.
#[derive(Clone, Debug)]
struct BoundsPart<S> {
    status: Vec<Status>,
    /// Constant and slopes, each a compensated sum.
    parts: [(Vec<S>, Vec<S>); 3],
}

impl<S: Scalar> BoundsPart<S> {
    fn new(n: usize) -> Self {
        let zeros = || (vec![S::zero(); n], vec![S::zero(); n]);
        BoundsPart { status: vec![Status::Free; n], parts: [zeros(), zeros(), zeros()] }
    }

    /// Brings it to another active set.
    fn follow(&mut self, qp: &ParametricQp<S>, status: &[Status]) {
        for (i, (old, new)) in self.status.iter_mut().zip(status).enumerate().filter(|(_, (old, new))| *old != *new) {
            let (from, to) = (qp.bound_in_plane(i, *old), qp.bound_in_plane(i, *new));
            let change = [0, 1, 2].map(|k: usize| to[k].clone() - &from[k]);
            let parts = &mut self.parts;
            qp.hessian().with_row(i, &mut |row| {
                for (part, change) in parts.iter_mut().zip(&change).filter(|(_, change)| !change.is_zero()) {
                    S::accumulate_all(&mut part.0, &mut part.1, change, row);
                }
            });
            *old = *new;
        }
    }

    /// On the line through the anchor along a parameter: value and slope along the first, the slope alone along the second.
    fn along(&self, anchor: &[S; 2], parameter: usize) -> Sums<S> {
        let [constant, first, second] = &self.parts;
        let n = constant.0.len();
        if parameter == 1 {
            return Sums::new((vec![S::zero(); n], vec![S::zero(); n]), second.clone());
        }
        let mut value = constant.clone();
        for (slope, at) in [first, second].into_iter().zip(anchor) {
            for (j, (high, low)) in value.0.iter_mut().zip(&mut value.1).enumerate() {
                S::accumulate(high, low, &slope.0[j], at);
                *low += slope.1[j].clone() * at;
            }
        }
        Sums::new(value, first.clone())
    }
}

/// The factor of a free set along one parameter.
struct Along<'a, S> {
    line: &'a Line<S>,
    kkt: Box<dyn Kkt<S> + 'a>,
}

impl<'a, S: Scalar> Along<'a, S> {
    /// None if F is dependent.
    fn new(
        line: &'a Line<S>,
        status: &[Status],
        settings: &Settings,
        bounds: Option<Sums<S>>,
    ) -> Result<Option<Self>, PathError> {
        let mut kkt = S::kkt(line, settings);
        let placed = bounds.is_some_and(|bounds| kkt.place_all(status, bounds));
        for (i, s) in status.iter().enumerate() {
            if *s != Status::Free {
                if !placed {
                    kkt.place(i, *s);
                }
                continue;
            }
            match kkt.release(i, Status::Free) {
                Ok(_) => {}
                Err(Refused::Dependent(_)) => return Ok(None),
                Err(Refused::Indefinite(error)) => return Err(error.into()),
            }
        }
        Ok(Some(Along { line, kkt }))
    }

    /// From the factor of a law near by if that is possible, otherwise afresh, and the changes since it was; none if F is dependent.
    fn first(
        line: &'a Line<S>,
        status: &[Status],
        settings: &Settings,
        (bounds, near): (Option<Sums<S>>, Option<&KeptFactor<S>>),
    ) -> Result<(Option<Self>, usize), PathError> {
        if let Some(given) = bounds.as_ref().zip(near)
            && let Some(found) = Along::near(line, status, settings, given)?
        {
            return Ok(found);
        }
        Ok((Along::new(line, status, settings, bounds)?, 0))
    }

    /// From the factor of a law near by. None where that differs in too many indices, or takes no H x_B as a whole.
    fn near(
        line: &'a Line<S>,
        status: &[Status],
        settings: &Settings,
        (bounds, factor): (&Sums<S>, &KeptFactor<S>),
    ) -> Result<Option<(Option<Self>, usize)>, PathError> {
        if factor.changes >= UPDATES {
            return Ok(None);
        }
        let mut kkt = S::kkt(line, settings);
        if !kkt.load(factor.state.clone()) {
            return Ok(None);
        }
        let is_free = |i: usize| status[i] == Status::Free;
        let mut there = vec![false; status.len()];
        kkt.free().iter().for_each(|&i| there[i] = true);
        let come: Vec<usize> = (0..status.len()).filter(|&i| is_free(i) && !there[i]).collect();
        let gone = kkt.free().iter().filter(|&&i| !is_free(i)).count();
        let changes = factor.changes + come.len() + gone;
        if changes > UPDATES {
            return Ok(None);
        }
        while let Some(position) = kkt.free().iter().position(|&i| !is_free(i)) {
            kkt.bind(position, status[kkt.free()[position]]);
        }
        for i in come {
            match kkt.release(i, Status::Free) {
                Ok(_) => {}
                Err(Refused::Dependent(_)) => return Ok(Some((None, changes))),
                Err(Refused::Indefinite(error)) => return Err(error.into()),
            }
        }
        // What index came from which bound does not matter: all of H x_B is given.
        if !kkt.place_all(status, bounds.clone()) {
            return Ok(None);
        }
        kkt.begin_crossing();
        Ok(Some((Some(Along { line, kkt }), changes)))
    }

    /// The same free set along another parameter: the factor itself is taken over where it takes H x_B as a whole.
    fn beside(
        &self,
        line: &'a Line<S>,
        status: &[Status],
        settings: &Settings,
        bounds: Option<Sums<S>>,
    ) -> Result<Option<Self>, PathError> {
        if let (Some(sums), Some(mut kkt)) = (&bounds, self.kkt.beside(line))
            && kkt.place_all(status, sums.clone())
        {
            kkt.begin_crossing();
            return Ok(Some(Along { line, kkt }));
        }
        Along::new(line, status, settings, bounds)
    }

    /// Whether the row holds by itself here and a little further on, as it must where no free index has a coefficient in it.
    fn row_holds(&self, status: &[Status], settings: &Settings) -> bool {
        let (gap, rate) = self.kkt.row_gap();
        let (mut size, mut speed) = (self.line.b0.abs(), self.line.b1.abs());
        for (i, s) in status.iter().enumerate() {
            let [value, slope] = bound(self.line, i, *s);
            size += (self.line.a(i) * value).abs();
            speed += (self.line.a(i) * slope).abs();
        }
        let small = |v: S, size: S| v.abs() <= size * S::tolerance(settings.zero_rate);
        small(gap, size) && small(rate, speed)
    }
}

impl<S: Scalar> Law<S> {
    /// The law of `status` around `anchor`, given the lines through it ([`axes`]); none where F is dependent or the equality row cannot hold.
    pub fn new(
        qp: &ParametricQp<S>,
        (anchor, lines): (&[S; 2], &[Line<S>; 2]),
        (status, fixed): (&[Status], &[bool]),
        settings: &Settings,
        near: Option<&Law<S>>,
    ) -> Result<Option<Self>, PathError> {
        let n = qp.n();
        let bounds = qp.hessian().row_factor().is_none().then(|| {
            let mut bounds = near.and_then(|law| law.bounds.clone()).unwrap_or_else(|| BoundsPart::new(n));
            bounds.follow(qp, status);
            bounds
        });
        let [along_first, along_second] =
            [0, 1].map(|parameter| bounds.as_ref().map(|bounds| bounds.along(anchor, parameter)));
        let near = near.and_then(|law| law.factor.as_ref());
        let (first, changes) = Along::first(&lines[0], status, settings, (along_first, near))?;
        let Some(mut first) = first else { return Ok(None) };
        let factor = bounds.as_ref().map(|_| KeptFactor { state: first.kkt.save(), changes });
        let Some(mut second) = first.beside(&lines[1], status, settings, along_second)? else { return Ok(None) };
        let value = first.kkt.solve(Part::Value(Place::exactly(S::zero())));
        let rates = [first.kkt.solve(Part::Rate), second.kkt.solve(Part::Rate)];
        let floating = lines[0].has_row() && value.y.is_none();
        let stands = |along: &Along<S>| along.row_holds(status, settings);
        if floating && !(stands(&first) && stands(&second)) {
            return Ok(None);
        }
        let plane = |v: Option<S>, k: usize| {
            let rate = |j: usize| rates[j].x.get(k).cloned().unwrap_or_else(S::zero);
            [v.unwrap_or_else(S::zero), rate(0), rate(1)]
        };
        let x = value.x.iter().enumerate().map(|(k, v)| plane(Some(v.clone()), k));
        let mut of_free: Vec<(usize, Plane<S>)> = first.kkt.free().iter().copied().zip(x).collect();
        of_free.sort_by_key(|(i, _)| *i);
        let (free, x) = of_free.into_iter().unzip();
        let rate_of_y = |j: usize| rates[j].y.clone().unwrap_or_else(S::zero);
        let y = value.y.map(|y| [y, rate_of_y(0), rate_of_y(1)]);
        let (mut q0, mut q1, mut q2) = (vec![S::zero(); n], vec![S::zero(); n], vec![S::zero(); n]);
        first.kkt.price_all(&mut q0, &mut q1);
        second.kkt.price_rates(&(0..n).collect::<Vec<usize>>(), &mut q2);
        let q = q0.into_iter().zip(q1).zip(q2).map(|((v, a), b)| [v, a, b]).collect();
        let size =
            |i: usize| [&first, &second].map(|along| along.kkt.loose_sizes(i)[1].clone() + along.line.c1[i].abs());
        let sizes = (0..n).map(size).collect();
        let mut law = Law { anchor: anchor.clone(), free, x, y, q, sizes, weak: Vec::new(), bounds, factor };
        if floating {
            law.y = law.pinned((status, fixed), &first, settings);
        }
        let floating = lines[0].has_row() && law.y.is_none();
        law.weak = (0..n)
            .filter(|&i| status[i] != Status::Free && !fixed[i] && (!floating || lines[0].a(i).is_zero()))
            .filter(|&i| law.vanishes(i, [&first, &second], settings))
            .collect();
        Ok(Some(law))
    }

    /// y where its interval is a point everywhere, because an index that bounds it from below and one that does so from above have the same qᵢ/Aᵢ: of two
    /// equal variables at different bounds, say. None where it is an interval.
    fn pinned(&self, (status, fixed): (&[Status], &[bool]), first: &Along<S>, settings: &Settings) -> Option<Plane<S>> {
        let line = first.line;
        let [lows, highs] = bounding(status, fixed, line);
        let end = |i: usize| self.q[i].clone().map(|v| v / line.a(i));
        let order = |i: &&usize, j: &&usize| order(&end(**i)[0], &end(**j)[0]);
        let (&low, &high) = (lows.iter().max_by(order)?, highs.iter().min_by(order)?);
        let size = |i: usize, k: usize| match k {
            0 => {
                (first.kkt.loose_sizes(i)[0].clone() + line.c0[i].abs()) / line.a(i).abs() * S::tolerance(settings.zero)
            }
            k => self.sizes[i][k - 1].clone() / line.a(i).abs() * S::tolerance(settings.zero_rate),
        };
        let (below, above) = (end(low), end(high));
        let same = |k: usize| (above[k].clone() - &below[k]).abs() <= size(low, k) + size(high, k);
        (0..3).all(same).then_some(below)
    }

    /// Keeps only those as weakly active whose z vanishes at a place as well where less is lost. z that are the same all over a region, such as those of a fit that F determines, are
    /// known to rounding of their terms, which grow with the bounds: far out one that is not zero is no larger than that. The law is one function of the plane, so that it may be
    /// solved anywhere.
    pub fn confirm_weak(
        &mut self,
        qp: &ParametricQp<S>,
        place: &[S; 2],
        status: &[Status],
        settings: &Settings,
    ) -> Result<(), PathError> {
        let [line, _] = axes(qp, place);
        let bounds = self.bounds.as_ref().map(|bounds| bounds.along(place, 0));
        let Some(mut along) = Along::new(&line, status, settings, bounds)? else { return Ok(()) };
        let y = along.kkt.solve(Part::Value(Place::exactly(S::zero()))).y;
        along.kkt.solve(Part::Rate);
        // Where y is that of two bound indices the factor does not know it.
        if y.is_some() == self.y.is_some() {
            self.weak.retain(|&i| {
                let of_y = y.as_ref().map_or_else(S::zero, |y| line.a(i) * y);
                let size = along.kkt.loose_sizes(i)[0].clone() + line.c0[i].abs() + of_y.abs();
                (along.kkt.price(i).0 - of_y).abs() <= size * S::tolerance(settings.zero)
            });
        }
        Ok(())
    }

    /// Whether z vanishes everywhere, relative to the size of its terms.
    fn vanishes(&self, i: usize, along: [&Along<S>; 2], settings: &Settings) -> bool {
        let line = along[0].line;
        let a = line.a(i);
        let z = self.z(i, &a);
        let of_y = |k: usize| self.y.as_ref().map_or_else(S::zero, |y| (a.clone() * &y[k]).abs());
        let size = along[0].kkt.loose_sizes(i)[0].clone() + line.c0[i].abs() + of_y(0);
        if z[0].abs() > size * S::tolerance(settings.zero) {
            return false;
        }
        let sizes = self.sizes_of_rates(i, &a);
        sizes.into_iter().zip(&z[1..]).all(|(size, rate)| rate.abs() <= size * S::tolerance(settings.zero_rate))
    }

    /// z = q − Aᵢy. What is left of terms of its derivatives that cancel is zero: it would turn a side along an axis, which matters far out.
    pub fn z(&self, i: usize, a: &S) -> Plane<S> {
        let mut z = self.q[i].clone();
        if let Some(y) = &self.y {
            for (z, y) in z.iter_mut().zip(y) {
                *z -= a.clone() * y;
            }
        }
        for (rate, size) in z[1..].iter_mut().zip(self.sizes_of_rates(i, a)) {
            if rate.abs() <= size * S::tolerance(OUTSIDE) {
                *rate = S::zero();
            }
        }
        z
    }

    /// The sizes of the terms of the derivatives of z.
    pub fn sizes_of_rates(&self, i: usize, a: &S) -> [S; 2] {
        [0, 1].map(|k: usize| {
            let of_y = self.y.as_ref().map_or_else(S::zero, |y| (a.clone() * &y[k + 1]).abs());
            self.sizes[i][k].clone() + of_y
        })
    }

    /// The sign pattern of the active set.
    pub fn pattern(&self, status: &[Status], fixed: &[bool]) -> Pattern {
        let mut pattern = Pattern::new(status.len());
        for (i, s) in status.iter().enumerate().filter(|(i, _)| !fixed[*i]) {
            pattern.set(i, *s);
        }
        self.weak.iter().for_each(|&i| pattern.set(i, Status::Free));
        pattern
    }
}

/// The indices whose z bounds y from below, and from above, where no free index determines it: z = q − Ay ≥ 0 at a lower bound.
pub(super) fn bounding<S: Scalar>(status: &[Status], fixed: &[bool], line: &Line<S>) -> [Vec<usize>; 2] {
    let held = |&i: &usize| status[i] != Status::Free && !fixed[i] && !line.a(i).is_zero();
    let is_low = |&i: &usize| (line.a(i) > S::zero()) != (status[i] == Status::Lower);
    let (lows, highs) = (0..status.len()).filter(held).partition(is_low);
    [lows, highs]
}

pub(super) fn order<S: Scalar>(a: &S, b: &S) -> std::cmp::Ordering {
    a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)
}

/// The line through a point along the first parameter, and the rates along the second.
pub(super) fn axes<S: Scalar>(qp: &ParametricQp<S>, point: &[S; 2]) -> [Line<S>; 2] {
    let first = qp.restrict(point, vec![S::one(), S::zero()], S::zero(), None);
    [first, qp.rates(vec![S::zero(), S::one()])]
}
