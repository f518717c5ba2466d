//! Setting a new password by mail.

use std::time::Duration;

use agio_testkit::{Customer, Engine, House, both_engines};
use serde_json::json;

use crate::people::{WRONG, access_token, deeds, elsewhere, tries, who_is};

const MINUTE: Duration = Duration::from_secs(60);

/// Asks for a link and gives its token.
async fn asks(house: &House, customer: &Customer) -> String {
    let asked = json!({ "email": customer.email });
    house.customer().post("/api/v1/users/restore/", asked).await.ok();
    house.later(Duration::from_secs(1)).await;
    customer.token(house, "password_restore").await
}

async fn a_new_password_ends_every_session_and_signs_nobody_in(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let mut phone = elsewhere(&house, &ivan, "192.0.2.7");
    let session = phone.signs_in().await;
    let token = asks(&house, &ivan).await;
    let restore = format!("/api/v1/users/restore/{token}/");

    // A password that will not do leaves the link good.
    let common = house.customer().post(&restore, json!({ "password": "qwertyuiop" })).await.refused(422, "validation_failed");
    assert_eq!(common["errors"]["password"][0]["code"], "password_common");
    let answer = house.customer().post(&restore, json!({ "password": "quite another horse" })).await;
    assert!(answer.headers.get("set-cookie").is_none());
    assert_eq!(answer.ok()["notification"]["title"], "Уведомление");

    ivan.me().await.refused(401, "token_not_valid");
    who_is(&house, &access_token(&session)).await.refused(401, "token_not_valid");
    ivan.refreshes().await.refused(401, "token_not_valid");
    phone.refreshes().await.refused(401, "token_not_valid");
    ivan.signs_in().await.refused(401, "wrong_credentials");
    ivan.password = "quite another horse".into();
    let id = ivan.signs_in().await.ok()["user"]["id"].as_str().unwrap().to_owned();
    house.customer().post(&restore, json!({ "password": "yet another horse" })).await.refused(404, "link_not_valid");
    assert!(ivan.mail(&house, "password_restored").await.text.contains("127.0.0.1"));
    let deeds = deeds(&house, &id).await;
    assert!(deeds.contains(&"customer.restore_asked".to_owned()) && deeds.contains(&"customer.restored".to_owned()), "{deeds:?}");
}

async fn a_link_is_good_for_half_an_hour_and_only_the_newest_is(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Customer::at(&house, "ivan@example.com").await;
    let first = asks(&house, &ivan).await;
    let second = asks(&house, &ivan).await;
    let takes = |token: String| {
        let caller = house.customer();
        async move { caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": "quite another horse" })).await }
    };
    takes(first).await.refused(404, "link_not_valid");
    house.wait(30 * MINUTE);
    takes(second).await.refused(404, "link_not_valid");
    let activation = Customer::signs_up(&house, "olga@example.com").await.token(&house, "account_activation").await;
    takes(activation).await.refused(404, "link_not_valid");
    takes(asks(&house, &ivan).await).await.ok();
}

async fn the_link_leads_to_our_site_whatever_the_request_says(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Customer::at(&house, "ivan@example.com").await;
    let caller = house.customer();
    let request = caller.request(reqwest::Method::POST, "/api/v1/users/restore/").json(&json!({ "email": ivan.email }));
    caller.send(request.header("host", "evil.example").header("x-forwarded-host", "evil.example")).await.ok();
    house.later(Duration::from_secs(1)).await;
    let text = ivan.mail(&house, "password_restore").await.text;
    assert!(text.contains("http://127.0.0.1:8080/recover#token=") && !text.contains("evil"), "{text}");
}

async fn strangers_who_tried_do_not_keep_the_owner_waiting(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::signs_up(&house, "ivan@example.com").await;
    for stranger in 0..12 {
        tries(&house.customer().from_address(&format!("192.0.2.{stranger}")), &ivan.email, WRONG).await;
    }
    ivan.signs_in().await.refused(429, "too_many_attempts");
    let token = asks(&house, &ivan).await;
    ivan.password = "quite another horse".into();
    ivan.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": ivan.password })).await.ok();
    ivan.signs_in().await.ok();
}

/// Anybody may sign up with any address: who shows that it is theirs does not get what somebody else made of the account.
async fn an_account_nobody_confirmed_is_replaced_by_the_owners_own(engine: Engine) {
    let house = House::open(engine).await;
    let mut stranger = Customer::signs_up(&house, "ivan@example.com").await;
    let before = stranger.signs_in().await.ok()["user"]["id"].as_str().unwrap().to_owned();
    let late = stranger.token(&house, "account_activation").await;

    let mut owner = elsewhere(&house, &stranger, "192.0.2.7");
    let token = asks(&house, &owner).await;
    owner.password = "quite another horse".into();
    owner.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": owner.password })).await.ok();
    let user = owner.signs_in().await.ok()["user"].clone();
    assert_ne!(user["id"], json!(before));
    assert_eq!((&user["email"], &user["activated"]), (&json!("ivan@example.com"), &json!(true)));

    stranger.me().await.refused(401, "token_not_valid");
    stranger.refreshes().await.refused(401, "token_not_valid");
    stranger.signs_in().await.refused(401, "wrong_credentials");
    stranger.email = format!("{before}@abandoned.invalid");
    let refused = stranger.signs_in().await;
    assert!(refused.status.is_client_error(), "{}", refused.text);
    house.customer().post(&format!("/api/v1/users/activate/{late}/"), json!({})).await.refused(404, "link_not_valid");
    assert!(deeds(&house, &before).await.contains(&"customer.abandoned".to_owned()));

    // Who confirmed the address keeps the account with everything in it.
    let token = asks(&house, &owner).await;
    owner.password = "yet another horse".into();
    owner.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": owner.password })).await.ok();
    assert_eq!(owner.signs_in().await.ok()["user"]["id"], user["id"]);
}

both_engines!(
    an_account_nobody_confirmed_is_replaced_by_the_owners_own,
    a_new_password_ends_every_session_and_signs_nobody_in,
    a_link_is_good_for_half_an_hour_and_only_the_newest_is,
    the_link_leads_to_our_site_whatever_the_request_says,
    strangers_who_tried_do_not_keep_the_owner_waiting,
);
