//! Shared steps of editors and visitors.

use agio_test_app::{TestApp, TestClient, TestResponse};
use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// A text with this Markdown.
pub fn text(title: &str, markdown: &str) -> Value {
    json!({ "title": title, "description": "About it.", "markdown": markdown })
}

/// The page as the console sees it.
pub async fn get_source(caller: &TestClient, page: &str) -> Value {
    caller.get(&format!("/api/admin/v1/content/{page}")).await.ok()
}

/// Publishes over the newest version.
pub async fn publish(caller: &TestClient, page: &str, mut draft: Value) -> TestResponse {
    draft["over"] = get_source(caller, page).await["version"]["version"].clone();
    if draft["note"].is_null() {
        draft["note"] = "For a test".into();
    }
    caller.post(&format!("/api/admin/v1/content/{page}/versions"), draft).await
}

/// The page as visitors read it.
pub async fn get_page(caller: &TestClient, page: &str) -> Value {
    caller.get(&format!("/api/v1/content/{page}/")).await.ok()
}

/// The answer to the captcha of a message.
pub async fn solve_captcha(caller: &TestClient) -> String {
    let check = caller.get("/api/v1/contact/captcha/").await.ok();
    assert_eq!(check["required"], true);
    let challenge: Challenge = serde_json::from_value(check["challenge"].clone()).unwrap();
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
    STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).unwrap())
}

/// How many entries the audit log has of an action.
pub async fn audit_count(app: &TestApp, action: &str) -> i64 {
    let mut tx = app.server.platform.db.read().await.unwrap();
    agio_core::fetch_one!(&mut tx, (i64,), "SELECT COUNT(*) FROM audit WHERE action = $1", action).unwrap().0
}
