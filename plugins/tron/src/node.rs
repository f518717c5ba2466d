//! The HTTP API of a node, and whether the node is on the configured network.

use agio_plugin_evm::TokenContract;
use agio_plugin_evm::values::{self, EvmAddress, hex};
use agio_plugin_sdk::protocol::{Action, ActionResult, CallError, HttpRequest, PluginRequest};
use serde_json::{Value, json};

use crate::{address, settings};

/// `decimals()`.
const DECIMALS: &str = "313ce567";

/// A call: path and parameters. Paths that begin with `walletsolidity` know solidified blocks only.
pub type NodeCall = (&'static str, Value);

pub fn request(input: &PluginRequest, (path, parameters): &NodeCall) -> Action {
    let own = input.setting(settings::SOLIDITY_URL);
    let url = if path.starts_with("walletsolidity/") && !own.is_empty() { own } else { input.setting(settings::URL) };
    let request = HttpRequest::post_json(format!("{}/{path}", url.trim_end_matches('/')), parameters);
    let token = input.setting(settings::TOKEN);
    Action::Http(if token.is_empty() { request } else { request.header("TRON-PRO-API-KEY", token) })
}

/// The answer to the call at a place of the previous round: JSON of any kind.
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
        401 => return Err(CallError::permanent("unauthorised", "the node refuses the access key")),
        // TronGrid answers with 403 as well.
        403 | 429 => return Err(CallError::temporary("rate_limited", "the node allows no more requests at this rate")),
        _ => {}
    }
    let answer: Value = serde_json::from_slice(response.body.bytes()).map_err(|_| {
        CallError::temporary("unreachable", format!("the node answers with status {} and no JSON", response.status))
    })?;
    match answer["Error"].as_str() {
        Some(why) if why.contains("request rate") || why.contains("frequency limit") => {
            Err(CallError::temporary("rate_limited", why))
        }
        Some(why) => Err(CallError::temporary("refused", format!("the node refuses: {why}"))),
        None if response.status == 200 => Ok(answer),
        None => Err(CallError::temporary("unreachable", format!("the node answers with status {}", response.status))),
    }
}

/// The answer lacks this, or has it in another form.
pub fn unreadable(what: &str) -> CallError {
    CallError::temporary("unreachable", format!("the node's response cannot be read: {what}"))
}

/// A call of a contract that changes nothing. `from` is the account in whose name it is made.
pub fn constant_call(from: EvmAddress, token: TokenContract, data: &str) -> NodeCall {
    let call = json!({
        "owner_address": address::to_hex(from), "contract_address": address::to_hex(token.contract), "data": data,
    });
    ("wallet/triggerconstantcontract", call)
}

/// The first word that a call of a contract returned.
pub fn word(answer: &Value) -> Option<u128> {
    let word = answer["constant_result"][0].as_str().filter(|word| word.len() == 64)?;
    simulated(answer).ok()?;
    values::number(&json!(format!("0x{word}")))
}

/// The energy that a call of a contract would use.
///
/// # Errors
/// `would_fail`: the contract refuses. `result.result` is true all the same; the message tells the truth.
pub fn simulated(answer: &Value) -> Result<u64, CallError> {
    let refused = |why: String| CallError::permanent("would_fail", format!("the contract would refuse: {why}"));
    let (message, state) = (&answer["result"]["message"], &answer["transaction"]["ret"][0]["ret"]);
    match message.as_str().filter(|message| !message.is_empty()) {
        Some(message) => return Err(refused(text_of(message))),
        None if !state.is_null() => return Err(refused(state.to_string())),
        None if answer["result"]["result"] != true => return Err(refused("without a reason".to_owned())),
        None => {}
    }
    answer["energy_used"].as_u64().ok_or_else(|| unreadable("the energy"))
}

/// A message of a node: hexadecimal, except where a node writes it plainly.
pub fn text_of(message: &str) -> String {
    let text = values::bytes(&format!("0x{message}")).and_then(|bytes| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| message.to_owned()).chars().take(200).collect()
}

/// The calls whose answers [`check_identity`] checks, at the start of a round.
pub fn identity_calls(token: Option<TokenContract>) -> Vec<NodeCall> {
    let mut calls = vec![("wallet/getblockbynum", json!({ "num": 0 }))];
    calls.extend(token.map(|token| constant_call(EvmAddress([0; 20]), token, DECIMALS)));
    calls
}

/// # Errors
/// `wrong_chain`, `wrong_decimals`.
pub fn check_identity(input: &PluginRequest, token: Option<TokenContract>) -> Result<(), CallError> {
    let answer_of = |place| answer(input, place);
    let genesis = answer_of(0)?;
    if settings::genesis(input).is_none_or(|known| genesis["blockID"] != known) {
        return Err(CallError::permanent("wrong_chain", "the node is on another network than the settings say"));
    }
    let Some(token) = token else { return Ok(()) };
    let contract = address::encode(token.contract);
    match word(&answer_of(1)?) {
        Some(decimals) if decimals == u128::from(token.decimals) => Ok(()),
        Some(decimals) => {
            let why = format!("the contract {contract} has {decimals} decimals, the settings say {}", token.decimals);
            Err(CallError::permanent("wrong_decimals", why))
        }
        None => Err(CallError::permanent("wrong_decimals", format!("{contract} is not the contract of a token"))),
    }
}

/// A log of the token as the node writes it, read as the log of an Ethereum node: sender, recipient and units.
pub fn transfer(log: &Value, token: TokenContract) -> Option<(EvmAddress, EvmAddress, u128)> {
    let prefixed = |text: &Value| text.as_str().map(|digits| json!(format!("0x{digits}")));
    let topics: Option<Vec<Value>> = log["topics"].as_array()?.iter().map(prefixed).collect();
    let log = json!({ "address": prefixed(&log["address"])?, "topics": topics?, "data": prefixed(&log["data"])? });
    agio_plugin_evm::transfer(&log, token)
}

/// 32 bytes in hexadecimal digits, in lower case.
pub fn hash(value: &Value) -> Option<String> {
    values::hash(&json!(format!("0x{}", value.as_str()?))).map(|mut hash| hash.split_off(2))
}

/// What a transaction in a block came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Succeeded,
    /// The code of the network, with its message.
    Failed(String),
    /// The results say neither.
    Unclear,
}

/// The outcome in the results of a transaction. Nodes leave out what is the default: success has no `result`, and a
/// payment of TRX has no code in its receipt, while one of a contract always has.
pub fn outcome(info: &Value, of_contract: bool) -> Outcome {
    let (state, code) = (&info["result"], &info["receipt"]["result"]);
    match code.as_str() {
        Some("SUCCESS") if state.is_null() => Outcome::Succeeded,
        None if code.is_null() && state.is_null() && !of_contract => Outcome::Succeeded,
        Some(code) if state == "FAILED" && !["SUCCESS", "DEFAULT", "UNKNOWN"].contains(&code) => {
            let why = info["resMessage"].as_str().map(text_of).unwrap_or_default();
            Outcome::Failed(format!("{code} {why}").trim_end().to_owned())
        }
        _ => Outcome::Unclear,
    }
}

/// Bytes in hexadecimal digits.
pub fn digits(bytes: &[u8]) -> String {
    hex(bytes).split_off(2)
}
