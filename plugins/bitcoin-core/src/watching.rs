//! What came in.

use agio_plugin::protocol::{Answer, Movement, Movements, Question, Step, Watch};
use serde_json::{Value, json};

use crate::rpc::{self, Failure, codes};

/// What came since the block the last answer ended with. The node's own `lastblock` is so many blocks deep that whatever has fewer
/// confirmations is told again; what a re-organisation undid is told as it stands now.
pub fn watch(question: &Question, watch: &Watch) -> Step {
    if question.outcomes.is_empty() {
        return ask(question, watch, watch.cursor.as_deref(), Value::Null);
    }
    let read = rpc::results(question.outcomes.first(), 2).and_then(|results| {
        let mut results = results.into_iter();
        let (listed, height) = (results.next().transpose()?, results.next().transpose()?);
        movements(&listed.unwrap_or_default(), &height.unwrap_or_default())
            .ok_or_else(|| Failure::Unclear("the answer cannot be read".to_owned()))
    });
    match read {
        Ok(movements) => Step::Done(Answer::Movements(movements)),
        // The block is of a chain that this node does not know: everything is told anew, which harms nobody.
        Err(Failure::Refused(codes::INVALID_ADDRESS_OR_KEY, _)) if question.memo.is_null() && watch.cursor.is_some() => {
            ask(question, watch, None, json!("from the beginning"))
        }
        Err(failure) => Step::Refused(failure.refusal()),
    }
}

fn ask(question: &Question, watch: &Watch, since: Option<&str>, memo: Value) -> Step {
    let listed = json!([since.unwrap_or_default(), watch.confirmations.max(1), false, true]);
    let calls = [("listsinceblock", listed), ("getblockcount", json!([]))];
    Step::Needs { actions: vec![rpc::batch(question, &calls)], memo }
}

fn movements(listed: &Value, height: &Value) -> Option<Movements> {
    let came = |entry: &&Value| entry["category"] == "receive";
    let told = listed["transactions"].as_array()?.iter().filter(came).map(movement);
    let mut movements: Vec<Movement> = told.collect::<Option<_>>()?;
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
