//! Prices: z and its rate at any index, the sizes of their terms, and which indices are looked at.

use super::Follower;
use crate::pricing::{Anchor, Certified, Prices, Queue, Trial};
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::Pricing;

/// What a follower knows of z. Saved as it is, without the table of prices, which the next law replaces.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: serde::Serialize", deserialize = "S: serde::Deserialize<'de>"))]
pub(super) struct Pricer<S> {
    #[serde(skip)]
    pub prices: Prices<S>,
    /// Certified pricing, where the factor knows the speed of its fit.
    pub certified: Option<Certified>,
    /// v on the current law, and ρ, γ in its definition ([`crate::pricing`]).
    pub arc_speed: f64,
    drift_scales: [f64; 2],
    /// A sign of z that was found wrong in the last ratio test: index, violation, allowed.
    pub wrong_sign: Option<(usize, S, S)>,
}

impl<S: Scalar> Pricer<S> {
    /// Prices everything until there is a queue.
    pub fn new() -> Self {
        Pricer { prices: Prices::default(), certified: None, arc_speed: 0.0, drift_scales: [0.0; 2], wrong_sign: None }
    }

    /// Whether its parts (read from somewhere) are those of n variables.
    pub fn is_sound(&self, n: usize) -> bool {
        self.certified.as_ref().is_none_or(|certified| certified.is_sound(n))
            && self.wrong_sign.as_ref().is_none_or(|w| w.0 < n)
    }

    /// The law was followed over a step of t.
    pub fn follow(&mut self, length: &S) {
        let speed = self.arc_speed;
        if let Some(queue) = self.queue() {
            queue.follow(speed, length.to_f64().unwrap_or(f64::INFINITY));
        }
    }

    /// y moves at fixed t.
    fn move_multiplier(&mut self, distance: &S) {
        let scale = self.drift_scales[0];
        if let Some(queue) = self.queue() {
            queue.advance(distance.to_f64().unwrap_or(f64::INFINITY) / scale);
        }
    }

    /// The queue of certified pricing, while it is used.
    pub fn queue(&mut self) -> Option<&mut Queue> {
        self.certified.as_mut().and_then(Certified::queue)
    }
}

impl<S: Scalar> Follower<'_, S> {
    /// Prices every index on the current law.
    pub(super) fn price_everything(&mut self) {
        self.recorder.stats.priced += self.pricer.prices.fill(self.kkt.as_mut(), self.line.n());
    }

    /// Begins certified pricing, by its queue, where the setting allows it and the factor knows how fast its fit moves.
    pub(super) fn begin_queue(&mut self) {
        self.pricer.certified = None;
        if S::EXACT || self.settings.pricing == Pricing::Full {
            return;
        }
        let Some(reaches) = self.kkt.reaches() else { return };
        self.pricer.drift_scales = drift_scales(self.line, &reaches);
        let [rho, gamma] = self.pricer.drift_scales;
        let reach = |(i, row): (usize, f64)| {
            let [a, c] = [self.line.a(i), self.line.c1[i].clone()].map(|v| v.to_f64().unwrap_or(f64::INFINITY));
            (row.powi(2) + (rho * a).powi(2) + (gamma * c).powi(2)).sqrt() * (1.0 + 8.0 * f64::EPSILON)
        };
        let queue = Queue::new(reaches.into_iter().enumerate().map(reach).collect());
        self.pricer.certified = Some(Certified::Arc(queue, Trial::default()));
    }

    /// The queue gives way to an anchor, where rows come with their opposites, and nothing but the fit and c moves z.
    pub(super) fn begin_anchor(&mut self) {
        if !self.line.has_row()
            && self.kkt.has_opposites()
            && let Some(reaches) = self.kkt.reaches()
        {
            self.pricer.certified = Some(Certified::Anchored(Anchor::new(reaches)));
        }
    }

    /// y moves at fixed t.
    pub(super) fn move_multiplier(&mut self, y: S) {
        self.pricer.move_multiplier(&(y.clone() - &self.law.y).abs());
        self.law.y = y;
    }

    /// v on the current law.
    pub(super) fn update_arc_speed(&mut self) {
        if self.pricer.queue().is_none() {
            return;
        }
        let fit = self.kkt.fit_speed();
        let [rho, gamma] = self.pricer.drift_scales;
        let drift = |d: f64, scale: f64| if scale > 0.0 { d / scale } else { 0.0 };
        let dy = drift(self.law.dy.to_f64().unwrap_or(f64::INFINITY), rho);
        self.pricer.arc_speed = (fit.powi(2) + dy.powi(2) + drift(1.0, gamma).powi(2)).sqrt();
    }

    /// q = Hx + c at i and its rate.
    pub(super) fn q(&self, i: usize) -> (S, S) {
        self.pricer.prices.price(self.kkt.as_ref(), i)
    }

    /// q − Ay at t.
    pub(super) fn z(&self, i: usize) -> S {
        self.q(i).0 - self.line.a(i) * &self.law.y
    }

    /// The rate of z.
    pub(super) fn dz(&self, i: usize) -> S {
        self.q(i).1 - self.line.a(i) * &self.law.dy
    }

    /// z with the sign that makes it ≥ 0 at a solution.
    pub(super) fn signed_z(&self, i: usize) -> S {
        self.z(i) * S::integer(self.active.status[i].sign())
    }

    /// The size of the terms of zᵢ.
    pub(super) fn size(&self, i: usize) -> S {
        self.size_at(i, &self.law.at.t)
    }

    /// The same with the terms of cᵢ at another t.
    pub(super) fn size_at(&self, i: usize, t: &S) -> S {
        self.kkt.size(i) + self.cost_size(i, t) + (self.line.a(i) * &self.law.y).abs()
    }

    fn cost_size(&self, i: usize, t: &S) -> S {
        self.line.c0[i].abs() + (self.line.c1[i].clone() * t).abs()
    }

    /// |zᵢ| up to here counts as zero.
    pub(super) fn zero(&self, i: usize) -> S {
        self.allowed(i, self.settings.zero)
    }

    /// So many ε of the terms of zᵢ, and what it is known to besides.
    pub(super) fn allowed(&self, i: usize, multiple: f64) -> S {
        self.size(i) * S::tolerance(multiple) + self.kkt.unknown(i)
    }

    /// |zᵢ′| up to here counts as zero.
    pub(super) fn zero_rate(&self, i: usize) -> S {
        let terms = self.kkt.rate_size(i) + self.line.c1[i].abs() + (self.line.a(i) * &self.law.dy).abs();
        terms * S::tolerance(self.settings.zero_rate) + self.kkt.rate_unknown(i)
    }
}

/// ρ and γ of the bound of certified pricing: they put the three coordinates of a row on one scale. Zero where a
/// coordinate is absent.
fn drift_scales<S: Scalar>(line: &Line<S>, reaches: &[f64]) -> [f64; 2] {
    let largest = |values: &[S]| values.iter().map(|v| v.abs().to_f64().unwrap_or(0.0)).fold(0.0, f64::max);
    let rows = reaches.iter().copied().fold(0.0, f64::max);
    let rows = if rows > 0.0 { rows } else { 1.0 };
    let scale = |size: f64| if size > 0.0 { rows / size } else { 0.0 };
    [scale(largest(&line.a)), scale(largest(&line.c1))]
}
