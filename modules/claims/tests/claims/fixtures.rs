//! A customer with a claim, and an operator who works it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_test_app::{TestApp, TestClient, TestResponse};
use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub const CARD: &str = "2200000000000004";
pub const ADDRESS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// The currencies of an exchange, with what is received for an amount now.
pub struct Pair {
    pub from: i64,
    pub to: i64,
    pub send: String,
    pub receive: String,
}

/// The terms of this moment for sending an amount.
pub fn pair(app: &TestApp, from: &str, to: &str, send: &str) -> Pair {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap_or_else(|| panic!("the market has {code}")).id();
    let asked = QuoteRequest::anonymous(id(from), id(to), send.parse().unwrap());
    let agreed = app.server.calculator.agree(&asked).expect("the pair is open");
    Pair { from: asked.from, to: asked.to, send: send.into(), receive: agreed.receive.to_string() }
}

/// An order of bitcoin for roubles, the commonest one.
pub fn order(app: &TestApp, send: &str, email: &str) -> Value {
    let pair = pair(app, "BTC", "SBERRUB", send);
    json!({
        "email": email, "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send, "toSumma": pair.receive,
        "fromRequisites": {}, "toRequisites": { "card": CARD, "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

/// A customer and the claim they made.
pub struct TestCustomer {
    pub caller: TestClient,
    pub id: String,
    pub number: i64,
}

impl TestCustomer {
    /// Somebody new who orders roubles for an amount of bitcoin.
    pub async fn orders(app: &TestApp, send: &str) -> Self {
        static KNOWN: AtomicUsize = AtomicUsize::new(0);
        let number = KNOWN.fetch_add(1, Ordering::Relaxed);
        Self::orders_as(app, send, &format!("customer{number}@example.com")).await
    }

    /// Somebody new who orders, confirms and says that they have paid.
    pub async fn reports(app: &TestApp, send: &str) -> Self {
        let customer = Self::orders(app, send).await;
        for step in ["confirm", "paid"] {
            customer.does(step).await.ok();
        }
        customer
    }

    /// The same under a given e-mail address.
    pub async fn orders_as(app: &TestApp, send: &str, email: &str) -> Self {
        let caller = app.visitor();
        let made = caller.post("/api/v1/claim/", order(app, send, email)).await.ok();
        Self { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() }
    }

    pub fn path(&self, call: &str) -> String {
        format!("/api/v1/claim/{}/{call}/", self.id)
    }

    pub async fn look(&self, call: &str) -> TestResponse {
        self.caller.get(&self.path(call)).await
    }

    /// A step without a body.
    pub async fn does(&self, call: &str) -> TestResponse {
        self.caller.post_empty(&self.path(call)).await
    }

    pub async fn says(&self, call: &str, body: Value) -> TestResponse {
        self.caller.post(&self.path(call), body).await
    }

    pub async fn status(&self) -> String {
        self.look("status").await.ok()["status"].as_str().unwrap().to_owned()
    }

    /// Lets the time go by in which the claim has to be paid, on a server where every late payment needs new terms.
    pub async fn is_too_late(&self, app: &TestApp) {
        app.owner().await.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_bps": "0" })).await.ok();
        self.waits_too_long(app).await;
    }

    /// Lets the time go by in which the claim has to be paid.
    pub async fn waits_too_long(&self, app: &TestApp) {
        let minutes = self.look("form").await.ok()["hold"].as_u64().unwrap();
        app.advance_and_run_jobs(Duration::from_secs(minutes * 60 + 1)).await;
    }

    /// The same claim by its link, on somebody else's machine.
    pub fn on_another_device(&self, app: &TestApp) -> Self {
        Self { caller: app.visitor(), id: self.id.clone(), number: self.number }
    }
}

/// An operator in the console.
pub struct Operator(pub TestClient);

impl Operator {
    pub async fn at(app: &TestApp) -> Self {
        Self(app.operator().await)
    }

    pub async fn sees(&self, id: &str) -> Value {
        self.0.get(&format!("/api/admin/v1/claims/{id}")).await.ok()
    }

    /// A step on what they see now. The transaction of a payment is named where it is asked for and nothing is said of it.
    pub async fn tries(&self, id: &str, action: &str, said: Value) -> TestResponse {
        let seen = self.sees(id).await;
        let mut step = said;
        step["action"] = action.into();
        step["revision"] = seen["revision"].clone();
        let is_payment = matches!(action, "payment_received" | "amount_mismatch");
        let row = seen["transitions"].as_array().unwrap().iter().find(|row| row["action"] == action);
        let asks = row.is_some_and(|row| row["needs"].as_array().unwrap().contains(&json!("txId")));
        if is_payment && asks && step.get("txId").is_none() {
            step["txId"] = format!("in-{id}").into();
        }
        self.0.post(&format!("/api/admin/v1/claims/{id}/transitions"), step).await
    }

    pub async fn does(&self, id: &str, action: &str, said: Value) -> Value {
        self.tries(id, action, said).await.ok()
    }

    /// The usual way from a payment that was claimed to the end.
    pub async fn completes(&self, id: &str) -> Value {
        self.does(id, "payment_received", json!({ "txId": format!("in-{id}") })).await;
        self.pays_out(id).await
    }

    /// The usual way from an established payment to the end.
    pub async fn pays_out(&self, id: &str) -> Value {
        self.does(id, "take", json!({})).await;
        self.does(id, "payout_sent", json!({ "txId": format!("out-{id}") })).await;
        self.does(id, "complete", json!({})).await
    }
}

/// The answer to a captcha's challenge.
pub fn solved(challenge: &Value) -> String {
    let challenge: Challenge = serde_json::from_value(challenge.clone()).unwrap();
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
    STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).unwrap())
}

/// What is free of a currency, and what is held for claims, in units.
pub async fn reserve(app: &TestApp, code: &str) -> (i64, i64) {
    let id = app.server.calculator.market().currency_named(code).expect("the market has it").id();
    let mut tx = app.server.platform.db.read().await.unwrap();
    let held = app.server.ledger.held_units(&mut tx, id).await.unwrap();
    drop(tx);
    app.server.ledger.reserves().load(&app.server.platform.db).await.unwrap();
    (app.server.ledger.reserves().available(id).units, held)
}

/// Units of an amount in a currency of two or eight decimals.
pub fn units(amount: &Value, scale: u32) -> i64 {
    let amount: rust_decimal::Decimal = amount.as_str().expect("an amount is text").parse().unwrap();
    agio_core::money::units_of(amount, scale).unwrap()
}
