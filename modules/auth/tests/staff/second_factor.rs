//! The second factor of staff.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use crate::fixtures::{
    Authenticator, PASSWORD, PERIOD, StaffMember, WRONG, app_with_required_second_factor, audit_actions, try_sign_in,
};

/// Operations available before a required second factor is set up.
const BEFORE_SET_UP: [&str; 9] = [
    "staffSignIn",
    "refreshStaffSession",
    "staffSignOut",
    "getMyStaffAccount",
    "getInvitation",
    "acceptInvitation",
    "resetStaffPassword",
    "beginStaffTotpSetup",
    "enableStaffTotp",
];

async fn required_setup_blocks_everything_else(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::invited_by_cli(&app, "anna@agio.example", Role::Owner).await;
    let me = anna.me().await.ok();
    assert_eq!((&me["setupNeeded"], &me["permissions"], &me["secondFactor"]), (&json!(true), &json!([]), &json!(false)));

    let console = app.server.generate_documents().console;
    let mut refused = 0;
    for (path, operations) in console["paths"].as_object().unwrap() {
        let path = path.replace("{id}", &Uuid::nil().to_string()).replace("{session}", &Uuid::nil().to_string());
        for (method, operation) in operations.as_object().unwrap() {
            if BEFORE_SET_UP.contains(&operation["operationId"].as_str().unwrap()) {
                continue;
            }
            let method: Method = method.to_uppercase().parse().unwrap();
            let request = anna.caller.request(method.clone(), &path).json(&json!({}));
            let answer = anna.caller.send(request).await;
            assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text);
            answer.refused(403, "second_factor_setup_needed");
            refused += 1;
        }
    }
    assert!(refused > 40, "{refused} calls were tried");

    // A reload, and a sign-in anew, change nothing about it.
    let refreshed = anna.caller.post_empty("/api/admin/v1/auth/refresh").await.ok();
    assert_eq!(refreshed["user"]["setupNeeded"], true);
    assert_eq!(anna.sign_in(&app).await.ok()["user"]["setupNeeded"], true);

    // The password was shown to get here, so it is not asked for again.
    let begun = Authenticator::from_setup(&anna.post("/me/second-factor", json!({})).await.ok());
    let wrong = anna.post("/me/second-factor/confirm", json!({ "code": "000000" })).await.refused(422, "otp_invalid");
    assert_eq!(wrong["errors"]["code"][0]["code"], "otp_invalid");
    anna.get("/dashboard").await.refused(403, "second_factor_setup_needed");
    let confirmed = anna.post("/me/second-factor/confirm", json!({ "code": begun.code(&app) })).await.ok();
    assert_eq!(confirmed["recoveryCodes"].as_array().unwrap().len(), 10);
    anna.get("/dashboard").await.ok();
    let me = anna.me().await.ok();
    assert_eq!((&me["setupNeeded"], &me["secondFactor"], &me["recoveryCodes"]), (&json!(false), &json!(true), &json!(10)));
    assert!(me["permissions"].as_array().unwrap().contains(&json!("staff.manage")));
    anna.newest_email(&app, "staff_second_factor_on").await;

    // Other nodes and a restarted server know it as well.
    let node = app.another_node().await;
    anna.caller.clone().at_node(&node.root).get("/api/admin/v1/dashboard").await.ok();
}

async fn setup_revokes_sessions_without_second_factor(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::invited_by_cli(&app, "anna@agio.example", Role::Owner).await;
    let mut thief = anna.at_another_address(&app, "203.0.113.9");
    thief.sign_in(&app).await.ok();
    anna.set_up_second_factor(&app).await;
    thief.me().await.refused(401, "token_not_valid");
    thief.caller.post_empty("/api/admin/v1/auth/refresh").await.refused(401, "token_not_valid");
    anna.me().await.ok();
}

async fn staff_sign_in_accepts_each_code_once(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    let sign_in = |otp: Option<String>| {
        let (caller, email) = (anna.caller.clone(), anna.email.clone());
        async move { try_sign_in(&caller, &email, PASSWORD, otp.as_deref()).await }
    };
    sign_in(None).await.refused(401, "otp_required");
    sign_in(Some(" ".into())).await.refused(401, "otp_required");
    try_sign_in(&anna.caller, &anna.email, WRONG, Some(&anna.code(&app))).await.refused(401, "wrong_credentials");
    try_sign_in(&anna.caller, &anna.email, WRONG, None).await.refused(401, "wrong_credentials");
    sign_in(Some("000000".into())).await.refused(401, "otp_invalid");
    let code = anna.code(&app);
    assert_eq!(sign_in(Some(code.clone())).await.ok()["user"]["setupNeeded"], false);
    sign_in(Some(code.clone())).await.refused(401, "otp_invalid");
    app.advance_clock(PERIOD);
    sign_in(Some(code)).await.refused(401, "otp_invalid");
    // A clock that is a period behind is forgiven, one of three is not.
    let early = anna.code(&app);
    app.advance_clock(3 * PERIOD);
    sign_in(Some(early)).await.refused(401, "otp_invalid");

    let recovery = anna.codes[0].clone();
    sign_in(Some(recovery.to_lowercase())).await.ok();
    sign_in(Some(recovery)).await.refused(401, "otp_invalid");
    let done = audit_actions(&app, &anna.id).await;
    assert!(done.contains(&"staff.recovery_code_used".to_owned()), "{done:?}");
    assert!(done.iter().filter(|action| *action == "staff.sign_in_failed").count() >= 5, "{done:?}");
    let boris = StaffMember::with_second_factor(&app, "boris@agio.example", Role::Operator).await;
    app.advance_clock(Duration::from_secs(6 * 60 * 60));
    sign_in(Some(boris.code(&app))).await.refused(401, "otp_invalid");
    sign_in(Some(boris.codes[0].clone())).await.refused(401, "otp_invalid");
}

