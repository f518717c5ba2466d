//! Responses about payouts, and where a payout is stored.

use agio_plugin_sdk::protocol::{ActionResult, CallResult, PayoutState, PluginRequest, PluginResponse};
use sha2::{Digest as _, Sha256};

use crate::values::hex;

pub fn done(state: PayoutState) -> PluginResponse {
    PluginResponse::Done(CallResult::Payout(state))
}

pub fn never(code: &str, why: impl Into<String>) -> PluginResponse {
    done(PayoutState::NeverSent { code: code.to_owned(), why: why.into() })
}

pub fn unknown(why: impl Into<String>) -> PluginResponse {
    done(PayoutState::Unknown { why: why.into() })
}

/// The first action of the previous round that stored nothing.
pub fn not_stored(request: &PluginRequest) -> Option<&ActionResult> {
    request.outcomes.iter().find(|outcome| **outcome != ActionResult::Stored)
}

/// The name of the stored transaction of a payout.
pub fn record_name(key: &str) -> String {
    format!("payout-{}", hex(&Sha256::digest(key.as_bytes())[..20]).split_off(2))
}
