//! Who is told, and when.

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{WAITLIST, ask, id_in, kinds, run_jobs, set_reserve, solve_captcha, wait_for};

const ANNA: &str = "anna@example.com";
const TOLD: [&str; 2] = ["waitlist_confirmation", "waitlist_notification"];

async fn a_visitor_is_told_once_when_there_is_a_reserve(engine: Engine) {
    let app = TestApp::start(engine).await;
    set_reserve(&app, "0").await;
    let visitor = app.visitor();
    let captcha = solve_captcha(&visitor).await;
    let request = json!({ "email": ANNA, "give": "btc", "receive": "SBERRUB", "recaptcha": captcha });
    assert_eq!(visitor.post(&format!("/en{WAITLIST}"), request).await.status, 202);
    let [email] = app.emails_to(ANNA).await.try_into().unwrap();
    assert!(email.subject.starts_with("Shall we tell you about Bitcoin → "), "{}", email.subject);
    let id = id_in(&email);
    set_reserve(&app, "900000").await;
    run_jobs(&app).await;
    assert_eq!(kinds(&app, ANNA).await, TOLD[..1], "the address is not confirmed");

    set_reserve(&app, "0").await;
    let path = format!("{WAITLIST}{id}/");
    let entry = visitor.get(&path).await.ok();
    assert_eq!((&entry["state"], &entry["give"], &entry["amount"]), (&json!("pending"), &json!("BTC"), &Value::Null));
    for _ in 0..2 {
        assert_eq!(visitor.post_empty(&format!("{path}confirm/")).await.ok()["state"], "confirmed");
    }
    run_jobs(&app).await;
    assert_eq!(kinds(&app, ANNA).await, TOLD[..1], "there is no reserve");

    set_reserve(&app, "900000").await;
    for _ in 0..2 {
        run_jobs(&app).await;
    }
    let emails = app.emails_to(ANNA).await;
    assert_eq!(emails.iter().map(|email| email.kind.as_str()).collect::<Vec<_>>(), TOLD);
    assert!(emails[1].text.contains("/en/?cur_from=BTC&cur_to=SBERRUB"), "{}", emails[1].text);
    assert_eq!(visitor.get(&path).await.ok()["state"], "notified");
    assert_eq!(visitor.post_empty(&format!("{path}confirm/")).await.ok()["state"], "notified");
}

async fn an_amount_waits_until_it_can_be_received(engine: Engine) {
    let app = TestApp::start(engine).await;
    // The published maximum is rounded, and below the reserve.
    set_reserve(&app, "110000").await;
    let refused = ask(&app.visitor(), ANNA, json!({ "amount": "100000" })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["give"][0]["code"], "waitlist_already_met", "{refused}");
    wait_for(&app, ANNA, json!({ "amount": "150000" })).await;
    set_reserve(&app, "149999").await;
    run_jobs(&app).await;
    assert_eq!(kinds(&app, ANNA).await, TOLD[..1]);
    set_reserve(&app, "160000").await;
    run_jobs(&app).await;
    assert_eq!(kinds(&app, ANNA).await, TOLD);
}

async fn a_rate_waits_until_it_is_reached(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let (give, receive) = (id("BTC"), id("SBERRUB"));
    let pair = pairs.as_array().unwrap().iter().find(|pair| pair["giveId"] == give && pair["receiveId"] == receive).unwrap();
    let set_rate = async |rate: &str| {
        let set = json!({ "source": "manual", "manualRate": rate, "spreadPercent": "0" });
        owner.post("/api/admin/v1/pairs/bulk", json!({ "ids": [pair["id"]], "set": set })).await.ok();
    };
    set_rate("5000000").await;
    wait_for(&app, ANNA, json!({ "rate": "5000001" })).await;
    let counts = owner.get("/api/admin/v1/waitlist").await.ok();
    assert_eq!(counts.as_array().unwrap().len(), 1, "{counts}");
    assert_eq!(
        (&counts[0]["receive"], &counts[0]["waiting"], &counts[0]["waitingForRate"]),
        (&json!("SBERRUB"), &json!(1), &json!(1))
    );
    run_jobs(&app).await;
    assert_eq!(kinds(&app, ANNA).await, TOLD[..1]);
    set_rate("5000001").await;
    run_jobs(&app).await;
    assert_eq!(kinds(&app, ANNA).await, TOLD);
    assert_eq!(owner.get("/api/admin/v1/waitlist").await.ok(), json!([]));
}

/// A mail program unsubscribes with one POST, and nothing else of this mailbox is sent.
async fn one_click_unsubscribes_the_mailbox(engine: Engine) {
    let app = TestApp::start(engine).await;
    set_reserve(&app, "0").await;
    let first = wait_for(&app, ANNA, json!({})).await;
    let second = wait_for(&app, "Anna+x@example.com", json!({ "amount": "5" })).await;
    let other = wait_for(&app, "boris@example.com", json!({})).await;
    let visitor = app.visitor();
    let path = format!("{WAITLIST}{first}/unsubscribe");
    for _ in 0..2 {
        let form = visitor.post_raw(&path, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click").await;
        assert_eq!(form.status, 204, "{}", form.text);
    }
    for gone in [&first, &second] {
        visitor.get(&format!("{WAITLIST}{gone}/")).await.refused(404, "waitlist_entry_not_found");
        visitor.post_empty(&format!("{WAITLIST}{gone}/confirm/")).await.refused(404, "waitlist_entry_not_found");
    }
    set_reserve(&app, "900000").await;
    run_jobs(&app).await;
    assert_eq!(kinds(&app, ANNA).await, TOLD[..1]);
    assert_eq!(kinds(&app, "boris@example.com").await, TOLD);
    assert_eq!(visitor.get(&format!("{WAITLIST}{other}/")).await.ok()["state"], "notified");
}

both_engines!(
    a_visitor_is_told_once_when_there_is_a_reserve,
    an_amount_waits_until_it_can_be_received,
    a_rate_waits_until_it_is_reached,
    one_click_unsubscribes_the_mailbox,
);
