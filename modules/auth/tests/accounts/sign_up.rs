//! Sign-up and confirmation of the address.

use std::time::Duration;

use agio_test_app::{Database, Engine, TestApp, TestClient, TestCustomer, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{audit_actions, try_sign_in};

const HOUR: Duration = Duration::from_secs(60 * 60);

async fn sign_up_activation_and_sign_in(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::sign_up(&app, "Ivan@Example.com").await;
    ivan.email = "ivan@example.com".into();
    let session = ivan.sign_in().await.ok();
    assert_eq!(session["expiresIn"], 600);
    assert_eq!(session["user"]["activated"], false);
    assert_eq!(session["user"], ivan.me().await.ok());

    let token = ivan.token(&app, "account_activation").await;
    assert!(token.len() >= 43, "256 bits: {token}");
    let activate = format!("/en/api/v1/users/activate/{token}/");
    let response = ivan.caller.post_empty(&activate).await.ok();
    assert_eq!(response, json!({ "notification": { "title": "Notification", "message": "Account successfully activated" } }));
    let me = ivan.me().await.ok();
    assert_eq!(me["activated"], true);
    let keys: Vec<_> = me.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["activated", "bonus", "createdAt", "email", "id", "language", "recoveryCodes", "totp"]);
    assert_eq!((&me["email"], &me["language"], &me["bonus"]), (&json!("ivan@example.com"), &json!("ru"), &json!("0")));
    ivan.caller.post_empty(&activate).await.refused(404, "link_not_valid");
    let id = me["id"].as_str().unwrap();
    assert_eq!(audit_actions(&app, id).await, ["customer.signed_up", "customer.signed_in", "customer.activated"]);
}

async fn activation_is_in_russian_without_a_prefix(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut olga = TestCustomer::sign_up(&app, "olga@example.com").await;
    olga.sign_in().await.ok();
    let token = olga.token(&app, "account_activation").await;
    let response = olga.caller.post(&format!("/api/v1/users/activate/{token}/"), json!({})).await.ok();
    assert_eq!(response["notification"], json!({ "title": "Уведомление", "message": "Аккаунт успешно активирован" }));
}

async fn activate(customer: &TestCustomer, token: &str) -> TestResponse {
    customer.caller.post(&format!("/api/v1/users/activate/{token}/"), json!({})).await
}

async fn activation_link_expires_and_is_replaced(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    ivan.sign_in().await.ok();
    let first = ivan.token(&app, "account_activation").await;
    ivan.caller.post_empty("/api/v1/users/reactivate/").await.ok();
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let second = ivan.token(&app, "account_activation").await;
    assert_ne!(first, second);
    activate(&ivan, &first).await.refused(404, "link_not_valid");
    app.advance_clock(24 * HOUR);
    ivan.refresh().await.ok();
    activate(&ivan, &second).await.refused(404, "link_not_valid");
    activate(&ivan, &"0".repeat(43)).await.refused(404, "link_not_valid");
    app.visitor().post("/api/v1/users/reactivate/", json!({ "email": "ivan@example.com" })).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let third = ivan.token(&app, "account_activation").await;
    activate(&ivan, &third).await.ok();

    // An active account gets no further link.
    let mails = app.emails_to(&ivan.email).await.len();
    app.visitor().post("/api/v1/users/reactivate/", json!({ "email": "ivan@example.com" })).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    assert_eq!(app.emails_to(&ivan.email).await.len(), mails);
}

/// Somebody signs up with the address of another, who opens the link of the email.
async fn an_activation_link_alone_confirms_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut thief = TestCustomer::sign_up(&app, "ivan@example.com").await;
    thief.sign_in().await.ok();
    let token = thief.token(&app, "account_activation").await;
    activate(&TestCustomer::new(&app, "ivan@example.com"), &token).await.refused(401, "token_not_valid");
    activate(&TestCustomer::registered(&app, "olga@example.com").await, &token).await.refused(404, "link_not_valid");
    assert_eq!(thief.me().await.ok()["activated"], false);
    // None of this used the link.
    activate(&thief, &token).await.ok();
}

async fn second_sign_up_notifies_the_owner(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    let second_visitor = app.visitor();
    let again = json!({ "email": " IVAN@example.com ", "password": "yet another horse" });
    second_visitor.post("/api/v1/users/signup/", again).await.ok();
    app.run_auth_requests().await;
    try_sign_in(&second_visitor, "ivan@example.com", "yet another horse").await.refused(401, "wrong_credentials");
    ivan.sign_in().await.ok();
    let mail = ivan.newest_email(&app, "account_exists").await;
    assert_eq!(mail.subject, "У вас уже есть аккаунт");
    let token = ivan.token(&app, "account_exists").await;
    ivan.password = "quite another horse".into();
    let new = json!({ "password": ivan.password });
    app.visitor().post(&format!("/api/v1/users/restore/{token}/"), new).await.ok();
    ivan.sign_in().await.ok();
    assert_eq!(ivan.me().await.ok()["activated"], true, "the link came by mail, so the address is confirmed");
}

