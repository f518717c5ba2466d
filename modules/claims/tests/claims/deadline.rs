//! The end of the agreed terms, reserves that are held for nothing, and transactions that pay once.

use std::collections::BTreeSet;
use std::time::Duration;

use agio_core::{Timestamp, fetch_one};
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, CARD, Operator, TestCustomer, order, pair, reserve, units};

const MINUTE: Duration = Duration::from_secs(60);

/// Changes the pair of bitcoin and roubles.
async fn sets_pair(app: &TestApp, mut change: Value) {
    let (owner, ours) = (app.owner().await, pair(app, "BTC", "SBERRUB", "0.01"));
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let found =
        pairs.as_array().unwrap().iter().find(|pair| pair["giveId"] == ours.from && pair["receiveId"] == ours.to).unwrap();
    change["revision"] = found["revision"].clone();
    owner.patch(&format!("/api/admin/v1/pairs/{}", found["id"]), change).await.ok();
}

/// The rate of bitcoin in roubles falls by nearly a half.
pub async fn the_rate_falls(app: &TestApp) {
    sets_pair(app, json!({ "spreadPercent": "45" })).await;
}

async fn settings(app: &TestApp, set: Value) {
    app.owner().await.put("/api/admin/v1/settings", set).await.ok();
}

fn picture() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::DynamicImage::ImageRgb8(image::RgbImage::new(8, 8)).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn instant(value: &Value) -> Timestamp {
    Timestamp::parse(value.as_str().expect("a moment is text")).unwrap()
}

/// How much was asked to be paid in bitcoin today.
async fn taken_today(app: &TestApp) -> String {
    let bitcoin = app.server.calculator.market().currency_named("BTC").unwrap().id();
    let pool = app.owner().await.get("/api/admin/v1/requisites").await.ok();
    let row = pool.as_array().unwrap().iter().find(|row| row["currencyId"] == bitcoin).unwrap().clone();
    row["usedToday"].as_str().unwrap().to_owned()
}

/// What counts against the share of the reserve of roubles, which is what the claims say.
async fn unproven(app: &TestApp) -> i64 {
    let roubles = app.server.calculator.market().currency_named("SBERRUB").unwrap().id();
    let mut tx = app.server.platform.db.read().await.unwrap();
    let counted = "SELECT units FROM unproven_share WHERE currency_id = $1";
    let summed = "SELECT CAST(COALESCE(SUM(receive_units), 0) AS BIGINT) FROM claim
        WHERE receive_id = $1 AND unproven_units > 0 AND hold_id IS NOT NULL AND received_units * 10 < give_units";
    let (counted,): (i64,) = fetch_one!(&mut tx, (i64,), counted, roubles).unwrap();
    let (summed,): (i64,) = fetch_one!(&mut tx, (i64,), summed, roubles).unwrap();
    assert_eq!(counted, summed, "what is counted is what is held");
    counted
}

async fn a_payment_that_was_reported_and_made_too_late_is_not_exchanged_at_the_old_rate(engine: Engine) {
    let app = TestApp::start(engine).await;
    let before = reserve(&app, "SBERRUB").await;
    let customer = TestCustomer::reports(&app, "0.01").await;
    let agreed = customer.look("form").await.ok()["to"]["amount"].clone();
    let end = instant(&customer.look("status").await.ok()["termsEnd"]);
    let seen = Operator::at(&app).await.sees(&customer.id).await;
    assert_eq!((&seen["terms"]["passed"], &seen["terms"]["withinTolerance"]), (&json!(false), &json!(true)));
    assert_eq!(seen["terms"]["movedPercent"], "0");

    app.advance_and_run_jobs(31 * MINUTE).await;
    assert!(app.now() >= end);
    the_rate_falls(&app).await;
    assert_eq!(customer.status().await, "payment_claimed", "a reported payment is waited for");
    let operator = Operator::at(&app).await;
    let terms = operator.sees(&customer.id).await["terms"].clone();
    assert_eq!((instant(&terms["end"]), &terms["passed"], &terms["withinTolerance"]), (end, &json!(true), &json!(false)));
    let moved: f64 = terms["movedPercent"].as_str().unwrap().parse().unwrap();
    assert!((-50.0..-30.0).contains(&moved), "{moved}");

    let booked = operator.does(&customer.id, "payment_received", json!({ "txId": "late" })).await;
    assert_eq!(booked["status"], "late_payment");
    let status = customer.look("status").await.ok();
    assert_eq!(status["received"], "0.01");
    let offer = &status["offer"];
    assert!(units(&offer["toSumma"], 2) < units(&agreed, 2) * 7 / 10, "{offer} for {agreed}");
    assert_eq!(reserve(&app, "SBERRUB").await, before, "the old terms hold nothing");
    customer.says("accept", json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] })).await.ok();
    assert_eq!(reserve(&app, "SBERRUB").await.1, units(&offer["toSumma"], 2));
    operator.pays_out(&customer.id).await;
    assert_eq!(reserve(&app, "SBERRUB").await, (before.0 - units(&offer["toSumma"], 2), 0));
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

