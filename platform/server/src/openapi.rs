//! The published documents: what the framework describes, put into the form callers rely on.

use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Kind};
use agio_http::Problem;
use agio_partners::trustee::{self, TrusteeCall};
use serde_json::{Map, Value, json};

/// Real requests and answers by the operation's id, recorded by a test of the whole house.
const EXAMPLES: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/examples.json"));

/// What a refusal with each status says most often.
const REFUSALS: [(Kind, &str); 11] = [
    (Kind::BadRequest, "malformed_body"),
    (Kind::Unauthorised, "token_not_valid"),
    (Kind::Forbidden, "forbidden"),
    (Kind::NotFound, "not_found"),
    (Kind::Conflict, "rate_changed"),
    (Kind::TooLarge, "too_large"),
    (Kind::UnsupportedMedia, "unsupported_media"),
    (Kind::Unprocessable, "validation_failed"),
    (Kind::TooManyRequests, "too_many_requests"),
    (Kind::Internal, "internal"),
    (Kind::Unavailable, "technical_mode"),
];

/// What is otherwise in the partners' document: there a signature says who calls.
const OF_PARTNERS: [(Kind, &str, &str); 2] = [
    (Kind::Unauthorised, "signature_invalid", "The signature does not fit, its time is past, or its nonce was used."),
    (Kind::Forbidden, "scope_missing", "The key may not do this, or not from this address."),
];

/// What is refused of wallets that speak Trustee's contract.
const OF_WALLETS: [(Kind, &str); 1] = [(Kind::Unprocessable, "amount_below_min")];

/// Paths that are called without a slash at the end, exceptions among the public calls.
const WITHOUT_SLASH: [&str; 1] = ["/api/v1/claim/captchacheck"];

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The published documents.
pub struct Documents {
    /// What customers' pages call.
    pub public: Value,
    /// What the console calls.
    pub console: Value,
    /// What partners call.
    pub partner: Value,
}

impl Documents {
    /// Each with the file it is checked in as.
    #[must_use]
    pub fn files(&self) -> [(&'static str, &Value); 3] {
        [("openapi/public.json", &self.public), ("openapi/admin.json", &self.console), ("openapi/partner.json", &self.partner)]
    }
}

/// The public document.
///
/// # Panics
/// The framework wrote something that is not JSON.
#[must_use]
pub fn public(spec: &str, texts: &Texts) -> Value {
    publish(spec, texts, |path| {
        let public = path.starts_with("/api/v1/") || path.starts_with("/front-api/");
        if public && !WITHOUT_SLASH.contains(&path) { format!("{path}/") } else { path.to_owned() }
    })
}

/// The console's document.
///
/// # Panics
/// The framework wrote something that is not JSON.
#[must_use]
pub fn console(spec: &str, texts: &Texts) -> Value {
    publish(spec, texts, str::to_owned)
}

/// The partners' document.
///
/// # Panics
/// The framework wrote something that is not JSON.
#[must_use]
pub fn partner(spec: &str, texts: &Texts) -> Value {
    let is_file = |path: &str| path.ends_with(".xml");
    let mut document = publish(spec, texts, |path| if is_file(path) { path.to_owned() } else { format!("{path}/") });
    for (kind, code, about) in OF_PARTNERS {
        let (status, problem) = refusal(texts, &Error::new(kind, code).with("scope", "claim"));
        document["components"]["examples"][status] = problem;
        let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
        for operation in paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
            if let Some(response) = operation["responses"].get_mut(kind.status().to_string()) {
                response["description"] = about.into();
            }
        }
    }
    for (path, operations) in document["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in operations.as_object_mut().into_iter().flatten() {
            let call = TrusteeCall::of(&method.to_uppercase(), path.trim_end_matches('/'));
            exemplify_wallet_refusals(operation, call, texts);
        }
    }
    document
}

/// Shows what refusals look like in the words of Trustee's contract, where an operation has such.
fn exemplify_wallet_refusals(operation: &mut Value, call: TrusteeCall, texts: &Texts) {
    let codes = OF_PARTNERS.iter().map(|(kind, code, _)| (*kind, *code)).chain(OF_WALLETS).chain(REFUSALS);
    let codes: Vec<_> = codes.collect();
    for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
        let known = codes.iter().find(|(kind, _)| kind.status().to_string() == *status);
        if let (Some((kind, code)), Some(content)) = (known, response.pointer_mut("/content/application~1json")) {
            let error = Error::new(*kind, code).with("scope", "trustee").with("min", "0.001").with("currency", "BTC");
            content["example"] = json!(trustee::refusal(call, &error, texts, Locale::En));
        }
    }
}

