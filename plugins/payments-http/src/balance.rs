//! The balance, for staff.

use agio_plugin_sdk::protocol::{ActionResult, Balance, CallError, CallResult, PluginRequest, PluginResponse};
use rust_decimal::Decimal;
use serde::Deserialize;

use crate::{answers, get};

#[derive(Deserialize)]
struct Available {
    #[serde(deserialize_with = "answers::amount")]
    amount: Decimal,
}

pub fn balance(input: &PluginRequest, currency: &str) -> Result<PluginResponse, CallError> {
    let Some(outcome) = input.outcomes.first() else { return get(input, &format!("balance?currency={currency}")) };
    // The operation is optional.
    if matches!(outcome, ActionResult::Http(reply) if matches!(reply.status, 404 | 405 | 501)) {
        return Err(CallError::permanent("not_supported", "the gateway knows no balance of this currency"));
    }
    let Available { amount } = answers::read(outcome)?;
    Ok(PluginResponse::Done(CallResult::Balance(Balance { amount })))
}
