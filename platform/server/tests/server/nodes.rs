//! Two nodes on one PostgreSQL.

use std::time::Duration;

use agio_core::events::ChangeEvent;
use agio_core::identity::Role;
use agio_test_app::{Database, Engine, TestApp, TestCustomer};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;

/// Waits until a node gets an event.
pub async fn wait_for_event(notices: &mut Receiver<ChangeEvent>, of: impl Fn(&ChangeEvent) -> bool) {
    let heard = async {
        loop {
            let notice = notices.recv().await.expect("the node goes on");
            if of(&notice) {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), heard).await.expect("the other node learns of it");
}

fn of_code<'a>(rows: &'a Value, code: &str) -> &'a Value {
    rows.as_array().unwrap().iter().find(|row| row["code"] == code).expect("the demonstration has it")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_at_one_node_reach_the_other() {
    let here = TestApp::start(Engine::Postgres).await;
    let there = here.another_node().await;
    let mut news = there.server.platform.events.subscribe();
    let (owner, visitor) = (here.owner().await, there.visitor());

    let currencies = owner.get("/api/admin/v1/currencies").await.ok();
    let bitcoin = of_code(&currencies, "BTC")["id"].as_i64().unwrap();
    let deposit = json!({ "amount": "1", "reason": "deposit", "note": "" });
    owner.post(&format!("/api/admin/v1/reserves/{bitcoin}/movements"), deposit).await.ok();
    wait_for_event(&mut news, |notice| *notice == ChangeEvent::Reserve(bitcoin)).await;
    assert_eq!(here.server.ledger.reserves().available(bitcoin), there.server.ledger.reserves().available(bitcoin));

    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let (pair, from, to) = (&pairs[0]["id"], &pairs[0]["giveId"], &pairs[0]["receiveId"]);
    let course = format!("/api/v1/calculator/course/{from}/{to}/");
    let before = visitor.get(&course).await.ok();
    let change = json!({ "revision": pairs[0]["revision"], "spreadPercent": "7.5" });
    owner.patch(&format!("/api/admin/v1/pairs/{pair}"), change).await.ok();
    wait_for_event(&mut news, |notice| *notice == ChangeEvent::Market).await;
    let after = visitor.get(&course).await.ok();
    assert_ne!(before, after);
    assert_eq!(after, here.visitor().get(&course).await.ok());

    owner.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    wait_for_event(&mut news, |notice| *notice == ChangeEvent::TechnicalMode(true)).await;
    assert_eq!(visitor.get("/api/v1/calculator/tech/").await.ok()["technicalMode"]["on"], true);
}

/// The console switches on a source and then its plugin. A load balancer may send the two calls to two nodes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rate_source_is_switched_on_at_one_node_and_its_plugin_at_another() {
    let here = TestApp::start_with_configured_plugins(Database::with_market(Engine::Postgres).await, |_| {}).await;
    let there = here.another_node().await;
    let (owner, elsewhere) = (here.owner().await, there.owner().await);
    let (path, sources) = ("/api/admin/v1/rates/sources/binance", "/api/admin/v1/rates/sources");
    let binance = |sources: &Value| sources.as_array().unwrap().iter().find(|source| source["name"] == "binance").cloned();
    assert_eq!(binance(&owner.get(sources).await.ok()), None);
    let on = json!({ "revision": 0, "enabled": true });
    owner.put(&format!("{sources}/sandbox-chain"), on.clone()).await.refused(404, "rate_source_unknown");
    owner.put(path, on.clone()).await.ok();
    elsewhere.patch("/api/admin/v1/plugins/binance", on).await.ok();
    let source = binance(&elsewhere.get(sources).await.ok()).unwrap();
    assert_eq!((&source["title"], &source["enabled"]), (&json!("Binance"), &json!(true)));
    // What was left out is as for a new source, and stays.
    assert_eq!((&source["everySeconds"], &source["maxAgeSeconds"], &source["priority"]), (&json!(60), &json!(300), &json!(100)));
    let often = json!({ "revision": source["revision"], "enabled": true, "everySeconds": 30 });
    let often = binance(&elsewhere.put(path, often).await.ok()).unwrap();
    let off = json!({ "revision": often["revision"], "enabled": false });
    let off = binance(&elsewhere.put(path, off).await.ok()).unwrap();
    assert_eq!((&off["enabled"], &off["everySeconds"]), (&json!(false), &json!(30)));
}

/// A load balancer may send the next request of a browser to another node than the sign-in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_start_and_end_at_all_nodes_at_once() {
    let here = TestApp::start(Engine::Postgres).await;
    let there = here.another_node().await;
    let mut news = there.server.platform.events.subscribe();

    let mut anna = TestCustomer::registered(&here, "anna@example.com").await;
    for _ in 0..5 {
        anna.sign_in().await.ok();
        anna.caller.clone().at_node(&there.root).get("/api/v1/users/me/").await.ok();
    }
    for role in [Role::Owner, Role::Operator] {
        let unconfirmed = here.staff_unconfirmed(role).await;
        unconfirmed.at_node(&there.root).get("/api/admin/v1/auth/me").await.ok();
    }
    // The confirmation of a session counts at the other node too.
    let owner = here.owner().await.at_node(&there.root);
    let settings = json!({ "approvals.two_person": false });
    owner.put("/api/admin/v1/settings", settings).await.ok();

    // The session ends at the other node long before its token expires.
    let mut phone = TestCustomer { caller: here.visitor(), email: anna.email.clone(), password: anna.password.clone() };
    phone.sign_in().await.ok();
    let calls = || async { phone.caller.clone().at_node(&there.root).get("/api/v1/users/me/").await.status };
    assert_eq!(calls().await, 200);
    assert_eq!(anna.caller.delete("/api/v1/users/me/sessions/").await.status, 204);
    while calls().await != 401 {
        wait_for_event(&mut news, |notice| *notice == ChangeEvent::Sessions).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_of_requests_is_shared_by_all_nodes() {
    let database = Database::with_market(Engine::Postgres).await;
    let here = TestApp::start_with(database, |config| config.server.calls_per_minute = 6).await;
    let allowed = async |app: &TestApp, address: &str| {
        let visitor = app.visitor().from_address(address);
        let mut allowed = 0;
        while visitor.get("/api/v1/calculator/tech/").await.status != 429 {
            allowed += 1;
        }
        allowed
    };
    here.advance_and_run_jobs(Duration::from_secs(5)).await;
    assert_eq!(allowed(&here, "203.0.113.1").await, 6);
    let (second, third) = (here.another_node().await, here.another_node().await);
    for node in [&here, &second, &third] {
        node.advance_and_run_jobs(Duration::from_secs(5)).await;
        assert_eq!(allowed(node, "203.0.113.2").await, 2);
    }
}
