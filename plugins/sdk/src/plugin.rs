//! What a plugin is.

use crate::protocol::{Manifest, Question, Step};

/// A plugin. `handle` is a pure function of the question: the same question is answered alike, on any copy of the plugin, any number of times.
pub trait Plugin: Send + Sync + 'static {
    /// Who the plugin is, and what it may need.
    fn manifest(&self) -> Manifest;

    /// Answers a question, or says what has to be done before it can.
    fn handle(&self, question: &Question) -> Step;
}
