//! Codes of an authenticator app, and recovery codes.

use std::time::Duration;

use agio_testkit::{Answer, Customer, Engine, House, both_engines};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

use crate::people::{WRONG, deeds, elsewhere};

const PERIOD: Duration = Duration::from_secs(30);

/// An authenticator app.
struct App(Totp);

impl App {
    fn told(begun: &Value) -> Self {
        let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
        assert!(begun["url"].as_str().unwrap().starts_with("otpauth://totp/Agio:"), "{begun}");
        Self(Builder::new().with_secret(secret).with_account_name("ivan").build().unwrap())
    }

    /// The code it shows now.
    fn code(&self, house: &House) -> String {
        self.0.generate(house.now().as_seconds().unsigned_abs()).to_string()
    }
}

/// Turns codes on and gives the app and the recovery codes.
async fn turned_on(house: &House, customer: &Customer) -> (App, Vec<String>) {
    let begun = customer.caller.post("/api/v1/users/me/totp/", json!({ "password": customer.password })).await.ok();
    let app = App::told(&begun);
    let confirmed = customer.caller.post("/api/v1/users/me/totp/confirm/", json!({ "code": app.code(house) })).await.ok();
    let codes: Vec<String> = serde_json::from_value(confirmed["recoveryCodes"].clone()).unwrap();
    house.wait(PERIOD);
    (app, codes)
}

async fn signs_in(customer: &mut Customer, otp: &str) -> Answer {
    let login = json!({ "email": customer.email, "password": customer.password, "otp": otp });
    customer.signs_in_with(login).await
}

async fn signing_in_needs_a_code_and_takes_each_once(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let (app, codes) = turned_on(&house, &ivan).await;
    assert_eq!(codes.len(), 10);
    assert!(codes.iter().all(|code| code.replace('-', "").len() == 24), "120 bits: {codes:?}");
    let me = ivan.me().await.ok();
    assert_eq!((&me["totp"], &me["recoveryCodes"]), (&json!(true), &json!(10)));

    ivan.signs_in().await.refused(401, "otp_required");
    let wrong = json!({ "email": ivan.email, "password": WRONG, "otp": app.code(&house) });
    ivan.signs_in_with(wrong).await.refused(401, "wrong_credentials");
    signs_in(&mut ivan, "000000").await.refused(401, "otp_invalid");
    let code = app.code(&house);
    signs_in(&mut ivan, &format!("{} {}", &code[..3], &code[3..])).await.ok();
    signs_in(&mut ivan, &code).await.refused(401, "otp_invalid");
    house.wait(PERIOD);
    signs_in(&mut ivan, &code).await.refused(401, "otp_invalid");
    signs_in(&mut ivan, &app.code(&house)).await.ok();
    // A clock that is a period behind is forgiven, one of two is not.
    let early = app.code(&house);
    house.wait(3 * PERIOD);
    signs_in(&mut ivan, &early).await.refused(401, "otp_invalid");
    let late = app.code(&house);
    house.wait(PERIOD);
    signs_in(&mut ivan, &late).await.ok();
    ivan.refreshes().await.ok();
    ivan.mail(&house, "second_factor_on").await;
}

async fn a_recovery_code_signs_in_once(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let (app, codes) = turned_on(&house, &ivan).await;
    let id = ivan.me().await.ok()["id"].as_str().unwrap().to_owned();
    signs_in(&mut ivan, &codes[0].to_lowercase()).await.ok();
    assert_eq!(ivan.me().await.ok()["recoveryCodes"], 9);
    signs_in(&mut ivan, &codes[0]).await.refused(401, "otp_invalid");
    signs_in(&mut ivan, &codes[1].replace('-', " ")).await.ok();
    assert!(deeds(&house, &id).await.contains(&"customer.recovery_code_used".to_owned()));

    let both = json!({ "password": ivan.password, "code": app.code(&house) });
    let renewed = ivan.caller.post("/api/v1/users/me/totp/recovery/", both).await.ok();
    signs_in(&mut ivan, &codes[2]).await.refused(401, "otp_invalid");
    signs_in(&mut ivan, renewed["recoveryCodes"][0].as_str().unwrap()).await.ok();

    let olga = Customer::at(&house, "olga@example.com").await;
    let (_, hers) = turned_on(&house, &olga).await;
    signs_in(&mut ivan, &hers[0]).await.refused(401, "otp_invalid");
}

