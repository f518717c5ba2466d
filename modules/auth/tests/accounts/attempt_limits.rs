//! Limits on attempts, which do not lock out the owner.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use serde_json::json;

use crate::fixtures::{WRONG, at_another_address, audit_actions, solve_captcha, try_sign_in, try_sign_in_with_captcha};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

async fn ten_thousand_wrong_passwords_cost_a_hundred_hashes(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let before = app.server.auth.passwords_checked();
    let mut refused = 0;
    let attacker = app.visitor();
    for round in 0..10_000_u32 {
        // The guessing is spread over a hundred addresses and, as far as that helps, over an hour.
        let attacker = attacker.clone().from_address(&format!("198.18.0.{}", round % 100));
        refused += u32::from(try_sign_in(&attacker, &ivan.email, WRONG).await.status == 429);
        if round % 100 == 0 {
            app.advance_clock(Duration::from_secs(36));
        }
    }
    let compared = app.server.auth.passwords_checked() - before;
    assert!(compared <= 100, "{compared} reached the hash");
    assert!(refused >= 9_900, "{refused}");

    // The owner is not locked out: not where they are signed in, nor in a browser they used, nor in a new one with a
    // captcha.
    ivan.refresh().await.ok();
    ivan.me().await.ok();
    ivan.sign_in().await.ok();
    let new = at_another_address(&app, &ivan, "203.0.113.5");
    try_sign_in(&new.caller, &ivan.email, &ivan.password).await.refused(429, "too_many_attempts");
    try_sign_in_with_captcha(&new.caller, &ivan.email, &ivan.password).await.ok();
    assert!(counts(&app).await < 1_000);
    app.advance_clock(72 * HOUR);
    app.advance_and_run_jobs(HOUR).await;
    assert_eq!(counts(&app).await, 0, "old counters are deleted");
}

/// Number of stored counters.
async fn counts(app: &TestApp) -> i64 {
    let mut tx = app.server.platform.db.read().await.unwrap();
    agio_core::fetch_one!(&mut tx, (i64,), "SELECT COUNT(*) FROM attempt").unwrap().0
}

async fn captcha_attempts_are_limited_separately(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    for _ in 0..5 {
        try_sign_in(&app.visitor(), &ivan.email, WRONG).await.refused(401, "wrong_credentials");
    }
    let attacker = app.visitor().from_address("192.0.2.1");
    let refused = try_sign_in(&attacker, &ivan.email, WRONG).await.refused(429, "too_many_attempts");
    assert_eq!(refused["errors"]["recaptcha"][0]["code"], "captcha_required", "a captcha would help");
    for _ in 0..5 {
        try_sign_in_with_captcha(&attacker, &ivan.email, WRONG).await.refused(401, "wrong_credentials");
    }
    let answer = try_sign_in_with_captcha(&attacker, &ivan.email, WRONG).await;
    assert_eq!(answer.headers["retry-after"], "10");
    let refused = answer.refused(429, "too_many_attempts");
    assert_eq!(refused["errors"], json!({}), "another captcha would not help");
    // Another network has its own counter.
    try_sign_in_with_captcha(&app.visitor().from_address("192.0.2.2"), &ivan.email, &ivan.password).await.ok();
}

async fn delay_grows_and_is_reported(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    let attacker = app.visitor().from_address("192.0.2.1");
    let mut waits = Vec::new();
    for _ in 0..9 {
        let answer = try_sign_in(&attacker, &ivan.email, WRONG).await;
        if answer.status == 429 {
            let wait: u64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
            assert_eq!(answer.refused(429, "too_many_attempts")["params"]["seconds"], wait.to_string());
            waits.push(wait);
            app.advance_clock(Duration::from_secs(wait - 1));
            try_sign_in(&attacker, &ivan.email, WRONG).await.refused(429, "too_many_attempts");
            app.advance_clock(Duration::from_secs(1));
            try_sign_in(&attacker, &ivan.email, WRONG).await.refused(401, "wrong_credentials");
        }
    }
    assert_eq!(waits, [4, 8, 16, 32]);
}

async fn attempts_per_network_are_limited(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let sprayer = app.visitor().from_address("2001:db8:1:2::1");
    for account in 0..20 {
        try_sign_in(&sprayer, &format!("customer{account}@example.com"), WRONG).await.refused(401, "wrong_credentials");
    }
    let neighbour = app.visitor().from_address("2001:db8:1:2:ffff::1");
    try_sign_in(&neighbour, "customer20@example.com", WRONG).await.refused(429, "too_many_attempts");
    try_sign_in(&ivan.caller, &ivan.email, &ivan.password).await.ok();
    // Successful sign-ins are not counted.
    for _ in 0..30 {
        try_sign_in(&ivan.caller, &ivan.email, &ivan.password).await.ok();
    }
}

