//! The balance, for staff.

use agio_plugin_sdk::protocol::{AvailableBalance, CallError, CallResult, PluginRequest, PluginResponse};
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
    let Available { amount } = answers::read_optional(outcome)?;
    Ok(PluginResponse::Done(CallResult::Balance(AvailableBalance { amount })))
}
