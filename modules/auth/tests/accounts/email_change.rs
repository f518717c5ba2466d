//! Change of the e-mail address.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestCustomer, TestResponse, both_engines};
use serde_json::json;

use crate::fixtures::{WRONG, at_another_address, audit_actions, try_sign_in};
use crate::second_factor::{PERIOD, enable_totp};

const NEW: &str = "ivan@example.org";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn request_change(customer: &TestCustomer, email: &str) -> TestResponse {
    let body = json!({ "email": email, "password": customer.password });
    customer.caller.post("/api/v1/users/me/email/", body).await
}

async fn confirm(customer: &TestCustomer, token: &str) -> TestResponse {
    customer.caller.post(&format!("/api/v1/users/me/email/{token}/"), json!({})).await
}

async fn undo(app: &TestApp, token: &str, password: &str) -> TestResponse {
    app.visitor().post(&format!("/api/v1/users/email/{token}/undo/"), json!({ "password": password })).await
}

/// The token in the newest email of a kind to an address.
async fn token(app: &TestApp, email: &str, kind: &str) -> String {
    TestCustomer::new(app, email).token(app, kind).await
}

async fn address_is_changed_by_the_link_to_the_new_one(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut phone = at_another_address(&app, &ivan, "192.0.2.7");
    phone.sign_in().await.ok();
    let wrong = json!({ "email": NEW, "password": WRONG });
    let wrong = ivan.caller.post("/api/v1/users/me/email/", wrong).await.refused(422, "validation_failed");
    assert_eq!(wrong["errors"]["password"][0]["code"], "wrong_password");
    let same = request_change(&ivan, "Ivan@Example.com").await.refused(422, "validation_failed");
    assert_eq!(same["errors"]["email"][0]["code"], "email_same");
    request_change(&ivan, "Ivan@Example.org").await.ok();
    let link = token(&app, NEW, "email_change").await;
    assert_eq!(ivan.me().await.ok()["email"], "ivan@example.com", "nothing has changed yet");

    // Another customer, who got the link by a typing error, gets nowhere.
    let olga = TestCustomer::registered(&app, "olga@example.com").await;
    confirm(&olga, &link).await.refused(404, "link_not_valid");
    app.visitor().post(&format!("/api/v1/users/me/email/{link}/"), json!({})).await.refused(401, "token_not_valid");
    confirm(&ivan, &link).await.ok();

    let me = ivan.me().await.ok();
    assert_eq!((&me["email"], &me["activated"]), (&json!(NEW), &json!(true)));
    phone.me().await.refused(401, "token_not_valid");
    confirm(&ivan, &link).await.refused(404, "link_not_valid");
    try_sign_in(&app.visitor(), "ivan@example.com", &ivan.password).await.refused(401, "wrong_credentials");
    let notice = ivan.newest_email(&app, "email_changed").await;
    assert!(notice.text.contains("127.0.0.1") && !notice.text.contains(NEW), "{}", notice.text);
    ivan.email = NEW.into();
    ivan.sign_in().await.ok();
    let actions = audit_actions(&app, me["id"].as_str().unwrap()).await;
    for action in ["customer.email_change_asked", "customer.email_changed"] {
        assert!(actions.iter().any(|done| done == action), "{actions:?}");
    }
    // The former address is free.
    TestCustomer::registered(&app, "ivan@example.com").await;
}

