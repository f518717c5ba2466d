//! Asking drivers to send, and what became of it.

use std::sync::Arc;
use std::time::Duration;

use agio_core::needs::PaymentStage;
use agio_core::{Amount, Result};
use agio_plugin::protocol::{Answer, Call, PayoutState};
use agio_plugin_host::{Fault, Reason};
use agio_requisites::{Kind, mask};

use super::Payments;
use crate::model::{AttemptKind, AttemptState, pause};
use crate::store::attempts::{self, Attempt, Standing};
use crate::store::movements;

/// How many drivers are asked in one run.
const AT_A_TIME: i64 = 200;

/// How long a request to send is left alone before anybody asks what became of it: longer than any request lasts, so that what the driver finds
/// then is what there will be.
pub(super) const SETTLES: Duration = Duration::from_secs(120);

/// What a question to a driver brought.
pub(super) enum Heard {
    /// It says how the payout stands.
    Stands(PayoutState),
    /// It was not reached, or refuses for now, and nothing was done.
    NotAsked(String),
    /// Nobody can say.
    Nothing(String),
}

impl Heard {
    /// The same with something else in the place of an address: what is wrong is kept in the open.
    fn said_without(self, address: &str, instead: &str) -> Self {
        let plain = |why: String| why.replace(address, instead);
        match self {
            Self::Stands(PayoutState::NeverSent { code, why }) => Self::Stands(PayoutState::NeverSent { code, why: plain(why) }),
            Self::Stands(PayoutState::Unknown { why }) => Self::Stands(PayoutState::Unknown { why: plain(why) }),
            Self::Stands(stands) => Self::Stands(stands),
            Self::NotAsked(why) => Self::NotAsked(plain(why)),
            Self::Nothing(why) => Self::Nothing(plain(why)),
        }
    }
}

impl Payments {
    /// Asks the driver of every try whose turn it is: to send what was only written down, and what became of everything else.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn ask_due(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        let due = attempts::due(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
        for attempt in due {
            let id = attempt.id.clone();
            match self.ask(attempt).await {
                Ok(()) => {}
                Err(lost) if lost.code() == "claim_changed" => {}
                Err(failure) => tracing::error!(attempt = id, %failure, "a payout could not be followed"),
            }
        }
        Ok(())
    }

    /// Asks the driver about one try now.
    ///
    /// # Errors
    /// The database cannot be used.
    pub(crate) async fn ask(self: &Arc<Self>, attempt: Attempt) -> Result<()> {
        if attempt.state == AttemptState::Queued {
            return self.send(attempt).await;
        }
        let heard = self.hear(&attempt, false).await?;
        self.conclude(attempt, heard, true).await
    }

    async fn send(self: &Arc<Self>, attempt: Attempt) -> Result<()> {
        // What cannot be read does not leave, and nobody has to ask afterwards whether it did.
        attempt.pay_to(&self.platform.vault)?;
        let Some(attempt) = self.begin(attempt).await? else { return Ok(()) };
        let heard = self.hear(&attempt, true).await?;
        self.conclude(attempt, heard, false).await
    }

    /// Notes that the driver is being asked, before it is; nothing when the try is somebody else's or over.
    async fn begin(self: &Arc<Self>, attempt: Attempt) -> Result<Option<Attempt>> {
        let (this, attempt) = (self.clone(), Arc::new(attempt));
        self.platform
            .db
            .write(move |tx| {
                let (this, mut attempt) = (this.clone(), Attempt::clone(&attempt));
                Box::pin(async move {
                    let now = this.platform.clock.now();
                    let stage = this.claims.payable(tx, attempt.claim_id).await?.stage;
                    let gone = movements::gone(tx, attempt.claim_id).await?;
                    // The claim is looked at in a moment, and stopped before its payout leaves.
                    if gone.is_news() && attempt.kind == AttemptKind::Payout {
                        return Ok(None);
                    }
                    if !attempts::begin(tx, &attempt.id, now.plus(SETTLES), now).await? {
                        return Ok(None);
                    }
                    let awaited = match attempt.kind {
                        AttemptKind::Payout => PaymentStage::Processing,
                        AttemptKind::Refund => PaymentStage::RefundPending,
                    };
                    (attempt.state, attempt.ask_after) = (AttemptState::Sending, now.plus(SETTLES));
                    let is_void = gone.is_any() && attempt.kind == AttemptKind::Refund;
                    if stage == awaited && !is_void {
                        return Ok(Some(attempt));
                    }
                    let over = Standing {
                        state: AttemptState::Cancelled,
                        tx_id: None,
                        confirmations: 0,
                        fee: None,
                        fault: None,
                        ask_after: now,
                    };
                    attempts::advance(tx, &attempt, &over, now).await?;
                    Ok(None)
                })
            })
            .await
    }

    /// What the driver says, to send or to tell what became of it.
    async fn hear(&self, attempt: &Attempt, to_send: bool) -> Result<Heard> {
        let currency = self.currency(attempt.currency_id)?;
        let to = attempt.pay_to(&self.platform.vault)?;
        let address = to.address.clone();
        let payout = attempt.payout(to, &currency.code, Amount::of_units(attempt.units, currency.scale).value());
        let call = if to_send { Call::Send(payout) } else { Call::Sent(payout) };
        let heard = match self.plugins.ask(&attempt.driver, call).await {
            Ok(Answer::Payout(PayoutState::Unknown { why })) => Heard::Nothing(why),
            Ok(Answer::Payout(state)) => Heard::Stands(state),
            Ok(_) => Heard::Nothing("the answer is to another question".to_owned()),
            Err(fault) if !to_send || fault.may_have_acted => Heard::Nothing(fault.to_string()),
            Err(Fault { reason: Reason::Refused { code, why, later: false }, .. }) => {
                Heard::Stands(PayoutState::NeverSent { code, why })
            }
            Err(fault) => Heard::NotAsked(fault.to_string()),
        };
        let kind = currency.address_kind().and_then(|kind| kind.parse().ok()).unwrap_or(Kind::Text);
        Ok(heard.said_without(&address, &mask(kind, &address)))
    }

    /// When a driver is asked about a try again.
    pub(super) fn again(&self, attempt: &Attempt) -> agio_core::Timestamp {
        self.platform.clock.now().plus(pause(attempt.asks))
    }
}
