//! What exchanging another amount would mean, as the console is shown it.

use agio_http::Dec;
use poem_openapi::Object;
use serde::Serialize;

use crate::api::ClaimFees;
use crate::service::Recalculation;

/// What was agreed on.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskAgreedAmounts {
    /// What was to come.
    send: Dec,
    /// What was to be received.
    receive: Dec,
    /// Units received for one unit sent.
    course: Dec,
}

/// What would be earned.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskIncome {
    /// The fixed fee on the sent side, in the currency sent.
    fee_from: Dec,
    /// The fixed fee on the received side, in the currency received.
    fee_to: Dec,
    /// All the rest, in the currency received; below zero for a loss.
    spread: Dec,
}

/// What exchanging the amount that came would mean.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRecalculation {
    /// The claim's revision it holds for.
    revision: i64,
    /// The code of the currency sent.
    from: String,
    /// The code of the currency received.
    to: String,
    /// What came.
    came: Dec,
    /// What was agreed on.
    agreed: DeskAgreedAmounts,
    /// What would be received for what came.
    receive: Dec,
    /// Units received for one unit sent.
    course: Dec,
    /// `agreed` at the claim's own terms, `present` at those of this moment, because the agreed ones have ended and the rate moved.
    basis: String,
    /// Whether what came passes for the agreed amount anyway.
    within_tolerance: bool,
    /// The fees in it.
    fees: ClaimFees,
    /// What would be earned.
    income: DeskIncome,
}

impl DeskRecalculation {
    /// A recalculation as the console shows it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn of(found: &Recalculation) -> agio_core::Result<Self> {
        let Recalculation { claim, offer, income, .. } = found;
        let course = offer.course.parse().map_err(agio_core::Error::internal)?;
        Ok(Self {
            revision: claim.revision,
            from: claim.from_code.clone(),
            to: claim.to_code.clone(),
            came: Dec(claim.sent(claim.received_units).value()),
            agreed: DeskAgreedAmounts {
                send: Dec(claim.send().value()),
                receive: Dec(claim.receive().value()),
                course: Dec(claim.course()?),
            },
            receive: Dec(claim.received(offer.receive_units).value()),
            course: Dec(course),
            basis: if found.at_agreed { "agreed" } else { "present" }.to_owned(),
            within_tolerance: found.passes,
            fees: ClaimFees::of(&found.exchanged)?,
            income: DeskIncome {
                fee_from: Dec(claim.sent(income.fee_sent).value()),
                fee_to: Dec(claim.received(income.fee_received).value()),
                spread: Dec(claim.received(income.spread).value()),
            },
        })
    }
}
