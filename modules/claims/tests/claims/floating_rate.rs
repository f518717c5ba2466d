//! A floating direction promises no rate, so no time runs out on one.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Operator, TestCustomer, pair};
use crate::limits::changes_pair;

async fn a_floating_rate_is_that_of_the_payment_and_no_promise_is_counted_down(engine: Engine) {
    let app = TestApp::start(engine).await;
    changes_pair(&app, json!({ "floating": true })).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
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
    app.assert_ledger_is_clean().await;
}

both_engines!(a_floating_rate_is_that_of_the_payment_and_no_promise_is_counted_down);
