//! A customer with a claim, and an operator who works it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agio_core::needs::{Asked, Quotes as _};
use agio_testkit::{Answer, Caller, House};
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
pub fn pair(house: &House, from: &str, to: &str, send: &str) -> Pair {
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap_or_else(|| panic!("the market has {code}")).id();
    let asked = Asked::plainly(id(from), id(to), send.parse().unwrap());
    let agreed = house.app.calculator.agree(&asked).expect("the pair is open");
    Pair { from: asked.from, to: asked.to, send: send.into(), receive: agreed.receive.to_string() }
}

/// An order of bitcoin for roubles, the commonest one.
pub fn order(house: &House, send: &str, email: &str) -> Value {
    let pair = pair(house, "BTC", "SBERRUB", send);
    json!({
        "email": email, "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send, "toSumma": pair.receive,
        "fromRequisites": {}, "toRequisites": { "card": CARD, "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

/// A customer and the claim they made.
pub struct Customer {
    pub caller: Caller,
    pub id: String,
    pub number: i64,
}

impl Customer {
    /// Somebody new who orders roubles for an amount of bitcoin.
    pub async fn orders(house: &House, send: &str) -> Self {
        static KNOWN: AtomicUsize = AtomicUsize::new(0);
        let number = KNOWN.fetch_add(1, Ordering::Relaxed);
        Self::orders_as(house, send, &format!("customer{number}@example.com")).await
    }

    /// The same under a given e-mail address.
    pub async fn orders_as(house: &House, send: &str, email: &str) -> Self {
        let caller = house.customer();
        let made = caller.post("/api/v1/claim/", order(house, send, email)).await.ok();
        Self { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() }
    }

    pub fn path(&self, call: &str) -> String {
        format!("/api/v1/claim/{}/{call}/", self.id)
    }

    pub async fn look(&self, call: &str) -> Answer {
        self.caller.get(&self.path(call)).await
    }

    /// A step without a body.
    pub async fn does(&self, call: &str) -> Answer {
        self.caller.post_empty(&self.path(call)).await
    }

    pub async fn says(&self, call: &str, body: Value) -> Answer {
        self.caller.post(&self.path(call), body).await
    }

    pub async fn status(&self) -> String {
        self.look("status").await.ok()["status"].as_str().unwrap().to_owned()
    }

    /// Lets the time go by in which the claim has to be paid, in a house where everybody who pays later is asked.
    pub async fn is_too_late(&self, house: &House) {
        house.owner().await.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_hundredths": "0" })).await.ok();
        self.waits_too_long(house).await;
    }

    /// Lets the time go by in which the claim has to be paid.
    pub async fn waits_too_long(&self, house: &House) {
        let minutes = self.look("form").await.ok()["hold"].as_u64().unwrap();
        house.later(Duration::from_secs(minutes * 60 + 1)).await;
    }

    /// The same claim by its link, on somebody else's machine.
    pub fn on_another_device(&self, house: &House) -> Self {
        Self { caller: house.customer(), id: self.id.clone(), number: self.number }
    }
}

/// An operator at the desk.
pub struct Operator(pub Caller);

impl Operator {
    pub async fn at(house: &House) -> Self {
        Self(house.operator().await)
    }

    pub async fn sees(&self, id: &str) -> Value {
        self.0.get(&format!("/api/admin/v1/claims/{id}")).await.ok()
    }

    /// A step on what they see now.
    pub async fn tries(&self, id: &str, action: &str, said: Value) -> Answer {
        let revision = self.sees(id).await["revision"].clone();
        let mut step = said;
        step["action"] = action.into();
        step["revision"] = revision;
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
pub async fn reserve(house: &House, code: &str) -> (i64, i64) {
    let id = house.app.calculator.market().currency_named(code).expect("the market has it").id();
    let mut tx = house.app.platform.db.read().await.unwrap();
    let held = house.app.ledger.held(&mut tx, id).await.unwrap();
    drop(tx);
    house.app.ledger.reserves().load(&house.app.platform.db).await.unwrap();
    (house.app.ledger.reserves().available(id).units, held)
}

/// Units of an amount in a currency of two or eight decimals.
pub fn units(amount: &Value, scale: u32) -> i64 {
    let amount: rust_decimal::Decimal = amount.as_str().expect("an amount is text").parse().unwrap();
    agio_core::Amount::exact(amount, scale).unwrap().units()
}
