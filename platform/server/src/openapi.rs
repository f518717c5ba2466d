//! The published OpenAPI documents: the framework's output, adapted to OpenAPI 3.1.
//!
//! The repository has them, and the server shows these: to generate them takes code that only tests need.

mod partner;
mod paths;
pub mod problem_codes;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::sync::LazyLock;

use agio_core::texts::{Locale, Texts};
use agio_core::{Error, ErrorKind, Result};
use agio_http::Problem;
use agio_http::caller::KEY_LENGTH;
use agio_http::values::{DECIMAL_LENGTH_MAX, DECIMAL_PATTERN};
use flate2::read::GzDecoder;
use paths::PathTemplates;
use poem::http::{Method, StatusCode};
use poem_openapi::registry::{MetaApi, MetaOperation, MetaParamIn};
use serde_json::{Map, Value, json};

/// Recorded requests and responses by operation id.
const EXAMPLES: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/examples.json"));

/// The most common code of each error status.
const REFUSALS: [(ErrorKind, &str); 11] = [
    (ErrorKind::BadRequest, "malformed_body"),
    (ErrorKind::Unauthorised, "token_not_valid"),
    (ErrorKind::Forbidden, "forbidden"),
    (ErrorKind::NotFound, "not_found"),
    (ErrorKind::Conflict, "idempotency_in_progress"),
    (ErrorKind::TooLarge, "too_large"),
    (ErrorKind::UnsupportedMedia, "unsupported_media"),
    (ErrorKind::Unprocessable, "validation_failed"),
    (ErrorKind::TooManyRequests, "too_many_requests"),
    (ErrorKind::Internal, "internal"),
    (ErrorKind::Unavailable, "technical_mode"),
];

/// Public paths without a trailing slash.
const WITHOUT_SLASH: [&str; 1] = ["/api/v1/claim/captchacheck"];

/// The POST operations without an idempotency key, and the reason. All others accept one.
pub const WITHOUT_KEY: [(&str, &[&str]); 5] = [
    (
        "It starts or ends a session. Responses with tokens are not stored.",
        &["signIn", "signOut", "staffSignIn", "staffSignOut", "refreshStaffSession", "confirmStaffSession"],
    ),
    (
        "It uses a link or code that is valid only once.",
        &["activateAccount", "resetPassword", "acceptInvitation", "resetStaffPassword", "enableTotp", "enableStaffTotp"],
    ),
    (
        "It changes credentials and needs the password. Secrets in the response are shown once and not stored.",
        &[
            "changeMyPassword",
            "changeStaffPassword",
            "beginTotpSetup",
            "beginStaffTotpSetup",
            "disableTotp",
            "disableStaffTotp",
            "regenerateRecoveryCodes",
            "regenerateStaffRecoveryCodes",
        ],
    ),
    (
        "It changes nothing.",
        &[
            "getInvitation",
            "previewContent",
            "previewPairUpdate",
            "dryRunRateRules",
            "createPartnerQuote",
            "estimateTrusteeAmount",
            "sendPluginCallback",
        ],
    ),
    ("The Trustee API has no such header: an order is identified by its content.", &["createTrusteeOrder", "cancelTrusteeOrder"]),
];

/// The operation that needs an idempotency key; for all others it is optional.
const REQUIRES_KEY: &str = "createPartnerClaim";

const KEY: &str = "Idempotency-Key";
const KEY_REFERENCE: &str = "#/components/parameters/IdempotencyKey";

/// The media type of error responses.
const PROBLEM: &str = "application/problem+json";

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The texts of the published documents.
pub struct PublishedDocuments {
    pub public: String,
    pub console: String,
    pub partner: String,
}

impl PublishedDocuments {
    /// Decompresses what the build script has compressed.
    pub fn read() -> Self {
        let read = |compressed: &[u8]| {
            let mut text = String::new();
            GzDecoder::new(compressed).read_to_string(&mut text).expect("the build script has compressed texts");
            text
        };
        Self {
            public: read(include_bytes!(concat!(env!("OUT_DIR"), "/public.json.gz"))),
            console: read(include_bytes!(concat!(env!("OUT_DIR"), "/admin.json.gz"))),
            partner: read(include_bytes!(concat!(env!("OUT_DIR"), "/partner.json.gz"))),
        }
    }
}

