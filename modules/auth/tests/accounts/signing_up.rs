//! Signing up, and showing that the address is one's own.

use std::time::Duration;

use agio_testkit::{Customer, Engine, House, both_engines};
use serde_json::json;

use crate::people::{deeds, tries};

const HOUR: Duration = Duration::from_secs(60 * 60);

async fn somebody_signs_up_confirms_the_address_and_is_in(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::signs_up(&house, "Ivan@Example.com").await;
    ivan.email = "ivan@example.com".into();
    let session = ivan.signs_in().await.ok();
    assert_eq!(session["expiresIn"], 600);
    assert_eq!(session["user"]["activated"], false);
    assert_eq!(session["user"], ivan.me().await.ok());

    let token = ivan.token(&house, "account_activation").await;
    assert!(token.len() >= 43, "256 bits: {token}");
    let activate = format!("/en/api/v1/users/activate/{token}/");
    let notice = ivan.caller.post_empty(&activate).await.ok();
    assert_eq!(notice, json!({ "notification": { "title": "Notification", "message": "Account successfully activated" } }));
    let me = ivan.me().await.ok();
    assert_eq!(me["activated"], true);
    let keys: Vec<_> = me.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["activated", "bonus", "createdAt", "email", "id", "language", "recoveryCodes", "totp"]);
    assert_eq!((&me["email"], &me["language"], &me["bonus"]), (&json!("ivan@example.com"), &json!("ru"), &json!("0")));
    ivan.caller.post_empty(&activate).await.refused(404, "link_not_valid");
    let id = me["id"].as_str().unwrap();
    assert_eq!(deeds(&house, id).await, ["customer.signed_up", "customer.signed_in", "customer.activated"]);
}

async fn the_activation_speaks_russian_at_the_root(engine: Engine) {
    let house = House::open(engine).await;
    let olga = Customer::signs_up(&house, "olga@example.com").await;
    let token = olga.token(&house, "account_activation").await;
    let notice = olga.caller.post(&format!("/api/v1/users/activate/{token}/"), json!({})).await.ok();
    assert_eq!(notice["notification"], json!({ "title": "Уведомление", "message": "Аккаунт успешно активирован" }));
}

async fn an_activation_link_is_good_for_a_day_and_only_the_newest_is(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::signs_up(&house, "ivan@example.com").await;
    ivan.signs_in().await.ok();
    let first = ivan.token(&house, "account_activation").await;
    ivan.caller.post_empty("/api/v1/users/reactivate/").await.ok();
    house.later(Duration::from_secs(1)).await;
    let second = ivan.token(&house, "account_activation").await;
    assert_ne!(first, second);
    let takes = |token: String| {
        let caller = house.customer();
        async move { caller.post(&format!("/api/v1/users/activate/{token}/"), json!({})).await }
    };
    takes(first).await.refused(404, "link_not_valid");
    house.wait(24 * HOUR);
    takes(second).await.refused(404, "link_not_valid");
    takes("0".repeat(43)).await.refused(404, "link_not_valid");
    house.customer().post("/api/v1/users/reactivate/", json!({ "email": "ivan@example.com" })).await.ok();
    house.later(Duration::from_secs(1)).await;
    let third = ivan.token(&house, "account_activation").await;
    takes(third).await.ok();

    // Who is activated already gets no further link.
    let mails = house.mail_to(&ivan.email).await.len();
    house.customer().post("/api/v1/users/reactivate/", json!({ "email": "ivan@example.com" })).await.ok();
    house.later(Duration::from_secs(1)).await;
    assert_eq!(house.mail_to(&ivan.email).await.len(), mails);
}

async fn a_second_sign_up_changes_nothing_and_tells_the_owner(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::signs_up(&house, "ivan@example.com").await;
    let stranger = house.customer();
    let again = json!({ "email": " IVAN@example.com ", "password": "a stranger's own words" });
    stranger.post("/api/v1/users/signup/", again).await.ok();
    house.answers_requests().await;
    tries(&stranger, "ivan@example.com", "a stranger's own words").await.refused(401, "wrong_credentials");
    ivan.signs_in().await.ok();
    let mail = ivan.mail(&house, "account_exists").await;
    assert_eq!(mail.subject, "У вас уже есть аккаунт");
    let token = ivan.token(&house, "account_exists").await;
    ivan.password = "quite another horse".into();
    let new = json!({ "password": ivan.password });
    house.customer().post(&format!("/api/v1/users/restore/{token}/"), new).await.ok();
    ivan.signs_in().await.ok();
    assert_eq!(ivan.me().await.ok()["activated"], true, "the link came by mail, so the address is theirs");
}

