//! Texts of the pages and messages to support, through HTTP.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod contact;
mod fixtures;
mod news;
mod nodes;
mod pages;
mod publication;