/// What a direction says of late payments goes before what the exchange does.
async fn a_late_payment_is_tolerated_as_its_direction_says(engine: Engine) {
    let app = TestApp::start(engine).await;
    // The exchange's own tolerance is of two percent.
    for (percent, then, status) in [("10", "9", "paid"), ("0.5", "6", "late_payment")] {
        let late = json!({ "latePercent": percent, "amountFixed": null, "amountPercent": null });
        sets_pair(&app, json!({ "tolerance": late, "spreadPercent": "5" })).await;
        let customer = TestCustomer::reports(&app, "0.01").await;
        sets_pair(&app, json!({ "spreadPercent": then })).await;
        app.advance_and_run_jobs(31 * MINUTE).await;
        let operator = Operator::at(&app).await;
        assert_eq!(operator.does(&customer.id, "payment_received", json!({})).await["status"], status, "{percent}");
    }
    app.assert_ledger_is_clean().await;
}

async fn a_late_payment_is_exchanged_as_agreed_while_the_rate_barely_moved(engine: Engine) {
    let app = TestApp::start(engine).await;
    // All that is free is held for this claim: its own new terms need no more.
    let customer = TestCustomer::reports(&app, "0.01").await;
    let roubles = app.server.calculator.market().currency_named("SBERRUB").unwrap().id();
    let rest = reserve(&app, "SBERRUB").await.0;
    let all = json!({ "amount": format!("-{}.{:02}", rest / 100, rest % 100), "reason": "withdrawal", "note": "all of it" });
    app.owner().await.post(&format!("/api/admin/v1/reserves/{roubles}/movements"), all).await.ok();
    app.advance_and_run_jobs(31 * MINUTE).await;
    let operator = Operator::at(&app).await;
    let booked = operator.does(&customer.id, "payment_received", json!({})).await;
    assert_eq!(booked["status"], "paid");
    let steps: Vec<_> =
        booked["timeline"].as_array().unwrap().iter().map(|step| step["action"].as_str().unwrap().to_owned()).collect();
    assert_eq!(steps[3..], ["late_payment", "accept"], "{steps:?}");
    operator.pays_out(&customer.id).await;
    app.assert_ledger_is_clean().await;
}

