//! What goes otherwise: other amounts, late money, stops, payouts that fail, refunds.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, Operator, TestCustomer, order, pair, reserve, units};

/// A claim whose payment came after it had expired, and the operator who saw that.
async fn late(app: &TestApp) -> (TestCustomer, Operator) {
    let customer = TestCustomer::orders(app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.is_too_late(app).await;
    assert_eq!(customer.status().await, "expired");
    let operator = Operator::at(app).await;
    operator.does(&customer.id, "late_payment", json!({ "amount": "0.01", "txId": format!("late-{}", customer.id) })).await;
    (customer, operator)
}

/// A claim for which another amount was seen.
pub async fn mismatched(app: &TestApp, operator: &Operator, came: &str) -> TestCustomer {
    let customer = TestCustomer::orders(app, "0.01").await;
    customer.does("confirm").await.ok();
    operator.does(&customer.id, "payment_seen", json!({ "txId": format!("in-{}", customer.id) })).await;
    operator.does(&customer.id, "amount_mismatch", json!({ "amount": came })).await;
    customer
}

pub fn accepted(offer: &Value) -> Value {
    json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] })
}

async fn money_that_came_late_is_exchanged_as_agreed_while_the_rate_stands(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    let promised = customer.look("form").await.ok()["to"]["amount"].clone();
    customer.waits_too_long(&app).await;
    let operator = Operator::at(&app).await;
    operator.does(&customer.id, "late_payment", json!({ "amount": "0.01", "txId": "late-1" })).await;
    assert_eq!(customer.status().await, "paid");
    let form = customer.look("form").await.ok();
    assert_eq!(form["to"]["amount"], promised);
    assert_eq!(reserve(&app, "SBERRUB").await.1, units(&promised, 2), "what is owed is set aside again");

    let less = TestCustomer::orders(&app, "0.02").await;
    less.does("confirm").await.ok();
    less.waits_too_long(&app).await;
    Operator::at(&app).await.does(&less.id, "late_payment", json!({ "amount": "0.019", "txId": "late-2" })).await;
    assert_eq!(less.status().await, "late_payment", "another amount is the customer's choice");
    app.assert_ledger_is_clean().await;
}

async fn what_an_operator_saw_late_passes_by_the_tolerance_of_the_direction(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let asked = pair(&app, "BTC", "SBERRUB", "0.01");
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let is_ours = |pair: &&Value| pair["giveId"] == asked.from && pair["receiveId"] == asked.to;
    let ours = pairs.as_array().unwrap().iter().find(is_ours).unwrap();
    let own = json!({ "latePercent": null, "amountFixed": null, "amountPercent": "1" });
    let change = json!({ "revision": ours["revision"], "tolerance": own });
    owner.patch(&format!("/api/admin/v1/pairs/{}", ours["id"]), change).await.ok();
    for (came, state) in [("0.0099", "paid"), ("0.00989999", "late_payment"), ("0.0101", "paid"), ("0.01010001", "late_payment")]
    {
        let customer = TestCustomer::orders(&app, "0.01").await;
        customer.does("confirm").await.ok();
        customer.waits_too_long(&app).await;
        let operator = Operator::at(&app).await;
        operator.does(&customer.id, "late_payment", json!({ "amount": came, "txId": format!("late-{came}") })).await;
        assert_eq!(customer.status().await, state, "{came}");
    }
    app.assert_ledger_is_clean().await;
}

async fn money_that_came_late_is_exchanged_at_new_terms(engine: Engine) {
    let app = TestApp::start(engine).await;
    let before = reserve(&app, "SBERRUB").await;
    let (customer, operator) = late(&app).await;
    let status = customer.look("status").await.ok();
    assert_eq!((status["status"].as_str(), status["publicStatus"].as_str()), (Some("late_payment"), Some("hold")));
    assert_eq!(status["actions"], json!(["accept", "refund", "upload"]));
    let offer = &status["offer"];
    let other = json!({ "fromSumma": offer["fromSumma"], "toSumma": "999999" });
    customer.says("accept", other).await.refused(409, "rate_changed");
    assert_eq!(customer.says("accept", accepted(offer)).await.ok()["status"], "paid");
    operator.pays_out(&customer.id).await;
    assert_eq!(reserve(&app, "SBERRUB").await, (before.0 - units(&offer["toSumma"], 2), 0));
    app.assert_ledger_is_clean().await;
}

