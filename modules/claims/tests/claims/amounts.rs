//! Another amount than was agreed on is never paid as agreed by one person's word, and what is earned follows from what came.

use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, Operator, TestCustomer, pair, reserve, units};
use crate::limits::changes_pair;

/// A claim for which another amount came.
pub async fn mismatched(app: &TestApp, operator: &Operator, send: &str, came: &str) -> TestCustomer {
    let customer = TestCustomer::orders(app, send).await;
    customer.does("confirm").await.ok();
    operator.does(&customer.id, "payment_seen", json!({ "txId": format!("in-{}", customer.id) })).await;
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": came })).await;
    customer
}

fn preview_of(id: &str) -> String {
    format!("/api/admin/v1/claims/{id}/recalculation")
}

fn shown(preview: &Value) -> Value {
    json!({ "terms": { "came": preview["came"], "receive": preview["receive"] } })
}

/// What the books say was earned by a claim: the fee on the sent side, and all the rest in roubles.
pub async fn earned(operator: &Operator, id: &str) -> (i64, i64) {
    let claim = operator.sees(id).await;
    let mut sums = (0, 0);
    for entry in claim["ledger"].as_array().unwrap() {
        let is_income = |side: &str| entry[side].as_str().unwrap().starts_with("income");
        let sign = i64::from(is_income("credit")) - i64::from(is_income("debit"));
        match entry["currency"].as_str().unwrap() {
            "BTC" => sums.0 += sign * units(&entry["amount"], 8),
            _ => sums.1 += sign * units(&entry["amount"], 2),
        }
    }
    sums
}

/// What a claim's payment was worth at the market when it was agreed on.
async fn worth(app: &TestApp, customer: &TestCustomer) -> i64 {
    app.server.claims.claim(customer.id.parse().unwrap()).await.unwrap().terms.market_value.units()
}

async fn tolerates(app: &TestApp, owner: &TestClient, percent: &str) {
    let asked = pair(app, "BTC", "SBERRUB", "0.01");
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let is_ours = |pair: &&Value| pair["giveId"] == asked.from && pair["receiveId"] == asked.to;
    let ours = pairs.as_array().unwrap().iter().find(is_ours).unwrap();
    let tolerance = json!({ "latePercent": null, "amountFixed": null, "amountPercent": percent });
    let change = json!({ "revision": ours["revision"], "tolerance": tolerance });
    owner.patch(&format!("/api/admin/v1/pairs/{}", ours["id"]), change).await.ok();
}