async fn sign_ups_and_emails_are_limited(engine: Engine) {
    let app = TestApp::start(engine).await;
    let attacker = app.visitor().from_address("192.0.2.1");
    let sign_up = |number: usize, answer: Option<String>| {
        let caller = attacker.clone();
        let mut body = json!({ "email": format!("customer{number}@example.com"), "password": TestCustomer::PASSWORD });
        if let Some(answer) = answer {
            body["recaptcha"] = answer.into();
        }
        async move { caller.post("/api/v1/users/signup/", body).await }
    };
    for number in 0..10 {
        sign_up(number, None).await.ok();
    }
    sign_up(10, None).await.refused(429, "too_many_attempts");
    let check = attacker.get("/front-api/auth/captcha/?action=signup").await.ok();
    assert_eq!(check["required"], true);
    let foreign = solve_captcha(&attacker, "login").await;
    sign_up(10, Some(foreign)).await.refused(422, "captcha_invalid");
    sign_up(10, Some(solve_captcha(&attacker, "signup").await)).await.ok();

    let restore = |answer: Option<String>| {
        let caller = app.visitor().from_address("192.0.2.9");
        let mut body = json!({ "email": "customer0@example.com" });
        if let Some(answer) = answer {
            body["recaptcha"] = answer.into();
        }
        async move { caller.post("/api/v1/users/restore/", body).await }
    };
    restore(None).await.ok();
    restore(None).await.ok();
    restore(None).await.refused(429, "too_many_attempts");
    for _ in 0..3 {
        restore(Some(solve_captcha(&attacker, "restore").await)).await.ok();
    }
    let answer = restore(Some(solve_captcha(&attacker, "restore").await)).await;
    assert_eq!(answer.headers["retry-after"], "300");
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(app.emails_to("customer0@example.com").await.len(), 6, "the number of e-mails is limited");
}

/// Guesses end the session that makes them, and keep its owner from nothing.
async fn wrong_current_passwords_end_the_session_and_no_other(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut stolen = at_another_address(&app, &ivan, "203.0.113.9");
    stolen.sign_in().await.ok();
    let change = |by: &TestCustomer, old: &str, new: &str| {
        let (caller, body) = (by.caller.clone(), json!({ "oldPassword": old, "newPassword": new }));
        async move { caller.post("/api/v1/users/me/password/", body).await }
    };
    // A new password that is refused is no guess at the present one.
    for _ in 0..6 {
        change(&stolen, &stolen.password, "short").await.refused(422, "validation_failed");
    }
    for _ in 0..5 {
        change(&stolen, WRONG, "quite another horse").await.refused(422, "validation_failed");
    }
    change(&stolen, &stolen.password, "quite another horse").await.refused(401, "token_not_valid");
    stolen.me().await.refused(401, "token_not_valid");
    stolen.refresh().await.refused(401, "token_not_valid");
    let id = ivan.me().await.ok()["id"].as_str().unwrap().to_owned();
    assert!(audit_actions(&app, &id).await.contains(&"customer.session_ended_after_failures".to_owned()));
    assert_eq!(change(&ivan, &ivan.password, "quite another horse").await.status, 204);
}

async fn staff_password_attempts_are_limited(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let login = |password: &str, address: &str| {
        let (caller, body) =
            (app.visitor().from_address(address), json!({ "email": "owner@agio.example", "password": password }));
        async move { caller.post("/api/admin/v1/auth/login", body).await }
    };
    for round in 0..10 {
        login(WRONG, &format!("192.0.2.{round}")).await.refused(401, "wrong_credentials");
    }
    login(WRONG, "192.0.2.99").await.refused(429, "too_many_attempts");
    owner.get("/api/admin/v1/auth/me").await.ok();
    app.advance_clock(MINUTE);
    login(TestCustomer::PASSWORD, "192.0.2.99").await.ok();
}

both_engines!(
    ten_thousand_wrong_passwords_cost_a_hundred_hashes,
    captcha_attempts_are_limited_separately,
    delay_grows_and_is_reported,
    attempts_per_network_are_limited,
    sign_ups_and_emails_are_limited,
    wrong_current_passwords_end_the_session_and_no_other,
    staff_password_attempts_are_limited,
);