/// The documents as they are generated.
pub struct Documents {
    pub public: Value,
    pub console: Value,
    pub partner: Value,
}

impl Documents {
    /// Each document with its file in the repository.
    pub fn files(&self) -> [(&'static str, &Value); 3] {
        [("openapi/public.json", &self.public), ("openapi/admin.json", &self.console), ("openapi/partner.json", &self.partner)]
    }
}

pub fn public(spec: &str, texts: &Texts) -> Value {
    let mut document = publish(spec, texts, |path| {
        let public = path.starts_with("/api/v1/") || path.starts_with("/front-api/");
        if public && !WITHOUT_SLASH.contains(&path) { format!("{path}/") } else { path.to_owned() }
    });
    share_error_responses(&mut document);
    document
}

pub fn console(spec: &str, texts: &Texts) -> Value {
    let mut document = publish(spec, texts, str::to_owned);
    share_error_responses(&mut document);
    document
}

pub fn partner(spec: &str, texts: &Texts) -> Value {
    let is_file = |path: &str| path.ends_with(".xml");
    let mut document = publish(spec, texts, |path| if is_file(path) { path.to_owned() } else { format!("{path}/") });
    partner::describe(&mut document, texts);
    share_error_responses(&mut document);
    document
}

fn operations_mut(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut)
}

/// Moves error responses to `components/responses`, so that operations only refer to them and name their codes.
fn share_error_responses(document: &mut Value) {
    let mut shared = Map::new();
    for operation in operations_mut(document) {
        let codes = operation["x-problem-codes"].take();
        for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
            let Some(name) = error_response_name(status, response) else { continue };
            let first = shared.entry(name.clone()).or_insert_with(|| response.clone());
            // Another response of the same name stays where it is.
            if first == response {
                *response = json!({ "$ref": format!("#/components/responses/{name}") });
                if let Some(codes) = codes[status].as_array() {
                    let codes: Vec<_> = codes.iter().filter_map(Value::as_str).map(|code| format!("`{code}`")).collect();
                    response["description"] = codes.join(", ").into();
                }
            }
        }
        if codes.is_null() {
            operation.as_object_mut().map(|fields| fields.remove("x-problem-codes"));
        } else {
            operation["x-problem-codes"] = codes;
        }
    }
    document["components"]["responses"] = Value::Object(shared);
}

/// The name of a shared error response: its status, `NotFound`. Responses in Trustee's format also carry their error
/// code: `TrusteeConflictExpiredRate`.
fn error_response_name(status: &str, response: &Value) -> Option<String> {
    let status = StatusCode::from_bytes(status.as_bytes()).ok()?;
    if !status.is_client_error() && !status.is_server_error() {
        return None;
    }
    let name = status.canonical_reason()?.replace(' ', "");
    let Some(trustee) = response.pointer("/content/application~1json") else { return Some(name) };
    let code = trustee["example"]["errorCode"].as_str().unwrap_or_default().split('_').flat_map(|word| {
        let mut letters = word.chars();
        letters.next().into_iter().chain(letters.map(|letter| letter.to_ascii_lowercase()))
    });
    Some(format!("Trustee{name}{}", code.collect::<String>()))
}

/// What the middleware has to know of the operations, read at the first request that needs it.
pub type DeclaredOperations = LazyLock<Declared, Box<dyn FnOnce() -> Declared + Send>>;

pub struct Declared {
    pub methods: AllowedMethods,
    pub queries: QueryParameters,
    pub keys: IdempotentOperations,
}

impl Declared {
    pub fn of(apis: &[MetaApi]) -> Self {
        Self { methods: AllowedMethods::of(apis), queries: QueryParameters::of(apis), keys: IdempotentOperations::of(apis) }
    }
}

/// The operations whose idempotency keys the middleware handles, because their handlers do not.
pub struct IdempotentOperations(PathTemplates<()>);

