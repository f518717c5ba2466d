//! Customers who exchange, and staff who make a contest of it.

use agio_core::needs::{Asked, Quotes as _};
use agio_testkit::{Answer, Caller, House};
use serde_json::{Value, json};

pub const CONTESTS: &str = "/api/admin/v1/contests";
pub const BLOCK: &str = "00000000000000000000c9b4f1b4a2d9a1b0f6f3c5e2d7a8b9c0d1e2f3a4b5c6";
pub const DAY: u64 = 24 * 60 * 60;

pub fn currency(house: &House, code: &str) -> i64 {
    house.app.calculator.market().currency_named(code).unwrap().id()
}

/// A contest of a week from tomorrow on, with prizes in tether; one ticket for each 100 of base currency.
pub fn plan(house: &House, prizes: &[&str]) -> Value {
    let tether = currency(house, "USDTTRC20");
    let prizes: Vec<_> = prizes.iter().map(|amount| json!({ "currencyId": tether, "amount": amount })).collect();
    let day = |days: u64| house.now().plus(std::time::Duration::from_secs(days * DAY)).to_string();
    json!({
        "title": { "ru": "Весенний розыгрыш", "en": "Spring draw" },
        "rules": { "ru": "Каждые 100 USDT обмена — билет.", "en": "Each 100 USDT exchanged is a ticket." },
        "source": { "ru": "Хеш первого блока Bitcoin после срока", "en": "Hash of the first Bitcoin block after the time" },
        "startsAt": day(1), "endsAt": day(8), "publicAt": day(9),
        "perWorth": "100", "mostWeight": 50, "prizes": prizes,
    })
}

pub async fn shows_contests(owner: &Caller) {
    owner.put("/api/admin/v1/settings", json!({ "site.contest": true })).await.ok();
}

pub async fn overview(house: &House) -> Value {
    house.customer().get("/en/api/v1/contest/").await.ok()
}

/// Somebody's exchange of bitcoin for roubles, from the order to the end; gives its identifier and number.
pub async fn exchanges(house: &House, operator: &Caller, email: &str, send: &str) -> (String, i64) {
    let (from, to) = (currency(house, "BTC"), currency(house, "SBERRUB"));
    let asked = Asked::plainly(from, to, send.parse().unwrap());
    let receive = house.app.calculator.agree(&asked).unwrap().receive.to_string();
    let order = json!({
        "email": email, "fromPs": from, "toPs": to, "fromSumma": send, "toSumma": receive, "fromRequisites": {},
        "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let customer = house.customer();
    let made = customer.post("/api/v1/claim/", order).await.ok();
    let id = made["id"].as_str().unwrap().to_owned();
    for step in ["confirm", "paid"] {
        customer.post_empty(&format!("/api/v1/claim/{id}/{step}/")).await.ok();
    }
    let steps = ["payment_received", "take", "payout_sent", "complete"];
    for action in steps {
        let seen = operator.get(&format!("/api/admin/v1/claims/{id}")).await.ok();
        let mut step = json!({ "action": action, "revision": seen["revision"] });
        if matches!(action, "payment_received" | "payout_sent") {
            step["txId"] = format!("{action}-{id}").into();
        }
        operator.post(&format!("/api/admin/v1/claims/{id}/transitions"), step).await.ok();
    }
    (id, made["publicId"].as_i64().unwrap())
}

/// Moves the clock so far, with everybody signed in anew afterwards.
pub async fn days_go_by(house: &House, days: u64) -> Caller {
    house.later(std::time::Duration::from_secs(days * DAY)).await;
    house.owner().await
}

/// Proposes a draw, and a colleague agrees; what the second says.
pub async fn draws_with_a_colleague(house: &House, owner: &Caller, id: &str, value: &str) -> Answer {
    let proposal = draws(owner, id, value).await.ok();
    let editor = house.staff(agio_core::identity::Role::Editor).await;
    editor.post_empty(&format!("/api/admin/v1/approvals/{}/approve", proposal["id"].as_str().unwrap())).await
}

pub async fn draws(owner: &Caller, id: &str, value: &str) -> Answer {
    let seen = owner.get(CONTESTS).await.ok();
    let row = seen["items"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    let body = json!({ "revision": row["revision"], "value": value, "reference": "https://mempool.space/block-height/841564" });
    owner.post_once(&format!("{CONTESTS}/{id}/draw"), "draw-0001", body).await
}
