//! The second factor of staff: required, shown, and not to be guessed.

use std::time::Duration;

use agio_core::identity::Role;
use agio_testkit::{Engine, House, both_engines};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use crate::people::{App, Colleague, PASSWORD, PERIOD, WRONG, deeds, strict, tries};

/// The calls somebody may make who has no second factor yet: signing in and out, and setting one up.
const BEFORE_SET_UP: [&str; 9] = [
    "staffLogin",
    "staffRefresh",
    "staffLogout",
    "staffMe",
    "staffInvitation",
    "staffJoin",
    "staffRestore",
    "beginStaffTotp",
    "confirmStaffTotp",
];

async fn who_has_none_can_do_nothing_but_set_it_up(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::joins(&house, "anna@agio.example", Role::Owner).await;
    let me = anna.me().await.ok();
    assert_eq!((&me["setupNeeded"], &me["permissions"], &me["secondFactor"]), (&json!(true), &json!([]), &json!(false)));

    let console = house.app.documents().console;
    let mut refused = 0;
    for (path, operations) in console["paths"].as_object().unwrap() {
        let path = path.replace("{id}", &Uuid::nil().to_string()).replace("{session}", &Uuid::nil().to_string());
        for (method, operation) in operations.as_object().unwrap() {
            if BEFORE_SET_UP.contains(&operation["operationId"].as_str().unwrap()) {
                continue;
            }
            let method: Method = method.to_uppercase().parse().unwrap();
            let request = anna.caller.request(method.clone(), &path).json(&json!({}));
            let answer = anna.caller.send(request).await;
            assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text);
            answer.refused(403, "second_factor_setup_needed");
            refused += 1;
        }
    }
    assert!(refused > 40, "{refused} calls were tried");

    // A reload, and a sign-in anew, change nothing about it.
    let refreshed = anna.caller.post_empty("/api/admin/v1/auth/refresh").await.ok();
    assert_eq!(refreshed["user"]["setupNeeded"], true);
    assert_eq!(anna.signs_in(&house).await.ok()["user"]["setupNeeded"], true);

    // The password was shown to get here, so it is not asked for again.
    let begun = App::told(&anna.post("/me/second-factor", json!({})).await.ok());
    let wrong = anna.post("/me/second-factor/confirm", json!({ "code": "000000" })).await.refused(422, "otp_invalid");
    assert_eq!(wrong["errors"]["code"][0]["code"], "otp_invalid");
    anna.get("/dashboard").await.refused(403, "second_factor_setup_needed");
    let confirmed = anna.post("/me/second-factor/confirm", json!({ "code": begun.code(&house) })).await.ok();
    assert_eq!(confirmed["recoveryCodes"].as_array().unwrap().len(), 10);
    anna.get("/dashboard").await.ok();
    let me = anna.me().await.ok();
    assert_eq!((&me["setupNeeded"], &me["secondFactor"], &me["recoveryCodes"]), (&json!(false), &json!(true), &json!(10)));
    assert!(me["permissions"].as_array().unwrap().contains(&json!("staff.manage")));
    anna.mail(&house, "staff_second_factor_on").await;

    // Another node, and a house that was started again, know it as well.
    let node = house.another_node().await;
    anna.caller.clone().before(&node.root).get("/api/admin/v1/dashboard").await.ok();
}

async fn a_session_that_showed_none_ends_when_one_is_set_up(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::joins(&house, "anna@agio.example", Role::Owner).await;
    let mut thief = anna.elsewhere(&house, "203.0.113.9");
    thief.signs_in(&house).await.ok();
    anna.sets_up(&house).await;
    thief.me().await.refused(401, "token_not_valid");
    thief.caller.post_empty("/api/admin/v1/auth/refresh").await.refused(401, "token_not_valid");
    anna.me().await.ok();
}

async fn signing_in_asks_for_a_code_and_takes_each_once(engine: Engine) {
    let house = strict(engine).await;
    let anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    let signs_in = |otp: Option<String>| {
        let (caller, email) = (anna.caller.clone(), anna.email.clone());
        async move { tries(&caller, &email, PASSWORD, otp.as_deref()).await }
    };
    signs_in(None).await.refused(401, "second_factor_needed");
    signs_in(Some(" ".into())).await.refused(401, "second_factor_needed");
    tries(&anna.caller, &anna.email, WRONG, Some(&anna.code(&house))).await.refused(401, "wrong_credentials");
    tries(&anna.caller, &anna.email, WRONG, None).await.refused(401, "wrong_credentials");
    signs_in(Some("000000".into())).await.refused(401, "otp_invalid");
    let code = anna.code(&house);
    assert_eq!(signs_in(Some(code.clone())).await.ok()["user"]["setupNeeded"], false);
    signs_in(Some(code.clone())).await.refused(401, "otp_invalid");
    house.wait(PERIOD);
    signs_in(Some(code)).await.refused(401, "otp_invalid");
    // A clock that is a period behind is forgiven, one of three is not.
    let early = anna.code(&house);
    house.wait(3 * PERIOD);
    signs_in(Some(early)).await.refused(401, "otp_invalid");

    let recovery = anna.codes[0].clone();
    signs_in(Some(recovery.to_lowercase())).await.ok();
    signs_in(Some(recovery)).await.refused(401, "otp_invalid");
    let done = deeds(&house, &anna.id).await;
    assert!(done.contains(&"staff.recovery_code_used".to_owned()), "{done:?}");
    assert!(done.iter().filter(|deed| *deed == "staff.sign_in_failed").count() >= 5, "{done:?}");
    let boris = Colleague::comes(&house, "boris@agio.example", Role::Operator).await;
    house.wait(Duration::from_secs(6 * 60 * 60));
    signs_in(Some(boris.code(&house))).await.refused(401, "otp_invalid");
    signs_in(Some(boris.codes[0].clone())).await.refused(401, "otp_invalid");
}

