//! The way of a claim that waits for a verification.

use agio_testkit::{Customer as Member, Engine, House, both_engines};
use serde_json::json;

use crate::people::{CARD, Claim, DOUBLE_CLICK, Desk, OTHER_CARD, asks_for, order, page, sends};

async fn a_card_is_shown_once_and_the_claim_goes_on(engine: Engine) {
    let house = House::open(engine).await;
    asks_for(&house, "card").await;
    let claim = Claim::of(&house, "ivan@example.com", CARD).await;
    let id = claim.asked().await;
    assert!(claim.caller.get(&format!("/api/v1/claim/{}/requisite/", claim.id)).await.status.is_client_error());
    assert_eq!(claim.confirm().await["status"], "verification", "confirming twice changes nothing");
    let letters = house.mail_to("ivan@example.com").await;
    let letter = letters.last().unwrap();
    assert_eq!(letter.kind, "verification_card");
    assert!(letter.text.contains(&format!("/verify/{id}")), "{}", letter.text);

    let asked = claim.caller.get(&page(&id)).await.ok();
    assert_eq!((&asked["kind"], &asked["state"], &asked["photosNeeded"]), (&json!("card"), &json!("asked"), &json!(1)));
    assert_eq!((&asked["cause"]["code"], &asked["claim"]["id"]), (&json!("direction"), &json!(claim.id)));
    assert!(asked["card"].as_str().unwrap().ends_with("0004") && asked["card"] != CARD);

    let desk = Desk::operator(&house).await;
    assert!(desk.list("sent").await.is_empty());
    assert_eq!(desk.list("asked").await, std::slice::from_ref(&id));
    assert_eq!(sends(&claim.caller, &id, 1).await.ok()["state"], "sent");
    assert_eq!(desk.list("sent").await, std::slice::from_ref(&id));
    desk.accepts(&id).await;
    let status = claim.status().await;
    assert_eq!((&status["status"], &status["verification"]), (&json!("awaiting_payment"), &json!(null)));
    claim.caller.get(&format!("/api/v1/claim/{}/requisite/", claim.id)).await.ok();
    assert_eq!(claim.caller.get(&page(&id)).await.ok()["state"], "accepted");
    let kinds: Vec<_> = house.mail_to("ivan@example.com").await.into_iter().map(|mail| mail.kind).collect();
    assert!(kinds.ends_with(&["claim_awaiting_payment".into(), "verification_accepted".into()]), "{kinds:?}");

    // The same card of the same customer is known; another one, or the same of somebody else, is not.
    assert_eq!(Claim::of(&house, "Ivan@example.com", CARD).await.confirm().await["status"], "awaiting_payment");
    Claim::of(&house, "ivan@example.com", OTHER_CARD).await.asked().await;
    Claim::of(&house, "thief@example.com", CARD).await.asked().await;
    house.books_are_clean().await;
    house.audit_is_whole().await;
}

async fn an_accounts_card_is_known_whatever_address_is_typed(engine: Engine) {
    let house = House::open(engine).await;
    asks_for(&house, "card").await;
    let mut ivan = Member::signs_up(&house, "ivan@example.com").await;
    ivan.signs_in().await.ok();
    let claim = Claim::made_by(ivan.caller.clone(), &house, "ivan@example.com", Some(CARD)).await;
    let id = claim.asked().await;
    sends(&house.customer(), &id, 1).await.ok();
    Desk::operator(&house).await.accepts(&id).await;
    let other = Claim::made_by(ivan.caller.clone(), &house, "work@example.com", Some(CARD)).await;
    assert_eq!(other.confirm().await["status"], "awaiting_payment");
    let mine = ivan.caller.get("/api/v1/users/me/verifications/").await.ok();
    assert_eq!((&mine["items"][0]["id"], &mine["items"][0]["state"]), (&json!(id), &json!("accepted")));
}

