//! New terms: for a different amount, a late payment, or expired terms.

use std::sync::Arc;

use agio_contracts::{AgreedQuote, QuoteRequest};
use agio_core::identity;
use agio_core::{Amount, Error, Result, Timestamp, Tx};
use rust_decimal::Decimal;

use super::Claims;
use super::transition::Initiator;
use crate::minutes;
use crate::model::{Action, ClaimState, Transition};
use crate::rules::ledger_entries::share;
use crate::rules::terms::agreed;
use crate::rules::{Claim, Offer, OfferedAmount};
use crate::store::claims;
use crate::store::history::{self, NewClaimEvent};

impl Claims {
    /// Current terms for an amount in the claim's direction, with the claim's bonus.
    ///
    /// # Errors
    /// What the calculator refuses.
    pub(super) fn terms_for(&self, claim: &Claim, give: Amount, now: Timestamp) -> Result<Offer> {
        let request = QuoteRequest { bonus: self.own_bonus(claim, give)?, ..quote_request(claim, give) };
        Ok(offer_of(self.quotes.agree(&request)?, now))
    }

    /// Current terms for the agreed amount, which has been paid.
    ///
    /// # Errors
    /// What the calculator refuses.
    fn terms_of_payment(&self, claim: &Claim, now: Timestamp) -> Result<Offer> {
        let give = claim.give.amount;
        let request = QuoteRequest { bonus: self.own_bonus(claim, give)?, is_paid: true, ..quote_request(claim, give) };
        Ok(offer_of(self.quotes.agree(&request)?, now))
    }

    /// The offer for the received amount at the claim's own terms.
    ///
    /// # Errors
    /// 409 `claim_unreadable`; what the calculator refuses.
    pub(super) fn at_agreed_terms(&self, claim: &Claim) -> Result<Offer> {
        let terms = agreed(claim)?;
        let recalculated = self.quotes.recalculate(&terms, &quote_request(claim, claim.balances.received))?;
        Ok(Offer {
            give_units: claim.balances.received.units(),
            receive_units: recalculated.receive.units(),
            market_units: share(claim.terms.market_value, claim.balances.received, claim.give.amount)?.units(),
            rate: recalculated.rate.to_string(),
            ..own_terms(claim)
        })
    }

    /// The terms for the amount that arrived: the agreed ones while they are valid, otherwise current ones. Those are also
    /// for an amount far above the agreed one, and for one below the minimum of the promo code, which they are without.
    /// True for the agreed ones.
    ///
    /// # Errors
    /// 409 `claim_unreadable`; what the calculator refuses.
    fn terms_of_received(&self, claim: &Claim, is_valid: bool, now: Timestamp) -> Result<(Offer, bool)> {
        let received = claim.balances.received;
        let at_agreed = is_valid && claim.is_near_agreed(received) && !self.is_below_promo_min(claim, received)?;
        let offer = if at_agreed { self.at_agreed_terms(claim)? } else { self.terms_for(claim, received, now)? };
        Ok((offer, at_agreed))
    }

    /// The terms of a recalculation. The agreed ones are valid until they end, and after that if the payment was a little
    /// late at most and the rate has barely moved. True for the agreed ones.
    ///
    /// # Errors
    /// 409 `claim_unreadable`; what the calculator refuses.
    pub(super) fn recalculation_terms(&self, claim: &Claim, now: Timestamp) -> Result<(Offer, bool)> {
        let moved = self.rate_move(claim, claim.payment.paid_at.unwrap_or(now), now)?;
        let is_valid = !claim.terms.floating && (now < claim.terms_end() || moved.is_some_and(|moved| moved.is_tolerated));
        self.terms_of_received(claim, is_valid, now)
    }