impl IdempotentOperations {
    fn of(apis: &[MetaApi]) -> Self {
        let is_handled = |operation: &MetaOperation| {
            let reads_key = operation.params.iter().any(|parameter| parameter.name == KEY);
            operation.method == Method::POST && !reads_key && takes_key(operation.operation_id.unwrap_or_default())
        };
        let paths = apis.iter().flat_map(|api| &api.paths);
        Self(paths.filter(|path| path.operations.iter().any(is_handled)).map(|path| (path.path.clone(), ())).collect())
    }

    /// Whether the middleware handles the key of a POST request to this path.
    pub fn contains(&self, path: &str) -> bool {
        self.0.find(path).is_some()
    }
}

/// Whether a POST operation accepts an idempotency key.
fn takes_key(id: &str) -> bool {
    !WITHOUT_KEY.iter().any(|(_, operations)| operations.contains(&id))
}

/// Declares the idempotency key of a POST operation.
fn declare_key(operation: &mut Value) {
    if !takes_key(operation["operationId"].as_str().unwrap_or_default()) {
        return;
    }
    let Some(fields) = operation.as_object_mut() else { return };
    let is_required = fields["operationId"] == REQUIRES_KEY;
    let Some(parameters) = fields.entry("parameters").or_insert_with(|| json!([])).as_array_mut() else { return };
    parameters.retain(|parameter| parameter["name"] != KEY);
    parameters.push(if is_required { key_parameter(true) } else { json!({ "$ref": KEY_REFERENCE }) });
}

fn key_parameter(is_required: bool) -> Value {
    json!({
        "name": KEY,
        "in": "header",
        "required": is_required,
        "description": "A unique key per action. A repeated request with the same key returns the first response.",
        "schema": { "type": "string", "minLength": KEY_LENGTH.start(), "maxLength": KEY_LENGTH.end(), "pattern": "^[!-~]+$" },
    })
}

pub fn text(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a JSON value has a text");
    text.push('\n');
    text
}

fn publish(spec: &str, texts: &Texts, public_path: impl Fn(&str) -> String) -> Value {
    let examples = examples();
    let mut document: Value = serde_json::from_str(spec).expect("the framework writes JSON");
    let paths = document["paths"].as_object_mut().map(std::mem::take).unwrap_or_default();
    let mut published = Map::new();
    let recorded_codes = problem_codes::recorded();
    for (path, mut operations) in paths {
        for method in METHODS {
            if let Some(operation) = operations.get_mut(method) {
                add_headers(operation);
                describe_streams(operation);
                if method == "post" {
                    declare_key(operation);
                }
                problem_codes::declare(&path, operation, &recorded_codes);
            }
        }
        published.insert(public_path(&path), operations);
    }
    document["paths"] = Value::Object(published);
    document["openapi"] = "3.1.0".into();
    convert_to_31(&mut document);
    // The titles are the names again, and a split schema would have one twice.
    for schema in document["components"]["schemas"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        schema.as_object_mut().and_then(|schema| schema.remove("title"));
    }
    remove_absent_properties(&mut document);
    separate_request_schemas(&mut document);
    // Last, because nulls in recorded responses must stay.
    for operation in operations_mut(&mut document) {
        add_examples(operation, &examples);
    }
    document["components"]["examples"] = Value::Object(refusals(texts));
    document["components"]["headers"] = json!({ "RequestId": request_id_header(), "RetryAfter": retry_after_header() });
    document["components"]["parameters"] = json!({ "IdempotencyKey": key_parameter(false) });
    document
}

fn examples() -> Value {
    serde_json::from_str(EXAMPLES).expect("the examples are JSON")
}

/// A problem document for each status, as shared examples.
fn refusals(texts: &Texts) -> Map<String, Value> {
    let error = |(kind, code)| match code {
        "forbidden" => Error::forbidden("claims.read"),
        code => Error::new(kind, code),
    };
    REFUSALS.map(|known| refusal(texts, &error(known))).into_iter().collect()
}

/// The name and example of an error.
fn refusal(texts: &Texts, error: &Error) -> (String, Value) {
    let problem = Problem::of(error, texts, Locale::En, "01hsz3x2v4k8");
    (format!("Problem{}", error.kind().status()), json!({ "value": problem }))
}

