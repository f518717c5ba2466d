//! Whether the node is on the configured network, and a token is what the settings say.

use agio_plugin_sdk::protocol::{CallError, PluginRequest};
use serde_json::{Value, json};

use crate::rpc::RpcCall;
use crate::settings::{self, EvmCurrency};
use crate::values;

/// `decimals()`.
const DECIMALS: &str = "0x313ce567";

/// The calls whose results [`check_identity`] checks, at the start of a batch.
pub fn identity_calls(currency: EvmCurrency) -> Vec<RpcCall> {
    let mut calls = vec![("eth_chainId", json!([]))];
    if let EvmCurrency::Token(token) = currency {
        calls.push(("eth_call", json!([{ "to": token.contract.lower_case(), "data": DECIMALS }, "latest"])));
    }
    calls
}

/// # Errors
/// `wrong_chain`, `wrong_decimals`.
pub fn check_identity(request: &PluginRequest, currency: EvmCurrency, results: &[Value]) -> Result<(), CallError> {
    let chain = results.first().and_then(values::small);
    let expected = settings::integer(request, settings::CHAIN_ID);
    if chain != Some(expected) {
        let actual = chain.map_or_else(|| "unknown".to_owned(), |chain| chain.to_string());
        return Err(CallError::permanent(
            "wrong_chain",
            format!("the chain of the node is {actual}, that of the settings {expected}"),
        ));
    }
    let EvmCurrency::Token(token) = currency else { return Ok(()) };
    let word = results.get(1).filter(|word| word.as_str().is_some_and(|word| word.len() == 66));
    match word.and_then(values::number) {
        Some(decimals) if decimals == u128::from(token.decimals) => Ok(()),
        Some(decimals) => {
            let why = format!("the contract {} has {decimals} decimals, the settings say {}", token.contract, token.decimals);
            Err(CallError::permanent("wrong_decimals", why))
        }
        None => Err(CallError::permanent("wrong_decimals", format!("{} is not the contract of a token", token.contract))),
    }
}