async fn money_that_came_late_is_returned(engine: Engine) {
    let app = TestApp::start(engine).await;
    let before = reserve(&app, "BTC").await;
    let (customer, operator) = late(&app).await;
    let wrong = customer.says("refund", json!({ "requisites": { "address": "bc1qnotanaddress" } })).await;
    assert!(wrong.refused(422, "validation_failed")["errors"]["requisites.address"].is_array());
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    let seen = operator.sees(&customer.id).await;
    assert_eq!(seen["requisitesRefund"][0]["value"], ADDRESS);

    operator.does(&customer.id, "refund_sent", json!({ "txId": "refund-1" })).await;
    operator.does(&customer.id, "refund_bounced", json!({ "reason": "refund_returned" })).await;
    let reason = async || customer.look("status").await.ok()["reason"]["code"].clone();
    assert_eq!(reason().await, "refund_returned", "until it is sent again");
    operator.does(&customer.id, "refund_sent", json!({ "txId": "refund-2" })).await;
    assert_eq!(reason().await, "customer_choice");
    operator.does(&customer.id, "refund_done", json!({})).await;
    let status = customer.look("status").await.ok();
    assert_eq!((status["publicStatus"].as_str(), status["reason"]["code"].as_str()), (Some("refunded"), Some("customer_choice")));
    assert_eq!(reserve(&app, "BTC").await, before, "nothing of it stayed in the reserve");
    app.assert_ledger_is_clean().await;
}

