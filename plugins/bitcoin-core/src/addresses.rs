//! Addresses for customers: one for each label.

use agio_plugin::protocol::{Address, AddressWish, Answer, Question, Refusal, Step};
use serde_json::{Value, json};

use crate::rpc::{self, Failure, codes};

/// The addresses of these labels; those that have none get one.
pub fn find_or_make(question: &Question, wishes: &[AddressWish]) -> Step {
    let known = match &question.memo {
        Value::Null if question.outcomes.is_empty() => {
            let calls: Vec<_> = wishes.iter().map(|wish| ("getaddressesbylabel", json!([wish.key]))).collect();
            return Step::first(rpc::batch(question, &calls));
        }
        Value::Null => match found(question, wishes.len()) {
            Ok(known) => known,
            Err(failure) => return Step::Refused(failure.refusal()),
        },
        memo => match with_made(question, memo) {
            Ok(known) => known,
            Err(failure) => return Step::Refused(failure.refusal()),
        },
    };
    let missing: Vec<_> = wishes.iter().zip(&known).filter(|(_, address)| address.is_none()).map(|(wish, _)| wish).collect();
    if missing.is_empty() {
        let address = |(wish, address): (&AddressWish, Option<String>)| {
            Some(Address { key: wish.key.clone(), address: address?, memo: None })
        };
        return Step::Done(Answer::Addresses(wishes.iter().zip(known).filter_map(address).collect()));
    }
    if !question.memo.is_null() {
        return Step::Refused(Refusal::later("unreadable", "the node gave fewer addresses than were asked for"));
    }
    let calls: Vec<_> = missing.iter().map(|wish| ("getnewaddress", json!([wish.key, "bech32"]))).collect();
    Step::Needs { actions: vec![rpc::batch(question, &calls)], memo: json!(known) }
}

/// The addresses that labels have already. Of several the first in the alphabet is taken, so that it is the same one each time.
fn found(question: &Question, count: usize) -> Result<Vec<Option<String>>, Failure> {
    let results = rpc::results(question.outcomes.first(), count)?;
    let of_label = |result| match result {
        Ok(Value::Object(addresses)) => Ok(addresses.keys().min().cloned()),
        Ok(_) => Err(Failure::Unclear("a label has something else than addresses".to_owned())),
        Err(Failure::Refused(codes::INVALID_LABEL_NAME, _)) => Ok(None),
        Err(failure) => Err(failure),
    };
    results.into_iter().map(of_label).collect()
}

/// What was known, with what was made in its gaps.
fn with_made(question: &Question, memo: &Value) -> Result<Vec<Option<String>>, Failure> {
    let unreadable = |_| Failure::Unclear("what was noted cannot be read".to_owned());
    let mut known: Vec<Option<String>> = serde_json::from_value(memo.clone()).map_err(unreadable)?;
    let gaps: Vec<&mut Option<String>> = known.iter_mut().filter(|address| address.is_none()).collect();
    let made = rpc::results(question.outcomes.first(), gaps.len())?;
    for (gap, result) in gaps.into_iter().zip(made) {
        *gap = result?.as_str().map(str::to_owned);
    }
    Ok(known)
}
