//! Requests to drivers: to send a payout, and to report its outcome.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::PaymentStage;
use agio_core::Result;
use agio_plugin_runtime::{PluginError, PluginErrorReason};
use agio_plugin_sdk::protocol::{Call, CallResult, PayoutState};
use agio_requisites::{RequisiteKind, mask};

use super::Payments;
use crate::PAYOUTS_CLOSED;
use crate::model::{PaymentAttemptKind, PaymentAttemptState, pause};
use crate::store::attempts::{self, Attempt, AttemptUpdate};
use crate::store::movements;

/// How many attempts one run processes.
const AT_A_TIME: i64 = 200;

/// How long after a request to send the driver is queried for the outcome: longer than any request lasts, so that
/// the response is final.
pub(super) const SEND_GRACE_PERIOD: Duration = Duration::from_secs(120);

pub(super) enum DriverReply {
    Status(PayoutState),
    /// The driver was not reached, or refused for now: nothing was done.
    NotReached(String),
    Unknown(String),
}

impl DriverReply {
    /// Replaces the address in messages, because they are stored in plain text.
    fn with_address_masked(self, address: &str, instead: &str) -> Self {
        let plain = |why: String| why.replace(address, instead);
        match self {
            Self::Status(PayoutState::NeverSent { code, why }) => Self::Status(PayoutState::NeverSent { code, why: plain(why) }),
            Self::Status(PayoutState::Unknown { why }) => Self::Status(PayoutState::Unknown { why: plain(why) }),
            Self::Status(state) => Self::Status(state),
            Self::NotReached(why) => Self::NotReached(plain(why)),
            Self::Unknown(why) => Self::Unknown(plain(why)),
        }
    }
}

impl Payments {
    /// Processes every attempt that is due: sends queued ones and driver_calls for the outcome of the others.
    pub async fn process_attempts(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        let closed = self.are_payouts_closed();
        let due = attempts::due(&mut self.platform.db.read().await?, now, closed, AT_A_TIME).await?;
        self.process_each(due).await;
        Ok(())
    }

    /// Queries the outcome of a driver's payouts and refunds now, whenever they are due. What is not sent yet stays so.
    pub(super) async fn query_attempts_of(self: &Arc<Self>, driver: &str) -> Result<()> {
        let until = self.platform.clock.now().minus(SEND_GRACE_PERIOD);
        let sent = attempts::reportable(&mut self.platform.db.read().await?, driver, until, AT_A_TIME).await?;
        self.process_each(sent).await;
        Ok(())
    }

    async fn process_each(self: &Arc<Self>, attempts: Vec<Attempt>) {
        for attempt in attempts {
            let id = attempt.id.clone();
            match self.query_or_send(attempt).await {
                Ok(()) => {}
                Err(lost) if lost.code() == "claim_changed" => {}
                Err(failure) => tracing::error!(attempt = id, %failure, "an attempt could not be processed"),
            }
        }
    }

    /// Calls the driver about one attempt now.
    pub(crate) async fn query_or_send(self: &Arc<Self>, attempt: Attempt) -> Result<()> {
        if attempt.state == PaymentAttemptState::Queued {
            return self.send(attempt).await;
        }
        let reply = self.call_driver(&attempt, false).await?;
        self.settle_attempt(attempt, reply, true).await
    }

    async fn send(self: &Arc<Self>, attempt: Attempt) -> Result<()> {
        // An unreadable destination fails before the attempt starts, so the outcome is never in question.
        attempt.destination(&self.platform.vault)?;
        let Some(attempt) = self.begin(attempt).await? else { return Ok(()) };
        let reply = self.call_driver(&attempt, true).await?;
        self.settle_attempt(attempt, reply, false).await
    }

    /// Marks the attempt as being sent before the request is made; `None` when another node has it, it is over, or payouts
    /// are closed.
    async fn begin(self: &Arc<Self>, attempt: Attempt) -> Result<Option<Attempt>> {
        let (this, attempt) = (self.clone(), Arc::new(attempt));
        self.platform
            .db
            .write(move |tx| {
                let (this, mut attempt) = (this.clone(), Attempt::clone(&attempt));
                Box::pin(async move {
                    let now = this.platform.clock.now();
                    let stage = this.claims.payable(tx, attempt.claim_id).await?.stage;
                    if this.platform.settings.text_in(tx, PAYOUTS_CLOSED.name).await? == "true" {
                        return Ok(None);
                    }
                    let gone = movements::vanished(tx, attempt.claim_id).await?;
                    // The claim is processed in a moment and put on hold before its payout leaves.
                    if gone.has_unreported() && attempt.kind == PaymentAttemptKind::Payout {
                        return Ok(None);
                    }
                    if !attempts::begin(tx, &attempt.id, now.plus(SEND_GRACE_PERIOD), now).await? {
                        return Ok(None);
                    }
                    let awaited = match attempt.kind {
                        PaymentAttemptKind::Payout => PaymentStage::Processing,
                        PaymentAttemptKind::Refund => PaymentStage::RefundPending,
                    };
                    (attempt.state, attempt.next_call_at) = (PaymentAttemptState::Sending, now.plus(SEND_GRACE_PERIOD));
                    let is_void = gone.is_any() && attempt.kind == PaymentAttemptKind::Refund;
                    if stage == awaited && !is_void {
                        return Ok(Some(attempt));
                    }
                    let over = AttemptUpdate {
                        state: PaymentAttemptState::Cancelled,
                        tx_id: None,
                        confirmations: 0,
                        fee: None,
                        fault: None,
                        next_call_at: now,
                    };
                    attempts::advance(tx, &attempt, &over, now).await?;
                    Ok(None)
                })
            })
            .await
    }

    /// Calls the driver, to send or to report the outcome.
    async fn call_driver(&self, attempt: &Attempt, to_send: bool) -> Result<DriverReply> {
        let currency = self.currency(attempt.currency_id)?;
        let to = attempt.destination(&self.platform.vault)?;
        let address = to.address.clone();
        let payout = attempt.payout_request(to, &currency.code, currency.amount(attempt.units).value());
        let call = if to_send { Call::SendPayout(payout) } else { Call::PayoutStatus(payout) };
        let reply = match self.plugins.call(&attempt.driver, call).await {
            Ok(CallResult::Payout(PayoutState::Unknown { why })) => DriverReply::Unknown(why),
            Ok(CallResult::Payout(state)) => DriverReply::Status(state),
            Ok(_) => DriverReply::Unknown("the response is of another kind".to_owned()),
            Err(fault) if !to_send || fault.may_have_acted => DriverReply::Unknown(fault.to_string()),
            Err(PluginError { reason: PluginErrorReason::CallFailed { code, why, later: false }, .. }) => {
                DriverReply::Status(PayoutState::NeverSent { code, why })
            }
            Err(fault) => DriverReply::NotReached(fault.to_string()),
        };
        let kind = currency.address_kind().unwrap_or(RequisiteKind::Text);
        Ok(reply.with_address_masked(&address, &mask(kind, &address)))
    }

    /// When to query an attempt again.
    pub(super) fn next_call_at(&self, attempt: &Attempt) -> agio_core::Timestamp {
        self.platform.clock.now().plus(pause(attempt.driver_calls))
    }
}
