//! What SQLite's one writer knows from its own writes.

use std::collections::HashMap;

/// Where something is remembered: what it is, and of which.
pub type Place = (&'static str, i64);

/// What is remembered: a number, and a text where there is one.
pub type Known = (i64, String);

/// What the writer would otherwise read again and again: where a chain ends, which number was given last. It is the only writer,
/// so it is right, unless another process wrote to the file; who relies on it must therefore write something that a
/// unique key refuses if it was wrong.
#[derive(Default)]
pub(super) struct Memory {
    known: HashMap<Place, Known>,
    /// What was known before, for everything learnt since the last [`keep`](Self::keep).
    before: Vec<(Place, Option<Known>)>,
    relied_on: bool,
}

impl Memory {
    /// What is known.
    pub fn recall(&mut self, place: Place) -> Option<Known> {
        let known = self.known.get(&place).cloned();
        self.relied_on |= known.is_some();
        known
    }

    /// Learns something.
    pub fn remember(&mut self, place: Place, known: Known) {
        let before = self.known.insert(place, known);
        self.before.push((place, before));
    }

    /// Keeps what was learnt.
    pub fn keep(&mut self) {
        self.before.clear();
    }

    /// Forgets what was learnt since the last time something was kept.
    pub fn undo(&mut self) {
        while let Some((place, before)) = self.before.pop() {
            match before {
                Some(known) => self.known.insert(place, known),
                None => self.known.remove(&place),
            };
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whether anything was recalled since this was asked last.
    pub fn was_relied_on(&mut self) -> bool {
        std::mem::take(&mut self.relied_on)
    }
}
