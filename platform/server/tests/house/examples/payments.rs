//! Payments through a plugin, in a house of their own.

use std::time::Duration;

use agio_core::needs::{Asked, Quotes as _};
use agio_plugin_host::BuiltIn;
use agio_sandbox_chain::chain::Output;
use agio_sandbox_chain::{SandboxChain, Service};
use agio_testkit::{Caller, Database, Engine, House};
use reqwest::Method;
use serde_json::{Value, json};

use super::Recorder;

const DESK: &str = "/api/admin/v1/payments";

/// A customer who exchanges bitcoin for ether, and where they are to pay.
async fn order(house: &House, email: &str) -> (Caller, Value, String) {
    let id = |code: &str| house.app.calculator.market().currency_named(code).expect("the demonstration has it").id();
    let asked = Asked::plainly(id("BTC"), id("ETH"), "0.01".parse().unwrap());
    let receive = house.app.calculator.agree(&asked).expect("the pair is open").receive.to_string();
    let refund = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
    let order = json!({
        "email": email, "fromPs": asked.from, "toPs": asked.to, "fromSumma": "0.01", "toSumma": receive,
        "fromRequisites": { "refundAddress": refund }, "toRequisites": { "address": "0x52908400098527886E0F7030069857D2E4169EE7" },
    });
    let customer = house.customer();
    let made = customer.post("/api/v1/claim/", order).await.ok();
    let path = format!("/api/v1/claim/{}", made["id"].as_str().unwrap());
    customer.post(&format!("{path}/confirm/"), json!({})).await.ok();
    let address = customer.get(&format!("{path}/requisite/")).await.ok()["value"].as_str().unwrap().to_owned();
    (customer, made, address)
}

/// A payout that finds an empty wallet, money nobody waits for, and a refund.
pub async fn pay_by_plugins(recorder: &mut Recorder) {
    let net = Service::start(7, 1_000_000, "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let database = Database::furnished(Engine::Sqlite).await;
    let plugins = |hand| BuiltIn::new(hand).with(SandboxChain, &[("url", &net.url)]);
    let house = House::open_asking(database, |_| {}, plugins).await;
    let owner = house.owner().await;
    let route = json!({
        "revision": 0, "driver": "sandbox-chain", "enabled": true, "confirmations": 2, "dust": "0.00000546", "autoPayout": true,
        "claimLimit": "0.5", "dayLimit": "5",
    });
    for code in ["BTC", "ETH"] {
        let id = house.app.calculator.market().currency_named(code).expect("the demonstration has it").id();
        recorder.call(&owner, "setPaymentRoute", Method::PUT, &format!("{DESK}/routes/{id}"), Some(route.clone())).await;
    }
    let passes = async |blocks: u64| {
        net.chain("BTC", |chain| chain.mine(blocks));
        house.later(Duration::from_secs(11)).await;
        house.later(Duration::from_secs(11)).await;
    };
    passes(0).await;
    let pay = |address: String| net.chain("BTC", |chain| chain.pay(vec![Output { address, units: 1_000_000 }]));
    let (_, _, paid) = order(&house, "ivan@example.com").await;
    pay(paid);
    passes(2).await;
    recorder.get(&owner, "getPayments", DESK).await;
    let attempts = recorder.get(&owner, "listPaymentAttempts", &format!("{DESK}/attempts")).await;
    let attempt = format!("{DESK}/attempts/{}", attempts[0]["id"].as_str().unwrap());
    let note = json!({ "note": "The wallet was empty; it is filled now." });
    recorder.post(&owner, "retryPaymentAttempt", &format!("{attempt}/retry"), note).await;
    recorder.post(&owner, "askPaymentAttempt", &format!("{attempt}/ask"), json!({})).await;

    // The customer is to choose, although the rate stands.
    owner.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_hundredths": "0" })).await.ok();
    let (customer, waiting, _) = order(&house, "olga@example.com").await;
    let stray = net.chain("BTC", |chain| chain.address("nobody"));
    pay(stray);
    passes(2).await;
    let movements = recorder.get(&owner, "listPaymentMovements", &format!("{DESK}/movements")).await;
    let path = format!("/api/v1/claim/{}", waiting["id"].as_str().unwrap());
    customer.post(&format!("{path}/cancel/"), json!({})).await.ok();
    let attach = format!("{DESK}/movements/{}/attach", movements[0]["id"]);
    recorder.post(&owner, "attachPaymentMovement", &attach, json!({ "claim": waiting["publicId"] })).await;
    passes(2).await;
    let back = json!({ "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
    customer.post(&format!("{path}/refund/"), back).await.ok();
    let refund = format!("{DESK}/claims/{}/refund", waiting["id"].as_str().unwrap());
    recorder.post(&owner, "refundThroughDriver", &refund, json!({})).await;
}
