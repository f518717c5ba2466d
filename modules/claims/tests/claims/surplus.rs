//! More came than was agreed on: the agreed amount is exchanged, and the rest goes back once.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::amounts::{earned, mismatched};
use crate::deadline::the_rate_falls;
use crate::disputes::accepted;
use crate::fixtures::{ADDRESS, Operator, TestCustomer, reserve, units};

/// The choice at the terms a status shows, with the rest back to an address.
fn chosen(status: &Value, address: &str) -> Value {
    let mut choice = accepted(&status["surplus"]["offer"]);
    choice["requisites"] = json!({ "address": address });
    choice
}

async fn chooses(customer: &TestCustomer) -> TestResponse {
    let status = customer.look("status").await.ok();
    customer.says("surplus", chosen(&status, ADDRESS)).await
}

/// A claim of 0.01 BTC for which 0.0125 came, whose customer wants the rest back.
async fn overpaid(app: &TestApp, operator: &Operator) -> TestCustomer {
    let customer = mismatched(app, operator, "0.01", "0.0125").await;
    assert_eq!(chooses(&customer).await.ok()["status"], "paid");
    customer
}

async fn returns(operator: &Operator, customer: &TestCustomer, tx: &str) {
    operator.does(&customer.id, "refund_sent", json!({ "txId": tx })).await;
    operator.does(&customer.id, "refund_done", json!({})).await;
}