async fn another_amount_is_taken_for_the_agreed_one_by_two_people_alone(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.01", "0.008").await;
    let (agreed, market) = (operator.sees(&customer.id).await["to"]["amount"].clone(), worth(&app, &customer).await);

    let seen = operator.sees(&customer.id).await;
    let step = |action: &str| seen["transitions"].as_array().unwrap().iter().find(|row| row["action"] == action).unwrap().clone();
    assert_eq!((&step("payment_received")["consent"], &step("payment_received")["main"]), (&json!(true), &json!(false)));
    assert_eq!(step("recalculate")["main"], true);
    operator.tries(&customer.id, "payment_received", json!({ "amount": "0.01" })).await.refused(422, "validation_failed");
    let answer = operator.tries(&customer.id, "payment_received", json!({ "note": "a regular customer" })).await;
    assert_eq!(answer.status.as_u16(), 202, "regardless of the approval limit: {}", answer.text);
    let approval = answer.json();
    let facts = approval["facts"].to_string();
    for told in ["0.01 BTC", "0.008 BTC", agreed.as_str().unwrap(), "a regular customer"] {
        assert!(facts.contains(told), "{told}: {facts}");
    }
    assert!(!facts.contains("approval_fact."), "{facts}");
    assert_eq!(customer.status().await, "amount_mismatch");

    let approve = format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap());
    operator.0.post_empty(&approve).await.refused(403, "approval_own");
    // More came meanwhile, so that it is another exchange.
    operator.does(&customer.id, "payment_seen", json!({ "txId": "more" })).await;
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": "0.009" })).await;
    let owner = app.owner().await;
    owner.post_empty(&approve).await.refused(409, "approval_outdated");
    owner.post(&approve.replace("approve", "reject"), json!({ "reason": "more came" })).await.ok();

    let approval = operator.tries(&customer.id, "payment_received", json!({})).await.json();
    owner.post_empty(&format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap())).await.ok();
    assert_eq!(customer.status().await, "paid");
    operator.pays_out(&customer.id).await;
    let form = customer.look("form").await.ok();
    assert_eq!((&form["to"]["amount"], &form["from"]["amount"]), (&agreed, &json!("0.009")));
    // Nine tenths of what was worth so much came, and what was agreed on left.
    let (fee, rest) = earned(&operator, &customer.id).await;
    assert_eq!((fee, rest), (0, market * 9 / 10 - units(&agreed, 2)));
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn another_amount_is_exchanged_as_an_operator_was_shown(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (roubles, bitcoins) = (reserve(&app, "SBERRUB").await, reserve(&app, "BTC").await);
    for (came, units_came) in [("0.008", 800_000), ("0.011", 1_100_000)] {
        let before = (reserve(&app, "SBERRUB").await.0, reserve(&app, "BTC").await.0);
        let customer = mismatched(&app, &operator, "0.01", came).await;
        let agreed = operator.sees(&customer.id).await["to"]["amount"].clone();
        let market = worth(&app, &customer).await;
        let preview = operator.0.get(&preview_of(&customer.id)).await.ok();
        assert_eq!((&preview["came"], &preview["agreed"]["receive"]), (&json!(came), &agreed));
        assert_eq!((&preview["basis"], &preview["withinTolerance"]), (&json!("agreed"), &json!(false)));
        let receive = units(&preview["receive"], 2);
        assert_ne!(receive, units(&agreed, 2));
        assert_eq!(
            customer.look("status").await.ok()["offer"]["toSumma"],
            preview["receive"],
            "the customer is offered the same"
        );

        let wrong = json!({ "terms": { "came": came, "receive": agreed } });
        operator.tries(&customer.id, "recalculate", wrong).await.refused(409, "rate_changed");
        operator.tries(&customer.id, "recalculate", json!({})).await.refused(422, "validation_failed");
        assert_eq!(operator.does(&customer.id, "recalculate", shown(&preview)).await["status"], "paid");
        assert_eq!(reserve(&app, "SBERRUB").await, (before.0 - receive, receive), "the hold follows the terms");
        operator.pays_out(&customer.id).await;
        assert_eq!(reserve(&app, "SBERRUB").await, (before.0 - receive, 0));
        assert_eq!(reserve(&app, "BTC").await, (before.1 + units_came, 0));
        let income = units(&preview["income"]["spread"], 2) + units(&preview["income"]["feeTo"], 2);
        assert_eq!(earned(&operator, &customer.id).await, (units(&preview["income"]["feeFrom"], 8), income));
        assert_eq!(income, market * units_came / 1_000_000 - receive, "income is from what came");
    }
    assert!(reserve(&app, "SBERRUB").await.0 < roubles.0 && reserve(&app, "BTC").await.0 > bitcoins.0);
    app.assert_ledger_is_clean().await;
}

