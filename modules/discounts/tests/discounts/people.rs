//! Customers who exchange, and the staff who set what they get for it.

use agio_core::Amount;
use agio_core::needs::Worths as _;
use agio_testkit::{Answer, Caller, Customer, Engine, House};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};

pub const DESK: &str = "/api/admin/v1/discounts";
const ADDRESS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// The house, with nobody asked whether they are a programme: the tests make more claims than people do.
pub async fn open(engine: Engine) -> House {
    let house = House::open(engine).await;
    set(&house.owner().await, "claims.captcha", "false").await;
    house
}

/// The same customer, signed in anew.
pub async fn back(house: &House, email: &str) -> Caller {
    let mut customer = Customer::comes(house, email);
    customer.signs_in().await.ok();
    customer.caller
}

/// A number that an answer carries as text.
#[track_caller]
pub fn number(value: &Value) -> Decimal {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).parse().unwrap()
}

pub fn currency(house: &House, code: &str) -> i64 {
    house.app.calculator.market().currency_named(code).unwrap().id()
}

/// Sets the table of tiers.
pub async fn set_tiers(owner: &Caller, rows: &[(&str, &str)]) -> Value {
    let revision = owner.get(DESK).await.ok()["revision"].clone();
    let tiers: Vec<Value> = rows.iter().map(|(min, percent)| json!({ "min": min, "percent": percent })).collect();
    owner.put(&format!("{DESK}/tiers"), json!({ "revision": revision, "tiers": tiers })).await.ok()
}

/// Makes a promo code; `more` changes the usual one.
pub async fn add_promo(owner: &Caller, code: &str, percent: &str, more: Value) -> Value {
    let mut order = json!({ "code": code, "percent": percent, "perCustomer": 1 });
    order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    owner.post(&format!("{DESK}/promos"), order).await.ok()
}

/// A promo code as staff see it.
pub async fn promo(owner: &Caller, code: &str) -> Value {
    owner.get(&format!("{DESK}/promos/{code}")).await.ok()["promo"].clone()
}

/// A pair as somebody is shown it.
pub async fn pair(house: &House, caller: &Caller, (from, to): (&str, &str), promo: &str) -> Value {
    let path = format!("/api/v1/calculator/pair/{}/{}/", currency(house, from), currency(house, to));
    let path = if promo.is_empty() { path } else { format!("{path}?promo={promo}") };
    caller.get(&path).await.ok()
}

/// What the page computes from the terms it was shown: the documented formula, and nothing of the house's engine.
pub fn receive(pair: &Value, send: &str) -> Decimal {
    let send: Decimal = send.parse().unwrap();
    let tiers = pair["tiers"].as_array().unwrap();
    let tier = tiers.iter().rfind(|tier| number(&tier["min"]) <= send).unwrap();
    let net = send - number(&pair["fees"]["from"]["fixed"]);
    let exact = net * number(&tier["course"]) - number(&pair["fees"]["to"]["fixed"]);
    let digits = u32::try_from(pair["to"]["roundCalculator"].as_u64().unwrap()).unwrap();
    exact.round_dp_with_strategy(digits, RoundingStrategy::ToZero).normalize()
}

/// A card of one's own for each mailbox, as people have.
pub fn card_of(email: &str) -> String {
    let number = email.bytes().fold(7_u64, |number, byte| (number * 131 + u64::from(byte)) % 1_000_000_000);
    let digits = format!("220000{number:09}");
    let sum: u32 = digits
        .bytes()
        .rev()
        .map(|digit| u32::from(digit - b'0'))
        .zip([2, 1].into_iter().cycle())
        .map(|(digit, weight)| (digit * weight) / 10 + (digit * weight) % 10)
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

/// The order of an exchange at the terms of a pair, without its quote.
pub fn order(pair: &Value, email: &str, send: &str) -> Value {
    let id = |side: &str| pair["structure"][side]["currency"]["id"].clone();
    let bitcoin = pair["structure"]["from"]["currency"]["code"] == "BTC";
    let card = json!({ "card": card_of(&email.to_lowercase()), "holder": "IVAN PETROV" });
    let (from, to) =
        if bitcoin { (json!({}), card) } else { (json!({ "holder": "IVAN PETROV" }), json!({ "address": ADDRESS })) };
    json!({
        "email": email, "fromPs": id("from"), "toPs": id("to"), "fromSumma": send,
        "toSumma": receive(pair, send).to_string(), "fromRequisites": from, "toRequisites": to,
        "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

/// The same with the pair's quote.
pub fn quoted(pair: &Value, email: &str, send: &str) -> Value {
    let mut order = order(pair, email, send);
    order["quoteId"] = pair["quote"]["id"].clone();
    order
}

/// The same with a promo code.
pub fn with_promo(mut order: Value, code: &str) -> Value {
    order["extras"]["promo"] = code.into();
    order
}

pub async fn claims(caller: &Caller, order: Value) -> Answer {
    caller.post("/api/v1/claim/", order).await
}

/// Makes a claim and gives its identifier.
pub async fn claimed(caller: &Caller, order: Value) -> String {
    claims(caller, order).await.ok()["id"].as_str().unwrap().to_owned()
}

pub async fn form(caller: &Caller, id: &str) -> Value {
    caller.get(&format!("/api/v1/claim/{id}/form/")).await.ok()
}

/// A step of the customer.
pub async fn step(caller: &Caller, id: &str, call: &str) -> Value {
    caller.post_empty(&format!("/api/v1/claim/{id}/{call}/")).await.ok()
}

/// A step of the staff.
pub async fn moved(operator: &Caller, id: &str, action: &str, said: Value) -> Value {
    let path = format!("/api/admin/v1/claims/{id}");
    let mut step = said;
    step["action"] = action.into();
    step["revision"] = operator.get(&path).await.ok()["revision"].clone();
    operator.post(&format!("{path}/transitions"), step).await.ok()
}

/// Brings a claim from its first moment to its end.
pub async fn completed(caller: &Caller, operator: &Caller, id: &str) {
    step(caller, id, "confirm").await;
    step(caller, id, "paid").await;
    for (action, said) in [
        ("payment_received", json!({ "txId": format!("in-{id}") })),
        ("take", json!({})),
        ("payout_sent", json!({ "txId": format!("out-{id}") })),
        ("complete", json!({})),
    ] {
        moved(operator, id, action, said).await;
    }
}

/// What an amount is worth in the base currency, as volume counts it.
pub fn worth(house: &House, code: &str, amount: &str) -> Decimal {
    let currency = house.app.calculator.market().currency_named(code).unwrap().clone();
    let amount = Amount::exact(amount.parse().unwrap(), currency.facts.scale).unwrap();
    let worth = house.app.calculator.worth(currency.id(), amount).unwrap();
    worth.amount.trunc_with_scale(6).normalize()
}

/// Where somebody stands.
pub async fn mine(caller: &Caller) -> Value {
    caller.get("/api/v1/discounts/").await.ok()["mine"].clone()
}

/// Changes a setting.
pub async fn set(owner: &Caller, name: &str, value: &str) {
    owner.put("/api/admin/v1/settings", json!({ name: value })).await.ok();
}
