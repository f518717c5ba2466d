//! The partners' calls as partners and staff live them, over HTTP and on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod access;
mod claims;
mod commission;
mod desk;
mod door;
mod listener;
mod news;
mod one_number;
mod people;
mod proxy;
mod sandbox;
mod shop;
mod trustee;
mod trustee_door;
mod unreadable;
mod wallet;