async fn what_was_agreed_holds_for_another_amount_while_the_terms_do(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.01", "0.011").await;
    let before = operator.0.get(&preview_of(&customer.id)).await.ok();
    let asked = pair(&app, "BTC", "SBERRUB", "0.011");
    let owner = app.owner().await;
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let is_ours = |pair: &&Value| pair["giveId"] == asked.from && pair["receiveId"] == asked.to;
    let ours = pairs.as_array().unwrap().iter().find(is_ours).unwrap().clone();
    let worse = json!({ "revision": ours["revision"], "spreadPercent": "12" });
    owner.patch(&format!("/api/admin/v1/pairs/{}", ours["id"]), worse).await.ok();
    let present = |send: &str| {
        let agreed = app.server.calculator.agree(&QuoteRequest::anonymous(asked.from, asked.to, send.parse().unwrap())).unwrap();
        json!(agreed.receive.to_string())
    };
    let now = present("0.011");
    assert_ne!(now, before["receive"]);
    let preview = operator.0.get(&preview_of(&customer.id)).await.ok();
    assert_eq!((&preview["receive"], &preview["basis"]), (&before["receive"], &json!("agreed")));

    customer.waits_too_long(&app).await;
    let operator = Operator::at(&app).await;
    let preview = operator.0.get(&preview_of(&customer.id)).await.ok();
    assert_eq!(preview["basis"], "present", "the agreed terms have ended and the rate moved far");
    assert_eq!(units(&preview["receive"], 2), units(&now, 2));
    operator.tries(&customer.id, "recalculate", shown(&before)).await.refused(409, "rate_changed");
    operator.does(&customer.id, "recalculate", shown(&preview)).await;
    operator.pays_out(&customer.id).await;
    app.assert_ledger_is_clean().await;
}

/// A claim of little would otherwise keep an old rate for a payment of much, also when the pair is closed.
async fn what_was_agreed_is_for_a_tenth_more_at_most(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let mut all = Vec::new();
    for _ in 0..3 {
        let customer = TestCustomer::orders(&app, "0.01").await;
        customer.does("confirm").await.ok();
        operator.does(&customer.id, "payment_seen", json!({ "txId": format!("in-{}", customer.id) })).await;
        all.push(customer);
    }
    let agreed = all[0].look("form").await.ok()["to"]["amount"].clone();
    changes_pair(&app, json!({ "spreadPercent": "12" })).await;
    let mut statuses = Vec::new();
    for (customer, came) in all.iter().zip(["0.011", "0.01100001", "0.02"]) {
        if came == "0.02" {
            changes_pair(&app, json!({ "enabled": false })).await;
        }
        operator.does(&customer.id, "amount_mismatch", json!({ "amount": came })).await;
        let status = customer.look("status").await.ok();
        assert_eq!(status["surplus"]["offer"]["toSumma"], agreed, "the agreed amount has the agreed rate: {came}");
        statuses.push(status);
    }
    operator.0.get(&preview_of(&all[2].id)).await.refused(404, "pair_unavailable");
    assert_eq!(statuses[2]["offer"], Value::Null, "a closed pair has no rate");
    let offer = json!({ "fromSumma": "0.02", "toSumma": agreed });
    all[2].says("accept", offer).await.refused(409, "no_offer");
    changes_pair(&app, json!({ "enabled": true })).await;
    let present = |send: &str| units(&json!(pair(&app, "BTC", "SBERRUB", send).receive), 2);
    assert!(units(&statuses[0]["offer"]["toSumma"], 2) > present("0.011"));
    assert_eq!(units(&statuses[1]["offer"]["toSumma"], 2), present("0.01100001"));
    let preview = operator.0.get(&preview_of(&all[1].id)).await.ok();
    assert_eq!((&preview["basis"], &preview["receive"]), (&json!("present"), &statuses[1]["offer"]["toSumma"]));
    app.assert_ledger_is_clean().await;
}

async fn what_is_outside_the_limits_is_not_recalculated(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let little = mismatched(&app, &operator, "0.01", "0.00000001").await;
    operator.0.get(&preview_of(&little.id)).await.refused(422, "amount_below_min");
    let terms = json!({ "terms": { "came": "0.00000001", "receive": "0" } });
    operator.tries(&little.id, "recalculate", terms).await.refused(422, "amount_below_min");
    assert!(little.look("status").await.ok()["offer"].is_null());
    let much = mismatched(&app, &operator, "0.01", "9").await;
    operator.0.get(&preview_of(&much.id)).await.refused(422, "amount_above_max");
    assert!(much.look("status").await.ok()["offer"].is_null());
    operator.0.get(&preview_of(&TestCustomer::orders(&app, "0.01").await.id)).await.refused(409, "transition_not_allowed");
}

