//! Password reset by e-mail.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use serde_json::json;

use crate::fixtures::{WRONG, access_token, at_another_address, audit_actions, get_me, try_sign_in};

const MINUTE: Duration = Duration::from_secs(60);

/// Requests a link and returns its token.
async fn request_reset(app: &TestApp, customer: &TestCustomer) -> String {
    app.visitor().post("/api/v1/users/restore/", json!({ "email": customer.email })).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    customer.token(app, "password_restore").await
}

async fn password_reset_revokes_all_sessions(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut phone = at_another_address(&app, &ivan, "192.0.2.7");
    let session = phone.sign_in().await;
    let token = request_reset(&app, &ivan).await;
    let restore = format!("/api/v1/users/restore/{token}/");

    // The link stays valid after a weak password.
    let common = app.visitor().post(&restore, json!({ "password": "qwertyuiop" })).await.refused(422, "validation_failed");
    assert_eq!(common["errors"]["password"][0]["code"], "password_common");
    let answer = app.visitor().post(&restore, json!({ "password": "quite another horse" })).await;
    assert!(answer.headers.get("set-cookie").is_none());
    assert_eq!(answer.ok()["notification"]["title"], "Уведомление");

    ivan.me().await.refused(401, "token_not_valid");
    get_me(&app, &access_token(&session)).await.refused(401, "token_not_valid");
    ivan.refresh().await.refused(401, "token_not_valid");
    phone.refresh().await.refused(401, "token_not_valid");
    ivan.sign_in().await.refused(401, "wrong_credentials");
    ivan.password = "quite another horse".into();
    let id = ivan.sign_in().await.ok()["user"]["id"].as_str().unwrap().to_owned();
    app.visitor().post(&restore, json!({ "password": "yet another horse" })).await.refused(404, "link_not_valid");
    assert!(ivan.newest_email(&app, "password_restored").await.text.contains("127.0.0.1"));
    let actions = audit_actions(&app, &id).await;
    assert!(
        actions.contains(&"customer.restore_asked".to_owned()) && actions.contains(&"customer.restored".to_owned()),
        "{actions:?}"
    );
}

async fn reset_link_expires_and_is_replaced(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let first = request_reset(&app, &ivan).await;
    let second = request_reset(&app, &ivan).await;
    let reset_with = |token: String| {
        let caller = app.visitor();
        async move { caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": "quite another horse" })).await }
    };
    reset_with(first).await.refused(404, "link_not_valid");
    app.advance_clock(30 * MINUTE);
    reset_with(second).await.refused(404, "link_not_valid");
    let activation = TestCustomer::sign_up(&app, "olga@example.com").await.token(&app, "account_activation").await;
    reset_with(activation).await.refused(404, "link_not_valid");
    reset_with(request_reset(&app, &ivan).await).await.ok();
}

async fn reset_link_ignores_the_host_header(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let caller = app.visitor();
    let request = caller.request(reqwest::Method::POST, "/api/v1/users/restore/").json(&json!({ "email": ivan.email }));
    caller.send(request.header("host", "evil.example").header("x-forwarded-host", "evil.example")).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let text = ivan.newest_email(&app, "password_restore").await.text;
    assert!(text.contains("http://127.0.0.1:8080/recover#token=") && !text.contains("evil"), "{text}");
}

async fn password_reset_clears_the_attempts(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    for host in 0..12 {
        try_sign_in(&app.visitor().from_address(&format!("192.0.2.{host}")), &ivan.email, WRONG).await;
    }
    ivan.sign_in().await.refused(429, "too_many_attempts");
    let token = request_reset(&app, &ivan).await;
    ivan.password = "quite another horse".into();
    ivan.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": ivan.password })).await.ok();
    ivan.sign_in().await.ok();
}

/// Anybody can sign up with any address, so its owner gets a new, empty account.
async fn unconfirmed_account_is_replaced(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut squatter = TestCustomer::sign_up(&app, "ivan@example.com").await;
    let before = squatter.sign_in().await.ok()["user"]["id"].as_str().unwrap().to_owned();
    let late = squatter.token(&app, "account_activation").await;

    let mut owner = at_another_address(&app, &squatter, "192.0.2.7");
    let token = request_reset(&app, &owner).await;
    owner.password = "quite another horse".into();
    owner.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": owner.password })).await.ok();
    let user = owner.sign_in().await.ok()["user"].clone();
    assert_ne!(user["id"], json!(before));
    assert_eq!((&user["email"], &user["activated"]), (&json!("ivan@example.com"), &json!(true)));

    squatter.me().await.refused(401, "token_not_valid");
    squatter.refresh().await.refused(401, "token_not_valid");
    squatter.sign_in().await.refused(401, "wrong_credentials");
    squatter.email = format!("{before}@abandoned.invalid");
    let refused = squatter.sign_in().await;
    assert!(refused.status.is_client_error(), "{}", refused.text);
    owner.caller.post(&format!("/api/v1/users/activate/{late}/"), json!({})).await.refused(404, "link_not_valid");
    assert!(audit_actions(&app, &before).await.contains(&"customer.abandoned".to_owned()));

    // An account with a confirmed address stays the same.
    let token = request_reset(&app, &owner).await;
    owner.password = "yet another horse".into();
    owner.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": owner.password })).await.ok();
    assert_eq!(owner.sign_in().await.ok()["user"]["id"], user["id"]);
}

both_engines!(
    unconfirmed_account_is_replaced,
    password_reset_revokes_all_sessions,
    reset_link_expires_and_is_replaced,
    reset_link_ignores_the_host_header,
    password_reset_clears_the_attempts,
);