/// The text that is checked in.
#[must_use]
pub fn text(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a JSON value has a text");
    text.push('\n');
    text
}

fn publish(spec: &str, texts: &Texts, written: impl Fn(&str) -> String) -> Value {
    let examples: Value = serde_json::from_str(EXAMPLES).expect("the examples are JSON");
    let mut document: Value = serde_json::from_str(spec).expect("the framework writes JSON");
    let paths = document["paths"].as_object_mut().map(std::mem::take).unwrap_or_default();
    let mut published = Map::new();
    for (path, mut operations) in paths {
        for method in METHODS {
            if let Some(operation) = operations.get_mut(method) {
                complete(operation);
            }
        }
        published.insert(written(&path), operations);
    }
    document["paths"] = Value::Object(published);
    document["openapi"] = "3.1.0".into();
    modernise(&mut document);
    // After that, for a real answer says null where it means it.
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        exemplify(operation, &examples);
    }
    document["components"]["examples"] = Value::Object(refusals(texts));
    document
}

/// A problem document for each status, as examples the operations refer to.
fn refusals(texts: &Texts) -> Map<String, Value> {
    REFUSALS.map(|(kind, code)| refusal(texts, &Error::new(kind, code))).into_iter().collect()
}

/// The example of a refusal, and what it is called.
fn refusal(texts: &Texts, error: &Error) -> (String, Value) {
    let problem = Problem::of(error, texts, Locale::En, "01hsz3x2v4k8");
    (format!("Problem{}", error.kind().status()), json!({ "value": problem }))
}

/// Shows what is asked and answered.
fn exemplify(operation: &mut Value, examples: &Value) {
    let shown = operation["operationId"].as_str().map_or(&Value::Null, |id| &examples[id]);
    if let Some(body) = operation.pointer_mut("/requestBody/content/application~1json")
        && let Some(request) = shown.get("request")
    {
        body["example"] = request.clone();
    }
    for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
        for (media, content) in response.get_mut("content").and_then(Value::as_object_mut).into_iter().flatten() {
            if media == "application/problem+json" {
                content["examples"] = json!({ "typical": { "$ref": format!("#/components/examples/Problem{status}") } });
            } else if media != "application/json" {
                // A file has no example.
            } else if status == "202" {
                content["example"] = examples["listApprovals"]["answer"]["items"][0].clone();
            } else if !status.starts_with('2') {
                // Refusals that are no problem documents have examples of their own.
            } else if let Some(answer) = shown.get("answer") {
                content["example"] = answer.clone();
            }
        }
    }
}

/// Puts what the framework writes, OpenAPI 3.0, into the words of 3.1, where a value that may be null is of two types; and lets
/// examples of schemas leave out what they do not give.
fn modernise(value: &mut Value) {
    if let Value::Object(object) = value {
        if object.remove("nullable") == Some(Value::Bool(true)) {
            if let Some(Value::Array(all)) = object.remove("allOf") {
                let of = all.into_iter().next().expect("a reference has a target");
                object.remove("type");
                object.insert("anyOf".to_owned(), json!([of, { "type": "null" }]));
            } else if let Some(of) = object.get_mut("type") {
                *of = json!([of.take(), "null"]);
            }
        }
        if let Some(Value::Object(example)) = object.get_mut("example") {
            example.retain(|_, given| !given.is_null());
        }
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(modernise),
        Value::Array(list) => list.iter_mut().for_each(modernise),
        _ => {}
    }
}

/// Says of an operation what the edge adds to it: every answer has a number, and waiting times are given.
fn complete(operation: &mut Value) {
    if operation.get("security").is_none() {
        operation["security"] = json!([]);
    }
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    for (status, response) in responses {
        let mut headers = json!({ "X-Request-Id": { "description": "The number of this request in our log.", "schema": { "type": "string" } } });
        if matches!(status.as_str(), "429" | "503") {
            headers["Retry-After"] = json!({ "description": "Seconds to wait.", "schema": { "type": "integer", "minimum": 0 } });
        }
        response["headers"] = headers;
    }
}