async fn staff_date_what_no_network_shows(engine: Engine) {
    let app = TestApp::start(engine).await;
    settings(&app, json!({ "claims.captcha": "false" })).await;
    let all: Vec<TestCustomer> = {
        let mut all = Vec::new();
        for number in 0..9 {
            all.push(TestCustomer::reports(&app, &format!("0.01{number}")).await);
        }
        all
    };
    let [in_time, at_the_end, nonsense, seen_late, seen_in_time, other_amount, stopped, topped_late, topped_in_time] = &all[..]
    else {
        unreachable!("there are nine")
    };
    let end = instant(&in_time.look("status").await.ok()["termsEnd"]);
    let operator = Operator::at(&app).await;
    operator.does(&seen_in_time.id, "payment_seen", json!({ "txId": "seen-in-time" })).await;
    for (number, topped) in [topped_late, topped_in_time].into_iter().enumerate() {
        operator.does(&topped.id, "payment_seen", json!({ "txId": format!("first-part-{number}") })).await;
        operator.does(&topped.id, "amount_mismatch", json!({ "amount": "0.005" })).await;
    }
    let stop = json!({ "reason": "aml_check", "answerBy": "2024-03-28T23:00:00Z" });
    operator.does(&stopped.id, "hold", stop).await;
    app.advance_and_run_jobs(40 * MINUTE).await;
    the_rate_falls(&app).await;
    let operator = Operator::at(&app).await;
    let just_before = Timestamp(end.0 - 1).to_string();

    let done = operator.does(&in_time.id, "payment_received", json!({ "paidAt": just_before })).await;
    assert_eq!(
        (&done["status"], &done["terms"]["paidAt"]),
        (&json!("paid"), &json!(just_before)),
        "paid in time is paid as agreed"
    );
    let done = operator.does(&at_the_end.id, "payment_received", json!({ "paidAt": end.to_string() })).await;
    assert_eq!(done["status"], "late_payment");
    for (at, code) in [("2024-03-29T12:00:00Z", "moment_in_the_future"), ("2024-03-28T11:59:59Z", "paid_before_claim")] {
        let refused =
            operator.tries(&nonsense.id, "payment_received", json!({ "paidAt": at })).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["paidAt"][0]["code"], code);
    }
    operator.does(&seen_late.id, "payment_seen", json!({ "txId": "seen-late" })).await;
    assert_eq!(operator.does(&seen_late.id, "payment_received", json!({})).await["status"], "late_payment");
    assert_eq!(operator.does(&seen_in_time.id, "payment_received", json!({})).await["status"], "paid", "it came in time");
    operator.does(&other_amount.id, "payment_seen", json!({ "txId": "another-amount" })).await;
    let done = operator.does(&other_amount.id, "amount_mismatch", json!({ "amount": "0.008" })).await;
    assert_eq!((&done["status"], &done["payment"]["received"]), (&json!("late_payment"), &json!("0.008")));
    operator.does(&stopped.id, "release_hold", json!({ "note": "all is well" })).await;
    assert_eq!(
        operator.does(&stopped.id, "payment_received", json!({})).await["status"],
        "late_payment",
        "a stop ends no deadline"
    );

    operator.does(&topped_late.id, "payment_seen", json!({ "txId": "second-part-0" })).await;
    let done = operator.does(&topped_late.id, "payment_received", json!({})).await;
    assert_eq!(
        (&done["status"], &done["payment"]["received"]),
        (&json!("late_payment"), &json!("0.017")),
        "what is made up late is late"
    );
    operator.does(&topped_in_time.id, "payment_seen", json!({ "txId": "second-part-1", "paidAt": just_before })).await;
    assert_eq!(operator.does(&topped_in_time.id, "payment_received", json!({})).await["status"], "paid");
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn staff_do_not_call_a_payment_late_before_the_deadline(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customers = [TestCustomer::orders(&app, "0.01").await, TestCustomer::reports(&app, "0.02").await];
    customers[0].does("confirm").await.ok();
    let seen = TestCustomer::reports(&app, "0.03").await;
    let operator = Operator::at(&app).await;
    operator.does(&seen.id, "payment_seen", json!({ "txId": "in-time" })).await;
    let offers_late = |claim: &Value| claim["transitions"].as_array().unwrap().iter().any(|row| row["action"] == "late_payment");
    let came = |id: &str| json!({ "amount": "0.01", "txId": format!("late-{id}") });
    for customer in customers.iter().chain([&seen]) {
        let before = operator.sees(&customer.id).await;
        assert!(!offers_late(&before), "{before}");
        operator.tries(&customer.id, "late_payment", came(&customer.id)).await.refused(409, "transition_not_allowed");
        assert_eq!(operator.sees(&customer.id).await["status"], before["status"], "the agreed rate stays");
    }

    // A claim that ended has no deadline any more, and a report waits longer than the agreed rate.
    customers[0].does("cancel").await.ok();
    assert!(offers_late(&operator.sees(&customers[0].id).await));
    operator.does(&customers[0].id, "late_payment", came(&customers[0].id)).await;
    let end = instant(&customers[1].look("status").await.ok()["termsEnd"]);
    app.advance_and_run_jobs(40 * MINUTE).await;
    let operator = Operator::at(&app).await;
    let mut dated = came(&customers[1].id);
    dated["paidAt"] = Timestamp(end.0 - 1).to_string().into();
    operator.tries(&customers[1].id, "late_payment", dated.clone()).await.refused(409, "transition_not_allowed");
    assert!(!offers_late(&operator.sees(&seen.id).await), "it was seen in time");
    operator.tries(&seen.id, "late_payment", came(&seen.id)).await.refused(409, "transition_not_allowed");
    assert!(offers_late(&operator.sees(&customers[1].id).await));
    dated["paidAt"] = end.to_string().into();
    operator.does(&customers[1].id, "late_payment", dated).await;
    app.assert_ledger_is_clean().await;
}

