//! What a gateway can do.

use agio_plugin_sdk::protocol::{AmountLimits, CallError, CallResult, Capabilities, PluginRequest, PluginResponse};
use rust_decimal::Decimal;
use serde::Deserialize;

use crate::answers::{self, unreadable};
use crate::get;

#[derive(Deserialize)]
struct Offer {
    currencies: Vec<ServedCurrency>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServedCurrency {
    currency: String,
    /// Unknown ones are ignored: more may be added.
    operations: Vec<String>,
    invoice_min: Option<Limit>,
    invoice_max: Option<Limit>,
    payout_min: Option<Limit>,
    payout_max: Option<Limit>,
}

#[derive(Deserialize)]
struct Limit(#[serde(deserialize_with = "answers::amount")] Decimal);

pub fn capabilities(input: &PluginRequest, currency: &str) -> Result<PluginResponse, CallError> {
    let Some(outcome) = input.outcomes.first() else { return get(input, "capabilities") };
    let offer: Offer = answers::read_optional(outcome)?;
    let served = offer.currencies.into_iter().find(|served| served.currency == currency);
    let capabilities = served.map(read).transpose()?.unwrap_or_default();
    Ok(PluginResponse::Done(CallResult::Capabilities(capabilities)))
}

fn read(served: ServedCurrency) -> Result<Capabilities, CallError> {
    let ServedCurrency { operations, invoice_min, invoice_max, payout_min, payout_max, .. } = served;
    let can = |name: &str| operations.iter().any(|operation| operation == name);
    Ok(Capabilities {
        invoices: can("invoices"),
        payouts: can("payouts"),
        refunds: can("refunds"),
        balance: can("balance"),
        fee: can("fee"),
        invoice_limits: limits(invoice_min, invoice_max)?,
        payout_limits: limits(payout_min, payout_max)?,
    })
}

fn limits(min: Option<Limit>, max: Option<Limit>) -> Result<AmountLimits, CallError> {
    let (min, max) = (min.map(|limit| limit.0), max.map(|limit| limit.0));
    if min.zip(max).is_some_and(|(min, max)| min > max) {
        return Err(unreadable("a minimum is above its maximum"));
    }
    Ok(AmountLimits { min, max })
}