    /// Adds offers to a claim with a different amount or a late payment. For an amount in time the agreed terms are valid
    /// until they end. Without terms, such as below the minimum, only a refund is possible, and so it is for a claim whose
    /// offers are [withheld](Self::is_offer_withheld). Where a surplus can be returned, the agreed amount has an offer of
    /// its own.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(super) async fn make_offer(&self, tx: &mut Tx, claim: &mut Claim, action: Action, now: Timestamp) -> Result<()> {
        if !matches!(action, Action::AmountMismatch | Action::LatePayment) {
            return Ok(());
        }
        (claim.progress.offer, claim.progress.surplus_offer) = (None, None);
        if self.is_offer_withheld(tx, claim).await? {
            return Ok(());
        }
        let is_valid = action == Action::AmountMismatch && !claim.terms.floating && now < claim.terms_end();
        claim.progress.offer = stored(self.terms_of_received(claim, is_valid, now).map(|(offer, _)| offer))?;
        claim.progress.surplus_offer = match self.surplus(claim)? {
            Some(surplus) if !surplus.is_too_small && is_valid => stored(Ok(own_terms(claim)))?,
            Some(surplus) if !surplus.is_too_small => stored(self.terms_for(claim, claim.give.amount, now))?,
            _ => None,
        };
        Ok(())
    }

    /// Fixes the rate of a floating claim when its payment is received; true when the payout changes. Without a current
    /// rate, as while a jump of the rate suspends the pair, it is fixed when the claim is taken for its payout. The
    /// original rate was no promise: it would be paid just when the market has left it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`, `rate_unavailable`.
    pub(super) fn fix_floating_rate(&self, claim: &mut Claim, row: &Transition, now: Timestamp) -> Result<bool> {
        let is_fixed = claim.terms.agreed_at > claim.created_at;
        if !claim.terms.floating || is_fixed || !matches!(row.action, Action::PaymentReceived | Action::Take) {
            return Ok(false);
        }
        let offer = match self.terms_of_payment(claim, now) {
            Ok(offer) => offer,
            Err(refused) if refused.code() == "claim_unreadable" => return Err(refused),
            Err(_) if row.action == Action::PaymentReceived => return Ok(false),
            Err(refused) => return Err(Error::conflict("rate_unavailable").caused_by(refused)),
        };
        let changed = offer.receive_units != claim.receive.amount.units();
        claim.take_terms(offer, now);
        Ok(changed)
    }

    /// Renews the terms after a verification; true when the payout changes. Valid terms stay, unless current terms are
    /// the same: then the customer gets the full time to pay. Before paying, the customer sees changed amounts and can
    /// still cancel.
    ///
    /// # Errors
    /// What the calculator refuses.
    pub(super) fn renew_verified_terms(&self, claim: &mut Claim, action: Action, now: Timestamp) -> Result<bool> {
        if action != Action::VerifyAccept || claim.terms.floating {
            return Ok(false);
        }
        let offer = match self.terms_for(claim, claim.give.amount, now) {
            Err(_) if now < claim.terms_end() => return Ok(false),
            offer => offer?,
        };
        let changed = offer.receive_units != claim.receive.amount.units();
        if changed && now < claim.terms_end() {
            return Ok(false);
        }
        claim.take_terms(offer, now);
        Ok(changed)
    }

    /// Renews expired terms, if the amounts stay the same.
    ///
    /// # Errors
    /// 409 `rate_changed` with the new numbers when it does change something; they are kept with the claim first, so
    /// that the customer may agree to them by asking again.
    pub(super) async fn renew_terms(self: &Arc<Self>, claim: &Claim, by: &identity::Actor) -> Result<Option<Offer>> {
        let now = self.platform.clock.now();
        if claim.state != ClaimState::Created || claim.terms.floating || now < claim.terms_end() {
            return Ok(None);
        }
        let offer = self.terms_for(claim, claim.give.amount, now)?;
        if offer.receive_units == claim.receive.amount.units() {
            return Ok(Some(offer));
        }
        let changed = self.rate_changed(claim, &offer);
        self.store_terms(claim.clone(), offer, Initiator::Customer(by.clone())).await?;
        Err(changed)
    }

    /// Stores new terms for an unconfirmed claim, and replaces its hold.
    async fn store_terms(self: &Arc<Self>, claim: Claim, offer: Offer, initiator: Initiator) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, mut claim, offer, initiator) = (this.clone(), claim.clone(), offer.clone(), initiator.clone());
                Box::pin(async move {
                    claims::locked_at(tx, claim.id, claim.revision).await?;
                    let (now, before) = (this.platform.clock.now(), this.audit_snapshot(&claim));
                    claim.take_terms(offer, now);
                    let batch = this.replace_hold(tx, &mut claim, &initiator, now).await?;
                    claim.updated_at = now;
                    claims::update(tx, &mut claim).await?;
                    let event = NewClaimEvent { batch: Some(batch), ..NewClaimEvent::of(&claim, now, initiator.role(), "terms") };
                    history::insert(tx, &event).await?;
                    this.record_audit(tx, &initiator.audit_actor(), "terms", &before, &claim, now).await?;
                    this.publish_change(tx, claim.id);
                    Ok(())
                })
            })
            .await
    }

    /// The offer a customer accepts, if it is the one they saw and it is still valid. With a floating rate that has risen it
    /// is a better one.
    ///
    /// # Errors
    /// 409 `no_offer`; 409 `rate_changed` with the present numbers, which are kept as the new offer first.
    pub(super) async fn accepted_offer(
        self: &Arc<Self>,
        claim: &Claim,
        amount: OfferedAmount,
        (send, receive): (Decimal, Decimal),
    ) -> Result<Offer> {
        let now = self.platform.clock.now();
        let exchanged = match amount {
            OfferedAmount::Received => claim.balances.received,
            OfferedAmount::Agreed => claim.give.amount,
        };
        let offer = claim.offer(amount)?.filter(|offer| offer.give_units == exchanged.units());
        let offer = offer.ok_or_else(|| Error::conflict("no_offer"))?;
        let shown = (claim.give.of(offer.give_units).value(), claim.receive.of(offer.receive_units).value());
        if shown != (send.normalize(), receive.normalize()) {
            return Err(self.rate_changed(claim, &offer));
        }
        let is_valid = now < offer.expires_at;
        if is_valid && !claim.terms.floating {
            return Ok(offer);
        }
        let renewed = self.terms_for(claim, claim.give.of(offer.give_units), now)?;
        // A floating rate is not promised: an offer of it ends as soon as the rate falls, and follows it upwards.
        let has_risen = claim.terms.floating && renewed.receive_units > offer.receive_units;
        if has_risen || renewed.receive_units == offer.receive_units {
            return Ok(renewed);
        }
        let changed = self.rate_changed(claim, &renewed);
        self.store_offer(claim.clone(), amount, renewed).await?;
        Err(changed)
    }

    pub(super) fn rate_changed(&self, claim: &Claim, offer: &Offer) -> Error {
        let from = self.currency(claim.give.currency_id(), &claim.give.code);
        let to = self.currency(claim.receive.currency_id(), &claim.receive.code);
        Error::conflict("rate_changed")
            .with("course", &offer.rate)
            .with("fromSumma", claim.give.of(offer.give_units))
            .with("toSumma", claim.receive.of(offer.receive_units))
            .with("fromCurrency", &from.ticker)
            .with("toCurrency", &to.ticker)
    }

    async fn store_offer(self: &Arc<Self>, claim: Claim, amount: OfferedAmount, offer: Offer) -> Result<()> {
        let this = self.clone();
        let json = serde_json::to_string(&offer).map_err(Error::internal)?;
        self.platform
            .db
            .write(move |tx| {
                let (this, mut claim, json) = (this.clone(), claim.clone(), json.clone());
                Box::pin(async move {
                    claims::locked_at(tx, claim.id, claim.revision).await?;
                    match amount {
                        OfferedAmount::Received => claim.progress.offer = Some(json),
                        OfferedAmount::Agreed => claim.progress.surplus_offer = Some(json),
                    }
                    claim.updated_at = this.platform.clock.now();
                    claims::update(tx, &mut claim).await?;
                    this.publish_change(tx, claim.id);
                    Ok(())
                })
            })
            .await
    }
}

