//! Codes of an authenticator app, and recovery codes.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestCustomer, TestResponse, both_engines};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

use crate::fixtures::{WRONG, at_another_address, audit_actions, solve_captcha};

pub const PERIOD: Duration = Duration::from_secs(30);

/// An authenticator app.
pub struct Authenticator(Totp);

impl Authenticator {
    fn from_setup(begun: &Value) -> Self {
        let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
        assert!(begun["url"].as_str().unwrap().starts_with("otpauth://totp/Agio:"), "{begun}");
        Self(Builder::new().with_secret(secret).with_account_name("ivan").build().unwrap())
    }

    /// The code it shows now.
    pub fn code(&self, app: &TestApp) -> String {
        self.0.generate(app.now().as_seconds().unsigned_abs()).to_string()
    }
}

/// Turns codes on and gives the app and the recovery codes.
pub async fn enable_totp(app: &TestApp, customer: &TestCustomer) -> (Authenticator, Vec<String>) {
    let begun = customer.caller.post("/api/v1/users/me/totp/", json!({ "password": customer.password })).await.ok();
    let authenticator = Authenticator::from_setup(&begun);
    let confirmed = customer.caller.post("/api/v1/users/me/totp/confirm/", json!({ "code": authenticator.code(app) })).await.ok();
    let codes: Vec<String> = serde_json::from_value(confirmed["recoveryCodes"].clone()).unwrap();
    app.advance_clock(PERIOD);
    (authenticator, codes)
}

async fn sign_in(customer: &mut TestCustomer, otp: &str) -> TestResponse {
    let login = json!({ "email": customer.email, "password": customer.password, "otp": otp });
    customer.sign_in_with(login).await
}

async fn sign_in_accepts_each_code_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let (authenticator, codes) = enable_totp(&app, &ivan).await;
    assert_eq!(codes.len(), 10);
    assert!(codes.iter().all(|code| code.replace('-', "").len() == 24), "120 bits: {codes:?}");
    let me = ivan.me().await.ok();
    assert_eq!((&me["totp"], &me["recoveryCodes"]), (&json!(true), &json!(10)));

    ivan.sign_in().await.refused(401, "otp_required");
    let wrong = json!({ "email": ivan.email, "password": WRONG, "otp": authenticator.code(&app) });
    ivan.sign_in_with(wrong).await.refused(401, "wrong_credentials");
    sign_in(&mut ivan, "000000").await.refused(401, "otp_invalid");
    let code = authenticator.code(&app);
    sign_in(&mut ivan, &format!("{} {}", &code[..3], &code[3..])).await.ok();
    sign_in(&mut ivan, &code).await.refused(401, "otp_invalid");
    app.advance_clock(PERIOD);
    sign_in(&mut ivan, &code).await.refused(401, "otp_invalid");
    sign_in(&mut ivan, &authenticator.code(&app)).await.ok();
    // A clock that is a period behind is forgiven, one of two is not.
    let early = authenticator.code(&app);
    app.advance_clock(3 * PERIOD);
    sign_in(&mut ivan, &early).await.refused(401, "otp_invalid");
    let late = authenticator.code(&app);
    app.advance_clock(PERIOD);
    sign_in(&mut ivan, &late).await.ok();
    ivan.refresh().await.ok();
    ivan.newest_email(&app, "second_factor_on").await;
}

async fn recovery_code_works_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let (authenticator, codes) = enable_totp(&app, &ivan).await;
    let id = ivan.me().await.ok()["id"].as_str().unwrap().to_owned();
    sign_in(&mut ivan, &codes[0].to_lowercase()).await.ok();
    assert_eq!(ivan.me().await.ok()["recoveryCodes"], 9);
    sign_in(&mut ivan, &codes[0]).await.refused(401, "otp_invalid");
    sign_in(&mut ivan, &codes[1].replace('-', " ")).await.ok();
    assert!(audit_actions(&app, &id).await.contains(&"customer.recovery_code_used".to_owned()));

    let both = json!({ "password": ivan.password, "code": authenticator.code(&app) });
    let renewed = ivan.caller.post("/api/v1/users/me/totp/recovery/", both).await.ok();
    sign_in(&mut ivan, &codes[2]).await.refused(401, "otp_invalid");
    sign_in(&mut ivan, renewed["recoveryCodes"][0].as_str().unwrap()).await.ok();

    let olga = TestCustomer::registered(&app, "olga@example.com").await;
    let (_, hers) = enable_totp(&app, &olga).await;
    sign_in(&mut ivan, &hers[0]).await.refused(401, "otp_invalid");
}

