//! What members of staff see and change of their own account.

use std::time::Duration;

use agio_core::identity::Role;
use agio_testkit::{Engine, House, both_engines};
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::people::{Colleague, PASSWORD, WRONG, strict, tries};

async fn changing_the_password_ends_the_other_sessions(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    anna.signs_in(&house).await.ok();
    let mut phone = anna.elsewhere(&house, "192.0.2.7");
    phone.signs_in(&house).await.ok();
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
    phone.signs_in(&house).await.refused(401, "wrong_credentials");
    anna.mail(&house, "staff_password_changed").await;
}

async fn sessions_are_ended_by_their_owner(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    anna.signs_in(&house).await.ok();
    let mut phone = anna.elsewhere(&house, "192.0.2.7");
    phone.signs_in(&house).await.ok();
    let boris = Colleague::comes(&house, "boris@agio.example", Role::Operator).await;
    let seen = anna.get("/me/sessions").await.ok();
    assert_eq!((&seen[0]["address"], &seen[0]["current"]), (&json!("192.0.2.7"), &json!(false)));
    let path = format!("/me/sessions/{}", seen[0]["id"].as_str().unwrap());
    boris.delete(&path).await.refused(404, "session_not_found");
    assert_eq!(anna.delete(&path).await.status, 204);
    phone.me().await.refused(401, "token_not_valid");
    phone.signs_in(&house).await.ok();
    assert_eq!(anna.delete("/me/sessions").await.status, 204);
    phone.me().await.refused(401, "token_not_valid");
    anna.me().await.ok();
    assert_eq!(anna.get("/me/sessions").await.ok().as_array().unwrap().len(), 1);
}

async fn a_sign_in_from_nowhere_known_is_told(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    let told = async || house.mail_to("anna@agio.example").await.iter().filter(|mail| mail.kind == "staff_new_sign_in").count();
    anna.signs_in(&house).await.ok();
    assert_eq!(told().await, 0, "the browser is known, and so is the address");
    anna.caller = anna.caller.clone().from_address("198.51.100.1");
    anna.signs_in(&house).await.ok();
    assert_eq!(told().await, 0, "the browser is known");
    let mut thief = anna.elsewhere(&house, "203.0.113.9");
    thief.signs_in(&house).await.ok();
    assert_eq!(told().await, 1);
    thief.signs_in(&house).await.ok();
    assert_eq!(told().await, 1);
    assert!(anna.mail(&house, "staff_new_sign_in").await.text.contains("203.0.113.9"));
}

async fn a_copied_cookie_ends_the_session_and_is_told(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    let opened = anna.signs_in(&house).await;
    let cookie =
        opened.headers.get_all("set-cookie").iter().find_map(|value| value.to_str().unwrap().strip_prefix("agio_staff="));
    let copied = cookie.unwrap().split(';').next().unwrap().to_owned();
    anna.caller.post_empty("/api/admin/v1/auth/refresh").await.ok();
    house.wait(Duration::from_secs(60));
    let thief = house.customer();
    let request = thief.request(reqwest::Method::POST, "/api/admin/v1/auth/refresh");
    thief.send(request.header("cookie", format!("agio_staff={copied}"))).await.refused(401, "token_not_valid");
    anna.me().await.refused(401, "token_not_valid");
    anna.mail(&house, "staff_session_copied").await;
}

async fn strangers_do_not_keep_an_owner_out(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    anna.signs_in(&house).await.ok();
    for stranger in 0..40 {
        let caller = house.customer().from_address(&format!("203.0.113.{stranger}"));
        tries(&caller, &anna.email, WRONG, None).await;
    }
    let stranger = house.customer().from_address("203.0.113.99");
    tries(&stranger, &anna.email, WRONG, None).await.refused(429, "too_many_attempts");
    anna.signs_in(&house).await.ok();
}

/// Whoever works here is asked for the password while customers wait to be asked for theirs.
async fn staff_sign_in_while_customers_queue(engine: Engine) {
    const CUSTOMERS: u8 = 40;
    let house = House::open(engine).await;
    house.operator().await;
    let sign_in = |number: u8| {
        let caller = house.customer().from_address(&format!("192.0.2.{number}"));
        let login = json!({ "email": format!("customer{number}@example.com"), "password": WRONG });
        async move { caller.post("/front-api/auth/login/", login).await.refused(401, "wrong_credentials") }
    };
    let mut customers: JoinSet<_> = (0..CUSTOMERS).map(sign_in).collect();
    customers.join_next().await.unwrap().unwrap();
    house.staff_unconfirmed(Role::Operator).await;
    let waiting = customers.len() - std::iter::from_fn(|| customers.try_join_next()).count();
    assert!(waiting > usize::from(CUSTOMERS) / 2, "only {waiting} customers are still waiting");
}

async fn another_sites_page_signs_nobody_out(engine: Engine) {
    let house = House::open(engine).await;
    let anna = house.operator().await;
    let form =
        anna.request(Method::POST, "/api/admin/v1/auth/logout").header("content-type", "application/x-www-form-urlencoded");
    let refused = anna.send(form.header("sec-fetch-site", "cross-site").header("origin", "https://evil.example")).await;
    assert!(!refused.headers.contains_key("set-cookie"), "a foreign page takes no cookie away");
    refused.refused(401, "token_not_valid");
    anna.get("/api/admin/v1/auth/me").await.ok();
    anna.post_empty("/api/admin/v1/auth/refresh").await.ok();
}

both_engines!(
    staff_sign_in_while_customers_queue,
    another_sites_page_signs_nobody_out,
    changing_the_password_ends_the_other_sessions,
    sessions_are_ended_by_their_owner,
    a_sign_in_from_nowhere_known_is_told,
    a_copied_cookie_ends_the_session_and_is_told,
    strangers_do_not_keep_an_owner_out,
);
