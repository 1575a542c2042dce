//! Counters of the work done.

/// Counters of the work of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stats {
    /// Changes of the active set (several indices at one t in one exchange count once).
    pub events: usize,
    /// Events that leave the sign pattern of z as it is.
    pub exchanges: usize,
    /// Jumps of x or y at fixed t.
    pub jumps: usize,
    /// Steps of length zero.
    pub zero_steps: usize,
    /// Indices priced in all (z or z′ computed at an index).
    pub priced: u64,
    /// The largest tied set.
    pub max_tied: usize,
    /// The largest free set.
    pub max_free: usize,
    /// Rows appended to the factor.
    pub appends: usize,
    /// Rows deleted from the factor.
    pub deletes: usize,
    /// Directional QPs' pivots (indices freed or dropped while crossing breakpoints).
    pub pivots: usize,
    /// Factors computed again from scratch, by cause.
    pub refactors: Refactors,
    /// Stretches followed in the wider scalar.
    pub detours: usize,
}

/// Why factors were computed again from scratch.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Refactors {
    /// The measured residual of the free set's equations.
    pub residual: usize,
    /// The audit found a violated bound or sign.
    pub audit: usize,
}
