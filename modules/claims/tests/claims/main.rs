//! Claims as customers and operators live them, over HTTP and on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod account;
mod admin;
mod amounts;
mod approvals;
mod browser_notifications;
mod cash;
mod chats;
mod customer_terms;
mod deadline;
mod disputes;
mod emails;
mod encryption;
mod fixtures;
mod floating_rate;
mod input_patterns;
mod ledger_consistency;
mod lifecycle;
mod limits;
mod masking;
mod network_fees;
mod push_service;
mod receipts;
mod requisite_pool;
mod requisite_validation;
mod saved_requisites;
mod search;
mod stale_revisions;
mod step_times;
mod surplus;
mod timers;
mod turnover;
mod unreadable;
mod withheld_offers;
