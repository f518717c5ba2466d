//! Payouts that are signed once, stored, and only then sent: what the drivers of such networks share.

use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::protocol::{ActionResult, CallResult, PayoutRequest, PayoutState, PluginRequest, PluginResponse};

/// The result of a call about a payout.
#[must_use]
pub fn done(state: PayoutState) -> PluginResponse {
    PluginResponse::Done(CallResult::Payout(state))
}

/// It is certain that nothing was sent for the payout.
#[must_use]
pub fn never(code: &str, why: impl Into<String>) -> PluginResponse {
    done(PayoutState::NeverSent { code: code.to_owned(), why: why.into() })
}

/// What became of the payout is not known.
#[must_use]
pub fn unknown(why: impl Into<String>) -> PluginResponse {
    done(PayoutState::Unknown { why: why.into() })
}

/// The first action of the previous round that stored nothing.
#[must_use]
pub fn not_stored(request: &PluginRequest) -> Option<&ActionResult> {
    request.outcomes.iter().find(|outcome| **outcome != ActionResult::Stored)
}

/// The name of the stored transaction of a payout.
#[must_use]
pub fn record_name(key: &str) -> String {
    Sha256::digest(key.as_bytes())[..20].iter().fold("payout-".to_owned(), |name, byte| format!("{name}{byte:02x}"))
}

/// The note of the previous round; `None` in the first one.
///
/// # Errors
/// The state to return if the note cannot be read.
pub fn stage<S: DeserializeOwned>(request: &PluginRequest) -> Result<Option<S>, PayoutState> {
    match &request.memo {
        Value::Null => Ok(None),
        memo => serde_json::from_value(memo.clone())
            .map(Some)
            .map_err(|_| PayoutState::Unknown { why: "the note of the previous round cannot be read".to_owned() }),
    }
}

/// The stored transaction of a payout. `None` if there is none and one may be signed: in the first round of a call to send.
///
/// # Errors
/// The state to return if there is no such transaction otherwise, or if it cannot be read.
pub fn stored<R: DeserializeOwned>(
    request: &PluginRequest,
    payout: &PayoutRequest,
    is_first_round: bool,
    may_begin: bool,
) -> Result<Option<R>, PayoutState> {
    let unknown = |why: &str| PayoutState::Unknown { why: why.to_owned() };
    match request.stored.get(&record_name(&payout.key)).map(|record| serde_json::from_str(record)) {
        Some(Ok(stored)) => Ok(Some(stored)),
        Some(Err(_)) => Err(unknown("the stored transaction cannot be read")),
        // It was there in the previous round.
        None if !is_first_round => Err(unknown("the stored transaction is missing")),
        None if may_begin => Ok(None),
        None => {
            let why = "no transaction was signed for this payout".to_owned();
            Err(PayoutState::NeverSent { code: "not_sent".to_owned(), why })
        }
    }
}
