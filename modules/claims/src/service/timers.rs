//! Timeouts of claims.

use std::sync::Arc;

use agio_core::{Error, ErrorKind, Result};
use uuid::Uuid;

use super::Claims;
use super::transition::{Initiator, TransitionInput};
use crate::minutes;
use crate::model::{Action, Actor, ClaimState};
use crate::store::claims;

/// How many claims one batch processes.
const AT_A_TIME: i64 = 200;

impl Claims {
    /// Times out claims: unconfirmed and unpaid ones expire, missing choices go to an operator. Customers with an
    /// undetected payment are warned before.
    pub async fn run_due(self: &Arc<Self>) -> Result<()> {
        self.send_due_warnings().await?;
        loop {
            let now = self.platform.clock.now();
            let overdue = claims::overdue(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
            let found = overdue.len();
            let mut moved = 0;
            for id in overdue {
                match self.expire_claim(id).await {
                    Ok(has_ended) => moved += usize::from(has_ended),
                    Err(failure) => report(&failure, "a deadline could not be kept"),
                }
            }
            if found < AT_A_TIME as usize || moved == 0 {
                return Ok(());
            }
        }
    }

    async fn send_due_warnings(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        for id in claims::to_warn(&mut self.platform.db.read().await?, now, AT_A_TIME).await? {
            if let Err(failure) = self.warn_about_missing_payment(id).await {
                report(&failure, "a customer could not be told of a deadline");
            }
        }
        Ok(())
    }

    /// Times out one claim, if it is still due. False when it is not.
    async fn expire_claim(self: &Arc<Self>, id: Uuid) -> Result<bool> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move {
                    // Another node, or a customer, is at it; the next run checks it again.
                    let Some(claim) = claims::locked_if_free(tx, id).await? else { return Ok(false) };
                    let now = this.platform.clock.now();
                    if claim.progress.expires_at.is_none_or(|moment| moment > now) {
                        return Ok(false);
                    }
                    let is_choice = matches!(claim.state, ClaimState::AmountMismatch | ClaimState::LatePayment);
                    let action = if is_choice { Action::NoChoice } else { Action::Expire };
                    let input = if is_choice {
                        let answer_by = Some(now.plus(minutes(this.timeouts().answer_minutes)));
                        TransitionInput { reason: Some("no_choice_made".to_owned()), answer_by, ..TransitionInput::default() }
                    } else if this.has_timely_payment(tx, &claim).await? {
                        return Ok(false);
                    } else {
                        let reason = (claim.state == ClaimState::PaymentClaimed).then(|| "payment_not_found".to_owned());
                        TransitionInput { reason, ..TransitionInput::default() }
                    };
                    let row = Self::row(&claim, action, Actor::Timer)?;
                    this.advance(tx, claim, row, &Initiator::Timer, &input).await?;
                    Ok(true)
                })
            })
            .await
    }
}

/// Logs why a timer failed, without the claim's id, which gives access to it. The next run tries it again: it is an
/// error only if it would fail again.
fn report(failure: &Error, message: &str) {
    if failure.code() == "claim_changed" || failure.kind() == ErrorKind::Unavailable {
        tracing::debug!(%failure, "{message}");
    } else {
        tracing::error!(%failure, "{message}");
    }
}
