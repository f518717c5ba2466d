//! A customer's account, from the sign-up on.

use std::time::Duration;

use agio_testkit::{Caller, Customer, House};
use reqwest::Method;
use serde_json::json;
use totp_rs::{Builder, Secret};

use super::{Recorder, verification};

const EMAIL: &str = "anna@example.com";

/// Signs up, signs in, restores the password, and turns codes on and off.
pub async fn have_an_account(house: &House, operator: &Caller, recorder: &mut Recorder) {
    let mut anna = Customer::comes(house, EMAIL);
    let caller = anna.caller.clone();
    recorder.get(&caller, "getSignInCaptcha", "/front-api/auth/captcha/?action=signup").await;
    let new = json!({ "email": EMAIL, "password": anna.password });
    recorder.post(&caller, "signUp", "/en/api/v1/users/signup/", new).await;
    house.answers_requests().await;
    recorder.post(&caller, "reactivate", "/en/api/v1/users/reactivate/", json!({ "email": EMAIL })).await;
    house.later(Duration::from_secs(1)).await;
    let token = anna.token(house, "account_activation").await;
    recorder.post(&caller, "activate", &format!("/en/api/v1/users/activate/{token}/"), json!({})).await;
    recorder.post(&caller, "restore", "/en/api/v1/users/restore/", json!({ "email": EMAIL })).await;
    house.later(Duration::from_secs(1)).await;
    let token = anna.token(house, "password_restore").await;
    anna.password = "quite another horse".into();
    let restored = json!({ "password": anna.password });
    recorder.post(&caller, "finishRestore", &format!("/en/api/v1/users/restore/{token}/"), restored).await;
    let login = json!({ "email": EMAIL, "password": anna.password });
    recorder.post(&caller, "login", "/front-api/auth/login/?locale=en", login.clone()).await;
    recorder.get(&caller, "refresh", "/front-api/auth/refresh/").await;
    anna.signs_in_with(login).await.ok();
    verification::keep_requisites(house, &anna, recorder).await;
    verification::verify(operator, &anna, recorder).await;
    keep_the_account(house, &anna, recorder).await;
}

async fn keep_the_account(house: &House, anna: &Customer, recorder: &mut Recorder) {
    let caller = &anna.caller;
    recorder.get(caller, "getMe", "/api/v1/users/me/").await;
    let mut order = super::order(house, "0.012");
    order["email"] = EMAIL.into();
    caller.post("/api/v1/claim/", order).await.ok();
    recorder.get(caller, "getMyClaims", "/api/v1/users/me/claims/").await;
    recorder.get(caller, "getSessions", "/api/v1/users/me/sessions/").await;
    let password = json!({ "password": anna.password });
    let begun = recorder.post(caller, "beginTotp", "/api/v1/users/me/totp/", password).await;
    let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
    let app = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
    let code = || app.generate(house.now().as_seconds().unsigned_abs()).to_string();
    recorder.post(caller, "confirmTotp", "/api/v1/users/me/totp/confirm/", json!({ "code": code() })).await;
    house.wait(Duration::from_secs(30));
    let both = json!({ "password": anna.password, "code": code() });
    recorder.post(caller, "renewRecoveryCodes", "/api/v1/users/me/totp/recovery/", both).await;
    house.wait(Duration::from_secs(30));
    let both = json!({ "password": anna.password, "code": code() });
    recorder.post(caller, "removeTotp", "/api/v1/users/me/totp/remove/", both).await;
    let change = json!({ "oldPassword": anna.password, "newPassword": "a horse of another colour" });
    recorder.call(caller, "changePassword", Method::POST, "/api/v1/users/me/password/", Some(change)).await;
}
