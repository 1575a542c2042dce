//! The settings of the engine, each with what it is compared with.

/// Rounding allowed in data that should satisfy an identity exactly (l = u at a corner of Θ, symmetry of H): multiples
/// of ε relative to the size of the data.
pub(crate) const ROUNDING: f64 = 64.0;

/// A certificate holds when its KKT residual and its relative gap are at most this.
pub const TOLERANCE: f64 = 1e-9;

/// What is left of a sum counts as zero up to this many ε of its terms: less than one rounding of each.
pub(crate) const CANCELLED: f64 = 2.0;

/// The rows of a factor that was computed from the entries of H are known to this many ε.
pub(crate) const OF_ROWS: f64 = 8.0;

/// How far the sides of two regions may lie apart where they meet, likewise.
pub(crate) const NEAR: f64 = 4_194_304.0;

/// What is left of a side is a point up to this, likewise: corners of two regions differ by more than their sides where lines meet at a small angle. A
/// vertex may be as far off a side.
pub(crate) const LEFT: f64 = 16.0 * NEAR;

/// A part of a side is crossed at so many places before it is given up.
pub(crate) const ATTEMPTS: u32 = 8;

/// A sum in twice the working precision is known to this many ε² of its terms.
pub(crate) const TWICE: f64 = 32.0;

/// Crossing a breakpoint takes at most so many rounds, and so many for each index that is tied or free.
pub(crate) const ROUNDS: [usize; 2] = [128, 32];

/// Rows and columns are brought to one scale before they are factored in so many rounds.
pub(crate) const EQUILIBRATIONS: usize = 3;

/// Where the events of a path are limited, the way to its start may have so many more for each variable.
pub(crate) const START_EVENTS: usize = 4;

/// Zᵀx is kept along a path up to so many columns.
pub(crate) const FIT_COLUMNS: usize = 512;

/// Which indices a ratio test prices. The path does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pricing {
    /// Only those that a bound does not rule out (for `f64`; exact scalars price all).
    #[default]
    Certified,
    /// All of them; the reference.
    Full,
}

/// Settings of the engine. Tolerances are multiples of the machine epsilon ε (2.2e-16 for `f64`; zero for an exact scalar, whatever the multiple).
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Which indices are priced at a breakpoint. Default: certified.
    pub pricing: Pricing,
    /// The uncertainty of an event's position: the step in which x or z, at its rate, changes by this many ε of its own size (for x the largest of |x|, the
    /// terms of the bound that it meets, and what x was solved from). A later event is tied with the first one if it comes before the earliest end
    /// of such an interval of uncertainty, if its own interval reaches back to the event, or if its z counts as zero there. A step of at most this many ε of |t|
    /// counts as having no length, and no active set may occur twice in a row of such steps. Default 16 (3.6e-15).
    pub tie: f64,
    /// A piece of an envelope that is no wider than this many ε, relative to its position, is replaced by a neighbour with the same value there. Default 512
    /// (1e-13).
    pub sliver: f64,
    /// Events closer to the end of the line than this many ε of its largest |t|, whose x or z would overshoot zero by no more than what counts as zero, are
    /// taken to lie at the end and are not crossed. Default 1e7 (2e-9).
    pub end: f64,
    /// zᵢ counts as zero when |zᵢ| is at most this many ε times the size of its terms (|cᵢ| + |Aᵢy| + √Hᵢᵢ·‖x‖_H). Default 8192 (1.8e-12).
    pub zero: f64,
    /// A rate zᵢ′ counts as zero when it is at most this many ε times the size of its terms before they cancel. Default 32768 (7e-12).
    pub zero_rate: f64,
    /// An index is not tied but only nearly so when making its z exactly zero would move x by more than this many ε times the largest bound. Default 1048576
    /// (2.3e-10).
    pub shift: f64,
    /// A row of H counts as dependent on the free rows when its part outside their span is at most this many ε times its own length. Default 524288 (1.2e-10).
    pub dependent: f64,
    /// A pivot of the factor of H_FF (a squared length) is examined when it is below this many ε times Hᵢᵢ: it counts as zero if it is no more than rounding of
    /// the terms of dᵀHd, d being the null direction. Default 1048576 (2.3e-10).
    pub pivot: f64,
    /// The factor is computed afresh when a residual of the free set's equations exceeds this many ε times the size of its terms. Default 4096 (1e-12).
    pub refactor: f64,
    /// x_F is refined in twice the working precision when rounding may move it by more than this many ε times the largest bound. Default 1024 (2e-13).
    pub refine: f64,
    /// The fit is refined as well when its terms before they cancel are this many times as large as itself. Default 16.
    pub cancels: f64,
    /// The most refinements in a row; each multiplies the error by about ε times the condition number. Default 8.
    pub refinements: usize,
    /// The audit fails when, after a fresh factor, a sign or a bound is violated by more than this many ε times the size of its terms. Default 1e7 (2e-9).
    pub audit: f64,
    /// Two branches of an envelope are the same on an interval when every Bernstein coefficient of the numerator of their difference is at most this many ε
    /// times the size of its terms; they touch where the value of that numerator is. Default 64 (1.4e-14).
    pub coincident: f64,
    /// The budget for cached kernel rows, in bytes. Default 1 GiB.
    pub cache_bytes: usize,
    /// The rows Z_F are factored by QR if Z has at most this many columns, and by LDLᵀ of Z_F Z_Fᵀ if it has more. The size of the latter does not depend on
    /// the number of columns, but it detects dependence less sharply. Default 2,000.
    pub qr_columns: usize,
    /// The number of threads for kernel rows, for pricing all indices and for the metric of the rows, where these are large enough. Results do not depend on
    /// it. Default 1.
    pub threads: usize,
    /// The path stops after this many events. The search for its first solution stops after this many plus four for each variable
    /// ([`crate::PathError::StartLimit`]). Default: no limit.
    pub max_events: Option<usize>,
}

impl Settings {
    /// The most events in the search for the first solution of a path in n variables; `None` without a limit.
    pub fn start_limit(&self, n: usize) -> Option<usize> {
        self.max_events.map(|limit| limit.saturating_add(START_EVENTS.saturating_mul(n)))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            pricing: Pricing::Certified,
            tie: 16.0,
            sliver: 512.0,
            end: 1e7,
            zero: 8192.0,
            zero_rate: 32768.0,
            shift: 1_048_576.0,
            dependent: 524_288.0,
            pivot: 1_048_576.0,
            refactor: 4096.0,
            refine: 1024.0,
            cancels: 16.0,
            refinements: 8,
            audit: 1e7,
            coincident: 64.0,
            cache_bytes: 1 << 30,
            qr_columns: 2000,
            threads: 1,
            max_events: None,
        }
    }
}
