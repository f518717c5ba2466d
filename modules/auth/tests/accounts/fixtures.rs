//! Sign-ins, captchas and other steps of many tests.

use agio_test_app::{TestApp, TestClient, TestCustomer, TestResponse};
use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// A wrong password.
pub const WRONG: &str = "wrong horse battery";

/// Tries a password.
pub async fn try_sign_in(caller: &TestClient, email: &str, password: &str) -> TestResponse {
    caller.post("/front-api/auth/login/", json!({ "email": email, "password": password })).await
}

/// Tries a password with the answer to a captcha.
pub async fn try_sign_in_with_captcha(caller: &TestClient, email: &str, password: &str) -> TestResponse {
    let recaptcha = solve_captcha(caller, "login").await;
    caller.post("/front-api/auth/login/", json!({ "email": email, "password": password, "recaptcha": recaptcha })).await
}

/// The answer to a captcha of a call.
pub async fn solve_captcha(caller: &TestClient, action: &str) -> String {
    let check = caller.get(&format!("/front-api/auth/captcha/?action={action}")).await.ok();
    solve(&check["challenge"])
}

/// The answer to a challenge.
pub fn solve(challenge: &Value) -> String {
    let challenge: Challenge = serde_json::from_value(challenge.clone()).unwrap();
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
    STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).unwrap())
}

/// The same account in another browser at another address.
pub fn at_another_address(app: &TestApp, customer: &TestCustomer, address: &str) -> TestCustomer {
    TestCustomer {
        caller: app.visitor().from_address(address),
        email: customer.email.clone(),
        password: customer.password.clone(),
    }
}

/// What the audit log says was done to an account, in order.
pub async fn audit_actions(app: &TestApp, id: &str) -> Vec<String> {
    let sql = "SELECT action FROM audit WHERE about_kind = 'customer' AND about_id = $1 ORDER BY at, chain, number";
    let mut tx = app.server.platform.db.read().await.unwrap();
    let rows = agio_core::fetch_all!(&mut tx, (String,), sql, id).unwrap();
    rows.into_iter().map(|(action,)| action).collect()
}

/// The values of the cookies an answer sets, by name and path.
pub fn cookies(answer: &TestResponse) -> Vec<String> {
    answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap().to_owned()).collect()
}

/// The refresh token an answer sets.
pub fn refresh_token(answer: &TestResponse) -> String {
    let cookies = cookies(answer);
    let cookie = cookies.iter().find_map(|cookie| cookie.strip_prefix("agio_refresh=")).unwrap_or_else(|| panic!("{cookies:?}"));
    cookie.split(';').next().unwrap().to_owned()
}

/// Shows a refresh token, from a browser that has no other cookie.
pub async fn refresh_with(app: &TestApp, token: &str) -> TestResponse {
    refresh_at(&app.root, token).await
}

/// Shows a refresh token to this node.
pub async fn refresh_at(root: &str, token: &str) -> TestResponse {
    let caller = TestClient::at(root);
    let request = caller.request(reqwest::Method::GET, "/front-api/auth/refresh/");
    caller.send(request.header("cookie", format!("agio_refresh={token}"))).await
}

/// Requests the account of an access token.
pub async fn get_me(app: &TestApp, token: &str) -> TestResponse {
    app.visitor().with_token(token).get("/api/v1/users/me/").await
}

/// The access token of an answer.
pub fn access_token(answer: &TestResponse) -> String {
    answer.json()["accessToken"].as_str().unwrap().to_owned()
}
