//! Money that came late, and was worth the same.

use std::sync::Arc;

use agio_core::{Result, Timestamp, Tx};
use rust_decimal::Decimal;

use super::Claims;
use super::moving::{Said, Who};
use crate::LATE_TOLERANCE;
use crate::model::{Action, Actor, Transition};
use crate::rules::Claim;
use crate::rules::terms::Terms;

impl Claims {
    /// Establishes that the agreed amount came after the claim had ended. If the rate barely moved meanwhile, the claim goes on at its own terms and
    /// nobody is asked: the customer gets what they were promised, and the house bears so much of a move. Else they are offered new terms.
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
        let claim = self.advance(tx, claim, row, who, &Said { silent: true, ..said }).await?;
        // A promo code that somebody else has used up meanwhile is not used a second time.
        if claim.promo != promo || !self.is_worth_the_same(&claim, now) {
            self.write_letter(tx, &claim, now).await?;
            return Ok(claim);
        }
        let row = Self::row(&claim, Action::Accept, Actor::System)?;
        self.advance(tx, claim, row, &Who::House, &Said::default()).await
    }

    /// Whether the course of a claim moved by less than the tolerance since it was agreed on: the one its direction had then, or else the one the
    /// house has now. Where no terms can be had at this moment, be it that the pair stands still or that the reserve is too low, nothing goes on
    /// by itself; nor does a claim whose rate was to be that of its payment.
    fn is_worth_the_same(&self, claim: &Claim, now: Timestamp) -> bool {
        if claim.floating {
            return false;
        }
        let house = || Decimal::new(self.platform.settings.int(LATE_TOLERANCE), 2);
        let tolerance = Terms::of(claim).tolerance.late_percent().unwrap_or_else(house);
        let Ok(offer) = self.terms_for(claim, claim.send_units, now) else { return false };
        let present: Option<Decimal> = offer.course.parse().ok();
        present.is_some_and(|present| is_less_than(claim.course(), present, tolerance))
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
