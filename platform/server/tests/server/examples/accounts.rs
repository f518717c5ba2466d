//! A customer's account.

use std::time::Duration;

use agio_test_app::{TestApp, TestClient, TestCustomer};
use reqwest::Method;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use super::{Recorder, verification};

const EMAIL: &str = "anna@example.com";

/// Signs up, signs in, resets the password, and enables and disables the second factor.
pub async fn manage_an_account(app: &TestApp, operator: &TestClient, recorder: &mut Recorder) {
    let mut anna = TestCustomer::new(app, EMAIL);
    let caller = anna.caller.clone();
    recorder.get(&caller, "getSignInCaptcha", "/front-api/auth/captcha/?action=signup").await;
    let new = json!({ "email": EMAIL, "password": anna.password });
    recorder.post(&caller, "signUp", "/en/api/v1/users/signup/", new).await;
    app.run_auth_requests().await;
    recorder.post(&caller, "resendActivation", "/en/api/v1/users/reactivate/", json!({ "email": EMAIL })).await;
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let token = anna.token(app, "account_activation").await;
    let login = json!({ "email": EMAIL, "password": anna.password });
    let session = caller.post("/en/front-api/auth/login/", login).await.ok();
    let signed_in = caller.clone().with_token(session["accessToken"].as_str().unwrap());
    recorder.post(&signed_in, "activateAccount", &format!("/en/api/v1/users/activate/{token}/"), json!({})).await;
    recorder.post(&caller, "requestPasswordReset", "/en/api/v1/users/restore/", json!({ "email": EMAIL })).await;
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let token = anna.token(app, "password_restore").await;
    anna.password = "quite another horse".into();
    let restored = json!({ "password": anna.password });
    recorder.post(&caller, "resetPassword", &format!("/en/api/v1/users/restore/{token}/"), restored).await;
    let login = json!({ "email": EMAIL, "password": anna.password });
    recorder.post(&caller, "signIn", "/front-api/auth/login/?locale=en", login.clone()).await;
    recorder.get(&caller, "refreshSession", "/front-api/auth/refresh/").await;
    anna.sign_in_with(login).await.ok();
    verification::keep_requisites(app, &anna, recorder).await;
    verification::verify(operator, &anna, recorder).await;
    manage_sessions(app, operator, &anna, recorder).await;
}

async fn manage_sessions(app: &TestApp, operator: &TestClient, anna: &TestCustomer, recorder: &mut Recorder) {
    let caller = &anna.caller;
    recorder.get(caller, "getMyAccount", "/api/v1/users/me/").await;
    let mut order = super::order(app, "0.012");
    order["email"] = EMAIL.into();
    caller.post("/api/v1/claim/", order).await.ok();
    recorder.get(caller, "listMyClaims", "/api/v1/users/me/claims/").await;
    recorder.get(caller, "listMySessions", "/api/v1/users/me/sessions/").await;
    let password = json!({ "password": anna.password });
    let begun = recorder.post(caller, "beginTotpSetup", "/api/v1/users/me/totp/", password).await;
    let code = || code_of(app, &begun);
    recorder.post(caller, "enableTotp", "/api/v1/users/me/totp/confirm/", json!({ "code": code() })).await;
    app.advance_clock(Duration::from_secs(30));
    let both = json!({ "password": anna.password, "code": code() });
    recorder.post(caller, "regenerateRecoveryCodes", "/api/v1/users/me/totp/recovery/", both).await;
    app.advance_clock(Duration::from_secs(30));
    let both = json!({ "password": anna.password, "code": code() });
    recorder.post(caller, "disableTotp", "/api/v1/users/me/totp/remove/", both).await;
    let change = json!({ "oldPassword": anna.password, "newPassword": "a horse of another colour" });
    recorder.call(caller, "changeMyPassword", Method::POST, "/api/v1/users/me/password/", Some(change)).await;
    let password = json!({ "password": "a horse of another colour" });
    let begun = caller.post("/api/v1/users/me/totp/", password).await.ok();
    caller.post("/api/v1/users/me/totp/confirm/", json!({ "code": code_of(app, &begun) })).await.ok();
    let found = operator.get("/api/admin/v1/customers?q=anna@example.com").await.ok();
    let path = format!("/api/admin/v1/customers/{}/second-factor/reset", found["items"][0]["id"].as_str().unwrap());
    let why = json!({ "reason": "Lost the phone; named the last three claims in the chat." });
    recorder.post(operator, "resetCustomerSecondFactor", &path, why).await;
    change_the_address(app, recorder).await;
}

/// The code that an authenticator app shows now.
fn code_of(app: &TestApp, begun: &Value) -> String {
    let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
    let authenticator = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
    authenticator.generate(app.now().as_seconds().unsigned_abs()).to_string()
}

/// Changes an address, takes it back, exports the data and deletes the account.
async fn change_the_address(app: &TestApp, recorder: &mut Recorder) {
    let mut vera = TestCustomer::registered(app, "vera@example.com").await;
    let change = json!({ "email": "vera@example.org", "password": vera.password });
    recorder.post(&vera.caller, "requestEmailChange", "/en/api/v1/users/me/email/", change).await;
    let token = TestCustomer::new(app, "vera@example.org").token(app, "email_change").await;
    recorder.post(&vera.caller, "confirmEmailChange", &format!("/en/api/v1/users/me/email/{token}/"), json!({})).await;
    let token = vera.token(app, "email_changed").await;
    vera.password = "quite another horse".into();
    let undo = json!({ "password": vera.password });
    recorder.post(&app.visitor(), "undoEmailChange", &format!("/en/api/v1/users/email/{token}/undo/"), undo.clone()).await;
    vera.sign_in().await.ok();
    recorder.post(&vera.caller, "exportMyData", "/api/v1/users/me/export/", undo.clone()).await;
    recorder.call(&vera.caller, "deleteMyAccount", Method::POST, "/api/v1/users/me/delete/", Some(undo)).await;
}
