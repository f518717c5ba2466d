//! The JSON-RPC of `monero-wallet-rpc`. It takes one call in a request.

use agio_plugin_sdk::protocol::{Action, ActionResult, CallError, HttpRequest, PluginRequest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::{NETWORK, NETWORKS, PASSWORD, URL, USER};

/// Error codes, as `wallet_rpc_server_error_codes.h` has them.
pub mod codes {
    pub const WRONG_ADDRESS: i64 = -2;
    /// The method is not for a wallet with `--restricted-rpc`.
    pub const DENIED: i64 = -7;
    pub const WRONG_TXID: i64 = -8;
    /// No wallet is open.
    pub const NOT_OPEN: i64 = -13;
    /// There is enough for the amount, but not for the fee.
    pub const TX_NOT_POSSIBLE: i64 = -16;
    pub const NOT_ENOUGH_MONEY: i64 = -17;
    /// The payment would need more coins than a transaction holds.
    pub const TX_TOO_LARGE: i64 = -18;
    pub const WATCH_ONLY: i64 = -29;
    pub const NOT_ENOUGH_UNLOCKED_MONEY: i64 = -37;
    pub const NO_DAEMON_CONNECTION: i64 = -38;
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalletFailure {
    /// The wallet returned an error, with its code.
    Refused(i64, String),
    /// The wallet demands a digest login, or the proxy another one.
    Unauthorised { wants_digest: bool },
    /// There was no response, or one that cannot be read. The wallet may have acted.
    NoResult(String),
}

impl WalletFailure {
    /// The response lacks this, or has it in another form.
    pub fn unreadable(what: &str) -> Self {
        Self::NoResult(format!("the wallet's response cannot be read: {what}"))
    }

    /// As an error of a call.
    pub fn into_call_error(self) -> CallError {
        match self {
            Self::Refused(codes::NO_DAEMON_CONNECTION, _) => {
                CallError::temporary("no_daemon", "the wallet has no connection to its node (monerod)")
            }
            Self::Refused(codes::NOT_OPEN, _) => CallError::permanent("no_wallet", "monero-wallet-rpc has opened no wallet"),
            Self::Refused(codes::DENIED, _) => CallError::permanent("restricted", "monero-wallet-rpc runs with --restricted-rpc"),
            Self::Refused(code, why) => CallError::temporary("refused", format!("the wallet refuses with {code}: {why}")),
            Self::Unauthorised { wants_digest: true } => CallError::permanent(
                "digest_login",
                "monero-wallet-rpc demands a digest login: start it with --disable-rpc-login, out of reach of others",
            ),
            Self::Unauthorised { wants_digest: false } => {
                CallError::permanent("unauthorised", "the proxy refuses the user or the password")
            }
            Self::NoResult(why) => CallError::temporary("unreachable", why),
        }
    }

    /// The explanation for staff.
    pub fn why(self) -> String {
        self.into_call_error().why
    }
}

/// A call.
pub fn call(input: &PluginRequest, method: &str, params: &Value) -> Action {
    let url = format!("{}/json_rpc", input.setting(URL).trim_end_matches('/'));
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": method, "params": params });
    let request = HttpRequest::post_json(url, &body);
    Action::Http(match input.setting(USER) {
        "" => request,
        user => {
            let login = STANDARD.encode(format!("{user}:{}", input.setting(PASSWORD)));
            request.header("authorization", format!("Basic {login}"))
        }
    })
}

/// Brings the wallet up to date with its node, which fails without one.
pub fn refresh(input: &PluginRequest) -> Action {
    call(input, "refresh", &json!({}))
}

/// Queries the primary address, for [`check_network`].
pub fn primary_address(input: &PluginRequest) -> Action {
    call(input, "get_address", &json!({ "account_index": 0, "address_index": [0] }))
}

/// The result of an action of the previous round.
///
/// # Errors
/// There is none.
pub fn result(input: &PluginRequest, place: usize) -> Result<Value, WalletFailure> {
    let response = match input.outcomes.get(place) {
        Some(ActionResult::Http(response)) => response,
        Some(ActionResult::HttpFailure(failure)) => return Err(WalletFailure::NoResult(failure.why.clone())),
        Some(ActionResult::Stored) | None => return Err(WalletFailure::unreadable("there is none")),
    };
    if matches!(response.status, 401 | 403) {
        let wants_digest = response.header("www-authenticate").is_some_and(|wants| wants.starts_with("Digest"));
        return Err(WalletFailure::Unauthorised { wants_digest });
    }
    let mut body: Value = serde_json::from_slice(response.body.bytes())
        .map_err(|_| WalletFailure::NoResult(format!("the wallet answers with status {} and no JSON", response.status)))?;
    if let Some(code) = body["error"]["code"].as_i64() {
        return Err(WalletFailure::Refused(code, body["error"]["message"].as_str().unwrap_or_default().to_owned()));
    }
    match body.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => Err(WalletFailure::unreadable("a call has no result")),
    }
}

/// The primary address from the result of [`primary_address`], if it is one of the network in the settings.
///
/// # Errors
/// `other_network`, or why there is no address.
pub fn check_network(input: &PluginRequest, result: &Value) -> Result<String, CallError> {
    let address = result["address"].as_str().ok_or_else(|| WalletFailure::unreadable("the address").into_call_error())?;
    let network = input.setting(NETWORK);
    let is_right = NETWORKS.iter().any(|(name, begins)| *name == network && address.starts_with(*begins));
    if !is_right {
        return Err(CallError::permanent("other_network", format!("the wallet is not one of the network \"{network}\"")));
    }
    Ok(address.to_owned())
}
