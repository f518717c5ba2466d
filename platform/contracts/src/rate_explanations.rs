//! Explanations of rates: a stored rate is computed again from its stored steps.

use agio_core::BoxFuture;
use agio_core::error::Result;
use rust_decimal::Decimal;
use uuid::Uuid;

/// The terms of a claim as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTerms {
    /// The claim's public number.
    pub number: i64,
    /// The stored rate: units received for one unit given.
    pub rate: Decimal,
    /// [`AgreedTerms`](super::AgreedTerms) as JSON.
    pub terms: String,
}

/// Reads the terms of claims.
pub trait ClaimTermsProvider: Send + Sync {
    /// The terms of a claim.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    fn of(&self, claim: Uuid) -> BoxFuture<'_, Result<StoredTerms>>;
}

/// How a rate was computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateBreakdown {
    /// The rate computed again from the stored steps; `None` if they give none.
    pub rate: Option<Decimal>,
    /// The stored steps, JSON.
    pub steps: serde_json::Value,
    /// The same as text.
    pub words: agio_core::texts::Bilingual,
}

pub trait RateExplainer: Send + Sync {
    /// The rate of a claim, computed again from its stored terms.
    ///
    /// # Errors
    /// `internal` for terms that this program did not write.
    fn explain(&self, terms: &StoredTerms) -> Result<RateBreakdown>;

    /// The current rate of a pair; `None` if it has none.
    ///
    /// # Errors
    /// 404 `pair_unknown`.
    fn explain_pair(&self, pair: i64) -> Result<Option<RateBreakdown>>;
}
