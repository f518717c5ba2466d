//! New terms: when another amount came, when it came too late, when the agreed terms ran out.

use std::sync::Arc;

use agio_core::identity;
use agio_core::needs::{Agreed, Asked};
use agio_core::{Amount, Error, Result, Timestamp};
use rust_decimal::Decimal;

use super::Claims;
use super::bonus::own_bonus;
use super::moving::Who;
use crate::minutes;
use crate::model::{Action, State, Transition};
use crate::rules::books::share;
use crate::rules::terms::agreed;
use crate::rules::{Claim, Offer};
use crate::store::claims;
use crate::store::history::{self, NewEvent};

impl Claims {
    /// The terms of this moment for sending an amount in the claim's direction, with the bonus the claim was made with.
    ///
    /// # Errors
    /// What the calculator refuses.
    pub(super) fn terms_for(&self, claim: &Claim, send_units: i64, now: Timestamp) -> Result<Offer> {
        let asked = Asked { bonus: own_bonus(claim)?, ..asked(claim, send_units) };
        Ok(offer_of(self.quotes.agree(&asked)?, now))
    }

    /// What the amount that came brings at the terms the claim was agreed on.
    ///
    /// # Errors
    /// 409 `claim_unreadable`; what the calculator refuses.
    pub(super) fn at_agreed_terms(&self, claim: &Claim) -> Result<Offer> {
        let terms = agreed(claim)?;
        let brings = self.quotes.recalculate(&terms, &asked(claim, claim.received_units))?;
        Ok(Offer {
            send_units: claim.received_units,
            receive_units: brings.receive.units(),
            worth_units: share(claim.worth_units, claim.received_units, claim.send_units)?,
            course: brings.course.to_string(),
            bonus: claim.bonus.clone(),
            terms: claim.terms.clone(),
            hold_minutes: claim.hold_minutes,
            expires_at: claim.terms_end(),
        })
    }

    /// The terms on which staff exchange what came: the agreed ones while they hold, and after that while the rate has barely moved; else
    /// those of this moment. True beside the agreed ones.
    ///
    /// # Errors
    /// 409 `claim_unreadable`; what the calculator refuses.
    pub(super) fn recalculated(&self, claim: &Claim, now: Timestamp) -> Result<(Offer, bool)> {
        let is_worth_the_same = self.rate_move(claim, now)?.is_some_and(|moved| moved.is_tolerated);
        let at_agreed = !claim.floating && (now < claim.terms_end() || is_worth_the_same);
        let offer = if at_agreed { self.at_agreed_terms(claim)? } else { self.terms_for(claim, claim.received_units, now)? };
        Ok((offer, at_agreed))
    }

