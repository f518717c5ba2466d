//! Knowing which version of the rules holds.

/// Knowing the rules customers agree to now.
pub trait TermsVersion: Send + Sync {
    /// The version that is published, as claims keep it with the customer's consent.
    fn terms_version(&self) -> String;
}
