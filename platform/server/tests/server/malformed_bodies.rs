//! Invalid bodies for every published operation: an array instead of an object, `null` where it is not allowed, missing
//! properties, and unknown ones.

use std::sync::atomic::{AtomicU32, Ordering};

use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, TestResponse};
use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};

use crate::examples::{partners, trustee};

/// The pointer to the schema of a JSON body.
const BODY: &str = "/requestBody/content/application~1json";

/// A published operation with a body.
struct Operation<'d> {
    id: &'d str,
    method: Method,
    path: String,
    schema: &'d Value,
    shapes: Shapes<'d>,
}

/// The schemas of one document.
#[derive(Clone, Copy)]
struct Shapes<'d>(&'d Value);

/// An invalid body, and the place of the error unless it is the whole body.
struct Wrong {
    place: String,
    code: Option<&'static str>,
    body: Value,
}

/// A place in a body: as errors name it, and as a JSON pointer.
#[derive(Clone, Default)]
struct Place {
    named: String,
    pointer: String,
}

impl Place {
    fn field(&self, name: &str) -> Self {
        let named = if self.named.is_empty() { name.to_owned() } else { format!("{}.{name}", self.named) };
        Self { named, pointer: format!("{}/{name}", self.pointer) }
    }

    fn item(&self, index: usize) -> Self {
        Self { named: format!("{}[{index}]", self.named), pointer: format!("{}/{index}", self.pointer) }
    }
}

impl<'d> Shapes<'d> {
    /// Resolves references and nullable wrappers.
    fn resolved(self, schema: &'d Value) -> &'d Value {
        if let Some(name) = schema["$ref"].as_str() {
            return self.resolved(self.0.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("nothing is at {name}")));
        }
        let parts = ["allOf", "anyOf"].into_iter().find_map(|parts| schema[parts].as_array());
        parts.map_or(schema, |parts| self.resolved(&parts[0]))
    }

    fn takes_null(self, schema: &'d Value) -> bool {
        let is_null = |of: &Value| of == "null" || of.as_array().is_some_and(|types| types.contains(&json!("null")));
        is_null(&schema["type"])
            || schema["anyOf"].as_array().is_some_and(|parts| parts.iter().any(|part| is_null(&part["type"])))
    }

    fn is(self, schema: &'d Value, kind: &str) -> bool {
        let kinds = &self.resolved(schema)["type"];
        kinds == kind || kinds.as_array().is_some_and(|kinds| kinds.contains(&json!(kind)))
    }

    /// A value of a schema with all optional properties.
    fn sample(self, schema: &'d Value) -> Value {
        let resolved = self.resolved(schema);
        if self.is(schema, "object") {
            let own = resolved["properties"].as_object().into_iter().flatten().map(|(name, of)| (name.clone(), self.sample(of)));
            let named = resolved["additionalProperties"].as_object().map(|_| {
                let of = &resolved["additionalProperties"];
                ("name".to_owned(), self.sample(of))
            });
            return own.chain(named).collect();
        }
        if self.is(schema, "array") {
            return json!([self.sample(&resolved["items"])]);
        }
        if let Some(example) = resolved.get("example") {
            return example.clone();
        }
        match resolved["enum"].as_array() {
            Some(words) => words[0].clone(),
            None if self.is(schema, "boolean") => true.into(),
            None if self.is(schema, "integer") => resolved["minimum"].as_i64().unwrap_or(1).max(1).into(),
            None if resolved["format"] == "uuid" => uuid::Uuid::nil().to_string().into(),
            None => "1".into(),
        }
    }

    /// All bodies with exactly one error.
    fn invalid_bodies(self, schema: &'d Value) -> Vec<Wrong> {
        let mut wrongs = Vec::new();
        self.add_wrongs(schema, &self.sample(schema), &Place::default(), &mut wrongs);
        wrongs
    }

    fn add_wrongs(self, schema: &'d Value, whole: &Value, place: &Place, wrongs: &mut Vec<Wrong>) {
        let resolved = self.resolved(schema);
        let here = whole.pointer(&place.pointer).expect("the sample has it");
        let mut add = |place: &Place, code: Option<&'static str>, change: &dyn Fn(&mut Value)| {
            let mut body = whole.clone();
            change(&mut body);
            wrongs.push(Wrong { place: place.named.clone(), code, body });
        };
        let inside = |body: &mut Value, put: Value| *body.pointer_mut(&place.pointer).expect("the sample has it") = put;
        if !self.takes_null(schema) {
            add(place, None, &|body| inside(body, Value::Null));
        }
        match here {
            Value::Object(fields) => {
                add(place, Some("wrong_type"), &|body| inside(body, json!([])));
                add(place, Some("wrong_type"), &|body| inside(body, fields.values().cloned().collect()));
                for name in resolved["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                    let without = |body: &mut Value| drop(object(body, &place.pointer).remove(name));
                    add(&place.field(name), Some("required"), &without);
                }
                if resolved["additionalProperties"] == false {
                    let with = |body: &mut Value| drop(object(body, &place.pointer).insert("unheardOf".to_owned(), json!(1)));
                    add(&place.field("unheardOf"), Some("unknown_field"), &with);
                }
                for name in fields.keys() {
                    let of = resolved["properties"].get(name).unwrap_or(&resolved["additionalProperties"]);
                    self.add_wrongs(of, whole, &place.field(name), wrongs);
                }
            }
            Value::Array(_) => self.add_wrongs(&resolved["items"], whole, &place.item(0), wrongs),
            _ => {}
        }
    }
}

fn object<'b>(body: &'b mut Value, pointer: &str) -> &'b mut Map<String, Value> {
    body.pointer_mut(pointer).and_then(Value::as_object_mut).expect("it is an object")
}