async fn totp_setup_needs_the_password(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let post = |path: &str, body: Value| {
        let (caller, path) = (ivan.caller.clone(), format!("/api/v1/users/me/totp/{path}"));
        async move { caller.post(&path, body).await }
    };
    post("confirm/", json!({ "code": "000000" })).await.refused(409, "totp_not_begun");
    let wrong = post("", json!({ "password": WRONG })).await.refused(422, "validation_failed");
    assert_eq!(wrong["errors"]["password"][0]["code"], "wrong_password");
    let first = Authenticator::from_setup(&post("", json!({ "password": ivan.password })).await.ok());
    let second = Authenticator::from_setup(&post("", json!({ "password": ivan.password })).await.ok());
    let refused = post("confirm/", json!({ "code": first.code(&app) })).await.refused(422, "otp_invalid");
    assert_eq!(refused["errors"]["code"][0]["code"], "otp_invalid");
    assert_eq!(ivan.me().await.ok()["totp"], false, "it holds once a code was shown");
    post("confirm/", json!({ "code": second.code(&app) })).await.ok();
    post("", json!({ "password": ivan.password })).await.refused(409, "totp_is_on");
    post("confirm/", json!({ "code": second.code(&app) })).await.refused(409, "totp_not_begun");

    let both = |password: &str, code: String| json!({ "password": password, "code": code });
    let used = post("remove/", both(&ivan.password, second.code(&app))).await.refused(422, "otp_invalid");
    assert_eq!(used["errors"]["code"][0]["code"], "otp_invalid");
    app.advance_clock(PERIOD);
    post("remove/", both(WRONG, second.code(&app))).await.refused(422, "validation_failed");
    assert_eq!(post("remove/", both(&ivan.password, second.code(&app))).await.status, 204);
    post("remove/", both(&ivan.password, second.code(&app))).await.refused(409, "totp_not_on");
    let me = ivan.me().await.ok();
    assert_eq!((&me["totp"], &me["recoveryCodes"]), (&json!(false), &json!(0)));
    ivan.sign_in().await.ok();
    ivan.newest_email(&app, "second_factor_off").await;
}

/// Signs in with a captcha, so that only codes are counted.
async fn sign_in_with_captcha(customer: &mut TestCustomer, otp: &str) -> TestResponse {
    let recaptcha = solve_captcha(&customer.caller, "login").await;
    let login = json!({ "email": customer.email, "password": customer.password, "otp": otp, "recaptcha": recaptcha });
    customer.sign_in_with(login).await
}

/// Somebody who knows the password guesses codes; the owner signs in all the same.
async fn code_guesses_are_limited_without_lockout(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let (authenticator, _) = enable_totp(&app, &ivan).await;
    let mut thief = at_another_address(&app, &ivan, "203.0.113.9");
    for guess in 0..5 {
        sign_in_with_captcha(&mut thief, &format!("{guess:06}")).await.refused(401, "otp_invalid");
    }
    sign_in_with_captcha(&mut thief, &authenticator.code(&app)).await.refused(429, "too_many_attempts");
    let mut elsewhere = at_another_address(&app, &ivan, "192.0.2.7");
    sign_in_with_captcha(&mut elsewhere, &authenticator.code(&app)).await.ok();
    app.advance_clock(PERIOD);

    // From many networks as well: the total is limited, and a new browser of the owner waits for minutes.
    let mut compared = 0;
    for guess in 0..8 {
        let mut thief = at_another_address(&app, &ivan, &format!("198.51.100.{guess}"));
        let answer = sign_in_with_captcha(&mut thief, &format!("{guess:06}")).await;
        compared += u32::from(answer.status == 401);
    }
    assert_eq!(compared, 5, "ten in all");
    sign_in(&mut ivan, &authenticator.code(&app)).await.ok();
    app.advance_clock(Duration::from_secs(15 * 60));
    let mut new = at_another_address(&app, &ivan, "192.0.2.8");
    sign_in_with_captcha(&mut new, &authenticator.code(&app)).await.ok();
}

