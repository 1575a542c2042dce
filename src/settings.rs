//! Every number that steers the engine, each with what it is compared with.

/// Rounding allowed in data that should satisfy an identity exactly (l = u at a corner of Θ, symmetry of H): multiples
/// of ε relative to the size of the data.
pub(crate) const ROUNDING: f64 = 64.0;

/// A scale is at least this many times the rounding of what it measures: rounding then counts as 10⁻¹⁰.
pub(crate) const FADED: f64 = 1e10;

/// A certificate holds when its KKT residual and its relative gap are at most this.
pub const TOLERANCE: f64 = 1e-9;

/// The bytes of x and Hx of the points of which certificates are computed together, …
pub(crate) const BLOCK_BYTES: usize = 1 << 24;

/// … and the most of these points.
pub(crate) const MOST_POINTS: usize = 64;

/// So many rows of Z are multiplied with a block at once.
pub(crate) const PANEL: usize = 512;

/// Sparse rows of which at least this part of all entries is stored are multiplied with a block as dense ones.
pub(crate) const DENSE: f64 = 0.125;

/// What is left of a sum counts as zero up to this many ε of its terms: less than one rounding of each.
pub(crate) const CANCELLED: f64 = 2.0;

/// A step that would bring |t| below this part of itself is made in two, so that what happens near t = 0 is known to rounding of its own t.
pub(crate) const NEARER: f64 = 0.25;

/// Whether an event lies just before the end of a line is told where t is at most so many times as far from the end.
pub(crate) const NEARLY: i64 = 4;

/// The rows of a factor that was computed from the entries of H are known to this many ε.
pub(crate) const OF_ROWS: f64 = 8.0;

/// A sum in twice the working precision is known to this many ε² of its terms.
pub(crate) const TWICE: f64 = 32.0;

/// A sum of many products in the working precision is known to this many ε of more than all of its terms.
pub(crate) const CRUDE: f64 = 8.0;

/// Crossing a breakpoint takes at most so many rounds, and so many for each index that is tied or free.
pub(crate) const ROUNDS: [usize; 2] = [128, 32];

/// A basis with rows of at most so many keys is kept as an explicit inverse, a larger one as sparse factors (in `f64`).
pub(crate) const INVERSE: usize = 160;

/// Sparse factors of a basis are made afresh when more than so many keys have come and gone since.
pub(crate) const BORDERS: usize = 48;

/// Rows and columns are brought to one scale before they are factored in so many rounds.
pub(crate) const EQUILIBRATIONS: usize = 3;

/// Where no inverse is at hand the terms of a solution are told from so many right-hand sides with signs of their own.
pub(crate) const SIGNS: u64 = 2;

/// A pivot of sparse elimination is at least this part of the largest entry of its row.
pub(crate) const FAIR_PIVOT: f64 = 0.1;

/// How many tied indices are priced together while one with the wrong sign is looked for.
pub(crate) const GROUP: usize = 64;

/// The part of the largest possible violation that is taken without looking further: the cosine between a row and w′.
pub(crate) const FAIR: f64 = 0.03;

/// The part of a row outside the span of the free rows (relative to its length) from which it brings back a direction that
/// the span has lost.
pub(crate) const CLEAR: f64 = 0.1;

/// The part of the rows' mean square that is added to every direction of their metric.
pub(crate) const RIDGE: f64 = 0.1;

/// The most columns for which that metric has a full triangle.
pub(crate) const FULL: usize = 512;

/// … and the fewest rows for each of them.
pub(crate) const MANY: usize = 4;

/// Free rows are well conditioned when the part of each outside the span of those before it is at least this part of the longest one.
pub(crate) const WELL: f64 = 0.03125;

/// How far outside a half-plane a point of the plane counts as outside, in ε of the terms of its distance.
pub(crate) const OUTSIDE: f64 = 4096.0;

/// What is shorter counts as a point, in ε of the coordinates; so do directions that differ by less, and lines that turn by less are parallel.
pub(crate) const SHORT: f64 = 65_536.0;