async fn a_payout_that_comes_back_undoes_the_exchange(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (roubles, bitcoins) = (reserve(&app, "SBERRUB").await, reserve(&app, "BTC").await);
    let customer = TestCustomer::reports(&app, "0.01").await;
    operator.completes(&customer.id).await;
    operator.tries(&customer.id, "payout_returned", json!({})).await.refused(422, "validation_failed");
    operator.does(&customer.id, "payout_returned", json!({ "reason": "payout_returned" })).await;
    let status = customer.look("status").await.ok();
    assert_eq!((&status["status"], &status["isFinal"]), (&json!("refund_pending"), &json!(false)));
    assert_eq!(reserve(&app, "SBERRUB").await, roubles, "the payout is back in the reserve");
    assert_eq!(reserve(&app, "BTC").await, bitcoins, "the payment has left the reserve");
    app.assert_ledger_is_clean().await;

    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    operator.does(&customer.id, "refund_sent", json!({ "txId": "back" })).await;
    operator.does(&customer.id, "refund_done", json!({})).await;
    operator
        .tries(&customer.id, "payout_returned", json!({ "reason": "technical" }))
        .await
        .refused(409, "transition_not_allowed");
    assert_eq!(customer.status().await, "refunded");
    assert_eq!((reserve(&app, "SBERRUB").await, reserve(&app, "BTC").await), (roubles, bitcoins));
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn another_amount_is_exchanged_when_the_customer_agrees(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (roubles, bitcoins) = (reserve(&app, "SBERRUB").await, reserve(&app, "BTC").await);
    let customer = mismatched(&app, &operator, "0.008").await;
    let status = customer.look("status").await.ok();
    let offer = &status["offer"];
    assert_eq!((&status["received"], &offer["fromSumma"]), (&json!("0.008"), &json!("0.008")));
    customer.says("accept", accepted(offer)).await.ok();
    let receive = units(&offer["toSumma"], 2);
    assert_eq!(reserve(&app, "SBERRUB").await, (roubles.0 - receive, receive), "the hold follows the terms");
    operator.pays_out(&customer.id).await;
    assert_eq!(reserve(&app, "SBERRUB").await, (roubles.0 - receive, 0));
    assert_eq!(reserve(&app, "BTC").await, (bitcoins.0 + 800_000, 0));
    app.assert_ledger_is_clean().await;
}

async fn a_customer_tops_up_what_was_too_little(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let bitcoins = reserve(&app, "BTC").await;
    let customer = mismatched(&app, &operator, "0.008").await;
    operator.does(&customer.id, "payment_seen", json!({ "txId": "the-rest" })).await;
    operator.does(&customer.id, "payment_received", json!({})).await;
    operator.pays_out(&customer.id).await;
    assert_eq!(reserve(&app, "BTC").await, (bitcoins.0 + 1_000_000, 0));
    app.assert_ledger_is_clean().await;
}

async fn a_choice_nobody_makes_goes_to_an_operator(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = mismatched(&app, &Operator::at(&app).await, "0.008").await;
    app.advance_and_run_jobs(Duration::from_secs(25 * 3_600)).await;
    let operator = Operator::at(&app).await;
    let status = customer.look("status").await.ok();
    assert_eq!((status["status"].as_str(), status["reason"]["code"].as_str()), (Some("on_hold"), Some("no_choice_made")));
    let actions = operator.sees(&customer.id).await["transitions"].clone();
    let has = |action: &str| actions.as_array().unwrap().iter().any(|row| row["action"] == action);
    assert!(has("refund") && !has("reject"), "money that came is not kept by a refusal");
    operator.tries(&customer.id, "reject", json!({ "reason": "technical" })).await.refused(409, "transition_not_allowed");
    operator.does(&customer.id, "refund", json!({ "reason": "no_choice_made" })).await;
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    operator.does(&customer.id, "refund_sent", json!({ "txId": "refund-1" })).await;
    operator.does(&customer.id, "refund_done", json!({})).await;
    app.assert_ledger_is_clean().await;
}

async fn a_stopped_claim_goes_on_where_it_was(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    operator.does(&customer.id, "payment_received", json!({})).await;

    let past = json!({ "reason": "aml_check", "answerBy": "2020-01-01T00:00:00Z" });
    let refused = operator.tries(&customer.id, "hold", past).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["answerBy"][0]["code"], "moment_in_the_past");
    let unsaid = operator.tries(&customer.id, "hold", json!({})).await.refused(422, "validation_failed");
    assert_eq!(unsaid["errors"]["reason"][0]["code"], "required");
    operator.does(&customer.id, "hold", json!({ "reason": "aml_check", "answerBy": "2024-03-28T15:00:00Z" })).await;
    let status = customer.look("status").await.ok();
    assert_eq!((status["publicStatus"].as_str(), status["answerBy"].as_str()), (Some("hold"), Some("2024-03-28T15:00:00Z")));

    operator.does(&customer.id, "release_hold", json!({ "note": "The documents are right." })).await;
    assert_eq!(customer.status().await, "paid");
    operator.pays_out(&customer.id).await;
    app.assert_ledger_is_clean().await;
}

async fn a_payout_that_arrived_in_part_is_settled_in_part(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (roubles, bitcoins) = (reserve(&app, "SBERRUB").await, reserve(&app, "BTC").await);
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    operator.does(&customer.id, "payment_received", json!({})).await;
    operator.does(&customer.id, "take", json!({})).await;
    operator.does(&customer.id, "payout_failed", json!({ "reason": "payout_rejected" })).await;
    operator.does(&customer.id, "retry_payout", json!({ "note": "Nothing left, the bank says." })).await;
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-1" })).await;
    operator.does(&customer.id, "payout_partial", json!({ "amount": "1000" })).await;
    let whole = operator.sees(&customer.id).await["to"]["amount"].clone();
    let too_much = json!({ "amount": whole, "reason": "payout_rejected" });
    operator.tries(&customer.id, "refund", too_much).await.refused(422, "validation_failed");
    operator.does(&customer.id, "refund", json!({ "amount": "1000", "reason": "payout_rejected" })).await;
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    operator.does(&customer.id, "refund_sent", json!({ "txId": "refund-1" })).await;
    operator.does(&customer.id, "refund_done", json!({})).await;

    assert_eq!(reserve(&app, "SBERRUB").await, (roubles.0 - 100_000, 0), "the part that arrived is gone, the rest is back");
    let exchanged = reserve(&app, "BTC").await.0 - bitcoins.0;
    let share = 1_000_000 * 100_000 / units(&whole, 2);
    assert_eq!(exchanged, share, "the exchanged share stays in the reserve, rounded in the customer's favour");
    app.assert_ledger_is_clean().await;
}

