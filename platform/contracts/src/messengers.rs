//! Messengers in which customers can follow their claims.

use agio_core::texts::Bilingual;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Messenger {
    /// The plugin: "telegram".
    pub name: String,
    pub title: Bilingual,
}

/// Tells in which messengers customers can follow their claims now.
pub trait MessengerProvider: Send + Sync {
    /// By name.
    fn messengers(&self) -> Vec<Messenger>;
}
