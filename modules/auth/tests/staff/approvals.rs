//! Two-person approval of what lets staff approve.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{StaffMember, app_with_required_second_factor, confirmed, link_token};

const VERA: &str = "vera@agio.example";

/// Two owners who have just confirmed their sessions, with two-person approval on.
async fn owners(app: &TestApp) -> (StaffMember, StaffMember) {
    let anna = confirmed(app, "anna@agio.example", Role::Owner).await;
    let boris = confirmed(app, "boris@agio.example", Role::Owner).await;
    anna.confirm(app).await;
    anna.put("/settings", json!({ "approvals.two_person": true })).await.ok();
    (anna, boris)
}

fn invite(role: &str) -> Value {
    json!({ "email": VERA, "role": role, "language": "en" })
}

/// The approval request that a call created.
#[track_caller]
fn pending(answer: &TestResponse) -> Value {
    assert_eq!(answer.status, 202, "{}", answer.text);
    let request = answer.json();
    assert_eq!(request["kind"], "staff_changed", "{request}");
    request
}

async fn approve(by: &StaffMember, request: &Value) -> TestResponse {
    by.post(&format!("/approvals/{}/approve", request["id"].as_str().unwrap()), json!({})).await
}

/// What a request shows: label, before, after.
fn facts(request: &Value) -> Vec<[&str; 3]> {
    let facts = request["facts"].as_array().unwrap().iter();
    facts.map(|fact| ["label", "before", "after"].map(|name| fact[name].as_str().unwrap_or(""))).collect()
}

async fn an_owner_invites_no_second_person_alone(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let (anna, boris) = owners(&app).await;
    let sends = async || anna.caller.post_idempotent("/api/admin/v1/invitations", "invitation-key-1", invite("owner")).await;
    let answer = sends().await;
    let request = pending(&answer);
    assert_eq!(request["aboutId"], VERA);
    assert_eq!(facts(&request), [["Кого пригласить", "", VERA], ["Роль", "", "владелец"]]);
    assert_eq!(sends().await.json(), request, "a repeated request brings the same");
    anna.post("/invitations", invite("owner")).await.refused(409, "approval_waits");
    assert_eq!(anna.get("/staff").await.ok()["invitations"], json!([]));
    assert!(app.emails_to(VERA).await.is_empty());
    approve(&anna, &request).await.refused(403, "approval_own");

    approve(&boris, &request).await.ok();
    let listed = anna.get("/staff").await.ok();
    let invited = &listed["invitations"][0];
    assert_eq!(
        (&invited["email"], &invited["role"], &invited["invitedBy"]),
        (&json!(VERA), &json!("owner"), &json!("Anna Kotova"))
    );
    let resend = format!("/invitations/{}/resend", invited["id"].as_str().unwrap());
    let again = pending(&anna.post(&resend, json!({})).await);
    anna.post(&resend, json!({})).await.refused(409, "approval_waits");
    StaffMember::accept(&app, VERA, &link_token(&app, VERA, "staff_invitation").await).await;
    approve(&boris, &again).await.refused(409, "approval_outdated");
    let taken = anna.post("/invitations", invite("owner")).await.refused(422, "validation_failed");
    assert_eq!(taken["errors"]["email"][0]["code"], "email_taken");
}

async fn who_cannot_approve_is_invited_by_one_person(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let (anna, boris) = owners(&app).await;
    for role in ["operator", "cashier", "editor"] {
        let request = pending(&anna.post("/invitations", invite(role)).await);
        let reject = format!("/approvals/{}/reject", request["id"].as_str().unwrap());
        boris.post(&reject, json!({ "reason": "Nobody knows them." })).await.ok();
    }
    let sent = anna.post("/invitations", invite("auditor")).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let vera = StaffMember::accept(&app, VERA, &link_token(&app, VERA, "staff_invitation").await).await;
    let role = format!("/staff/{}/role", vera.id);
    let request = pending(&anna.put(&role, json!({ "role": "owner" })).await);
    assert_eq!(facts(&request), [["Сотрудник", "", "Anna Kotova, vera@agio.example"], ["Роль", "аудитор", "владелец"]]);
    anna.put(&role, json!({ "role": "owner" })).await.refused(409, "approval_waits");
    assert_eq!(vera.me().await.ok()["role"], "auditor");
    approve(&boris, &request).await.ok();
    assert_eq!(vera.me().await.ok()["role"], "owner");
    for lesser in ["operator", "auditor"] {
        assert_eq!(anna.put(&role, json!({ "role": lesser })).await.status, 204, "{lesser}");
    }
}

