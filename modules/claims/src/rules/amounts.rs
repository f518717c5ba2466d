//! The amounts of a transition: received and paid out.

use agio_core::{Amount, Error, Result};
use rust_decimal::Decimal;

use super::Claim;
use super::terms::passes_for_agreed;
use crate::model::{Action, LedgerEffect, Transition};

/// How many times the agreed amount staff can record as received. An invented amount would otherwise fill the ledger's
/// account of the currency up to its end, and nobody's payment could be booked any more.
const RECORDED_TIMES_MAX: i64 = 1_000;

/// The amounts received and paid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepAmounts {
    /// The total received.
    pub received: Amount,
    /// The part of the payout that has arrived.
    pub paid_out: Amount,
}

/// Whether a transition would reverse a payout of which a part has arrived: that part would be paid twice.
pub fn reverses_delivered_payout(claim: &Claim, row: &Transition) -> bool {
    row.effect == LedgerEffect::RestoreHold && claim.balances.paid_out.units() > 0
}

/// The amounts of a transition, validated. A detected amount is taken as it is. An operator who gives no amount means
/// the agreed one; a different amount must be within the tolerance, or is recorded as another one.
///
/// # Errors
/// 422 at `amount`; 409 `claim_unreadable`.
pub fn step_amounts(
    claim: &mut Claim,
    row: &Transition,
    was_seen: bool,
    named: Option<Decimal>,
    overridden: bool,
) -> Result<StepAmounts> {
    let refused = |code| Error::unprocessable("validation_failed").at("amount", code);
    let exact = |amount: Decimal, like: Amount| {
        let amount = Amount::exact(amount, like.currency()).map_err(|error| refused(error.code()))?;
        if amount.units() > 0 { Ok(amount) } else { Err(refused("not_an_amount")) }
    };
    let mut amounts = StepAmounts { received: claim.balances.received, paid_out: claim.balances.paid_out };
    let is_received = row.action == Action::PaymentReceived && !(was_seen && named.is_some());
    match (row.effect, named) {
        (effect, amount) if is_received => {
            let named = amount.map(|amount| exact(amount, claim.give.amount)).transpose()?;
            amounts.received = match effect {
                LedgerEffect::ReceivePayment => match named {
                    Some(named) => named,
                    None => claim.larger_given()?,
                },
                _ => claim.balances.received,
            };
            if amounts.received.compare(claim.balances.received)?.is_lt() {
                return Err(refused("amount_came_before"));
            }
            let passes = overridden || passes_for_agreed(claim, amounts.received)?;
            if !passes || named.is_some_and(|named| named != amounts.received) {
                return Err(refused("amount_differs"));
            }
        }
        (LedgerEffect::ReceivePayment | LedgerEffect::ReceiveLate, Some(amount)) => {
            amounts.received = exact(amount, claim.give.amount)?;
            if amounts.received.compare(claim.balances.received)?.is_le() {
                return Err(refused("amount_came_before"));
            }
            if !was_seen && amounts.received.units() > claim.give.amount.units().saturating_mul(RECORDED_TIMES_MAX) {
                return Err(refused("amount_implausible").with("max", RECORDED_TIMES_MAX));
            }
        }
        (LedgerEffect::SettlePart, None) => {}
        (effect, Some(amount)) if effect == LedgerEffect::SettlePart || row.action == Action::PayoutPartial => {
            amounts.paid_out = exact(amount, claim.receive.amount)?;
            if amounts.paid_out.compare(claim.receive.amount)?.is_ge() {
                return Err(refused("amount_is_whole"));
            }
            // What has arrived stays arrived; a further part makes it more.
            let is_again = effect != LedgerEffect::SettlePart && amounts.paid_out == claim.balances.paid_out;
            if amounts.paid_out.compare(claim.balances.paid_out)?.is_lt() || is_again {
                return Err(refused("amount_paid_before"));
            }
            claim.balances.paid_out = amounts.paid_out;
        }
        _ => {}
    }
    Ok(amounts)
}