async fn a_transaction_pays_one_claim(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (one, two) = (TestCustomer::orders(&app, "0.01").await, TestCustomer::orders(&app, "0.02").await);
    for customer in [&one, &two] {
        customer.does("confirm").await.ok();
    }
    operator.does(&one.id, "payment_seen", json!({ "txId": "the-transaction" })).await;
    let refused = operator.tries(&two.id, "payment_seen", json!({ "txId": "the-transaction" })).await;
    let problem = refused.refused(422, "validation_failed");
    assert_eq!(problem["errors"]["txId"][0]["code"], "payment_of_another_claim");
    assert_eq!(two.status().await, "awaiting_payment");
}

/// A claim for an amount of a currency that was cancelled unpaid.
async fn cancelled(app: &TestApp, code: &str, send: &str, email: &str) -> TestCustomer {
    let pair = pair(app, code, "SBERRUB", send);
    let mut body = order(app, "0.01", email);
    let asked = [("fromPs", json!(pair.from)), ("fromSumma", json!(send)), ("toSumma", json!(pair.receive))];
    body.as_object_mut().unwrap().extend(asked.map(|(name, value)| (name.to_owned(), value)));
    let caller = app.visitor();
    let made = caller.post("/api/v1/claim/", body).await.ok();
    let customer = TestCustomer { caller, id: made["id"].as_str().unwrap().into(), number: made["publicId"].as_i64().unwrap() };
    customer.does("cancel").await.ok();
    customer
}

async fn a_transaction_in_another_spelling_pays_no_other_claim(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.captcha": "false" })).await.ok();
    let operator = Operator::at(&app).await;
    let hash = "97264395bd65a255a429b11326c84128b7d70ffed7949abae3036d506ba38621";
    let signature = format!("5VERv8NMvzbJMEkV8xnrLkEaWRtSz9Co{}", "sKDYjCJj".repeat(7));
    let ton = "lyZDlb1lolWkKbETJshBKLfXD_7XlJq64wNtUGujhiE=";
    let spellings = [
        ("BTC", "0.01", hash, vec![format!("https://mempool.space/tx%2F{hash}"), format!("{}-{}", &hash[..32], &hash[32..])]),
        ("SOL", "5", signature.as_str(), vec![format!("https://solscan.io/tx/{signature}"), format!("{signature}:0")]),
        ("TON", "150", ton, vec![format!("https://tonscan.org/tx/{ton}")]),
    ];
    let code_of = |problem: Value| problem["errors"]["txId"][0]["code"].as_str().unwrap_or_default().to_owned();
    for (code, amount, id, others) in spellings {
        let (one, two) =
            (cancelled(&app, code, amount, "one@example.com").await, cancelled(&app, code, amount, "two@example.com").await);
        operator.does(&one.id, "late_payment", json!({ "amount": amount, "txId": id })).await;
        for other in others {
            let refused = operator.tries(&two.id, "late_payment", json!({ "amount": amount, "txId": other })).await;
            assert_eq!(code_of(refused.refused(422, "validation_failed")), "payment_of_another_claim", "{code} {other}");
        }
        // A digit in its full width, and a Cyrillic letter.
        for (letter, other) in [("7", "\u{ff17}"), ("a", "\u{430}"), ("C", "\u{421}")] {
            let alike = json!({ "amount": amount, "txId": id.replacen(letter, other, 1) });
            if id.contains(letter) {
                let refused = operator.tries(&two.id, "late_payment", alike).await.refused(422, "validation_failed");
                assert_eq!(code_of(refused), "tx_id_characters", "{code} {other}");
            }
        }
    }
}

