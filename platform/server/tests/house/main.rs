//! Rules of the whole house, each checked by a test and not by memory.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod alerts;
mod audit;
mod bodies;
mod callers;
mod clients;
mod crowd;
mod door;
mod examples;
mod keys;
mod nodes;
mod notices;
mod private;
mod quarantine;
mod races;
mod sandbox;
mod schema;
mod soundness;
mod streams;
mod tampering;
mod walls;
