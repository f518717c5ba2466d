//! The end of the agreed terms, and the timeout of a reported payment.

use std::sync::Arc;

use agio_contracts::LATE_TOLERANCE;
use agio_core::{Error, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Claims;
use super::transition::{Initiator, TransitionInput, not_allowed};
use crate::model::{Action, Actor, ClaimState, Transition};
use crate::rules::{Claim, terms};
use crate::store::history::{self, NewClaimEvent};
use crate::store::{claims, receipts};

/// The change of a claim's rate since it was agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateChange {
    /// The change of the rate in percent; negative if it is lower than the agreed one.
    pub percent: Decimal,
    /// Whether that, and the delay, are little enough for a late payment to be exchanged as agreed.
    pub is_tolerated: bool,
}

impl Claims {
    /// The transition for a payment that staff record, and its input: the requested one, or the one for a late payment.
    /// The time of a detected payment is that of its detection; otherwise staff give it, by default now.
    ///
    /// # Errors
    /// 422 at `paidAt` for a time to come or before the claim; 409 `transition_not_allowed` for a late payment that is
    /// none.
    pub(super) async fn apply_payment_date(
        &self,
        tx: &mut Tx,
        claim: &Claim,
        row: &'static Transition,
        input: &TransitionInput,
    ) -> Result<(&'static Transition, TransitionInput)> {
        let establishes =
            matches!(row.action, Action::PaymentReceived | Action::PaymentSeen | Action::AmountMismatch | Action::LatePayment);
        let is_decided = claim.state == ClaimState::AmountMismatch && row.action != Action::PaymentSeen;
        if !establishes || is_decided {
            return Ok((row, input.clone()));
        }
        let now = self.platform.clock.now();
        let refused = |code| Error::unprocessable("validation_failed").at("paidAt", code);
        match input.paid_at {
            Some(at) if at > now => return Err(refused("moment_in_the_future")),
            Some(at) if at < claim.created_at => return Err(refused("paid_before_claim")),
            _ => {}
        }
        let noted = claim.payment.paid_at.filter(|_| claim.state == ClaimState::PaymentSeen);
        let seen = self.payments.seen(tx, claim.id, claim.give.amount.units() - claim.balances.received.units()).await?;
        let paid_at = seen.map(|seen| seen.whole).or(input.paid_at).or(noted).unwrap_or(now);
        let input = TransitionInput { paid_at: Some(paid_at), ..input.clone() };
        if row.action == Action::LatePayment && !claim.can_be_late(paid_at) {
            return Err(not_allowed(row.action, claim.state));
        }
        if matches!(row.action, Action::PaymentSeen | Action::LatePayment) || !claim.is_late(paid_at) {
            return Ok((row, input));
        }
        let agreed = claim.larger_given()?.value();
        let late = Self::row(claim, Action::LatePayment, Actor::Operator)?;
        Ok((late, TransitionInput { amount: input.amount.or(Some(agreed)), ..input }))
    }