/// Adds examples to requests and responses.
fn add_examples(operation: &mut Value, examples: &Value) {
    let shown = operation["operationId"].as_str().map_or(&Value::Null, |id| &examples[id]);
    if let Some(body) = operation.pointer_mut("/requestBody/content/application~1json")
        && let Some(request) = shown.get("request")
    {
        body["example"] = request.clone();
    }
    for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
        for (media, content) in response.get_mut("content").and_then(Value::as_object_mut).into_iter().flatten() {
            if media == PROBLEM {
                content["examples"] = json!({ "typical": { "$ref": format!("#/components/examples/Problem{status}") } });
            } else if media != "application/json" {
                // A file has no example.
            } else if status == "202" && content["schema"]["$ref"] == "#/components/schemas/ApprovalRequestView" {
                content["example"] = examples["listApprovalRequests"]["answer"]["items"][0].clone();
            } else if !status.starts_with('2') {
                // Errors that are no problem documents have their own examples.
            } else if let Some(answer) = shown.get("answer") {
                content["example"] = answer.clone();
            }
        }
    }
}

/// Describes event streams: each event has a name and a JSON object as data.
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

/// Converts the framework's OpenAPI 3.0 to 3.1: `nullable` becomes a second type.
fn convert_to_31(value: &mut Value) {
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
        describe_reference(object);
        if let Some((least, most)) = object.get("format").and_then(Value::as_str).and_then(bounds) {
            object.entry("minimum").or_insert(least);
            object.entry("maximum").or_insert(most);
        }
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(convert_to_31),
        Value::Array(list) => list.iter_mut().for_each(convert_to_31),
        _ => {}
    }
}

/// Removes properties from the examples of schemas that the framework writes as null, although they are absent.
fn remove_absent_properties(document: &mut Value) {
    fn remove(schemas: &Value, schema: &Value, example: &mut Value) {
        let schema = schema.get("anyOf").map_or(schema, |branches| &branches[0]);
        let target = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        let schema = target.map_or(schema, |name| &schemas[name]);
        match example {
            Value::Object(fields) => {
                fields.retain(|name, value| !value.is_null() || allows_null(&schema["properties"][name]));
                fields.iter_mut().for_each(|(name, value)| remove(schemas, &schema["properties"][name], value));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| remove(schemas, &schema["items"], item)),
            _ => {}
        }
    }
    let schemas = document["components"]["schemas"].clone();
    for schema in document["components"]["schemas"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Some(mut example) = schema.get_mut("example").map(Value::take) {
            remove(&schemas, schema, &mut example);
            schema["example"] = example;
        }
    }
}

fn allows_null(schema: &Value) -> bool {
    let is_null = |kind: &Value| *kind == "null";
    schema["type"].as_array().is_some_and(|types| types.iter().any(is_null))
        || schema["anyOf"].as_array().is_some_and(|branches| branches.iter().any(|branch| is_null(&branch["type"])))
}

