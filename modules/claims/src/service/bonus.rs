//! What a customer gets on top of the rate of their claim: their account's bonus, and a promo code that the claim uses up.

use agio_core::needs::{Agreed, Bonus, Offered, Person, PromoUse};
use agio_core::{Error, Result, Timestamp, Tx};

use super::Claims;
use crate::model::State;
use crate::rules::terms::agreed;
use crate::rules::{Claim, payout};

/// The field a promo code is sent in.
pub(super) const PROMO_FIELD: &str = "extras.promo";

impl Claims {
    /// What a person gets for a claim, with a promo code if they typed one. Whoever is not signed in and
    /// typed none gets what everybody gets, and nothing is looked up.
    ///
    /// # Errors
    /// 422 `promo_unknown`, `promo_expired`, `promo_used_up`.
    pub(super) async fn bonus_for(&self, person: Person<'_>, promo: Option<&str>) -> Result<Offered> {
        let promo = promo.map(str::trim).filter(|code| !code.is_empty());
        if person.customer.is_none() && promo.is_none() {
            return Ok(Offered::default());
        }
        let offered = self.bonuses.offered(person, promo).await?;
        match offered.promo.as_ref().and_then(|seen| seen.refusal) {
            Some(refusal) => Err(Error::unprocessable(refusal).at(PROMO_FIELD, refusal)),
            None => Ok(offered),
        }
    }

    /// Whether what is agreed is worth enough for its promo code. What cannot be told is not enough.
    ///
    /// # Errors
    /// 422 `promo_below_min`.
    pub(super) fn is_enough_for_promo(&self, offered: &Offered, agreed: &Agreed) -> Result<()> {
        let least = offered.promo.as_ref().and_then(|seen| seen.least.as_ref()).filter(|_| agreed.promo.is_some());
        let Some(least) = least else { return Ok(()) };
        let worth = self.worths.worth(agreed.from.id, agreed.send);
        if worth.is_some_and(|worth| worth.ticker == least.ticker && worth.amount >= least.amount) {
            return Ok(());
        }
        Err(Error::unprocessable("promo_below_min")
            .with("min", agio_core::money::plain(least.amount))
            .with("currency", &least.ticker)
            .at(PROMO_FIELD, "promo_below_min"))
    }

    /// Uses the promo code of a new claim up, if it has one.
    ///
    /// # Errors
    /// 409 `promo_used_up` when somebody was faster.
    pub(super) async fn use_promo(&self, tx: &mut Tx, claim: &Claim) -> Result<()> {
        let Some(code) = claim.promo.as_deref() else { return Ok(()) };
        let payout = payout::digest(&self.platform.vault, &claim.to_requisites(&self.platform.vault)?);
        let used = PromoUse {
            code,
            claim: claim.id,
            number: claim.public_id,
            customer: claim.customer_id,
            email: &claim.email,
            browser: &claim.guest_digest,
            payout: payout.as_deref(),
            at: claim.created_at,
        };
        self.bonuses.take(tx, used).await
    }

    /// Gives the promo code of a claim back that ends without an exchange. A claim that lives again takes it once more, or goes on
    /// without it where others used it up meanwhile.
    pub(super) async fn follow_promo(&self, tx: &mut Tx, claim: &mut Claim, from: State, now: Timestamp) -> Result<()> {
        if claim.promo.is_none() {
            return Ok(());
        }
        match (from.is_final(), claim.state.is_final()) {
            (false, true) if claim.state != State::Completed => self.bonuses.give_back(tx, claim.id, now).await,
            (true, false) => {
                if !self.bonuses.take_again(tx, claim.id).await? {
                    claim.promo = None;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The bonus a claim was made with: where its terms are agreed on anew, it is the same once more.
///
/// # Errors
/// 409 `claim_unreadable`.
pub(super) fn own_bonus(claim: &Claim) -> Result<Bonus> {
    let bonus = agreed(claim)?.bonus.unwrap_or_default();
    Ok(if claim.promo.is_some() { bonus } else { bonus.without_promo() })
}
