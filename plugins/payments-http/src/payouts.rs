//! Payouts. Only an answer of the contract says what became of one: whatever else comes leaves it unknown.

use agio_plugin_sdk::protocol::{
    ActionResult, CallError, CallResult, HttpFailure, PayoutRequest, PayoutState, PluginRequest, PluginResponse,
};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::json;

use crate::answers::{self, identifier, shortened};
use crate::{get, post};

const ID_MAX: usize = 100;

#[derive(Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum Payout {
    Sent { id: String, confirmations: u32, fee: Option<Fee> },
    NeverSent { code: String, message: String },
    Returned { id: String },
    Unknown { message: String },
}

#[derive(Deserialize)]
struct Fee(#[serde(deserialize_with = "answers::amount")] Decimal);

pub fn send(input: &PluginRequest, payout: &PayoutRequest) -> Result<PluginResponse, CallError> {
    let Some(outcome) = input.outcomes.first() else {
        let body = json!({
            "key": payout.key,
            "currency": payout.currency,
            "amount": payout.amount.normalize().to_string(),
            "address": payout.address,
            "memo": payout.memo,
        });
        return post(input, "payouts", &body);
    };
    // A gateway that was not reached has not acted: the same request may be made again.
    if let ActionResult::HttpFailure(HttpFailure { may_have_acted: false, why }) = outcome {
        return Err(CallError::temporary("unreachable", why.clone()));
    }
    let state = state(outcome).unwrap_or_else(|error| PayoutState::Unknown { why: format!("{}: {}", error.code, error.why) });
    Ok(PluginResponse::Done(CallResult::Payout(state)))
}

pub fn status(input: &PluginRequest, payout: &PayoutRequest) -> Result<PluginResponse, CallError> {
    let Some(outcome) = input.outcomes.first() else { return get(input, &format!("payouts/{}", payout.key)) };
    state(outcome).map(|state| PluginResponse::Done(CallResult::Payout(state)))
}

fn state(outcome: &ActionResult) -> Result<PayoutState, CallError> {
    Ok(match answers::read(outcome)? {
        Payout::Sent { id, confirmations, fee } => PayoutState::Sent {
            tx_id: identifier("the payout's id", id, ID_MAX)?,
            confirmations,
            fee: fee.map(|Fee(fee)| fee.normalize().to_string()),
        },
        Payout::NeverSent { code, message } => {
            PayoutState::NeverSent { code: identifier("the code", code, 64)?, why: shortened(&message) }
        }
        Payout::Returned { id } => PayoutState::Returned { tx_id: identifier("the payout's id", id, ID_MAX)? },
        Payout::Unknown { message } => PayoutState::Unknown { why: shortened(&message) },
    })
}