async fn the_agreed_amount_is_exchanged_and_the_rest_goes_back(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (roubles, bitcoins) = (reserve(&app, "SBERRUB").await, reserve(&app, "BTC").await);
    let customer = mismatched(&app, &operator, "0.01", "0.0125").await;
    let agreed = customer.look("form").await.ok()["to"]["amount"].clone();
    let market = app.server.claims.claim(customer.id.parse().unwrap()).await.unwrap().terms.market_value.units();
    let status = customer.look("status").await.ok();
    let surplus = &status["surplus"];
    let seen = (&surplus["amount"], &surplus["currency"], &surplus["fee"], &surplus["tooSmall"], &surplus["destination"]);
    assert_eq!(seen, (&json!("0.0025"), &json!("BTC"), &json!("0"), &json!(false), &Value::Null));
    assert_eq!((&surplus["offer"]["fromSumma"], &surplus["offer"]["toSumma"]), (&json!("0.01"), &agreed));
    assert_eq!(status["actions"], json!(["accept", "return_surplus", "refund", "upload"]));

    let choice = chosen(&status, ADDRESS);
    let paid = customer.says("surplus", choice.clone()).await.ok();
    assert_eq!((&paid["status"], &paid["surplus"]["destination"]), (&json!("paid"), &json!("bc1qar…wf5mdq")));
    let before = operator.sees(&customer.id).await;
    assert_eq!(customer.says("surplus", choice.clone()).await.ok()["status"], "paid", "a double click is one choice");
    let elsewhere = chosen(&status, "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy");
    customer.says("surplus", elsewhere).await.refused(409, "transition_not_allowed");
    assert_eq!(operator.sees(&customer.id).await["revision"], before["revision"]);
    assert_eq!(
        (&before["surplus"], &before["from"]["amount"], &before["to"]["amount"]),
        (&json!("0.0025"), &json!("0.01"), &agreed)
    );

    assert_eq!(operator.pays_out(&customer.id).await["status"], "refund_pending");
    let exchanged = customer.look("status").await.ok();
    assert_eq!((&exchanged["publicStatus"], &exchanged["isFinal"]), (&json!("sending"), &json!(false)));
    assert_eq!((&exchanged["refund"]["amount"], &exchanged["surplus"]["amount"]), (&json!("0.0025"), &json!("0.0025")));
    assert_eq!(customer.says("surplus", choice).await.ok()["status"], "refund_pending");
    assert_eq!(earned(&operator, &customer.id).await, (0, market - units(&agreed, 2)), "nothing is earned from the rest");
    app.assert_ledger_is_clean().await;

    let seen = operator.sees(&customer.id).await;
    assert_eq!((&seen["holder"], &seen["returned"]["destination"][0]["value"]), (&Value::Null, &json!(ADDRESS)));
    operator.does(&customer.id, "refund_sent", json!({ "txId": "back" })).await;
    let again = json!({ "action": "refund_sent", "revision": seen["revision"], "txId": "back again" });
    operator.0.post(&format!("/api/admin/v1/claims/{}/transitions", customer.id), again).await.refused(409, "claim_changed");
    operator.does(&customer.id, "refund_done", json!({})).await;
    let done = customer.look("status").await.ok();
    assert_eq!(
        (&done["status"], &done["publicStatus"], &done["surplus"]),
        (&json!("completed"), &json!("finished"), &Value::Null)
    );
    assert_eq!((&done["refund"]["amount"], &done["refund"]["tx"]["id"]), (&json!("0.0025"), &json!("back")));
    assert_eq!(reserve(&app, "BTC").await, (bitcoins.0 + 1_000_000, 0));
    assert_eq!(reserve(&app, "SBERRUB").await, (roubles.0 - units(&agreed, 2), 0));
    let log = app.owner().await.get("/api/admin/v1/audit?action=claim.return_surplus").await;
    assert!(log.text.contains("0.0025") && !log.text.contains(ADDRESS), "{}", log.text);
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn only_the_owner_chooses_and_only_what_was_shown(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let unpaid = TestCustomer::orders(&app, "0.01").await;
    let anything = json!({ "fromSumma": "0.01", "toSumma": "1", "requisites": { "address": ADDRESS } });
    unpaid.says("surplus", anything.clone()).await.refused(409, "transition_not_allowed");
    let less = mismatched(&app, &operator, "0.01", "0.008").await;
    assert_eq!(less.look("status").await.ok()["surplus"], Value::Null);
    less.says("surplus", anything.clone()).await.refused(409, "no_offer");

    let customer = mismatched(&app, &operator, "0.01", "0.0125").await;
    let status = customer.look("status").await.ok();
    let elsewhere = customer.on_another_device(&app);
    assert!(!elsewhere.look("status").await.ok()["actions"].to_string().contains("return_surplus"));
    elsewhere.says("surplus", chosen(&status, ADDRESS)).await.refused(403, "claim_owner_only");
    customer.says("surplus", anything).await.refused(409, "rate_changed");
    let wrong = customer.says("surplus", chosen(&status, "bc1qnotanaddress")).await;
    assert!(wrong.refused(422, "validation_failed")["errors"]["requisites.address"].is_array());
    assert_eq!(customer.status().await, "amount_mismatch");
    customer.says("surplus", chosen(&status, ADDRESS)).await.ok();
    customer.says("accept", accepted(&status["offer"])).await.refused(409, "transition_not_allowed");
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.refused(409, "transition_not_allowed");
}

async fn what_is_worth_less_than_its_transfer_is_not_offered(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.01", "0.01000001").await;
    let status = customer.look("status").await.ok();
    assert_eq!((&status["surplus"]["tooSmall"], &status["surplus"]["offer"]), (&json!(true), &Value::Null));
    assert!(!status["actions"].to_string().contains("return_surplus"), "{status}");
    let choice = json!({ "fromSumma": "0.01", "toSumma": "1", "requisites": { "address": ADDRESS } });
    customer.says("surplus", choice).await.refused(409, "no_offer");
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.surplus_min": "0" })).await.ok();
    let customer = mismatched(&app, &operator, "0.01", "0.01000001").await;
    assert_eq!(chooses(&customer).await.ok()["surplus"]["amount"], "0.00000001");
}

async fn what_is_refunded_after_the_choice_is_refunded_whole(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let bitcoins = reserve(&app, "BTC").await;
    let customer = overpaid(&app, &operator).await;
    operator.does(&customer.id, "refund", json!({ "reason": "customer_asked" })).await;
    let status = customer.look("status").await.ok();
    assert_eq!((&status["surplus"], &status["refund"]["amount"]), (&Value::Null, &json!("0.0125")));
    assert_eq!(status["publicStatus"], "refunding");
    returns(&operator, &customer, "back").await;
    let done = customer.look("status").await.ok();
    assert_eq!((&done["status"], &done["refund"]["amount"]), (&json!("refunded"), &json!("0.0125")));
    assert_eq!(reserve(&app, "BTC").await, bitcoins);
    app.assert_ledger_is_clean().await;
}

async fn a_part_of_the_payout_leaves_the_surplus_to_the_customer(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = overpaid(&app, &operator).await;
    operator.does(&customer.id, "take", json!({})).await;
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out" })).await;
    let seen = operator.does(&customer.id, "payout_partial", json!({ "amount": "1000" })).await;
    let left = 1_250_000 - 1_000_000 * 100_000 / units(&seen["to"]["amount"], 2);
    assert_eq!(units(&seen["returned"]["amount"], 8), left);
    operator.does(&customer.id, "refund", json!({ "reason": "payout_rejected" })).await;
    returns(&operator, &customer, "back").await;
    let done = customer.look("status").await.ok();
    assert_eq!((done["status"].as_str(), units(&done["refund"]["amount"], 8)), (Some("refunded"), left));
    app.assert_ledger_is_clean().await;
}

async fn a_payout_in_parts_is_whole_while_the_surplus_is_returned(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = overpaid(&app, &operator).await;
    operator.does(&customer.id, "take", json!({})).await;
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-1" })).await;
    operator.does(&customer.id, "payout_partial", json!({ "amount": "1000" })).await;
    assert_eq!(customer.look("status").await.ok()["paidOut"]["paid"], "1000");
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-2" })).await;
    operator.does(&customer.id, "complete", json!({})).await;
    for action in ["", "refund_sent", "refund_done"] {
        if !action.is_empty() {
            let tx = if action == "refund_sent" { json!({ "txId": "back" }) } else { json!({}) };
            operator.does(&customer.id, action, tx).await;
        }
        let status = customer.look("status").await.ok();
        assert_eq!(status["paidOut"], Value::Null, "{status}");
        assert_eq!(status["payouts"].as_array().unwrap().len(), 2);
    }
    assert_eq!(customer.status().await, "completed");
    app.assert_ledger_is_clean().await;
}

async fn a_surplus_that_comes_back_is_sent_again_and_a_later_refund_does_not_repeat_it(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let bitcoins = reserve(&app, "BTC").await;
    let customer = overpaid(&app, &operator).await;
    operator.pays_out(&customer.id).await;
    operator.does(&customer.id, "refund_sent", json!({ "txId": "back-1" })).await;
    operator.does(&customer.id, "refund_bounced", json!({ "reason": "refund_returned" })).await;
    let status = customer.look("status").await.ok();
    assert_eq!((&status["status"], &status["surplus"]["amount"]), (&json!("refund_pending"), &json!("0.0025")));
    returns(&operator, &customer, "back-2").await;
    let status = customer.look("status").await.ok();
    assert_eq!((&status["status"], &status["reason"]), (&json!("completed"), &json!(null)));

    let returned = operator.does(&customer.id, "payout_returned", json!({ "reason": "payout_returned" })).await;
    assert_eq!(returned["returned"]["amount"], "0.01", "and not what was returned before");
    returns(&operator, &customer, "back-3").await;
    assert_eq!(customer.status().await, "refunded");
    assert_eq!(reserve(&app, "BTC").await, bitcoins);
    app.assert_ledger_is_clean().await;
}

async fn of_two_choices_at_once_one_holds(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    for turn in 0..4 {
        let customer = mismatched(&app, &operator, "0.01", "0.0125").await;
        let status = customer.look("status").await.ok();
        let rest = async { customer.says("surplus", chosen(&status, ADDRESS)).await };
        let all = async { customer.says("accept", accepted(&status["offer"])).await };
        let (rest, all) = if turn % 2 == 0 {
            tokio::join!(rest, all)
        } else {
            let (all, rest) = tokio::join!(all, rest);
            (rest, all)
        };
        assert_ne!(rest.status.is_success(), all.status.is_success(), "{} / {}", rest.text, all.text);
        let lost = if all.status.is_success() { &rest } else { &all };
        assert_eq!(lost.status.as_u16(), 409, "{}", lost.text);
        let surplus = customer.look("status").await.ok()["surplus"].clone();
        assert_eq!(surplus.is_null(), all.status.is_success());
    }
    app.assert_ledger_is_clean().await;
}

async fn after_the_terms_the_agreed_amount_has_the_rate_of_now(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = mismatched(&app, &operator, "0.01", "0.0125").await;
    let before = customer.look("status").await.ok();
    customer.waits_too_long(&app).await;
    assert_eq!(customer.status().await, "amount_mismatch", "there is a day to choose");
    the_rate_falls(&app).await;
    let refused = customer.says("surplus", chosen(&before, ADDRESS)).await.refused(409, "rate_changed");
    let now = customer.look("status").await.ok();
    let offer = &now["surplus"]["offer"];
    assert_eq!((&refused["params"]["toSumma"], &offer["fromSumma"]), (&offer["toSumma"], &json!("0.01")));
    assert_ne!(offer["toSumma"], before["surplus"]["offer"]["toSumma"]);
    let paid = customer.says("surplus", chosen(&now, ADDRESS)).await.ok();
    assert_eq!((&paid["status"], &paid["surplus"]["amount"]), (&json!("paid"), &json!("0.0025")));
    assert_eq!(customer.look("form").await.ok()["to"]["amount"], offer["toSumma"]);
    let operator = Operator::at(&app).await;
    operator.pays_out(&customer.id).await;
    returns(&operator, &customer, "back").await;
    app.assert_ledger_is_clean().await;
}

async fn the_customer_is_told_that_the_rest_comes_back(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let email = "overpaid@example.com";
    let customer = TestCustomer::orders_as(&app, "0.01", email).await;
    customer.does("confirm").await.ok();
    operator.does(&customer.id, "payment_seen", json!({ "txId": "in" })).await;
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": "0.0125" })).await;
    chooses(&customer).await.ok();
    operator.pays_out(&customer.id).await;
    operator.does(&customer.id, "refund_sent", json!({ "txId": "back-1" })).await;
    operator.does(&customer.id, "refund_bounced", json!({ "reason": "refund_returned" })).await;
    returns(&operator, &customer, "back-2").await;
    app.advance_and_run_jobs(Duration::from_secs(61)).await;
    let mails = app.emails_to(email).await;
    let kinds: Vec<_> = mails.iter().map(|mail| mail.kind.as_str()).collect();
    let told = ["claim_surplus_pending", "claim_surplus_sent", "claim_surplus_returned", "claim_surplus_sent", "claim_completed"];
    assert_eq!(kinds[kinds.len() - told.len()..], told);
    let bounced = &mails[mails.len() - 3];
    assert!(bounced.text.contains("Возврат не дошёл до получателя"), "{}", bounced.text);
    for mail in &mails[mails.len() - told.len()..] {
        assert!(mail.text.contains("0,0025 BTC"), "{}", mail.text);
        assert!(!mail.text.contains('{') && !mail.text.contains(ADDRESS), "{}", mail.text);
    }
}

both_engines!(
    the_agreed_amount_is_exchanged_and_the_rest_goes_back,
    only_the_owner_chooses_and_only_what_was_shown,
    what_is_worth_less_than_its_transfer_is_not_offered,
    what_is_refunded_after_the_choice_is_refunded_whole,
    a_part_of_the_payout_leaves_the_surplus_to_the_customer,
    a_payout_in_parts_is_whole_while_the_surplus_is_returned,
    a_surplus_that_comes_back_is_sent_again_and_a_later_refund_does_not_repeat_it,
    of_two_choices_at_once_one_holds,
    after_the_terms_the_agreed_amount_has_the_rate_of_now,
    the_customer_is_told_that_the_rest_comes_back,
);