async fn a_thief_does_not_keep_the_account(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut thief = at_another_address(&app, &ivan, "203.0.113.9");
    thief.sign_in().await.ok();
    request_change(&thief, NEW).await.ok();
    confirm(&thief, &token(&app, NEW, "email_change").await).await.ok();
    ivan.me().await.refused(401, "token_not_valid");
    // They change everything else as well.
    let change = json!({ "oldPassword": thief.password, "newPassword": "a horse of the thief" });
    assert_eq!(thief.caller.post("/api/v1/users/me/password/", change).await.status, 204);
    thief.password = "a horse of the thief".into();
    enable_totp(&app, &thief).await;
    let further = request_change(&thief, "thief@example.net").await;
    further.refused(422, "validation_failed");

    let link = token(&app, "ivan@example.com", "email_changed").await;
    app.advance_clock(6 * DAY);
    let common = undo(&app, &link, "ivan@example.com").await.refused(422, "validation_failed");
    assert_eq!(common["errors"]["password"][0]["code"], "password_common");
    undo(&app, &link, "quite another horse").await.ok();
    undo(&app, &link, "yet another horse").await.refused(404, "link_not_valid");
    thief.me().await.refused(401, "token_not_valid");
    thief.refresh().await.refused(401, "token_not_valid");
    try_sign_in(&app.visitor(), NEW, &thief.password).await.refused(401, "wrong_credentials");
    ivan.password = "quite another horse".into();
    let user = ivan.sign_in().await.ok()["user"].clone();
    assert_eq!((&user["email"], &user["totp"]), (&json!("ivan@example.com"), &json!(false)));
    assert!(ivan.newest_email(&app, "email_change_undone").await.text.contains("реквизиты"));
}

async fn what_a_thief_sets_up_before_the_confirmation_goes_too(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut thief = at_another_address(&app, &ivan, "203.0.113.9");
    thief.sign_in().await.ok();
    request_change(&thief, NEW).await.ok();
    let link = token(&app, NEW, "email_change").await;
    app.advance_clock(PERIOD);
    enable_totp(&app, &thief).await;
    confirm(&thief, &link).await.ok();
    // The first notice is as good as the second one.
    let notices = [ivan.token(&app, "email_change_requested").await, ivan.token(&app, "email_changed").await];
    assert_eq!(notices[0], notices[1]);
    undo(&app, &notices[0], "quite another horse").await.ok();
    thief.me().await.refused(401, "token_not_valid");
    assert_owner_is_back(&mut ivan).await;
}

/// Ivan signs in at his old address, with the password he set by the link and no code.
async fn assert_owner_is_back(ivan: &mut TestCustomer) {
    ivan.password = "quite another horse".into();
    let user = ivan.sign_in().await.ok()["user"].clone();
    assert_eq!((&user["email"], &user["totp"]), (&json!("ivan@example.com"), &json!(false)));
}

/// A second factor from before the request would lock the owner out of what they took back.
async fn what_a_thief_sets_up_before_the_request_goes_too(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut thief = at_another_address(&app, &ivan, "203.0.113.9");
    thief.sign_in().await.ok();
    let (authenticator, _) = enable_totp(&app, &thief).await;
    let request = json!({ "email": NEW, "password": thief.password, "code": authenticator.code(&app) });
    thief.caller.post("/api/v1/users/me/email/", request).await.ok();
    confirm(&thief, &token(&app, NEW, "email_change").await).await.ok();
    undo(&app, &ivan.token(&app, "email_changed").await, "quite another horse").await.ok();
    assert_owner_is_back(&mut ivan).await;
}

async fn a_request_is_withdrawn_by_the_notice(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut thief = at_another_address(&app, &ivan, "203.0.113.9");
    thief.sign_in().await.ok();
    request_change(&thief, NEW).await.ok();
    let link = token(&app, NEW, "email_change").await;
    let notice = ivan.newest_email(&app, "email_change_requested").await;
    assert!(notice.text.contains("203.0.113.9"), "{}", notice.text);
    undo(&app, &ivan.token(&app, "email_change_requested").await, "quite another horse").await.ok();
    confirm(&thief, &link).await.refused(401, "token_not_valid");
    ivan.password = "quite another horse".into();
    ivan.sign_in().await.ok();
    confirm(&ivan, &link).await.refused(404, "link_not_valid");
    assert_eq!(ivan.me().await.ok()["email"], "ivan@example.com");
}

