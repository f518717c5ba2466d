//! Bonuses on a claim's rate: the account's bonus and a promo code.

use agio_contracts::{AgreedQuote, Bonus, BonusCustomer, OfferedBonus, PromoCodeUse, ReferenceValue};
use agio_core::{Amount, Error, Result, Timestamp, Tx};

use super::Claims;
use crate::model::ClaimState;
use crate::rules::terms::agreed;
use crate::rules::{Claim, payout};

pub(super) const PROMO_FIELD: &str = "extras.promo";

impl Claims {
    /// The bonus for a claim, with a promo code if there is one. Without an account and a code it is the default,
    /// without a query.
    ///
    /// # Errors
    /// 422 `promo_unknown`, `promo_expired`, `promo_used_up`.
    pub(super) async fn bonus_for(&self, person: BonusCustomer<'_>, promo: Option<&str>) -> Result<OfferedBonus> {
        let promo = promo.map(str::trim).filter(|code| !code.is_empty());
        if person.customer.is_none() && promo.is_none() {
            return Ok(OfferedBonus::default());
        }
        let offered = self.bonuses.offer_bonus(person, promo).await?;
        match offered.promo.as_ref().and_then(|seen| seen.refusal) {
            Some(refusal) => Err(Error::unprocessable(refusal.name()).at(PROMO_FIELD, refusal.name())),
            None => Ok(offered),
        }
    }

    /// Whether the value of a claim reaches its promo code's minimum. An unknown value does not.
    ///
    /// # Errors
    /// 422 `promo_below_min`.
    pub(super) fn is_enough_for_promo(&self, offered: &OfferedBonus, agreed: &AgreedQuote) -> Result<()> {
        let least = offered.promo.as_ref().and_then(|seen| seen.least.as_ref()).filter(|_| agreed.promo.is_some());
        let Some(least) = least else { return Ok(()) };
        if self.is_worth(agreed.give, least) {
            return Ok(());
        }
        Err(Error::unprocessable("promo_below_min")
            .with("min", agio_core::money::plain(least.amount))
            .with("currency", &least.ticker)
            .at(PROMO_FIELD, "promo_below_min"))
    }

    /// Redeems the promo code of a new claim.
    ///
    /// # Errors
    /// 409 `promo_used_up` when somebody was faster.
    pub(super) async fn redeem_promo(&self, tx: &mut Tx, claim: &Claim) -> Result<()> {
        let Some(code) = claim.references.promo.as_deref() else { return Ok(()) };
        let payout = payout::digest(&self.platform.vault, &claim.receive_requisites(&self.platform.vault)?);
        let used = PromoCodeUse {
            code,
            claim: claim.id,
            number: claim.public_id,
            customer: claim.customer.account_id,
            email: &claim.customer.email,
            browser: &claim.customer.guest_digest,
            payout: payout.as_deref(),
            at: claim.created_at,
        };
        self.bonuses.redeem_promo(tx, used).await
    }

    fn is_worth(&self, amount: Amount, least: &ReferenceValue) -> bool {
        let value = self.reference_values.reference_value(amount);
        value.is_some_and(|value| value.ticker == least.ticker && value.amount >= least.amount)
    }

    /// The bonus of a claim for an amount. New terms keep it, but for a promo code that the claim or the amount has lost.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(super) fn own_bonus(&self, claim: &Claim, give: Amount) -> Result<Bonus> {
        let bonus = agreed(claim)?.bonus.unwrap_or_default();
        let has_promo = claim.references.promo.is_some() && !self.is_below_promo_min(claim, give)?;
        Ok(if has_promo { bonus } else { bonus.without_promo() })
    }

    /// Whether an amount is below the minimum of the claim's promo code. The agreed amount was not, and the market may
    /// have moved since.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(super) fn is_below_promo_min(&self, claim: &Claim, give: Amount) -> Result<bool> {
        if claim.references.promo.is_none() || !give.compare(claim.give.amount)?.is_lt() {
            return Ok(false);
        }
        let least = agreed(claim)?.bonus.and_then(|bonus| bonus.promo_min);
        Ok(least.is_some_and(|least| !self.is_worth(give, &least)))
    }

    /// Releases the promo code of a claim whose new terms are without it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(super) async fn release_lost_promo(&self, tx: &mut Tx, claim: &mut Claim, now: Timestamp) -> Result<()> {
        if claim.references.promo.is_none() || agreed(claim)?.bonus.is_some_and(|bonus| bonus.promo().is_some()) {
            return Ok(());
        }
        claim.references.promo = None;
        self.bonuses.release_promo(tx, claim.id, now).await
    }

    /// Releases the promo code of a claim that ends without an exchange. A reopened claim redeems it again, or
    /// continues without it if it cannot be used any more.
    pub(super) async fn update_promo(&self, tx: &mut Tx, claim: &mut Claim, from: ClaimState, now: Timestamp) -> Result<()> {
        if claim.references.promo.is_none() {
            return Ok(());
        }
        // A part of the payout that arrived is an exchange, too.
        let is_exchanged = claim.state == ClaimState::Completed || claim.balances.paid_out.units() > 0;
        match (from.is_final(), claim.state.is_final()) {
            (false, true) if !is_exchanged => self.bonuses.release_promo(tx, claim.id, now).await,
            (true, false) => {
                if !self.bonuses.reclaim_promo(tx, claim.id, now).await? {
                    claim.references.promo = None;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
