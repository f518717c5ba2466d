//! What follows for a claim from what became of a try to send its money.

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Staff;
use agio_core::needs::{PaymentStage, PaymentStep};
use agio_core::{Error, Result, Timestamp, Tx};
use agio_plugin::protocol::PayoutState;

use super::sending::Heard;
use super::{Payments, day_of};
use crate::model::{AttemptKind, AttemptState};
use crate::store::attempts::{self, Attempt, Standing};
use crate::store::{addresses, movements, routes};

/// How often a payout that certainly never left is tried anew without staff.
const TRIES: i64 = 3;

/// How often it is asked how many confirmations a payout has.
const COUNTS_EVERY: Duration = Duration::from_secs(10);

/// The longest remark of a driver that is kept.
const WORDS_MAX: usize = 400;

impl Payments {
    /// Notes what was heard of a try and does what follows, in one transaction. `was_asked_for` says that the driver was asked what became of it, and
    /// not to send.
    pub(super) async fn conclude(self: &Arc<Self>, attempt: Attempt, heard: Heard, was_asked_for: bool) -> Result<()> {
        let (this, attempt, heard) = (self.clone(), Arc::new(attempt), Arc::new(heard));
        self.platform
            .db
            .write(move |tx| {
                let (this, attempt, heard) = (this.clone(), attempt.clone(), heard.clone());
                Box::pin(async move {
                    let stage = this.claims.payable(tx, attempt.claim_id).await?.stage;
                    match &*heard {
                        Heard::Stands(PayoutState::Sent { tx_id, confirmations, fee }) => {
                            this.left(tx, (&attempt, stage), tx_id, i64::from(*confirmations), fee.as_deref()).await
                        }
                        Heard::Stands(PayoutState::NeverSent { code, why }) => {
                            this.never_left(tx, (&attempt, stage), &format!("{code}: {why}"), was_asked_for).await
                        }
                        Heard::Stands(PayoutState::Returned { tx_id }) => this.came_back(tx, (&attempt, stage), tx_id).await,
                        Heard::Stands(PayoutState::Unknown { why }) | Heard::Nothing(why) => {
                            this.stays_open(tx, &attempt, why).await
                        }
                        Heard::NotAsked(why) => {
                            let state = AttemptState::Queued;
                            this.note(tx, &attempt, state, None, Some(why), this.again(&attempt)).await.map(drop)
                        }
                    }
                })
            })
            .await
    }

    /// Notes how a try stands. False when somebody else noted something meanwhile: then that holds.
    async fn note(
        &self,
        tx: &mut Tx,
        attempt: &Attempt,
        state: AttemptState,
        tx_id: Option<&str>,
        fault: Option<&str>,
        ask_after: Timestamp,
    ) -> Result<bool> {
        let fault: Option<String> = fault.map(|fault| fault.chars().take(WORDS_MAX).collect());
        let to = Standing {
            state,
            tx_id,
            confirmations: attempt.confirmations,
            fee: attempt.fee.as_deref(),
            fault: fault.as_deref(),
            ask_after,
        };
        attempts::advance(tx, attempt, &to, self.platform.clock.now()).await
    }

    async fn stays_open(&self, tx: &mut Tx, attempt: &Attempt, why: &str) -> Result<()> {
        let state = if attempt.state == AttemptState::Sent { AttemptState::Sent } else { AttemptState::Unknown };
        // A request that may be on its way still is not asked about before it must have ended.
        let ask_after = attempt.ask_after.max(self.again(attempt));
        self.note(tx, attempt, state, None, Some(why), ask_after).await.map(drop)
    }

    async fn left(
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
        let to = Standing {
            state: if is_certain { AttemptState::Confirmed } else { AttemptState::Sent },
            tx_id: Some(tx_id),
            confirmations,
            fee,
            fault: None,
            ask_after: now.plus(COUNTS_EVERY),
        };
        if !attempts::advance(tx, attempt, &to, now).await? {
            return Ok(());
        }
        let (before, sent, arrived) = match attempt.kind {
            AttemptKind::Payout => (PaymentStage::Processing, PaymentStep::PayoutSent(tx_id.to_owned()), PaymentStep::Complete),
            AttemptKind::Refund => {
                let by = staff_of(attempt)?;
                (PaymentStage::RefundPending, PaymentStep::RefundSent(tx_id.to_owned(), by), PaymentStep::RefundDone)
            }
        };
        let mut is_booked = attempt.booked_at.is_some();
        if !is_booked && stage == before {
            stage = self.claims.clone().step(tx, attempt.claim_id, sent).await?.stage;
            attempts::book(tx, &attempt.id, now).await?;
            is_booked = true;
        }
        if !is_booked {
            tracing::error!(
                claim = attempt.claim_number,
                attempt = attempt.id,
                ?stage,
                "money left that the books do not expect"
            );
        }
        if is_booked && is_certain && matches!(stage, PaymentStage::PayoutSent | PaymentStage::RefundSent) {
            self.claims.clone().step(tx, attempt.claim_id, arrived).await?;
        }
        addresses::changed(tx, attempt.claim_id).await
    }

