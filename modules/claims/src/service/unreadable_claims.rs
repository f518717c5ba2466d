//! Claims with unreadable stored values: they are put on hold, and staff are alerted.

use std::sync::{Arc, Mutex, PoisonError};

use agio_core::Result;
use uuid::Uuid;

use super::Claims;
use super::transition::{Initiator, TransitionInput, UNREADABLE};
use crate::minutes;
use crate::model::{Action, Actor, ClaimState, find};
use crate::rules::terms::check;
use crate::store::claims;

const AT_A_TIME: i64 = 500;

/// The numbers of the open claims that the last check could not read.
#[derive(Default)]
pub(super) struct UnreadableClaims(Mutex<Vec<i64>>);

impl Claims {
    /// The numbers of the open claims that the last check could not read.
    pub fn unreadable(&self) -> Vec<i64> {
        self.unreadable.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts all unreadable open claims on hold. Transitions that need unreadable values are refused before that, too.
    pub async fn hold_unreadable_claims(self: &Arc<Self>) -> Result<()> {
        let (mut found, mut after) = (Vec::new(), 0);
        loop {
            let open = claims::open(&mut self.platform.db.read().await?, after, AT_A_TIME).await?;
            let Some(last) = open.last() else { break };
            after = last.public_id;
            for (claim, damage) in open.iter().filter_map(|claim| Some((claim, check(claim, &self.platform.vault).err()?))) {
                tracing::error!(claim = claim.public_id, %damage, "what is stored with a claim cannot be read");
                found.push(claim.public_id);
                match self.stop(claim.id).await {
                    Ok(()) => {}
                    // It has changed, or its payout may be leaving; the next run checks it again.
                    Err(lost) if matches!(lost.code(), "claim_changed" | "payout_under_way") => {}
                    Err(failure) => {
                        tracing::error!(claim = claim.public_id, %failure, "a claim that cannot be read could not be stopped")
                    }
                }
            }
        }
        *self.unreadable.0.lock().unwrap_or_else(PoisonError::into_inner) = found;
        Ok(())
    }

    async fn stop(self: &Arc<Self>, id: Uuid) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move {
                    let claim = claims::locked(tx, id).await?;
                    let Some(row) = find(claim.state, Action::Hold, Actor::System).filter(|_| claim.state != ClaimState::OnHold)
                    else {
                        return Ok(());
                    };
                    if check(&claim, &this.platform.vault).is_ok() {
                        return Ok(());
                    }
                    this.payments.before_staff(tx, id).await?;
                    let answer_by = Some(this.platform.clock.now().plus(minutes(this.timeouts().answer_minutes)));
                    let input = TransitionInput { reason: Some(UNREADABLE.to_owned()), answer_by, ..TransitionInput::default() };
                    this.advance(tx, claim, row, &Initiator::System, &input).await.map(drop)
                })
            })
            .await
    }
}
