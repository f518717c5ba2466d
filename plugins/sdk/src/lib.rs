//! Plugins for Agio.
//!
//! A plugin is a pure function: it gets a call and returns either the result or the actions it needs first. It performs no I/O itself.
//! The server sends the HTTP requests, if the manifest and the settings allow them, and passes the responses in the next round. So a
//! plugin can be tested without a network, be compiled in or loaded, and be killed at any time.
//!
//! ```
//! use agio_plugin_sdk::protocol::{
//!     Call, CallError, CallResult, LocalizedText, Manifest, PluginKind, PluginRequest, PluginResponse, RequisiteCheck,
//! };
//!
//! struct Upper;
//!
//! impl agio_plugin_sdk::Plugin for Upper {
//!     fn manifest(&self) -> Manifest {
//!         let title = LocalizedText::new("Прописные", "Capitals");
//!         Manifest::new("upper", "0.1.0", PluginKind::Requisites, title.clone(), title)
//!     }
//!
//!     fn handle(&self, request: &PluginRequest) -> PluginResponse {
//!         match &request.call {
//!             Call::CheckRequisite(requisite) => {
//!                 let canonical = requisite.value.to_uppercase();
//!                 PluginResponse::Done(CallResult::Checked(RequisiteCheck::Valid { canonical }))
//!             }
//!             _ => PluginResponse::Failed(CallError::permanent("not_mine", "only requisite checks are supported")),
//!         }
//!     }
//! }
//!
//! agio_plugin_sdk::export!(Upper);
//! # fn main() {}
//! ```

#[expect(unsafe_code, reason = "bytes cross the C interface, which the compiler cannot check")]
pub mod abi;
pub mod amounts;
pub mod harness;
pub mod payouts;
pub mod plugin;
pub mod protocol;

pub use plugin::Plugin;
pub use rust_decimal::Decimal;
pub use serde_json;