/// Puts the description of a reference beside its `$ref`, where OpenAPI 3.0 needed an `allOf`.
fn describe_reference(object: &mut Map<String, Value>) {
    let is_described_reference =
        |part: &Value| part.as_object().is_some_and(|part| part.keys().all(|key| matches!(key.as_str(), "$ref" | "description")));
    let Some(Value::Array(parts)) = object.get("allOf") else { return };
    if !parts.iter().all(is_described_reference) || parts.iter().filter(|part| part.get("$ref").is_some()).count() != 1 {
        return;
    }
    let parts = object.remove("allOf").and_then(|parts| serde_json::from_value::<Vec<Map<String, Value>>>(parts).ok());
    object.extend(parts.into_iter().flatten().flatten());
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

/// Describes what only holds for request bodies: unknown properties are refused, and decimals may be JSON numbers. A
/// schema that requests and responses share is split if they differ.
fn separate_request_schemas(document: &mut Value) {
    let operations = document["paths"].as_object().into_iter().flat_map(Map::values).filter_map(Value::as_object);
    let operations: Vec<_> = operations.flat_map(Map::values).collect();
    let schemas = &document["components"]["schemas"];
    let (body, form) = ("/requestBody/content/application~1json/schema", "/requestBody/content/multipart~1form-data/schema");
    let requested = reachable_schemas(schemas, operations.iter().filter_map(|operation| operation.pointer(body)));
    let responded = reachable_schemas(schemas, operations.iter().map(|operation| &operation["responses"]));
    let differs = |name: &String| has_decimals(schemas, name) && responded.contains(name);
    let renamed: BTreeMap<_, _> =
        requested.iter().filter(|name| differs(name)).map(|name| (name.clone(), format!("{name}Input"))).collect();
    for name in requested {
        let mut schema = document["components"]["schemas"][&name].clone();
        if schema["type"] == "object" && schema.get("additionalProperties").is_none() {
            schema["additionalProperties"] = false.into();
        }
        allow_decimal_numbers(&mut schema);
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

/// The names of all schemas that these values refer to, directly or not.
fn reachable_schemas<'v>(schemas: &Value, from: impl Iterator<Item = &'v Value>) -> BTreeSet<String> {
    let mut waiting: Vec<String> = from.flat_map(references).collect();
    let mut reachable_schemas = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if reachable_schemas.insert(name.clone()) {
            waiting.extend(references(&schemas[&name]));
        }
    }
    reachable_schemas
}

/// Whether a schema contains decimals, directly or not.
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
    reachable_schemas(schemas, std::iter::once(&schemas[name]))
        .iter()
        .chain([&name.to_owned()])
        .any(|name| inside(&schemas[name]))
}

/// Allows decimals as strings and numbers.
fn allow_decimal_numbers(schema: &mut Value) {
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
            object.values_mut().for_each(allow_decimal_numbers);
        }
        Value::Array(list) => list.iter_mut().for_each(allow_decimal_numbers),
        _ => {}
    }
}

/// Updates references to renamed schemas.
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

/// The names of the schemas that a value refers to.
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

/// The values of `Allow` by path template.
pub struct AllowedMethods(PathTemplates<String>);

impl AllowedMethods {
    fn of(apis: &[MetaApi]) -> Self {
        let mut methods = BTreeMap::<_, BTreeSet<_>>::new();
        for path in apis.iter().flat_map(|api| &api.paths) {
            let methods = methods.entry(&path.path).or_default();
            for operation in &path.operations {
                methods.insert(operation.method.as_str());
                if operation.method == Method::GET {
                    methods.insert("HEAD");
                }
            }
        }
        let value = |methods: BTreeSet<_>| methods.into_iter().collect::<Vec<_>>().join(", ");
        Self(methods.into_iter().map(|(path, methods)| (path.clone(), value(methods))).collect())
    }

    /// The value of `Allow` for a path.
    pub fn at(&self, path: &str) -> &str {
        self.0.find(path).map_or("GET, HEAD", String::as_str)
    }
}

/// The names of query parameters by path template.
pub struct QueryParameters(PathTemplates<BTreeSet<String>>);

impl QueryParameters {
    fn of(apis: &[MetaApi]) -> Self {
        let mut names = BTreeMap::<_, BTreeSet<_>>::new();
        for path in apis.iter().flat_map(|api| &api.paths) {
            let parameters = path.operations.iter().flat_map(|operation| &operation.params);
            let in_query = parameters.filter(|parameter| parameter.in_type == MetaParamIn::Query);
            names.entry(path.path.clone()).or_default().extend(in_query.map(|parameter| parameter.name.clone()));
        }
        Self(names.into_iter().collect())
    }

    /// Checks the names in a query. Nothing is wrong at a path that is not declared.
    ///
    /// # Errors
    /// 400 `malformed_parameter` at each name that the path does not declare.
    pub fn check<'q>(&self, path: &str, names: impl Iterator<Item = &'q str>) -> Result<()> {
        let Some(declared) = self.0.find(path) else { return Ok(()) };
        let refused = Error::new(ErrorKind::BadRequest, "malformed_parameter");
        let refused =
            names.filter(|name| !declared.contains(*name)).fold(refused, |refused, name| refused.at(name, "unknown_field"));
        if refused.fields().is_empty() { Ok(()) } else { Err(refused) }
    }
}