    /// It is certain that nothing left. What the driver found out afterwards was a disturbance, and is tried anew under another key; what it
    /// refused when it was asked to send is for staff.
    async fn never_left(
        self: &Arc<Self>,
        tx: &mut Tx,
        (attempt, stage): (&Attempt, PaymentStage),
        why: &str,
        was_asked_for: bool,
    ) -> Result<()> {
        if attempt.state == AttemptState::Sent {
            return self.stays_open(tx, attempt, &format!("it was sent, and now it is said that it never was: {why}")).await;
        }
        if !self.is_over(tx, attempt, AttemptState::NeverSent, None, why).await? || attempt.kind == AttemptKind::Refund {
            return Ok(());
        }
        if stage != PaymentStage::Processing {
            return Ok(());
        }
        self.claims.clone().step(tx, attempt.claim_id, PaymentStep::PayoutFailed(why.to_owned())).await?;
        if was_asked_for && attempts::failed(tx, attempt.claim_id).await? <= TRIES {
            self.try_anew(tx, attempt).await?;
        }
        Ok(())
    }

    async fn try_anew(self: &Arc<Self>, tx: &mut Tx, attempt: &Attempt) -> Result<()> {
        // The payment may have disappeared while nobody knew whether the payout had left.
        if movements::gone(tx, attempt.claim_id).await?.is_open() {
            return Ok(());
        }
        let day = day_of(self.platform.clock.now());
        let Some(route) = routes::of(tx, attempt.currency_id).await? else { return Ok(()) };
        let claim = self.claims.payable(tx, attempt.claim_id).await?;
        let Some(to) = claim.pay_to.clone().filter(|_| !claim.needs_consent && !claim.in_hand) else { return Ok(()) };
        if !routes::spend(tx, attempt.currency_id, day, attempt.units).await? {
            return Ok(());
        }
        let claim = self.claims.clone().step(tx, attempt.claim_id, PaymentStep::Retry).await?;
        self.write_down(tx, &claim, &route, to, None).await
    }

    /// The transaction can no longer be confirmed, and the money is here again. It is for staff to say whether it is sent once more.
    async fn came_back(self: &Arc<Self>, tx: &mut Tx, (attempt, stage): (&Attempt, PaymentStage), tx_id: &str) -> Result<()> {
        let why = format!("the network dropped {tx_id}");
        if !self.is_over(tx, attempt, AttemptState::Returned, Some(tx_id), &why).await? {
            return Ok(());
        }
        let step = match (attempt.kind, stage, attempt.booked_at) {
            (AttemptKind::Payout, PaymentStage::Processing, _) | (AttemptKind::Payout, PaymentStage::PayoutSent, Some(_)) => {
                PaymentStep::PayoutFailed(why)
            }
            (AttemptKind::Refund, PaymentStage::RefundSent, Some(_)) => PaymentStep::RefundBounced(why),
            _ => return Ok(()),
        };
        match self.claims.clone().step(tx, attempt.claim_id, step).await {
            Ok(_) => Ok(()),
            // A part of it is with the customer, somebody noted: what is left to pay is for staff to say.
            Err(refused) if refused.code() == "transition_not_allowed" => {
                tracing::error!(claim = %attempt.claim_id, attempt = attempt.id, "a payout came back of which a part had arrived");
                Ok(())
            }
            Err(failure) => Err(failure),
        }
    }

    /// Notes that a try is over without money having left, and gives back what it counted.
    async fn is_over(&self, tx: &mut Tx, attempt: &Attempt, state: AttemptState, tx_id: Option<&str>, why: &str) -> Result<bool> {
        let is_noted = self.note(tx, attempt, state, tx_id, Some(why), self.platform.clock.now()).await?;
        if is_noted && attempt.kind == AttemptKind::Payout {
            routes::unspend(tx, attempt.currency_id, attempt.day, attempt.units).await?;
        }
        Ok(is_noted)
    }
}

/// Who let a refund go.
fn staff_of(attempt: &Attempt) -> Result<Staff> {
    let nobody = || Error::internal("a refund is let go by staff");
    let role = attempt.staff_role.as_deref().ok_or_else(nobody)?.parse().map_err(Error::internal)?;
    Ok(Staff {
        id: attempt.staff_id.ok_or_else(nobody)?,
        name: attempt.staff_name.clone().ok_or_else(nobody)?,
        role,
        address: None,
    })
}
