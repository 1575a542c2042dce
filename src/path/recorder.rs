//! What a follower records: its laws from event to event, the sign patterns by which breakpoints are recognised, and the costs of the path.

use super::Follower;
use super::active::Active;
use super::law::Law;
use super::ratio::Step;
use crate::active_set::{Status, key};
use crate::problem::Line;
use crate::record::Stop;
use crate::record::{Path, SegmentData};
use crate::scalar::Scalar;
use crate::settings::FIT_COLUMNS;
use crate::stats::Stats;

/// When the wider scalar is needed again within so many events, the stretch in it becomes twice as long.
const SOON: usize = 16;

/// The path so far. Saved as it is.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub(super) struct Recorder<S> {
    pub path: Path<S>,
    pub stats: Stats,
    /// The status of every index on the last recorded segment.
    recorded: Vec<Status>,
    /// The signs of z that the pattern is made of.
    signs: Vec<u64>,
    /// The indices at a bound whose z has not been seen to leave zero.
    faint: Vec<usize>,
    pattern: u64,
    last_pattern: Option<u64>,
    /// How many laws that are long enough a detour passes by before the follower goes on by itself ([`super::wider`]).
    pub patience: usize,
    /// The events when it last did.
    pub since: usize,
}

impl<S: Scalar> Recorder<S> {
    /// Nothing recorded yet.
    pub fn new(line: &Line<S>, status: &[Status]) -> Self {
        Recorder {
            path: Path::new(line, status.to_vec()),
            stats: Stats::default(),
            recorded: status.to_vec(),
            signs: vec![NO_SIGN; line.n()],
            faint: Vec::new(),
            pattern: 0,
            last_pattern: None,
            patience: 1,
            since: 0,
        }
    }

    /// The statuses that the path starts from.
    pub fn set_start(&mut self, status: &[Status]) {
        self.path.set_start(status);
        self.recorded = status.to_vec();
    }

    /// Whether its parts (read from somewhere) are those of n variables.
    pub fn is_sound(&self, n: usize) -> bool {
        let lists = [self.path.n(), self.recorded.len(), self.signs.len()];
        lists.iter().all(|len| *len == n) && self.faint.iter().all(|&i| i < n)
    }

    /// Whether the sign pattern is another one than on the last recorded segment.
    pub fn is_new_pattern(&self) -> bool {
        self.last_pattern != Some(self.pattern)
    }

    /// A detour begins. Where the last one was not long ago, it is to pass by twice as many laws.
    pub fn begin_detour(&mut self) {
        let soon = self.stats.detours > 0 && self.stats.events < self.since + SOON * self.patience;
        self.patience = if soon { 2 * self.patience } else { 1 };
        self.stats.detours += 1;
    }

    /// Keeps a law that holds from t on, its rates times `part`, and Zᵀx with its rate as it is. Whether statuses have
    /// changed since the last one where the sign
    /// pattern has not.
    pub fn keep(
        &mut self,
        law: &Law<S>,
        part: &S,
        free: &[usize],
        fit: Option<[Vec<S>; 2]>,
        active: &mut Active<S>,
    ) -> bool {
        let mut changed = Vec::new();
        for i in active.take_touched() {
            if self.recorded[i] != active.status[i] {
                self.recorded[i] = active.status[i];
                changed.push((i, active.status[i]));
            }
        }
        changed.sort_by_key(|c| c.0);
        let is_first = self.last_pattern.is_none();
        let breakpoint = !is_first && self.is_new_pattern();
        self.last_pattern = Some(self.pattern);
        // Steps without length at the very start leave rounding in t.
        let t = if self.path.segments().is_empty() { self.path.begin() } else { &law.at.t };
        let (t, y, dy) = (t.clone(), law.y.clone(), law.dy.clone() * part);
        let dx: Vec<S> = law.dx.iter().map(|dx| dx.clone() * part).collect();
        let data = SegmentData { t, y, dy, floating: law.floating && law.interval, breakpoint, fit };
        self.path.push(data, free, (&law.x, &dx), &changed);
        !is_first && !breakpoint && !changed.is_empty()
    }

    /// The sign of zᵢ in the pattern.
    fn show(&mut self, i: usize, sign: u64) {
        self.pattern ^= key(i, self.signs[i]) ^ key(i, sign);
        self.signs[i] = sign;
    }
}