/// How far the sides of two regions may lie apart where they meet, likewise.
pub(crate) const NEAR: f64 = 4_194_304.0;

/// The unit along a parameter without end is told from at most so many events.
pub(crate) const UNIT_EVENTS: usize = 1000;

/// What is left of a side is a point up to this, likewise: corners of two regions differ by more than their sides where lines meet at a small angle. A
/// vertex may be as far off a side.
pub(crate) const LEFT: f64 = 16.0 * NEAR;

/// Coordinates beyond 1/(FAR·ε) of the domain's units lie at infinity.
pub(crate) const FAR: f64 = 10.0 * NEAR;

/// The covered part of a domain may differ from one by so many ε (1e-9).
pub(crate) const COVERED: f64 = 4_194_304.0;

/// A part of a side is crossed at so many places before it is given up.
pub(crate) const ATTEMPTS: u32 = 8;

/// The least pivot of a Cholesky factor, relative to its diagonal entry, up to which a matrix is factored along a path itself, and not
/// through its rows Z: half of the digits are left.
pub(crate) const WELL_CONDITIONED: f64 = 1e-8;

/// The equality row counts in H̃ at least as much as makes the terms that x is the difference of 1/(ROW_WEIGHT·ε) times as large as x.
pub(crate) const ROW_WEIGHT: f64 = 1_048_576.0;

/// A pivot of a band matrix (which is positive definite) counts as zero below this many ε, relative to Hᵢᵢ.
pub(crate) const BAND_PIVOT: f64 = 4096.0;

/// x_F of a band matrix is refined at most so often.
pub(crate) const BAND_REFINEMENTS: usize = 4;

/// Where the events of a path are limited, the way to its start may have so many more for each variable.
pub(crate) const START_EVENTS: usize = 4;

/// The way to the solution at which a path begins may begin anew so many times.
pub(crate) const RESTARTS: usize = 64;

/// Multiples of the path's tolerance for dependence that are tried in turn, until the guess's free set is independent: a free set that is barely so makes x move far
/// and fast, if it can be told at all.
pub(crate) const LOOSE: [f64; 4] = [1.0, 8192.0, 65_536.0, 524_288.0];

/// x or z may overshoot zero by so many ε of its size at the end of a line when what happens just before it is left out.
pub(crate) const BEYOND: f64 = 64.0;

/// Zᵀx is kept along a path up to so many columns.
pub(crate) const FIT_COLUMNS: usize = 512;

/// Where a slow law and a fast one meet, Zᵀx is that of the slow one if they differ by no more than so many ε of t at the speed of the fast one.
pub(crate) const MEET: f64 = 64.0;

/// A law found in the wider scalar is long enough to go on from when it is so many times as long as what makes events tied.
pub(crate) const RESOLVED: f64 = 131_072.0;

/// When the wider scalar is needed again within so many events, the stretch in it becomes twice as long.
pub(crate) const SOON: usize = 16;

/// A region where x is not unique is cut so many times for each weakly active index before it is given up.
pub(crate) const CUTS: usize = 16;

/// How far a point of an interior-point solver may miss the row, and how small an objective is worth a scaling of its own, relative to what the bounds allow.
#[cfg(any(test, feature = "testing"))]
pub(crate) const MISSED: f64 = 1e-8;

/// What an interior-point solver cannot tell from zero where the terms of xᵀHx cancel: this part of ½(Σ√Hᵢᵢ|xᵢ|)².
#[cfg(any(test, feature = "testing"))]
pub(crate) const UNSEEN: f64 = 1e-11;

/// How well an entry of x is known beside its bounds, relative to them: a few roundings of one of their size.
#[cfg(any(test, feature = "testing"))]
pub(crate) const KNOWN: f64 = 4.0 * f64::EPSILON;

