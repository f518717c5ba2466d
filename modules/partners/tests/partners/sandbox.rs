//! Sandbox claims: every transition, without money.

use std::time::Duration;

use agio_test_app::{Engine, both_engines};
use serde_json::json;

use crate::fixtures::{Partner, app, key_order, unique};
use crate::webhook_receiver::WebhookReceiver;

both_engines!(sandbox_claims_follow_every_transition_without_money);

const CLAIMS: &str = "/api/partner/v1/claims/";

async fn sandbox_claims_follow_every_transition_without_money(engine: Engine) {
    let app = app(engine).await;
    let receiver = WebhookReceiver::open().await;
    let mut live = Partner::of(&app, &receiver.url).await;
    let mut partner = live.with_key(&app, key_order(true)).await;
    assert!(partner.key.starts_with("agio_test_") && live.key.starts_with("agio_live_"));
    let reserves = app.visitor().get("/api/v1/calculator/reserves/").await.ok();
    let order = partner.order("0.015", "order-1").await;
    let key = unique();
    let claim = partner.post_idempotent(CLAIMS, &key, &order).await.ok();
    assert_eq!(partner.post_idempotent(CLAIMS, &key, &order).await.ok(), claim);
    // A repeated request returns the same response after the quote has expired.
    app.advance_clock(Duration::from_secs(120));
    partner.sync_clock(&app);
    live.sync_clock(&app);
    assert_eq!(partner.post_idempotent(CLAIMS, &key, &order).await.ok(), claim);
    partner.post_idempotent(CLAIMS, &unique(), &order).await.refused(409, "reference_taken");
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
    partner.post(&advance, &json!({ "to": "gone" })).await.refused(400, "malformed_body");
    partner.post_empty(&format!("{CLAIMS}{id}/paid/")).await.refused(409, "transition_not_allowed");
    let end = partner.get(&format!("{CLAIMS}{id}/")).await.ok();
    assert_eq!((&end["status"], &end["isFinal"], &end["revision"]), (&json!("refunded"), &json!(true), &json!(15)));
    // Customer actions work as well.
    let second = partner.claim("0.016", "order-2").await;
    let path = format!("{CLAIMS}{}/", second["id"].as_str().unwrap());
    assert_eq!(partner.post_empty(&format!("{path}paid/")).await.ok()["status"], "confirming");
    partner.post_empty(&format!("{path}paid/")).await.ok();
    partner.post_empty(&format!("{path}cancel/")).await.refused(409, "transition_not_allowed");
    assert_eq!(partner.get(&format!("{CLAIMS}?reference=order-2")).await.ok()["total"], 1);
    app.advance_and_run_jobs(Duration::ZERO).await;
    let received_webhooks: Vec<_> = receiver.received().into_iter().filter(|webhook| webhook.body["claim"]["id"] == id).collect();
    assert_eq!(received_webhooks.len(), ways.len() + 1);
    assert!(
        received_webhooks
            .iter()
            .all(|webhook| webhook.body["claim"]["sandbox"] == true && webhook.is_signed(&partner.webhook_secret))
    );
    // No other data is created.
    live.get(&format!("{CLAIMS}{id}/")).await.refused(404, "claim_not_found");
    live.post(&advance, &json!({ "to": "paid" })).await.refused(403, "sandbox_only");
    assert_eq!(live.get(CLAIMS).await.ok()["total"], 0);
    assert_eq!(app.server.claims.overview(1).await.unwrap().open, 0);
    assert_eq!(app.visitor().get("/api/v1/calculator/reserves/").await.ok(), reserves);
    assert!(app.emails_to("ivan@example.com").await.is_empty());
    app.visitor().get(&format!("/api/v1/claim/{id}/status/")).await.refused(404, "claim_not_found");
    app.advance_and_run_jobs(Duration::from_secs(31 * 24 * 60 * 60)).await;
    let mut later = partner.clone();
    later.sync_clock(&app);
    assert_eq!(later.get(CLAIMS).await.ok()["total"], 0, "sandbox claims are kept for a month");
}
