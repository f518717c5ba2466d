//! Incoming payments.

use agio_plugin_sdk::protocol::{CallError, CallResult, Movement, Movements, PluginRequest, PluginResponse, WatchRequest};
use rust_decimal::Decimal;
use serde::Deserialize;

use crate::answers::{self, identifier, unreadable};
use crate::get;

const ID_MAX: usize = 100;

/// The most movements of one answer.
const MOVEMENTS_MAX: usize = 500;

#[derive(Deserialize)]
struct Page {
    movements: Vec<Received>,
    cursor: String,
}

#[derive(Deserialize)]
struct Received {
    id: String,
    invoice: String,
    #[serde(deserialize_with = "answers::amount")]
    amount: Decimal,
    confirmations: u32,
    #[serde(default)]
    reversed: bool,
}

pub fn watch(input: &PluginRequest, watch: &WatchRequest) -> Result<PluginResponse, CallError> {
    let Some(outcome) = input.outcomes.first() else {
        let after = watch.cursor.as_deref().map(|cursor| format!("&after={cursor}")).unwrap_or_default();
        let path = format!("movements?currency={}&confirmations={}{after}", watch.currency, watch.confirmations);
        return get(input, &path);
    };
    let page: Page = answers::read(outcome)?;
    if page.movements.len() > MOVEMENTS_MAX {
        return Err(unreadable("the answer has more than 500 movements"));
    }
    let movement = |received: Received| {
        Ok(Movement {
            tx_id: identifier("the movement's id", received.id, ID_MAX)?,
            output: 0,
            address: identifier("the movement's invoice", received.invoice, ID_MAX)?,
            memo: None,
            amount: received.amount,
            confirmations: received.confirmations,
            gone: received.reversed,
        })
    };
    let movements = page.movements.into_iter().map(movement).collect::<Result<_, CallError>>()?;
    let cursor = identifier("the cursor", page.cursor, ID_MAX)?;
    Ok(PluginResponse::Done(CallResult::Movements(Movements { movements, cursor, height: 0 })))
}