/// A thousand times the agreed amount is recorded, and not a unit more.
async fn an_invented_amount_does_not_fill_the_ledger(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::reports(&app, "0.01").await;
    let late = TestCustomer::orders(&app, "0.01").await;
    late.does("cancel").await.ok();
    for amount in ["10.00000001", "90000000000"] {
        for (id, action) in [(&customer.id, "amount_mismatch"), (&late.id, "late_payment")] {
            let said = json!({ "amount": amount, "txId": format!("in-{id}") });
            let refused = operator.tries(id, action, said).await.refused(422, "validation_failed");
            assert_eq!(refused["errors"]["amount"][0]["code"], "amount_implausible", "{action} {amount}");
        }
    }
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": "10" })).await;
    app.assert_ledger_is_clean().await;
}

async fn what_a_claim_has_set_aside_is_free_for_its_new_terms(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.01", "0.009").await;
    let rest = reserve(&app, "SBERRUB").await.0;
    let roubles = app.server.calculator.market().currency_named("SBERRUB").unwrap().id();
    let all = json!({ "amount": format!("-{}.{:02}", rest / 100, rest % 100), "reason": "withdrawal", "note": "all of it" });
    app.owner().await.post(&format!("/api/admin/v1/reserves/{roubles}/movements"), all).await.ok();
    let preview = operator.0.get(&preview_of(&customer.id)).await.ok();
    assert_eq!(operator.does(&customer.id, "recalculate", shown(&preview)).await["status"], "paid");
    let much = units(&preview["agreed"]["receive"], 2) - units(&preview["receive"], 2);
    assert_eq!(reserve(&app, "SBERRUB").await, (much, units(&preview["receive"], 2)));
    app.assert_ledger_is_clean().await;
}

async fn what_passes_within_the_tolerance_is_booked_as_it_came(engine: Engine) {
    let app = TestApp::start(engine).await;
    tolerates(&app, &app.owner().await, "1").await;
    let operator = Operator::at(&app).await;
    for (came, units_came) in [("0.0099", 990_000), ("0.0101", 1_010_000)] {
        let bitcoins = reserve(&app, "BTC").await.0;
        let customer = TestCustomer::orders(&app, "0.01").await;
        customer.does("confirm").await.ok();
        customer.does("paid").await.ok();
        let agreed = operator.sees(&customer.id).await["to"]["amount"].clone();
        let market = worth(&app, &customer).await;
        for other in ["0.008", "0.00989999", "0.01010001"] {
            let refused = operator.tries(&customer.id, "payment_received", json!({ "amount": other })).await;
            let problem = refused.refused(422, "validation_failed");
            assert_eq!(problem["errors"]["amount"][0]["code"], "amount_differs");
        }
        operator.does(&customer.id, "payment_received", json!({ "amount": came })).await;
        assert_eq!(customer.look("form").await.ok()["from"]["amount"], came, "the claim is of what came");
        operator.pays_out(&customer.id).await;
        assert_eq!(reserve(&app, "BTC").await.0, bitcoins + units_came);
        assert_eq!(earned(&operator, &customer.id).await.1, market * units_came / 1_000_000 - units(&agreed, 2));
    }
    let near = mismatched(&app, &operator, "0.01", "0.0099").await;
    let preview = operator.0.get(&preview_of(&near.id)).await.ok();
    assert_eq!(preview["withinTolerance"], true);
    assert_eq!(operator.does(&near.id, "payment_received", json!({})).await["status"], "paid", "one person is enough");
    app.assert_ledger_is_clean().await;
}