async fn codes_are_turned_on_and_off_by_who_knows_the_password(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let post = |path: &str, body: Value| {
        let (caller, path) = (ivan.caller.clone(), format!("/api/v1/users/me/totp/{path}"));
        async move { caller.post(&path, body).await }
    };
    post("confirm/", json!({ "code": "000000" })).await.refused(409, "totp_not_begun");
    let wrong = post("", json!({ "password": WRONG })).await.refused(422, "validation_failed");
    assert_eq!(wrong["errors"]["password"][0]["code"], "wrong_password");
    let first = App::told(&post("", json!({ "password": ivan.password })).await.ok());
    let second = App::told(&post("", json!({ "password": ivan.password })).await.ok());
    let refused = post("confirm/", json!({ "code": first.code(&house) })).await.refused(422, "otp_invalid");
    assert_eq!(refused["errors"]["code"][0]["code"], "otp_invalid");
    assert_eq!(ivan.me().await.ok()["totp"], false, "it holds once a code was shown");
    post("confirm/", json!({ "code": second.code(&house) })).await.ok();
    post("", json!({ "password": ivan.password })).await.refused(409, "totp_is_on");
    post("confirm/", json!({ "code": second.code(&house) })).await.refused(409, "totp_not_begun");

    let both = |password: &str, code: String| json!({ "password": password, "code": code });
    let used = post("remove/", both(&ivan.password, second.code(&house))).await.refused(422, "otp_invalid");
    assert_eq!(used["errors"]["code"][0]["code"], "otp_invalid");
    house.wait(PERIOD);
    post("remove/", both(WRONG, second.code(&house))).await.refused(422, "validation_failed");
    assert_eq!(post("remove/", both(&ivan.password, second.code(&house))).await.status, 204);
    let me = ivan.me().await.ok();
    assert_eq!((&me["totp"], &me["recoveryCodes"]), (&json!(false), &json!(0)));
    ivan.signs_in().await.ok();
    ivan.mail(&house, "second_factor_off").await;
}

async fn codes_are_not_guessed_without_end(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let (app, _) = turned_on(&house, &ivan).await;
    let mut thief = elsewhere(&house, &ivan, "203.0.113.9");
    let mut looked_at = 0;
    for guess in 0..200 {
        let answer = signs_in(&mut thief, &format!("{guess:06}")).await;
        looked_at += u32::from(answer.status == 401);
        if guess % 20 == 0 {
            house.wait(Duration::from_secs(60));
        }
    }
    assert!(looked_at <= 10, "{looked_at} codes were looked at");
    ivan.refreshes().await.ok();
    house.wait(Duration::from_secs(3 * 60 * 60));
    signs_in(&mut ivan, &app.code(&house)).await.ok();
}

async fn a_new_password_does_not_turn_codes_off(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let (app, _) = turned_on(&house, &ivan).await;
    ivan.caller.post("/api/v1/users/restore/", json!({ "email": ivan.email })).await.ok();
    house.later(Duration::from_secs(1)).await;
    let token = ivan.token(&house, "password_restore").await;
    ivan.password = "quite another horse".into();
    house.customer().post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": ivan.password })).await.ok();
    ivan.signs_in().await.refused(401, "otp_required");
    signs_in(&mut ivan, &app.code(&house)).await.ok();
}

async fn the_secret_is_kept_sealed(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Customer::at(&house, "ivan@example.com").await;
    let (_, codes) = turned_on(&house, &ivan).await;
    let mut tx = house.app.platform.db.read().await.unwrap();
    let (sealed,) = agio_core::fetch_one!(&mut tx, (String,), "SELECT sealed FROM second_factor").unwrap();
    assert!(sealed.starts_with("x1."), "{sealed}");
    let kept = agio_core::fetch_all!(&mut tx, (String,), "SELECT digest FROM recovery_code").unwrap();
    assert!(kept.iter().all(|(digest,)| digest.len() == 43 && !codes.contains(digest)));
}

both_engines!(
    signing_in_needs_a_code_and_takes_each_once,
    a_recovery_code_signs_in_once,
    codes_are_turned_on_and_off_by_who_knows_the_password,
    codes_are_not_guessed_without_end,
    a_new_password_does_not_turn_codes_off,
    the_secret_is_kept_sealed,
);
