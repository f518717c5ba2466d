//! The house as one program: configuration, composition, the outer door.
//!
//! [`app`] is the composition root and the only place that names modules. The binary `agio` is [`cli`] around it.

pub mod alerts;
pub mod app;
pub mod cli;
pub mod config;
pub mod connections;
pub mod demo;
mod desk;
mod draws;
mod explaining;
pub mod http;
mod jobs;
mod logs;
pub mod nodes;
pub mod openapi;
mod plugin_tools;
pub mod plugins;
mod post;
mod process;
pub mod sandbox;
mod secrets;
mod serving;
mod validators;
