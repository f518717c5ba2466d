//! Deposit addresses: one subaddress per label.

use std::collections::{BTreeMap, BTreeSet};

use agio_plugin_sdk::protocol::{AddressRequest, CallError, CallResult, DepositAddress, PluginRequest, PluginResponse};
use serde_json::{Value, json};

use crate::rpc::{self, WalletFailure};

/// Subaddresses that are created in one round. The wallet is saved after them.
const AT_A_TIME: usize = 15;

/// The addresses with these labels; those that are missing are created.
pub fn find_or_create(input: &PluginRequest, requests: &[AddressRequest]) -> PluginResponse {
    step(input, requests).unwrap_or_else(PluginResponse::Failed)
}

/// The note of a round that created addresses is how many were missing, so that it never goes on without progress.
fn step(input: &PluginRequest, requests: &[AddressRequest]) -> Result<PluginResponse, CallError> {
    let list = |missing: Option<usize>| PluginResponse::Needs {
        actions: vec![rpc::call(input, "get_address", &json!({ "account_index": 0 }))],
        memo: json!({ "listed": true, "missing": missing }),
    };
    if input.outcomes.is_empty() {
        return Ok(list(None));
    }
    let missing_before = input.memo["missing"].as_u64();
    if input.memo["listed"] != true {
        for place in 0..input.outcomes.len() {
            rpc::result(input, place).map_err(WalletFailure::into_call_error)?;
        }
        return Ok(list(missing_before.and_then(|missing| usize::try_from(missing).ok())));
    }
    let listed = rpc::result(input, 0).map_err(WalletFailure::into_call_error)?;
    rpc::check_network(input, &listed)?;
    let known = labelled(&listed).ok_or_else(|| WalletFailure::unreadable("the addresses").into_call_error())?;
    let missing: BTreeSet<_> =
        requests.iter().map(|request| request.key.as_str()).filter(|key| !known.contains_key(key)).collect();
    if missing.is_empty() {
        let address = |request: &AddressRequest| {
            let address = (*known.get(request.key.as_str())?).to_owned();
            Some(DepositAddress { key: request.key.clone(), address, memo: None })
        };
        return Ok(PluginResponse::Done(CallResult::Addresses(requests.iter().filter_map(address).collect())));
    }
    if missing_before.is_some_and(|before| missing.len() as u64 >= before) {
        return Err(CallError::temporary("unreadable", "the wallet does not show the addresses it created"));
    }
    let create = |key: &&str| rpc::call(input, "create_address", &json!({ "account_index": 0, "label": key }));
    let mut actions: Vec<_> = missing.iter().take(AT_A_TIME).map(create).collect();
    // A wallet that ended unsaved would give the same addresses to others.
    actions.push(rpc::call(input, "store", &json!({})));
    Ok(PluginResponse::Needs { actions, memo: json!({ "missing": missing.len() }) })
}

/// The addresses by label. Of several the one with the lowest index is taken, so that it is the same one each time.
fn labelled(listed: &Value) -> Option<BTreeMap<&str, &str>> {
    let mut addresses = listed["addresses"]
        .as_array()?
        .iter()
        .map(|one| Some((one["address_index"].as_u64()?, one["label"].as_str()?, one["address"].as_str()?)))
        .collect::<Option<Vec<_>>>()?;
    addresses.sort_unstable_by_key(|(index, ..)| std::cmp::Reverse(*index));
    Some(addresses.into_iter().filter(|(index, ..)| *index > 0).map(|(_, label, address)| (label, address)).collect())
}
