//! The stored terms of claims, for the explanation of rates.

use std::sync::Arc;

use agio_claims::Claims;
use agio_contracts::{ClaimTermsProvider, StoredTerms};
use agio_core::{BoxFuture, Error, Result};
use rust_decimal::Decimal;
use uuid::Uuid;

pub struct StoredClaimTerms(pub Arc<Claims>);

impl ClaimTermsProvider for StoredClaimTerms {
    fn of(&self, claim: Uuid) -> BoxFuture<'_, Result<StoredTerms>> {
        Box::pin(async move {
            let claim = self.0.claim(claim).await?;
            let rate = Decimal::from_str_exact(&claim.terms.rate).map_err(Error::internal)?;
            Ok(StoredTerms { number: claim.public_id, rate, terms: claim.terms.json })
        })
    }
}
