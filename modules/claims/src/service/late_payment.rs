//! Payments that are a little late, at a barely changed rate.

use std::sync::Arc;

use agio_core::{Result, Tx};

use super::Claims;
use super::transition::{Initiator, TransitionInput};
use crate::model::{Action, Actor, ClaimState, Transition};
use crate::rules::Claim;

impl Claims {
    /// Records a late payment of the agreed amount. If it is only a little late and the rate has barely moved, the claim
    /// continues with its terms, and the exchange bears the difference; otherwise the customer is offered new terms. A
    /// rejected claim does not continue by itself, nor one whose offer is [withheld](Self::is_offer_withheld).
    ///
    /// # Errors
    /// As for any transition.
    pub(super) async fn receive_late_payment(
        self: &Arc<Self>,
        tx: &mut Tx,
        claim: Claim,
        row: &'static Transition,
        initiator: &Initiator,
        input: TransitionInput,
    ) -> Result<Claim> {
        let (now, promo) = (self.platform.clock.now(), claim.references.promo.clone());
        let was_rejected = claim.state == ClaimState::Rejected;
        // Computed before the claim's hold ends: the cached reserve changes only after the commit.
        let moved = self.rate_move(&claim, input.paid_at.unwrap_or(now), now)?;
        let claim = self.advance(tx, claim, row, initiator, &TransitionInput { silent: true, ..input }).await?;
        // Another customer may have used the promo code meanwhile.
        let as_agreed = claim.references.promo == promo && moved.is_some_and(|moved| moved.is_tolerated);
        if was_rejected || !as_agreed || self.is_offer_withheld(tx, &claim).await? {
            self.send_email(tx, &claim, now).await?;
            return Ok(claim);
        }
        let row = Self::row(&claim, Action::Accept, Actor::System)?;
        self.advance(tx, claim, row, &Initiator::System, &TransitionInput::default()).await
    }
}
