//! Errors are in one language, including their parameters.
//!
//! Every operation is called in both languages by callers of different kinds, and those that take a body again with
//! each value in it made invalid, so that most errors occur.

use std::collections::BTreeSet;

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_test_app::{Engine, TestResponse};
use serde_json::{Value, json};

use super::fixtures::Fixtures;
use super::row::{Body, Call, CallerKind};
use super::{call, rows};

/// Callers that are refused, and callers that get validation errors.
const CALLERS: [CallerKind; 7] = [
    CallerKind::Guest,
    CallerKind::Owner,
    CallerKind::Other,
    CallerKind::Inactive,
    CallerKind::Staff(Role::Owner),
    CallerKind::Staff(Role::Auditor),
    CallerKind::Unconfirmed,
];

/// Operations that end a session of staff after some wrong passwords or codes.
const GUESSED: [&str; 6] = [
    "confirmStaffSession",
    "enableStaffTotp",
    "beginStaffTotpSetup",
    "changeStaffPassword",
    "regenerateStaffRecoveryCodes",
    "disableStaffTotp",
];

/// Copies of a body with one invalid value each.
fn with_invalid_values(body: &Value) -> Vec<Value> {
    let mut pointers = Vec::new();
    leaves(body, String::new(), &mut pointers);
    let mut altered = Vec::new();
    for pointer in pointers {
        let values = match body.pointer(&pointer).expect("it is there") {
            Value::String(_) => vec![json!(""), json!("x"), json!("0"), json!("y".repeat(6_000))],
            Value::Number(_) => vec![json!(-1), json!(0), json!(99_999_999)],
            _ => vec![json!("x")],
        };
        for value in values {
            let mut other = body.clone();
            *other.pointer_mut(&pointer).expect("it is there") = value;
            altered.push(other);
        }
    }
    altered
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

/// The messages of a problem and their parameters.
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

/// Scopes, which are not translated.
const NAMES: [&str; 4] = ["read", "quote", "claim", "trustee"];

/// An English word in a Russian text, except for capitalised names, addresses and permissions.
fn english_word(text: &str) -> Option<&str> {
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()));
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase()) && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    words.filter(|word| word.len() > 1 && is_word(word)).find(|word| !NAMES.contains(word))
}

/// Texts in the wrong language or with unfilled placeholders.
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
    // A value of one word may be an identifier.
    for (name, text) in ru_params.into_iter().filter(|(_, text)| text.contains(' ') && english_word(text).is_some()) {
        faults.push(format!("to somebody Russian, as {name}: {text}"));
    }
    for (name, text) in en_params.into_iter().filter(|(_, text)| is_cyrillic(text)) {
        faults.push(format!("to somebody English, as {name}: {text}"));
    }
    faults
}

/// The problem of a refusal.
fn problem(answer: &TestResponse) -> Option<Value> {
    let response: Value = serde_json::from_str(&answer.text).ok()?;
    (answer.status.as_u16() >= 400 && response["code"].is_string()).then_some(response)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_error_is_in_one_language() {
    let mut fixtures = Fixtures::create(Engine::Sqlite).await;
    let (mut codes, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for row in rows() {
        for kind in CALLERS {
            // Guesses end sessions of customers as well.
            for customer in [&mut fixtures.anna, &mut fixtures.boris] {
                if !customer.me().await.status.is_success() {
                    customer.sign_in().await.ok();
                }
            }
            let whole = call(&fixtures, row.name, kind).await;
            // Only API paths have a language.
            if !whole.path.starts_with("/api/") && !whole.path.starts_with("/front-api/") {
                continue;
            }
            let mut calls = vec![whole.clone()];
            if let Body::Json(body) = &whole.body
                && matches!(kind, CallerKind::Owner | CallerKind::Staff(Role::Owner))
            {
                let guessing = kind == CallerKind::Staff(Role::Owner) && GUESSED.contains(&row.name);
                let by = if guessing { Some(fixtures.app.owner().await) } else { whole.by.clone() };
                // The valid body comes last, because it may not be repeatable.
                calls = with_invalid_values(body)
                    .into_iter()
                    .map(|body| Call { body: Body::Json(body), by: by.clone(), ..whole.clone() })
                    .chain(calls)
                    .collect();
            }
            for call in calls {
                let (russian, english) =
                    (fixtures.send_in(Locale::Ru, kind, call.clone()).await, fixtures.send_in(Locale::En, kind, call).await);
                for answer in [&russian, &english] {
                    if answer.status.is_server_error() && answer.status != 503 {
                        wrong.insert(format!("{} by {kind:?}: {} {}", row.name, answer.status, answer.text));
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
