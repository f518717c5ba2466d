//! Plugins for Agio.
//!
//! A plugin is a pure value: it is asked something and answers with what was asked for or with what it needs done
//! first. It never does anything itself. An HTTP request it needs is made by the house, within what the plugin's manifest names and an
//! operator allowed, and the reply comes back with the question in the next round. So a plugin can be tested without a network, run compiled in or
//! loaded, and be killed at any moment.
//!
//! ```
//! use agio_plugin::protocol::{Answer, Call, Checked, Kind, Manifest, Question, Refusal, Step, Words};
//!
//! struct Upper;
//!
//! impl agio_plugin::Plugin for Upper {
//!     fn manifest(&self) -> Manifest {
//!         let title = Words::new("Прописные", "Capitals");
//!         Manifest::new("upper", "0.1.0", Kind::Requisites, title.clone(), title)
//!     }
//!
//!     fn handle(&self, question: &Question) -> Step {
//!         match &question.call {
//!             Call::Check(requisite) => Step::Done(Answer::Checked(Checked::Good { canonical: requisite.value.to_uppercase() })),
//!             _ => Step::Refused(Refusal::never("not_mine", "only requisites are checked here")),
//!         }
//!     }
//! }
//!
//! agio_plugin::export!(Upper);
//! # fn main() {}
//! ```

#[expect(unsafe_code, reason = "bytes come from and go to whoever loaded the library, which no compiler can check")]
pub mod abi;
pub mod harness;
pub mod plugin;
pub mod protocol;

pub use plugin::Plugin;
pub use rust_decimal::Decimal;
pub use serde_json;