async fn of_two_sign_ups_at_once_the_first_counts(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::comes(&house, "ivan@example.com");
    ivan.caller.post("/api/v1/users/signup/", json!({ "email": ivan.email, "password": ivan.password })).await.ok();
    house.wait(Duration::from_millis(1));
    let stranger = house.customer();
    let other = json!({ "email": ivan.email, "password": "a stranger's own words" });
    stranger.post("/api/v1/users/signup/", other).await.ok();
    assert!(house.mail_to(&ivan.email).await.is_empty(), "nothing is done while somebody waits for the answer");
    house.answers_requests().await;
    tries(&stranger, "ivan@example.com", "a stranger's own words").await.refused(401, "wrong_credentials");
    ivan.signs_in().await.ok();
    let kinds: Vec<_> = house.mail_to(&ivan.email).await.into_iter().map(|mail| mail.kind).collect();
    assert_eq!(kinds, ["account_activation", "account_exists"]);
    house.answers_requests().await;
    assert_eq!(house.mail_to(&ivan.email).await.len(), 2, "a request is answered once");
}

async fn what_is_wrong_with_a_sign_up_is_said_field_by_field(engine: Engine) {
    let house = House::open(engine).await;
    let long = "я".repeat(129);
    for (email, password, field, code) in [
        ("ivan@", Customer::PASSWORD, "email", "bad_email"),
        ("a@example.com\r\nBcc: b@example.com", Customer::PASSWORD, "email", "bad_email"),
        ("ivan@example.com", "nine char", "password", "password_length"),
        ("ivan@example.com", long.as_str(), "password", "password_length"),
        ("ivan@example.com", "1234567890", "password", "password_common"),
        ("ivan@example.com", "Password123!", "password", "password_common"),
        ("ivan@example.com", "agio-ivan-2024", "password", "password_common"),
    ] {
        let caller = house.customer().from_address("192.0.2.1");
        for (root, letters) in [("", 'а'..='я'), ("/en", 'a'..='z')] {
            let new = json!({ "email": email, "password": password });
            let answer = caller.post(&format!("{root}/api/v1/users/signup/"), new).await;
            if answer.status == 429 {
                house.wait(24 * HOUR);
                continue;
            }
            let problem = answer.refused(422, "validation_failed");
            let found = &problem["errors"][field][0];
            assert_eq!(found["code"], code, "{problem}");
            assert!(found["message"].as_str().unwrap().chars().any(|c| letters.contains(&c)), "{problem}");
        }
        house.wait(24 * HOUR);
    }
    let referral = json!({ "email": "ivan@example.com", "password": Customer::PASSWORD, "refferal": "x".repeat(65) });
    let refused = house.customer().post("/api/v1/users/signup/", referral).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["refferal"][0]["code"], "text_too_long");
    let role = json!({ "email": "ivan@example.com", "password": Customer::PASSWORD, "activated": true });
    house.customer().post("/api/v1/users/signup/", role).await.refused(400, "malformed_body");
}

async fn the_language_of_the_sign_in_is_the_language_of_letters(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let login = json!({ "email": ivan.email, "password": ivan.password });
    let session = ivan.caller.post("/front-api/auth/login/?locale=en", login.clone()).await.ok();
    assert_eq!(session["user"]["language"], "en");
    ivan.caller.post("/api/v1/users/restore/", json!({ "email": ivan.email })).await.ok();
    house.later(Duration::from_secs(1)).await;
    let mail = ivan.mail(&house, "password_restore").await;
    assert_eq!(mail.subject, "Setting a new password");
    assert!(mail.text.contains("/en/recover#token="), "{}", mail.text);
    let session = ivan.caller.post("/en/front-api/auth/login/?locale=ru", login.clone()).await.ok();
    assert_eq!(session["user"]["language"], "ru");
    let session = ivan.caller.post("/en/front-api/auth/login/", login).await.ok();
    assert_eq!(session["user"]["language"], "en");
    ivan.signs_in().await.ok();
}

both_engines!(
    somebody_signs_up_confirms_the_address_and_is_in,
    the_activation_speaks_russian_at_the_root,
    an_activation_link_is_good_for_a_day_and_only_the_newest_is,
    a_second_sign_up_changes_nothing_and_tells_the_owner,
    of_two_sign_ups_at_once_the_first_counts,
    what_is_wrong_with_a_sign_up_is_said_field_by_field,
    the_language_of_the_sign_in_is_the_language_of_letters,
);
