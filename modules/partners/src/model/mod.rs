//! Signatures, key scopes, rate types, the status of access and commission.

pub mod commission;
pub mod signature;

use agio_core::named;

named! {
    /// What a key may do.
    KeyScope {
        /// See currencies, pairs and claims.
        Read = "read",
        /// Create quotes.
        Quote = "quote",
        /// Create claims and act on them.
        Claim = "claim",
        /// Use the Trustee API, whose signatures cover less of a request than ours.
        Trustee = "trustee",
    }
}

named! {
    /// Status of partner access. A declined customer can request it again.
    PartnerAccessStatus {
        /// Requested by a customer; staff have to decide. Sandbox keys work.
        Requested = "requested",
        /// All keys work.
        Approved = "approved",
        Declined = "declined",
    }
}

named! {
    /// When the rate is fixed.
    PartnerRateType {
        /// When the claim is created.
        Fixed = "fixed",
        /// When the payment arrives.
        Floating = "floating",
    }
}

impl PartnerRateType {
    pub const fn of(floating: bool) -> Self {
        if floating { Self::Floating } else { Self::Fixed }
    }
}
