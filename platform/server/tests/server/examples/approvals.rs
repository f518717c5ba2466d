//! Approval requests.

use agio_core::identity::Role;
use agio_test_app::{TestApp, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

use super::Recorder;
use super::staff::{authenticator, code_of};

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
    restore_access(app, owner, recorder).await;
}

/// What lets a member of staff approve again waits for another owner.
async fn restore_access(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    for name in ["boris", "gleb"] {
        app.staff_named(name, Role::Operator).await;
    }
    let olga = app.staff_named("olga", Role::Operator).await;
    let begun = olga.post("/api/admin/v1/me/second-factor", json!({ "password": TestApp::PASSWORD })).await.ok();
    olga.post("/api/admin/v1/me/second-factor/confirm", json!({ "code": code_of(&authenticator(&begun), app) })).await.ok();
    let staff = owner.get("/api/admin/v1/staff").await.ok();
    let path = |name: &str, action: &str| {
        let email = format!("{name}@agio.example");
        let member = staff["items"].as_array().unwrap().iter().find(|member| member["email"] == email.as_str()).unwrap();
        format!("/api/admin/v1/staff/{}/{action}", member["id"].as_str().unwrap())
    };
    owner.post_empty(&path("boris", "disable")).await.ok();
    recorder.post_empty(owner, "enableStaff", &path("boris", "enable")).await;
    recorder.post_empty(owner, "sendStaffPasswordReset", &path("gleb", "restore")).await;
    recorder.post_empty(owner, "resetStaffSecondFactor", &path("olga", "second-factor/reset")).await;
}
