//! Telling other rooms of exchanges that are done.

use agio_core::needs::Exchange;
use agio_core::{Result, Timestamp, Tx};

use super::Claims;
use crate::model::State;
use crate::rules::{Claim, payout};

impl Claims {
    /// Tells whoever follows exchanges that this one is done, or that one it was told of is taken back, when this step does either.
    pub(super) async fn tell_followers(&self, tx: &mut Tx, claim: &Claim, from: State, now: Timestamp) -> Result<()> {
        match (from, claim.state) {
            (_, State::Completed) => {
                let exchange = self.exchange(claim, now)?;
                for follower in &self.followers {
                    follower.done(tx, &exchange).await?;
                }
            }
            (State::Completed, _) => {
                let exchange = self.exchange(claim, now)?;
                for follower in self.followers.iter().rev() {
                    follower.undone(tx, &exchange).await?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn exchange(&self, claim: &Claim, at: Timestamp) -> Result<Exchange> {
        Ok(Exchange {
            claim: claim.id,
            number: claim.public_id,
            customer: claim.customer_id,
            partner: claim.partner_id,
            email: claim.email.clone(),
            locale: claim.locale(),
            referral: claim.referral.clone(),
            guest_digest: claim.guest_digest.clone(),
            address_digest: claim.address_digest.clone(),
            payout_digest: payout::digest(&self.platform.vault, &claim.to_requisites(&self.platform.vault)?),
            from: claim.from_id,
            sent: claim.send(),
            to: claim.to_id,
            received: claim.receive(),
            earned_units: claim.worth_units - claim.receive_units,
            worth: self.worths.worth(claim.from_id, claim.send()),
            asked_at: claim.created_at,
            at,
        })
    }
}