/// Which indices a ratio test looks at. The path is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pricing {
    /// Those that a bound does not rule out (`f64`; full pricing on exact scalars).
    #[default]
    Certified,
    /// All of them: the reference.
    Full,
}

/// Tolerances are multiples of machine epsilon ε (2.2e-16 for `f64`; zero for an exact scalar, whatever the multiple).
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Which indices are priced at a breakpoint. Default certified.
    pub pricing: Pricing,
    /// An event is known to so much of t as x or z takes to go through this many ε of its own size (of x: |x|, the terms of the bound that it meets, what x was solved
    /// from). A later event is tied when it comes within the interval of the first to be over, when its own reaches back to the event, or when z counts as zero there. A step of at
    /// most this many ε of |t| has no length: no active set comes twice in a row of them. Default 16 (3.6e-15).
    pub tie: f64,
    /// A piece of an envelope no wider than this many ε, relative to its position, gives way to a neighbour that is the same there. Default 512
    /// (1e-13).
    pub sliver: f64,
    /// Events closer to the end of the line than this many ε of its largest |t|, whose x or z overshoots zero there by no more
    /// than what counts as zero, are taken to lie at the end and are not crossed. Default 1e7 (2e-9).
    pub end: f64,
    /// zᵢ counts as zero when |zᵢ| is at most this many ε, relative to the size of the terms that make it up
    /// (|cᵢ| + |Aᵢy| + √Hᵢᵢ·‖x‖_H). Default 8192 (1.8e-12).
    pub zero: f64,
    /// A rate zᵢ′ counts as zero when it is at most this many ε, relative to the size of its terms before they
    /// cancel. Default 32768 (7e-12).
    pub zero_rate: f64,
    /// A further tied index is set apart when making its z exactly zero would move x by more than this many ε, relative
    /// to the largest bound: it is a near-tie. Default 1048576 (2.3e-10).
    pub shift: f64,
    /// A row counts as dependent on the free set when its part outside their span is at most this many ε, relative
    /// to its own length. Default 524288 (1.2e-10).
    pub dependent: f64,
    /// A pivot of the factor of H_FF (which carries squared lengths) counts as zero below this many ε, relative to
    /// Hᵢᵢ. Default 1048576 (2.3e-10).
    pub pivot: f64,
    /// The factor is made afresh when a residual of the free set's equations exceeds this many ε, relative to the
    /// size of its terms. Default 4096 (1e-12).
    pub refactor: f64,
    /// x_F is refined in twice the working precision when rounding may move it by more than this many ε, relative to
    /// the largest bound. Default 1024 (2e-13).
    pub refine: f64,
    /// The fit is refined as well when the terms that it is what is left of are this many times as large. Default 16.
    pub cancels: f64,
    /// At most so many times in a row: each takes the part ε·(condition) off the error. Default 8.
    pub refinements: usize,
    /// The audit fails when a sign or a bound is violated by more than this many ε after a fresh factor, relative
    /// to the size of its terms. Default 1e7 (2e-9).
    pub audit: f64,
    /// Two branches of an envelope are the same on an interval when every Bernstein coefficient of their difference's numerator is
    /// at most this many ε, relative to the size of its terms; they touch where its value is. Default 64 (1.4e-14).
    pub coincident: f64,
    /// Kernel rows are kept within this many bytes. Default 1 GiB.
    pub cache_bytes: usize,
    /// The rows Z_F are factored by QR up to this many columns; wider ones by LDLᵀ of Z_F Z_Fᵀ, whose size does not depend
    /// on the number of columns but which tells dependence less sharply. Default 2,000.
    pub qr_columns: usize,
    /// Threads for kernel rows, the pricing of all indices and the metric of the rows, where there are enough of them;
    /// results do not depend on it. Default 1.
    pub threads: usize,
    /// The path stops after this many events, and the way to its start after this many and four for each variable
    /// ([`crate::PathError::StartLimit`]). Default: no limit.
    pub max_events: Option<usize>,
}

impl Settings {
    /// The most events on the way to the start of a path in n variables.
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
