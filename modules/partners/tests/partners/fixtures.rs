//! Partners with keys.

use std::sync::atomic::{AtomicU64, Ordering};

use agio_claims::model::Action;
use agio_claims::{StaffTransition, TransitionInput};
use agio_core::identity::{Role, Staff};
use agio_partners::model::signature::CanonicalRequest;
use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

/// An app that may call webhooks on this machine.
pub async fn app(engine: Engine) -> TestApp {
    TestApp::start_with(Database::empty(engine).await, |config| config.partners.private_callbacks = true).await
}

/// A partner application with a key.
#[derive(Clone)]
pub struct Partner {
    pub caller: TestClient,
    pub partner: String,
    pub key: String,
    pub key_id: String,
    pub secret: String,
    pub webhook_secret: String,
    pub now: i64,
}

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A unique text.
pub fn unique() -> String {
    format!("test-{:016}", NEXT.fetch_add(1, Ordering::Relaxed))
}

pub fn key_order(sandbox: bool) -> Value {
    json!({ "title": "Shop", "sandbox": sandbox, "scopes": ["read", "quote", "claim"], "perMinute": 6000 })
}

impl Partner {
    /// A partner with a key of all scopes and this webhook URL.
    pub async fn of(app: &TestApp, callback: &str) -> Self {
        Self::with(app, callback, key_order(false)).await
    }

    pub async fn with(app: &TestApp, callback: &str, order: Value) -> Self {
        let owner = app.owner().await;
        let new = json!({ "name": "Wallet", "email": "dev@wallet.example", "callbackUrl": callback });
        let created = owner.post("/api/admin/v1/partners", new).await.ok();
        let partner = created["partner"]["id"].as_str().unwrap().to_owned();
        let webhook_secret = created["secret"].as_str().unwrap().to_owned();
        let mut this = Self {
            caller: app.visitor(),
            partner,
            key: String::new(),
            key_id: String::new(),
            secret: String::new(),
            webhook_secret,
            now: app.now().as_seconds(),
        };
        this.take_key(&owner, order).await;
        this
    }

    /// The same partner with another key.
    pub async fn with_key(&self, app: &TestApp, order: Value) -> Self {
        let mut other = self.clone();
        other.take_key(&app.owner().await, order).await;
        other
    }

    async fn take_key(&mut self, owner: &TestClient, order: Value) {
        let created = owner.post(&format!("/api/admin/v1/partners/{}/keys", self.partner), order).await.ok();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (self.key, self.key_id) = (text(&created["key"]["name"]), text(&created["key"]["id"]));
        self.secret = text(&created["secret"]);
    }

    pub fn sync_clock(&mut self, app: &TestApp) {
        self.now = app.now().as_seconds();
    }

    /// A correctly signed request.
    pub fn signed(&self, method: &Method, path: &str, body: &[u8]) -> SignedRequest {
        let (timestamp, nonce) = (self.now.to_string(), unique());
        let mut signed = SignedRequest {
            method: method.clone(),
            path: path.to_owned(),
            body: body.to_vec(),
            headers: vec![("x-agio-key", self.key.clone()), ("x-agio-timestamp", timestamp), ("x-agio-nonce", nonce)],
        };
        signed.sign(&self.secret);
        signed
    }

    pub async fn send(&self, signed: &SignedRequest) -> TestResponse {
        let mut request = self.caller.request(signed.method.clone(), &signed.path).body(signed.body.clone());
        if !signed.body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in &signed.headers {
            request = request.header(*name, value);
        }
        self.caller.send(request).await
    }

    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(&self.signed(&Method::GET, path, b"")).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.send(&self.signed(&Method::POST, path, body.to_string().as_bytes())).await
    }

    pub async fn post_empty(&self, path: &str) -> TestResponse {
        self.send(&self.signed(&Method::POST, path, b"")).await
    }

    pub async fn post_idempotent(&self, path: &str, key: &str, body: &Value) -> TestResponse {
        let mut signed = self.signed(&Method::POST, path, body.to_string().as_bytes());
        signed.headers.push(("idempotency-key", key.to_owned()));
        self.send(&signed).await
    }

    /// A quote from BTC to RUB, and the claim request for it.
    pub async fn order(&self, send: &str, reference: &str) -> Value {
        let quote_request = json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": send });
        let quote = self.post("/api/partner/v1/quotes/", &quote_request).await.ok();
        json!({
            "from": "BTC", "to": "SBERRUB", "fromSumma": send, "toSumma": quote["toSumma"], "quoteId": quote["id"],
            "email": "ivan@example.com", "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
            "reference": reference, "amlConsent": true,
        })
    }

    /// A claim awaiting payment.
    pub async fn claim(&self, send: &str, reference: &str) -> Value {
        let order = self.order(send, reference).await;
        self.post_idempotent("/api/partner/v1/claims/", &unique(), &order).await.ok()
    }
}

/// A signed request that tests can tamper with.
#[derive(Clone)]
pub struct SignedRequest {
    pub method: Method,
    pub path: String,
    pub body: Vec<u8>,
    pub headers: Vec<(&'static str, String)>,
}

impl SignedRequest {
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(header, _)| *header == name).map_or("", |(_, value)| value)
    }

    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.headers.retain(|(header, _)| *header != name);
        self.headers.push((name, value.into()));
    }

    /// Signs the current content.
    pub fn sign(&mut self, secret: &str) {
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let call = CanonicalRequest {
            method: self.method.as_str(),
            path,
            query,
            body: &self.body,
            timestamp: self.header("x-agio-timestamp"),
            nonce: self.header("x-agio-nonce"),
        };
        let signature = call.signed(secret.as_bytes());
        self.set("x-agio-signature", signature);
    }
}

/// A transition by staff with its usual data.
pub async fn operator_does(app: &TestApp, claim: &str, action: Action) {
    operator_tries(app, claim, action).await.unwrap();
}

/// The same, but it may be refused.
pub async fn operator_tries(app: &TestApp, claim: &str, action: Action) -> agio_core::Result<()> {
    let id: Uuid = claim.parse().unwrap();
    let staff = Staff { id: Uuid::max(), name: "Operator".into(), role: Role::Operator, address: None };
    let current = app.server.claims.claim(id).await.unwrap();
    let moves_money = matches!(action, Action::PaymentSeen | Action::PaymentReceived | Action::PayoutSent | Action::RefundSent);
    let transition_input = TransitionInput {
        tx_id: moves_money.then(|| format!("{}-{claim}", action.name())),
        meeting_code: app.server.claims.meeting_code(&current),
        reason: Some("aml_check".into()),
        note: Some("seen".into()),
        answer_by: Some(app.now().plus(std::time::Duration::from_secs(3_600))),
        ..TransitionInput::default()
    };
    app.server
        .claims
        .apply_transition(id, StaffTransition { staff, action, revision: current.revision, input: transition_input }, None)
        .await
        .map(drop)
}

/// Completes a claim whose payment has arrived.
pub const WAY: [Action; 4] = [Action::PaymentReceived, Action::Take, Action::PayoutSent, Action::Complete];