async fn the_time_counts_from_the_quote_and_nothing_a_customer_does_moves_it(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut body = order(&app, "0.01", "quoted@example.com");
    let shown = app.visitor().get(&format!("/api/v1/calculator/pair/{}/{}", body["fromPs"], body["toPs"])).await.ok();
    let end = app.now().plus(MINUTE * u32::try_from(shown["holdMinutes"].as_u64().unwrap()).unwrap());
    body["quoteId"] = shown["quote"]["id"].clone();
    app.advance_clock(Duration::from_secs(50));
    let caller = app.visitor();
    let made = caller.post("/api/v1/claim/", body).await.ok();
    let customer = TestCustomer { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() };
    let terms_end = |status: Value| instant(&status["termsEnd"]);
    assert_eq!(terms_end(customer.look("status").await.ok()), end);
    app.advance_and_run_jobs(20 * MINUTE).await;
    let confirmed = customer.does("confirm").await.ok();
    assert_eq!((terms_end(confirmed.clone()), instant(&confirmed["expiresAt"])), (end, end));
    assert_eq!(instant(&customer.look("requisite").await.ok()["expiresAt"]), end);

    // Without a report the claim ends at that moment; after a report it waits for the payment, but the rate has ended.
    let silent = TestCustomer::orders(&app, "0.02").await;
    silent.does("confirm").await.ok();
    let said = customer.does("paid").await.ok();
    assert_eq!(terms_end(said), end);
    assert_eq!(instant(&customer.look("requisite").await.ok()["expiresAt"]), end);
    let silent_end = instant(&silent.look("status").await.ok()["termsEnd"]);
    app.advance_and_run_jobs(Duration::from_micros(u64::try_from(silent_end.0 - app.now().0 - 1).unwrap())).await;
    assert_eq!(silent.status().await, "awaiting_payment");
    app.advance_and_run_jobs(Duration::from_micros(1)).await;
    assert_eq!((silent.status().await.as_str(), customer.status().await.as_str()), ("expired", "payment_claimed"));
}