/// Guesses end the session that makes them, and keep its owner from nothing.
async fn wrong_codes_end_the_session_and_no_other(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let (authenticator, _) = enable_totp(&app, &ivan).await;
    let mut stolen = at_another_address(&app, &ivan, "203.0.113.9");
    sign_in(&mut stolen, &authenticator.code(&app)).await.ok();
    app.advance_clock(PERIOD);
    let with = |by: &TestCustomer, path: &str, code: Option<String>| {
        let (caller, path) = (by.caller.clone(), format!("/api/v1/users/me/{path}/"));
        let mut body = json!({ "password": by.password });
        if let Some(code) = code {
            body["code"] = code.into();
        }
        async move { caller.post(&path, body).await }
    };
    // A page that asks for the code afterwards does not guess.
    for _ in 0..6 {
        let missing = with(&stolen, "export", None).await.refused(422, "validation_failed");
        assert_eq!(missing["errors"]["code"][0]["code"], "otp_required");
    }
    for guess in 0..5 {
        with(&stolen, "totp/remove", Some(format!("{guess:06}"))).await.refused(422, "otp_invalid");
    }
    with(&stolen, "totp/remove", Some(authenticator.code(&app))).await.refused(401, "token_not_valid");
    stolen.me().await.refused(401, "token_not_valid");
    stolen.refresh().await.refused(401, "token_not_valid");
    with(&ivan, "export", Some(authenticator.code(&app))).await.ok();
}

async fn a_withdrawal_of_commission_needs_a_code(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let (authenticator, _) = enable_totp(&app, &ivan).await;
    let tether = app.server.calculator.market().currency_named("USDTTRC20").unwrap().id();
    let mut request = json!({
        "amount": "1000", "currencyId": tether, "requisites": { "address": "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf" },
        "password": ivan.password,
    });
    let withdraw = |request: &Value| ivan.caller.post("/api/v1/users/me/refferal/withdrawal/", request.clone());
    let missing = withdraw(&request).await.refused(422, "validation_failed");
    assert_eq!(missing["errors"]["code"][0]["code"], "otp_required");
    request["code"] = authenticator.code(&app).into();
    withdraw(&request).await.refused(409, "balance_too_low");
}

async fn password_reset_keeps_the_second_factor(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let (authenticator, _) = enable_totp(&app, &ivan).await;
    ivan.caller.post("/api/v1/users/restore/", json!({ "email": ivan.email })).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let token = ivan.token(&app, "password_restore").await;
    ivan.password = "quite another horse".into();
    app.visitor().post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": ivan.password })).await.ok();
    ivan.sign_in().await.refused(401, "otp_required");
    sign_in(&mut ivan, &authenticator.code(&app)).await.ok();
}

async fn totp_secret_is_encrypted(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let (_, codes) = enable_totp(&app, &ivan).await;
    let mut tx = app.server.platform.db.read().await.unwrap();
    let (sealed,) = agio_core::fetch_one!(&mut tx, (String,), "SELECT sealed FROM second_factor").unwrap();
    assert!(sealed.starts_with("x1."), "{sealed}");
    let stored = agio_core::fetch_all!(&mut tx, (String,), "SELECT digest FROM recovery_code").unwrap();
    assert!(stored.iter().all(|(digest,)| digest.len() == 43 && !codes.contains(digest)));
}

both_engines!(
    sign_in_accepts_each_code_once,
    recovery_code_works_once,
    totp_setup_needs_the_password,
    code_guesses_are_limited_without_lockout,
    wrong_codes_end_the_session_and_no_other,
    a_withdrawal_of_commission_needs_a_code,
    password_reset_keeps_the_second_factor,
    totp_secret_is_encrypted,
);
