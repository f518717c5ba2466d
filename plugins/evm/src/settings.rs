//! The settings.

use agio_plugin_sdk::protocol::{CallError, PluginRequest};
use rust_decimal::Decimal;

use crate::values::{EvmAddress, NATIVE_DECIMALS};

pub const URL: &str = "url";
pub const TOKEN: &str = "token";
pub const CHAIN_ID: &str = "chain_id";
pub const NATIVE: &str = "native";
pub const TOKENS: &str = "tokens";
pub const XPUB: &str = "xpub";
pub const SECRET: &str = "secret";
pub const MAX_FEE: &str = "max_fee";
pub const MAX_GAS: &str = "max_gas";
pub const FINAL_BLOCKS: &str = "final_blocks";
pub const SHARED_ACCOUNT: &str = "shared_account";

/// The most decimals a token may have.
const DECIMALS_MAX: u32 = 28;

/// A currency of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvmCurrency {
    Native,
    Token(TokenContract),
}

/// An ERC-20 token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenContract {
    pub contract: EvmAddress,
    pub decimals: u32,
}

impl EvmCurrency {
    pub fn decimals(self) -> u32 {
        match self {
            Self::Native => NATIVE_DECIMALS,
            Self::Token(token) => token.decimals,
        }
    }
}

/// The currency with a code.
///
/// # Errors
/// `unknown_currency`: it is not among the settings; `bad_settings`: the list of tokens cannot be read.
pub fn currency(request: &PluginRequest, code: &str) -> Result<EvmCurrency, CallError> {
    if request.setting(NATIVE).trim() == code {
        return Ok(EvmCurrency::Native);
    }
    let token = tokens(request.setting(TOKENS), EvmAddress::parse)?.into_iter().find(|(known, _)| *known == code);
    let unknown = || CallError::permanent("unknown_currency", format!("{code} is not among the currencies of the settings"));
    token.map(|(_, token)| EvmCurrency::Token(token)).ok_or_else(unknown)
}

/// The tokens, written `CODE=CONTRACT:DECIMALS` and separated by commas.
///
/// # Errors
/// `bad_settings`: which entry cannot be read.
pub fn tokens(list: &str, address: fn(&str) -> Option<EvmAddress>) -> Result<Vec<(&str, TokenContract)>, CallError> {
    let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let read = |entry: &'_ str| -> Option<(usize, TokenContract)> {
        let (code, token) = entry.split_once('=')?;
        let (contract, decimals) = token.split_once(':')?;
        let decimals = decimals.trim().parse().ok().filter(|decimals| *decimals <= DECIMALS_MAX)?;
        Some((code.trim_end().len(), TokenContract { contract: address(contract.trim())?, decimals }))
    };
    let bad =
        |entry: &str| CallError::permanent("bad_settings", format!("the token {entry:?} is not written CODE=CONTRACT:DECIMALS"));
    entries.map(|entry| read(entry).map(|(code, token)| (&entry[..code], token)).ok_or_else(|| bad(entry))).collect()
}

/// A setting that is a whole number.
pub fn integer(request: &PluginRequest, name: &str) -> u64 {
    request.setting(name).parse().unwrap_or_default()
}

/// The most that one payout may cost, in the native coin.
///
/// # Errors
/// `bad_settings`: it is no amount.
pub fn max_fee(request: &PluginRequest) -> Result<Decimal, CallError> {
    let read = Decimal::from_str_exact(request.setting(MAX_FEE).trim()).ok().filter(|fee| *fee > Decimal::ZERO);
    read.ok_or_else(|| CallError::permanent("bad_settings", "the highest fee of a payout is no amount above zero"))
}
