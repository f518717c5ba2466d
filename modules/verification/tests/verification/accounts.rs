//! Who somebody is: asked of an account, by a direction, and once.

use agio_testkit::{Customer as Member, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::{Claim, Desk, asks_for, order, page, sends};

async fn member(house: &House, email: &str) -> Member {
    let mut member = Member::signs_up(house, email).await;
    member.signs_in().await.ok();
    member
}

async fn asks(desk: &Desk, email: &str) -> Value {
    desk.0.post("/api/admin/v1/verifications", json!({ "email": email })).await.ok()
}

async fn an_accounts_verification_is_its_owners_alone(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, olga) = (member(&house, "ivan@example.com").await, member(&house, "olga@example.com").await);
    let desk = Desk::operator(&house).await;
    let asked = asks(&desk, "Ivan@Example.com").await;
    let id = asked["id"].as_str().unwrap();
    let letter = house.mail_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(letter.kind, "verification_identity_account");
    for stranger in [&house.customer(), &olga.caller] {
        stranger.get(&page(id)).await.refused(404, "verification_not_found");
        sends(stranger, id, 1).await.refused(404, "verification_not_found");
    }
    let seen = ivan.caller.get(&page(id)).await.ok();
    assert_eq!((&seen["kind"], &seen["photosNeeded"], &seen["claim"]), (&json!("identity"), &json!(2), &json!(null)));
    assert_eq!(sends(&ivan.caller, id, 1).await.ok()["state"], "asked", "a document alone does not show its owner");
    assert_eq!(sends(&ivan.caller, id, 2).await.ok()["state"], "sent");
    assert_eq!(olga.caller.get("/api/v1/users/me/verifications/").await.ok()["items"], json!([]));

    let path = "/api/admin/v1/verifications";
    desk.0.post(path, json!({ "email": "ivan@example.com" })).await.refused(409, "verification_open");
    desk.0.post(path, json!({ "email": "nobody@example.com" })).await.refused(422, "validation_failed");
    desk.accepts(id).await;
    assert_eq!(house.mail_to("ivan@example.com").await.pop().unwrap().kind, "verification_accepted");
    desk.0.post(path, json!({ "email": "ivan@example.com" })).await.refused(409, "already_verified");
}

async fn who_is_known_is_not_asked_again(engine: Engine) {
    let house = House::open(engine).await;
    asks_for(&house, "identity").await;
    let ivan = member(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let first = Claim::made_by(ivan.caller.clone(), &house, "ivan@example.com", None).await;
    let id = first.asked().await;
    for shade in [1, 2] {
        sends(&ivan.caller, &id, shade).await.ok();
    }
    desk.accepts(&id).await;
    assert_eq!(first.status().await["status"], "awaiting_payment");
    let second = Claim::made_by(ivan.caller.clone(), &house, "ivan@example.com", None).await;
    assert_eq!(second.confirm().await["status"], "awaiting_payment");
    // An address that anybody can type says nothing about who types it.
    Claim::made_by(house.customer(), &house, "ivan@example.com", None).await.asked().await;
}

async fn who_is_known_is_bounded_by_the_reserve_alone(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, olga) = (member(&house, "ivan@example.com").await, member(&house, "olga@example.com").await);
    let desk = Desk::operator(&house).await;
    let id = asks(&desk, "ivan@example.com").await["id"].as_str().unwrap().to_owned();
    for shade in [1, 2] {
        sends(&ivan.caller, &id, shade).await.ok();
    }
    desk.accepts(&id).await;
    let owner = house.owner().await;
    // A hundredth of what is left is less than any claim.
    owner.put("/api/admin/v1/settings", json!({ "claims.unproven_share_percent": "1" })).await.ok();
    let bitcoin = house.app.calculator.market().currency_named("BTC").unwrap().id();
    let spare = house.app.ledger.reserves().available(bitcoin).units - 10_000_000;
    let out = json!({ "amount": format!("-{}.{:08}", spare / 100_000_000, spare % 100_000_000), "reason": "withdrawal", "note": "cold" });
    owner.post(&format!("/api/admin/v1/reserves/{bitcoin}/movements"), out).await.ok();
    let body = order(&house, "ivan@example.com", None);
    olga.caller.post("/api/v1/claim/", body.clone()).await.refused(409, "reserve_share_full");
    house.customer().post("/api/v1/claim/", body.clone()).await.refused(409, "reserve_share_full");
    ivan.caller.post("/api/v1/claim/", body).await.ok();
}

async fn a_rejected_identity_is_told_by_letter_and_may_be_asked_again(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = member(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let id = asks(&desk, "ivan@example.com").await["id"].as_str().unwrap().to_owned();
    for shade in [1, 2] {
        sends(&ivan.caller, &id, shade).await.ok();
    }
    desk.tries(&id, "reject", json!({ "reason": "expired_document" })).await.ok();
    let letter = house.mail_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(letter.kind, "verification_rejected");
    assert!(letter.text.contains("истёк"), "{}", letter.text);
    asks(&desk, "ivan@example.com").await;
}

async fn the_queue_comes_page_by_page_with_what_waited_longest_first(engine: Engine) {
    let house = House::open(engine).await;
    let desk = Desk::operator(&house).await;
    let mut asked = Vec::new();
    for number in 0..3 {
        let email = format!("member{number}@example.com");
        member(&house, &email).await;
        house.wait(std::time::Duration::from_secs(60));
        asked.push(asks(&desk, &email).await["id"].as_str().unwrap().to_owned());
    }
    let first = desk.0.get("/api/admin/v1/verifications?tab=asked&size=2").await.ok();
    assert_eq!((&first["items"][0]["id"], &first["asked"], &first["sent"]), (&json!(asked[0]), &json!(3), &json!(0)));
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = desk.0.get(&format!("/api/admin/v1/verifications?tab=asked&size=2&cursor={cursor}")).await.ok();
    assert_eq!((&second["items"][0]["id"], &second["nextCursor"]), (&json!(asked[2]), &json!(null)));
    for wrong in ["tab=all", "size=0", "cursor=last"] {
        desk.0.get(&format!("/api/admin/v1/verifications?{wrong}")).await.refused(422, "validation_failed");
    }
    house.customer().get("/api/admin/v1/verifications").await.refused(401, "token_not_valid");
}

both_engines!(
    an_accounts_verification_is_its_owners_alone,
    who_is_known_is_not_asked_again,
    who_is_known_is_bounded_by_the_reserve_alone,
    a_rejected_identity_is_told_by_letter_and_may_be_asked_again,
    the_queue_comes_page_by_page_with_what_waited_longest_first,
);
