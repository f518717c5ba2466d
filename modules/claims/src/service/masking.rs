//! Personal data of claims that ended long ago: the email address and all payment details of the customer are replaced by
//! their masked forms, for good, and so is the address in what other modules store of the claim. Amounts, times,
//! transactions and the history stay.

use std::sync::Arc;
use std::time::Duration;

use agio_core::{Result, Vault};
use agio_requisites::{RequisiteKind, mask};

use super::Claims;
use crate::PERSONAL_DATA_DAYS;
use crate::rules::claim::{GIVE_REQUISITES, RECEIVE_REQUISITES, REFUND_REQUISITES};
use crate::rules::{Claim, Requisite};
use crate::store::claims::{self, MaskedClaim};

/// How many claims a transaction masks.
const BATCH: i64 = 50;

impl Claims {
    /// Masks the claims whose time has come.
    pub async fn mask_old_claims(&self) -> Result<()> {
        let days = self.platform.settings.int(PERSONAL_DATA_DAYS).unsigned_abs();
        if days == 0 {
            return Ok(());
        }
        let now = self.platform.clock.now();
        let before = now.minus(Duration::from_secs(days * 24 * 60 * 60));
        loop {
            let old = claims::to_mask(&mut self.platform.db.read().await?, before, BATCH).await?;
            if old.is_empty() {
                return Ok(());
            }
            let masked = old.iter().map(|claim| masked(claim, &self.platform.vault)).collect::<Result<Vec<_>>>()?;
            let (masked, records, push) = (Arc::new(masked), self.claim_emails.clone(), self.push.clone());
            let write = self.platform.db.write(move |tx| {
                let (masked, records, push) = (masked.clone(), records.clone(), push.clone());
                Box::pin(async move {
                    for claim in &*masked {
                        claims::store_masked(tx, claim, now).await?;
                        push.delete_of_claim(tx, claim.id).await?;
                        for record in &records {
                            record.mask(tx, claim.id, &claim.email).await?;
                        }
                    }
                    Ok(())
                })
            });
            write.await?;
        }
    }
}

fn masked(claim: &Claim, vault: &Vault) -> Result<MaskedClaim> {
    // What cannot be read is removed.
    let seal = |what, requisites: Result<Vec<Requisite>>| {
        let mut requisites = requisites.unwrap_or_default();
        for requisite in &mut requisites {
            requisite.value = mask(requisite.kind, &requisite.value);
        }
        claim.sealed(vault, what, &requisites)
    };
    let refund = claim.refund_requisites.as_ref().map(|_| {
        let requisites = claim.refund_requisites(vault).map(Option::unwrap_or_default);
        seal(REFUND_REQUISITES, requisites)
    });
    Ok(MaskedClaim {
        id: claim.id,
        email: mask(RequisiteKind::Email, &claim.customer.email),
        give_requisites: seal(GIVE_REQUISITES, claim.give_requisites(vault))?,
        receive_requisites: seal(RECEIVE_REQUISITES, claim.receive_requisites(vault))?,
        refund_requisites: refund.transpose()?,
    })
}
