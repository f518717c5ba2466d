//! What customers see and change of their own account.

use std::time::Duration;

use agio_testkit::{Customer, Engine, House, both_engines};
use serde_json::json;
use uuid::Uuid;

use crate::people::{WRONG, access_token, elsewhere, tries, who_is};

async fn changing_the_password_ends_the_other_sessions(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let mut phone = elsewhere(&house, &ivan, "192.0.2.7");
    phone.signs_in().await.ok();
    let change = |old: &str, new: &str| {
        let (caller, body) = (ivan.caller.clone(), json!({ "oldPassword": old, "newPassword": new }));
        async move { caller.post("/api/v1/users/me/password/", body).await }
    };
    let wrong = change(WRONG, "quite another horse").await.refused(422, "validation_failed");
    assert_eq!(wrong["errors"]["oldPassword"][0]["code"], "wrong_password");
    let common = change(&ivan.password, "ivan@example.com").await.refused(422, "validation_failed");
    assert_eq!(common["errors"]["newPassword"][0]["code"], "password_common");
    assert_eq!(change(&ivan.password, "quite another horse").await.status, 204);

    ivan.me().await.ok();
    ivan.refreshes().await.ok();
    phone.me().await.refused(401, "token_not_valid");
    phone.refreshes().await.refused(401, "token_not_valid");
    phone.signs_in().await.refused(401, "wrong_credentials");
    phone.password = "quite another horse".into();
    phone.signs_in().await.ok();
    ivan.mail(&house, "password_changed").await;
}

async fn sessions_are_seen_and_ended_by_their_owner_alone(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    house.wait(Duration::from_secs(60));
    let mut phone = elsewhere(&house, &ivan, "192.0.2.7");
    phone.signs_in().await.ok();
    let olga = Customer::at(&house, "olga@example.com").await;

    let seen = ivan.caller.get("/api/v1/users/me/sessions/").await.ok();
    let addresses: Vec<_> = seen.as_array().unwrap().iter().map(|session| (&session["address"], &session["current"])).collect();
    assert_eq!(addresses.len(), 2, "{seen}");
    assert_eq!(addresses[0], (&json!("192.0.2.7"), &json!(false)));
    assert_eq!(addresses[1].1, &json!(true));
    let phones = seen[0]["id"].as_str().unwrap();

    let end = format!("/api/v1/users/me/sessions/{phones}/");
    olga.caller.delete(&end).await.refused(404, "session_not_found");
    olga.caller.delete(&format!("/api/v1/users/me/sessions/{}/", Uuid::nil())).await.refused(404, "session_not_found");
    phone.me().await.ok();
    assert_eq!(ivan.caller.delete(&end).await.status, 204);
    phone.me().await.refused(401, "token_not_valid");
    phone.refreshes().await.refused(401, "token_not_valid");
    ivan.caller.delete(&end).await.refused(404, "session_not_found");

    phone.signs_in().await.ok();
    assert_eq!(ivan.caller.delete("/api/v1/users/me/sessions/").await.status, 204);
    phone.me().await.refused(401, "token_not_valid");
    ivan.me().await.ok();
    olga.me().await.ok();
    ivan.signs_in().await.ok();
}

async fn signing_out_ends_the_session_at_once(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let out = ivan.caller.post_empty("/front-api/auth/logout/").await;
    assert_eq!(out.status, 204);
    assert_eq!(crate::people::cookies(&out).iter().filter(|cookie| cookie.contains("Max-Age=0")).count(), 3);
    ivan.me().await.refused(401, "token_not_valid");
    ivan.refreshes().await.refused(401, "token_not_valid");
    assert_eq!(house.customer().post_empty("/front-api/auth/logout/").await.status, 204, "nobody is signed out as well");
}

async fn an_account_has_so_many_sessions_and_no_more(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let first = ivan.caller.clone();
    for _ in 0..20 {
        house.wait(Duration::from_secs(1));
        ivan.signs_in().await.ok();
    }
    first.get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    assert_eq!(ivan.caller.get("/api/v1/users/me/sessions/").await.ok().as_array().unwrap().len(), 20);
}

