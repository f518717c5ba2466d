//! The sums of a step: what came and what was paid out, as far as whoever makes it says.

use agio_core::{Amount, Error, Result};
use rust_decimal::Decimal;

use super::Claim;
use super::terms::passes_for_agreed;
use crate::model::{Action, Effect, Transition};

/// What came and what was paid out, in units, as far as an action says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// All that ever came.
    pub came: i64,
    /// What of the payout has arrived.
    pub arrived: i64,
}

/// Whether a step would take a payout back of which a part has arrived: that part would be paid once more.
#[must_use]
pub fn takes_back_what_arrived(claim: &Claim, row: &Transition) -> bool {
    row.money == Effect::TakeBackHold && claim.paid_out_units > 0
}

/// The sums of an action, checked against what the claim knows. What was seen on a network is what came, although it only passes for the agreed
/// amount; a member of staff who says that the payment is there and names no sum means the agreed amount, and another one only passes within the
/// tolerance of the claim's terms.
///
/// # Errors
/// 422 at `amount`; 409 `claim_unreadable`.
pub fn sums(claim: &mut Claim, row: &Transition, was_seen: bool, named: Option<Decimal>, overridden: bool) -> Result<Sums> {
    let refused = |code| Error::unprocessable("validation_failed").at("amount", code);
    let exact = |amount: Decimal, like: Amount| {
        let amount = Amount::exact(amount, like.scale()).map_err(|error| refused(error.code()))?.units();
        if amount > 0 { Ok(amount) } else { Err(refused("not_an_amount")) }
    };
    let mut sums = Sums { came: claim.received_units, arrived: claim.paid_out_units };
    let is_received = row.action == Action::PaymentReceived && !(was_seen && named.is_some());
    match (row.money, named) {
        (effect, amount) if is_received => {
            let named = amount.map(|amount| exact(amount, claim.send())).transpose()?;
            sums.came = match effect {
                Effect::ReceivePayment => named.unwrap_or(claim.send_units.max(claim.received_units)),
                _ => claim.received_units,
            };
            if sums.came < claim.received_units {
                return Err(refused("amount_came_before"));
            }
            let passes = overridden || passes_for_agreed(claim, sums.came)?;
            if !passes || named.is_some_and(|named| named != sums.came) {
                return Err(refused("amount_differs"));
            }
        }
        (Effect::ReceivePayment | Effect::ReceiveLate, Some(amount)) => {
            sums.came = exact(amount, claim.send())?;
            if sums.came <= claim.received_units {
                return Err(refused("amount_came_before"));
            }
        }
        (Effect::SettlePart, None) => {}
        (effect, Some(amount)) if effect == Effect::SettlePart || row.action == Action::PayoutPartial => {
            sums.arrived = exact(amount, claim.receive())?;
            if sums.arrived >= claim.receive_units {
                return Err(refused("amount_is_whole"));
            }
            // What has arrived stays arrived; a further part makes it more.
            let is_again = effect != Effect::SettlePart && sums.arrived == claim.paid_out_units;
            if sums.arrived < claim.paid_out_units || is_again {
                return Err(refused("amount_paid_before"));
            }
            claim.paid_out_units = sums.arrived;
        }
        _ => {}
    }
    Ok(sums)
}
