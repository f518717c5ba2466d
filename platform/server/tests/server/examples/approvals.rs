//! Approval requests.

use agio_core::identity::Role;
use agio_test_app::{TestApp, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

use super::Recorder;

/// Turns two-person approval on, requests three changes of requisites, and decides them in every way.
pub async fn decide_approvals(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    let cashier = app.staff(Role::Cashier).await;
    let pool = owner.get("/api/admin/v1/requisites").await.ok();
    let mut requests = Vec::new();
    for row in pool.as_array().unwrap().iter().take(3) {
        let path = format!("/api/admin/v1/requisites/{}", row["id"].as_str().unwrap());
        let change = json!({ "holder": "IVAN PETROV", "memo": "order 17" });
        requests.push(owner.patch(&path, change).await.ok());
    }
    let decide =
        |request: &Value, decision: &str| format!("/api/admin/v1/approvals/{}/{decision}", request["id"].as_str().unwrap());
    recorder.get(&cashier, "listApprovalRequests", "/api/admin/v1/approvals").await;
    recorder.call(&cashier, "approveApprovalRequest", Method::POST, &decide(&requests[0], "approve"), None).await;
    let reason = json!({ "reason": "The holder's name is not the one in the bank's contract." });
    recorder.post(&cashier, "rejectApprovalRequest", &decide(&requests[1], "reject"), reason).await;
    recorder.post_empty(owner, "withdrawApprovalRequest", &decide(&requests[2], "withdraw")).await;
}