    /// The change of the rate since it was agreed, against the tolerance of the claim's direction, or else the
    /// exchange's, for a payment made at a time. `None` while there are no current terms, because the pair is suspended
    /// or the reserve is too low, and with a floating rate.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(crate) fn rate_move(&self, claim: &Claim, paid_at: Timestamp, now: Timestamp) -> Result<Option<RateChange>> {
        if claim.terms.floating {
            return Ok(None);
        }
        let (agreed, terms) = (claim.rate()?, terms::agreed(claim)?);
        let Ok(offer) = self.terms_for(claim, claim.give.amount, now) else { return Ok(None) };
        let present = Decimal::from_str_exact(&offer.rate).map_err(Error::internal)?;
        let general = || Decimal::new(self.platform.settings.int(LATE_TOLERANCE), 2);
        let tolerance = terms.tolerance.and_then(|tolerance| tolerance.late_percent).unwrap_or_else(general);
        let percent = (present - agreed).checked_mul(Decimal::ONE_HUNDRED).and_then(|moved| moved.checked_div(agreed));
        let is_tolerated = claim.is_delay_tolerated(paid_at) && is_less_than(agreed, present, tolerance);
        Ok(percent.map(|percent| RateChange { percent, is_tolerated }))
    }

    /// Stops the timeout of a reported payment after a receipt: an operator checks it. The caller has locked the claim.
    pub(super) async fn stop_report_timeout(&self, tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<()> {
        let mut claim = claims::claim(tx, id).await?;
        if claim.state != ClaimState::PaymentClaimed || claim.progress.expires_at.is_none() {
            return Ok(());
        }
        (claim.progress.expires_at, claim.progress.warn_at, claim.updated_at) = (None, None, now);
        claims::update(tx, &mut claim).await
    }

    /// Whether money was seen for a claim that would end unpaid now: then it goes on with that.
    pub(super) async fn has_timely_payment(&self, tx: &mut Tx, claim: &Claim) -> Result<bool> {
        let Some(seen) = self.payments.seen(tx, claim.id, claim.give.amount.units()).await? else { return Ok(false) };
        Ok(claim.state == ClaimState::PaymentClaimed || claim.progress.expires_at.is_some_and(|end| seen.first < end))
    }

    /// Warns a customer that the reported payment has not been found, and when the claim expires.
    pub(super) async fn warn_about_missing_payment(self: &Arc<Self>, id: Uuid) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move {
                    let Some(mut claim) = claims::locked_if_free(tx, id).await? else { return Ok(()) };
                    let now = this.platform.clock.now();
                    if claim.state != ClaimState::PaymentClaimed || claim.progress.warn_at.is_none_or(|moment| moment > now) {
                        return Ok(());
                    }
                    let before = this.audit_snapshot(&claim);
                    (claim.progress.warn_at, claim.updated_at) = (None, now);
                    claims::update(tx, &mut claim).await?;
                    let event = NewClaimEvent::of(&claim, now, Actor::Timer, "payment_missing");
                    history::insert(tx, &event).await?;
                    this.send_email_kind(tx, "claim_payment_missing", &claim, now).await?;
                    this.record_audit(tx, &Initiator::Timer.audit_actor(), "payment_missing", &before, &claim, now).await?;
                    this.publish_change(tx, claim.id);
                    Ok(())
                })
            })
            .await
    }
}

/// Starts the timeout of a reported payment, with the warning halfway. With a receipt there is none, because an operator
/// checks it.
pub(super) async fn start_report_timeout(tx: &mut Tx, claim: &mut Claim, now: Timestamp) -> Result<()> {
    if receipts::count(tx, claim.id).await? > 0 {
        claim.progress.expires_at = None;
    } else {
        claim.progress.warn_at = claim.progress.expires_at.map(|end| Timestamp(now.0.midpoint(end.0)));
    }
    Ok(())
}

/// Whether a rate moved by less than so many percent, in either direction.
fn is_less_than(agreed: Decimal, present: Decimal, percent: Decimal) -> bool {
    let moved = (present - agreed).abs().checked_mul(Decimal::ONE_HUNDRED);
    let bound = agreed.checked_mul(percent);
    // An overflow counts as a large change.
    matches!((moved, bound), (Some(moved), Some(bound)) if moved < bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_measured_both_ways_and_the_bound_itself_is_too_far() {
        let stays = |agreed: &str, present: &str, basis_points: i64| {
            is_less_than(agreed.parse().unwrap(), present.parse().unwrap(), Decimal::new(basis_points, 2))
        };
        assert!(stays("100", "101.99", 200) && stays("100", "98.01", 200) && stays("0.00001", "0.0000101", 200));
        assert!(!stays("100", "102", 200) && !stays("100", "98", 200) && !stays("100", "97", 200));
        assert!(stays("100", "100", 1) && !stays("100", "100", 0), "at a tolerance of nothing everybody is asked");
        assert!(!stays("1", "79228162514264337593543950335", 200), "a number too big to compare is far");
    }
}
