//! Finding one's claims again by the e-mail address they were made with.

use std::time::Duration;

use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse, both_engines};
use serde_json::json;

use crate::fixtures::{TestCustomer, solved};

async fn asks(caller: &TestClient, email: &str) -> TestResponse {
    caller.post("/en/api/v1/claim/find/", json!({ "email": email })).await
}

/// The emails with links that an address received.
async fn found(app: &TestApp, email: &str) -> Vec<String> {
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    app.emails_to(email).await.into_iter().filter(|mail| mail.kind == "claims_found").map(|mail| mail.text).collect()
}

async fn an_email_leads_to_open_and_recent_claims(engine: Engine) {
    let app = TestApp::start(engine).await;
    let old = TestCustomer::orders_as(&app, "0.01", "ivan@example.com").await;
    old.does("cancel").await.ok();
    app.advance_and_run_jobs(Duration::from_secs(31 * 86_400)).await;
    let ended = TestCustomer::orders_as(&app, "0.011", "ivan@example.com").await;
    ended.does("cancel").await.ok();
    let open = TestCustomer::orders_as(&app, "0.012", "Ivan@Example.com").await;
    let other = TestCustomer::orders_as(&app, "0.013", "olga@example.com").await;

    let known = asks(&app.visitor(), " IVAN@example.com ").await.ok();
    let unknown = asks(&app.visitor(), "nobody@example.com").await.ok();
    assert_eq!(known, unknown, "the answer does not tell whether there are claims");
    let emails = found(&app, "ivan@example.com").await;
    assert_eq!(emails.len(), 1);
    for (claim, is_listed) in [(&open, true), (&ended, true), (&old, false), (&other, false)] {
        assert_eq!(emails[0].contains(&format!("/en/claim/{}", claim.id)), is_listed, "{}", emails[0]);
    }
    assert!(found(&app, "nobody@example.com").await.is_empty());
    let about = app.owner().await.get(&format!("/api/admin/v1/audit?aboutKind=claim&aboutId={}", open.number)).await.ok();
    assert_eq!(about["items"][0]["action"], "claim.links_sent");
}

async fn a_number_leads_to_an_older_claim_of_the_address(engine: Engine) {
    let app = TestApp::start(engine).await;
    let old = TestCustomer::orders_as(&app, "0.01", "ivan@example.com").await;
    old.does("cancel").await.ok();
    app.advance_and_run_jobs(Duration::from_secs(31 * 86_400)).await;
    let open = TestCustomer::orders_as(&app, "0.012", "ivan@example.com").await;
    let other = TestCustomer::orders_as(&app, "0.013", "olga@example.com").await;
    let ask = |number: String| {
        let caller = app.visitor();
        let number: i64 = number.parse().unwrap();
        async move { caller.post("/en/api/v1/claim/find/", json!({ "email": "ivan@example.com", "number": number })).await.ok() }
    };
    let own = ask(old.number.to_string()).await;
    assert_eq!(own, ask(other.number.to_string()).await, "the answer does not tell whose number it is");
    let emails = found(&app, "ivan@example.com").await;
    let lists = |email: &str, claim: &TestCustomer| email.contains(&format!("/en/claim/{}", claim.id));
    assert!(lists(&emails[0], &old) && lists(&emails[0], &open), "{}", emails[0]);
    assert!(lists(&emails[1], &open) && !lists(&emails[1], &other), "{}", emails[1]);
}

async fn nobody_can_have_an_address_flooded(engine: Engine) {
    let app = TestApp::start(engine).await;
    TestCustomer::orders_as(&app, "0.01", "ivan@example.com").await;
    for number in 0..3 {
        asks(&app.visitor().from_address(&format!("10.0.0.{number}")), "ivan@example.com").await.ok();
    }
    let refused = asks(&app.visitor().from_address("10.0.0.9"), "ivan@example.com").await;
    assert!(refused.headers.contains_key("retry-after"));
    let refused = refused.refused(429, "too_many_attempts");
    assert_eq!(refused["errors"]["recaptcha"][0]["code"], "captcha_required", "{refused}");
    let offer = app.visitor().get("/front-api/auth/captcha/?action=findclaim").await.ok();
    let other = app.visitor().from_address("10.0.0.10");
    let proved = json!({ "email": "ivan@example.com", "recaptcha": solved(&offer["challenge"]) });
    other.post("/api/v1/claim/find/", proved.clone()).await.ok();
    other.post("/api/v1/claim/find/", proved).await.refused(422, "captcha_invalid");
    asks(&app.visitor(), "not an address").await.refused(422, "validation_failed");
    assert_eq!(found(&app, "ivan@example.com").await.len(), 4);
}

async fn without_a_mail_server_no_links_are_promised(engine: Engine) {
    let app = TestApp::start_with(Database::with_market(engine).await, |config| config.is_demo = false).await;
    let _claim = TestCustomer::orders_as(&app, "0.01", "ivan@example.com").await;
    let known = asks(&app.visitor(), "ivan@example.com").await.ok();
    assert_eq!(known["title"], "No email will arrive");
    assert_eq!(known, asks(&app.visitor(), "nobody@example.com").await.ok());
}

both_engines!(
    an_email_leads_to_open_and_recent_claims,
    a_number_leads_to_an_older_claim_of_the_address,
    nobody_can_have_an_address_flooded,
    without_a_mail_server_no_links_are_promised,
);
