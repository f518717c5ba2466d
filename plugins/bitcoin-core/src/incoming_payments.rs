//! Incoming payments.

use std::collections::HashSet;

use agio_plugin_sdk::protocol::{CallResult, Movement, Movements, PluginRequest, PluginResponse, WatchRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::WALLET;
use crate::coins::Coin;
use crate::rpc::{self, Failure, codes};

/// The most payments whose state is queried in one call.
const MISSING_MAX: usize = 500;

/// The place where the last answer ended.
#[derive(Default, Serialize, Deserialize)]
struct Cursor {
    /// The node's `lastblock`. It is so many blocks deep that whatever has fewer confirmations is listed again.
    block: String,
    /// Transaction and output of the payments that were reported and have fewer confirmations than required. A payment
    /// that was replaced or spent twice by somebody else is listed no more: its state has to be queried.
    waiting: Vec<(String, u32)>,
}

/// What is noted between the rounds.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    /// The node did not know the block and lists everything, which is harmless.
    FromTheBeginning,
    /// These payments were listed, and those are queried.
    Missing { listed: Movements, missing: Vec<(String, u32)> },
}

/// What came since the last answer, and what became of the payments that wait for confirmations.
pub fn watch(coin: &Coin, request: &PluginRequest, watch: &WatchRequest) -> PluginResponse {
    let cursor: Cursor = watch.cursor.as_deref().and_then(|cursor| serde_json::from_str(cursor).ok()).unwrap_or_default();
    let note = serde_json::from_value(request.memo.clone()).ok();
    if request.outcomes.is_empty() {
        return list(request, watch, &cursor.block, None);
    }
    let result = match note {
        Some(Note::Missing { listed, missing }) => with_missing(request, listed, &missing),
        note => match listed(coin, request) {
            Ok(listed) => {
                let missing = missing(&cursor, &listed);
                if !missing.is_empty() {
                    return query(request, Note::Missing { listed, missing });
                }
                Ok((listed, Vec::new()))
            }
            Err(Failure::Refused(codes::INVALID_ADDRESS_OR_KEY, _)) if note.is_none() && !cursor.block.is_empty() => {
                return list(request, watch, "", Some(Note::FromTheBeginning));
            }
            Err(failure) => Err(failure),
        },
    };
    match result {
        Ok((movements, unknown)) => finish(watch, cursor, movements, unknown),
        Err(failure) => PluginResponse::Failed(failure.into_call_error()),
    }
}

fn list(request: &PluginRequest, watch: &WatchRequest, since: &str, note: Option<Note>) -> PluginResponse {
    // Null lets the node decide about addresses without keys: it lists them if the wallet has no other ones.
    let listed = json!([since, watch.confirmations.max(1), null, true]);
    let calls = [rpc::first_block(), ("listsinceblock", listed), ("getblockcount", json!([]))];
    PluginResponse::Needs { actions: vec![rpc::batch(request, request.setting(WALLET), &calls)], memo: json!(note) }
}

/// The listed payments, with the node's `lastblock` as the cursor.
fn listed(coin: &Coin, request: &PluginRequest) -> Result<Movements, Failure> {
    let mut results = rpc::checked_results(coin, request, 2)?.into_iter();
    let (listed, height) = (results.next().transpose()?, results.next().transpose()?);
    movements(&listed.unwrap_or_default(), &height.unwrap_or_default()).ok_or_else(unreadable)
}

fn unreadable() -> Failure {
    Failure::Unclear("the answer cannot be read".to_owned())
}

fn movements(listed: &Value, height: &Value) -> Option<Movements> {
    let reported = listed["transactions"].as_array()?.iter().filter(|entry| is_deposit(entry)).map(movement);
    let mut movements: Vec<Movement> = reported.collect::<Option<_>>()?;
    // What is on the chain again, or waits again, is among the transactions as well, and that is its state.
    for entry in listed["removed"].as_array().into_iter().flatten().filter(|entry| is_deposit(entry)) {
        let undone = movement(entry)?;
        if !movements.iter().any(|known| (&known.tx_id, known.output) == (&undone.tx_id, undone.output)) {
            movements.push(undone);
        }
    }
    Some(Movements { movements, cursor: listed["lastblock"].as_str()?.to_owned(), height: height.as_u64()? })
}

/// The waiting payments that are not listed.
fn missing(cursor: &Cursor, listed: &Movements) -> Vec<(String, u32)> {
    let known: HashSet<_> = listed.movements.iter().map(|one| (one.tx_id.as_str(), one.output)).collect();
    let missing = cursor.waiting.iter().filter(|(tx_id, output)| !known.contains(&(tx_id.as_str(), *output)));
    missing.take(MISSING_MAX).cloned().collect()
}

