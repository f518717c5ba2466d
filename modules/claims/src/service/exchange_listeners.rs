//! Notifications of other modules about completed exchanges.

use agio_contracts::CompletedExchange;
use agio_core::{Result, Timestamp, Tx};

use super::Claims;
use crate::model::ClaimState;
use crate::rules::{Claim, payout};

impl Claims {
    /// Notifies the exchange listeners when a transition completes or reverses an exchange.
    pub(super) async fn notify_exchange_listeners(
        &self,
        tx: &mut Tx,
        claim: &Claim,
        from: ClaimState,
        now: Timestamp,
    ) -> Result<()> {
        match (from, claim.state) {
            (_, ClaimState::Completed) => {
                let exchange = self.exchange(claim, now)?;
                for follower in &self.exchange_listeners {
                    follower.exchange_completed(tx, &exchange).await?;
                }
            }
            (ClaimState::Completed, _) => {
                let exchange = self.exchange(claim, now)?;
                for follower in self.exchange_listeners.iter().rev() {
                    follower.exchange_reversed(tx, &exchange).await?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn exchange(&self, claim: &Claim, at: Timestamp) -> Result<CompletedExchange> {
        Ok(CompletedExchange {
            claim: claim.id,
            number: claim.public_id,
            customer: claim.customer.account_id,
            partner: claim.references.partner_id,
            email: claim.customer.email.clone(),
            locale: claim.locale(),
            referral: claim.references.referral.clone(),
            guest_digest: claim.customer.guest_digest.clone(),
            address_digest: claim.customer.address_digest.clone(),
            payout_digest: payout::digest(&self.platform.vault, &claim.receive_requisites(&self.platform.vault)?),
            give: claim.give.amount,
            receive: claim.receive.amount,
            earned: claim.terms.market_value.minus(claim.receive.amount)?,
            reference_value: self.reference_values.reference_value(claim.give.amount),
            created_at: claim.created_at,
            at,
        })
    }
}
