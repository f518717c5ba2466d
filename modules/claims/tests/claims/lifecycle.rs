//! The usual way of a claim, and its two short ends.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, Operator, TestCustomer, order, reserve, units};

async fn a_guest_exchanges_bitcoin_for_roubles(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (roubles, bitcoins) = (reserve(&app, "SBERRUB").await, reserve(&app, "BTC").await);
    let customer = TestCustomer::orders(&app, "0.01").await;
    assert!(customer.number > 100_000);

    let form = customer.look("form").await.ok();
    let receive = units(&form["to"]["amount"], 2);
    assert_eq!(form["owner"], true);
    assert_eq!(form["to"]["requisites"][0]["value"], "2200000000000004");
    assert_eq!(reserve(&app, "SBERRUB").await, (roubles.0 - receive, receive), "the payout is set aside");
    customer.look("requisite").await.refused(409, "not_awaiting_payment");

    let confirmed = customer.says("confirm", json!({ "termsVersion": "2" })).await.ok();
    assert_eq!((confirmed["status"].as_str(), confirmed["publicStatus"].as_str()), (Some("awaiting_payment"), Some("waiting")));
    let payment = customer.look("requisite").await.ok();
    assert_eq!(payment["amount"], "0.01");
    assert_eq!(payment["paymentUri"], format!("bitcoin:{}?amount=0.01", payment["value"].as_str().unwrap()));
    assert_eq!(customer.does("paid").await.ok()["actions"], json!(["upload"]));

    let operator = Operator::at(&app).await;
    let done = operator.completes(&customer.id).await;
    assert_eq!(done["status"], "completed");
    let status = customer.look("status").await.ok();
    assert_eq!((status["isFinal"].as_bool(), status["publicStatus"].as_str()), (Some(true), Some("finished")));
    assert_eq!(status["txOut"]["id"], format!("out-{}", customer.id));

    assert_eq!(reserve(&app, "SBERRUB").await, (roubles.0 - receive, 0), "paid out exactly once");
    assert_eq!(reserve(&app, "BTC").await, (bitcoins.0 + 1_000_000, 0), "received exactly once");
    let steps: Vec<&str> = done["timeline"].as_array().unwrap().iter().map(|step| step["action"].as_str().unwrap()).collect();
    assert_eq!(steps, ["create", "confirm", "paid", "payment_received", "take", "payout_sent", "complete"]);
    app.assert_ledger_is_clean().await;
}

async fn a_transaction_is_shown_in_the_explorer_of_the_owner(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = TestCustomer::orders(&app, "0.015").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let id = "c".repeat(64);
    Operator::at(&app).await.does(&customer.id, "payment_received", json!({ "txId": id })).await;
    let shown = async || customer.look("status").await.ok()["txIn"]["url"].clone();
    assert_eq!(shown().await, json!(format!("https://mempool.space/tx/{id}")));
    let owner = app.owner().await;
    let bitcoin = format!("/api/admin/v1/currencies/{}", app.server.calculator.market().currency_named("BTC").unwrap().id());
    let own = json!({ "explorer": "https://blocks.example/{tx}?from=exchange" });
    assert_eq!(owner.patch(&bitcoin, own.clone()).await.ok()["explorer"], own["explorer"]);
    assert_eq!(shown().await, json!(format!("https://blocks.example/{id}?from=exchange")));
    owner.patch(&bitcoin, json!({ "explorer": null })).await.ok();
    assert_eq!(shown().await, json!(format!("https://mempool.space/tx/{id}")));
}

async fn a_cancelled_claim_gives_everything_back(engine: Engine) {
    let app = TestApp::start(engine).await;
    let before = reserve(&app, "SBERRUB").await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    assert_eq!(taken_today(&app).await, "0.01");
    let cancelled = customer.does("cancel").await.ok();
    assert_eq!((cancelled["status"].as_str(), cancelled["publicStatus"].as_str()), (Some("cancelled"), Some("failed")));
    assert_eq!(customer.does("cancel").await.ok()["status"], "cancelled", "once more changes nothing");
    assert_eq!(reserve(&app, "SBERRUB").await, before);
    assert_eq!(taken_today(&app).await, "0");
    customer.does("confirm").await.refused(409, "transition_not_allowed");
    app.assert_ledger_is_clean().await;
}

