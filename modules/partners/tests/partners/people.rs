//! A partner with a key, and staff who give keys out.

use std::sync::atomic::{AtomicU64, Ordering};

use agio_claims::model::Action;
use agio_claims::{Said, Staffed};
use agio_core::identity::{Role, Staff};
use agio_partners::model::signature::Call;
use agio_testkit::{Answer, Caller, Database, Engine, House};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

/// The house with partners who listen on this machine.
pub async fn house(engine: Engine) -> House {
    House::open_on(Database::make(engine).await, |config| config.partners.private_callbacks = true).await
}

/// A programme of a partner: a key, its secret, and where the house is.
#[derive(Clone)]
pub struct Partner {
    pub caller: Caller,
    pub partner: String,
    pub key: String,
    pub key_id: String,
    pub secret: String,
    pub webhook_secret: String,
    pub now: i64,
}

/// A number for each nonce and idempotency key of this process.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A text nobody else uses.
pub fn unique() -> String {
    format!("test-{:016}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A key as the owner makes it.
pub fn key_order(sandbox: bool) -> Value {
    json!({ "title": "Shop", "sandbox": sandbox, "scopes": ["read", "quote", "claim"], "perMinute": 6000 })
}

impl Partner {
    /// A partner with a key for everything, told at this address.
    pub async fn of(house: &House, callback: &str) -> Self {
        Self::with(house, callback, key_order(false)).await
    }

    pub async fn with(house: &House, callback: &str, order: Value) -> Self {
        let owner = house.owner().await;
        let new = json!({ "name": "Wallet", "email": "dev@wallet.example", "callbackUrl": callback });
        let made = owner.post("/api/admin/v1/partners", new).await.ok();
        let partner = made["partner"]["id"].as_str().unwrap().to_owned();
        let webhook_secret = made["secret"].as_str().unwrap().to_owned();
        let mut this = Self {
            caller: house.customer(),
            partner,
            key: String::new(),
            key_id: String::new(),
            secret: String::new(),
            webhook_secret,
            now: house.now().as_seconds(),
        };
        this.take_key(&owner, order).await;
        this
    }

    /// The same partner's programme with another key.
    pub async fn with_key(&self, house: &House, order: Value) -> Self {
        let mut other = self.clone();
        other.take_key(&house.owner().await, order).await;
        other
    }

    async fn take_key(&mut self, owner: &Caller, order: Value) {
        let made = owner.post(&format!("/api/admin/v1/partners/{}/keys", self.partner), order).await.ok();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (self.key, self.key_id) = (text(&made["key"]["name"]), text(&made["key"]["id"]));
        self.secret = text(&made["secret"]);
    }

    /// Sets its clock by the house's.
    pub fn look_at_the_clock(&mut self, house: &House) {
        self.now = house.now().as_seconds();
    }

    /// A call that is signed by the book.
    pub fn signed(&self, method: &Method, path: &str, body: &[u8]) -> Signed {
        let (timestamp, nonce) = (self.now.to_string(), unique());
        let mut signed = Signed {
            method: method.clone(),
            path: path.to_owned(),
            body: body.to_vec(),
            headers: vec![("x-agio-key", self.key.clone()), ("x-agio-timestamp", timestamp), ("x-agio-nonce", nonce)],
        };
        signed.sign(&self.secret);
        signed
    }

    pub async fn send(&self, signed: &Signed) -> Answer {
        let mut request = self.caller.request(signed.method.clone(), &signed.path).body(signed.body.clone());
        if !signed.body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in &signed.headers {
            request = request.header(*name, value);
        }
        self.caller.send(request).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(&self.signed(&Method::GET, path, b"")).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(&self.signed(&Method::POST, path, body.to_string().as_bytes())).await
    }

    pub async fn post_empty(&self, path: &str) -> Answer {
        self.send(&self.signed(&Method::POST, path, b"")).await
    }

    pub async fn post_once(&self, path: &str, key: &str, body: &Value) -> Answer {
        let mut signed = self.signed(&Method::POST, path, body.to_string().as_bytes());
        signed.headers.push(("idempotency-key", key.to_owned()));
        self.send(&signed).await
    }

    /// A quote for bitcoin that becomes roubles, and the order that takes it.
    pub async fn order(&self, send: &str, reference: &str) -> Value {
        let wish = json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": send });
        let quote = self.post("/api/partner/v1/quotes/", &wish).await.ok();
        json!({
            "from": "BTC", "to": "SBERRUB", "fromSumma": send, "toSumma": quote["toSumma"], "quoteId": quote["id"],
            "email": "ivan@example.com", "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
            "reference": reference, "amlConsent": true,
        })
    }

    /// A claim that waits for its payment.
    pub async fn claim(&self, send: &str, reference: &str) -> Value {
        let order = self.order(send, reference).await;
        self.post_once("/api/partner/v1/claims/", &unique(), &order).await.ok()
    }
}

/// A signed call, to be sent as it is or spoiled.
#[derive(Clone)]
pub struct Signed {
    pub method: Method,
    pub path: String,
    pub body: Vec<u8>,
    pub headers: Vec<(&'static str, String)>,
}

impl Signed {
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(header, _)| *header == name).map_or("", |(_, value)| value)
    }

    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.headers.retain(|(header, _)| *header != name);
        self.headers.push((name, value.into()));
    }

    /// Signs it anew, whatever it is now.
    pub fn sign(&mut self, secret: &str) {
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let call = Call {
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

/// An operator's step on a claim, with what usually goes with it.
pub async fn operator_does(house: &House, claim: &str, action: Action) {
    operator_tries(house, claim, action).await.unwrap();
}

/// The same, where it may be refused.
pub async fn operator_tries(house: &House, claim: &str, action: Action) -> agio_core::Result<()> {
    let id: Uuid = claim.parse().unwrap();
    let staff = Staff { id: Uuid::max(), name: "Operator".into(), role: Role::Operator, address: None };
    let revision = house.app.claims.claim(id).await.unwrap().revision;
    let said = Said {
        tx_id: Some(format!("{}-{claim}", action.name())),
        reason: Some("aml_check".into()),
        note: Some("seen".into()),
        answer_by: Some(house.now().plus(std::time::Duration::from_secs(3_600))),
        ..Said::default()
    };
    house.app.claims.transit(id, Staffed { staff, action, revision, said }, None).await.map(drop)
}

/// Everything the house does with a claim whose payment came.
pub const WAY: [Action; 4] = [Action::PaymentReceived, Action::Take, Action::PayoutSent, Action::Complete];
