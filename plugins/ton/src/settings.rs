//! The settings.

use agio_plugin_sdk::amounts::units;
use agio_plugin_sdk::protocol::{CallError, PluginRequest};
use rust_decimal::{Decimal, RoundingStrategy};
use tycho_types::models::{StdAddr, StdAddrFormat};

use crate::wallet::Wallet;

pub const URL: &str = "url";
pub const TOKEN: &str = "token";
pub const NETWORK: &str = "network";
pub const TOKENS: &str = "tokens";
pub const ADDRESS: &str = "address";
pub const SECRET: &str = "secret";
pub const SMALLEST: &str = "smallest";

/// The code of toncoin.
pub const NATIVE: &str = "TON";

/// Decimals of toncoin. The smallest unit is the nanoton.
pub const NATIVE_DECIMALS: u32 = 9;

/// The most decimals a jetton may have.
const DECIMALS_MAX: u32 = 28;

/// The networks: value, title, and the hash of the state before the first block.
pub const NETWORKS: [(&str, &str, &str); 2] = [
    ("mainnet", "Mainnet", "F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk="),
    ("testnet", "Testnet", "gj+B8wb/AmlPk1z1AhVI484rhrUpgSr2oSFIh56VoSg="),
];

/// A jetton: a token of TEP-74.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jetton {
    /// The contract of the issuer. Anybody can make another one with the same name.
    pub master: StdAddr,
    pub decimals: u32,
}

/// The jetton with a code; none for toncoin.
///
/// # Errors
/// `unknown_currency`: it is not among the settings; `bad_settings`: the list of jettons cannot be read.
pub fn jetton(request: &PluginRequest, code: &str) -> Result<Option<Jetton>, CallError> {
    if code == NATIVE {
        return Ok(None);
    }
    let jetton = jettons(request)?.into_iter().find(|(known, _)| *known == code);
    let unknown = || CallError::permanent("unknown_currency", format!("{code} is not among the currencies of the settings"));
    jetton.map(|(_, jetton)| Some(jetton)).ok_or_else(unknown)
}

/// The jettons, written `CODE=ISSUER:DECIMALS` and separated by commas.
///
/// # Errors
/// `bad_settings`: which entry cannot be read.
pub fn jettons(request: &PluginRequest) -> Result<Vec<(&str, Jetton)>, CallError> {
    let entries = request.setting(TOKENS).split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let bad =
        |entry: &str| CallError::permanent("bad_settings", format!("the jetton {entry:?} is not written CODE=ISSUER:DECIMALS"));
    entries
        .map(|entry| {
            let read = || {
                let (code, jetton) = entry.split_once('=')?;
                let (master, decimals) = jetton.rsplit_once(':')?;
                let decimals = decimals.trim().parse().ok().filter(|decimals| *decimals <= DECIMALS_MAX)?;
                Some((code.trim_end(), Jetton { master: address(master)?, decimals }))
            };
            read().ok_or_else(|| bad(entry))
        })
        .collect()
}

/// Decimals of a currency.
pub fn decimals(jetton: Option<&Jetton>) -> u32 {
    jetton.map_or(NATIVE_DECIMALS, |jetton| jetton.decimals)
}

/// An address in any form: `EQ...`, `UQ...`, or the workchain and the hash.
pub fn address(text: &str) -> Option<StdAddr> {
    StdAddr::from_str_ext(text.trim(), StdAddrFormat::any()).ok().map(|(address, _)| address)
}

/// The address to which customers pay: that of the settings, or else that of the wallet for payouts.
///
/// # Errors
/// `no_deposit_address`.
pub fn deposit_address(request: &PluginRequest) -> Result<StdAddr, CallError> {
    let text = request.setting(ADDRESS);
    let address = if text.trim().is_empty() {
        Wallet::of_secret(request.setting(SECRET)).map(|wallet| wallet.address)
    } else {
        address(text)
    };
    let missing =
        "set the address of the wallet for deposits, or the key of the wallet for payouts, which then takes deposits as well";
    address.ok_or_else(|| CallError::permanent("no_deposit_address", missing))
}

/// The hash of the state before the first block of the network.
pub fn genesis(request: &PluginRequest) -> Option<&'static str> {
    NETWORKS.into_iter().find(|(name, ..)| *name == request.setting(NETWORK)).map(|(.., genesis)| genesis)
}

/// The smallest payment that is reported, in units.
///
/// # Errors
/// `bad_settings`: it is no amount.
pub fn smallest(request: &PluginRequest, jetton: Option<&Jetton>) -> Result<u128, CallError> {
    let amount = Decimal::from_str_exact(request.setting(SMALLEST).trim()).ok();
    let decimals = decimals(jetton);
    let rounded = amount.map(|amount| amount.round_dp_with_strategy(decimals, RoundingStrategy::AwayFromZero));
    let smallest = rounded.and_then(|amount| units(amount, decimals));
    smallest.ok_or_else(|| CallError::permanent("bad_settings", "the smallest payment is no amount above zero"))
}
