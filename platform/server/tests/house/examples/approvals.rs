//! What one member of staff proposes and another decides.

use agio_core::identity::Role;
use agio_testkit::{Caller, House};
use reqwest::Method;
use serde_json::{Value, json};

use super::Recorder;

/// Turns the four-eyes rule on, proposes three changes of where customers pay, and has them decided in every way.
pub async fn decide_together(house: &House, owner: &Caller, recorder: &mut Recorder) {
    owner.put("/api/admin/v1/settings", json!({ "approvals.four_eyes": true })).await.ok();
    let cashier = house.staff(Role::Cashier).await;
    let pool = owner.get("/api/admin/v1/requisites").await.ok();
    let mut proposals = Vec::new();
    for row in pool.as_array().unwrap().iter().take(3) {
        let path = format!("/api/admin/v1/requisites/{}", row["id"].as_str().unwrap());
        let change = json!({ "holder": "IVAN PETROV", "memo": "order 17" });
        proposals.push(owner.patch(&path, change).await.ok());
    }
    let decide = |proposal: &Value, word: &str| format!("/api/admin/v1/approvals/{}/{word}", proposal["id"].as_str().unwrap());
    recorder.get(&cashier, "listApprovals", "/api/admin/v1/approvals").await;
    recorder.call(&cashier, "approveProposal", Method::POST, &decide(&proposals[0], "approve"), None).await;
    let reason = json!({ "reason": "The holder's name is not the one in the bank's contract." });
    recorder.post(&cashier, "rejectProposal", &decide(&proposals[1], "reject"), reason).await;
    recorder.post_empty(owner, "withdrawProposal", &decide(&proposals[2], "withdraw")).await;
}
