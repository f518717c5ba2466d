//! Customers, exchanges and contests.

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_test_app::{TestApp, TestClient, TestResponse};
use serde_json::{Value, json};

pub const CONTESTS: &str = "/api/admin/v1/contests";
pub const BLOCK: &str = "00000000000000000000c9b4f1b4a2d9a1b0f6f3c5e2d7a8b9c0d1e2f3a4b5c6";
pub const DAY: u64 = 24 * 60 * 60;

pub fn currency(app: &TestApp, code: &str) -> i64 {
    app.server.calculator.market().currency_named(code).unwrap().id()
}

/// A week-long contest from tomorrow with USDT prizes; one ticket per 100 of the base currency.
pub fn plan(app: &TestApp, prizes: &[&str]) -> Value {
    let tether = currency(app, "USDTTRC20");
    let prizes: Vec<_> = prizes.iter().map(|amount| json!({ "currencyId": tether, "amount": amount })).collect();
    let day = |days: u64| app.now().plus(std::time::Duration::from_secs(days * DAY)).to_string();
    json!({
        "title": { "ru": "Весенний розыгрыш", "en": "Spring draw" },
        "rules": { "ru": "Каждые 100 USDT обмена — билет.", "en": "Each 100 USDT exchanged is a ticket." },
        "source": { "ru": "Хеш первого блока Bitcoin после срока", "en": "Hash of the first Bitcoin block after the time" },
        "startsAt": day(1), "endsAt": day(8), "publicAt": day(9),
        "volumePerTicket": "100", "maxTickets": 50, "prizes": prizes,
    })
}

pub async fn enable_contests(owner: &TestClient) {
    owner.put("/api/admin/v1/settings", json!({ "site.contest": true })).await.ok();
}

pub async fn overview(app: &TestApp) -> Value {
    app.visitor().get("/en/api/v1/contest/").await.ok()
}

/// A completed exchange from BTC to RUB; returns its id and number.
pub async fn complete_exchange(app: &TestApp, operator: &TestClient, email: &str, send: &str) -> (String, i64) {
    let (from, to) = (currency(app, "BTC"), currency(app, "SBERRUB"));
    let request = QuoteRequest::anonymous(from, to, send.parse().unwrap());
    let receive = app.server.calculator.agree(&request).unwrap().receive.to_string();
    let order = json!({
        "email": email, "fromPs": from, "toPs": to, "fromSumma": send, "toSumma": receive, "fromRequisites": {},
        "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let customer = app.visitor();
    let created = customer.post("/api/v1/claim/", order).await.ok();
    let id = created["id"].as_str().unwrap().to_owned();
    for step in ["confirm", "paid"] {
        customer.post_empty(&format!("/api/v1/claim/{id}/{step}/")).await.ok();
    }
    let steps = ["payment_received", "take", "payout_sent", "complete"];
    for action in steps {
        let view = operator.get(&format!("/api/admin/v1/claims/{id}")).await.ok();
        let mut step = json!({ "action": action, "revision": view["revision"] });
        if matches!(action, "payment_received" | "payout_sent") {
            step["txId"] = format!("{action}-{id}").into();
        }
        operator.post(&format!("/api/admin/v1/claims/{id}/transitions"), step).await.ok();
    }
    (id, created["publicId"].as_i64().unwrap())
}

/// Advances the clock and signs everybody in again.
pub async fn advance_days(app: &TestApp, days: u64) -> TestClient {
    app.advance_and_run_jobs(std::time::Duration::from_secs(days * DAY)).await;
    app.owner().await
}

/// Requests a draw and approves it; returns the approval response.
pub async fn draw_with_approval(app: &TestApp, owner: &TestClient, id: &str, value: &str) -> TestResponse {
    let approval = request_draw(owner, id, value).await.ok();
    let editor = app.staff(agio_core::identity::Role::Editor).await;
    editor.post_empty(&format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap())).await
}

pub async fn request_draw(owner: &TestClient, id: &str, value: &str) -> TestResponse {
    let view = owner.get(CONTESTS).await.ok();
    let row = view["items"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    let body = json!({ "revision": row["revision"], "value": value, "reference": "https://mempool.space/block-height/841564" });
    owner.post_idempotent(&format!("{CONTESTS}/{id}/draw"), "draw-0001", body).await
}
