//! A floating direction promises no rate, so no time runs out on one.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::amounts::mismatched;
use crate::disputes::accepted;
use crate::fixtures::{Operator, TestCustomer, pair, units};
use crate::limits::changes_pair;

async fn a_floating_rate_is_that_of_the_payment_and_no_promise_is_counted_down(engine: Engine) {
    let app = TestApp::start(engine).await;
    changes_pair(&app, json!({ "floating": true })).await;
    let customer = TestCustomer::orders_as(&app, "0.01", "anna@example.com").await;
    let shown = customer.look("form").await.ok()["to"]["amount"].clone();
    let confirmed = customer.does("confirm").await.ok();
    let reported = customer.does("paid").await.ok();
    assert_eq!((&confirmed["termsEnd"], &reported["termsEnd"]), (&Value::Null, &Value::Null));
    app.advance_and_run_jobs(Duration::from_secs(40 * 60)).await;
    changes_pair(&app, json!({ "spreadPercent": "12" })).await;
    let operator = Operator::at(&app).await;
    assert_eq!(operator.sees(&customer.id).await["terms"], Value::Null, "nothing was promised that could have ended");
    assert_eq!(operator.does(&customer.id, "payment_received", json!({})).await["status"], "paid", "it is never late");
    let received = customer.look("form").await.ok()["to"]["amount"].clone();
    assert_eq!(received, json!(pair(&app, "BTC", "SBERRUB", "0.01").receive));
    assert_ne!(received, shown);
    app.advance_and_run_jobs(Duration::from_secs(61)).await;
    let mails = app.emails_to("anna@example.com").await;
    let open: Vec<_> = mails.iter().map(|mail| (mail.kind.as_str(), mail.text.contains("Курс сейчас, зафиксируем"))).collect();
    assert_eq!(open.first(), Some(&("claim_awaiting_payment", true)));
    assert_eq!(open.last(), Some(&("claim_paid", false)), "the payment has fixed it");
    assert!(mails[0].text.contains("Получите примерно: "), "{}", mails[0].text);
    let paid = &mails[mails.len() - 1].text;
    assert!(paid.contains("Курс, закреплён при поступлении оплаты: ") && !paid.contains("примерно"), "{paid}");
    app.assert_ledger_is_clean().await;
}

/// In kopecks.
async fn receives(customer: &TestCustomer) -> i64 {
    units(&customer.look("form").await.ok()["to"]["amount"], 2)
}

async fn a_floating_rate_waits_for_a_rate_instead_of_being_the_old_one(engine: Engine) {
    let app = TestApp::start(engine).await;
    changes_pair(&app, json!({ "floating": true })).await;
    let customer = TestCustomer::reports(&app, "0.01").await;
    let shown = receives(&customer).await;
    app.advance_clock(Duration::from_secs(60));
    changes_pair(&app, json!({ "enabled": false })).await;
    let operator = Operator::at(&app).await;
    assert_eq!(operator.does(&customer.id, "payment_received", json!({})).await["status"], "paid");
    operator.tries(&customer.id, "take", json!({})).await.refused(409, "rate_unavailable");
    changes_pair(&app, json!({ "enabled": true, "spreadPercent": "22" })).await;
    operator.does(&customer.id, "take", json!({})).await;
    let fixed = receives(&customer).await;
    assert!(fixed < shown * 9 / 10, "{fixed} of {shown}");
    // It is fixed once.
    changes_pair(&app, json!({ "spreadPercent": "5" })).await;
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out" })).await;
    operator.does(&customer.id, "complete", json!({})).await;
    assert_eq!(receives(&customer).await, fixed);
    app.assert_ledger_is_clean().await;
}

/// A payment of just enough for the minimum would otherwise get the old rate whenever it falls.
async fn a_floating_rate_that_fell_is_that_of_the_payment_below_the_minimum_too(engine: Engine) {
    let app = TestApp::start(engine).await;
    changes_pair(&app, json!({ "floating": true })).await;
    let customer = TestCustomer::reports(&app, "0.01").await;
    let shown = receives(&customer).await;
    app.advance_clock(Duration::from_secs(60));
    let min = format!("{}.{:02}", shown / 100, shown % 100);
    let limits = json!({ "from": { "min": null, "max": null, "step": null }, "to": { "min": min, "max": null, "step": null } });
    changes_pair(&app, json!({ "limits": limits, "spreadPercent": "22" })).await;
    Operator::at(&app).await.does(&customer.id, "payment_received", json!({})).await;
    let fixed = receives(&customer).await;
    assert!(fixed < shown * 9 / 10, "{fixed} of {shown}");
    app.assert_ledger_is_clean().await;
}

/// A payment of a little less would otherwise fix the rate for the time of the offer, to be taken once it has fallen.
async fn an_offer_of_a_floating_claim_ends_when_the_rate_falls(engine: Engine) {
    let app = TestApp::start(engine).await;
    changes_pair(&app, json!({ "floating": true })).await;
    let operator = Operator::at(&app).await;
    let (fallen, kept) =
        (mismatched(&app, &operator, "0.01", "0.0099").await, mismatched(&app, &operator, "0.01", "0.0099").await);
    let offer = kept.look("status").await.ok()["offer"].clone();
    assert_eq!(kept.says("accept", accepted(&offer)).await.ok()["status"], "paid");
    assert_eq!(kept.look("form").await.ok()["to"]["amount"], offer["toSumma"]);

    let offer = fallen.look("status").await.ok()["offer"].clone();
    changes_pair(&app, json!({ "spreadPercent": "12" })).await;
    let refused = fallen.says("accept", accepted(&offer)).await.refused(409, "rate_changed");
    let now = fallen.look("status").await.ok()["offer"].clone();
    assert_eq!(refused["params"]["toSumma"], now["toSumma"]);
    assert!(units(&now["toSumma"], 2) < units(&offer["toSumma"], 2));
    assert_eq!(fallen.says("accept", accepted(&now)).await.ok()["status"], "paid");
    assert_eq!(receives(&fallen).await, units(&now["toSumma"], 2));
    app.assert_ledger_is_clean().await;
}

/// The lower offer would otherwise stay until it ends, as the only one that can be accepted.
async fn an_offer_of_a_floating_claim_rises_with_the_rate(engine: Engine) {
    let app = TestApp::start(engine).await;
    changes_pair(&app, json!({ "floating": true })).await;
    let customer = mismatched(&app, &Operator::at(&app).await, "0.01", "0.0099").await;
    let first = customer.look("status").await.ok()["offer"].clone();
    let spread = |percent: &str| changes_pair(&app, json!({ "spreadPercent": percent }));
    spread("12").await;
    customer.says("accept", accepted(&first)).await.refused(409, "rate_changed");
    let lower = customer.look("status").await.ok()["offer"].clone();
    spread("2.2").await;
    assert_eq!(customer.says("accept", accepted(&lower)).await.ok()["status"], "paid");
    assert_eq!(receives(&customer).await, units(&first["toSumma"], 2));
    app.assert_ledger_is_clean().await;
}

both_engines!(
    a_floating_rate_is_that_of_the_payment_and_no_promise_is_counted_down,
    a_floating_rate_waits_for_a_rate_instead_of_being_the_old_one,
    a_floating_rate_that_fell_is_that_of_the_payment_below_the_minimum_too,
    an_offer_of_a_floating_claim_ends_when_the_rate_falls,
    an_offer_of_a_floating_claim_rises_with_the_rate,
);