/// One transaction may pay several claims, so another that records it is shown and not refused.
async fn a_transaction_of_several_claims_is_shown_in_each(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.captcha": "false" })).await.ok();
    let operator = Operator::at(&app).await;
    let shared = |claim: Value| claim["sharedTransactions"].clone();
    let naming = |tx_id: &str, others: &[&TestCustomer]| {
        let claims: Vec<_> = others.iter().map(|other| json!({ "id": other.id, "publicId": other.number })).collect();
        json!([{ "txId": tx_id, "claims": claims }])
    };
    let hash = "97264395bd65a255a429b11326c84128b7d70ffed7949abae3036d506ba38621";
    let link = format!("https://explorer.example/tx/{hash}");
    let bitcoin = cancelled(&app, "BTC", "0.01", "one@example.com").await;
    operator.does(&bitcoin.id, "late_payment", json!({ "amount": "0.01", "txId": hash })).await;
    assert_eq!(shared(operator.sees(&bitcoin.id).await), json!([]));
    let solana = cancelled(&app, "SOL", "5", "two@example.com").await;
    let seen = operator.does(&solana.id, "late_payment", json!({ "amount": "5", "txId": link })).await;
    assert_eq!(shared(seen), naming(&link, &[&bitcoin]), "a payment in another currency");
    assert_eq!(shared(operator.sees(&bitcoin.id).await), naming(hash, &[&solana]));

    let (first, second) = (TestCustomer::reports(&app, "0.01").await, TestCustomer::reports(&app, "0.011").await);
    for (customer, reference) in [(&first, "Перевод ORDER 77"), (&second, "Перевод order 77")] {
        operator.does(&customer.id, "payment_received", json!({})).await;
        operator.does(&customer.id, "take", json!({})).await;
        operator.does(&customer.id, "payout_sent", json!({ "txId": reference })).await;
    }
    assert_eq!(shared(operator.sees(&second.id).await), naming("Перевод order 77", &[&first]), "two payouts");
    let (third, operator) = late(&app).await;
    third.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    let refunded = operator.does(&third.id, "refund_sent", json!({ "txId": "Перевод ORDER 77" })).await;
    assert_eq!(shared(refunded), naming("Перевод ORDER 77", &[&first, &second]), "a refund and two payouts");
    let paid = operator.sees(&first.id).await;
    assert_eq!(shared(paid), naming("Перевод ORDER 77", &[&second, &third]), "a payout and a refund");

    let listed = |text: &str| {
        let path = format!("/api/admin/v1/claims?transaction={}", text.replace(' ', "%20"));
        let console = &operator.0;
        async move {
            let page = console.get(&path).await.ok();
            page["items"].as_array().unwrap().iter().map(|row| row["publicId"].as_i64().unwrap()).collect::<Vec<_>>()
        }
    };
    assert_eq!(listed(&link).await, [bitcoin.number, solana.number], "before it is recorded");
    assert_eq!(listed(&format!("in-{}", first.id)).await, [first.number]);
    assert_eq!(listed(&bitcoin.number.to_string()).await, [0; 0], "not a search");
}

async fn a_payment_on_a_network_is_booked_with_its_transaction(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (one, two) = (TestCustomer::reports(&app, "0.01").await, TestCustomer::reports(&app, "0.02").await);
    for (action, amount) in [("payment_received", "0.01"), ("amount_mismatch", "0.008")] {
        let unnamed = operator.tries(&one.id, action, json!({ "amount": amount, "txId": "" })).await;
        assert_eq!(unnamed.refused(422, "validation_failed")["errors"]["txId"][0]["code"], "required", "{action}");
    }
    operator.does(&one.id, "payment_received", json!({ "txId": "the-transaction" })).await;
    let again = operator.tries(&two.id, "payment_received", json!({ "txId": "the-transaction" })).await;
    assert_eq!(again.refused(422, "validation_failed")["errors"]["txId"][0]["code"], "payment_of_another_claim");
    // One that is recorded already need not be named again.
    operator.does(&two.id, "payment_seen", json!({ "txId": "another" })).await;
    let seen = operator.sees(&two.id).await;
    let received = seen["transitions"].as_array().unwrap().iter().find(|row| row["action"] == "payment_received").unwrap();
    assert_eq!(received["needs"], json!([]));
    operator.does(&two.id, "payment_received", json!({})).await;
    app.assert_ledger_is_clean().await;
}

