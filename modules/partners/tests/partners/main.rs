//! Partner API and administration, over HTTP and on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod access;
mod admin;
mod claims;
mod commission;
mod fixtures;
mod gateway;
mod proxy;
mod quoted_amounts;
mod sandbox;
mod shop;
mod trustee;
mod trustee_gateway;
mod unreadable;
mod wallet;
mod webhook_receiver;
mod webhooks;
