//! Payments without staff, through a driver and a network that does what networks do.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod branches;
mod crowd;
mod deadline;
mod guards;
mod handling;
mod late;
mod nodes;
mod office;
mod outcomes;
mod proof;
mod refunds;
mod sealed;
mod world;
