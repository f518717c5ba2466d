//! Incoming payments.
//!
//! The wallet does not report what disappears, and it has no identifier of a block that could be compared. So each call
//! lists the payments of the last blocks again, as far back as the chain may still change, and compares them with those
//! in the cursor.

use std::collections::BTreeMap;

use agio_plugin_sdk::protocol::{CallError, CallResult, Movement, Movements, PluginRequest, PluginResponse, WatchRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rpc::{self, WalletFailure};
use crate::units::amount;

/// The wallet follows no reorganisation that is deeper (`ORPHANED_BLOCKS_MAX_COUNT`).
const REORGANISED_MAX: u64 = 100;

/// Where the last answer ended.
#[derive(Default, Serialize, Deserialize)]
struct Cursor {
    /// Blocks of the chain.
    height: u64,
    /// The payments that may still disappear.
    open: Vec<OpenPayment>,
}

#[derive(Clone, Serialize, Deserialize)]
struct OpenPayment {
    tx: String,
    /// Number of the subaddress. It serves as the output: the wallet tells the sum that a transaction pays to each.
    index: u32,
    address: String,
    units: u64,
    /// The height of its block; 0 while it waits for one.
    height: u64,
    /// Whether it was reported with the required confirmations.
    settled: bool,
}

/// What came since the last answer, and what became of the payments that may still disappear.
pub fn watch(input: &PluginRequest, watch: &WatchRequest) -> PluginResponse {
    step(input, watch).unwrap_or_else(PluginResponse::Failed)
}

fn step(input: &PluginRequest, watch: &WatchRequest) -> Result<PluginResponse, CallError> {
    let cursor = match &watch.cursor {
        Some(cursor) => {
            serde_json::from_str(cursor).map_err(|_| CallError::permanent("bad_cursor", "the stored cursor cannot be read"))?
        }
        None => Cursor::default(),
    };
    if input.outcomes.is_empty() {
        let height = rpc::call(input, "get_height", &json!({}));
        let actions = vec![rpc::refresh(input), rpc::primary_address(input), height];
        return Ok(PluginResponse::Needs { actions, memo: Value::Null });
    }
    let unreadable = |what| WalletFailure::unreadable(what).into_call_error();
    let Some(head) = input.memo["head"].as_u64() else {
        let result = |place| rpc::result(input, place).map_err(WalletFailure::into_call_error);
        result(0)?;
        rpc::check_network(input, &result(1)?)?;
        let head = result(2)?["height"].as_u64().ok_or_else(|| unreadable("the height"))?;
        if head.saturating_add(REORGANISED_MAX) < cursor.height {
            let why = format!("the wallet has read {head} blocks, and {} before", cursor.height);
            return Err(CallError::temporary("wallet_behind", why));
        }
        let listed = json!({
            "account_index": 0, "in": true, "pool": true, "filter_by_height": true, "min_height": first(&cursor, watch, head),
        });
        let actions = vec![rpc::call(input, "get_transfers", &listed)];
        return Ok(PluginResponse::Needs { actions, memo: json!({ "head": head }) });
    };
    let listed = rpc::result(input, 0).map_err(WalletFailure::into_call_error)?;
    let listed = payments(&listed).ok_or_else(|| unreadable("the payments"))?;
    Ok(PluginResponse::Done(CallResult::Movements(report(watch, cursor, head, listed))))
}

/// What is listed is above this height.
fn first(cursor: &Cursor, watch: &WatchRequest, head: u64) -> u64 {
    let read = if watch.cursor.is_some() { cursor.height.min(head) } else { head };
    read.saturating_sub(REORGANISED_MAX + u64::from(watch.confirmations))
}

/// A listed payment, with its confirmations.
type Listed = (OpenPayment, u32);

/// The payments to subaddresses; what is paid to the primary address is the owner's, or change.
fn payments(listed: &Value) -> Option<BTreeMap<(String, u32), Listed>> {
    let mut payments = BTreeMap::<_, Listed>::new();
    // What is in a block comes last and replaces what the pool had.
    for group in ["pool", "in"] {
        let mut found = BTreeMap::<_, Listed>::new();
        for entry in listed[group].as_array().into_iter().flatten() {
            let Some((payment, confirmations)) = payment(entry)? else { continue };
            let sum = found.entry((payment.tx.clone(), payment.index));
            sum.and_modify(|(known, _)| known.units = known.units.saturating_add(payment.units))
                .or_insert((payment, confirmations));
        }
        payments.append(&mut found);
    }
    Some(payments)
}

/// An entry of the wallet; `Some(None)` if it is no payment.
fn payment(entry: &Value) -> Option<Option<Listed>> {
    let index = u32::try_from(entry["subaddr_index"]["minor"].as_u64()?).ok()?;
    let units = entry["amount"].as_u64()?;
    // Nobody can spend it before its time: until then it is no payment, and it fixes no rate.
    let is_locked = entry["unlock_time"].as_u64()? != 0 && entry["locked"] != false;
    if index == 0 || units == 0 || is_locked {
        return Some(None);
    }
    let confirmations = entry.get("confirmations").map_or(Some(0), Value::as_u64)?;
    let payment = OpenPayment {
        tx: entry["txid"].as_str()?.to_owned(),
        index,
        address: entry["address"].as_str()?.to_owned(),
        units,
        height: entry["height"].as_u64()?,
        settled: false,
    };
    Some(Some((payment, u32::try_from(confirmations).unwrap_or(u32::MAX))))
}

fn report(watch: &WatchRequest, cursor: Cursor, head: u64, mut listed: BTreeMap<(String, u32), Listed>) -> Movements {
    let first = first(&cursor, watch, head);
    let mut movements = Vec::new();
    for known in cursor.open {
        match listed.get_mut(&(known.tx.clone(), known.index)) {
            Some((payment, _)) => {
                payment.settled = known.settled && (payment.height, payment.units) == (known.height, known.units);
            }
            // It has become too old to be listed.
            None if known.height > 0 && known.height <= first => {}
            None => movements.push(movement(&known, 0, true)),
        }
    }
    let mut open = Vec::new();
    for (mut payment, confirmations) in listed.into_values() {
        if !payment.settled {
            movements.push(movement(&payment, confirmations, false));
            payment.settled = confirmations >= watch.confirmations;
        }
        open.push(payment);
    }
    let cursor = json!(Cursor { height: head, open }).to_string();
    Movements { movements, cursor, height: head.saturating_sub(1) }
}

fn movement(payment: &OpenPayment, confirmations: u32, gone: bool) -> Movement {
    Movement {
        tx_id: payment.tx.clone(),
        output: payment.index,
        address: payment.address.clone(),
        memo: None,
        amount: amount(payment.units),
        confirmations,
        gone,
    }
}