async fn first_of_concurrent_sign_ups_wins(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::new(&app, "ivan@example.com");
    ivan.caller.post("/api/v1/users/signup/", json!({ "email": ivan.email, "password": ivan.password })).await.ok();
    app.advance_clock(Duration::from_millis(1));
    let second_visitor = app.visitor();
    let other = json!({ "email": ivan.email, "password": "yet another horse" });
    second_visitor.post("/api/v1/users/signup/", other).await.ok();
    assert!(app.emails_to(&ivan.email).await.is_empty(), "nothing is done before the response");
    app.run_auth_requests().await;
    try_sign_in(&second_visitor, "ivan@example.com", "yet another horse").await.refused(401, "wrong_credentials");
    ivan.sign_in().await.ok();
    let kinds: Vec<_> = app.emails_to(&ivan.email).await.into_iter().map(|mail| mail.kind).collect();
    assert_eq!(kinds, ["account_activation", "account_exists"]);
    app.run_auth_requests().await;
    assert_eq!(app.emails_to(&ivan.email).await.len(), 2, "a request is answered once");
}

async fn sign_up_errors_name_the_fields(engine: Engine) {
    let app = TestApp::start(engine).await;
    let long = "я".repeat(129);
    for (email, password, field, code) in [
        ("ivan@", TestCustomer::PASSWORD, "email", "bad_email"),
        ("a@example.com\r\nBcc: b@example.com", TestCustomer::PASSWORD, "email", "bad_email"),
        ("ivan@example.com", "nine char", "password", "password_length"),
        ("ivan@example.com", long.as_str(), "password", "password_length"),
        ("ivan@example.com", "1234567890", "password", "password_common"),
        ("ivan@example.com", "Password123!", "password", "password_common"),
        ("ivan@example.com", "agio-ivan-2024", "password", "password_common"),
    ] {
        let caller = app.visitor().from_address("192.0.2.1");
        for (root, letters) in [("", 'а'..='я'), ("/en", 'a'..='z')] {
            let new = json!({ "email": email, "password": password });
            let answer = caller.post(&format!("{root}/api/v1/users/signup/"), new).await;
            if answer.status == 429 {
                app.advance_clock(24 * HOUR);
                continue;
            }
            let problem = answer.refused(422, "validation_failed");
            let found = &problem["errors"][field][0];
            assert_eq!(found["code"], code, "{problem}");
            assert!(found["message"].as_str().unwrap().chars().any(|c| letters.contains(&c)), "{problem}");
        }
        app.advance_clock(24 * HOUR);
    }
    let all = json!({ "email": "ivan@", "password": "nine char", "refferal": "x".repeat(65) });
    let refused = app.visitor().post("/api/v1/users/signup/", all).await.refused(422, "validation_failed");
    let codes = ["email", "password", "refferal"].map(|field| refused["errors"][field][0]["code"].clone());
    assert_eq!(codes, ["bad_email", "password_length", "text_too_long"]);
    let role = json!({ "email": "ivan@example.com", "password": TestCustomer::PASSWORD, "activated": true });
    app.visitor().post("/api/v1/users/signup/", role).await.refused(400, "malformed_body");
}

async fn sign_in_language_sets_the_email_language(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let login = json!({ "email": ivan.email, "password": ivan.password });
    let session = ivan.caller.post("/front-api/auth/login/?locale=en", login.clone()).await.ok();
    assert_eq!(session["user"]["language"], "en");
    ivan.caller.post("/api/v1/users/restore/", json!({ "email": ivan.email })).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let mail = ivan.newest_email(&app, "password_restore").await;
    assert_eq!(mail.subject, "Reset your password");
    assert!(mail.text.contains("/en/recover#token="), "{}", mail.text);
    let session = ivan.caller.post("/en/front-api/auth/login/?locale=ru", login.clone()).await.ok();
    assert_eq!(session["user"]["language"], "ru");
    let session = ivan.caller.post("/en/front-api/auth/login/", login).await.ok();
    assert_eq!(session["user"]["language"], "en");
    ivan.sign_in().await.ok();
}

/// The answers stay the same for addresses with an account and without one.
async fn without_a_mail_server_no_link_is_promised(engine: Engine) {
    let app = TestApp::start_with(Database::with_market(engine).await, |config| config.is_demo = false).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let said = async |caller: &TestClient, path: &str, body: Value| {
        let answer = caller.post(&format!("/en/api/v1/users/{path}"), body).await.ok();
        answer["notification"]["message"].as_str().unwrap().to_owned()
    };
    let off = "We are not sending emails at the moment, so no link will arrive. Please contact support.";
    let change = json!({ "email": "ivan@example.org", "password": ivan.password });
    assert_eq!(said(&ivan.caller, "me/email/", change).await, off);
    // The attempts of the sign-up are forgotten.
    app.advance_clock(HOUR);
    let visitor = app.visitor();
    for email in ["ivan@example.com", "olga@example.com"] {
        let new = json!({ "email": email, "password": TestCustomer::PASSWORD });
        assert_eq!(said(&visitor, "signup/", new).await, off);
        assert_eq!(said(&visitor, "reactivate/", json!({ "email": email })).await, off);
        assert_eq!(said(&visitor, "restore/", json!({ "email": email })).await, off);
    }
}

both_engines!(
    sign_up_activation_and_sign_in,
    activation_is_in_russian_without_a_prefix,
    activation_link_expires_and_is_replaced,
    an_activation_link_alone_confirms_nothing,
    second_sign_up_notifies_the_owner,
    first_of_concurrent_sign_ups_wins,
    sign_up_errors_name_the_fields,
    without_a_mail_server_no_link_is_promised,
    sign_in_language_sets_the_email_language,
);
