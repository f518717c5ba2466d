//! The HTTP API of a node (TON Center's version 2), and whether the node is on the configured network.

use agio_plugin_sdk::protocol::{Action, ActionResult, CallError, HttpRequest, PluginRequest};
use serde_json::{Value, json};
use tycho_types::boc::Boc;
use tycho_types::cell::{Cell, CellBuilder};
use tycho_types::models::{IntAddr, StdAddr};

use crate::settings;

/// A call: method and parameters.
pub type TonCall = (&'static str, Value);

pub fn request(input: &PluginRequest, (method, parameters): &TonCall) -> Action {
    let call = json!({ "id": "1", "jsonrpc": "2.0", "method": method, "params": parameters });
    let request = HttpRequest::post_json(format!("{}/jsonRPC", input.setting(settings::URL).trim_end_matches('/')), &call);
    let token = input.setting(settings::TOKEN);
    Action::Http(if token.is_empty() { request } else { request.header("X-API-Key", token) })
}

/// The answer to the call at a place of the previous round.
///
/// # Errors
/// `unauthorised`; `rate_limited`; `refused`, with the node's message; `unreachable`.
pub fn answer(input: &PluginRequest, place: usize) -> Result<Value, CallError> {
    let response = match input.outcomes.get(place) {
        Some(ActionResult::Http(response)) => response,
        Some(ActionResult::HttpFailure(failure)) => return Err(CallError::temporary("unreachable", failure.why.clone())),
        Some(ActionResult::Stored) | None => return Err(unreadable("there is none")),
    };
    match response.status {
        401 | 403 => return Err(CallError::permanent("unauthorised", "the node refuses the access key")),
        429 => return Err(CallError::temporary("rate_limited", "the node allows no more requests at this rate")),
        _ => {}
    }
    let mut answer: Value = serde_json::from_slice(response.body.bytes()).map_err(|_| {
        CallError::temporary("unreachable", format!("the node answers with status {} and no JSON", response.status))
    })?;
    if response.status == 200 && answer["ok"] == true {
        return Ok(answer["result"].take());
    }
    let why = answer["error"].as_str().unwrap_or("without a reason").chars().take(200).collect::<String>();
    Err(CallError::temporary("refused", format!("the node refuses with status {}: {why}", response.status)))
}

/// The answer lacks this, or has it in another form.
pub fn unreadable(what: &str) -> CallError {
    CallError::temporary("unreachable", format!("the node's response cannot be read: {what}"))
}

/// The newest block of the masterchain. Its answer is checked by [`head`].
pub fn head_call() -> TonCall {
    ("getMasterchainInfo", json!({}))
}

/// The number of the newest block of the masterchain.
///
/// # Errors
/// `wrong_chain`.
pub fn head(input: &PluginRequest, answer: &Value) -> Result<u64, CallError> {
    if settings::genesis(input).is_none_or(|known| answer["init"]["root_hash"] != known) {
        return Err(CallError::permanent("wrong_chain", "the node is on another network than the settings say"));
    }
    answer["last"]["seqno"].as_u64().ok_or_else(|| unreadable("the newest block"))
}

/// The address of an owner's jetton wallet, by the contract of the issuer.
pub fn jetton_wallet_call(master: &StdAddr, owner: &StdAddr) -> Result<TonCall, CallError> {
    let owner = CellBuilder::build_from(IntAddr::from(owner.clone())).map_err(|_| unreadable("an address"))?;
    let stack = json!([["tvm.Slice", Boc::encode_base64(owner)]]);
    Ok(("runGetMethod", json!({ "address": master.to_string(), "method": "get_wallet_address", "stack": stack })))
}

/// # Errors
/// `wrong_jetton`: the contract does not answer like that of an issuer.
pub fn jetton_wallet(answer: &Value) -> Result<StdAddr, CallError> {
    let wallet = stack(answer).and_then(|stack| cell(&stack[0])?.parse::<StdAddr>().ok());
    wallet.ok_or_else(|| CallError::permanent("wrong_jetton", "the address in the settings is not that of a jetton's issuer"))
}

/// The units in a jetton wallet.
pub fn jetton_balance_call(wallet: &StdAddr) -> TonCall {
    ("runGetMethod", json!({ "address": wallet.to_string(), "method": "get_wallet_data", "stack": [] }))
}

/// A wallet that does not exist yet has nothing.
pub fn jetton_balance(answer: &Value) -> u128 {
    let digits = stack(answer).and_then(|stack| stack[0][1].as_str()?.strip_prefix("0x"));
    digits.and_then(|digits| u128::from_str_radix(digits, 16).ok()).unwrap_or_default()
}

/// What a method of a contract returned, if it did.
fn stack(answer: &Value) -> Option<&Value> {
    (answer["exit_code"] == 0).then_some(&answer["stack"])
}

/// `["cell", {"bytes": "..."}]`.
fn cell(entry: &Value) -> Option<Cell> {
    Boc::decode_base64(entry[1]["bytes"].as_str()?).ok()
}
