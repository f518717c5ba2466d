//! JSON-RPC of an Ethereum node.

use agio_plugin_sdk::protocol::{Action, ActionResult, CallError, HttpRequest, PluginRequest};
use serde_json::{Value, json};

use crate::settings;

/// One call: method and parameters.
pub type RpcCall = (&'static str, Value);

/// Why a node gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeFailure {
    /// The node returned an error, with its code.
    Refused(i64, String),
    /// The access token is wrong.
    Unauthorised,
    /// There was no response, or one that cannot be read. The node may have acted.
    NoResult(String),
}

impl NodeFailure {
    /// The response lacks this, or has it in another form.
    pub fn unreadable(what: &str) -> Self {
        Self::NoResult(format!("the node's response cannot be read: {what}"))
    }

    /// As an error of a call.
    pub fn into_call_error(self) -> CallError {
        match self {
            Self::Refused(code, why) => CallError::temporary("refused", format!("the node refuses with {code}: {why}")),
            Self::Unauthorised => CallError::permanent("unauthorised", "the node refuses the access token"),
            Self::NoResult(why) => CallError::temporary("unreachable", why),
        }
    }

    /// The explanation for staff.
    pub fn why(self) -> String {
        self.into_call_error().why
    }
}

pub fn batch(input: &PluginRequest, calls: &[RpcCall]) -> Action {
    let call =
        |(id, (method, params)): (usize, &RpcCall)| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let body = Value::Array(calls.iter().enumerate().map(call).collect());
    let request = HttpRequest::post_json(input.setting(settings::URL), &body);
    let token = input.setting(settings::TOKEN);
    Action::Http(if token.is_empty() { request } else { request.header("authorization", format!("Bearer {token}")) })
}

/// The results of a batch, in the order of its calls.
///
/// # Errors
/// The batch as a whole has no results.
pub fn results(outcome: Option<&ActionResult>, count: usize) -> Result<Vec<Result<Value, NodeFailure>>, NodeFailure> {
    let response = match outcome {
        Some(ActionResult::Http(response)) => response,
        Some(ActionResult::HttpFailure(failure)) => return Err(NodeFailure::NoResult(failure.why.clone())),
        Some(ActionResult::Stored) | None => return Err(NodeFailure::unreadable("there is none")),
    };
    if matches!(response.status, 401 | 403) {
        return Err(NodeFailure::Unauthorised);
    }
    let body = serde_json::from_slice(response.body.bytes())
        .map_err(|_| NodeFailure::NoResult(format!("the node answers with status {} and no JSON", response.status)))?;
    let mut answers = match body {
        Value::Array(answers) => answers,
        // A node that rejects the whole batch returns one error.
        refused => return Err(taken(refused).err().unwrap_or_else(|| NodeFailure::unreadable("it is no batch"))),
    };
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let in_order = answers.iter().enumerate().all(|(place, answer)| answer["id"].as_u64() == Some(place as u64));
    if answers.len() != count || !in_order {
        return Err(NodeFailure::unreadable("the batch has other results"));
    }
    Ok(answers.into_iter().map(taken).collect())
}

/// The results of a batch in which every call must succeed.
///
/// # Errors
/// The first failure.
pub fn all(outcome: Option<&ActionResult>, count: usize) -> Result<Vec<Value>, NodeFailure> {
    results(outcome, count)?.into_iter().collect()
}

fn taken(mut answer: Value) -> Result<Value, NodeFailure> {
    if let Some(code) = answer["error"]["code"].as_i64() {
        return Err(NodeFailure::Refused(code, answer["error"]["message"].as_str().unwrap_or_default().to_owned()));
    }
    match answer.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => Err(NodeFailure::unreadable("a call has no result")),
    }
}
