//! Sending payouts and querying their state.

use agio_plugin_sdk::protocol::{CallResult, PayoutRequest, PayoutState, PluginRequest, PluginResponse};
use serde_json::{Map, Value, json};

use crate::coins::Coin;
use crate::rpc::{self, Failure, codes};
use crate::{FEE_BLOCKS, FEE_RATE, PAYOUT_WALLET, WALLET};

/// How many entries of the wallet are looked through first: a payout that is under way is among the newest.
const FIRST_PAGE: usize = 200;

/// How many are looked through at a time after that.
const PAGE: usize = 4_000;

/// So many blocks must confirm a conflicting transaction before a payout counts as returned: fewer may be reorganised
/// away, and then it would be paid twice.
const FINAL_CONFLICT: i64 = 6;

/// What is noted between the rounds.
const SENDING: &str = "sending";

/// Sends money, unless the wallet has a transaction with the key as its comment.
pub fn send(coin: &Coin, request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    if request.memo == SENDING {
        return PluginResponse::Done(CallResult::Payout(sending(rpc::result(request.outcomes.first()))));
    }
    match search(coin, request, payout) {
        Search::Further(step) => step,
        Search::Found(state) => PluginResponse::Done(CallResult::Payout(state)),
        Search::NotFound { has_keys: false } => PluginResponse::Done(CallResult::Payout(PayoutState::NeverSent {
            code: "watch_only".to_owned(),
            why: "the wallet for payouts has no private keys".to_owned(),
        })),
        Search::NotFound { has_keys: true } => {
            let actions = vec![rpc::single(request, wallet(request), "sendtoaddress", &payment(request, payout))];
            PluginResponse::Needs { actions, memo: json!(SENDING) }
        }
        // Nothing was requested this time, but the outcome of an earlier request is unknown.
        Search::Failed(failure) => PluginResponse::Failed(failure.into_call_error()),
    }
}

/// What became of a payout.
pub fn status(coin: &Coin, request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    match search(coin, request, payout) {
        Search::Further(step) => step,
        Search::Found(state) => PluginResponse::Done(CallResult::Payout(state)),
        Search::NotFound { .. } => PluginResponse::Done(CallResult::Payout(PayoutState::NeverSent {
            code: "not_sent".to_owned(),
            why: "the wallet has no transaction with this comment".to_owned(),
        })),
        Search::Failed(failure) => PluginResponse::Failed(failure.into_call_error()),
    }
}

/// The wallet that pays.
fn wallet(request: &PluginRequest) -> &str {
    match request.setting(PAYOUT_WALLET) {
        "" => request.setting(WALLET),
        other => other,
    }
}

/// The parameters of `sendtoaddress`.
fn payment(request: &PluginRequest, payout: &PayoutRequest) -> Value {
    let mut params = Map::new();
    params.insert("address".to_owned(), json!(payout.address));
    params.insert("amount".to_owned(), json!(payout.amount.normalize().to_string()));
    params.insert("comment".to_owned(), json!(payout.key));
    params.insert("subtractfeefromamount".to_owned(), json!(false));
    let number = |name| request.setting(name).parse::<u32>().ok().filter(|number| *number > 0);
    if let Some(rate) = number(FEE_RATE) {
        params.insert("fee_rate".to_owned(), json!(rate));
    } else if let Some(blocks) = number(FEE_BLOCKS) {
        params.insert("conf_target".to_owned(), json!(blocks));
    }
    Value::Object(params)
}

/// Where the search for a payout stands.
enum Search {
    /// There is more to look through.
    Further(PluginResponse),
    Found(PayoutState),
    /// The whole wallet was looked through.
    NotFound {
        /// Whether the wallet can sign.
        has_keys: bool,
    },
    Failed(Failure),
}

