//! The terms of a direction that its customers accept before they pay.

use agio_contracts::CustomerTerms;
use agio_core::{Error, Result, Timestamp, Tx};

use super::Claims;
use crate::model::ClaimState;
use crate::rules::Claim;
use crate::store::accepted_terms;

/// Terms, and when the customer of a claim accepted them.
pub type ClaimedTerms = (CustomerTerms, Option<Timestamp>);

impl Claims {
    /// The terms of a claim's direction, and when its customer accepted them; `None` as the time while they have not. Those
    /// that were accepted stay with the claim, whatever the direction says later.
    pub async fn customer_terms(&self, claim: &Claim) -> Result<Option<ClaimedTerms>> {
        self.customer_terms_in(&mut self.platform.db.read().await?, claim).await
    }

    pub(super) async fn customer_terms_in(&self, tx: &mut Tx, claim: &Claim) -> Result<Option<ClaimedTerms>> {
        if claim.state == ClaimState::Created {
            let terms = self.quotes.customer_terms(claim.give.currency_id(), claim.receive.currency_id());
            return Ok(terms.map(|terms| (terms, None)));
        }
        let accepted = accepted_terms::of_claim(tx, claim.id).await?;
        Ok(accepted.map(|(terms, at)| (terms, Some(at))))
    }

    /// The terms of a direction, which the customer has accepted by their identifier; `None` without terms.
    ///
    /// # Errors
    /// 422 `customer_terms_required` at `acceptedTerms`; 409 `customer_terms_changed`.
    pub(super) fn accepted_terms(&self, (from, to): (i64, i64), accepted: Option<&str>) -> Result<Option<CustomerTerms>> {
        let terms = self.quotes.customer_terms(from, to);
        match (&terms, accepted) {
            (Some(_), None) => Err(Error::unprocessable("validation_failed").at("acceptedTerms", "customer_terms_required")),
            (Some(terms), Some(id)) if terms.id != id => Err(Error::conflict("customer_terms_changed")),
            _ => Ok(terms),
        }
    }
}