async fn codes_are_not_guessed_without_end_and_nobody_is_locked_out(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    anna.signs_in(&house).await.ok();
    let thief = anna.elsewhere(&house, "203.0.113.9");
    let mut looked_at = 0;
    for guess in 0..120 {
        let answer = tries(&thief.caller, &thief.email, PASSWORD, Some(&format!("{guess:06}"))).await;
        looked_at += u32::from(answer.json()["code"] == "otp_invalid");
        if guess % 20 == 0 {
            house.wait(Duration::from_secs(60));
        }
    }
    assert!((5..=10).contains(&looked_at), "{looked_at} codes were looked at");
    // The browser the owner uses has a gate of its own, and so has the session.
    anna.signs_in(&house).await.ok();
    anna.confirms(&house).await;
}

async fn it_is_moved_to_another_phone_and_not_dropped(engine: Engine) {
    let house = strict(engine).await;
    let mut anna = Colleague::comes(&house, "anna@agio.example", Role::Owner).await;
    anna.signs_in(&house).await.ok();
    let password = json!({ "password": PASSWORD });
    anna.post("/me/second-factor/remove", password.clone()).await.refused(403, "fresh_second_factor_needed");
    anna.post("/me/second-factor/recovery", password.clone()).await.refused(403, "fresh_second_factor_needed");
    anna.confirms(&house).await;
    anna.post("/me/second-factor", password.clone()).await.refused(409, "totp_is_on");
    let wrong = anna.post("/me/second-factor/recovery", json!({ "password": WRONG })).await.refused(422, "validation_failed");
    assert_eq!(wrong["errors"]["password"][0]["code"], "wrong_password");
    let renewed = anna.post("/me/second-factor/recovery", password.clone()).await.ok();
    tries(&anna.caller, &anna.email, PASSWORD, Some(&anna.codes[0])).await.refused(401, "otp_invalid");
    tries(&anna.caller, &anna.email, PASSWORD, renewed["recoveryCodes"][0].as_str()).await.ok();

    assert_eq!(anna.post("/me/second-factor/remove", password).await.status, 204);
    anna.me().await.refused(401, "token_not_valid");
    anna.mail(&house, "staff_second_factor_off").await;
    anna.app = None;
    assert_eq!(anna.signs_in(&house).await.ok()["user"]["setupNeeded"], true);
    anna.get("/dashboard").await.refused(403, "second_factor_setup_needed");
    anna.sets_up(&house).await;
    anna.get("/dashboard").await.ok();
}

async fn in_the_demonstration_it_is_for_who_wants_one(engine: Engine) {
    let house = House::open(engine).await;
    let mut anna = Colleague::joins(&house, "anna@agio.example", Role::Owner).await;
    let me = anna.me().await.ok();
    assert_eq!((&me["setupNeeded"], &me["secondFactorRequired"]), (&json!(false), &json!(false)));
    anna.get("/dashboard").await.ok();
    // Here the password is asked for: the session was good for more than this.
    let refused = anna.post("/me/second-factor", json!({})).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["password"][0]["code"], "required");
    anna.sets_up(&house).await;
    anna.signs_in(&house).await.ok();
    anna.confirms(&house).await;
    assert_eq!(anna.post("/me/second-factor/remove", json!({ "password": PASSWORD })).await.status, 204);
    anna.me().await.ok();
    anna.confirm_by_password().await;
    anna.post("/me/second-factor/remove", json!({ "password": PASSWORD })).await.refused(409, "totp_not_on");
    anna.app = None;
    anna.signs_in(&house).await.ok();
}

impl Colleague {
    async fn confirm_by_password(&self) {
        self.post("/me/confirm", json!({ "password": self.password })).await.ok();
    }
}

both_engines!(
    who_has_none_can_do_nothing_but_set_it_up,
    a_session_that_showed_none_ends_when_one_is_set_up,
    signing_in_asks_for_a_code_and_takes_each_once,
    codes_are_not_guessed_without_end_and_nobody_is_locked_out,
    it_is_moved_to_another_phone_and_not_dropped,
    in_the_demonstration_it_is_for_who_wants_one,
);