fn query(request: &PluginRequest, note: Note) -> PluginResponse {
    let Note::Missing { missing, .. } = &note else { return PluginResponse::Failed(unreadable().into_call_error()) };
    let calls: Vec<_> = missing.iter().map(|(tx_id, _)| ("gettransaction", json!([tx_id, null, true]))).collect();
    PluginResponse::Needs { actions: vec![rpc::batch(request, request.setting(WALLET), &calls)], memo: json!(note) }
}

/// The listed payments with the queried ones, and those that the wallet does not know: it is another one, or was restored.
fn with_missing(
    request: &PluginRequest,
    mut listed: Movements,
    missing: &[(String, u32)],
) -> Result<(Movements, Vec<(String, u32)>), Failure> {
    let mut unknown = Vec::new();
    let results = rpc::results(request.outcomes.first(), missing.len())?;
    for ((tx_id, output), result) in missing.iter().zip(results) {
        match result {
            Ok(transaction) => {
                listed.movements.push(output_movement(&transaction, tx_id, *output).ok_or_else(unreadable)?);
            }
            Err(Failure::Refused(codes::INVALID_ADDRESS_OR_KEY, _)) => unknown.push((tx_id.clone(), *output)),
            Err(failure) => return Err(failure),
        }
    }
    Ok((listed, unknown))
}

/// An output of a transaction that `gettransaction` shows in full.
fn output_movement(transaction: &Value, tx_id: &str, output: u32) -> Option<Movement> {
    let confirmations = transaction["confirmations"].as_i64()?;
    let outputs = transaction["decoded"]["vout"].as_array()?;
    let found = outputs.iter().find(|one| one["n"].as_u64() == Some(output.into()))?;
    let script = &found["scriptPubKey"];
    // Before version 22 a script had several addresses.
    let address = script["address"].as_str().or_else(|| script["addresses"][0].as_str())?;
    Some(Movement {
        tx_id: tx_id.to_owned(),
        output,
        address: address.to_owned(),
        memo: None,
        amount: rpc::amount(&found["value"])?,
        confirmations: u32::try_from(confirmations.max(0)).ok()?,
        gone: confirmations < 0,
    })
}

/// The answer, with the payments to wait for in its cursor.
fn finish(watch: &WatchRequest, before: Cursor, report: Movements, unknown: Vec<(String, u32)>) -> PluginResponse {
    let waits = |one: &&Movement| !one.gone && one.confirmations < watch.confirmations;
    let known: HashSet<_> = report.movements.iter().map(|one| (one.tx_id.clone(), one.output)).collect();
    let mut waiting: Vec<_> = report.movements.iter().filter(waits).map(|one| (one.tx_id.clone(), one.output)).collect();
    // Those that were too many to be queried at once.
    waiting.extend(before.waiting.into_iter().filter(|one| !known.contains(one) && !unknown.contains(one)));
    let cursor = json!(Cursor { block: report.cursor, waiting }).to_string();
    PluginResponse::Done(CallResult::Movements(Movements { cursor, ..report }))
}

/// Whether an entry is a payment to one of our addresses, which have labels; without a label it is the owner who
/// fills the wallet.
///
/// Litecoin Core lists a payment from a private (MWEB) balance twice: in the customer's transaction, where it has no
/// output of its own, and as an output of the transaction that ends each block. The latter is the money; it is
/// `immature` for six blocks, as newly mined coins are, and `hogex` after that.
fn is_deposit(entry: &Value) -> bool {
    let is_labelled = entry["label"].as_str().is_some_and(|label| !label.is_empty());
    let is_payment = match entry["category"].as_str() {
        Some("receive" | "hogex") => true,
        Some("immature") => entry["generated"] != true,
        _ => false,
    };
    is_payment && is_labelled && entry["vout"].is_u64()
}

/// An entry of the wallet. One that conflicts with the chain has fewer than no confirmations: it was replaced, or
/// spent twice.
fn movement(entry: &Value) -> Option<Movement> {
    let confirmations = entry["confirmations"].as_i64()?;
    Some(Movement {
        tx_id: entry["txid"].as_str()?.to_owned(),
        output: u32::try_from(entry["vout"].as_u64()?).ok()?,
        address: entry["address"].as_str()?.to_owned(),
        memo: None,
        amount: rpc::amount(&entry["amount"])?,
        confirmations: u32::try_from(confirmations.max(0)).ok()?,
        gone: confirmations < 0 || entry["abandoned"] == true,
    })
}
