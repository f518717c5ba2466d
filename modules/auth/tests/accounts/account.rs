//! What customers see and change of their own account.

use std::time::Duration;

use agio_auth::PasswordCost;
use agio_test_app::{Database, Engine, TestApp, TestCustomer, both_engines};
use serde_json::json;
use uuid::Uuid;

use crate::fixtures::{WRONG, access_token, at_another_address, get_me, try_sign_in};

async fn password_change_revokes_other_sessions(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut phone = at_another_address(&app, &ivan, "192.0.2.7");
    phone.sign_in().await.ok();
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
    ivan.refresh().await.ok();
    phone.me().await.refused(401, "token_not_valid");
    phone.refresh().await.refused(401, "token_not_valid");
    phone.sign_in().await.refused(401, "wrong_credentials");
    phone.password = "quite another horse".into();
    phone.sign_in().await.ok();
    ivan.newest_email(&app, "password_changed").await;
}

async fn only_the_owner_lists_and_revokes_sessions(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    app.advance_clock(Duration::from_secs(60));
    let mut phone = at_another_address(&app, &ivan, "192.0.2.7");
    phone.sign_in().await.ok();
    let olga = TestCustomer::registered(&app, "olga@example.com").await;

    let sessions = ivan.caller.get("/api/v1/users/me/sessions/").await.ok();
    let addresses: Vec<_> =
        sessions.as_array().unwrap().iter().map(|session| (&session["address"], &session["current"])).collect();
    assert_eq!(addresses.len(), 2, "{sessions}");
    assert_eq!(addresses[0], (&json!("192.0.2.7"), &json!(false)));
    assert_eq!(addresses[1].1, &json!(true));
    let phones = sessions[0]["id"].as_str().unwrap();

    let end = format!("/api/v1/users/me/sessions/{phones}/");
    olga.caller.delete(&end).await.refused(404, "session_not_found");
    olga.caller.delete(&format!("/api/v1/users/me/sessions/{}/", Uuid::nil())).await.refused(404, "session_not_found");
    phone.me().await.ok();
    assert_eq!(ivan.caller.delete(&end).await.status, 204);
    phone.me().await.refused(401, "token_not_valid");
    phone.refresh().await.refused(401, "token_not_valid");
    ivan.caller.delete(&end).await.refused(404, "session_not_found");

    phone.sign_in().await.ok();
    assert_eq!(ivan.caller.delete("/api/v1/users/me/sessions/").await.status, 204);
    phone.me().await.refused(401, "token_not_valid");
    ivan.me().await.ok();
    olga.me().await.ok();
    ivan.sign_in().await.ok();
}

async fn sign_out_revokes_the_session(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let out = ivan.caller.post_empty("/front-api/auth/logout/").await;
    assert_eq!(out.status, 204);
    assert_eq!(crate::fixtures::cookies(&out).iter().filter(|cookie| cookie.contains("Max-Age=0")).count(), 3);
    ivan.me().await.refused(401, "token_not_valid");
    ivan.refresh().await.refused(401, "token_not_valid");
    assert_eq!(app.visitor().post_empty("/front-api/auth/logout/").await.status, 204, "nobody is signed out as well");
}

async fn sessions_per_account_are_limited(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let first = ivan.caller.clone();
    for _ in 0..20 {
        app.advance_clock(Duration::from_secs(1));
        ivan.sign_in().await.ok();
    }
    first.get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    assert_eq!(ivan.caller.get("/api/v1/users/me/sessions/").await.ok().as_array().unwrap().len(), 20);
}

async fn sign_in_from_a_new_device_is_reported(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let emails = || async { app.emails_to("ivan@example.com").await.iter().filter(|mail| mail.kind == "new_sign_in").count() };
    ivan.sign_in().await.ok();
    assert_eq!(emails().await, 0, "the browser is known, and so is the address");
    ivan.caller = ivan.caller.clone().from_address("198.51.100.1");
    ivan.sign_in().await.ok();
    assert_eq!(emails().await, 0, "the browser is known");
    let mut private_window = at_another_address(&app, &ivan, "198.51.100.1");
    private_window.sign_in().await.ok();
    assert_eq!(emails().await, 0, "the address is known");
    let mut thief = at_another_address(&app, &ivan, "203.0.113.9");
    thief.sign_in().await.ok();
    assert_eq!(emails().await, 1);
    assert!(ivan.newest_email(&app, "new_sign_in").await.text.contains("203.0.113.9"));
}

