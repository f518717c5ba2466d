//! Guessing, and what it does not do to the owner.

use std::time::Duration;

use agio_testkit::{Customer, Engine, House, both_engines};
use serde_json::json;

use crate::people::{WRONG, elsewhere, solved, tries, tries_proved};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

async fn of_ten_thousand_wrong_passwords_a_hundred_are_looked_at(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let before = house.app.auth.passwords_checked();
    let mut refused = 0;
    let stranger = house.customer();
    for round in 0..10_000_u32 {
        // The guessing is spread over a hundred addresses and, as far as that helps, over an hour.
        let stranger = stranger.clone().from_address(&format!("198.18.0.{}", round % 100));
        refused += u32::from(tries(&stranger, &ivan.email, WRONG).await.status == 429);
        if round % 100 == 0 {
            house.wait(Duration::from_secs(36));
        }
    }
    let looked_at = house.app.auth.passwords_checked() - before;
    assert!(looked_at <= 100, "{looked_at} reached the hash");
    assert!(refused >= 9_900, "{refused}");

    // The owner is not locked out: not where they are signed in, nor in a browser they used, nor in a new one with a captcha.
    ivan.refreshes().await.ok();
    ivan.me().await.ok();
    ivan.signs_in().await.ok();
    let new = elsewhere(&house, &ivan, "203.0.113.5");
    tries(&new.caller, &ivan.email, &ivan.password).await.refused(429, "too_many_attempts");
    tries_proved(&new.caller, &ivan.email, &ivan.password).await.ok();
    assert!(counts(&house).await < 1_000);
    house.wait(72 * HOUR);
    house.later(HOUR).await;
    assert_eq!(counts(&house).await, 0, "what is long past is not kept");
}

/// How many counts are kept.
async fn counts(house: &House) -> i64 {
    let mut tx = house.app.platform.db.read().await.unwrap();
    agio_core::fetch_one!(&mut tx, (i64,), "SELECT COUNT(*) FROM attempt").unwrap().0
}

async fn solved_captchas_have_bounds_of_their_own(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Customer::signs_up(&house, "ivan@example.com").await;
    for _ in 0..5 {
        tries(&house.customer(), &ivan.email, WRONG).await.refused(401, "wrong_credentials");
    }
    let stranger = house.customer().from_address("192.0.2.1");
    let refused = tries(&stranger, &ivan.email, WRONG).await.refused(429, "too_many_attempts");
    assert_eq!(refused["errors"]["recaptcha"][0]["code"], "captcha_required", "the page is told what would help");
    for _ in 0..5 {
        tries_proved(&stranger, &ivan.email, WRONG).await.refused(401, "wrong_credentials");
    }
    let answer = tries_proved(&stranger, &ivan.email, WRONG).await;
    assert_eq!(answer.headers["retry-after"], "10");
    let refused = answer.refused(429, "too_many_attempts");
    assert_eq!(refused["errors"], json!({}), "another captcha would not help");
    // Another household is counted apart.
    tries_proved(&house.customer().from_address("192.0.2.2"), &ivan.email, &ivan.password).await.ok();
}

async fn the_wait_grows_and_is_told(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Customer::signs_up(&house, "ivan@example.com").await;
    let stranger = house.customer().from_address("192.0.2.1");
    let mut waits = Vec::new();
    for _ in 0..9 {
        let answer = tries(&stranger, &ivan.email, WRONG).await;
        if answer.status == 429 {
            let wait: u64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
            assert_eq!(answer.refused(429, "too_many_attempts")["params"]["seconds"], wait.to_string());
            waits.push(wait);
            house.wait(Duration::from_secs(wait - 1));
            tries(&stranger, &ivan.email, WRONG).await.refused(429, "too_many_attempts");
            house.wait(Duration::from_secs(1));
            tries(&stranger, &ivan.email, WRONG).await.refused(401, "wrong_credentials");
        }
    }
    assert_eq!(waits, [4, 8, 16, 32]);
}

