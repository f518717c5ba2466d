//! What the outcome of an attempt means for its claim.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{PaymentStage, PaymentStep};
use agio_core::identity::Staff;
use agio_core::{Error, Result, Timestamp, Tx};
use agio_plugin_sdk::protocol::PayoutState;

use super::payout_sending::DriverReply;
use super::{Payments, day_of};
use crate::model::{PaymentAttemptKind, PaymentAttemptState};
use crate::store::attempts::{self, Attempt, AttemptUpdate};
use crate::store::{addresses, movements, routes};

/// How often a payout that certainly never left is retried automatically.
const RETRY_LIMIT: i64 = 3;

const CONFIRMATION_POLL_INTERVAL: Duration = Duration::from_secs(10);

/// The longest stored error of a driver.
const ERROR_MAX: usize = 400;

impl Payments {
    /// Records a driver's reply and moves the claim, in one transaction. `was_queried` means that the driver was
    /// queried for the outcome, not told to send.
    pub(super) async fn settle_attempt(self: &Arc<Self>, attempt: Attempt, reply: DriverReply, was_queried: bool) -> Result<()> {
        let (this, attempt, reply) = (self.clone(), Arc::new(attempt), Arc::new(reply));
        self.platform
            .db
            .write(move |tx| {
                let (this, attempt, reply) = (this.clone(), attempt.clone(), reply.clone());
                Box::pin(async move {
                    let stage = this.claims.payable(tx, attempt.claim_id).await?.stage;
                    match &*reply {
                        DriverReply::Status(PayoutState::Sent { tx_id, confirmations, fee }) => {
                            this.record_sent(tx, (&attempt, stage), tx_id, i64::from(*confirmations), fee.as_deref()).await
                        }
                        DriverReply::Status(PayoutState::NeverSent { code, why }) => {
                            this.record_never_sent(tx, (&attempt, stage), &format!("{code}: {why}"), was_queried).await
                        }
                        DriverReply::Status(PayoutState::Returned { tx_id }) => {
                            this.record_returned(tx, (&attempt, stage), tx_id).await
                        }
                        DriverReply::Status(PayoutState::Unknown { why }) | DriverReply::Unknown(why) => {
                            this.keep_unresolved(tx, &attempt, why).await
                        }
                        DriverReply::NotReached(why) => {
                            let state = PaymentAttemptState::Queued;
                            this.note(tx, &attempt, state, None, Some(why), this.next_call_at(&attempt)).await.map(drop)
                        }
                    }
                })
            })
            .await
    }

    /// Records the state of an attempt. False when it has changed meanwhile.
    async fn note(
        &self,
        tx: &mut Tx,
        attempt: &Attempt,
        state: PaymentAttemptState,
        tx_id: Option<&str>,
        fault: Option<&str>,
        next_call_at: Timestamp,
    ) -> Result<bool> {
        let fault: Option<String> = fault.map(|fault| fault.chars().take(ERROR_MAX).collect());
        let to = AttemptUpdate {
            state,
            tx_id,
            confirmations: attempt.confirmations,
            fee: attempt.fee.as_deref(),
            fault: fault.as_deref(),
            next_call_at,
        };
        attempts::advance(tx, attempt, &to, self.platform.clock.now()).await
    }

    async fn keep_unresolved(&self, tx: &mut Tx, attempt: &Attempt, why: &str) -> Result<()> {
        let state =
            if attempt.state == PaymentAttemptState::Sent { PaymentAttemptState::Sent } else { PaymentAttemptState::Unknown };
        // Do not query a request that may still be in progress.
        let next_call_at = attempt.next_call_at.max(self.next_call_at(attempt));
        self.note(tx, attempt, state, None, Some(why), next_call_at).await.map(drop)
    }

    async fn record_sent(
        self: &Arc<Self>,
        tx: &mut Tx,
        (attempt, mut stage): (&Attempt, PaymentStage),
        tx_id: &str,
        confirmations: i64,
        fee: Option<&str>,
    ) -> Result<()> {
        let route = routes::of(tx, attempt.currency_id).await?;
        let is_certain = route.is_some_and(|route| confirmations >= route.confirmations);
        let now = self.platform.clock.now();
        let to = AttemptUpdate {
            state: if is_certain { PaymentAttemptState::Confirmed } else { PaymentAttemptState::Sent },
            tx_id: Some(tx_id),
            confirmations,
            fee,
            fault: None,
            next_call_at: now.plus(CONFIRMATION_POLL_INTERVAL),
        };
        if !attempts::advance(tx, attempt, &to, now).await? {
            return Ok(());
        }
        let (before, sent, under_way, arrived) = match attempt.kind {
            PaymentAttemptKind::Payout => {
                let sent = PaymentStep::PayoutSent(tx_id.to_owned());
                (PaymentStage::Processing, sent, PaymentStage::PayoutSent, PaymentStep::Complete)
            }
            PaymentAttemptKind::Refund => {
                let sent = PaymentStep::RefundSent(tx_id.to_owned(), staff_of(attempt)?);
                (PaymentStage::RefundPending, sent, PaymentStage::RefundSent, PaymentStep::RefundDone)
            }
        };
        let mut is_booked = attempt.booked_at.is_some();
        if !is_booked && stage == before {
            stage = self.claims.clone().step(tx, attempt.claim_id, sent).await?.stage;
            attempts::mark_booked(tx, &attempt.id, now).await?;
            is_booked = true;
        }
        if !is_booked {
            tracing::error!(
                claim = attempt.claim_number,
                attempt = attempt.id,
                ?stage,
                "money was sent that the ledger does not expect"
            );
        }
        if is_booked && is_certain && stage == under_way {
            self.claims.clone().step(tx, attempt.claim_id, arrived).await?;
        }
        addresses::mark_changed(tx, attempt.claim_id).await
    }

