//! Automatic payments through a plugin, on a separate server.

use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_plugin_runtime::BuiltInPlugins;
use agio_sandbox_chain::chain::Output;
use agio_sandbox_chain::{SandboxChain, Service};
use agio_test_app::{Database, Engine, TestApp, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

use super::Recorder;

const ADMIN: &str = "/api/admin/v1/payments";

/// A customer who exchanges BTC for ETH, and the payment address.
async fn order(app: &TestApp, email: &str) -> (TestClient, Value, String) {
    let id = |code: &str| app.server.calculator.market().currency_named(code).expect("the demonstration has it").id();
    let query = QuoteRequest::anonymous(id("BTC"), id("ETH"), "0.01".parse().unwrap());
    let receive = app.server.calculator.agree(&query).expect("the pair is open").receive.to_string();
    let refund = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
    let order = json!({
        "email": email, "fromPs": query.from, "toPs": query.to, "fromSumma": "0.01", "toSumma": receive,
        "fromRequisites": { "refundAddress": refund }, "toRequisites": { "address": "0x52908400098527886E0F7030069857D2E4169EE7" },
    });
    let customer = app.visitor();
    let created = customer.post("/api/v1/claim/", order).await.ok();
    let path = format!("/api/v1/claim/{}", created["id"].as_str().unwrap());
    customer.post(&format!("{path}/confirm/"), json!({})).await.ok();
    let address = customer.get(&format!("{path}/requisite/")).await.ok()["value"].as_str().unwrap().to_owned();
    (customer, created, address)
}

/// A payout from an empty wallet, an unexpected payment, and a refund.
pub async fn make_automatic_payments(recorder: &mut Recorder) {
    let net = Service::start(7, 1_000_000, "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let database = Database::with_market(Engine::Sqlite).await;
    let plugins = |executor| BuiltInPlugins::new(executor).with(SandboxChain, &[("url", &net.url)]);
    let app = TestApp::start_with_plugins(database, |_| {}, plugins).await;
    let owner = app.owner().await;
    let route = json!({
        "revision": 0, "driver": "sandbox-chain", "enabled": true, "confirmations": 2, "dust": "0.00000546", "autoPayout": true,
        "claimLimit": "0.5", "dayLimit": "5",
    });
    for code in ["BTC", "ETH"] {
        let id = app.server.calculator.market().currency_named(code).expect("the demonstration has it").id();
        recorder.call(&owner, "setPaymentRoute", Method::PUT, &format!("{ADMIN}/routes/{id}"), Some(route.clone())).await;
    }
    let passes = async |blocks: u64| {
        net.chain("BTC", |chain| chain.mine(blocks));
        app.advance_and_run_jobs(Duration::from_secs(11)).await;
        app.advance_and_run_jobs(Duration::from_secs(11)).await;
    };
    recorder.post(&owner, "closePayouts", &format!("{ADMIN}/payouts/close"), json!({})).await;
    recorder.post(&owner, "openPayouts", &format!("{ADMIN}/payouts/open"), json!({})).await;
    passes(0).await;
    let pay = |address: String| net.chain("BTC", |chain| chain.pay(vec![Output { address, units: 1_000_000 }]));
    let (_, _, paid) = order(&app, "ivan@example.com").await;
    pay(paid);
    passes(2).await;
    recorder.get(&owner, "listPaymentRoutes", ADMIN).await;
    let attempts = recorder.get(&owner, "listPaymentAttempts", &format!("{ADMIN}/attempts")).await;
    let attempt = format!("{ADMIN}/attempts/{}", attempts[0]["id"].as_str().unwrap());
    let note = json!({ "note": "The wallet was empty; it is filled now." });
    recorder.post(&owner, "retryPaymentAttempt", &format!("{attempt}/retry"), note).await;
    recorder.post(&owner, "checkPaymentAttempt", &format!("{attempt}/check"), json!({})).await;

    // The customer chooses, although the rate is unchanged.
    owner.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_bps": "0" })).await.ok();
    let (customer, waiting, _) = order(&app, "olga@example.com").await;
    let stray = net.chain("BTC", |chain| chain.address("nobody"));
    pay(stray);
    passes(2).await;
    let movements = recorder.get(&owner, "listPaymentMovements", &format!("{ADMIN}/movements")).await;
    let path = format!("/api/v1/claim/{}", waiting["id"].as_str().unwrap());
    customer.post(&format!("{path}/cancel/"), json!({})).await.ok();
    let attach = format!("{ADMIN}/movements/{}/attach", movements[0]["id"]);
    recorder.post(&owner, "attachPaymentMovement", &attach, json!({ "claim": waiting["publicId"] })).await;
    passes(2).await;
    let back = json!({ "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
    customer.post(&format!("{path}/refund/"), back).await.ok();
    let refund = format!("{ADMIN}/claims/{}/refund", waiting["id"].as_str().unwrap());
    recorder.post(&owner, "sendClaimRefund", &refund, json!({})).await;
}
