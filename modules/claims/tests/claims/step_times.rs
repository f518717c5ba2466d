//! The steps a claim's page shows, and how long the present one usually takes.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{Operator, TestCustomer};

/// How many completed claims a direction needs.
const NEEDED: u64 = 10;

async fn a_page_shows_each_step_and_how_long_the_next_one_usually_takes(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.captcha": "false" })).await.ok();
    for round in 1..=NEEDED {
        let customer = TestCustomer::orders(&app, "0.001").await;
        customer.does("confirm").await.ok();
        customer.does("paid").await.ok();
        if round == NEEDED {
            let waiting = customer.look("status").await.ok()["waiting"].clone();
            assert!(waiting.is_null(), "nine claims are too few: {waiting}");
        }
        app.advance_and_run_jobs(Duration::from_secs(6 * round)).await;
        Operator::at(&app).await.completes(&customer.id).await;
    }
    // Measurements are used for some minutes.
    app.advance_and_run_jobs(Duration::from_secs(10 * 60)).await;

    let customer = TestCustomer::orders(&app, "0.001").await;
    customer.does("confirm").await.ok();
    app.advance_clock(Duration::from_secs(60));
    let status = customer.does("paid").await.ok();
    let steps: Vec<_> = status["steps"].as_array().unwrap().iter().map(|step| step["status"].clone()).collect();
    assert_eq!(steps, ["created", "awaiting_payment", "payment_claimed"]);
    let waiting = &status["waiting"];
    assert_eq!(waiting["since"], status["steps"][2]["at"]);
    assert_ne!(status["steps"][1]["at"], status["steps"][2]["at"]);
    assert_eq!((&waiting["medianSeconds"], &waiting["usualSeconds"]), (&json!(30), &json!(54)));
}

both_engines!(a_page_shows_each_step_and_how_long_the_next_one_usually_takes);