async fn staff_code_attempts_are_limited_without_lockout(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    anna.sign_in(&app).await.ok();
    let thief = anna.at_another_address(&app, "203.0.113.9");
    let mut compared = 0;
    for guess in 0..120 {
        let answer = try_sign_in(&thief.caller, &thief.email, PASSWORD, Some(&format!("{guess:06}"))).await;
        compared += u32::from(answer.json()["code"] == "otp_invalid");
        if guess % 20 == 0 {
            app.advance_clock(Duration::from_secs(60));
        }
    }
    assert!((5..=10).contains(&compared), "{compared} codes were compared");
    // A known browser and the session have their own counters.
    anna.sign_in(&app).await.ok();
    anna.confirm(&app).await;
}

async fn second_factor_moves_to_another_phone(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = StaffMember::with_second_factor(&app, "anna@agio.example", Role::Owner).await;
    anna.sign_in(&app).await.ok();
    let password = json!({ "password": PASSWORD });
    anna.post("/me/second-factor/remove", password.clone()).await.refused(403, "fresh_second_factor_needed");
    anna.post("/me/second-factor/recovery", password.clone()).await.refused(403, "fresh_second_factor_needed");
    anna.confirm(&app).await;
    anna.post("/me/second-factor", password.clone()).await.refused(409, "totp_is_on");
    let wrong = anna.post("/me/second-factor/recovery", json!({ "password": WRONG })).await.refused(422, "validation_failed");
    assert_eq!(wrong["errors"]["password"][0]["code"], "wrong_password");
    let renewed = anna.post("/me/second-factor/recovery", password.clone()).await.ok();
    try_sign_in(&anna.caller, &anna.email, PASSWORD, Some(&anna.codes[0])).await.refused(401, "otp_invalid");
    try_sign_in(&anna.caller, &anna.email, PASSWORD, renewed["recoveryCodes"][0].as_str()).await.ok();

    assert_eq!(anna.post("/me/second-factor/remove", password).await.status, 204);
    anna.me().await.refused(401, "token_not_valid");
    anna.newest_email(&app, "staff_second_factor_off").await;
    anna.authenticator = None;
    assert_eq!(anna.sign_in(&app).await.ok()["user"]["setupNeeded"], true);
    anna.get("/dashboard").await.refused(403, "second_factor_setup_needed");
    anna.set_up_second_factor(&app).await;
    anna.get("/dashboard").await.ok();
}

async fn second_factor_is_optional_in_the_demo(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut anna = StaffMember::invited_by_cli(&app, "anna@agio.example", Role::Owner).await;
    let me = anna.me().await.ok();
    assert_eq!((&me["setupNeeded"], &me["secondFactorRequired"]), (&json!(false), &json!(false)));
    anna.get("/dashboard").await.ok();
    // Without a required second factor the setup needs the password.
    let refused = anna.post("/me/second-factor", json!({})).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["password"][0]["code"], "required");
    anna.set_up_second_factor(&app).await;
    anna.sign_in(&app).await.ok();
    anna.confirm(&app).await;
    assert_eq!(anna.post("/me/second-factor/remove", json!({ "password": PASSWORD })).await.status, 204);
    anna.me().await.ok();
    anna.confirm_by_password().await;
    anna.post("/me/second-factor/remove", json!({ "password": PASSWORD })).await.refused(409, "totp_not_on");
    anna.authenticator = None;
    anna.sign_in(&app).await.ok();
}

impl StaffMember {
    async fn confirm_by_password(&self) {
        self.post("/me/confirm", json!({ "password": self.password })).await.ok();
    }
}

both_engines!(
    required_setup_blocks_everything_else,
    setup_revokes_sessions_without_second_factor,
    staff_sign_in_accepts_each_code_once,
    staff_code_attempts_are_limited_without_lockout,
    second_factor_moves_to_another_phone,
    second_factor_is_optional_in_the_demo,
);
