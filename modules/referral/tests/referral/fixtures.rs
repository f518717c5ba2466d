//! Referrers, referred customers and staff.

use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_test_app::{TestApp, TestClient, TestCustomer, TestResponse, card_number_of};
use rust_decimal::Decimal;
use serde_json::{Value, json};

pub const TRON: &str = "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf";

/// Longer than the holding period.
pub const HELD: Duration = Duration::from_secs(73 * 3_600);

pub fn number(value: &Value) -> Decimal {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).parse().unwrap()
}

pub fn id_of(app: &TestApp, code: &str) -> i64 {
    app.server.calculator.market().currency_named(code).unwrap().id()
}

/// A referrer.
pub struct Referrer {
    pub customer: TestCustomer,
    pub code: String,
}

impl Referrer {
    pub async fn at(app: &TestApp, email: &str) -> Self {
        let customer = TestCustomer::registered(app, email).await;
        let code = customer.caller.get("/api/v1/users/me/refferal/").await.ok()["code"].as_str().unwrap().to_owned();
        Self { customer, code }
    }

    /// Signs in again if the session has expired.
    pub async fn overview(&self) -> Value {
        let path = "/api/v1/users/me/refferal/";
        let answer = self.customer.caller.get(path).await;
        if answer.status.as_u16() != 401 {
            return answer.ok();
        }
        let login = json!({ "email": self.customer.email, "password": self.customer.password });
        let session = self.customer.caller.post("/front-api/auth/login/", login).await.ok();
        self.customer.caller.clone().with_token(session["accessToken"].as_str().unwrap()).get(path).await.ok()
    }

    pub async fn request_withdrawal(&self, app: &TestApp, amount: &str) -> TestResponse {
        self.customer.caller.post("/api/v1/users/me/refferal/withdrawal/", order(app, amount)).await
    }
}

/// A withdrawal in the balance currency.
pub fn order(app: &TestApp, amount: &str) -> Value {
    json!({ "amount": amount, "currencyId": id_of(app, "USDTTRC20"), "requisites": { "address": TRON }, "password": TestCustomer::PASSWORD })
}

/// Five percent of the given amount, without a holding period.
pub async fn pay_at_once(app: &TestApp) {
    set_least_withdrawal(app, "10").await;
}

/// The same, with another smallest withdrawal.
pub async fn set_least_withdrawal(app: &TestApp, least: &str) {
    let owner = app.owner().await;
    let plans = owner.get("/api/admin/v1/referral/plans").await.ok();
    let path = format!("/api/admin/v1/referral/plans/{}", plans[0]["id"].as_str().unwrap());
    let terms = json!({
        "name": "Standard", "kind": "amount", "tiers": [{ "from": "0", "percent": "5" }], "minCommission": "0.01", "holdHours": 0,
        "withdrawalMin": least,
    });
    owner.put(&path, json!({ "revision": plans[0]["revision"], "terms": terms })).await.ok();
}

/// Exchanges 0.01 BTC for RUB, with or without a code.
pub async fn orders(app: &TestApp, caller: &TestClient, email: &str, code: Option<&str>) -> String {
    orders_to(app, caller, email, code, &card_number_of(email)).await
}

pub async fn orders_to(app: &TestApp, caller: &TestClient, email: &str, code: Option<&str>, card: &str) -> String {
    let (from, to) = (id_of(app, "BTC"), id_of(app, "SBERRUB"));
    let requested = QuoteRequest::anonymous(from, to, "0.01".parse().unwrap());
    let receive = app.server.calculator.agree(&requested).unwrap().receive.to_string();
    let mut order = json!({
        "email": email, "fromPs": from, "toPs": to, "fromSumma": "0.01", "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": card, "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    if let Some(code) = code {
        order["refferal"] = code.into();
    }
    let created = caller.post("/api/v1/claim/", order).await.ok();
    let id = created["id"].as_str().unwrap().to_owned();
    for step in ["confirm", "paid"] {
        caller.post_empty(&format!("/api/v1/claim/{id}/{step}/")).await.ok();
    }
    id
}

/// The same from a new customer with their own IP address.
pub async fn exchange_with_code(app: &TestApp, email: &str, code: Option<&str>) -> String {
    orders(app, &TestCustomer::new(app, email).caller, email, code).await
}

/// Staff actions.
pub struct StaffConsole(pub TestClient);

impl StaffConsole {
    pub async fn operator(app: &TestApp) -> Self {
        Self(app.operator().await)
    }

    pub async fn transition(&self, claim: &str, action: &str, mut input: Value) {
        let path = format!("/api/admin/v1/claims/{claim}");
        input["action"] = action.into();
        input["revision"] = self.0.get(&path).await.ok()["revision"].clone();
        self.0.post(&format!("{path}/transitions"), input).await.ok();
    }

    pub async fn complete(&self, claim: &str) {
        self.transition(claim, "payment_received", json!({ "txId": format!("in-{claim}") })).await;
        self.transition(claim, "take", json!({})).await;
        self.transition(claim, "payout_sent", json!({ "txId": format!("out-{claim}") })).await;
        self.transition(claim, "complete", json!({})).await;
    }

    /// Reverses a completed exchange.
    pub async fn reverse(&self, claim: &str) {
        self.transition(claim, "payout_returned", json!({ "reason": "payout_returned" })).await;
    }

    /// Commissions that need a review.
    pub async fn open_commissions(&self) -> Vec<Value> {
        let page = self.0.get("/api/admin/v1/referral/commissions").await.ok();
        page["items"].as_array().unwrap().clone()
    }

    pub async fn decide(&self, commission: &Value, decision: Value) -> TestResponse {
        self.0
            .post(&format!("/api/admin/v1/referral/commissions/{}/decision", commission["id"].as_str().unwrap()), decision)
            .await
    }

    pub async fn withdrawal(&self, id: &Value) -> Value {
        self.0.get(&format!("/api/admin/v1/referral/withdrawals/{}", id.as_str().unwrap())).await.ok()
    }

    pub async fn process(&self, id: &Value, action: &str, mut input: Value) -> TestResponse {
        input["action"] = action.into();
        input["revision"] = self.withdrawal(id).await["revision"].clone();
        self.0.post(&format!("/api/admin/v1/referral/withdrawals/{}/steps", id.as_str().unwrap()), input).await
    }
}