impl<S: Scalar> Follower<'_, S> {
    /// Keeps the segment that starts at t, unless it has no length there, or next to none in which nothing is seen to
    /// move.
    pub(super) fn record(&mut self, step: &Step<S>) {
        let nowhere = step.length.is_some() && self.after(step).t <= self.law.at.t;
        if nowhere || (step.is_zero() && !self.is_seen(step)) {
            self.recorder.stats.zero_steps += 1;
            return;
        }
        self.update_codes();
        self.fade(|f, i| {
            let length = step.length.as_ref()?;
            Some((f.z(i), f.z(i) + f.dz(i) * length))
        });
        let part = self.lead(step);
        let fit = self.fits(&part);
        let exchanged = self.recorder.keep(&self.law, &part, self.kkt.free(), fit, &mut self.active);
        self.recorder.stats.exchanges += usize::from(exchanged);
        self.active.open = None;
    }

    /// Whether x or Zᵀx moves by more than rounding during a step.
    fn is_seen(&self, step: &Step<S>) -> bool {
        let Some(length) = &step.length else { return true };
        let rounding = S::tolerance(self.settings.refine);
        let of_x = |(k, &i): (usize, &usize)| self.law.dx[k].abs() * length > self.x_scale(k, i) * &rounding;
        let norm = |v: &[S]| S::dot(v, v).scale_root();
        let of_fit = |[w, rate]: [&[S]; 2]| norm(rate) * length > norm(w) * &rounding;
        self.kkt.free().iter().enumerate().any(of_x) || self.kkt.fits().is_some_and(of_fit)
    }

    /// Zᵀx at t and its rate, the latter times `part`, where it is kept.
    fn fits(&self, part: &S) -> Option<[Vec<S>; 2]> {
        let [value, rate] = self.kkt.fits().filter(|fits| fits[0].len() <= FIT_COLUMNS)?;
        Some([value.to_vec(), rate.iter().map(|rate| rate.clone() * part).collect()])
    }

    /// The ratio between the rates that lead from x, y and Zᵀx here to their values after `step`, and the rates of the law. A path stores the positions of
    /// events rounded; for a very fast law the difference is visible, and the law is recorded with the rates that connect its values at the rounded positions.
    fn lead(&self, step: &Step<S>) -> S {
        let rounded = self.after(step).t - &self.law.at.t;
        match &step.length {
            Some(length) if rounded > S::zero() => length.clone() / rounded,
            _ => S::one(),
        }
    }

    /// Closes the path at t. A path that ends where it began still has its one solution.
    pub(super) fn finish(&mut self, stop: Stop<S>) {
        if self.recorder.path.segments().is_empty() {
            self.solve_law();
            if self.law.floating {
                self.price_everything();
                self.law.y = self.inside(&S::zero());
                self.law.interval = self.is_interval(&S::zero());
            }
            self.law.dy = S::zero();
            let fit = self.fits(&S::one());
            self.recorder.keep(&self.law, &S::one(), self.kkt.free(), fit, &mut self.active);
        }
        self.recorder.path.finish(self.law.at.t.clone(), stop, self.recorder.stats.clone());
    }

    /// Brings fingerprint (statuses and ties) and pattern (signs of z) up to date with the touched indices.
    pub(super) fn update_codes(&mut self) {
        self.active.update_codes(|i, code| self.recorder.show(i, sign_code(code)));
    }

    /// An index at a bound whose z counts as zero from here to the end of the segment has no sign there: rounding of the data in z′ must not make a breakpoint.
    /// `z` returns both values.
    pub(super) fn fade(&mut self, z: impl Fn(&Self, usize) -> Option<(S, S)>) {
        let mut candidates = std::mem::take(&mut self.recorder.faint);
        candidates.extend(&self.active.touched);
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&i| {
            let code @ (status, tied) = self.active.codes[i];
            if status == Status::Free || tied || self.active.fixed[i] {
                return false;
            }
            let zero = self.zero(i);
            let is_faint = z(self, i).is_some_and(|(here, there)| here.abs() <= zero && there.abs() <= zero);
            self.recorder.show(i, if is_faint { NO_SIGN } else { sign_code(code) });
            is_faint
        });
        self.recorder.faint = candidates;
    }
}

/// The code of a z that is zero.
const NO_SIGN: u64 = 1;

fn sign_code((status, tied): (Status, bool)) -> u64 {
    if tied { NO_SIGN } else { (status.sign() + 1) as u64 }
}
