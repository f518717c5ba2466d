//! Deposit addresses: numbered children of the extended public key.
//!
//! Two kinds of values are stored, both in pages: the addresses of the chain, which depend on nothing but the key, and
//! the keys of the requests in the order of their addresses. Nodes that number addresses at once write the same
//! addresses, so none is ever unwatched.

use std::collections::{BTreeMap, BTreeSet};

use agio_plugin_sdk::protocol::{
    Action, ActionResult, AddressRequest, CallError, CallResult, DepositAddress, PluginRequest, PluginResponse,
};
use sha2::{Digest as _, Sha256};

use crate::keys::DepositChain;
use crate::values::{EvmAddress, hex};

/// Addresses on a page. Their keys have to fit into 16 KiB.
const PAGE: usize = 128;

/// Prefixes of the stored values. A part of the extended public key's digest and the page's number follow.
const ADDRESSES: &str = "addresses-";
const KEYS: &str = "keys-";

/// The address of each key, as the network writes it. A new key gets the next number.
pub fn assign(
    request: &PluginRequest,
    requests: &[AddressRequest],
    xpub: &str,
    written: fn(EvmAddress) -> String,
) -> PluginResponse {
    let xpub = xpub.trim();
    let Some(chain) = DepositChain::parse(xpub) else {
        let why = "set the extended public key of an account: it derives the deposit addresses";
        return PluginResponse::Failed(CallError::permanent("no_deposit_key", why));
    };
    if let Some(ActionResult::HttpFailure(failure)) =
        request.outcomes.iter().find(|outcome| !matches!(outcome, ActionResult::Stored))
    {
        return PluginResponse::Failed(CallError::temporary("not_stored", failure.why.clone()));
    }
    let mark = hex(&Sha256::digest(xpub.as_bytes())[..6]).split_off(2);
    let mut keys = assigned(&request.stored, &mark);
    let numbers: BTreeMap<String, usize> = keys.iter().cloned().zip(0..).collect();
    let first_new = keys.len();
    let new: BTreeSet<&String> = requests.iter().map(|request| &request.key).filter(|key| !numbers.contains_key(*key)).collect();
    if !new.is_empty() {
        keys.extend(new.into_iter().cloned());
        return match pages(&request.stored, &chain, &mark, &keys, first_new) {
            Some(actions) => PluginResponse::Needs { actions, memo: serde_json::Value::Null },
            None => PluginResponse::Failed(CallError::permanent("no_more_addresses", "the chain has no more addresses")),
        };
    }
    let address = |request: &AddressRequest| {
        let number = u32::try_from(*numbers.get(&request.key)?).ok()?;
        Some(DepositAddress { key: request.key.clone(), address: written(chain.address(number)?), memo: None })
    };
    match requests.iter().map(address).collect() {
        Some(addresses) => PluginResponse::Done(CallResult::Addresses(addresses)),
        None => PluginResponse::Failed(CallError::permanent("no_more_addresses", "the chain has no more addresses")),
    }
}

/// The keys that have addresses, in the order of their numbers.
fn assigned(stored: &BTreeMap<String, String>, mark: &str) -> Vec<String> {
    let pages = (0..).map_while(|page| stored.get(&name(KEYS, mark, page)));
    pages.flat_map(|page| page.split_ascii_whitespace()).map(str::to_owned).collect()
}

/// Stores the pages from the one with the first new key.
fn pages(
    stored: &BTreeMap<String, String>,
    chain: &DepositChain,
    mark: &str,
    keys: &[String],
    first_new: usize,
) -> Option<Vec<Action>> {
    let mut actions = Vec::new();
    for (number, page) in keys.chunks(PAGE).enumerate().skip(first_new / PAGE) {
        let known = name(ADDRESSES, mark, number);
        if !stored.contains_key(&known) {
            let first = u32::try_from(number * PAGE).ok()?;
            let addresses = (first..first + PAGE as u32).map(|number| chain.address(number).map(EvmAddress::lower_case));
            actions.push(Action::Store { name: known, value: Some(addresses.collect::<Option<Vec<_>>>()?.join(" ")) });
        }
        actions.push(Action::Store { name: name(KEYS, mark, number), value: Some(page.join(" ")) });
    }
    Some(actions)
}

fn name(prefix: &str, mark: &str, page: usize) -> String {
    format!("{prefix}{mark}-{page:06}")
}

/// All addresses that were ever given, of former extended public keys too.
pub fn all(stored: &BTreeMap<String, String>) -> BTreeSet<EvmAddress> {
    let pages = stored.range(ADDRESSES.to_owned()..).take_while(|(name, _)| name.starts_with(ADDRESSES));
    pages.flat_map(|(_, page)| page.split_ascii_whitespace()).filter_map(EvmAddress::parse).collect()
}
