//! Payments without staff, through a driver and a network that does what networks do.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod admin;
mod concurrent_claims;
mod consistency;
mod deadline;
mod encryption;
mod failures;
mod fixtures;
mod incoming_payments;
mod invoices;
mod late_payments;
mod multiple_nodes;
mod outcomes;
mod payment_handling;
mod refunds;
mod surplus;