    /// Records that the money has certainly not left. A failure the driver found afterwards is temporary and is
    /// retried under another key; a refusal of the request itself is for staff.
    async fn record_never_sent(
        self: &Arc<Self>,
        tx: &mut Tx,
        (attempt, stage): (&Attempt, PaymentStage),
        why: &str,
        was_queried: bool,
    ) -> Result<()> {
        if attempt.state == PaymentAttemptState::Sent {
            return self
                .keep_unresolved(tx, attempt, &format!("it was sent, and now the driver reports that it never was: {why}"))
                .await;
        }
        if !self.close_attempt(tx, attempt, PaymentAttemptState::NeverSent, None, why).await?
            || attempt.kind == PaymentAttemptKind::Refund
        {
            return Ok(());
        }
        if stage != PaymentStage::Processing {
            return Ok(());
        }
        self.claims.clone().step(tx, attempt.claim_id, PaymentStep::PayoutFailed(why.to_owned())).await?;
        if was_queried && attempts::count_failed_payouts(tx, attempt.claim_id).await? <= RETRY_LIMIT {
            self.retry_payout(tx, attempt).await?;
        }
        Ok(())
    }

    async fn retry_payout(self: &Arc<Self>, tx: &mut Tx, attempt: &Attempt) -> Result<()> {
        // The payment may have disappeared while the outcome of the payout was unknown.
        if movements::vanished(tx, attempt.claim_id).await?.is_open() {
            return Ok(());
        }
        let day = day_of(self.platform.clock.now());
        let Some(route) = routes::of(tx, attempt.currency_id).await? else { return Ok(()) };
        let claim = self.claims.payable(tx, attempt.claim_id).await?;
        let Some(to) = claim.pay_to.clone().filter(|_| !claim.needs_approval && !claim.is_locked) else { return Ok(()) };
        if !routes::spend(tx, attempt.currency_id, day, attempt.units).await? {
            return Ok(());
        }
        let claim = self.claims.clone().step(tx, attempt.claim_id, PaymentStep::Retry).await?;
        self.insert_payout(tx, &claim, &route, to, None).await
    }

    /// Records that the network dropped the transaction: the money is back. Staff decide whether to send it again.
    async fn record_returned(
        self: &Arc<Self>,
        tx: &mut Tx,
        (attempt, stage): (&Attempt, PaymentStage),
        tx_id: &str,
    ) -> Result<()> {
        let why = format!("the network dropped {tx_id}");
        if !self.close_attempt(tx, attempt, PaymentAttemptState::Returned, Some(tx_id), &why).await? {
            return Ok(());
        }
        let step = match (attempt.kind, stage, attempt.booked_at) {
            (PaymentAttemptKind::Payout, PaymentStage::Processing, _)
            | (PaymentAttemptKind::Payout, PaymentStage::PayoutSent, Some(_)) => PaymentStep::PayoutFailed(why),
            (PaymentAttemptKind::Refund, PaymentStage::RefundSent, Some(_)) => PaymentStep::RefundBounced(why),
            _ => return Ok(()),
        };
        match self.claims.clone().step(tx, attempt.claim_id, step).await {
            Ok(_) => Ok(()),
            // Staff noted that a part has arrived, so staff decide about the rest.
            Err(refused) if refused.code() == "transition_not_allowed" => {
                tracing::error!(
                    claim = attempt.claim_number,
                    attempt = attempt.id,
                    "a payout was returned after a part had arrived"
                );
                Ok(())
            }
            Err(failure) => Err(failure),
        }
    }

    /// Closes an attempt that did not move money, and releases its limit.
    async fn close_attempt(
        &self,
        tx: &mut Tx,
        attempt: &Attempt,
        state: PaymentAttemptState,
        tx_id: Option<&str>,
        why: &str,
    ) -> Result<bool> {
        let is_noted = self.note(tx, attempt, state, tx_id, Some(why), self.platform.clock.now()).await?;
        if is_noted && attempt.is_limited() {
            routes::release_spend(tx, attempt.currency_id, attempt.day, attempt.units).await?;
        }
        Ok(is_noted)
    }
}

/// The staff member who sent a refund; `None` for a surplus that was returned without staff.
fn staff_of(attempt: &Attempt) -> Result<Option<Staff>> {
    let Some(id) = attempt.staff_id else { return Ok(None) };
    let unnamed = || Error::internal("a staff member has a name and a role");
    let role = attempt.staff_role.as_deref().ok_or_else(unnamed)?.parse().map_err(Error::internal)?;
    Ok(Some(Staff { id, name: attempt.staff_name.clone().ok_or_else(unnamed)?, role, address: None }))
}