async fn a_reported_payment_nobody_sees_ends_after_a_notice(engine: Engine) {
    let app = TestApp::start(engine).await;
    let before = reserve(&app, "SBERRUB").await;
    let (nothing, with_receipt) = (TestCustomer::reports(&app, "0.01").await, TestCustomer::reports(&app, "0.02").await);
    let waiting = nothing.look("status").await.ok();
    let ends = instant(&waiting["claimEndsAt"]);
    assert_eq!((ends, &waiting["paymentMissing"]), (app.now().plus(120 * MINUTE), &json!(false)));
    with_receipt.caller.upload(&with_receipt.path("bill"), "paid.png", picture()).await.ok();
    assert_eq!(with_receipt.look("status").await.ok()["claimEndsAt"], json!(null), "a receipt is for an operator");

    app.advance_and_run_jobs(61 * MINUTE).await;
    let warned = nothing.look("status").await.ok();
    assert_eq!((&warned["paymentMissing"], instant(&warned["claimEndsAt"])), (&json!(true), ends));
    app.advance_and_run_jobs(MINUTE).await;
    let operator = Operator::at(&app).await;
    let email = operator.sees(&nothing.id).await["email"].as_str().unwrap().to_owned();
    let told =
        |mails: Vec<agio_test_app::ReceivedEmail>| mails.iter().filter(|mail| mail.kind == "claim_payment_missing").count();
    assert_eq!(told(app.emails_to(&email).await), 1, "once");
    assert_eq!(taken_today(&app).await, "0.03");

    app.advance_and_run_jobs(58 * MINUTE).await;
    assert_eq!((nothing.status().await.as_str(), with_receipt.status().await.as_str()), ("expired", "payment_claimed"));
    assert_eq!(nothing.look("status").await.ok()["reason"]["code"], "payment_not_found");
    assert_eq!(taken_today(&app).await, "0.02", "its limit is free again");
    let operator = Operator::at(&app).await;
    operator.does(&with_receipt.id, "reject", json!({ "reason": "payment_not_found" })).await;
    assert_eq!((reserve(&app, "SBERRUB").await, taken_today(&app).await), (before, "0".to_owned()));
    assert_eq!(unproven(&app).await, 0);
    let came = json!({ "amount": "0.01", "txId": "after-all" });
    operator.does(&nothing.id, "late_payment", came).await;
    assert_eq!(nothing.status().await, "paid", "money that comes anyway is not lost");

    sets_pair(&app, json!({ "reportedMinutes": 60 })).await;
    let quick = TestCustomer::reports(&app, "0.01").await;
    app.advance_and_run_jobs(61 * MINUTE).await;
    assert_eq!(quick.status().await, "expired", "each direction has a time of its own");
    sets_pair(&app, json!({ "reportedMinutes": 10 })).await;
    let early = TestCustomer::reports(&app, "0.01").await;
    let status = early.look("status").await.ok();
    assert_eq!(status["claimEndsAt"], status["termsEnd"], "a report does not shorten the time to pay");
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn what_ends_unpaid_gives_back_the_limit_of_its_details(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (refused, stopped, paid) = (
        TestCustomer::reports(&app, "0.01").await,
        TestCustomer::reports(&app, "0.02").await,
        TestCustomer::reports(&app, "0.04").await,
    );
    let operator = Operator::at(&app).await;
    assert_eq!(taken_today(&app).await, "0.07");
    operator.does(&refused.id, "reject", json!({ "reason": "payment_not_found" })).await;
    assert_eq!(taken_today(&app).await, "0.06");
    operator.does(&stopped.id, "hold", json!({ "reason": "aml_check", "answerBy": "2024-03-28T23:00:00Z" })).await;
    assert_eq!(taken_today(&app).await, "0.06");
    operator.does(&stopped.id, "reject", json!({ "reason": "payment_not_found" })).await;
    assert_eq!(taken_today(&app).await, "0.04");
    operator.does(&paid.id, "payment_received", json!({})).await;
    operator.does(&paid.id, "refund", json!({ "reason": "customer_asked" })).await;
    assert_eq!(taken_today(&app).await, "0.04", "what was paid was paid");
}

async fn what_is_only_reported_counts_in_the_limits(engine: Engine) {
    let app = TestApp::start(engine).await;
    settings(&app, json!({ "claims.unpaid_per_email": "2", "claims.unpaid_per_address": "4", "claims.captcha": "false" })).await;
    let mut same = Vec::new();
    for send in ["0.01", "0.011"] {
        let customer = TestCustomer::orders_as(&app, send, "same@example.com").await;
        for step in ["confirm", "paid"] {
            customer.does(step).await.ok();
        }
        same.push(customer);
    }
    let again = |send: &'static str, email: &'static str| {
        let (caller, body) = (app.visitor(), order(&app, send, email));
        async move { caller.post("/api/v1/claim/", body).await }
    };
    again("0.012", "same@example.com").await.refused(409, "too_many_open_claims");
    let operator = Operator::at(&app).await;
    operator.does(&same[0].id, "hold", json!({ "reason": "aml_check", "answerBy": "2024-03-28T23:00:00Z" })).await;
    again("0.013", "SAME@example.com").await.refused(409, "too_many_open_claims");
    for (send, email) in [("0.014", "one@example.com"), ("0.015", "two@example.com")] {
        again(send, email).await.ok();
    }
    again("0.016", "three@example.com").await.refused(409, "too_many_open_claims");
    operator.does(&same[1].id, "payment_received", json!({})).await;
    again("0.017", "same@example.com").await.ok();
    again("0.018", "three@example.com").await.refused(409, "too_many_open_claims");
    operator.does(&same[0].id, "reject", json!({ "reason": "payment_not_found" })).await;
    again("0.019", "three@example.com").await.ok();
}

/// Leaves so many units of roubles free.
async fn leaves_free(app: &TestApp, units: i64) {
    let roubles = app.server.calculator.market().currency_named("SBERRUB").unwrap().id();
    let spare = reserve(app, "SBERRUB").await.0 - units;
    let out =
        json!({ "amount": format!("-{}.{:02}", spare / 100, spare % 100), "reason": "withdrawal", "note": "to a cold place" });
    app.owner().await.post(&format!("/api/admin/v1/reserves/{roubles}/movements"), out).await.ok();
}

async fn a_claim_counts_as_unproven_until_a_tenth_is_paid(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = TestCustomer::reports(&app, "0.01").await;
    let held = unproven(&app).await;
    assert!(held > 0);
    let operator = Operator::at(&app).await;
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": "0.00000001", "txId": "dust" })).await;
    for (came, counted) in [("0.00099999", held), ("0.001", 0)] {
        assert_eq!(unproven(&app).await, held, "next comes {came}");
        operator.does(&customer.id, "payment_seen", json!({ "txId": came })).await;
        operator.does(&customer.id, "amount_mismatch", json!({ "amount": came })).await;
        assert_eq!(unproven(&app).await, counted, "{came}");
    }
    app.assert_ledger_is_clean().await;
}

async fn those_who_have_proven_nothing_hold_half_of_a_reserve_together(engine: Engine) {
    let app = TestApp::start(engine).await;
    settings(&app, json!({ "claims.captcha": "false" })).await;
    let known = TestCustomer::reports(&app, "0.01").await;
    let operator = Operator::at(&app).await;
    let each = units(&operator.completes(&known.id).await["to"]["amount"], 2);
    let known_email = operator.sees(&known.id).await["email"].as_str().unwrap().to_owned();
    leaves_free(&app, 4 * each).await;

    let others = [TestCustomer::reports(&app, "0.01").await, TestCustomer::reports(&app, "0.01").await];
    assert_eq!((reserve(&app, "SBERRUB").await, unproven(&app).await), ((2 * each, 2 * each), 2 * each));
    let refused = app.visitor().post("/api/v1/claim/", order(&app, "0.01", "third@example.com")).await;
    let refused = refused.refused(409, "reserve_share_full");
    assert_eq!((&refused["params"]["max"], &refused["params"]["currency"]), (&json!("0"), &json!("SBERRUB")));
    let text = refused["detail"].as_str().unwrap_or_default().to_owned();
    assert!(!text.contains('{'), "{text}");
    // An address anybody can type proves nothing. The same order within some seconds would be the first one's claim.
    app.advance_clock(MINUTE);
    app.visitor().post("/api/v1/claim/", order(&app, "0.01", &known_email)).await.refused(409, "reserve_share_full");
    known.caller.post("/api/v1/claim/", order(&app, "0.01", "whatever@example.com")).await.ok();
    assert_eq!((reserve(&app, "SBERRUB").await, unproven(&app).await), ((each, 3 * each), 2 * each));

    // What is paid is proven, and so its share is free for the next.
    Operator::at(&app).await.does(&others[0].id, "payment_received", json!({})).await;
    assert_eq!(unproven(&app).await, each);
    let third = TestCustomer::reports(&app, "0.01").await;
    assert_eq!(unproven(&app).await, 2 * each);
    Operator::at(&app).await.does(&third.id, "reject", json!({ "reason": "payment_not_found" })).await;
    others[1].caller.get(&others[1].path("status")).await.ok();
    assert_eq!(unproven(&app).await, each);
    settings(&app, json!({ "claims.unproven_share_percent": "1" })).await;
    app.visitor().post("/api/v1/claim/", order(&app, "0.01", "fourth@example.com")).await.refused(409, "reserve_share_full");
    settings(&app, json!({ "claims.unproven_share_percent": "100" })).await;
    app.visitor().post("/api/v1/claim/", order(&app, "0.01", "fourth@example.com")).await.ok();
    app.advance_and_run_jobs(300 * MINUTE).await;
    assert_eq!(unproven(&app).await, 0, "time gives everything back");
    app.assert_ledger_is_clean().await;
}

async fn an_exchange_proves_its_customer_for_ten_times_its_payout(engine: Engine) {
    let app = TestApp::start(engine).await;
    settings(&app, json!({ "claims.captcha": "false" })).await;
    let known = TestCustomer::reports(&app, "0.001").await;
    let each = units(&Operator::at(&app).await.completes(&known.id).await["to"]["amount"], 2);
    leaves_free(&app, 30 * each).await;
    settings(&app, json!({ "claims.unproven_share_percent": "1" })).await;
    known.caller.post("/api/v1/claim/", order(&app, "0.012", "known@example.com")).await.refused(409, "reserve_share_full");
    let larger = known.caller.post("/api/v1/claim/", order(&app, "0.009", "known@example.com")).await.ok();
    let larger = TestCustomer { id: larger["id"].as_str().unwrap().into(), ..known };
    // It proves them for what their claims hold together, whatever they report, until the money has arrived.
    for step in ["confirm", "paid"] {
        larger.does(step).await.ok();
    }
    larger.caller.upload(&larger.path("bill"), "paid.png", picture()).await.ok();
    let more = |send: &'static str| larger.caller.post("/api/v1/claim/", order(&app, send, "known@example.com"));
    more("0.003").await.refused(409, "reserve_share_full");
    Operator::at(&app).await.does(&larger.id, "payment_received", json!({})).await;
    app.advance_clock(MINUTE);
    more("0.003").await.ok();
    app.assert_ledger_is_clean().await;
}

async fn nobody_gets_past_the_limits_at_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    settings(&app, json!({ "claims.captcha": "false", "claims.unpaid_per_address": "0" })).await;
    let other = if engine == Engine::Postgres { Some(app.another_node().await) } else { None };
    let node = |number: usize| other.as_ref().filter(|_| number % 2 == 1).unwrap_or(&app);
    // The same request within some seconds is the same claim.
    let amounts: Vec<_> = (0..40).map(|number| format!("0.01{number:02}")).collect();
    let concurrent = |email: &dyn Fn(usize) -> String| {
        let calls = amounts.iter().enumerate().map(|(number, send)| {
            let (caller, body) = (node(number).visitor(), order(&app, send, &email(number)));
            tokio::spawn(async move { caller.post("/api/v1/claim/", body).await })
        });
        calls.collect::<Vec<_>>()
    };
    let mut taken = 0;
    for call in concurrent(&|_| "many@example.com".to_owned()) {
        let answer = call.await.unwrap();
        if answer.status.is_success() {
            taken += 1;
        } else {
            answer.refused(409, "too_many_open_claims");
        }
    }
    assert_eq!(taken, 10, "as many as one address may have");

    // A share of the reserve is exact for everybody.
    let held = unproven(&app).await;
    leaves_free(&app, 4 * held).await;
    let mut codes = BTreeSet::new();
    for call in concurrent(&|number| format!("concurrent{number}@example.com")) {
        let answer = call.await.unwrap();
        codes.insert(answer.json()["code"].as_str().unwrap_or("made").to_owned());
    }
    let (reserved, counted) = (reserve(&app, "SBERRUB").await, unproven(&app).await);
    let half = (reserved.0 + reserved.1) / 2;
    assert!(counted <= half && counted > half - held / 5, "{counted} of {half}");
    assert_eq!(codes, BTreeSet::from(["made".to_owned(), "reserve_share_full".to_owned()]));
    app.assert_ledger_is_clean().await;
}