/// Adds the headers of the middleware: `X-Request-Id` and `Retry-After`.
fn add_headers(operation: &mut Value) {
    if operation.get("security").is_none() {
        operation["security"] = json!([]);
    }
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for size in parameters.into_iter().flatten().filter(|parameter| parameter["name"] == "size") {
        size["schema"]["minimum"] = 1.into();
    }
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    for (status, response) in responses {
        let mut headers = json!({ "X-Request-Id": { "$ref": "#/components/headers/RequestId" } });
        if matches!(status.as_str(), "429" | "503") {
            headers["Retry-After"] = json!({ "$ref": "#/components/headers/RetryAfter" });
        }
        response["headers"] = headers;
    }
}

fn request_id_header() -> Value {
    json!({ "description": "The request id, as in our logs.", "schema": { "type": "string" } })
}

fn retry_after_header() -> Value {
    json!({ "description": "Seconds to wait before a retry.", "schema": { "type": "integer", "minimum": 0 } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_refer_to_shared_error_responses() {
        let refused = |code: &str| json!({ "content": { "application/json": { "example": { "errorCode": code } } } });
        let not_found = json!({ "description": "Not found." });
        let responses =
            |conflict: Value| json!({ "responses": { "200": { "description": "OK" }, "404": not_found, "409": conflict } });
        let mut document = json!({ "paths": {
            "/a": { "get": responses(refused("EXPIRED_RATE")) },
            "/b": { "get": responses(refused("PROVIDER_ERROR")), "post": responses(json!({ "description": "Conflict." })) },
        } });
        share_error_responses(&mut document);
        let reference = |name: &str| json!({ "$ref": format!("#/components/responses/{name}") });
        for (path, method, conflict) in [
            ("/a", "get", "TrusteeConflictExpiredRate"),
            ("/b", "get", "TrusteeConflictProviderError"),
            ("/b", "post", "Conflict"),
        ] {
            let expected = json!({ "200": { "description": "OK" }, "404": reference("NotFound"), "409": reference(conflict) });
            assert_eq!(document["paths"][path][method]["responses"], expected);
        }
        assert_eq!(document["components"]["responses"]["NotFound"], not_found);
        assert_eq!(document["components"]["responses"]["TrusteeConflictExpiredRate"], refused("EXPIRED_RATE"));
    }

    #[test]
    fn examples_have_null_only_where_their_schema_allows_it() {
        let mut document = json!({ "components": { "schemas": {
            "Side": { "type": "object", "properties": { "memo": { "type": "string" } } },
            "Order": {
                "type": "object",
                "properties": {
                    "until": { "type": ["string", "null"] },
                    "refund": { "anyOf": [{ "$ref": "#/components/schemas/Side" }, { "type": "null" }] },
                    "note": { "type": "string" },
                    "sides": { "type": "array", "items": { "$ref": "#/components/schemas/Side" } },
                },
                "example": { "until": null, "refund": null, "note": null, "sides": [{ "memo": null }, { "memo": "1" }] },
            },
        } } });
        remove_absent_properties(&mut document);
        let example = &document["components"]["schemas"]["Order"]["example"];
        assert_eq!(*example, json!({ "until": null, "refund": null, "sides": [{}, { "memo": "1" }] }));
    }

    #[test]
    fn references_have_their_description_beside_them() {
        let mut schema = json!({ "allOf": [{ "$ref": "#/a" }, { "description": "An A." }], "description": "An A." });
        convert_to_31(&mut schema);
        assert_eq!(schema, json!({ "$ref": "#/a", "description": "An A." }));
        let mut nullable = json!({ "allOf": [{ "$ref": "#/a" }], "nullable": true });
        convert_to_31(&mut nullable);
        assert_eq!(nullable, json!({ "anyOf": [{ "$ref": "#/a" }, { "type": "null" }] }));
        let composed = json!({ "allOf": [{ "$ref": "#/a" }, { "type": "object" }] });
        let mut unchanged = composed.clone();
        convert_to_31(&mut unchanged);
        assert_eq!(unchanged, composed);
    }
}
