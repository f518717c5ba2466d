//! A contest from creation to the last prize.

use std::process::Command;

use agio_contest::model::published_draw::PublishedDraw;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{
    BLOCK, CONTESTS, advance_days, complete_exchange, currency, draw_with_approval, enable_contests, overview, plan, request_draw,
};

async fn file(app: &TestApp, id: &str) -> Value {
    app.visitor().get(&format!("/en/api/v1/contest/{id}/draw/")).await.ok()
}

/// The verdict of an independent program.
fn verdict(draw: &Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draw.json");
    std::fs::write(&path, draw.to_string()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/draw/check.py");
    let answer = Command::new("python3").arg(script).arg(&path).output().expect("python3 is here");
    String::from_utf8(answer.stdout).unwrap().trim().to_owned()
}

async fn a_contest_from_its_plan_to_the_last_prize(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    assert_eq!(overview(&app).await["on"], false, "switched off by default");
    enable_contests(&owner).await;
    let created = owner.post_idempotent(CONTESTS, "contest-0001", plan(&app, &["300", "100.5"])).await.ok();
    let id = created["id"].as_str().unwrap().to_owned();
    let planned = overview(&app).await["current"].clone();
    assert_eq!(
        (&planned["state"], &planned["title"], &planned["volumePerTicket"]),
        (&json!("planned"), &json!("Spring draw"), &json!("100"))
    );
    let commitment = planned["commitment"].clone();
    assert_eq!(commitment.as_str().unwrap().len(), 64, "the digest of the secret is public before the period begins");

    // An exchange before the period does not enter.
    complete_exchange(&app, &owner, "early@example.com", "0.01").await;
    let owner = advance_days(&app, 1).await;
    let (_, ivan) = complete_exchange(&app, &owner, "ivan@example.com", "0.02").await;
    complete_exchange(&app, &owner, "anna@example.com", "0.01").await;
    complete_exchange(&app, &owner, "anna@example.com", "0.003").await;
    // Less than 100: no ticket.
    complete_exchange(&app, &owner, "small@example.com", "0.001").await;
    let running = overview(&app).await["current"].clone();
    assert_eq!((&running["state"], &running["entries"], &running["participants"]), (&json!("running"), &json!(3), &json!(2)));
    let leader = &running["ranking"][0];
    assert_eq!((&leader["name"], &leader["tickets"]), (&json!("i***@e***.com"), &json!(13)), "0.02 BTC is some 1391 USDT");
    app.visitor().get(&format!("/api/v1/contest/{id}/draw/")).await.refused(409, "contest_not_closed");
    assert!(!running.to_string().contains("ivan@"), "nobody is named");

    let owner = advance_days(&app, 7).await;
    let closed = file(&app, &id).await;
    assert_eq!((closed["entrants"].as_array().unwrap().len(), &closed["secret"]), (3, &json!(null)));
    assert_eq!(overview(&app).await["current"]["entrantsSha256"], closed["entrantsSha256"]);
    complete_exchange(&app, &owner, "late@example.com", "0.01").await;
    request_draw(&owner, &id, BLOCK).await.refused(409, "contest_too_early");
    let owner = advance_days(&app, 1).await;
    // A second person must always approve the public randomness.
    let proposed = request_draw(&owner, &id, BLOCK).await;
    assert_eq!(proposed.status, 202, "{}", proposed.text);
    let approval = proposed.ok();
    assert_eq!(approval["kind"], "contest_draw");
    assert!(approval.to_string().contains(BLOCK) && approval.to_string().contains("mempool.space"), "{approval}");
    assert_eq!(request_draw(&owner, &id, BLOCK).await.ok()["id"], approval["id"], "the same key proposes once");
    let published = file(&app, &id).await;
    assert_eq!((&published["secret"], &published["publicValue"]), (&json!(null), &json!(null)));
    let approve = format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap());
    owner.post_empty(&approve).await.refused(403, "approval_own");
    app.operator().await.post_empty(&approve).await.refused(403, "forbidden");
    app.staff(agio_core::identity::Role::Editor).await.post_empty(&approve).await.ok();
    let view = owner.get(CONTESTS).await.ok()["items"][0].clone();
    assert_eq!((&view["state"], &view["publicValue"]), (&json!("drawn"), &json!(BLOCK)));

    let published = file(&app, &id).await;
    assert_eq!((&published["commitment"], &published["publicValue"]), (&commitment, &json!(BLOCK)));
    assert_eq!(published["entrants"], closed["entrants"]);
    let read: PublishedDraw = serde_json::from_value(published.clone()).unwrap();
    assert_eq!(read.faults(), []);
    assert_eq!(verdict(&published), "right");
    assert_eq!(published["winners"].as_array().unwrap().len(), 2, "two people, two prizes");
    assert!(published["winners"].as_array().unwrap().contains(&json!(ivan)));
    let past = &overview(&app).await["past"][0];
    assert_eq!((&past["state"], &past["prizes"][0]["amount"]), (&json!("drawn"), &json!("300")));
    assert!(past["prizes"][0]["winner"]["name"].as_str().unwrap().contains("***@e***.com"));

    // Winners are e-mailed and their prizes are booked.
    let sent_email = app.emails_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(sent_email.kind, "contest_won");
    assert!(sent_email.text.contains("USDTTRC20") && sent_email.text.contains(&ivan.to_string()), "{}", sent_email.text);
    app.assert_ledger_is_clean().await;
    let tether = currency(&app, "USDTTRC20");
    let before = app.server.ledger.reserves().available(tether).units;
    let pay = |place: i64| format!("{CONTESTS}/{id}/prizes/{place}/pay");
    let note = json!({ "note": "Sent to the address of their e-mail" });
    owner.post_idempotent(&pay(1), "prize-0001", note.clone()).await.ok();
    owner.post_idempotent(&pay(1), "prize-0001", note.clone()).await.ok();
    owner.post(&pay(1), note.clone()).await.refused(409, "prize_paid");
    assert_eq!(app.server.ledger.reserves().available(tether).units, before - 300_000_000, "300 left the reserve, once");
    assert_eq!(owner.post(&pay(2), note.clone()).await.ok()["state"], "paid");
    owner.post(&pay(3), note).await.refused(404, "prize_not_found");
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "site.contest": false })).await.ok();
    assert_eq!(overview(&app).await["past"], json!([]));
    app.visitor().get(&format!("/api/v1/contest/{id}/draw/")).await.refused(404, "contest_not_found");
}

