//! The published documents: what the framework describes, put into the form callers rely on.

use serde_json::{Map, Value, json};

/// Paths that are called without a slash at the end, exceptions among the public calls.
const WITHOUT_SLASH: [&str; 1] = ["/api/v1/claim/captchacheck"];

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The public document.
///
/// # Panics
/// The framework wrote something that is not JSON.
#[must_use]
pub fn public(spec: &str) -> Value {
    publish(spec, |path| {
        let public = path.starts_with("/api/v1/") || path.starts_with("/front-api/");
        if public && !WITHOUT_SLASH.contains(&path) { format!("{path}/") } else { path.to_owned() }
    })
}

/// The console's document.
///
/// # Panics
/// The framework wrote something that is not JSON.
#[must_use]
pub fn console(spec: &str) -> Value {
    publish(spec, str::to_owned)
}

/// The text that is checked in.
#[must_use]
pub fn text(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a JSON value has a text");
    text.push('\n');
    text
}

fn publish(spec: &str, written: impl Fn(&str) -> String) -> Value {
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
    let schemas = document["components"]["schemas"].clone();
    tidy(&mut document, &schemas);
    document
}

/// Puts schemas into the form validators ask for: a reference that may be null says of what type it is, once, and
/// examples leave out what they do not give.
fn tidy(value: &mut Value, schemas: &Value) {
    if let Value::Object(object) = value {
        if object.get("nullable") == Some(&Value::Bool(true))
            && let Some(name) = object.get("allOf").and_then(|all| all[0]["$ref"].as_str()).and_then(|to| to.rsplit('/').next())
        {
            object.insert("type".to_owned(), schemas[name]["type"].clone());
            object["allOf"].as_array_mut().expect("it has a first member").truncate(1);
        }
        if let Some(Value::Object(example)) = object.get_mut("example") {
            example.retain(|_, given| !given.is_null());
        }
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(|inner| tidy(inner, schemas)),
        Value::Array(list) => list.iter_mut().for_each(|inner| tidy(inner, schemas)),
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
