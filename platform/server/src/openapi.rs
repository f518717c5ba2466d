//! The published documents: what the framework describes, put into the form callers rely on.

use std::collections::{BTreeMap, BTreeSet};

use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Kind};
use agio_http::Problem;
use agio_http::caller::KEY_LENGTH;
use agio_http::values::{DECIMAL_LENGTH_MAX, DECIMAL_PATTERN};
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

/// The POST calls that take no idempotency key, and why they need none. Every other one takes a key.
pub const WITHOUT_KEY: [(&str, &[&str]); 5] = [
    (
        "It begins or ends a session. An answer that lets somebody in is kept nowhere.",
        &["login", "logout", "staffLogin", "staffLogout", "staffRefresh", "confirmStaff"],
    ),
    (
        "It takes a link or a code that is good once.",
        &["activate", "finishRestore", "staffJoin", "staffRestore", "confirmTotp", "confirmStaffTotp"],
    ),
    (
        "It changes how somebody signs in, shown by their password; a secret in its answer is shown once and kept nowhere.",
        &[
            "changePassword",
            "changeStaffPassword",
            "beginTotp",
            "beginStaffTotp",
            "removeTotp",
            "removeStaffTotp",
            "renewRecoveryCodes",
            "renewStaffRecoveryCodes",
        ],
    ),
    (
        "It changes nothing: it computes and answers.",
        &["staffInvitation", "previewContent", "previewPair", "tryRateRules", "partnerQuote", "trusteeEstimate"],
    ),
    ("The contract has no place for one: an order is known by its content.", &["trusteeCreateOrder", "trusteeCancelOrder"]),
];

/// The header of idempotency keys, as documents write it.
const KEY: &str = "Idempotency-Key";

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

/// The calls whose idempotency keys are kept at the edge: those that take one and do not keep it themselves.
pub struct Keyed(Vec<Vec<String>>);

impl Keyed {
    /// Reads what the framework describes of every API.
    ///
    /// # Panics
    /// It is not JSON.
    #[must_use]
    pub fn of(specs: &[String]) -> Self {
        let mut keyed = Vec::new();
        for spec in specs {
            let document: Value = serde_json::from_str(spec).expect("the framework writes JSON");
            for (path, operations) in document["paths"].as_object().into_iter().flatten() {
                let post = &operations["post"];
                if post.is_object() && takes_key(post) && key_of(post).is_none() {
                    keyed.push(path.trim_end_matches('/').split('/').map(str::to_owned).collect());
                }
            }
        }
        Self(keyed)
    }

    /// Whether the key of a POST call of this path is kept at the edge.
    #[must_use]
    pub fn is_kept_at_the_edge(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let fits = |template: &[String]| {
            template.len() == parts.len() && template.iter().zip(&parts).all(|(name, part)| name.starts_with('{') || name == part)
        };
        self.0.iter().any(|template| fits(template))
    }
}

/// Whether a POST operation takes an idempotency key.
fn takes_key(operation: &Value) -> bool {
    let id = operation["operationId"].as_str().unwrap_or_default();
    !WITHOUT_KEY.iter().any(|(_, operations)| operations.contains(&id))
}

/// Where an operation declares its idempotency key.
fn key_of(operation: &Value) -> Option<usize> {
    operation["parameters"].as_array()?.iter().position(|parameter| parameter["name"] == KEY)
}

