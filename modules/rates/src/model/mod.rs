//! Pure rules of rate aggregation.

pub mod adjustments;
pub mod aggregation;
pub mod cost_price;
pub mod decision;
pub mod formula;
pub mod pair_rate_state;
pub mod rank;
pub mod rate_range;
pub mod rules;
pub mod schedule;
