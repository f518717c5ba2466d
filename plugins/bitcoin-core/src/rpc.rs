//! The JSON-RPC of Bitcoin Core.

use agio_plugin_sdk::protocol::{Action, ActionResult, CallError, HttpRequest, PluginRequest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::coins::Coin;
use crate::{NETWORK, PASSWORD, URL, USER};

/// Bitcoin Core's error codes, as its `protocol.h` names them.
pub mod codes {
    /// The amount is none.
    pub const TYPE_ERROR: i64 = -3;
    /// The wallet could not make the transaction.
    pub const WALLET_ERROR: i64 = -4;
    /// The address, block or transaction is unknown or wrong.
    pub const INVALID_ADDRESS_OR_KEY: i64 = -5;
    /// There is not enough.
    pub const INSUFFICIENT_FUNDS: i64 = -6;
    /// No address has the label.
    pub const INVALID_LABEL_NAME: i64 = -11;
    /// The wallet's passphrase has to be entered first.
    pub const UNLOCK_NEEDED: i64 = -13;
    /// There is no such wallet.
    pub const WALLET_NOT_FOUND: i64 = -18;
    /// The node is starting.
    pub const IN_WARMUP: i64 = -28;
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The node refuses, with its code.
    Refused(i64, String),
    /// The user or password is wrong.
    Unauthorised,
    /// Nothing was sent to the node.
    Unreached(String),
    /// No answer that can be read: the node may have acted.
    Unclear(String),
    /// The node serves another coin or network.
    OtherNetwork(String),
}

impl Failure {
    /// As an error of a call that moves no money.
    pub fn into_call_error(self) -> CallError {
        match self {
            Self::Refused(codes::IN_WARMUP, why) => CallError::temporary("warming_up", why),
            Self::Refused(codes::WALLET_NOT_FOUND, why) => CallError::permanent("wallet_not_found", why),
            Self::Refused(code, why) => CallError::temporary("refused", format!("{code}: {why}")),
            Self::Unauthorised => CallError::permanent("unauthorised", "the node refuses the user or the password"),
            Self::OtherNetwork(why) => CallError::permanent("other_network", why),
            Self::Unreached(why) | Self::Unclear(why) => CallError::temporary("unreachable", why),
        }
    }
}

/// Several calls in one request.
pub fn batch(input: &PluginRequest, wallet: &str, calls: &[(&str, Value)]) -> Action {
    let call = |(id, (method, params)): (usize, &(&str, Value))| json!({ "jsonrpc": "1.0", "id": id, "method": method, "params": params });
    request(input, wallet, &Value::Array(calls.iter().enumerate().map(call).collect()))
}

/// One call in a request of its own.
pub fn single(input: &PluginRequest, wallet: &str, method: &str, params: &Value) -> Action {
    request(input, wallet, &json!({ "jsonrpc": "1.0", "id": 0, "method": method, "params": params }))
}

fn request(input: &PluginRequest, wallet: &str, body: &Value) -> Action {
    let base = input.setting(URL).trim_end_matches('/');
    let url = if wallet.is_empty() { format!("{base}/") } else { format!("{base}/wallet/{}", encoded(wallet)) };
    let login = STANDARD.encode(format!("{}:{}", input.setting(USER), input.setting(PASSWORD)));
    Action::Http(HttpRequest::post_json(url, body).header("authorization", format!("Basic {login}")))
}

/// A name as a part of an address.
fn encoded(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The result of a call that was made alone.
pub fn result(outcome: Option<&ActionResult>) -> Result<Value, Failure> {
    taken(body(outcome)?)
}

/// The results of calls that were made together, in their order.
pub fn results(outcome: Option<&ActionResult>, count: usize) -> Result<Vec<Result<Value, Failure>>, Failure> {
    let mut answers = match body(outcome)? {
        Value::Array(answers) => answers,
        // A node that rejects the whole batch returns one error.
        refused => return Err(taken(refused).err().unwrap_or_else(unreadable)),
    };
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let in_order = answers.iter().enumerate().all(|(place, answer)| answer["id"].as_u64() == Some(place as u64));
    if answers.len() != count || !in_order {
        return Err(unreadable());
    }
    Ok(answers.into_iter().map(taken).collect())
}

/// The call whose result tells coins and networks apart. It comes first in a batch for [`checked_results`].
pub fn first_block() -> (&'static str, Value) {
    ("getblockhash", json!([0]))
}

/// The results of calls after [`first_block`], if the node serves the coin on the network in the settings.
pub fn checked_results(coin: &Coin, input: &PluginRequest, count: usize) -> Result<Vec<Result<Value, Failure>>, Failure> {
    let mut results = results(input.outcomes.first(), count + 1)?.into_iter();
    let block = results.next().ok_or_else(unreadable)??;
    let network = input.setting(NETWORK);
    if coin.genesis(network).is_none_or(|genesis| block != genesis) {
        let why = format!("the node is not on the network \"{network}\" of {}", coin.code);
        return Err(Failure::OtherNetwork(why));
    }
    Ok(results.collect())
}

fn unreadable() -> Failure {
    Failure::Unclear("the answer cannot be read".to_owned())
}

fn body(outcome: Option<&ActionResult>) -> Result<Value, Failure> {
    let response = match outcome {
        Some(ActionResult::Http(response)) => response,
        Some(ActionResult::HttpFailure(fault)) if fault.may_have_acted => return Err(Failure::Unclear(fault.why.clone())),
        Some(ActionResult::HttpFailure(fault)) => return Err(Failure::Unreached(fault.why.clone())),
        Some(ActionResult::Stored) | None => return Err(unreadable()),
    };
    if matches!(response.status, 401 | 403) {
        return Err(Failure::Unauthorised);
    }
    // Refusals come with status 404 or 500 and a body like any other answer.
    serde_json::from_slice(response.body.bytes()).map_err(|_| Failure::Unclear(format!("the node answers {}", response.status)))
}

fn taken(mut answer: Value) -> Result<Value, Failure> {
    if let Some(code) = answer["error"]["code"].as_i64() {
        return Err(Failure::Refused(code, answer["error"]["message"].as_str().unwrap_or_default().to_owned()));
    }
    match answer.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => Err(unreadable()),
    }
}

/// An amount, from its digits.
pub fn amount(value: &Value) -> Option<Decimal> {
    let Value::Number(number) = value else { return None };
    let text = number.to_string();
    Decimal::from_str_exact(&text).or_else(|_| Decimal::from_scientific(&text)).ok()
}
