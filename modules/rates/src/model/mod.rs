//! Judging rates: pure. Values go in, values come out.

pub mod adjust;
pub mod decide;
pub mod legs;
pub mod position;
pub mod reach;
pub mod rules;
pub mod schedule;
pub mod watch;
