//! Payouts and refunds: each is stored, and counted against its limits, before a driver is told to send it.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, ChangeOutcome, outdated};
use agio_contracts::{PayableClaim, PaymentDestination, PaymentStage, PaymentStep};
use agio_core::events::ChangeEvent;
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Tx};
use serde_json::Value;
use uuid::Uuid;

use super::{Payments, day_of};
use crate::model::{PaymentAttemptKind, PaymentAttemptState};
use crate::store::attempts::{self, Attempt};
use crate::store::movements;
use crate::store::routes::{self, Route};
use crate::{PAYMENTS_CHANGE, PAYOUTS_CLOSED};

const OPENING: &str = "payouts_opening";

impl Payments {
    /// Whether no driver is told to send anything.
    pub fn are_payouts_closed(&self) -> bool {
        self.platform.settings.is_on(PAYOUTS_CLOSED.name)
    }

    /// Closes payouts, or opens them. Attempts that were begun before are still followed to their end.
    pub async fn close_payouts(&self, closed: bool, by: &Actor) -> Result<()> {
        let (settings, clock, by) = (self.platform.settings.clone(), self.platform.clock.clone(), by.clone());
        self.platform
            .db
            .write(move |tx| {
                let (settings, now, by) = (settings.clone(), clock.now(), by.clone());
                Box::pin(async move { settings.put(tx, PAYOUTS_CLOSED.name, &closed.to_string(), now, &by).await })
            })
            .await?;
        self.platform.events.publish(ChangeEvent::Settings);
        Ok(())
    }

    /// Opens payouts after a restore, or creates an approval request if two-person approval is enabled.
    ///
    /// # Errors
    /// 409 `payouts_open`, `approval_waits`.
    pub async fn open_payouts(&self, staff: Staff) -> Result<ChangeOutcome<()>> {
        if !self.are_payouts_closed() {
            return Err(Error::conflict("payouts_open"));
        }
        if !self.approvals.is_enabled() {
            return self.close_payouts(false, &Actor::from(&staff)).await.map(ChangeOutcome::Applied);
        }
        let approvals = self.approvals.clone();
        let request = self.platform.db.write(move |tx| {
            let (approvals, staff) = (approvals.clone(), staff.clone());
            Box::pin(async move {
                let about = ("setting", PAYOUTS_CLOSED.name.to_owned());
                let shown = vec![ApprovalFact {
                    label: format!("setting.{}", PAYOUTS_CLOSED.name),
                    before: Some(ApprovalValue::flag(true)),
                    after: Some(ApprovalValue::flag(false)),
                }];
                let request = ApprovalRequest { kind: OPENING, about, shown, payload: Value::Null };
                approvals.propose(tx, request, &staff).await
            })
        });
        Ok(ChangeOutcome::PendingApproval(Box::new(request.await?)))
    }

    /// Queues the payouts of paid claims, and what is returned beside exchanges, within the limits; the others wait for
    /// staff. Nothing is queued while the ledger has differences or payouts are closed.
    pub async fn queue_payouts(self: &Arc<Self>) -> Result<()> {
        if !self.ledger.is_clean() || self.are_payouts_closed() {
            return Ok(());
        }
        for route in self.routes().await?.into_iter().filter(|route| route.auto_payout) {
            for kind in [PaymentAttemptKind::Payout, PaymentAttemptKind::Refund] {
                self.queue_all(&route, kind).await?;
            }
        }
        Ok(())
    }

    async fn queue_all(self: &Arc<Self>, route: &Route, kind: PaymentAttemptKind) -> Result<()> {
        let (currency, most, mut after) = (route.currency_id, route.claim_limit, 0);
        loop {
            let mut tx = self.platform.db.read().await?;
            let due = match kind {
                PaymentAttemptKind::Payout => self.claims.paid(&mut tx, currency, most, after).await?,
                PaymentAttemptKind::Refund => self.claims.surpluses(&mut tx, currency, most, after).await?,
            };
            drop(tx);
            let Some((last, _)) = due.last() else { return Ok(()) };
            after = *last;
            for (_, claim) in due {
                match self.queue(claim, kind).await {
                    Ok(()) => {}
                    // Without a current rate a floating claim waits for one.
                    Err(lost) if matches!(lost.code(), "claim_changed" | "rate_unavailable") => {}
                    Err(failure) => tracing::error!(%failure, %kind, "an attempt could not be queued"),
                }
            }
        }
    }

