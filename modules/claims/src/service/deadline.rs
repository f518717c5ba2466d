//! The end of the agreed terms, and of a payment that is only reported.

use std::sync::Arc;

use agio_core::{Error, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Claims;
use super::moving::{Said, Who};
use crate::LATE_TOLERANCE;
use crate::minutes;
use crate::model::{Action, Actor, State, Transition};
use crate::rules::{Claim, terms};
use crate::store::history::{self, NewEvent};
use crate::store::{claims, receipts};

/// How far the rate of a claim is from the one that was agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateMove {
    /// By how many percent the present rate is above the agreed one; below zero if it is lower.
    pub percent: Decimal,
    /// Whether that is little enough for a late payment to be exchanged as agreed.
    pub is_tolerated: bool,
}

impl Claims {
    /// The row by which a member of staff establishes a payment, and what is said with it: the one they named, or the one for a payment that was
    /// too late for the agreed terms. What was seen on a watched network has its time from there; else it is dated by staff, and made now where
    /// they say nothing.
    ///
    /// # Errors
    /// 422 at `paidAt` for a time to come or before the claim.
    pub(super) async fn dated(
        &self,
        tx: &mut Tx,
        claim: &Claim,
        row: &'static Transition,
        said: &Said,
    ) -> Result<(&'static Transition, Said)> {
        let establishes = matches!(row.action, Action::PaymentReceived | Action::PaymentSeen | Action::AmountMismatch);
        let is_decided = claim.state == State::AmountMismatch && row.action != Action::PaymentSeen;
        if !establishes || is_decided {
            return Ok((row, said.clone()));
        }
        let now = self.platform.clock.now();
        let refused = |code| Error::unprocessable("validation_failed").at("paidAt", code);
        match said.paid_at {
            Some(at) if at > now => return Err(refused("moment_in_the_future")),
            Some(at) if at < claim.created_at => return Err(refused("paid_before_claim")),
            _ => {}
        }
        let noted = claim.paid_at.filter(|_| claim.state == State::PaymentSeen);
        let seen = self.payments.seen(tx, claim.id, claim.send_units - claim.received_units).await?;
        let paid_at = seen.map(|seen| seen.whole).or(said.paid_at).or(noted).unwrap_or(now);
        let said = Said { paid_at: Some(paid_at), ..said.clone() };
        if row.action == Action::PaymentSeen || !claim.is_late(paid_at) {
            return Ok((row, said));
        }
        let agreed = claim.sent(claim.send_units.max(claim.received_units)).value();
        let late = Self::row(claim, Action::LatePayment, Actor::Operator)?;
        Ok((late, Said { amount: said.amount.or(Some(agreed)), ..said }))
    }

    /// How far the rate has moved since it was agreed on, against the tolerance the claim's direction had then, or else the one the exchange has now.
    /// Nothing where no terms can be had at this moment, be it that the pair stands still or that the reserve is too low, and for a claim
    /// whose rate was to be that of its payment.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(crate) fn rate_move(&self, claim: &Claim, now: Timestamp) -> Result<Option<RateMove>> {
        if claim.floating {
            return Ok(None);
        }
        let (agreed, terms) = (claim.course()?, terms::agreed(claim)?);
        let Ok(offer) = self.terms_for(claim, claim.send_units, now) else { return Ok(None) };
        let present = Decimal::from_str_exact(&offer.course).map_err(Error::internal)?;
        let house = || Decimal::new(self.platform.settings.int(LATE_TOLERANCE), 2);
        let tolerance = terms.tolerance.and_then(|tolerance| tolerance.late_percent).unwrap_or_else(house);
        let percent = (present - agreed).checked_mul(Decimal::ONE_HUNDRED).and_then(|moved| moved.checked_div(agreed));
        Ok(percent.map(|percent| RateMove { percent, is_tolerated: is_less_than(agreed, present, tolerance) }))
    }

    /// How long a payment that was just reported is waited for. A receipt is for an operator to look at, and no clock ends it.
    pub(super) async fn wait_for_reported(&self, tx: &mut Tx, claim: &mut Claim, now: Timestamp) -> Result<()> {
        if receipts::count(tx, claim.id).await? > 0 {
            claim.expires_at = None;
        } else {
            claim.warn_at = Some(now.plus(minutes(self.patience_of(claim).reported_minutes) / 2));
        }
        Ok(())
    }

    /// A receipt came for a claim, locked by the caller, whose payment was reported: now it is an operator's turn.
    pub(super) async fn hear_of_receipt(&self, tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<()> {
        let mut claim = claims::claim(tx, id).await?;
        if claim.state != State::PaymentClaimed || claim.expires_at.is_none() {
            return Ok(());
        }
        (claim.expires_at, claim.warn_at, claim.updated_at) = (None, None, now);
        claims::update(tx, &mut claim).await
    }

    /// Whether money was seen for a claim that would end unpaid now: then it goes on with that.
    pub(super) async fn is_seen_in_time(&self, tx: &mut Tx, claim: &Claim) -> Result<bool> {
        let Some(seen) = self.payments.seen(tx, claim.id, claim.send_units).await? else { return Ok(false) };
        Ok(claim.state == State::PaymentClaimed || claim.expires_at.is_some_and(|end| seen.first < end))
    }

    /// Tells a customer that nobody sees the payment they reported, and when their claim ends.
    pub(super) async fn warn_of_end(self: &Arc<Self>, id: Uuid) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move {
                    let (mut claim, now) = (claims::locked(tx, id).await?, this.platform.clock.now());
                    if claim.state != State::PaymentClaimed || claim.warn_at.is_none_or(|moment| moment > now) {
                        return Ok(());
                    }
                    let before = this.trace(&claim);
                    (claim.warn_at, claim.updated_at) = (None, now);
                    claims::update(tx, &mut claim).await?;
                    let event = NewEvent {
                        claim: claim.public_id,
                        at: now,
                        actor: Actor::Timer,
                        staff: None,
                        action: "payment_missing",
                        from: Some(claim.state),
                        to: Some(claim.state),
                        revision: claim.revision,
                        reason: None,
                        note: None,
                        batch: None,
                    };
                    history::insert(tx, &event).await?;
                    this.write_letter_of(tx, "claim_payment_missing", &claim, now).await?;
                    this.log(tx, &Who::Timer.named(), "payment_missing", &before, &claim, now).await?;
                    this.tell(tx, claim.id);
                    Ok(())
                })
            })
            .await
    }
}

/// Whether a course moved by less than so many percent, in either direction.
fn is_less_than(agreed: Decimal, present: Decimal, percent: Decimal) -> bool {
    let moved = (present - agreed).abs().checked_mul(Decimal::ONE_HUNDRED);
    let bound = agreed.checked_mul(percent);
    // What is too big to be multiplied moved far.
    matches!((moved, bound), (Some(moved), Some(bound)) if moved < bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_measured_both_ways_and_the_bound_itself_is_too_far() {
        let stays = |agreed: &str, present: &str, hundredths: i64| {
            is_less_than(agreed.parse().unwrap(), present.parse().unwrap(), Decimal::new(hundredths, 2))
        };
        assert!(stays("100", "101.99", 200) && stays("100", "98.01", 200) && stays("0.00001", "0.0000101", 200));
        assert!(!stays("100", "102", 200) && !stays("100", "98", 200) && !stays("100", "97", 200));
        assert!(stays("100", "100", 1) && !stays("100", "100", 0), "at a tolerance of nothing everybody is asked");
        assert!(!stays("1", "79228162514264337593543950335", 200), "a number too big to compare is far");
    }
}
