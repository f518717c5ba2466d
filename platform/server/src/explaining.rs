//! What claims were agreed on, for the room that explains rates.

use std::sync::Arc;

use agio_claims::Claims;
use agio_core::needs::{ClaimTerms, KeptTerms};
use agio_core::{BoxFuture, Error, Result};
use rust_decimal::Decimal;
use uuid::Uuid;

/// The claims office, asked for the terms of a claim.
pub struct Kept(pub Arc<Claims>);

impl ClaimTerms for Kept {
    fn of(&self, claim: Uuid) -> BoxFuture<'_, Result<KeptTerms>> {
        Box::pin(async move {
            let claim = self.0.claim(claim).await?;
            let course = Decimal::from_str_exact(&claim.course).map_err(Error::internal)?;
            Ok(KeptTerms { number: claim.public_id, course, terms: claim.terms })
        })
    }
}