    async fn queue(self: &Arc<Self>, claim: Uuid, kind: PaymentAttemptKind) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move {
                    match kind {
                        PaymentAttemptKind::Payout => this.queue_payout(tx, claim).await,
                        PaymentAttemptKind::Refund => this.queue_surplus(tx, claim).await,
                    }
                })
            })
            .await
    }

    /// Queues the return of a surplus, if this is its first attempt: what came back has a reason that staff look into. So
    /// has an amount that no driver has seen, or not any more: staff typed it.
    async fn queue_surplus(&self, tx: &mut Tx, id: Uuid) -> Result<()> {
        let claim = self.claims.payable(tx, id).await?;
        let Some(route) = routes::of(tx, claim.from).await? else { return Ok(()) };
        let is_ours =
            claim.stage == PaymentStage::RefundPending && claim.is_first_surplus && !claim.is_locked && !claim.needs_approval;
        let Some(to) = claim.refund_to.clone().filter(|_| is_ours) else { return Ok(()) };
        let payments = movements::of_claim(tx, id).await?;
        let seen: i64 = payments.iter().filter(|one| one.booked && one.gone_at.is_none()).map(|one| one.units).sum();
        let may_send = self.routing.sends_refunds(claim.from, &route.driver) && seen >= claim.received.units();
        if !may_send || attempts::was_refund_tried(tx, id).await? {
            return Ok(());
        }
        if !routes::spend(tx, claim.from, day_of(self.platform.clock.now()), claim.refund.units()).await? {
            return Ok(());
        }
        self.insert_refund(tx, &claim, &route, &to, None).await
    }

    async fn queue_payout(self: &Arc<Self>, tx: &mut Tx, id: Uuid) -> Result<()> {
        let claim = self.claims.payable(tx, id).await?;
        let Some(route) = routes::of(tx, claim.to).await? else { return Ok(()) };
        let is_ours = claim.stage == PaymentStage::Paid && !claim.is_locked && !claim.needs_approval;
        let Some(to) = claim.pay_to.clone().filter(|_| is_ours) else { return Ok(()) };
        let day = day_of(self.platform.clock.now());
        if !routes::spend(tx, claim.to, day, claim.receive.units()).await? {
            return Ok(());
        }
        let counted = claim.receive;
        let claim = self.claims.clone().step(tx, id, PaymentStep::Take).await?;
        // A floating rate was fixed only now: the limits were asked about another amount, so staff decide.
        if claim.receive != counted {
            return Err(Error::conflict("claim_changed"));
        }
        self.insert_payout(tx, &claim, &route, to, None).await
    }

    /// Stores a payout attempt. The driver is called only after the commit.
    pub(super) async fn insert_payout(
        &self,
        tx: &mut Tx,
        claim: &PayableClaim,
        route: &Route,
        to: PaymentDestination,
        by: Option<&Staff>,
    ) -> Result<()> {
        let id = format!("{}-{}", claim.id, claim.revision);
        attempts::insert(tx, &self.new_attempt(id, (claim, route), PaymentAttemptKind::Payout, &to, by)).await
    }

    /// Retries a failed payout through its driver, on behalf of staff.
    ///
    /// # Errors
    /// 404 `attempt_not_found`; 409 `transition_not_allowed`, `claim_locked`, `payout_limit`; 409 `payment_gone` while the issue of a
    /// payment that disappeared is unresolved; 422 without a note.
    pub async fn retry_failed_payout(self: &Arc<Self>, id: String, staff: Staff, note: String) -> Result<()> {
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
                    let is_closed = matches!(failed.state, PaymentAttemptState::NeverSent | PaymentAttemptState::Returned);
                    if failed.kind != PaymentAttemptKind::Payout || !is_closed {
                        return Err(Error::conflict("attempt_not_over"));
                    }
                    if movements::vanished(tx, failed.claim_id).await?.is_open() {
                        return Err(Error::conflict("payment_gone"));
                    }
                    let claim = this.claims.clone().retry_by(tx, failed.claim_id, &staff, note).await?;
                    let route = routes::of(tx, claim.to).await?.ok_or_else(|| Error::conflict("payout_limit"))?;
                    let to = claim.pay_to.clone().ok_or_else(|| Error::conflict("payout_limit"))?;
                    let day = day_of(this.platform.clock.now());
                    if claim.needs_approval || !routes::spend(tx, claim.to, day, claim.receive.units()).await? {
                        return Err(Error::conflict("payout_limit"));
                    }
                    this.insert_payout(tx, &claim, &route, to, Some(&staff)).await
                })
            })
            .await
    }

    /// Sends a refund through the driver of the payment, on behalf of staff. A payment that disappeared from its
    /// network is with the customer again and is not refunded. If approval is needed, creates an approval request and
    /// returns its identifier.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `transition_not_allowed`, `claim_locked`, `approval_waits`, `refund_address_missing`, `refund_under_way`,
    /// `payment_gone`, `driver_sends_no_refunds`.
    pub async fn refund(self: &Arc<Self>, claim: Uuid, staff: Staff) -> Result<Option<Uuid>> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, staff) = (this.clone(), staff.clone());
                Box::pin(async move {
                    let from = this.claims.payable(tx, claim).await?.from;
                    if movements::vanished(tx, claim).await?.is_any() {
                        return Err(Error::conflict("payment_gone"));
                    }
                    if routes::of(tx, from).await?.is_some_and(|route| !this.routing.sends_refunds(from, &route.driver)) {
                        return Err(Error::conflict("driver_sends_no_refunds"));
                    }
                    if let Some(approval) = this.claims.clone().ask_refund(tx, claim, &staff).await? {
                        return Ok(Some(approval));
                    }
                    let claim = this.claims.payable(tx, claim).await?;
                    let missing = || Error::conflict("refund_address_missing");
                    let to = claim.refund_to.clone().ok_or_else(missing)?;
                    let route = routes::of(tx, claim.from).await?.ok_or_else(missing)?;
                    this.insert_refund(tx, &claim, &route, &to, Some(&staff)).await?;
                    Ok(None)
                })
            })
            .await
    }

    /// Stores a refund attempt. The driver is called only after the commit.
    ///
    /// # Errors
    /// 409 `refund_under_way`.
    async fn insert_refund(
        &self,
        tx: &mut Tx,
        claim: &PayableClaim,
        route: &Route,
        to: &PaymentDestination,
        by: Option<&Staff>,
    ) -> Result<()> {
        let id = format!("{}-{}-r{}", claim.id, claim.revision, attempts::count(tx, claim.id).await?);
        let refund = self.new_attempt(id, (claim, route), PaymentAttemptKind::Refund, to, by);
        attempts::insert(tx, &refund).await.map_err(|refused| match refused.constraint() {
            Some(agio_core::error::Constraint::Unique) => Error::conflict("refund_under_way"),
            _ => refused,
        })
    }

    fn new_attempt(
        &self,
        id: String,
        (claim, route): (&PayableClaim, &Route),
        kind: PaymentAttemptKind,
        to: &PaymentDestination,
        by: Option<&Staff>,
    ) -> Attempt {
        let now = self.platform.clock.now();
        let (address, memo) = attempts::seal(&self.platform.vault, &id, to);
        let amount = if kind == PaymentAttemptKind::Payout { claim.receive } else { claim.refund };
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
            state: PaymentAttemptState::Queued,
            tx_id: None,
            confirmations: 0,
            fee: None,
            fault: None,
            day: day_of(now),
            driver_calls: 0,
            requested_at: None,
            next_call_at: now,
            staff_id: by.map(|staff| staff.id),
            staff_name: by.map(|staff| staff.name.clone()),
            staff_role: by.map(|staff| staff.role.to_string()),
            created_at: now,
            booked_at: None,
        }
    }
}

/// Opens payouts once that is approved.
pub struct PayoutsOpeningApproval(pub Arc<Payments>);

impl ApprovalHandler for PayoutsOpeningApproval {
    fn handles(&self) -> (&'static str, Permission) {
        (OPENING, PAYMENTS_CHANGE)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let platform = &self.0.platform;
            if platform.settings.text_in(tx, PAYOUTS_CLOSED.name).await? == "false" {
                return Err(outdated());
            }
            platform.settings.put(tx, PAYOUTS_CLOSED.name, "false", platform.clock.now(), &approval.proposer()).await
        })
    }

    fn after_commit(&self) -> BoxFuture<'_, Result<()>> {
        self.0.platform.events.publish(ChangeEvent::Settings);
        Box::pin(async { Ok(()) })
    }
}
