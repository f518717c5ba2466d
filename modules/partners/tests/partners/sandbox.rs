//! Rehearsals: every path of a claim, and not a coin of it.

use std::time::Duration;

use agio_testkit::{Engine, both_engines};
use serde_json::json;

use crate::listener::Listener;
use crate::people::{Partner, house, key_order, unique};

both_engines!(a_rehearsal_goes_any_way_and_moves_nothing);

const CLAIMS: &str = "/api/partner/v1/claims/";

async fn a_rehearsal_goes_any_way_and_moves_nothing(engine: Engine) {
    let house = house(engine).await;
    let listener = Listener::open().await;
    let mut live = Partner::of(&house, &listener.url).await;
    let mut partner = live.with_key(&house, key_order(true)).await;
    assert!(partner.key.starts_with("agio_test_") && live.key.starts_with("agio_live_"));
    let reserves = house.customer().get("/api/v1/calculator/reserves/").await.ok();
    let order = partner.order("0.015", "order-1").await;
    let key = unique();
    let claim = partner.post_once(CLAIMS, &key, &order).await.ok();
    assert_eq!(partner.post_once(CLAIMS, &key, &order).await.ok(), claim);
    // The quote has ended by now, and the answer to a repeated call is the same still.
    house.wait(Duration::from_secs(120));
    partner.look_at_the_clock(&house);
    live.look_at_the_clock(&house);
    assert_eq!(partner.post_once(CLAIMS, &key, &order).await.ok(), claim);
    partner.post_once(CLAIMS, &unique(), &order).await.refused(409, "reference_taken");
    assert_eq!((&claim["sandbox"], &claim["publicId"], &claim["state"]), (&json!(true), &json!(1), &json!("awaiting_payment")));
    let id = claim["id"].as_str().unwrap();
    let advance = format!("/api/partner/v1/sandbox/claims/{id}/advance/");
    let ways = [
        "payment_claimed",
        "on_hold",
        "payment_claimed",
        "paid",
        "processing",
        "payout_error",
        "processing",
        "payout_sent",
        "payout_partial",
        "refund_pending",
        "refund_sent",
        "refund_pending",
        "refund_sent",
        "refunded",
    ];
    for to in ways {
        let come = partner.post(&advance, &json!({ "to": to })).await.ok();
        assert_eq!(come["state"], to);
    }
    partner.post(&advance, &json!({ "to": "paid" })).await.refused(409, "transition_not_allowed");
    partner.post(&advance, &json!({ "to": "gone" })).await.refused(422, "validation_failed");
    let end = partner.get(&format!("{CLAIMS}{id}/")).await.ok();
    assert_eq!((&end["status"], &end["isFinal"], &end["revision"]), (&json!("refunded"), &json!(true), &json!(15)));
    // The calls of customers are rehearsed as well.
    let second = partner.claim("0.016", "order-2").await;
    let path = format!("{CLAIMS}{}/", second["id"].as_str().unwrap());
    assert_eq!(partner.post_empty(&format!("{path}paid/")).await.ok()["status"], "confirming");
    partner.post_empty(&format!("{path}paid/")).await.ok();
    partner.post_empty(&format!("{path}cancel/")).await.refused(409, "transition_not_allowed");
    assert_eq!(partner.get(&format!("{CLAIMS}?reference=order-2")).await.ok()["total"], 1);
    house.later(Duration::ZERO).await;
    let told: Vec<_> = listener.heard().into_iter().filter(|news| news.body["claim"]["id"] == id).collect();
    assert_eq!(told.len(), ways.len() + 1);
    assert!(told.iter().all(|news| news.body["claim"]["sandbox"] == true && news.is_signed(&partner.webhook_secret)));
    // Nothing of it is anywhere else.
    live.get(&format!("{CLAIMS}{id}/")).await.refused(404, "claim_not_found");
    live.post(&advance, &json!({ "to": "paid" })).await.refused(403, "sandbox_only");
    assert_eq!(live.get(CLAIMS).await.ok()["total"], 0);
    assert_eq!(house.app.claims.overview(1).await.unwrap().open, 0);
    assert_eq!(house.customer().get("/api/v1/calculator/reserves/").await.ok(), reserves);
    assert!(house.mail_to("ivan@example.com").await.is_empty());
    house.customer().get(&format!("/api/v1/claim/{id}/status/")).await.refused(404, "claim_not_found");
    house.later(Duration::from_secs(31 * 24 * 60 * 60)).await;
    let mut later = partner.clone();
    later.look_at_the_clock(&house);
    assert_eq!(later.get(CLAIMS).await.ok()["total"], 0, "rehearsals are kept for a month");
}
