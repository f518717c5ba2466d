//! Sending payouts and querying their state.

use agio_plugin_sdk::protocol::{CallResult, PayoutRequest, PayoutState, PluginRequest, PluginResponse};
use serde_json::{Value, json};

use crate::rpc::{self, Failure, codes};

/// How many entries of the wallet are looked through at a time.
const PAGE: usize = 1_000;

/// What is noted between the rounds.
const SENDING: &str = "sending";

/// Sends money, unless the wallet has a transaction with the key as its comment.
pub fn send(request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    if request.memo == SENDING {
        return PluginResponse::Done(CallResult::Payout(sending(rpc::result(request.outcomes.first()))));
    }
    match look(request, payout) {
        Looked::Further(step) => step,
        Looked::Found(state) => PluginResponse::Done(CallResult::Payout(state)),
        Looked::Nowhere => {
            let params = json!({
                "address": payout.address, "amount": payout.amount.normalize().to_string(), "comment": payout.key,
                "subtractfeefromamount": false,
            });
            PluginResponse::Needs { actions: vec![rpc::single(request, "sendtoaddress", &params)], memo: json!(SENDING) }
        }
        // Nothing was requested this time, but the outcome of an earlier request is unknown.
        Looked::Failed(failure) => PluginResponse::Failed(failure.into_call_error()),
    }
}

/// What became of a payout.
pub fn sent(request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    match look(request, payout) {
        Looked::Further(step) => step,
        Looked::Found(state) => PluginResponse::Done(CallResult::Payout(state)),
        Looked::Nowhere => PluginResponse::Done(CallResult::Payout(PayoutState::NeverSent {
            code: "not_sent".to_owned(),
            why: "the wallet has no transaction with this comment".to_owned(),
        })),
        Looked::Failed(failure) => PluginResponse::Failed(failure.into_call_error()),
    }
}

/// Where the search for a payout stands.
enum Looked {
    /// There is more to look through.
    Further(PluginResponse),
    Found(PayoutState),
    /// The whole wallet was looked through.
    Nowhere,
    Failed(Failure),
}

/// Looks through the wallet, the newest first. What is entered meanwhile moves the rest further on, so nothing is passed over.
fn look(request: &PluginRequest, payout: &PayoutRequest) -> Looked {
    let skipped = request.memo["skipped"].as_u64().unwrap_or(0);
    let page = |skip: u64| PluginResponse::Needs {
        actions: vec![rpc::single(request, "listtransactions", &json!(["*", PAGE, skip]))],
        memo: json!({ "skipped": skip }),
    };
    if request.outcomes.is_empty() {
        return Looked::Further(page(0));
    }
    let entries = match rpc::result(request.outcomes.first()) {
        Ok(Value::Array(entries)) => entries,
        Ok(_) => return Looked::Failed(Failure::Unclear("the answer cannot be read".to_owned())),
        Err(failure) => return Looked::Failed(failure),
    };
    let ours = entries.iter().filter(|entry| entry["category"] == "send" && entry["comment"] == payout.key.as_str());
    // A transaction whose fee was raised hands its comment on: the one that can still be confirmed counts.
    match ours.filter_map(payout_state).max_by_key(|(rank, _)| *rank) {
        Some((_, state)) => Looked::Found(state),
        None if entries.len() < PAGE => Looked::Nowhere,
        None => Looked::Further(page(skipped + entries.len() as u64)),
    }
}

/// How an entry of the wallet stands, with how much it counts.
fn payout_state(entry: &Value) -> Option<(i64, PayoutState)> {
    let tx_id = entry["txid"].as_str()?.to_owned();
    let confirmations = entry["confirmations"].as_i64()?;
    if confirmations < 0 || entry["abandoned"] == true {
        return Some((-1, PayoutState::Returned { tx_id }));
    }
    let fee = rpc::amount(&entry["fee"]).map(|fee| fee.abs().normalize().to_string());
    Some((confirmations, PayoutState::Sent { tx_id, confirmations: u32::try_from(confirmations).ok()?, fee }))
}

/// What came of the request to send.
fn sending(result: Result<Value, Failure>) -> PayoutState {
    match result {
        Ok(Value::String(tx_id)) => PayoutState::Sent { tx_id, confirmations: 0, fee: None },
        Ok(_) => PayoutState::Unknown { why: "the answer cannot be read".to_owned() },
        Err(failure) => never(failure),
    }
}

/// Nothing was sent if the node reports that or was not reached; otherwise the state is unknown.
fn never(failure: Failure) -> PayoutState {
    let (code, why) = match failure {
        Failure::Refused(codes::INSUFFICIENT_FUNDS, why) => ("not_enough_money", why),
        Failure::Refused(codes::INVALID_ADDRESS_OR_KEY, why) => ("bad_address", why),
        Failure::Refused(codes::TYPE_ERROR, why) => ("bad_amount", why),
        Failure::Refused(codes::WALLET_ERROR, why) => ("wallet_refuses", why),
        Failure::Refused(codes::UNLOCK_NEEDED, why) => ("wallet_locked", why),
        Failure::Refused(codes::WALLET_NOT_FOUND, why) => ("wallet_not_found", why),
        Failure::Refused(codes::IN_WARMUP, why) => ("warming_up", why),
        Failure::Unauthorised => ("unauthorised", "the node refuses the user or the password".to_owned()),
        Failure::Unreached(why) => ("unreachable", why),
        Failure::Refused(code, why) => return PayoutState::Unknown { why: format!("{code}: {why}") },
        Failure::Unclear(why) => return PayoutState::Unknown { why },
    };
    PayoutState::NeverSent { code: code.to_owned(), why }
}