/// Declares the idempotency key of a POST operation.
fn declare_key(operation: &mut Value) {
    if !takes_key(operation) {
        return;
    }
    let schema = json!({
        "type": "string", "minLength": KEY_LENGTH.start(), "maxLength": KEY_LENGTH.end(), "pattern": "^[!-~]+$",
    });
    match key_of(operation) {
        Some(place) => operation["parameters"][place]["schema"] = schema,
        None => {
            let parameters = operation.as_object_mut().map(|fields| fields.entry("parameters").or_insert_with(|| json!([])));
            let description =
                "Made anew for each thing that is to be done once. Sent again with it, the call is answered as before.";
            let key = json!({
                "name": KEY, "in": "header", "required": false, "deprecated": false, "description": description, "schema": schema,
            });
            parameters.and_then(Value::as_array_mut).into_iter().for_each(|all| all.push(key.clone()));
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
                describe_streams(operation);
                if method == "post" {
                    declare_key(operation);
                }
            }
        }
        published.insert(written(&path), operations);
    }
    document["paths"] = Value::Object(published);
    document["openapi"] = "3.1.0".into();
    modernise(&mut document);
    part_bodies(&mut document);
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

/// Says of a stream that it is of events, each with a name and an object as its data.
fn describe_streams(operation: &mut Value) {
    for response in operation["responses"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Some(stream) = response.pointer_mut("/content/text~1event-stream") {
            let data =
                json!({ "type": "string", "contentMediaType": "application/json", "contentSchema": stream["schema"].take() });
            let event = json!({ "type": "object", "required": ["event", "data"], "properties": { "event": { "type": "string" }, "data": data } });
            stream["schema"] = event;
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
        if let Some((least, most)) = object.get("format").and_then(Value::as_str).and_then(bounds) {
            object.entry("minimum").or_insert(least);
            object.entry("maximum").or_insert(most);
        }
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(modernise),
        Value::Array(list) => list.iter_mut().for_each(modernise),
        _ => {}
    }
}

/// The bounds of whole numbers of a format.
fn bounds(format: &str) -> Option<(Value, Value)> {
    Some(match format {
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0.into(), u8::MAX.into()),
        "uint16" => (0.into(), u16::MAX.into()),
        "uint32" => (0.into(), u32::MAX.into()),
        "uint64" => (0.into(), u64::MAX.into()),
        _ => return None,
    })
}

/// Says of bodies what holds for them alone: their objects have no other fields than those named, and a decimal may be a JSON number in them. A
/// schema of both bodies and answers becomes two where they differ.
fn part_bodies(document: &mut Value) {
    let operations = document["paths"].as_object().into_iter().flat_map(Map::values).filter_map(Value::as_object);
    let operations: Vec<_> = operations.flat_map(Map::values).collect();
    let schemas = &document["components"]["schemas"];
    let (body, form) = ("/requestBody/content/application~1json/schema", "/requestBody/content/multipart~1form-data/schema");
    let asked = reached(schemas, operations.iter().filter_map(|operation| operation.pointer(body)));
    let answered = reached(schemas, operations.iter().map(|operation| &operation["responses"]));
    let differs = |name: &String| has_decimals(schemas, name) && answered.contains(name);
    let renamed: BTreeMap<_, _> =
        asked.iter().filter(|name| differs(name)).map(|name| (name.clone(), format!("{name}Input"))).collect();
    for name in asked {
        let mut schema = document["components"]["schemas"][&name].clone();
        if schema["type"] == "object" && schema.get("additionalProperties").is_none() {
            schema["additionalProperties"] = false.into();
        }
        take_numbers(&mut schema);
        rename(&mut schema, &renamed);
        document["components"]["schemas"][renamed.get(&name).unwrap_or(&name)] = schema;
    }
    for operation in document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        for operation in operation.as_object_mut().into_iter().flat_map(Map::values_mut) {
            operation.pointer_mut(body).into_iter().for_each(|schema| rename(schema, &renamed));
            operation.pointer_mut(form).into_iter().for_each(|schema| schema["additionalProperties"] = false.into());
        }
    }
}

/// The names of all schemas that some lead to.
fn reached<'v>(schemas: &Value, from: impl Iterator<Item = &'v Value>) -> BTreeSet<String> {
    let mut waiting: Vec<String> = from.flat_map(references).collect();
    let mut reached = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if reached.insert(name.clone()) {
            waiting.extend(references(&schemas[&name]));
        }
    }
    reached
}