async fn the_database_does_not_tell_the_number_of_a_card(engine: Engine) {
    let house = House::open(engine).await;
    asks_for(&house, "card").await;
    let claim = Claim::of(&house, "ivan@example.com", CARD).await;
    let id = claim.asked().await;
    sends(&claim.caller, &id, 1).await.ok();
    Desk::operator(&house).await.accepts(&id).await;
    let mut tx = house.app.platform.db.read().await.unwrap();
    let digests = "SELECT card_digest, card_masked FROM verification";
    let kept = agio_core::fetch_all!(&mut tx, (String, String), digests).unwrap();
    let verified = agio_core::fetch_all!(&mut tx, (String, String), "SELECT card_digest, party FROM verified").unwrap();
    assert_eq!((kept.len(), verified.len()), (1, 1));
    assert!(!format!("{kept:?} {verified:?}").contains(CARD));
    assert!(!format!("{verified:?}").contains("ivan"));
    assert_eq!(kept[0].0, verified[0].0);
}

async fn where_a_card_is_verified_its_number_is_asked_for(engine: Engine) {
    let house = House::open(engine).await;
    let caller = house.customer();
    // As the market is, the number of the card is none of our business.
    caller.post("/api/v1/claim/", order(&house, "ivan@example.com", None)).await.ok();
    let refused =
        caller.post("/api/v1/claim/", order(&house, "ivan@example.com", Some(CARD))).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["fromRequisites.card"][0]["code"], "unknown_field");
    asks_for(&house, "card").await;
    let refused = caller.post("/api/v1/claim/", order(&house, "ivan@example.com", None)).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["fromRequisites.card"][0]["code"], "required");
    let order = order(&house, "ivan@example.com", None);
    let pair = caller.get(&format!("/api/v1/calculator/pair/{}/{}/", order["fromPs"], order["toPs"])).await.ok();
    assert_eq!(pair["verification"], "card");
    let card = pair["structure"]["from"]["input"].as_array().unwrap().iter().find(|input| input["name"] == "card").unwrap();
    assert_eq!((&card["send"], &card["required"]), (&json!(true), &json!(true)));
}

async fn a_currency_without_cards_has_none_to_verify(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pair = &market.between(id("BTC"), id("SBERRUB")).unwrap().pair;
    let path = format!("/api/admin/v1/pairs/{}", pair.id);
    let refused = owner.patch(&path, json!({ "revision": pair.revision, "verification": "card" })).await;
    let refused = refused.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["verification"][0]["code"], "verification_needs_card");
    let changed = owner.patch(&path, json!({ "revision": pair.revision, "verification": "identity" })).await.ok();
    assert_eq!(changed["verification"], "identity");
}

async fn the_first_claim_of_some_worth_is_verified(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    // 50 000 roubles are some 540 dollars.
    owner.put("/api/admin/v1/settings", json!({ "claims.verify_first_above": "1000" })).await.ok();
    let small = Claim::made_by(house.customer(), &house, "ivan@example.com", None).await;
    assert_eq!(small.confirm().await["status"], "awaiting_payment");
    owner.put("/api/admin/v1/settings", json!({ "claims.verify_first_above": "500" })).await.ok();
    let large = Claim::made_by(house.customer(), &house, "olga@example.com", None).await;
    let id = large.asked().await;
    let asked = large.caller.get(&page(&id)).await.ok();
    assert_eq!((&asked["kind"], &asked["cause"]["code"]), (&json!("identity"), &json!("first_claim")));

    // Whoever has completed a claim is no stranger.
    small.caller.post_empty(&format!("/api/v1/claim/{}/paid/", small.id)).await.ok();
    let operator = house.operator().await;
    let path = format!("/api/admin/v1/claims/{}", small.id);
    for (action, tx) in [("payment_received", "in"), ("take", ""), ("payout_sent", "out"), ("complete", "")] {
        let mut step = json!({ "action": action, "revision": operator.get(&path).await.ok()["revision"] });
        if !tx.is_empty() {
            step["txId"] = tx.into();
        }
        operator.post(&format!("{path}/transitions"), step).await.ok();
    }
    house.wait(DOUBLE_CLICK);
    let next = Claim::made_by(small.caller.clone(), &house, "ivan@example.com", None).await;
    assert_eq!(next.confirm().await["status"], "awaiting_payment");
    // Whoever merely types the same address is one.
    Claim::made_by(house.customer(), &house, "ivan@example.com", None).await.asked().await;
}

both_engines!(
    a_card_is_shown_once_and_the_claim_goes_on,
    an_accounts_card_is_known_whatever_address_is_typed,
    the_database_does_not_tell_the_number_of_a_card,
    where_a_card_is_verified_its_number_is_asked_for,
    a_currency_without_cards_has_none_to_verify,
    the_first_claim_of_some_worth_is_verified,
);