/// How much was asked to be paid in bitcoin today.
async fn taken_today(app: &TestApp) -> String {
    let bitcoin = app.server.calculator.market().currency_named("BTC").unwrap().id();
    let pool = app.owner().await.get("/api/admin/v1/requisites").await.ok();
    let row = pool.as_array().unwrap().iter().find(|row| row["currencyId"] == bitcoin).unwrap().clone();
    row["usedToday"].as_str().unwrap().to_owned()
}

async fn what_nobody_confirms_or_pays_expires(engine: Engine) {
    let app = TestApp::start(engine).await;
    let before = reserve(&app, "SBERRUB").await;
    let left = TestCustomer::orders(&app, "0.01").await;
    let unpaid = TestCustomer::orders(&app, "0.02").await;
    let said_paid = TestCustomer::orders(&app, "0.03").await;
    unpaid.does("confirm").await.ok();
    said_paid.does("confirm").await.ok();
    said_paid.does("paid").await.ok();

    app.advance_and_run_jobs(Duration::from_secs(29 * 60)).await;
    assert_eq!((left.status().await.as_str(), unpaid.status().await.as_str()), ("created", "awaiting_payment"));
    unpaid.waits_too_long(&app).await;
    assert_eq!((left.status().await.as_str(), unpaid.status().await.as_str()), ("expired", "expired"));
    assert_eq!(said_paid.status().await, "payment_claimed", "what is said to be paid waits for an operator");

    Operator::at(&app).await.does(&said_paid.id, "reject", json!({ "reason": "payment_not_found" })).await;
    let rejected = said_paid.look("status").await.ok();
    assert_eq!(rejected["reason"]["code"], "payment_not_found");
    assert_ne!(rejected["reason"]["text"], "payment_not_found");
    assert_eq!(reserve(&app, "SBERRUB").await, before);
    app.assert_ledger_is_clean().await;
}

async fn terms_that_ran_out_are_made_anew_before_a_claim_is_confirmed(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.confirm_minutes": "120" })).await.ok();
    let customer = TestCustomer::orders(&app, "0.01").await;
    let before = customer.look("form").await.ok()["to"]["amount"].clone();
    customer.waits_too_long(&app).await;
    let owner = app.owner().await;
    worsen_the_rate(&app, &owner).await;

    let changed = customer.does("confirm").await.refused(409, "rate_changed");
    let after = customer.look("form").await.ok()["to"]["amount"].clone();
    assert!(units(&after, 2) < units(&before, 2));
    assert_eq!(changed["params"]["toSumma"], after);
    let detail = changed["detail"].as_str().unwrap();
    assert!(detail.contains(" 0,01 BTC ") && detail.ends_with(" RUB."), "both currencies are named: {detail}");
    assert_eq!(reserve(&app, "SBERRUB").await.1, units(&after, 2), "the hold is of the new size");
    assert_eq!(customer.does("confirm").await.ok()["status"], "awaiting_payment", "confirming once more agrees");
    app.assert_ledger_is_clean().await;
}

/// Takes some percent more from everybody who sends bitcoin for roubles.
pub async fn worsen_the_rate(app: &TestApp, owner: &agio_test_app::TestClient) {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let is_ours = |pair: &&Value| pair["giveId"] == id("BTC") && pair["receiveId"] == id("SBERRUB");
    let pair = pairs.as_array().unwrap().iter().find(is_ours).unwrap();
    let change = json!({ "revision": pair["revision"], "spreadPercent": "7.5" });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair["id"]), change).await.ok();
}

async fn another_visitor_with_the_link_sees_no_requisites(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    let other_visitor = customer.on_another_device(&app);
    let form = other_visitor.look("form").await.ok();
    assert_eq!(form["owner"], false);
    assert_eq!(form["email"], "c••••@example.com");
    assert_eq!(form["to"]["requisites"][0]["value"], "2200 •••• 0004");
    assert!(!form.to_string().contains("PETROV"));
    other_visitor.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.refused(403, "claim_owner_only");

    let nobody = app.visitor().get("/api/v1/claim/6f9619ff-8b86-4011-b42d-00c04fc964ff/status/").await;
    nobody.refused(404, "claim_not_found");
    let by_number = app.visitor().get(&format!("/api/v1/claim/{}/status/", customer.number)).await;
    assert!(by_number.status.is_client_error(), "the number opens nothing");
}

