//! What customers, and those who would like to be taken for them, do again and again.

use agio_testkit::{Answer, Caller, Customer, House};
use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// A password nobody has.
pub const WRONG: &str = "wrong horse battery";

/// Tries a password.
pub async fn tries(caller: &Caller, email: &str, password: &str) -> Answer {
    caller.post("/front-api/auth/login/", json!({ "email": email, "password": password })).await
}

/// Tries a password with the answer to a captcha.
pub async fn tries_proved(caller: &Caller, email: &str, password: &str) -> Answer {
    let recaptcha = solved(caller, "login").await;
    caller.post("/front-api/auth/login/", json!({ "email": email, "password": password, "recaptcha": recaptcha })).await
}

/// The answer to a captcha of a call.
pub async fn solved(caller: &Caller, action: &str) -> String {
    let check = caller.get(&format!("/front-api/auth/captcha/?action={action}")).await.ok();
    proof(&check["challenge"])
}

/// The answer to a challenge.
pub fn proof(challenge: &Value) -> String {
    let challenge: Challenge = serde_json::from_value(challenge.clone()).unwrap();
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
    STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).unwrap())
}

/// The same account in another browser at another address.
pub fn elsewhere(house: &House, customer: &Customer, address: &str) -> Customer {
    Customer {
        caller: house.customer().from_address(address),
        email: customer.email.clone(),
        password: customer.password.clone(),
    }
}

/// What the audit log says was done to an account, in order.
pub async fn deeds(house: &House, id: &str) -> Vec<String> {
    let sql = "SELECT action FROM audit WHERE about_kind = 'customer' AND about_id = $1 ORDER BY at, chain, number";
    let mut tx = house.app.platform.db.read().await.unwrap();
    let rows = agio_core::fetch_all!(&mut tx, (String,), sql, id).unwrap();
    rows.into_iter().map(|(action,)| action).collect()
}

/// The values of the cookies an answer sets, by name and path.
pub fn cookies(answer: &Answer) -> Vec<String> {
    answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap().to_owned()).collect()
}

/// The refresh token an answer sets.
pub fn refresh_token(answer: &Answer) -> String {
    let cookies = cookies(answer);
    let cookie = cookies.iter().find_map(|cookie| cookie.strip_prefix("agio_refresh=")).unwrap_or_else(|| panic!("{cookies:?}"));
    cookie.split(';').next().unwrap().to_owned()
}

/// Shows a refresh token, from a browser that has no other cookie.
pub async fn shows(house: &House, token: &str) -> Answer {
    shows_at(&house.root, token).await
}

/// Shows a refresh token to this node.
pub async fn shows_at(root: &str, token: &str) -> Answer {
    let caller = Caller::at(root);
    let request = caller.request(reqwest::Method::GET, "/front-api/auth/refresh/");
    caller.send(request.header("cookie", format!("agio_refresh={token}"))).await
}

/// Asks who holds an access token.
pub async fn who_is(house: &House, token: &str) -> Answer {
    house.customer().with_token(token).get("/api/v1/users/me/").await
}

/// The access token of an answer.
pub fn access_token(answer: &Answer) -> String {
    answer.json()["accessToken"].as_str().unwrap().to_owned()
}
