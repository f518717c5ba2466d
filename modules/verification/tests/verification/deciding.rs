//! What staff decide, and what comes of it.

use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::people::{CARD, Claim, DOUBLE_CLICK, Desk, asks_for, page, sends};

async fn sent(house: &House, email: &str) -> (Claim, String) {
    asks_for(house, "card").await;
    let claim = Claim::of(house, email, CARD).await;
    let id = claim.asked().await;
    sends(&claim.caller, &id, 1).await.ok();
    (claim, id)
}

async fn other_photos_are_asked_for_with_a_reason(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = sent(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    desk.tries(&id, "again", json!({ "reason": "unreadable" })).await.ok();
    let view = claim.caller.get(&format!("/en{}", page(&id))).await.ok();
    assert_eq!((&view["state"], &view["reason"]["code"]), (&json!("asked"), &json!("unreadable")));
    assert!(view["reason"]["text"].as_str().unwrap().contains("sharp"));
    assert_eq!(view["photos"], json!([]), "the photos of the round before are not the customer's concern");
    assert_eq!(claim.status().await["status"], "verification");
    let letter = house.mail_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(letter.kind, "verification_again");
    assert!(letter.text.contains("не разобрать"), "{}", letter.text);

    desk.tries(&id, "accept", json!({})).await.refused(409, "verification_closed");
    assert_eq!(sends(&claim.caller, &id, 2).await.ok()["state"], "sent");
    let whole = desk.sees(&id).await;
    let rounds: Vec<_> = whole["photos"].as_array().unwrap().iter().map(|photo| photo["round"].clone()).collect();
    assert_eq!((rounds, &whole["round"]), (vec![json!(1), json!(2)], &json!(2)));
    desk.accepts(&id).await;
    assert_eq!(claim.status().await["status"], "awaiting_payment");
}

async fn a_rejected_card_ends_the_claim_with_the_reason(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = sent(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let words = json!({ "ru": "Карта выдана другому банку.", "en": "The card is another bank's." });
    desk.tries(&id, "reject", json!({ "reason": "other", "words": words })).await.ok();
    let status = claim.status().await;
    assert_eq!((&status["status"], &status["reason"]["text"]), (&json!("rejected"), &json!("Карта выдана другому банку.")));
    let view = claim.caller.get(&format!("/en{}", page(&id))).await.ok();
    assert_eq!((&view["state"], &view["reason"]["text"]), (&json!("rejected"), &json!("The card is another bank's.")));
    let letter = house.mail_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(letter.kind, "claim_rejected");
    assert!(letter.text.contains("другому банку"));
    sends(&claim.caller, &id, 2).await.refused(409, "verification_closed");
    // A card that was rejected once may be shown again with another claim.
    house.wait(DOUBLE_CLICK);
    Claim::of(&house, "ivan@example.com", CARD).await.asked().await;
    house.books_are_clean().await;
}

async fn a_reason_is_said_where_the_customer_is_told(engine: Engine) {
    let house = House::open(engine).await;
    let (_, id) = sent(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let refused = async |more, field: &str, code: &str| {
        let problem = desk.tries(&id, "reject", more).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    };
    refused(json!({}), "reason", "required").await;
    refused(json!({ "reason": "ugly" }), "reason", "reason_unknown").await;
    refused(json!({ "reason": "other" }), "words.ru", "required").await;
    refused(json!({ "reason": "other", "words": { "ru": "Нет", "en": " " } }), "words.en", "required").await;
    refused(json!({ "reason": "other", "words": { "ru": "Н".repeat(501), "en": "No" } }), "words.ru", "text_too_long").await;
    let reader = house.staff(agio_core::identity::Role::Auditor).await;
    Desk(reader).tries(&id, "accept", json!({})).await.refused(403, "forbidden");
}

async fn of_two_operators_at_once_one_decides(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = sent(&house, "ivan@example.com").await;
    let (one, two) = (Desk::operator(&house).await, Desk(house.owner().await));
    let revision = one.sees(&id).await["revision"].clone();
    let (accepted, rejected) = tokio::join!(
        one.decides_on(&id, &revision, "accept", json!({})),
        two.decides_on(&id, &revision, "reject", json!({ "reason": "wrong_card" })),
    );
    let (won, lost, state) =
        if accepted.status.is_success() { (accepted, rejected, "awaiting_payment") } else { (rejected, accepted, "rejected") };
    won.ok();
    assert_eq!(lost.status, 409, "{}", lost.text);
    assert_eq!(claim.status().await["status"], state);
    house.books_are_clean().await;
}

async fn nobody_decides_on_photos_they_did_not_see(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = sent(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let revision = desk.sees(&id).await["revision"].clone();
    sends(&claim.caller, &id, 2).await.ok();
    desk.decides_on(&id, &revision, "accept", json!({})).await.refused(409, "verification_changed");
    assert_eq!(claim.status().await["status"], "verification");
}

async fn a_claim_in_a_colleagues_hand_is_left_to_them(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = sent(&house, "ivan@example.com").await;
    house.owner().await.post_empty(&format!("/api/admin/v1/claims/{}/lock", claim.id)).await.ok();
    let desk = Desk::operator(&house).await;
    desk.tries(&id, "accept", json!({})).await.refused(409, "claim_locked");
    assert_eq!(desk.sees(&id).await["state"], "sent", "nothing was decided");
    // The claim's own desk leaves the decision to whoever looks at the photos.
    let seen = desk.0.get(&format!("/api/admin/v1/claims/{}", claim.id)).await.ok();
    assert_eq!((&seen["transitions"], &seen["verification"]), (&json!([]), &json!(id)));
    let step = json!({ "action": "verify_accept", "revision": seen["revision"] });
    let owner = house.owner().await;
    owner.post(&format!("/api/admin/v1/claims/{}/transitions", claim.id), step).await.refused(409, "transition_not_allowed");
    owner.post_empty(&format!("/api/admin/v1/claims/{}/unlock", claim.id)).await.ok();
    desk.accepts(&id).await;
    let log = owner.get(&format!("/api/admin/v1/audit?aboutKind=verification&aboutId={id}")).await.ok();
    let actions: Vec<_> = log["items"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["verification.accept", "verification.photo", "verification.asked"]);
}

both_engines!(
    other_photos_are_asked_for_with_a_reason,
    a_rejected_card_ends_the_claim_with_the_reason,
    a_reason_is_said_where_the_customer_is_told,
    of_two_operators_at_once_one_decides,
    nobody_decides_on_photos_they_did_not_see,
    a_claim_in_a_colleagues_hand_is_left_to_them,
);
