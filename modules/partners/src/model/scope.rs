//! What a key may do.

agio_core::named! {
    /// One thing a key may do.
    Scope {
        /// See currencies, pairs and one's claims.
        Read = "read",
        /// Have quotes made.
        Quote = "quote",
        /// Make claims and act for their customers.
        Claim = "claim",
        /// Speak by Trustee's contract, whose signatures cover less of a call than the house's own.
        Trustee = "trustee",
    }
}