async fn emails_about_the_account_give_times_in_the_customers_zone(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let change = |by: &TestCustomer, new: &str| {
        let (caller, body) = (by.caller.clone(), json!({ "oldPassword": by.password, "newPassword": new }));
        async move { caller.post("/api/v1/users/me/password/", body).await }
    };
    assert_eq!(change(&ivan, "quite another horse").await.status, 204);
    let text = ivan.newest_email(&app, "password_changed").await.text;
    assert!(text.contains("(UTC)"), "the exchange's, as long as that of the customer is unknown: {text}");

    ivan.password = "quite another horse".into();
    let sign_in = |by: &TestCustomer, zone: &str| json!({ "email": by.email, "password": by.password, "timeZone": zone });
    let login = sign_in(&ivan, "Asia/Tokyo");
    ivan.sign_in_with(login).await.ok();
    // A browser that names no zone there is leaves it as it was.
    let login = sign_in(&ivan, "Nowhere/Land");
    ivan.sign_in_with(login).await.ok();
    let exported = ivan.caller.post("/api/v1/users/me/export/", json!({ "password": ivan.password })).await.ok();
    assert_eq!(exported["data"]["account"]["timeZone"], "Asia/Tokyo");
    let new_address = json!({ "email": "ivan@example.org", "password": ivan.password });
    ivan.caller.post("/api/v1/users/me/email/", new_address).await.ok();
    let mut elsewhere = at_another_address(&app, &ivan, "203.0.113.9");
    elsewhere.sign_in().await.ok();
    assert_eq!(change(&ivan, "a third horse altogether").await.status, 204);
    let password = json!({ "password": "a third horse altogether" });
    assert_eq!(ivan.caller.post("/api/v1/users/me/delete/", password).await.status, 204);
    for kind in ["email_change_requested", "new_sign_in", "password_changed", "account_deleted"] {
        let text = ivan.newest_email(&app, kind).await.text;
        assert!(text.contains("(UTC+9)"), "{kind}: {text}");
    }
}

async fn outdated_hash_is_replaced_at_sign_in(engine: Engine) {
    use argon2::password_hash::{PasswordHasher as _, SaltString};
    let database = Database::with_market(engine).await;
    let app = TestApp::start_with(database, |config| config.password_cost = PasswordCost::default()).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let cheap =
        argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, argon2::Params::new(8, 1, 1, None).unwrap());
    let salt = SaltString::encode_b64(b"some salt of old").unwrap();
    let old = cheap.hash_password(ivan.password.as_bytes(), &salt).unwrap().to_string();
    let put = "UPDATE customer SET password_hash = $1";
    let written = app.server.platform.db.write(move |tx| {
        let old = old.clone();
        Box::pin(async move { agio_core::execute!(tx, put, old) })
    });
    assert_eq!(written.await.unwrap(), 1);
    ivan.sign_in().await.ok();
    let mut tx = app.server.platform.db.read().await.unwrap();
    let (hash,) = agio_core::fetch_one!(&mut tx, (String,), "SELECT password_hash FROM customer").unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    drop(tx);
    ivan.sign_in().await.ok();
}

async fn invalid_tokens_are_rejected(engine: Engine) {
    let app = TestApp::start(engine).await;
    let guest = app.visitor();
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
    let operator = app.operator().await;
    operator.get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    ivan.caller.get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
    ivan.caller.get("/api/admin/v1/claims").await.refused(401, "token_not_valid");
    let token = access_token(&try_sign_in(&ivan.caller, &ivan.email, &ivan.password).await);
    get_me(&app, &format!("{token}x")).await.refused(401, "token_not_valid");
    get_me(&app, &token).await.ok();
}

both_engines!(
    password_change_revokes_other_sessions,
    only_the_owner_lists_and_revokes_sessions,
    sign_out_revokes_the_session,
    sessions_per_account_are_limited,
    sign_in_from_a_new_device_is_reported,
    emails_about_the_account_give_times_in_the_customers_zone,
    outdated_hash_is_replaced_at_sign_in,
    invalid_tokens_are_rejected,
);