async fn a_sign_in_from_nowhere_known_is_told(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let told = || async { house.mail_to("ivan@example.com").await.iter().filter(|mail| mail.kind == "new_sign_in").count() };
    ivan.signs_in().await.ok();
    assert_eq!(told().await, 0, "the browser is known, and so is the address");
    ivan.caller = ivan.caller.clone().from_address("198.51.100.1");
    ivan.signs_in().await.ok();
    assert_eq!(told().await, 0, "the browser is known");
    let mut private_window = elsewhere(&house, &ivan, "198.51.100.1");
    private_window.signs_in().await.ok();
    assert_eq!(told().await, 0, "the address is known");
    let mut thief = elsewhere(&house, &ivan, "203.0.113.9");
    thief.signs_in().await.ok();
    assert_eq!(told().await, 1);
    assert!(ivan.mail(&house, "new_sign_in").await.text.contains("203.0.113.9"));
}

async fn a_cheaper_hash_is_made_anew_at_the_next_sign_in(engine: Engine) {
    use argon2::password_hash::{PasswordHasher as _, SaltString};
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let cheap =
        argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, argon2::Params::new(8, 1, 1, None).unwrap());
    let salt = SaltString::encode_b64(b"some salt of old").unwrap();
    let old = cheap.hash_password(ivan.password.as_bytes(), &salt).unwrap().to_string();
    let put = "UPDATE customer SET password_hash = $1";
    let written = house.app.platform.db.write(move |tx| {
        let old = old.clone();
        Box::pin(async move { agio_core::execute!(tx, put, old) })
    });
    assert_eq!(written.await.unwrap(), 1);
    ivan.signs_in().await.ok();
    let mut tx = house.app.platform.db.read().await.unwrap();
    let (hash,) = agio_core::fetch_one!(&mut tx, (String,), "SELECT password_hash FROM customer").unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    drop(tx);
    ivan.signs_in().await.ok();
}

async fn nobody_else_is_let_in(engine: Engine) {
    let house = House::open(engine).await;
    let guest = house.customer();
    for path in ["", "sessions/"] {
        guest.get(&format!("/api/v1/users/me/{path}")).await.refused(401, "token_not_valid");
    }
    guest.delete("/api/v1/users/me/sessions/").await.refused(401, "token_not_valid");
    guest.delete(&format!("/api/v1/users/me/sessions/{}/", Uuid::nil())).await.refused(401, "token_not_valid");
    for (path, body) in [
        ("password", json!({ "oldPassword": "a", "newPassword": "b" })),
        ("totp", json!({ "password": "a" })),
        ("totp/confirm", json!({ "code": "000000" })),
        ("totp/remove", json!({ "password": "a", "code": "000000" })),
        ("totp/recovery", json!({ "password": "a", "code": "000000" })),
    ] {
        guest.post(&format!("/api/v1/users/me/{path}/"), body).await.refused(401, "token_not_valid");
    }
    let operator = house.operator().await;
    operator.get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    let ivan = Customer::at(&house, "ivan@example.com").await;
    ivan.caller.get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
    ivan.caller.get("/api/admin/v1/claims").await.refused(401, "token_not_valid");
    let token = access_token(&tries(&ivan.caller, &ivan.email, &ivan.password).await);
    who_is(&house, &format!("{token}x")).await.refused(401, "token_not_valid");
    who_is(&house, &token).await.ok();
}

both_engines!(
    changing_the_password_ends_the_other_sessions,
    sessions_are_seen_and_ended_by_their_owner_alone,
    signing_out_ends_the_session_at_once,
    an_account_has_so_many_sessions_and_no_more,
    a_sign_in_from_nowhere_known_is_told,
    a_cheaper_hash_is_made_anew_at_the_next_sign_in,
    nobody_else_is_let_in,
);