async fn what_came_in_parts_is_one_amount(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.01", "0.004").await;
    for (tx, came) in [("second", "0.007"), ("third", "0.012")] {
        operator.does(&customer.id, "payment_seen", json!({ "txId": tx })).await;
        operator.tries(&customer.id, "amount_mismatch", json!({ "amount": "0.003" })).await.refused(422, "validation_failed");
        operator.does(&customer.id, "amount_mismatch", json!({ "amount": came })).await;
    }
    operator.does(&customer.id, "payment_seen", json!({ "txId": "fourth" })).await;
    let refused = operator.tries(&customer.id, "payment_received", json!({})).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["amount"][0]["code"], "amount_differs", "more than was agreed on came already");
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": "0.0121" })).await;
    let preview = operator.0.get(&preview_of(&customer.id)).await.ok();
    assert_eq!(preview["came"], "0.0121");
    operator.does(&customer.id, "recalculate", shown(&preview)).await;
    operator.pays_out(&customer.id).await;
    app.assert_ledger_is_clean().await;

    let claimed = TestCustomer::orders(&app, "0.01").await;
    claimed.does("confirm").await.ok();
    claimed.does("paid").await.ok();
    assert_eq!(operator.does(&claimed.id, "amount_mismatch", json!({ "amount": "0.008" })).await["status"], "amount_mismatch");
}

