//! Money that came late, and was worth the same.

use std::sync::Arc;

use agio_core::{Result, Tx};

use super::Claims;
use super::moving::{Said, Who};
use crate::model::{Action, Actor, Transition};
use crate::rules::Claim;

impl Claims {
    /// Establishes that the agreed amount came after the agreed terms or the claim had ended. If the rate barely moved meanwhile, the claim goes on
    /// at its own terms and nobody is asked: the customer gets what they were promised, and the house bears so much of a move. Else they are
    /// offered new terms.
    ///
    /// # Errors
    /// As for any step.
    pub(super) async fn take_late(
        self: &Arc<Self>,
        tx: &mut Tx,
        claim: Claim,
        row: &'static Transition,
        who: &Who,
        said: Said,
    ) -> Result<Claim> {
        let (now, promo) = (self.platform.clock.now(), claim.promo.clone());
        // Asked before the claim's own hold ends: memory learns of that only after the commit.
        let is_worth_the_same = self.rate_move(&claim, now)?.is_some_and(|moved| moved.is_tolerated);
        let claim = self.advance(tx, claim, row, who, &Said { silent: true, ..said }).await?;
        // A promo code that somebody else has used up meanwhile is not used a second time.
        if claim.promo != promo || !is_worth_the_same {
            self.write_letter(tx, &claim, now).await?;
            return Ok(claim);
        }
        let row = Self::row(&claim, Action::Accept, Actor::System)?;
        self.advance(tx, claim, row, &Who::House, &Said::default()).await
    }
}
