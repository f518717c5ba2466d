//! What others think of requisites that the house's own rules find sound.

use crate::BoxFuture;
use crate::texts::Bilingual;

/// A requisite, as the house would keep it.
#[derive(Clone, PartialEq, Eq)]
pub struct KnownRequisite {
    /// The code of its currency.
    pub currency: String,
    /// The field it was given in.
    pub field: String,
    /// The value in its normal form.
    pub value: String,
}

/// What somebody thinks of a requisite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// Money can be sent there; this is how it is written.
    Sound(String),
    /// Money cannot be sent there, for this reason.
    Wrong(Bilingual),
}

/// Who may know more of requisites than the house's own rules do.
pub trait Opinions: Send + Sync {
    /// What is thought of each of them, in their order: nothing where nobody knows better, or does not say so in time. Whoever asks waits
    /// for a moment at most.
    fn on<'a>(&'a self, requisites: Vec<KnownRequisite>) -> BoxFuture<'a, Vec<Option<Opinion>>>;
}