/// A claim that is paid and whose payment staff decide to return.
async fn to_be_returned(app: &TestApp, operator: &Operator) -> TestCustomer {
    let customer = TestCustomer::orders(app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    operator.does(&customer.id, "payment_received", json!({})).await;
    operator.does(&customer.id, "refund", json!({ "reason": "customer_asked" })).await;
    customer
}

async fn a_refund_waits_until_somebody_says_where_to(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let bitcoins = reserve(&app, "BTC").await;
    let customer = to_be_returned(&app, &operator).await;
    let status = customer.look("status").await.ok();
    let expected = json!({ "amount": "0.01", "currency": "BTC", "fee": "0", "destination": null, "tx": null });
    assert_eq!((&status["status"], &status["refund"]), (&json!("refund_pending"), &expected));
    assert_eq!(status["actions"][0], "refund_to");
    let elsewhere = customer.on_another_device(&app);
    assert_eq!(elsewhere.look("status").await.ok()["actions"], json!(["upload"]));
    elsewhere.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.refused(403, "claim_owner_only");
    let seen = operator.sees(&customer.id).await;
    assert_eq!((&seen["returned"]["isMissing"], &seen["returned"]["amount"]), (&json!(true), &json!("0.01")));
    assert_eq!((&seen["turn"], &app.server.claims.overview(1).await.unwrap().urgent.len()), (&json!("customer"), &0));
    operator.tries(&customer.id, "refund_sent", json!({ "txId": "back" })).await.refused(409, "refund_address_missing");

    customer.says("refund", json!({ "requisites": { "address": "bc1qnotanaddress" } })).await.refused(422, "validation_failed");
    let status = customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    assert_eq!((&status["status"], &status["refund"]["destination"]), (&json!("refund_pending"), &json!("bc1qar…wf5mdq")));
    assert!(!status["actions"].to_string().contains("refund_to"));
    let seen = operator.sees(&customer.id).await;
    assert_eq!((&seen["turn"], &app.server.claims.overview(1).await.unwrap().urgent.len()), (&json!("ours"), &1));
    let other = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy";
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    customer.says("refund", json!({ "requisites": { "address": other } })).await.refused(409, "transition_not_allowed");
    assert_eq!(operator.sees(&customer.id).await["returned"]["destination"][0]["value"], ADDRESS, "what was said once holds");

    operator.does(&customer.id, "refund_sent", json!({ "txId": "back" })).await;
    let sent = customer.look("status").await.ok()["refund"].clone();
    assert_eq!((&sent["tx"]["id"], &sent["amount"]), (&json!("back"), &json!("0.01")));
    operator.does(&customer.id, "refund_done", json!({})).await;
    let done = customer.look("status").await.ok();
    assert_eq!((&done["status"], &done["refund"]), (&json!("refunded"), &sent), "what was really returned stays to be seen");
    assert_eq!(reserve(&app, "BTC").await, bitcoins);
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn what_is_returned_is_what_came(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.01", "0.0125").await;
    let offered = customer.look("status").await.ok()["refund"].clone();
    assert_eq!((&offered["amount"], &offered["fee"], &offered["tx"]), (&json!("0.0125"), &json!("0"), &Value::Null));
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    for (step, said) in [("refund_sent", json!({ "txId": "back" })), ("refund_done", json!({}))] {
        assert_eq!(customer.look("status").await.ok()["refund"]["amount"], "0.0125", "and not what was agreed on");
        operator.does(&customer.id, step, said).await;
    }
    assert_eq!(customer.look("status").await.ok()["refund"]["amount"], "0.0125");
    app.assert_ledger_is_clean().await;
}

async fn staff_enter_where_a_customer_wants_a_refund(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = to_be_returned(&app, &operator).await;
    let path = format!("/api/admin/v1/claims/{}/refund-destination", customer.id);
    let revision = operator.sees(&customer.id).await["revision"].clone();
    let given = |address: &str, note: &str| json!({ "revision": revision, "requisites": { "address": address }, "note": note });
    operator.0.post(&path, given("nowhere", "by mail")).await.refused(422, "validation_failed");
    operator.0.post(&path, given(ADDRESS, " ")).await.refused(422, "validation_failed");
    let seen = operator.0.post(&path, given(ADDRESS, "by mail")).await.ok();
    assert_eq!((&seen["returned"]["isMissing"], &seen["returned"]["destination"][0]["value"]), (&json!(false), &json!(ADDRESS)));
    operator.0.post(&path, given(ADDRESS, "once more")).await.refused(409, "claim_changed");
    let step = seen["timeline"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&step["action"], &step["note"]), (&json!("refund_destination"), &json!("by mail")));
    let log = app.owner().await.get("/api/admin/v1/audit?action=claim.refund_destination").await;
    assert!(log.text.contains("bc1q…mdq") && !log.text.contains(ADDRESS), "{}", log.text);
    operator.does(&customer.id, "refund_sent", json!({ "txId": "back" })).await;
    let revision = operator.sees(&customer.id).await["revision"].clone();
    let late = json!({ "revision": revision, "requisites": { "address": ADDRESS }, "note": "too late" });
    operator.0.post(&path, late).await.refused(409, "transition_not_allowed");
}

async fn who_agrees_to_a_refund_sees_where_it_goes(engine: Engine) {
    let app = TestApp::start(engine).await;
    let rule = json!({ "approvals.two_person": true, "approvals.refund_limit": 100 });
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", rule).await.ok();
    let operator = Operator::at(&app).await;
    let customer = to_be_returned(&app, &operator).await;
    operator.tries(&customer.id, "refund_sent", json!({})).await.refused(409, "refund_address_missing");
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    let proposed = operator.tries(&customer.id, "refund_sent", json!({})).await;
    assert_eq!(proposed.status.as_u16(), 202, "{}", proposed.text);
    for told in ["0.01 BTC", "\"0 BTC\"", ADDRESS] {
        assert!(proposed.text.contains(told), "{told}: {}", proposed.text);
    }
    // Another destination is another payment.
    let other = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy";
    let revision = operator.sees(&customer.id).await["revision"].clone();
    let change = json!({ "revision": revision, "requisites": { "address": other }, "note": "another wallet, by mail" });
    operator.0.post(&format!("/api/admin/v1/claims/{}/refund-destination", customer.id), change).await.ok();
    let approve = format!("/api/admin/v1/approvals/{}/approve", proposed.json()["id"].as_str().unwrap());
    owner.post_empty(&approve).await.refused(409, "approval_outdated");
}

async fn a_part_of_a_payout_is_remembered(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let market = worth(&app, &customer).await;
    operator.does(&customer.id, "payment_received", json!({})).await;
    operator.does(&customer.id, "take", json!({})).await;
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-1" })).await;
    let seen = operator.does(&customer.id, "payout_partial", json!({ "amount": "1000" })).await;
    let whole = units(&seen["to"]["amount"], 2);
    assert_eq!((units(&seen["paidOut"]["paid"], 2), units(&seen["paidOut"]["left"], 2)), (100_000, whole - 100_000));
    let status = customer.look("status").await.ok();
    assert_eq!((&status["paidOut"]["paid"], &status["paidOut"]["left"]), (&seen["paidOut"]["paid"], &seen["paidOut"]["left"]));
    let back = units(&seen["returned"]["amount"], 8);
    assert_eq!(back, 1_000_000 - 1_000_000 * 100_000 / whole);

    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-2" })).await;
    for (less, code) in [("1000", "amount_paid_before"), ("999.99", "amount_paid_before")] {
        let refused = operator.tries(&customer.id, "payout_partial", json!({ "amount": less })).await;
        assert_eq!(refused.refused(422, "validation_failed")["errors"]["amount"][0]["code"], code);
    }
    operator.does(&customer.id, "payout_partial", json!({ "amount": "2000" })).await;
    let less = json!({ "amount": "1", "reason": "payout_rejected" });
    operator.tries(&customer.id, "refund", less).await.refused(422, "validation_failed");
    operator.does(&customer.id, "refund", json!({ "reason": "payout_rejected" })).await;
    let refund = customer.look("status").await.ok()["refund"].clone();
    let exchanged = 1_000_000 * 200_000 / whole;
    assert_eq!(units(&refund["amount"], 8), 1_000_000 - exchanged);
    assert_eq!(
        earned(&operator, &customer.id).await,
        (0, market * exchanged / 1_000_000 - 200_000),
        "from the exchanged part alone"
    );
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    operator.does(&customer.id, "refund_sent", json!({ "txId": "back" })).await;
    operator.does(&customer.id, "refund_done", json!({})).await;
    assert_eq!(units(&customer.look("status").await.ok()["refund"]["amount"], 8), 1_000_000 - exchanged);
    app.assert_ledger_is_clean().await;
}

async fn each_transfer_of_a_payout_made_in_parts_is_listed(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    operator.does(&customer.id, "payment_received", json!({})).await;
    operator.does(&customer.id, "take", json!({})).await;
    let whole = units(&operator.does(&customer.id, "payout_sent", json!({ "txId": "out-1" })).await["to"]["amount"], 2);
    let listed = async || {
        let status = customer.look("status").await.ok();
        let parts = status["payouts"].as_array().unwrap().iter();
        let part = |part: &Value| (part["tx"]["id"].as_str().unwrap().to_owned(), units(&part["amount"], 2), part["at"].clone());
        parts.map(part).collect::<Vec<_>>()
    };
    assert!(listed().await.is_empty(), "one transfer is the payout's");
    let sent_at = json!(app.now().to_string());
    app.advance_clock(Duration::from_secs(60));
    operator.does(&customer.id, "payout_partial", json!({ "amount": "1000" })).await;
    let first = ("out-1".to_owned(), 100_000, sent_at);
    assert_eq!(listed().await, std::slice::from_ref(&first));
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-2" })).await;
    let rest = ("out-2".to_owned(), whole - 100_000, json!(app.now().to_string()));
    assert_eq!(listed().await, [first.clone(), rest.clone()]);
    operator.does(&customer.id, "complete", json!({})).await;
    assert_eq!(listed().await, [first, rest]);
    assert_eq!(customer.look("status").await.ok()["txOut"]["id"], "out-2");
    operator.does(&customer.id, "payout_returned", json!({ "reason": "payout_rejected" })).await;
    assert!(listed().await.is_empty(), "it came back");
    app.assert_ledger_is_clean().await;
}

both_engines!(
    another_amount_is_taken_for_the_agreed_one_by_two_people_alone,
    another_amount_is_exchanged_as_an_operator_was_shown,
    what_was_agreed_holds_for_another_amount_while_the_terms_do,
    what_was_agreed_is_for_a_tenth_more_at_most,
    what_is_outside_the_limits_is_not_recalculated,
    an_invented_amount_does_not_fill_the_ledger,
    what_a_claim_has_set_aside_is_free_for_its_new_terms,
    what_passes_within_the_tolerance_is_booked_as_it_came,
    what_came_in_parts_is_one_amount,
    a_refund_waits_until_somebody_says_where_to,
    what_is_returned_is_what_came,
    staff_enter_where_a_customer_wants_a_refund,
    who_agrees_to_a_refund_sees_where_it_goes,
    a_part_of_a_payout_is_remembered,
    each_transfer_of_a_payout_made_in_parts_is_listed,
);