/// The agreed amounts at the claim's own terms, as an offer.
fn own_terms(claim: &Claim) -> Offer {
    Offer {
        give_units: claim.give.amount.units(),
        receive_units: claim.receive.amount.units(),
        market_units: claim.terms.market_value.units(),
        rate: claim.terms.rate.clone(),
        bonus: claim.terms.bonus.clone(),
        terms: claim.terms.json.clone(),
        hold_minutes: claim.terms.hold_minutes,
        expires_at: claim.terms_end(),
    }
}

/// The JSON of an offer; `None` without terms.
fn stored(offer: Result<Offer>) -> Result<Option<String>> {
    match offer {
        Ok(offer) => serde_json::to_string(&offer).map(Some).map_err(Error::internal),
        Err(refused) if refused.code() == "claim_unreadable" => Err(refused),
        Err(_) => Ok(None),
    }
}

/// The quote request for a claim. The amount it holds is available for its new terms.
fn quote_request(claim: &Claim, give: Amount) -> QuoteRequest {
    let held_units = claim.balances.hold_id.map_or(0, |_| claim.receive.amount.units());
    let plainly = QuoteRequest::anonymous(claim.give.currency_id(), claim.receive.currency_id(), give.value());
    QuoteRequest { customer: claim.customer.account_id, held_units, ..plainly }
}

fn offer_of(agreed: AgreedQuote, now: Timestamp) -> Offer {
    Offer {
        give_units: agreed.give.units(),
        receive_units: agreed.receive.units(),
        market_units: agreed.market_value.units(),
        rate: agreed.rate.to_string(),
        bonus: agreed.bonus.to_string(),
        terms: agreed.terms,
        hold_minutes: agreed.hold_minutes,
        expires_at: now.plus(minutes(agreed.hold_minutes)),
    }
}
