//! What time does to claims.

use std::sync::Arc;

use agio_core::Result;
use uuid::Uuid;

use super::Claims;
use super::moving::{Said, Who};
use crate::minutes;
use crate::model::{Action, Actor, State};
use crate::store::claims;

/// How many claims are looked at in one run of the job; the rest waits for the next.
const AT_A_TIME: i64 = 200;

impl Claims {
    /// Ends what has waited long enough: claims nobody confirmed or paid expire, choices nobody made go to an operator. Customers whose payment nobody
    /// sees are told before.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn run_due(self: &Arc<Self>) -> Result<()> {
        self.warn_due().await?;
        loop {
            let now = self.platform.clock.now();
            let overdue = claims::overdue(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
            let found = overdue.len();
            let mut moved = 0;
            for id in overdue {
                match self.end_waiting(id).await {
                    Ok(has_ended) => moved += usize::from(has_ended),
                    // Somebody was faster; the claim is looked at again if it still waits.
                    Err(lost) if lost.code() == "claim_changed" => {}
                    Err(failure) => tracing::error!(claim = %id, %failure, "a deadline could not be kept"),
                }
            }
            if found < AT_A_TIME as usize || moved == 0 {
                return Ok(());
            }
        }
    }

    async fn warn_due(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        for id in claims::to_warn(&mut self.platform.db.read().await?, now, AT_A_TIME).await? {
            match self.warn_of_end(id).await {
                Err(failure) if failure.code() != "claim_changed" => {
                    tracing::error!(claim = %id, %failure, "a customer could not be told of a deadline");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Ends the waiting of one claim, if it still waits and its time is over. False when it goes on.
    async fn end_waiting(self: &Arc<Self>, id: Uuid) -> Result<bool> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move {
                    let claim = claims::locked(tx, id).await?;
                    let now = this.platform.clock.now();
                    if claim.expires_at.is_none_or(|moment| moment > now) {
                        return Ok(false);
                    }
                    let is_choice = matches!(claim.state, State::AmountMismatch | State::LatePayment);
                    let action = if is_choice { Action::NoChoice } else { Action::Expire };
                    let said = if is_choice {
                        let answer_by = Some(now.plus(minutes(this.patience().answer_minutes)));
                        Said { reason: Some("no_choice_made".to_owned()), answer_by, ..Said::default() }
                    } else if this.is_seen_in_time(tx, &claim).await? {
                        return Ok(false);
                    } else {
                        let reason = (claim.state == State::PaymentClaimed).then(|| "payment_not_found".to_owned());
                        Said { reason, ..Said::default() }
                    };
                    let row = Self::row(&claim, action, Actor::Timer)?;
                    this.advance(tx, claim, row, &Who::Timer, &said).await?;
                    Ok(true)
                })
            })
            .await
    }
}
