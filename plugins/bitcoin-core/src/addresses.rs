//! Deposit addresses: one per label.

use agio_plugin_sdk::protocol::{AddressRequest, CallError, CallResult, DepositAddress, PluginRequest, PluginResponse};
use serde_json::{Value, json};

use crate::WALLET;
use crate::coins::Coin;
use crate::rpc::{self, Failure, codes};

/// Always native SegWit: Litecoin Core would also give private (MWEB) addresses, which a watching wallet does not see.
const ADDRESS_TYPE: &str = "bech32";

/// The addresses of these labels; those that have none get one.
pub fn find_or_create(coin: &Coin, input: &PluginRequest, requests: &[AddressRequest]) -> PluginResponse {
    let known = match &input.memo {
        Value::Null if input.outcomes.is_empty() => {
            let labels = requests.iter().map(|request| ("getaddressesbylabel", json!([request.key])));
            let calls: Vec<_> = [rpc::first_block()].into_iter().chain(labels).collect();
            return PluginResponse::action(rpc::batch(input, input.setting(WALLET), &calls));
        }
        Value::Null => found(coin, input, requests.len()),
        memo => with_created(input, memo),
    };
    let known = match known {
        Ok(known) => known,
        Err(failure) => return PluginResponse::Failed(failure.into_call_error()),
    };
    let missing: Vec<_> =
        requests.iter().zip(&known).filter(|(_, address)| address.is_none()).map(|(request, _)| request).collect();
    if missing.is_empty() {
        let address = |(request, address): (&AddressRequest, Option<String>)| {
            Some(DepositAddress { key: request.key.clone(), address: address?, memo: None })
        };
        return PluginResponse::Done(CallResult::Addresses(requests.iter().zip(known).filter_map(address).collect()));
    }
    if !input.memo.is_null() {
        return PluginResponse::Failed(CallError::temporary("unreadable", "the node returned fewer addresses than requested"));
    }
    let calls: Vec<_> = missing.iter().map(|request| ("getnewaddress", json!([request.key, ADDRESS_TYPE]))).collect();
    PluginResponse::Needs { actions: vec![rpc::batch(input, input.setting(WALLET), &calls)], memo: json!(known) }
}

/// The addresses that labels have already. Of several the first in the alphabet is taken, so that it is the same one
/// each time.
fn found(coin: &Coin, input: &PluginRequest, count: usize) -> Result<Vec<Option<String>>, Failure> {
    let of_label = |result| match result {
        Ok(Value::Object(addresses)) => Ok(addresses.keys().min().cloned()),
        Ok(_) => Err(Failure::Unclear("a label has something else than addresses".to_owned())),
        Err(Failure::Refused(codes::INVALID_LABEL_NAME, _)) => Ok(None),
        Err(failure) => Err(failure),
    };
    rpc::checked_results(coin, input, count)?.into_iter().map(of_label).collect()
}

/// What was known, with what was created in its gaps.
fn with_created(input: &PluginRequest, memo: &Value) -> Result<Vec<Option<String>>, Failure> {
    let unreadable = |_| Failure::Unclear("the note of the previous round cannot be read".to_owned());
    let mut known: Vec<Option<String>> = serde_json::from_value(memo.clone()).map_err(unreadable)?;
    let gaps: Vec<&mut Option<String>> = known.iter_mut().filter(|address| address.is_none()).collect();
    let created = rpc::results(input.outcomes.first(), gaps.len())?;
    for (gap, result) in gaps.into_iter().zip(created) {
        *gap = result?.as_str().map(str::to_owned);
    }
    Ok(known)
}
