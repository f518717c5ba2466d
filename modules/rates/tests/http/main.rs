//! Rates, through HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod adjustments;
mod aggregation;
mod approvals;
mod bulk_rules;
mod cost_floor;
mod explanations;
mod faulty_sources;
mod fixtures;
mod formulas;
mod retention;