/// Looks through the wallet, the newest first. What is entered meanwhile moves the rest further on, so nothing is
/// passed over.
fn search(coin: &Coin, request: &PluginRequest, payout: &PayoutRequest) -> Search {
    let skipped = request.memo["skipped"].as_u64().unwrap_or(0);
    let size = |skipped: u64| if skipped == 0 { FIRST_PAGE } else { PAGE };
    let page = |skip: u64| {
        let calls = [rpc::first_block(), ("listtransactions", json!(["*", size(skip), skip])), ("getwalletinfo", json!([]))];
        PluginResponse::Needs { actions: vec![rpc::batch(request, wallet(request), &calls)], memo: json!({ "skipped": skip }) }
    };
    if request.outcomes.is_empty() {
        return Search::Further(page(0));
    }
    let (entries, has_keys) = match listed(coin, request) {
        Ok(listed) => listed,
        Err(failure) => return Search::Failed(failure),
    };
    let ours = entries.iter().filter(|entry| entry["category"] == "send" && entry["comment"] == payout.key.as_str());
    // A transaction whose fee was raised hands its comment on: the one that can still be confirmed counts.
    match ours.filter_map(payout_state).max_by_key(|(rank, _)| *rank) {
        Some((_, state)) => Search::Found(state),
        None if entries.len() < size(skipped) => Search::NotFound { has_keys },
        None => Search::Further(page(skipped + entries.len() as u64)),
    }
}

/// The entries of a page, and whether the wallet can sign.
fn listed(coin: &Coin, request: &PluginRequest) -> Result<(Vec<Value>, bool), Failure> {
    let mut results = rpc::checked_results(coin, request, 2)?.into_iter();
    match (results.next().transpose()?, results.next().transpose()?) {
        (Some(Value::Array(entries)), Some(wallet)) => Ok((entries, wallet["private_keys_enabled"] != false)),
        _ => Err(Failure::Unclear("the answer cannot be read".to_owned())),
    }
}

/// The state of an entry of the wallet, with how much it counts.
fn payout_state(entry: &Value) -> Option<(i64, PayoutState)> {
    let tx_id = entry["txid"].as_str()?.to_owned();
    let confirmations = entry["confirmations"].as_i64()?;
    if confirmations <= -FINAL_CONFLICT || entry["abandoned"] == true {
        return Some((-FINAL_CONFLICT, PayoutState::Returned { tx_id }));
    }
    let fee = rpc::amount(&entry["fee"]).map(|fee| fee.abs().normalize().to_string());
    let sent = PayoutState::Sent { tx_id, confirmations: u32::try_from(confirmations.max(0)).ok()?, fee };
    Some((confirmations, sent))
}

/// What came of the request to send.
fn sending(result: Result<Value, Failure>) -> PayoutState {
    match result {
        Ok(Value::String(tx_id)) => PayoutState::Sent { tx_id, confirmations: 0, fee: None },
        Ok(_) => PayoutState::Unknown { why: "the answer cannot be read".to_owned() },
        Err(failure) => refused(failure),
    }
}

/// Nothing was sent if the node reports that or was not reached; otherwise the state is unknown.
fn refused(failure: Failure) -> PayoutState {
    let (code, why) = match failure {
        // Nodes of version 0.21 and later use one code for whatever they could not build.
        Failure::Refused(codes::INSUFFICIENT_FUNDS | codes::WALLET_ERROR, why) => (unbuilt(&why), why),
        Failure::Refused(codes::INVALID_ADDRESS_OR_KEY, why) => ("bad_address", why),
        Failure::Refused(codes::TYPE_ERROR, why) => ("bad_amount", why),
        Failure::Refused(codes::UNLOCK_NEEDED, why) => ("wallet_locked", why),
        Failure::Refused(codes::WALLET_NOT_FOUND, why) => ("wallet_not_found", why),
        Failure::Refused(codes::IN_WARMUP, why) => ("warming_up", why),
        Failure::Unauthorised => ("unauthorised", "the node refuses the user or the password".to_owned()),
        Failure::Unreached(why) => ("unreachable", why),
        Failure::OtherNetwork(why) => ("other_network", why),
        Failure::Refused(code, why) => return PayoutState::Unknown { why: format!("{code}: {why}") },
        Failure::Unclear(why) => return PayoutState::Unknown { why },
    };
    PayoutState::NeverSent { code: code.to_owned(), why }
}

/// Why the wallet could not build a transaction.
fn unbuilt(why: &str) -> &'static str {
    let why = why.to_ascii_lowercase();
    let says = |part| why.contains(part);
    if says("insufficient funds") {
        "not_enough_money"
    } else if says("too small") || says("dust") {
        "amount_too_small"
    } else if says("fee estimation failed") || says("fee rate") {
        "fee_rate"
    } else {
        "wallet_refuses"
    }
}
