//! Exchanges that look like the referrer's own: they accrue, and staff decide.

use agio_testkit::{Customer as Member, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::{Desk, HELD, Referrer, card_of, number, orders, orders_to};

fn codes(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|flag| flag["code"].as_str().unwrap()).collect()
}

async fn ones_own_exchange_is_flagged_and_refused(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let claim = orders(&house, &ivan.member.caller, "ivan@example.com", Some(&ivan.code)).await;
    desk.completes(&claim).await;
    let open = desk.open_accruals().await;
    assert_eq!(open[0]["status"], "review");
    assert_eq!(codes(&open[0]["flags"]), ["same_account", "same_email", "same_payout", "same_browser", "same_address"]);
    assert!(!open[0]["flags"][0]["text"].as_str().unwrap().is_empty());
    let waiting = async || house.owner().await.get("/api/admin/v1/dashboard").await.ok()["referral"].clone();
    assert_eq!(waiting().await, json!({ "accruals": 1, "withdrawals": 0 }));
    let seen = ivan.sees().await;
    assert_eq!((&seen["pending"], &seen["volume"]), (&open[0]["amount"], &json!("0")));
    house.later(HELD).await;
    assert_eq!(ivan.sees().await["balance"], "0", "it waits for the staff, however long");

    let desk = Desk::operator(&house).await;
    desk.decides(&open[0], json!({ "decision": "refuse" })).await.refused(422, "validation_failed");
    let refused = desk.decides(&open[0], json!({ "decision": "refuse", "words": "The referrer's own claim." })).await.ok();
    assert_eq!((&refused["status"], &refused["open"]), (&json!("refused"), &json!(false)));
    let seen = ivan.sees().await;
    assert_eq!((&seen["pending"], &seen["balance"], &seen["earned"]), (&json!("0"), &json!("0"), &json!("0")));
    assert!(desk.open_accruals().await.is_empty());
    assert_eq!(waiting().await["accruals"], 0);
    // Undoing what was refused moves nothing.
    desk.undoes(&claim).await;
    assert_eq!(ivan.sees().await["debt"], "0");
    house.books_are_clean().await;
}

async fn a_neighbour_is_flagged_and_approved(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    // Another browser behind the same address.
    let home = Member::comes(&house, "ivan@example.com");
    let claim = orders(&house, &home.caller, "maria@example.com", Some(&ivan.code)).await;
    desk.completes(&claim).await;
    let open = desk.open_accruals().await;
    assert_eq!(codes(&open[0]["flags"]), ["same_address"]);
    let auditor = house.staff(agio_core::identity::Role::Auditor).await;
    let path = format!("/api/admin/v1/referral/accruals/{}/decision", open[0]["id"].as_str().unwrap());
    auditor.post(&path, json!({ "decision": "approve" })).await.refused(403, "forbidden");
    let approved = desk.decides(&open[0], json!({ "decision": "approve" })).await.ok();
    assert_eq!(approved["status"], "held");
    house.later(HELD).await;
    let seen = ivan.sees().await;
    assert_eq!((&seen["balance"], &seen["pending"]), (&approved["amount"], &json!("0")));
    assert!(number(&seen["volume"]) > rust_decimal::Decimal::ZERO, "an approved exchange counts");
    house.books_are_clean().await;
}

async fn the_browser_of_a_referrer_is_known_by_their_claims(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Member::comes(&house, "ivan@example.com");
    // The same browser, signed out and at another address.
    let hidden = ivan.caller.clone().from_address("203.0.113.9");
    let new = json!({ "email": ivan.email, "password": ivan.password });
    ivan.caller.post("/api/v1/users/signup/", new).await.ok();
    house.answers_requests().await;
    ivan.activates(&house).await;
    ivan.signs_in().await.ok();
    let code = ivan.caller.get("/api/v1/users/me/refferal/").await.ok()["code"].as_str().unwrap().to_owned();
    let desk = Desk::operator(&house).await;
    desk.completes(&orders(&house, &ivan.caller, "ivan@example.com", None).await).await;
    assert!(desk.open_accruals().await.is_empty(), "without a code nobody is a referrer's");
    desk.completes(&orders(&house, &hidden, "somebody@example.com", Some(&code)).await).await;
    assert_eq!(codes(&desk.open_accruals().await[0]["flags"]), ["same_browser"]);
}

/// Another browser at another address is not enough to be somebody else.
async fn an_alias_and_the_referrers_own_card_are_flagged(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Referrer::at(&house, "ivan.petrov@gmail.com").await;
    let desk = Desk::operator(&house).await;
    // The referrer is paid by an exchange of their own, which brings nothing.
    desk.completes(&orders(&house, &ivan.member.caller, "ivan.petrov@gmail.com", None).await).await;
    let elsewhere = |address: &str| house.customer().from_address(address);
    let flagged = async |claim: String| {
        desk.completes(&claim).await;
        let open = desk.open_accruals().await;
        let found =
            open.iter().find(|accrual| accrual["claimId"] == json!(claim)).map(|accrual| codes(&accrual["flags"]).join(" "));
        found.unwrap_or_default()
    };
    let alias = orders(&house, &elsewhere("203.0.113.5"), "ivanpetrov+shop@googlemail.com", Some(&ivan.code)).await;
    assert_eq!(flagged(alias).await, "same_email");
    let (maria, card) = (elsewhere("203.0.113.6"), card_of("ivan.petrov@gmail.com"));
    let to_card = orders_to(&house, &maria, "maria@example.com", Some(&ivan.code), &card).await;
    assert_eq!(flagged(to_card).await, "same_payout");
    let other = orders(&house, &elsewhere("203.0.113.7"), "olga@gmail.com", Some(&ivan.code)).await;
    assert_eq!(flagged(other).await, "", "somebody else is not held up");
    house.books_are_clean().await;
}

both_engines!(
    an_alias_and_the_referrers_own_card_are_flagged,
    ones_own_exchange_is_flagged_and_refused,
    a_neighbour_is_flagged_and_approved,
    the_browser_of_a_referrer_is_known_by_their_claims,
);
