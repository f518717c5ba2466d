//! Claims as customers and operators live them, over HTTP and on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod account;
mod amounts;
mod consent;
mod deadline;
mod floating;
mod guards;
mod letters;
mod money;
mod office;
mod people;
mod race;
mod receipts;
mod saved;
mod sealed;
mod search;
mod trouble;
mod unreadable;
mod validators;
mod way;
