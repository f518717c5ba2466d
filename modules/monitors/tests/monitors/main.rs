//! Monitors, through HTTP.

#[path = "../feed/rules.rs"]
mod rules;

mod console;
mod feeds;
