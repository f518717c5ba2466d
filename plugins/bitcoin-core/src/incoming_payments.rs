//! Incoming payments.

use agio_plugin_sdk::protocol::{CallResult, Movement, Movements, PluginRequest, PluginResponse, WatchRequest};
use serde_json::{Value, json};

use crate::rpc::{self, Failure, codes};

/// What came since the block the last answer ended with. The node's own `lastblock` is so many blocks deep that whatever has fewer
/// confirmations is reported again; a payment undone by a reorganisation is reported as gone.
pub fn watch(request: &PluginRequest, watch: &WatchRequest) -> PluginResponse {
    if request.outcomes.is_empty() {
        return ask(request, watch, watch.cursor.as_deref(), Value::Null);
    }
    let read = rpc::results(request.outcomes.first(), 2).and_then(|results| {
        let mut results = results.into_iter();
        let (listed, height) = (results.next().transpose()?, results.next().transpose()?);
        movements(&listed.unwrap_or_default(), &height.unwrap_or_default())
            .ok_or_else(|| Failure::Unclear("the answer cannot be read".to_owned()))
    });
    match read {
        Ok(movements) => PluginResponse::Done(CallResult::Movements(movements)),
        // The node does not know the block: report everything again, which is harmless.
        Err(Failure::Refused(codes::INVALID_ADDRESS_OR_KEY, _)) if request.memo.is_null() && watch.cursor.is_some() => {
            ask(request, watch, None, json!("from the beginning"))
        }
        Err(failure) => PluginResponse::Failed(failure.into_call_error()),
    }
}

fn ask(request: &PluginRequest, watch: &WatchRequest, since: Option<&str>, memo: Value) -> PluginResponse {
    let listed = json!([since.unwrap_or_default(), watch.confirmations.max(1), false, true]);
    let calls = [("listsinceblock", listed), ("getblockcount", json!([]))];
    PluginResponse::Needs { actions: vec![rpc::batch(request, &calls)], memo }
}

fn movements(listed: &Value, height: &Value) -> Option<Movements> {
    let came = |entry: &&Value| entry["category"] == "receive";
    let reported = listed["transactions"].as_array()?.iter().filter(came).map(movement);
    let mut movements: Vec<Movement> = reported.collect::<Option<_>>()?;
    // What is on the chain again, or waits again, is among the transactions as well, and that is how it stands.
    for entry in listed["removed"].as_array().into_iter().flatten().filter(came) {
        let undone = movement(entry)?;
        if !movements.iter().any(|known| (&known.tx_id, known.output) == (&undone.tx_id, undone.output)) {
            movements.push(undone);
        }
    }
    Some(Movements { movements, cursor: listed["lastblock"].as_str()?.to_owned(), height: height.as_u64()? })
}

/// An entry of the wallet. One that conflicts with the chain has fewer than no confirmations: it was replaced, or spent twice.
fn movement(entry: &Value) -> Option<Movement> {
    let confirmations = entry["confirmations"].as_i64()?;
    Some(Movement {
        tx_id: entry["txid"].as_str()?.to_owned(),
        output: u32::try_from(entry["vout"].as_u64()?).ok()?,
        address: entry["address"].as_str()?.to_owned(),
        memo: None,
        amount: rpc::amount(&entry["amount"])?,
        confirmations: u32::try_from(confirmations.max(0)).ok()?,
        gone: confirmations < 0,
    })
}
