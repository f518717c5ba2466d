//! What is read from a gateway's answers. What does not fit the contract is an error, never guessed.

use agio_plugin_sdk::protocol::{ActionResult, CallError, HttpResponse};
use rust_decimal::Decimal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

/// The longest explanation taken from an answer, in characters.
const MESSAGE_MAX: usize = 200;

/// The answer to a request that moves no money.
///
/// # Errors
/// There is none, its status is not 200, or it does not fit the contract.
pub fn read<T: DeserializeOwned>(outcome: &ActionResult) -> Result<T, CallError> {
    let reply = match outcome {
        ActionResult::Http(reply) => reply,
        ActionResult::HttpFailure(failure) => return Err(CallError::temporary("unreachable", failure.why.clone())),
        ActionResult::Stored => return Err(unreadable("unexpected result of a store action")),
    };
    match reply.status {
        200 => body(reply),
        401 | 403 => Err(CallError::permanent("unauthorised", "the gateway refuses the secret")),
        status @ (300..=399 | 400 | 404 | 405 | 409 | 410 | 422) => {
            Err(CallError::permanent("refused", format!("the gateway answers {status}{}", problem(reply))))
        }
        status => Err(CallError::temporary("gateway_error", format!("the gateway answers {status}{}", problem(reply)))),
    }
}

/// The answer to a request for an operation that gateways need not have.
///
/// # Errors
/// `not_supported`: the gateway does not have it. The others as of [`read`].
pub fn read_optional<T: DeserializeOwned>(outcome: &ActionResult) -> Result<T, CallError> {
    if matches!(outcome, ActionResult::Http(reply) if matches!(reply.status, 404 | 405 | 501)) {
        return Err(CallError::permanent("not_supported", "the gateway does not say"));
    }
    read(outcome)
}

/// The body of an answer with the status 200.
pub fn body<T: DeserializeOwned>(reply: &HttpResponse) -> Result<T, CallError> {
    serde_json::from_slice(reply.body.bytes()).map_err(|error| unreadable(error.to_string()))
}

/// The explanation in a refusal, if there is one.
fn problem(reply: &HttpResponse) -> String {
    #[derive(Deserialize)]
    struct Problem {
        code: String,
        message: String,
    }
    match body::<Problem>(reply) {
        Ok(Problem { code, message }) => format!(": {}", shortened(&format!("{code}: {message}"))),
        Err(_) => String::new(),
    }
}

pub fn shortened(text: &str) -> String {
    text.chars().filter(|one| !one.is_control()).take(MESSAGE_MAX).collect()
}

pub fn unreadable(why: impl Into<String>) -> CallError {
    CallError::permanent("unreadable", why)
}

/// An identifier: letters, digits and `._:-`, so that it can stand in an address and in a list of payments.
pub fn identifier(what: &str, text: String, most: usize) -> Result<String, CallError> {
    let fits = (1..=most).contains(&text.len()) && text.bytes().all(|one| one.is_ascii_alphanumeric() || b"._:-".contains(&one));
    if fits { Ok(text) } else { Err(unreadable(format!("{what} is not 1 to {most} letters, digits and ._:-"))) }
}

/// A text that is shown to a customer.
pub fn shown(what: &str, text: String, most: usize) -> Result<String, CallError> {
    let fits = !text.trim().is_empty() && text.chars().count() <= most && !text.chars().any(char::is_control);
    if fits { Ok(text) } else { Err(unreadable(format!("{what} is empty, too long or no line of text"))) }
}

/// An amount, as a decimal string: digits with an optional fraction, never a JSON number.
pub fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    let text = String::deserialize(deserializer)?;
    let plain = text.starts_with(|first: char| first.is_ascii_digit())
        && text.ends_with(|last: char| last.is_ascii_digit())
        && text.bytes().all(|one| one.is_ascii_digit() || one == b'.');
    let parsed = if plain { Decimal::from_str_exact(&text).ok() } else { None };
    parsed.ok_or_else(|| serde::de::Error::custom(format!("{:?} is no amount", shortened(&text))))
}