async fn one_household_does_not_try_many_accounts(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Customer::at(&house, "ivan@example.com").await;
    let sprayer = house.customer().from_address("2001:db8:1:2::1");
    for account in 0..20 {
        tries(&sprayer, &format!("customer{account}@example.com"), WRONG).await.refused(401, "wrong_credentials");
    }
    let neighbour = house.customer().from_address("2001:db8:1:2:ffff::1");
    tries(&neighbour, "customer20@example.com", WRONG).await.refused(429, "too_many_attempts");
    tries(&ivan.caller, &ivan.email, &ivan.password).await.ok();
    // Signing in rightly is not counted, however often.
    for _ in 0..30 {
        tries(&ivan.caller, &ivan.email, &ivan.password).await.ok();
    }
}

async fn accounts_and_letters_are_not_asked_for_without_end(engine: Engine) {
    let house = House::open(engine).await;
    let stranger = house.customer().from_address("192.0.2.1");
    let sign_up = |number: usize, answer: Option<String>| {
        let caller = stranger.clone();
        let mut body = json!({ "email": format!("customer{number}@example.com"), "password": Customer::PASSWORD });
        if let Some(answer) = answer {
            body["recaptcha"] = answer.into();
        }
        async move { caller.post("/api/v1/users/signup/", body).await }
    };
    for number in 0..10 {
        sign_up(number, None).await.ok();
    }
    sign_up(10, None).await.refused(429, "too_many_attempts");
    let check = stranger.get("/front-api/auth/captcha/?action=signup").await.ok();
    assert_eq!(check["required"], true);
    let foreign = solved(&stranger, "login").await;
    sign_up(10, Some(foreign)).await.refused(422, "captcha_invalid");
    sign_up(10, Some(solved(&stranger, "signup").await)).await.ok();

    let restore = |answer: Option<String>| {
        let caller = house.customer().from_address("192.0.2.9");
        let mut wanted = json!({ "email": "customer0@example.com" });
        if let Some(answer) = answer {
            wanted["recaptcha"] = answer.into();
        }
        async move { caller.post("/api/v1/users/restore/", wanted).await }
    };
    restore(None).await.ok();
    restore(None).await.ok();
    restore(None).await.refused(429, "too_many_attempts");
    for _ in 0..3 {
        restore(Some(solved(&stranger, "restore").await)).await.ok();
    }
    let answer = restore(Some(solved(&stranger, "restore").await)).await;
    assert_eq!(answer.headers["retry-after"], "300");
    house.later(MINUTE).await;
    assert_eq!(house.mail_to("customer0@example.com").await.len(), 6, "no mailbox is flooded");
}

async fn guessing_the_present_password_is_counted_too(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Customer::at(&house, "ivan@example.com").await;
    let change = |old: &str| {
        let (caller, body) = (ivan.caller.clone(), json!({ "oldPassword": old, "newPassword": "quite another horse" }));
        async move { caller.post("/api/v1/users/me/password/", body).await }
    };
    for _ in 0..5 {
        change(WRONG).await.refused(422, "validation_failed");
    }
    change(&ivan.password).await.refused(429, "too_many_attempts");
    house.wait(10 * MINUTE - Duration::from_secs(30));
    // The session goes on meanwhile, and so does the right password after the wait.
    let mut ivan = ivan;
    ivan.refreshes().await.ok();
    let body = json!({ "oldPassword": ivan.password, "newPassword": "quite another horse" });
    assert_eq!(ivan.caller.post("/api/v1/users/me/password/", body).await.status, 204);
}

async fn staff_passwords_are_not_guessed_without_end(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    let login = |password: &str, address: &str| {
        let (caller, body) =
            (house.customer().from_address(address), json!({ "email": "owner@agio.example", "password": password }));
        async move { caller.post("/api/admin/v1/auth/login", body).await }
    };
    for round in 0..10 {
        login(WRONG, &format!("192.0.2.{round}")).await.refused(401, "wrong_credentials");
    }
    login(WRONG, "192.0.2.99").await.refused(429, "too_many_attempts");
    owner.get("/api/admin/v1/auth/me").await.ok();
    house.wait(MINUTE);
    login(Customer::PASSWORD, "192.0.2.99").await.ok();
}

both_engines!(
    of_ten_thousand_wrong_passwords_a_hundred_are_looked_at,
    solved_captchas_have_bounds_of_their_own,
    the_wait_grows_and_is_told,
    one_household_does_not_try_many_accounts,
    accounts_and_letters_are_not_asked_for_without_end,
    guessing_the_present_password_is_counted_too,
    staff_passwords_are_not_guessed_without_end,
);
