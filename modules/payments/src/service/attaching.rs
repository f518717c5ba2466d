//! What staff do with money that nobody waits for.

use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Staff};
use agio_core::needs::{PayableClaim, PaymentStage};
use agio_core::{Error, Result};
use serde_json::json;

use super::Payments;
use crate::store::addresses;
use crate::store::attempts::{self, Attempt};
use crate::store::movements::{self, Movement};

/// How many rows of a kind staff are shown.
const SHOWN: i64 = 100;

impl Payments {
    /// Money that came and that staff should look at, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn troubled(&self) -> Result<Vec<Movement>> {
        movements::troubled(&mut self.platform.db.read().await?, SHOWN).await
    }

    /// Tries to send money: what is not settled first, then the newest.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn attempts(&self) -> Result<Vec<Attempt>> {
        attempts::shown(&mut self.platform.db.read().await?, SHOWN).await
    }

    /// Asks the driver now what became of a try, and gives the try as it stands then.
    ///
    /// # Errors
    /// 404 `attempt_not_found`; 409 `attempt_too_young` while the request to send may be on its way.
    pub async fn ask_again(self: &Arc<Self>, id: &str) -> Result<Attempt> {
        let unknown = || Error::not_found("attempt_not_found");
        let attempt = attempts::one(&mut self.platform.db.read().await?, id).await?.ok_or_else(unknown)?;
        let now = self.platform.clock.now();
        if attempt.state.is_open_question() {
            let settles = attempt.asked_at.map(|at| at.plus(super::sending::SETTLES));
            if settles.is_some_and(|settles| settles > now) {
                return Err(Error::conflict("attempt_too_young"));
            }
            self.ask(attempt).await?;
        } else if attempt.state == crate::model::AttemptState::Sent {
            self.ask(attempt).await?;
        }
        attempts::one(&mut self.platform.db.read().await?, id).await?.ok_or_else(unknown)
    }

    /// Gives money that nobody waits for to the claim with this number.
    ///
    /// # Errors
    /// 404 `movement_not_found`, `claim_not_found`; 409 `movement_attached` when it has a claim or is gone, `claim_takes_no_payment`.
    pub async fn attach(self: &Arc<Self>, id: i64, number: i64, staff: Staff) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, staff) = (this.clone(), staff.clone());
                Box::pin(async move {
                    let movement = movements::one(tx, id).await?.ok_or_else(|| Error::not_found("movement_not_found"))?;
                    let claim = this.claims.payable_by_number(tx, number).await?;
                    if !takes_payment(&claim) || claim.from != movement.currency_id {
                        return Err(Error::conflict("claim_takes_no_payment"));
                    }
                    let now = this.platform.clock.now();
                    if !movements::attach(tx, id, claim.id, now).await? {
                        return Err(Error::conflict("movement_attached"));
                    }
                    addresses::watch(tx, claim.id).await?;
                    let after = Some(json!({ "claim": number, "tx": movement.tx_id, "units": movement.units }));
                    let by = Actor::from(&staff);
                    let entry =
                        Entry { by: &by, action: "payment.attached", about: "payment", id: id.to_string(), before: None, after };
                    audit::record(tx, entry, now).await
                })
            })
            .await
    }

    /// Notes that staff have looked at money that came.
    ///
    /// # Errors
    /// 404 `movement_not_found`.
    pub async fn settle(self: &Arc<Self>, id: i64, staff: Staff) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform
            .db
            .write(move |tx| {
                let staff = staff.clone();
                Box::pin(async move {
                    if !movements::settle(tx, id, &staff.name, now).await? {
                        return Err(Error::not_found("movement_not_found"));
                    }
                    let by = Actor::from(&staff);
                    let entry = Entry {
                        by: &by,
                        action: "payment.settled",
                        about: "payment",
                        id: id.to_string(),
                        before: None,
                        after: None,
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await
    }
}

/// Whether a payment may still come for a claim.
fn takes_payment(claim: &PayableClaim) -> bool {
    matches!(claim.stage, PaymentStage::Awaiting | PaymentStage::Seen | PaymentStage::Mismatch | PaymentStage::Ended)
}
