//! Knowing who is still here: for answers that go on after the call that asked for them.

/// Knowing whether sessions last.
pub trait Presence: Send + Sync {
    /// Whether the session of an access token lasts, of a customer or of a member of staff. The token itself may have run out since.
    fn lasts(&self, token: &str) -> bool;
}