async fn one_key_is_one_claim(engine: Engine) {
    let app = TestApp::start(engine).await;
    let body = order(&app, "0.01", "ivan@example.com");
    let calls = (0..32).map(|_| {
        let (caller, body) = (app.visitor(), body.clone());
        tokio::spawn(async move { caller.post_idempotent("/api/v1/claim/", "the-same-key", body).await })
    });
    let mut answers = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        answers.push(call.await.unwrap());
    }
    let first = answers[0].text.clone();
    for answer in &answers {
        assert_eq!((answer.status.as_u16(), &answer.text), (201, &first));
        assert_eq!(answer.headers["set-cookie"], answers[0].headers["set-cookie"], "a repeated request returns the same owner");
    }
    let other = order(&app, "0.02", "ivan@example.com");
    app.visitor().post_idempotent("/api/v1/claim/", "the-same-key", other).await.refused(422, "idempotency_mismatch");
    let replayed = {
        app.advance_and_run_jobs(Duration::from_secs(60)).await;
        let owner = app.owner().await;
        worsen_the_rate(&app, &owner).await;
        app.visitor().post_idempotent("/api/v1/claim/", "the-same-key", body).await
    };
    assert_eq!(replayed.text, first, "the answer stays although the rate moved");
    let queue = Operator::at(&app).await.0.get("/api/admin/v1/claims").await.ok();
    assert_eq!(queue["counts"]["open"], 1);
}

async fn a_double_click_is_one_claim(engine: Engine) {
    let app = TestApp::start(engine).await;
    let body = order(&app, "0.01", "ivan@example.com");
    // Neither click has the cookie of the other's response, even if it is sent later.
    let (caller, clicks_again) = (app.visitor(), app.visitor());
    let (one, two) = tokio::join!(caller.post("/api/v1/claim/", body.clone()), clicks_again.post("/api/v1/claim/", body.clone()));
    let first = one.ok();
    assert_eq!(first, two.ok());
    app.advance_and_run_jobs(Duration::from_secs(6)).await;
    let later = caller.post("/api/v1/claim/", body).await.ok();
    assert_ne!(later["id"], first["id"]);
    let queue = Operator::at(&app).await.0.get("/api/admin/v1/claims").await.ok();
    assert_eq!(queue["counts"]["open"], 2, "the same order some seconds later is another claim");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_double_click_at_two_nodes_is_one_claim() {
    let app = TestApp::start(Engine::Postgres).await;
    let there = app.another_node().await;
    for email in ["ivan@example.com", "anna@example.com", "olga@example.com"] {
        let caller = app.visitor();
        let other = caller.clone().at_node(&there.root);
        let body = order(&app, "0.01", email);
        let (one, two) = tokio::join!(caller.post("/api/v1/claim/", body.clone()), other.post("/api/v1/claim/", body));
        let (one, two) = (one.ok(), two.ok());
        assert_eq!(one, two);
        let form = caller.get(&format!("/api/v1/claim/{}/form/", one["id"].as_str().unwrap())).await.ok();
        assert_eq!(form["owner"], true, "whichever answer came last, the browser has the claim's secret");
    }
    let queue = Operator::at(&app).await.0.get("/api/admin/v1/claims").await.ok();
    assert_eq!(queue["counts"]["open"], 3);
}

async fn a_page_that_listens_is_told_at_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    let request = customer.caller.request(reqwest::Method::GET, &customer.path("events"));
    let mut stream = request.send().await.unwrap();
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    assert!(next_event(&mut stream).await.contains(r#""status":"created""#));
    customer.does("confirm").await.ok();
    assert!(next_event(&mut stream).await.contains(r#""status":"awaiting_payment""#));
}

/// The next event of a stream, however it is cut into pieces.
async fn next_event(stream: &mut reqwest::Response) -> String {
    let mut event = String::new();
    while !event.ends_with("\n\n") {
        let piece = tokio::time::timeout(Duration::from_secs(10), stream.chunk()).await.expect("an event comes");
        event.push_str(std::str::from_utf8(&piece.unwrap().expect("the stream goes on")).unwrap());
    }
    event
}

both_engines!(
    a_guest_exchanges_bitcoin_for_roubles,
    a_transaction_is_shown_in_the_explorer_of_the_owner,
    a_cancelled_claim_gives_everything_back,
    what_nobody_confirms_or_pays_expires,
    terms_that_ran_out_are_made_anew_before_a_claim_is_confirmed,
    another_visitor_with_the_link_sees_no_requisites,
    one_key_is_one_claim,
    a_double_click_is_one_claim,
    a_page_that_listens_is_told_at_once,
);