/// Anything else with a transaction would be shown as the customer's payment.
async fn only_a_payment_names_its_transaction(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::reports(&app, "0.01").await;
    operator.does(&customer.id, "payment_received", json!({ "txId": "the-payment" })).await;
    let named = operator.tries(&customer.id, "take", json!({ "txId": "not-a-payment" })).await;
    assert_eq!(named.refused(422, "validation_failed")["errors"]["txId"][0]["code"], "unknown_field");
    operator.does(&customer.id, "take", json!({})).await;
    operator.does(&customer.id, "payout_sent", json!({ "txId": "the-payout" })).await;
    let part = json!({ "amount": "1000", "txId": "a-part" });
    operator.tries(&customer.id, "payout_partial", part).await.refused(422, "validation_failed");
    let seen = operator.sees(&customer.id).await;
    assert_eq!((&seen["txIn"], &seen["status"]), (&json!("the-payment"), &json!("payout_sent")), "{seen}");
}

async fn two_operators_do_not_act_on_one_claim_unknowingly(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (anna, boris) = (Operator::at(&app).await, Operator(app.owner().await));
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let path = format!("/api/admin/v1/claims/{}", customer.id);

    let old = anna.sees(&customer.id).await["revision"].clone();
    boris.does(&customer.id, "payment_received", json!({})).await;
    let stale = json!({ "action": "payment_received", "revision": old });
    anna.0.post(&format!("{path}/transitions"), stale).await.refused(409, "claim_changed");

    boris.0.post_empty(&format!("{path}/lock")).await.ok();
    let locked = anna.tries(&customer.id, "take", json!({})).await.refused(409, "claim_locked");
    assert_eq!(locked["params"]["name"], "owner");
    anna.0.post_empty(&format!("{path}/unlock")).await.refused(409, "claim_locked");
    let refused = anna.0.post_empty(&format!("{path}/lock?ifFree=true")).await.refused(409, "claim_locked");
    assert_eq!(refused["params"]["name"], "owner");
    boris.0.post_empty(&format!("{path}/lock?ifFree=true")).await.ok();
    assert_eq!(anna.sees(&customer.id).await["holder"]["name"], "owner");
    let taken_over = anna.0.post_empty(&format!("{path}/lock")).await.ok();
    assert_eq!(taken_over["holder"]["name"], "operator");
    anna.pays_out(&customer.id).await;
    let steps = anna.sees(&customer.id).await["timeline"].clone();
    assert_eq!(steps.as_array().unwrap().iter().filter(|step| step["action"] == "lock").count(), 2);
}

both_engines!(
    money_that_came_late_is_exchanged_as_agreed_while_the_rate_stands,
    what_an_operator_saw_late_passes_by_the_tolerance_of_the_direction,
    money_that_came_late_is_exchanged_at_new_terms,
    money_that_came_late_is_returned,
    a_payout_that_comes_back_undoes_the_exchange,
    another_amount_is_exchanged_when_the_customer_agrees,
    a_customer_tops_up_what_was_too_little,
    a_choice_nobody_makes_goes_to_an_operator,
    a_stopped_claim_goes_on_where_it_was,
    a_payout_that_arrived_in_part_is_settled_in_part,
    a_transaction_pays_one_claim,
    a_transaction_in_another_spelling_pays_no_other_claim,
    a_transaction_of_several_claims_is_shown_in_each,
    a_payment_on_a_network_is_booked_with_its_transaction,
    only_a_payment_names_its_transaction,
    two_operators_do_not_act_on_one_claim_unknowingly,
);