async fn an_owner_takes_over_no_second_person_alone(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let gleb = StaffMember::invited_by_cli(&app, "gleb@agio.example", Role::Cashier).await;
    let dina = confirmed(&app, "dina@agio.example", Role::Auditor).await;
    let mut vera = confirmed(&app, VERA, Role::Operator).await;
    let (anna, boris) = owners(&app).await;
    let path = |of: &StaffMember, what: &str| format!("/staff/{}/{what}", of.id);
    let sends = async |of: &StaffMember, what: &str| anna.post(&path(of, what), json!({})).await;

    assert_eq!(sends(&vera, "restore").await.status, 204, "the second factor guards the account");
    let request = pending(&sends(&gleb, "restore").await);
    assert_eq!(facts(&request)[1], ["Отправить ссылку для пароля", "", "да"]);
    sends(&gleb, "restore").await.refused(409, "approval_waits");
    assert!(app.emails_to(&gleb.email).await.is_empty());
    approve(&boris, &request).await.ok();
    link_token(&app, &gleb.email, "staff_password_restore").await;

    let reset = pending(&sends(&vera, "second-factor/reset").await);
    assert_eq!(facts(&reset)[1], ["Сбросить второй фактор", "", "да"]);
    sends(&vera, "second-factor/reset").await.refused(409, "approval_waits");
    vera.me().await.ok();
    assert_eq!(sends(&vera, "disable").await.status, 204, "what takes access away does not wait");
    approve(&boris, &reset).await.refused(409, "approval_outdated");
    sends(&vera, "enable").await.refused(409, "approval_waits");
    anna.post(&format!("/approvals/{}/withdraw", reset["id"].as_str().unwrap()), json!({})).await.ok();
    let enable = pending(&sends(&vera, "enable").await);
    assert_eq!(facts(&enable)[1], ["Может войти", "нет", "да"]);
    vera.sign_in(&app).await.refused(401, "wrong_credentials");
    approve(&boris, &enable).await.ok();
    vera.sign_in(&app).await.ok();

    for (what, status) in [("second-factor/reset", 204), ("disable", 204), ("enable", 204), ("restore", 204)] {
        assert_eq!(sends(&dina, what).await.status, status, "an auditor approves nothing: {what}");
    }
}

async fn requests_end_with_the_right_to_make_them(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let (anna, boris) = owners(&app).await;
    let asks = async |email: &str| {
        let invitation = json!({ "email": email, "role": "editor", "language": "en" });
        pending(&boris.post("/invitations", invitation).await)
    };
    let state = async |request: &Value| {
        let decided = anna.get("/approvals?decided=true").await.ok();
        let found = decided["items"].as_array().unwrap().iter().find(|item| item["id"] == request["id"]).cloned();
        found.map(|item| (item["state"].clone(), item["decidedBy"]["name"].clone()))
    };
    boris.confirm(&app).await;
    let own = pending(&anna.post("/invitations", invite("editor")).await);
    let first = asks("first@agio.example").await;
    assert_eq!(anna.put(&format!("/staff/{}/role", boris.id), json!({ "role": "editor" })).await.status, 204);
    approve(&anna, &first).await.refused(409, "approval_decided");
    assert_eq!(state(&first).await, Some((json!("withdrawn"), json!("Anna Kotova"))));
    // An editor may still request and decide about settings.
    let settings = boris.put("/settings", json!({ "approvals.payout_limit": 5_000 })).await.json();
    assert_eq!(settings["kind"], "settings_changed");
    assert_eq!(anna.put(&format!("/staff/{}/role", boris.id), json!({ "role": "auditor" })).await.status, 204);
    approve(&anna, &settings).await.refused(409, "approval_decided");

    let gleb = confirmed(&app, "gleb@agio.example", Role::Editor).await;
    anna.confirm(&app).await;
    let limit = gleb.put("/settings", json!({ "approvals.payout_limit": 7_000 })).await.json();
    assert_eq!(anna.post(&format!("/staff/{}/disable", gleb.id), json!({})).await.status, 204);
    approve(&anna, &limit).await.refused(409, "approval_decided");
    assert_eq!(state(&limit).await, Some((json!("withdrawn"), json!("Anna Kotova"))));
    assert_eq!(state(&own).await, None, "requests of others wait on");
    app.assert_audit_chain_is_intact().await;
}

both_engines!(
    an_owner_invites_no_second_person_alone,
    who_cannot_approve_is_invited_by_one_person,
    an_owner_takes_over_no_second_person_alone,
    requests_end_with_the_right_to_make_them,
);
