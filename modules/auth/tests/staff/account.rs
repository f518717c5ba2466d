//! A staff member's own account.

use std::time::Duration;

use agio_auth::PasswordCost;
use agio_core::identity::Role;
use agio_test_app::{Database, Engine, TestApp, both_engines};
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::fixtures::{PASSWORD, StaffMember, WRONG, app_with_required_second_factor, try_sign_in};

async fn password_change_revokes_other_sessions(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    anna.sign_in(&app).await.ok();
    let mut phone = anna.at_another_address(&app, "192.0.2.7");
    phone.sign_in(&app).await.ok();
    let change = async |old: &str, new: &str| anna.post("/me/password", json!({ "oldPassword": old, "newPassword": new })).await;
    let wrong = change(WRONG, "quite another horse entirely").await.refused(422, "validation_failed");
    assert_eq!(wrong["errors"]["oldPassword"][0]["code"], "wrong_password");
    for (unfit, code) in [("another horse", "password_length"), ("anna@agio.example", "password_common")] {
        let refused = change(PASSWORD, unfit).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["newPassword"][0]["code"], code);
    }
    assert_eq!(change(PASSWORD, "quite another horse entirely").await.status, 204);
    anna.me().await.ok();
    phone.me().await.refused(401, "token_not_valid");
    phone.sign_in(&app).await.refused(401, "wrong_credentials");
    anna.newest_email(&app, "staff_password_changed").await;
}

async fn owner_revokes_sessions(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    anna.sign_in(&app).await.ok();
    let mut phone = anna.at_another_address(&app, "192.0.2.7");
    phone.sign_in(&app).await.ok();
    let boris = StaffMember::with_second_factor(&app, "boris@agio.example", Role::Operator).await;
    let seen = anna.get("/me/sessions").await.ok();
    assert_eq!((&seen[0]["address"], &seen[0]["current"]), (&json!("192.0.2.7"), &json!(false)));
    let path = format!("/me/sessions/{}", seen[0]["id"].as_str().unwrap());
    boris.delete(&path).await.refused(404, "session_not_found");
    assert_eq!(anna.delete(&path).await.status, 204);
    phone.me().await.refused(401, "token_not_valid");
    phone.sign_in(&app).await.ok();
    assert_eq!(anna.delete("/me/sessions").await.status, 204);
    phone.me().await.refused(401, "token_not_valid");
    anna.me().await.ok();
    assert_eq!(anna.get("/me/sessions").await.ok().as_array().unwrap().len(), 1);
}

async fn sign_in_from_a_new_device_is_reported(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    let emails = async || app.emails_to("anna@agio.example").await.iter().filter(|mail| mail.kind == "staff_new_sign_in").count();
    anna.sign_in(&app).await.ok();
    assert_eq!(emails().await, 0, "the browser is known, and so is the address");
    anna.caller = anna.caller.clone().from_address("198.51.100.1");
    anna.sign_in(&app).await.ok();
    assert_eq!(emails().await, 0, "the browser is known");
    let mut thief = anna.at_another_address(&app, "203.0.113.9");
    thief.sign_in(&app).await.ok();
    assert_eq!(emails().await, 1);
    thief.sign_in(&app).await.ok();
    assert_eq!(emails().await, 1);
    assert!(anna.newest_email(&app, "staff_new_sign_in").await.text.contains("203.0.113.9"));
}

async fn reused_cookie_revokes_the_session_and_is_reported(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    let opened = anna.sign_in(&app).await;
    let cookie =
        opened.headers.get_all("set-cookie").iter().find_map(|value| value.to_str().unwrap().strip_prefix("agio_staff="));
    let copied = cookie.unwrap().split(';').next().unwrap().to_owned();
    anna.caller.post_empty("/api/admin/v1/auth/refresh").await.ok();
    app.advance_clock(Duration::from_secs(60));
    let thief = app.visitor();
    let request = thief.request(reqwest::Method::POST, "/api/admin/v1/auth/refresh");
    thief.send(request.header("cookie", format!("agio_staff={copied}"))).await.refused(401, "token_not_valid");
    anna.me().await.refused(401, "token_not_valid");
    anna.newest_email(&app, "staff_session_copied").await;
}

async fn failed_attempts_do_not_lock_out_the_account(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    anna.sign_in(&app).await.ok();
    for host in 0..40 {
        let caller = app.visitor().from_address(&format!("203.0.113.{host}"));
        try_sign_in(&caller, &anna.email, WRONG, None).await;
    }
    let attacker = app.visitor().from_address("203.0.113.99");
    try_sign_in(&attacker, &anna.email, WRONG, None).await.refused(429, "too_many_attempts");
    anna.sign_in(&app).await.ok();
}

/// Staff sign in while customers wait for theirs.
async fn staff_do_not_wait_for_customer_hashing(engine: Engine) {
    const CUSTOMERS: u8 = 40;
    let database = Database::with_market(engine).await;
    let app = TestApp::start_with(database, |config| config.password_cost = PasswordCost::default()).await;
    app.operator().await;
    let sign_in = |number: u8| {
        let caller = app.visitor().from_address(&format!("192.0.2.{number}"));
        let login = json!({ "email": format!("customer{number}@example.com"), "password": WRONG });
        async move { caller.post("/front-api/auth/login/", login).await.refused(401, "wrong_credentials") }
    };
    let mut customers: JoinSet<_> = (0..CUSTOMERS).map(sign_in).collect();
    customers.join_next().await.unwrap().unwrap();
    app.staff_unconfirmed(Role::Operator).await;
    let waiting = customers.len() - std::iter::from_fn(|| customers.try_join_next()).count();
    assert!(waiting > usize::from(CUSTOMERS) / 2, "only {waiting} customers are still waiting");
}

async fn cross_site_sign_out_is_rejected(engine: Engine) {
    let app = TestApp::start(engine).await;
    let anna = app.operator().await;
    let form =
        anna.request(Method::POST, "/api/admin/v1/auth/logout").header("content-type", "application/x-www-form-urlencoded");
    let refused = anna.send(form.header("sec-fetch-site", "cross-site").header("origin", "https://evil.example")).await;
    assert!(!refused.headers.contains_key("set-cookie"), "no cookie is set for a foreign page");
    refused.refused(401, "token_not_valid");
    anna.get("/api/admin/v1/auth/me").await.ok();
    anna.post_empty("/api/admin/v1/auth/refresh").await.ok();
}

both_engines!(
    staff_do_not_wait_for_customer_hashing,
    cross_site_sign_out_is_rejected,
    password_change_revokes_other_sessions,
    owner_revokes_sessions,
    sign_in_from_a_new_device_is_reported,
    reused_cookie_revokes_the_session_and_is_reported,
    failed_attempts_do_not_lock_out_the_account,
);