async fn a_transaction_is_known_by_what_its_network_compares(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.captcha": "false" })).await.ok();
    let operator = Operator::at(&app).await;
    let id = "4A5E1E4BAAB89F3A32518A88C31BC87F618F76673E2CC77AB2127B7AFDEDA33B";
    let (one, two) = (TestCustomer::reports(&app, "0.01").await, TestCustomer::reports(&app, "0.02").await);
    operator.does(&one.id, "payment_received", json!({ "txId": format!(" {id}") })).await;
    for same in [
        id.to_lowercase(),
        format!("0x{id}"),
        format!("{} ", id.to_lowercase()),
        format!("{}\u{200b}", id),
        format!("{id} №7"),
        format!("https://mempool.space/tx/{}", id.to_lowercase()),
        format!("{id}:0"),
        format!("{id}#1"),
    ] {
        let refused =
            operator.tries(&two.id, "payment_received", json!({ "txId": same })).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["txId"][0]["code"], "payment_of_another_claim", "{same}");
    }
    for asked in [id.to_owned(), id.to_lowercase()] {
        let found = operator.0.get(&format!("/api/admin/v1/claims?q={asked}")).await.ok();
        assert_eq!(found["items"][0]["publicId"], json!(one.number), "{found}");
    }
    operator.does(&two.id, "payment_received", json!({ "txId": &id[1..] })).await;
    operator.pays_out(&two.id).await;
    let found = operator.0.get(&format!("/api/admin/v1/claims?q=OUT-{}", two.id)).await.ok();
    assert_eq!(found["items"][0]["publicId"], json!(two.number), "payouts are found in any case too");

    // Where case has a meaning, letters in another case are another transaction; what a bank calls a payment is read by people.
    let mut claims = Vec::new();
    let (card, address) = (json!({ "card": CARD, "holder": "IVAN PETROV" }), json!({ "address": ADDRESS }));
    let orders = [
        ("SOL", "SBERRUB", "1", &card),
        ("SOL", "SBERRUB", "1.1", &card),
        ("SBERRUB", "BTC", "50000", &address),
        ("SBERRUB", "BTC", "51000", &address),
    ];
    for (from, to, send, requisites) in orders {
        let pair = pair(&app, from, to, send);
        let payer = if from == "SBERRUB" { json!({ "holder": "IVAN PETROV" }) } else { json!({}) };
        let body = json!({
            "email": format!("{from}{}@example.com", claims.len()), "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send,
            "toSumma": pair.receive, "fromRequisites": payer, "toRequisites": requisites,
        });
        let caller = app.visitor();
        let made = caller.post("/api/v1/claim/", body).await.ok();
        let customer =
            TestCustomer { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() };
        for step in ["confirm", "paid"] {
            customer.does(step).await.ok();
        }
        claims.push(customer);
    }
    operator.does(&claims[0].id, "payment_received", json!({ "txId": "5VtAbCdEf" })).await;
    operator.tries(&claims[1].id, "payment_received", json!({ "txId": "5VtAbCdEf" })).await.refused(422, "validation_failed");
    operator.does(&claims[1].id, "payment_received", json!({ "txId": "5vtabcdef" })).await;
    operator.does(&claims[2].id, "payment_received", json!({ "txId": "Order No. 5" })).await;
    operator.tries(&claims[3].id, "payment_received", json!({ "txId": " order  no. 5" })).await.refused(422, "validation_failed");
    app.assert_ledger_is_clean().await;
}

both_engines!(
    a_payment_that_was_reported_and_made_too_late_is_not_exchanged_at_the_old_rate,
    a_claim_counts_as_unproven_until_a_tenth_is_paid,
    a_late_payment_is_exchanged_as_agreed_while_the_rate_barely_moved,
    a_late_payment_is_tolerated_as_its_direction_says,
    staff_date_what_no_network_shows,
    staff_do_not_call_a_payment_late_before_the_deadline,
    the_time_counts_from_the_quote_and_nothing_a_customer_does_moves_it,
    a_reported_payment_nobody_sees_ends_after_a_notice,
    what_ends_unpaid_gives_back_the_limit_of_its_details,
    what_is_only_reported_counts_in_the_limits,
    those_who_have_proven_nothing_hold_half_of_a_reserve_together,
    an_exchange_proves_its_customer_for_ten_times_its_payout,
    nobody_gets_past_the_limits_at_once,
    a_transaction_is_known_by_what_its_network_compares,
);
