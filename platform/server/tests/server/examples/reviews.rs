//! A review of a completed exchange.

use agio_test_app::{TestApp, TestClient};
use reqwest::Method;
use serde_json::json;

use super::{Recorder, order};

pub async fn review_an_exchange(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    // Other claims of this address and network have used up what needs no captcha.
    let customer = app.visitor().from_address("198.51.100.7");
    let mut order = order(app, "0.0165");
    order["email"] = "anna.review@example.com".into();
    let claim = customer.post("/api/v1/claim/", order).await.ok()["id"].as_str().unwrap().to_owned();
    for step in ["confirm", "paid"] {
        customer.post_empty(&format!("/api/v1/claim/{claim}/{step}/")).await.ok();
    }
    let path = format!("/api/admin/v1/claims/{claim}");
    for action in ["payment_received", "take", "payout_sent", "complete"] {
        let mut step = json!({ "action": action, "revision": owner.get(&path).await.ok()["revision"] });
        if matches!(action, "payment_received" | "payout_sent") {
            step["txId"] = format!("review-{action}").into();
        }
        owner.post(&format!("{path}/transitions"), step).await.ok();
    }
    let path = format!("/en/api/v1/claim/{claim}/review/");
    let review = json!({ "rating": 5, "text": "Quick and polite.", "name": "Anna" });
    recorder.call(&customer, "writeClaimReview", Method::PUT, &path, Some(review)).await;
    recorder.get(&customer, "getClaimReview", &path).await;
    let list = recorder.get(owner, "listReviews", "/api/admin/v1/reviews").await;
    let review = &list["items"][0];
    let path = format!("/api/admin/v1/reviews/{}", review["id"].as_str().unwrap());
    let decision = json!({ "revision": review["revision"], "decision": "publish" });
    let published = recorder.post(owner, "decideReview", &format!("{path}/decision"), decision).await;
    let reply = json!({ "revision": published["revision"], "reply": "Thank you!" });
    recorder.call(owner, "replyToReview", Method::PUT, &format!("{path}/reply"), Some(reply)).await;
}
