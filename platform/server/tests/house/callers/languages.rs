//! What is refused is refused in one language: the sentence, and the words in it that come from somewhere else.
//!
//! Every operation is called in both languages by callers of different kinds, and those that take a body again with each value in it spoilt, so that most
//! refusals of the house are heard.

use std::collections::BTreeSet;

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_testkit::{Answer, Engine};
use serde_json::{Value, json};

use super::table::{Body, Call, Who};
use super::world::World;
use super::{call, rows};

/// Who calls: those who are refused, and those who hear what is wrong with what they ask for.
const CALLERS: [Who; 7] =
    [Who::Guest, Who::Owner, Who::Other, Who::Inactive, Who::Staff(Role::Owner), Who::Staff(Role::Auditor), Who::Unconfirmed];

/// A body with each value in it spoilt, one at a time.
fn spoilt(body: &Value) -> Vec<Value> {
    let mut pointers = Vec::new();
    leaves(body, String::new(), &mut pointers);
    let mut spoilt = Vec::new();
    for pointer in pointers {
        let values = match body.pointer(&pointer).expect("it is there") {
            Value::String(_) => vec![json!(""), json!("x"), json!("0"), json!("y".repeat(6_000))],
            Value::Number(_) => vec![json!(-1), json!(0), json!(99_999_999)],
            _ => vec![json!("x")],
        };
        for value in values {
            let mut other = body.clone();
            *other.pointer_mut(&pointer).expect("it is there") = value;
            spoilt.push(other);
        }
    }
    spoilt
}

fn leaves(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, inner)| leaves(inner, format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found)),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, inner)| leaves(inner, format!("{at}/{index}"), found)),
        _ => found.push(at),
    }
}

/// Everything in a problem that is to be read: its sentences, and the values they name.
fn read(problem: &Value) -> (Vec<&str>, Vec<(&str, &str)>) {
    let fields =
        || problem["errors"].as_object().into_iter().flat_map(serde_json::Map::values).filter_map(Value::as_array).flatten();
    let own = ["title", "detail"].map(|name| &problem[name]);
    let sentences = own.into_iter().chain(fields().map(|field| &field["message"])).filter_map(Value::as_str).collect();
    let params = std::iter::once(problem).chain(fields()).filter_map(|of| of["params"].as_object()).flatten();
    (sentences, params.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect())
}

fn is_cyrillic(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{400}'..='\u{52f}'))
}

/// Words that partners write in their programmes, whatever language they read.
const NAMES: [&str; 4] = ["read", "quote", "claim", "trustee"];

/// An English word in a Russian text: no abbreviation or name, which begin with a capital, no address, and no name of a permission.
fn english_word(text: &str) -> Option<&str> {
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()));
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase()) && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    words.filter(|word| word.len() > 1 && is_word(word)).find(|word| !NAMES.contains(word))
}

/// What is not in the language it should be in, or not filled in, of one refusal in both.
fn faults(russian: &Value, english: &Value) -> Vec<String> {
    let ((ru, ru_params), (en, en_params)) = (read(russian), read(english));
    let mut faults = Vec::new();
    for text in &ru {
        if !is_cyrillic(text) || english_word(text).is_some() || text.contains('{') {
            faults.push(format!("to somebody Russian: {text}"));
        }
    }
    for text in &en {
        if is_cyrillic(text) || text.contains('{') {
            faults.push(format!("to somebody English: {text}"));
        }
    }
    // A value of one word may be one that programmes read.
    for (name, text) in ru_params.into_iter().filter(|(_, text)| text.contains(' ') && english_word(text).is_some()) {
        faults.push(format!("to somebody Russian, as {name}: {text}"));
    }
    for (name, text) in en_params.into_iter().filter(|(_, text)| is_cyrillic(text)) {
        faults.push(format!("to somebody English, as {name}: {text}"));
    }
    faults
}

/// The problem of a refusal.
fn problem(answer: &Answer) -> Option<Value> {
    let told: Value = serde_json::from_str(&answer.text).ok()?;
    (answer.status.as_u16() >= 400 && told["code"].is_string()).then_some(told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_refusal_is_in_one_language() {
    let world = World::make(Engine::Sqlite).await;
    let (mut codes, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for row in rows() {
        for who in CALLERS {
            let whole = call(&world, row.name, who).await;
            // Feeds are for robots, and whoever has no API's path names no language.
            if !whole.path.starts_with("/api/") && !whole.path.starts_with("/front-api/") {
                continue;
            }
            let mut calls = vec![whole.clone()];
            if let Body::Json(body) = &whole.body
                && matches!(who, Who::Owner | Who::Staff(Role::Owner))
            {
                // Before all is right: what is done once may not be done again.
                calls =
                    spoilt(body).into_iter().map(|body| Call { body: Body::Json(body), ..whole.clone() }).chain(calls).collect();
            }
            for call in calls {
                let (russian, english) =
                    (world.send_in(Locale::Ru, who, call.clone()).await, world.send_in(Locale::En, who, call).await);
                for answer in [&russian, &english] {
                    if answer.status.is_server_error() && answer.status != 503 {
                        wrong.insert(format!("{} by {who:?}: {} {}", row.name, answer.status, answer.text));
                    }
                }
                let (Some(russian), Some(english)) = (problem(&russian), problem(&english)) else { continue };
                if russian["code"] != english["code"] {
                    continue;
                }
                let fields = english["errors"].as_object().into_iter().flat_map(|fields| fields.values());
                let of_fields = fields.filter_map(|field| field[0]["code"].as_str());
                codes.extend(english["code"].as_str().into_iter().chain(of_fields).map(str::to_owned));
                wrong.extend(faults(&russian, &english).into_iter().map(|fault| format!("{}: {}", english["code"], fault)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.into_iter().collect::<Vec<_>>().join("\n"));
    assert!(codes.len() > 80, "only {} refusals were heard: {codes:?}", codes.len());
}
