//! The preview of a recalculation.

use agio_http::{Dec, ExchangeFees, body};
use poem_openapi::Enum;
use serde::Serialize;

use crate::rules::terms::agreed;
use crate::service::Recalculation;

/// The agreed amounts.
#[body(response)]
#[derive(Clone, Debug)]
pub struct AgreedAmounts {
    /// The give amount.
    send: Dec,
    /// The receive amount.
    receive: Dec,
    /// The rate: units received for one unit given.
    rate: Dec,
}

/// The expected income.
#[body(response)]
#[derive(Clone, Debug)]
pub struct ExpectedIncome {
    /// The fixed fee on the give side, in its currency.
    fee_from: Dec,
    /// The fixed fee on the receive side, in its currency.
    fee_to: Dec,
    /// The spread, in the receive currency; negative for a loss.
    spread: Dec,
}

/// The terms a recalculation uses.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum RecalculationBasis {
    /// The claim's own terms.
    Agreed,
    /// Current terms: the agreed ones have ended and the rate has moved.
    Present,
}

/// The result of exchanging the amount that arrived.
#[body(response)]
#[derive(Clone, Debug)]
pub struct RecalculationView {
    /// The claim's revision.
    revision: i64,
    /// The code of the give currency.
    from: String,
    /// The code of the receive currency.
    to: String,
    /// The amount that arrived.
    came: Dec,
    /// The agreed amounts.
    agreed: AgreedAmounts,
    /// The receive amount for the amount that arrived.
    receive: Dec,
    /// The rate: units received for one unit given.
    rate: Dec,
    basis: RecalculationBasis,
    /// Whether the amount is within the tolerance of the agreed one.
    within_tolerance: bool,
    /// The fees included.
    fees: ExchangeFees,
    /// The expected income.
    income: ExpectedIncome,
}

impl RecalculationView {
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(found: &Recalculation) -> agio_core::Result<Self> {
        let Recalculation { claim, offer, income, .. } = found;
        let rate = offer.rate.parse().map_err(agio_core::Error::internal)?;
        Ok(Self {
            revision: claim.revision,
            from: claim.give.code.clone(),
            to: claim.receive.code.clone(),
            came: Dec(claim.balances.received.value()),
            agreed: AgreedAmounts {
                send: Dec(claim.give.amount.value()),
                receive: Dec(claim.receive.amount.value()),
                rate: Dec(claim.rate()?),
            },
            receive: Dec(claim.receive.of(offer.receive_units).value()),
            rate: Dec(rate),
            basis: if found.at_agreed { RecalculationBasis::Agreed } else { RecalculationBasis::Present },
            within_tolerance: found.passes,
            fees: agreed(&found.exchanged)?.fees.into(),
            income: ExpectedIncome {
                fee_from: Dec(income.give_fee.value()),
                fee_to: Dec(income.receive_fee.value()),
                spread: Dec(income.spread.value()),
            },
        })
    }
}