async fn second_factor_is_required_and_kept(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let (authenticator, _) = enable_totp(&app, &ivan).await;
    // The owner had the e-mail about it long before.
    app.advance_clock(31 * DAY);
    let login = json!({ "email": ivan.email, "password": ivan.password, "otp": authenticator.code(&app) });
    ivan.sign_in_with(login).await.ok();
    app.advance_clock(PERIOD);
    let with = |code: String| {
        let caller = ivan.caller.clone();
        let body = json!({ "email": NEW, "password": ivan.password, "code": code });
        async move { caller.post("/api/v1/users/me/email/", body).await }
    };
    let missing = request_change(&ivan, NEW).await.refused(422, "validation_failed");
    assert_eq!(missing["errors"]["code"][0]["code"], "otp_required");
    with("000000".into()).await.refused(422, "otp_invalid");
    with(authenticator.code(&app)).await.ok();
    undo(&app, &ivan.token(&app, "email_change_requested").await, "quite another horse").await.ok();
    app.advance_clock(PERIOD);
    ivan.password = "quite another horse".into();
    ivan.sign_in().await.refused(401, "otp_required");
    let login = json!({ "email": ivan.email, "password": ivan.password, "otp": authenticator.code(&app) });
    ivan.sign_in_with(login).await.ok();
}

async fn address_of_another_account_is_not_taken(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let olga = TestCustomer::registered(&app, "olga@example.com").await;
    // The same answer as for a free address.
    assert_eq!(request_change(&ivan, "olga@example.com").await.ok(), request_change(&ivan, "nobody@example.com").await.ok());
    request_change(&ivan, "olga@example.com").await.ok();
    confirm(&ivan, &token(&app, "olga@example.com", "email_change").await).await.refused(409, "email_taken");
    olga.me().await.ok();
    assert_eq!(ivan.me().await.ok()["email"], "ivan@example.com");

    // One that nobody confirmed loses it to the owner of the mailbox.
    app.advance_clock(DAY);
    let mut squatter = TestCustomer::sign_up(&app, "free@example.com").await;
    squatter.sign_in().await.ok();
    let mut ivan = ivan;
    ivan.sign_in().await.ok();
    request_change(&ivan, "free@example.com").await.ok();
    confirm(&ivan, &token(&app, "free@example.com", "email_change").await).await.ok();
    squatter.me().await.refused(401, "token_not_valid");
    assert_eq!(ivan.me().await.ok()["email"], "free@example.com");
}

async fn changes_are_limited(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let nina = TestCustomer::sign_up(&app, "nina@example.com").await;
    let mut nina = nina;
    nina.sign_in().await.ok();
    request_change(&nina, NEW).await.refused(409, "not_activated");
    for number in 0..3 {
        request_change(&ivan, &format!("ivan{number}@example.org")).await.ok();
    }
    request_change(&ivan, "ivan3@example.org").await.refused(429, "too_many_attempts");
    // Only the newest link works, and for a day.
    confirm(&ivan, &token(&app, "ivan1@example.org", "email_change").await).await.refused(404, "link_not_valid");
    app.advance_clock(DAY);
    ivan.sign_in().await.ok();
    confirm(&ivan, &token(&app, "ivan2@example.org", "email_change").await).await.refused(404, "link_not_valid");
    request_change(&ivan, NEW).await.ok();
    confirm(&ivan, &token(&app, NEW, "email_change").await).await.ok();
    // While the former address can take the account back it is not replaced by another one.
    let soon = request_change(&ivan, "ivan4@example.org").await.refused(409, "email_changed_recently");
    assert_eq!(soon["params"]["days"], "7");
    app.advance_clock(7 * DAY);
    let mut ivan = TestCustomer { email: NEW.into(), ..ivan };
    ivan.sign_in().await.ok();
    request_change(&ivan, "ivan4@example.org").await.ok();
}

both_engines!(
    address_is_changed_by_the_link_to_the_new_one,
    a_thief_does_not_keep_the_account,
    what_a_thief_sets_up_before_the_confirmation_goes_too,
    what_a_thief_sets_up_before_the_request_goes_too,
    a_request_is_withdrawn_by_the_notice,
    second_factor_is_required_and_kept,
    address_of_another_account_is_not_taken,
    changes_are_limited,
);
