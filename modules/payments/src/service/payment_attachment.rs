//! What staff do with unattached payments and unsettled attempts.

use std::sync::Arc;

use agio_contracts::{PayableClaim, PaymentStage};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result};
use serde_json::json;

use super::Payments;
use crate::store::addresses;
use crate::store::attempts::{self, Attempt};
use crate::store::movements::{self, MovementRecord};

const SHOWN: i64 = 100;

impl Payments {
    /// Incoming payments with issues, the newest first.
    pub async fn list_unresolved_movements(&self) -> Result<Vec<MovementRecord>> {
        movements::list_unresolved(&mut self.platform.db.read().await?, SHOWN).await
    }

    /// Unsettled attempts first, then the failed ones, then the newest.
    pub async fn attempts(&self) -> Result<Vec<Attempt>> {
        attempts::list(&mut self.platform.db.read().await?, SHOWN).await
    }

    /// Queries the driver for the outcome of an attempt now, and returns the attempt.
    ///
    /// # Errors
    /// 404 `attempt_not_found`; 409 `attempt_too_young` while the request to send may be on its way.
    pub async fn check_attempt(self: &Arc<Self>, id: &str) -> Result<Attempt> {
        let unknown = || Error::not_found("attempt_not_found");
        let attempt = attempts::one(&mut self.platform.db.read().await?, id).await?.ok_or_else(unknown)?;
        let now = self.platform.clock.now();
        if attempt.state.is_open_question() {
            let final_at = attempt.requested_at.map(|at| at.plus(super::payout_sending::SEND_GRACE_PERIOD));
            if final_at.is_some_and(|final_at| final_at > now) {
                return Err(Error::conflict("attempt_too_young"));
            }
            self.query_or_send(attempt).await?;
        } else if attempt.state == crate::model::PaymentAttemptState::Sent {
            self.query_or_send(attempt).await?;
        }
        attempts::one(&mut self.platform.db.read().await?, id).await?.ok_or_else(unknown)
    }

    /// Attaches an unattached payment to the claim with this number.
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
                    let entry = NewAuditEntry {
                        by: &by,
                        action: "payment.attached",
                        about: "payment",
                        id: id.to_string(),
                        before: None,
                        after,
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await
    }

    /// Resolves the issue of an incoming payment.
    ///
    /// # Errors
    /// 404 `movement_not_found`.
    pub async fn resolve(self: &Arc<Self>, id: i64, staff: Staff) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform
            .db
            .write(move |tx| {
                let staff = staff.clone();
                Box::pin(async move {
                    if !movements::resolve(tx, id, &staff.name, now).await? {
                        return Err(Error::not_found("movement_not_found"));
                    }
                    let by = Actor::from(&staff);
                    let entry = NewAuditEntry {
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

/// Whether a claim can still be paid.
fn takes_payment(claim: &PayableClaim) -> bool {
    matches!(claim.stage, PaymentStage::Awaiting | PaymentStage::Seen | PaymentStage::Mismatch | PaymentStage::Ended)
}