/// The operations of a document with a body.
fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let Some(body) = operation.pointer(BODY) else { continue };
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let path = parameters.filter(|parameter| parameter["in"] == "path").fold(path.clone(), |path, parameter| {
                let value = match (&parameter["schema"]["format"], &parameter["schema"]["type"]) {
                    (format, _) if format == "uuid" => uuid::Uuid::nil().to_string(),
                    _ => "1".to_owned(),
                };
                path.replace(&format!("{{{}}}", parameter["name"].as_str().unwrap()), &value)
            });
            found.push(Operation {
                id: operation["operationId"].as_str().unwrap(),
                method: method.to_uppercase().parse().unwrap(),
                path,
                schema: &body["schema"],
                shapes: Shapes(document),
            });
        }
    }
    found
}

/// The keys of a shop and of a wallet.
pub struct PartnerClients {
    shop: Value,
    wallet: Value,
    calls: AtomicU32,
}

impl PartnerClients {
    pub async fn of(owner: &TestClient) -> Self {
        let key = async |name: &str, scopes: &[&str]| {
            let new = json!({ "name": name, "email": "dev@wallet.example", "callbackUrl": "" });
            let created = owner.post("/api/admin/v1/partners", new).await.ok();
            let keys = format!("/api/admin/v1/partners/{}/keys", created["partner"]["id"].as_str().unwrap());
            let order = json!({ "title": "Server", "sandbox": false, "scopes": scopes, "networks": [], "perMinute": 6_000 });
            owner.post(&keys, order).await.ok()
        };
        Self {
            shop: key("Shop", &["read", "quote", "claim"]).await,
            wallet: key("Wallet", &["trustee"]).await,
            calls: AtomicU32::new(0),
        }
    }

    /// A request signed with the key of its path.
    pub fn request(&self, app: &TestApp, method: Method, path: &str, body: &Value) -> RequestBuilder {
        let (number, caller) = (self.calls.fetch_add(1, Ordering::Relaxed), app.visitor());
        if is_of_wallets(path) {
            let (moment, nothing) = (app.now().0 / 1_000 + i64::from(number), Map::new());
            let request = caller.request(method, path).json(body);
            return trustee::signed(request, &self.wallet, moment, body.as_object().unwrap_or(&nothing));
        }
        let nonce = format!("nonce-{number:010}");
        partners::signed(&caller, &self.shop, app.now(), &nonce, method, path, body.to_string())
    }
}

fn is_of_wallets(path: &str) -> bool {
    path.starts_with("/api/partner/v1/trustee/")
}

/// Callers with access to all operations.
struct Callers {
    app: TestApp,
    customer: TestCustomer,
    owner: TestClient,
    partner_clients: PartnerClients,
}

impl Callers {
    async fn of(app: TestApp) -> Self {
        let owner = app.owner().await;
        let (customer, partner_clients) =
            (TestCustomer::registered(&app, "anna@example.com").await, PartnerClients::of(&owner).await);
        Self { app, customer, owner, partner_clients }
    }

    async fn send(&self, operation: &Operation<'_>, body: &Value) -> TestResponse {
        let (method, path) = (operation.method.clone(), operation.path.as_str());
        if path.starts_with("/api/partner/") {
            return self.owner.send(self.partner_clients.request(&self.app, method, path, body)).await;
        }
        let caller = if path.starts_with("/api/admin/") { &self.owner } else { &self.customer.caller };
        caller.send(caller.request(method, path).json(body)).await
    }
}

/// Describes a wrong response to an invalid body.
fn fault(operation: &Operation<'_>, wrong: &Wrong, answer: &TestResponse) -> Option<String> {
    let problem: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    // Only object properties are signed, so the signature of a wallet's array is invalid; and the Trustee API has
    // messages instead of codes.
    let is_refused = if is_of_wallets(&operation.path) {
        let status = if wrong.body.is_object() { 400 } else { 401 };
        answer.status == status && problem["message"].is_string()
    } else {
        let code = &problem["errors"][&wrong.place][0]["code"];
        let is_named = if wrong.place.is_empty() { problem["errors"] == json!({}) } else { code.is_string() };
        let is_said = wrong.place.is_empty() || wrong.code.is_none_or(|expected| code == expected);
        answer.status == 400 && problem["code"] == "malformed_body" && is_named && is_said
    };
    (!is_refused).then(|| {
        format!("{}: {:?} at {:?}: {} {} to {}", operation.id, wrong.code, wrong.place, answer.status, answer.text, wrong.body)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_violate_the_schema_are_refused() {
    let callers = Callers::of(TestApp::start(Engine::Sqlite).await).await;
    let documents = callers.app.server.generate_documents();
    let operations: Vec<_> = documents.files().into_iter().flat_map(|(_, document)| operations(document)).collect();
    let (mut faults, mut tried) = (Vec::new(), 0);
    for operation in &operations {
        for wrong in operation.shapes.invalid_bodies(operation.schema) {
            tried += 1;
            faults.extend(fault(operation, &wrong, &callers.send(operation, &wrong.body).await));
        }
    }
    // Without the error each body is understood, and most are refused for their values. These come last, because some
    // succeed.
    for operation in &operations {
        let body = operation.shapes.sample(operation.schema);
        let answer = callers.send(operation, &body).await;
        if answer.status == 400 || answer.status.is_server_error() {
            faults.push(format!("{}: {} {} to {body}", operation.id, answer.status, answer.text));
        }
    }
    assert!(faults.is_empty(), "{} of {tried} wrong bodies:\n{}", faults.len(), faults.join("\n"));
    assert!(operations.len() > 85 && tried > 1_000, "{tried} wrong bodies of {} operations", operations.len());
}