/// Whether there is a decimal in a schema or in what it leads to.
fn has_decimals(schemas: &Value, name: &str) -> bool {
    fn inside(value: &Value) -> bool {
        match value {
            Value::Object(object) => {
                object.get("format").is_some_and(|format| format == "decimal") || object.values().any(inside)
            }
            Value::Array(list) => list.iter().any(inside),
            _ => false,
        }
    }
    reached(schemas, std::iter::once(&schemas[name])).iter().chain([&name.to_owned()]).any(|name| inside(&schemas[name]))
}

/// Lets a decimal be a text and a number.
fn take_numbers(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("format").is_some_and(|format| format == "decimal") {
                let mut types = match object["type"].take() {
                    Value::Array(types) => types,
                    one => vec![one],
                };
                types.extend(["string", "number"].map(Value::from));
                let known: BTreeSet<_> = types.iter().filter_map(Value::as_str).collect();
                object.insert("type".to_owned(), json!(known));
                object.insert("pattern".to_owned(), DECIMAL_PATTERN.into());
                object.insert("maxLength".to_owned(), DECIMAL_LENGTH_MAX.into());
            }
            object.values_mut().for_each(take_numbers);
        }
        Value::Array(list) => list.iter_mut().for_each(take_numbers),
        _ => {}
    }
}

/// Lets a schema refer to others under their new names.
fn rename(schema: &mut Value, renamed: &BTreeMap<String, String>) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(to)) = object.get_mut("$ref")
                && let Some(name) = to.rsplit('/').next().and_then(|name| renamed.get(name))
            {
                *to = format!("#/components/schemas/{name}");
            }
            object.values_mut().for_each(|value| rename(value, renamed));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| rename(value, renamed)),
        _ => {}
    }
}

/// The names of the schemas a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(object) => {
            let own = object.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/components/schemas/"));
            own.map(str::to_owned).into_iter().chain(object.values().flat_map(references)).collect()
        }
        Value::Array(list) => list.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// The methods an address takes, as `Allow` says them, by its path in one of the documents.
pub struct AllowedMethods(Vec<(Vec<String>, String)>);

impl AllowedMethods {
    /// Those of all paths of the documents.
    #[must_use]
    pub fn of(documents: &Documents) -> Self {
        let paths = [&documents.public, &documents.console, &documents.partner].map(|document| document["paths"].as_object());
        let methods = |operations: &Value| {
            let taken = METHODS.iter().filter(|method| operations.get(**method).is_some());
            taken
                .flat_map(|method| if *method == "get" { vec!["GET", "HEAD"] } else { vec![*method] })
                .collect::<Vec<_>>()
                .join(", ")
        };
        let entry = |(path, operations): (&String, &Value)| (parts(path), methods(operations).to_uppercase());
        Self(paths.into_iter().flatten().flatten().map(entry).collect())
    }

    /// Those of the path that fits best: the one that names most of it.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<&str> {
        let path = parts(path);
        let named = |template: &[String]| {
            let fits = template.iter().zip(&path).all(|(part, given)| part.starts_with('{') || part == given);
            (template.len() == path.len() && fits).then(|| template.iter().filter(|part| !part.starts_with('{')).count())
        };
        let found = self.0.iter().filter_map(|(template, methods)| Some((named(template)?, methods)));
        found.max_by_key(|(named, _)| *named).map(|(_, methods)| methods.as_str())
    }
}

fn parts(path: &str) -> Vec<String> {
    path.trim_matches('/').split('/').map(str::to_owned).collect()
}

/// Says of an operation what the edge adds to it: every answer has a number, and waiting times are given.
fn complete(operation: &mut Value) {
    if operation.get("security").is_none() {
        operation["security"] = json!([]);
    }
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for size in parameters.into_iter().flatten().filter(|parameter| parameter["name"] == "size") {
        // A page has an entry at least, everywhere.
        size["schema"]["minimum"] = 1.into();
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