async fn a_reversed_exchange_wins_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    enable_contests(&owner).await;
    let created = owner.post(CONTESTS, plan(&app, &["10", "5"])).await.ok();
    let id = created["id"].as_str().unwrap().to_owned();
    let owner = advance_days(&app, 1).await;
    let (gone, _) = complete_exchange(&app, &owner, "gone@example.com", "0.01").await;
    let (late, late_number) = complete_exchange(&app, &owner, "late@example.com", "0.01").await;
    let (kept, stored) = complete_exchange(&app, &owner, "kept@example.com", "0.01").await;
    reverse_exchange(&app, &gone).await;
    assert_eq!(overview(&app).await["current"]["entries"], 2);
    let owner = advance_days(&app, 7).await;
    reverse_exchange(&app, &late).await;
    let closed = file(&app, &id).await;
    assert_eq!(closed["entrants"].as_array().unwrap().len(), 2, "the list stays as it was fixed");
    assert_eq!(closed["void"], json!([late_number]));
    drop(owner);
    let owner = advance_days(&app, 1).await;
    draw_with_approval(&app, &owner, &id, BLOCK).await.ok();
    let published = file(&app, &id).await;
    assert_eq!(published["winners"], json!([stored]));
    assert_eq!(verdict(&published), "right");
    reverse_exchange(&app, &late).await;
    assert_eq!(file(&app, &id).await, published, "what is drawn stays drawn");

    // Nor is a prize paid whose exchange is reversed after the draw.
    reverse_exchange(&app, &kept).await;
    assert_eq!(file(&app, &id).await, published);
    let pay = format!("{CONTESTS}/{id}/prizes/1/pay");
    owner.post(&pay, json!({ "note": "Sent" })).await.refused(409, "prize_exchange_reversed");
    app.assert_ledger_is_clean().await;
}

/// Reverses a completed exchange.
async fn reverse_exchange(app: &TestApp, claim: &str) {
    use agio_contracts::{CompletedExchange, ExchangeListener as _};
    let (contests, at) = (app.server.contests.clone(), app.now());
    let exchange = CompletedExchange {
        claim: claim.parse().unwrap(),
        number: 0,
        customer: None,
        partner: None,
        email: String::new(),
        locale: agio_core::texts::Locale::Ru,
        referral: None,
        guest_digest: String::new(),
        address_digest: String::new(),
        payout_digest: None,
        give: agio_core::Amount::of_units(1, agio_core::CurrencyUnit::new(1, 8)),
        receive: agio_core::Amount::of_units(1, agio_core::CurrencyUnit::new(2, 8)),
        earned: agio_core::Amount::of_units(0, agio_core::CurrencyUnit::new(2, 8)),
        reference_value: None,
        created_at: at,
        at,
    };
    let exchange = std::sync::Arc::new(exchange);
    let work = app.server.platform.db.write(move |tx| {
        let (contests, exchange) = (contests.clone(), exchange.clone());
        Box::pin(async move { contests.exchange_reversed(tx, &exchange).await })
    });
    work.await.unwrap();
}

async fn a_secret_that_is_not_the_one_committed_to_draws_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    enable_contests(&owner).await;
    let created = owner.post_idempotent(CONTESTS, "contest-0001", plan(&app, &["300"])).await.ok();
    let id = created["id"].as_str().unwrap().to_owned();
    let owner = advance_days(&app, 1).await;
    complete_exchange(&app, &owner, "ivan@example.com", "0.02").await;
    let owner = advance_days(&app, 8).await;
    let swap = |sql: &'static str| app.server.platform.db.write(move |tx| Box::pin(async move { agio_core::execute!(tx, sql) }));
    swap("UPDATE contest SET commitment = 'f' || SUBSTR(commitment, 1, 63)").await.unwrap();
    assert_eq!(draw_with_approval(&app, &owner, &id, BLOCK).await.status, 500);
    let view = file(&app, &id).await;
    assert_eq!((&view["secret"], &view["winners"]), (&json!(null), &json!([])), "nothing is revealed and nobody wins");
}

both_engines!(
    a_contest_from_its_plan_to_the_last_prize,
    a_reversed_exchange_wins_nothing,
    a_secret_that_is_not_the_one_committed_to_draws_nothing,
);
