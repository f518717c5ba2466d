//! What may leave without staff: each payout is written down, and its limits counted, before anybody is asked to send it.

use std::sync::Arc;

use agio_core::identity::Staff;
use agio_core::needs::{PayTo, PayableClaim, PaymentStage, PaymentStep};
use agio_core::{Error, Result, Tx};
use uuid::Uuid;

use super::{Payments, day_of};
use crate::model::{AttemptKind, AttemptState};
use crate::store::attempts::{self, Attempt};
use crate::store::movements;
use crate::store::routes::{self, Route};

impl Payments {
    /// Queues the payouts of claims whose payment is here, within the limits; the others wait for staff. While the books do not agree nothing is
    /// queued.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn queue_payouts(self: &Arc<Self>) -> Result<()> {
        if !self.ledger.is_clean() {
            return Ok(());
        }
        for route in self.routes().await?.into_iter().filter(|route| route.auto_payout) {
            let mut after = 0;
            loop {
                let mut tx = self.platform.db.read().await?;
                let paid = self.claims.paid(&mut tx, route.currency_id, route.claim_limit, after).await?;
                drop(tx);
                let Some((last, _)) = paid.last() else { break };
                after = *last;
                for (_, claim) in paid {
                    match self.queue(claim).await {
                        Ok(()) => {}
                        Err(lost) if lost.code() == "claim_changed" => {}
                        Err(failure) => tracing::error!(%claim, %failure, "a payout could not be queued"),
                    }
                }
            }
        }
        Ok(())
    }

    async fn queue(self: &Arc<Self>, claim: Uuid) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move { this.queue_in(tx, claim).await })
            })
            .await
    }

    async fn queue_in(self: &Arc<Self>, tx: &mut Tx, id: Uuid) -> Result<()> {
        let claim = self.claims.payable(tx, id).await?;
        let Some(route) = routes::of(tx, claim.to).await? else { return Ok(()) };
        let is_ours = claim.stage == PaymentStage::Paid && !claim.in_hand && !claim.needs_consent;
        let Some(to) = claim.pay_to.clone().filter(|_| is_ours) else { return Ok(()) };
        let day = day_of(self.platform.clock.now());
        if !routes::spend(tx, claim.to, day, claim.receive.units()).await? {
            return Ok(());
        }
        let claim = self.claims.clone().step(tx, id, PaymentStep::Take).await?;
        self.write_down(tx, &claim, &route, to, None).await
    }

    /// Writes a payout down, and nobody is asked before that is durable.
    pub(super) async fn write_down(
        &self,
        tx: &mut Tx,
        claim: &PayableClaim,
        route: &Route,
        to: PayTo,
        by: Option<&Staff>,
    ) -> Result<()> {
        let id = format!("{}-{}", claim.id, claim.revision);
        attempts::insert(tx, &self.new_attempt(id, (claim, route), AttemptKind::Payout, &to, by)).await
    }

    /// Starts a payout that failed anew through its driver, by the word of staff.
    ///
    /// # Errors
    /// 404 `attempt_not_found`; 409 `transition_not_allowed`, `claim_locked`, `payout_limit`; 409 `payment_gone` while nobody has looked at a
    /// payment of the claim that disappeared; 422 for a remark that is missing.
    pub async fn send_again(self: &Arc<Self>, id: String, staff: Staff, note: String) -> Result<()> {
        if note.trim().is_empty() {
            return Err(Error::unprocessable("validation_failed").at("note", "required"));
        }
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, id, staff, note) = (this.clone(), id.clone(), staff.clone(), note.trim().to_owned());
                Box::pin(async move {
                    let unknown = || Error::not_found("attempt_not_found");
                    let claim = attempts::one(tx, &id).await?.ok_or_else(unknown)?.claim_id;
                    this.claims.payable(tx, claim).await?;
                    let failed = attempts::one(tx, &id).await?.ok_or_else(unknown)?;
                    let is_over = matches!(failed.state, AttemptState::NeverSent | AttemptState::Returned);
                    if failed.kind != AttemptKind::Payout || !is_over {
                        return Err(Error::conflict("attempt_not_over"));
                    }
                    if movements::gone(tx, failed.claim_id).await?.is_open() {
                        return Err(Error::conflict("payment_gone"));
                    }
                    let claim = this.claims.clone().retry_by(tx, failed.claim_id, &staff, note).await?;
                    let route = routes::of(tx, claim.to).await?.ok_or_else(|| Error::conflict("payout_limit"))?;
                    let to = claim.pay_to.clone().ok_or_else(|| Error::conflict("payout_limit"))?;
                    let day = day_of(this.platform.clock.now());
                    if claim.needs_consent || !routes::spend(tx, claim.to, day, claim.receive.units()).await? {
                        return Err(Error::conflict("payout_limit"));
                    }
                    this.write_down(tx, &claim, &route, to, Some(&staff)).await
                })
            })
            .await
    }

    /// Returns the payment of a claim through the driver it came by, by the word of staff. What disappeared from its network is with the customer
    /// again, and is not sent to them once more. Where a colleague has to agree first, proposes that and
    /// gives the proposal's identifier.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `transition_not_allowed`, `claim_locked`, `approval_waits`, `refund_address_missing`, `refund_under_way`,
    /// `payment_gone`.
    pub async fn refund(self: &Arc<Self>, claim: Uuid, staff: Staff) -> Result<Option<Uuid>> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, staff) = (this.clone(), staff.clone());
                Box::pin(async move {
                    this.claims.payable(tx, claim).await?;
                    if movements::gone(tx, claim).await?.is_any() {
                        return Err(Error::conflict("payment_gone"));
                    }
                    if let Some(proposed) = this.claims.clone().ask_refund(tx, claim, &staff).await? {
                        return Ok(Some(proposed));
                    }
                    let claim = this.claims.payable(tx, claim).await?;
                    let missing = || Error::conflict("refund_address_missing");
                    let to = claim.refund_to.clone().ok_or_else(missing)?;
                    let route = routes::of(tx, claim.from).await?.ok_or_else(missing)?;
                    let id = format!("{}-{}-r{}", claim.id, claim.revision, attempts::count(tx, claim.id).await?);
                    let refund = this.new_attempt(id, (&claim, &route), AttemptKind::Refund, &to, Some(&staff));
                    let written = attempts::insert(tx, &refund).await;
                    written.map_err(|refused| match refused.constraint() {
                        Some(agio_core::error::Constraint::Unique) => Error::conflict("refund_under_way"),
                        _ => refused,
                    })?;
                    Ok(None)
                })
            })
            .await
    }

    fn new_attempt(
        &self,
        id: String,
        (claim, route): (&PayableClaim, &Route),
        kind: AttemptKind,
        to: &PayTo,
        by: Option<&Staff>,
    ) -> Attempt {
        let now = self.platform.clock.now();
        let (address, memo) = attempts::sealed(&self.platform.vault, &id, to);
        let amount = if kind == AttemptKind::Payout { claim.receive } else { claim.refund };
        Attempt {
            id,
            claim_id: claim.id,
            claim_number: claim.number,
            kind,
            currency_id: route.currency_id,
            driver: route.driver.clone(),
            address,
            memo,
            units: amount.units(),
            state: AttemptState::Queued,
            tx_id: None,
            confirmations: 0,
            fee: None,
            fault: None,
            day: day_of(now),
            asks: 0,
            asked_at: None,
            ask_after: now,
            staff_id: by.map(|staff| staff.id),
            staff_name: by.map(|staff| staff.name.clone()),
            staff_role: by.map(|staff| staff.role.to_string()),
            created_at: now,
            booked_at: None,
        }
    }
}