    /// Puts an offer beside a claim for which another amount came, or any amount too late: the agreed terms for what came in time, while they
    /// hold, else those of this moment. Where no terms can be had, such as for an amount under the minimum, a refund is the only choice.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(super) fn make_offer(&self, claim: &mut Claim, action: Action, now: Timestamp) -> Result<()> {
        if !matches!(action, Action::AmountMismatch | Action::LatePayment) {
            return Ok(());
        }
        let at_agreed = action == Action::AmountMismatch && !claim.floating && now < claim.terms_end();
        let offer = if at_agreed { self.at_agreed_terms(claim) } else { self.terms_for(claim, claim.received_units, now) };
        claim.offer = match offer {
            Ok(offer) => Some(serde_json::to_string(&offer).map_err(Error::internal)?),
            Err(refused) if refused.code() == "claim_unreadable" => return Err(refused),
            Err(_) => None,
        };
        Ok(())
    }

    /// Fixes the rate of a floating claim when its payment is established; true when what it will pay out changed. If no
    /// rate can be had at that moment, the one it was made with stays.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(super) fn refloat(&self, claim: &mut Claim, row: &Transition, now: Timestamp) -> Result<bool> {
        if !claim.floating || row.action != Action::PaymentReceived {
            return Ok(false);
        }
        let offer = match self.terms_for(claim, claim.send_units, now) {
            Ok(offer) => offer,
            Err(refused) if refused.code() == "claim_unreadable" => return Err(refused),
            Err(_) => return Ok(false),
        };
        let changed = offer.receive_units != claim.receive_units;
        claim.take_terms(offer, now);
        Ok(changed)
    }

    /// Renews terms once what was to be verified is; true when what the claim will pay out changed. Terms that hold stay, unless those of this
    /// moment are the same: then the customer has all the time there is to pay. Of others than the agreed ones the customer sees the numbers
    /// before they pay, and may still give the claim up.
    ///
    /// # Errors
    /// What the calculator refuses.
    pub(super) fn requote(&self, claim: &mut Claim, action: Action, now: Timestamp) -> Result<bool> {
        if action != Action::VerifyAccept || claim.floating {
            return Ok(false);
        }
        let offer = match self.terms_for(claim, claim.send_units, now) {
            Err(_) if now < claim.terms_end() => return Ok(false),
            offer => offer?,
        };
        let changed = offer.receive_units != claim.receive_units;
        if changed && now < claim.terms_end() {
            return Ok(false);
        }
        claim.take_terms(offer, now);
        Ok(changed)
    }

    /// Renews terms that have run out, if that changes nothing for the customer.
    ///
    /// # Errors
    /// 409 `rate_changed` with the new numbers when it does change something; they are kept with the claim first, so
    /// that the customer may agree to them by asking again.
    pub(super) async fn renew_terms(self: &Arc<Self>, claim: &Claim, by: &identity::Actor) -> Result<Option<Offer>> {
        let now = self.platform.clock.now();
        if claim.state != State::Created || claim.floating || now < claim.terms_end() {
            return Ok(None);
        }
        let offer = self.terms_for(claim, claim.send_units, now)?;
        if offer.receive_units == claim.receive_units {
            return Ok(Some(offer));
        }
        let changed = rate_changed(claim, &offer);
        self.keep_terms(claim.clone(), offer, Who::Customer(by.clone())).await?;
        Err(changed)
    }

    /// Gives a claim that waits for its confirmation the new terms and a hold of their size.
    async fn keep_terms(self: &Arc<Self>, claim: Claim, offer: Offer, who: Who) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, mut claim, offer, who) = (this.clone(), claim.clone(), offer.clone(), who.clone());
                Box::pin(async move {
                    claims::locked_at(tx, claim.id, claim.revision).await?;
                    let (now, before) = (this.platform.clock.now(), this.trace(&claim));
                    claim.take_terms(offer, now);
                    let batch = this.replace_hold(tx, &mut claim, &who, now).await?;
                    claim.updated_at = now;
                    claims::update(tx, &mut claim).await?;
                    let event = NewEvent {
                        claim: claim.public_id,
                        at: now,
                        actor: who.actor(),
                        staff: None,
                        action: "terms",
                        from: Some(claim.state),
                        to: Some(claim.state),
                        revision: claim.revision,
                        reason: None,
                        note: None,
                        batch: Some(batch),
                    };
                    history::insert(tx, &event).await?;
                    this.log(tx, &who.named(), "terms", &before, &claim, now).await?;
                    this.tell(tx, claim.id);
                    Ok(())
                })
            })
            .await
    }

    /// The offer a customer accepts, if it is the one they were shown and it still holds.
    ///
    /// # Errors
    /// 409 `no_offer`; 409 `rate_changed` with the present numbers, which are kept as the new offer first.
    pub(super) async fn accepted_offer(self: &Arc<Self>, claim: &Claim, send: Decimal, receive: Decimal) -> Result<Offer> {
        let now = self.platform.clock.now();
        let offer = claim.offer()?.filter(|offer| offer.send_units == claim.received_units);
        let offer = offer.ok_or_else(|| Error::conflict("no_offer"))?;
        let shown = (claim.sent(offer.send_units).value(), claim.received(offer.receive_units).value());
        if shown != (send.normalize(), receive.normalize()) {
            return Err(rate_changed(claim, &offer));
        }
        if now < offer.expires_at {
            return Ok(offer);
        }
        let renewed = self.terms_for(claim, offer.send_units, now)?;
        if renewed.receive_units == offer.receive_units {
            return Ok(renewed);
        }
        let changed = rate_changed(claim, &renewed);
        self.keep_offer(claim.clone(), renewed).await?;
        Err(changed)
    }

    async fn keep_offer(self: &Arc<Self>, claim: Claim, offer: Offer) -> Result<()> {
        let this = self.clone();
        let json = serde_json::to_string(&offer).map_err(Error::internal)?;
        self.platform
            .db
            .write(move |tx| {
                let (this, mut claim, json) = (this.clone(), claim.clone(), json.clone());
                Box::pin(async move {
                    claims::locked_at(tx, claim.id, claim.revision).await?;
                    claim.offer = Some(json);
                    claim.updated_at = this.platform.clock.now();
                    claims::update(tx, &mut claim).await?;
                    this.tell(tx, claim.id);
                    Ok(())
                })
            })
            .await
    }
}

/// What the calculator is asked for a claim. What the claim has set aside is free for its new terms.
fn asked(claim: &Claim, send_units: i64) -> Asked {
    let set_aside = claim.hold_id.map_or(0, |_| claim.receive_units);
    let plainly = Asked::plainly(claim.from_id, claim.to_id, claim.sent(send_units).value());
    Asked { customer: claim.customer_id, set_aside, ..plainly }
}

fn offer_of(agreed: Agreed, now: Timestamp) -> Offer {
    Offer {
        send_units: agreed.send.units(),
        receive_units: agreed.receive.units(),
        worth_units: agreed.worth.units(),
        course: agreed.course.to_string(),
        bonus: agreed.bonus.to_string(),
        terms: agreed.terms,
        hold_minutes: agreed.hold_minutes,
        expires_at: now.plus(minutes(agreed.hold_minutes)),
    }
}

pub(super) fn rate_changed(claim: &Claim, offer: &Offer) -> Error {
    let text = |amount: Amount| amount.to_string();
    Error::conflict("rate_changed")
        .with("course", &offer.course)
        .with("fromSumma", text(claim.sent(offer.send_units)))
        .with("toSumma", text(claim.received(offer.receive_units)))
}
