//! Pricing: z at indices that are at a bound.

mod full;

pub(crate) use full::FullPricing;
