//! The settings.

use agio_plugin_evm::{TokenContract, values};
use agio_plugin_sdk::protocol::{CallError, PluginRequest};
use rust_decimal::Decimal;

use crate::address;

pub const URL: &str = "url";
pub const SOLIDITY_URL: &str = "solidity_url";
pub const TOKEN: &str = "token";
pub const NETWORK: &str = "network";
pub const TOKENS: &str = "tokens";
pub const XPUB: &str = "xpub";
pub const SECRET: &str = "secret";
pub const FEE_LIMIT: &str = "fee_limit";

/// The code of TRX.
pub const NATIVE: &str = "TRX";

/// Decimals of TRX. The smallest unit is the sun.
pub const NATIVE_DECIMALS: u32 = 6;

/// The networks: value, title, and the hash of the first block.
pub const NETWORKS: [(&str, &str, &str); 3] = [
    ("mainnet", "Mainnet", "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc"),
    ("nile", "Nile (testnet)", "0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc"),
    ("shasta", "Shasta (testnet)", "0000000000000000de1aa88295e1fcf982742f773e0419c5a9c134c994a9059e"),
];

/// The contract of a currency; none of TRX.
///
/// # Errors
/// `unknown_currency`: it is not among the settings; `bad_settings`: the list of tokens cannot be read.
pub fn token(request: &PluginRequest, code: &str) -> Result<Option<TokenContract>, CallError> {
    if code == NATIVE {
        return Ok(None);
    }
    let token = tokens(request)?.into_iter().find(|(known, _)| *known == code);
    let unknown = || CallError::permanent("unknown_currency", format!("{code} is not among the currencies of the settings"));
    token.map(|(_, token)| Some(token)).ok_or_else(unknown)
}

/// The tokens, written `CODE=CONTRACT:DECIMALS` and separated by commas.
///
/// # Errors
/// `bad_settings`: which entry cannot be read.
pub fn tokens(request: &PluginRequest) -> Result<Vec<(&str, TokenContract)>, CallError> {
    agio_plugin_evm::tokens(request.setting(TOKENS), address::decode)
}

/// Decimals of a currency.
pub fn decimals(token: Option<TokenContract>) -> u32 {
    token.map_or(NATIVE_DECIMALS, |token| token.decimals)
}

/// The hash of the first block of the network.
pub fn genesis(request: &PluginRequest) -> Option<&'static str> {
    NETWORKS.into_iter().find(|(name, ..)| *name == request.setting(NETWORK)).map(|(.., genesis)| genesis)
}

/// The most that the energy of a payout may cost, in sun.
///
/// # Errors
/// `bad_settings`: it is no amount.
pub fn fee_limit(request: &PluginRequest) -> Result<u64, CallError> {
    let limit = Decimal::from_str_exact(request.setting(FEE_LIMIT).trim()).ok();
    let sun = limit.and_then(|limit| values::units(limit, NATIVE_DECIMALS)).and_then(|sun| i64::try_from(sun).ok());
    let bad = || CallError::permanent("bad_settings", "the highest fee of a payout is no amount of TRX above zero");
    sun.and_then(|sun| u64::try_from(sun).ok()).ok_or_else(bad)
}
