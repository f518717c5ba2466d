//! The server: configuration, composition and the HTTP layer.
//!
//! [`app`] is the composition root and the only place that names modules. [`cli`] is the binary `agio`.

mod admin;
pub mod app;
mod backup;
mod claim_terms;
pub mod cli;
pub mod config;
pub mod connections;
pub mod demo;
mod doctor;
mod draw_verification;
mod first_owner;
pub mod http;
mod init;
mod jobs;
mod keys;
pub mod logs;
mod mail_channel;
pub mod market_commands;
pub mod metrics;
pub mod nodes;
pub mod openapi;
mod output;
mod plugin_callbacks;
mod plugin_commands;
pub mod plugins;
mod process;
mod requisite_validators;
pub mod sandbox;
mod secrets;
mod server;
pub mod staff_alerts;
pub mod traces;
