//! Counters of the work done.

/// Counters of the work on a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stats {
    /// Events: changes of the active set. Several indices that change at one t in one exchange count once.
    pub events: usize,
    /// Events that leave the sign pattern of z as it is.
    pub exchanges: usize,
    /// Jumps of x or y at fixed t.
    pub jumps: usize,
    /// Steps of no length.
    pub zero_steps: usize,
    /// Indices priced: the number of z or z′ computed.
    pub priced: u64,
    /// The largest number of tied indices at one time.
    pub max_tied: usize,
    /// The largest number of free variables.
    pub max_free: usize,
    /// Rows appended to the factor.
    pub appends: usize,
    /// Rows deleted from the factor.
    pub deletes: usize,
    /// Indices freed or dropped while crossing breakpoints, the pivots of the directional QPs.
    pub pivots: usize,
    /// Factors computed afresh, by cause.
    pub refactors: Refactors,
    /// Parts of the path followed in the wider scalar.
    pub detours: usize,
}

/// How often factors were computed afresh, by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Refactors {
    /// Because the residual of the free set's equations was too large.
    pub residual: usize,
    /// Because the audit found a violated bound or sign.
    pub audit: usize,
}
