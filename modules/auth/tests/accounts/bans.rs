//! Administration of customers: search, bans, pages.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{WRONG, audit_actions, try_sign_in};
use crate::second_factor::enable_totp;

const CUSTOMERS: &str = "/api/admin/v1/customers";

async fn list(staff: &TestClient, query: &str) -> Vec<Value> {
    staff.get(&format!("{CUSTOMERS}?{query}")).await.ok()["items"].as_array().unwrap().clone()
}

fn emails(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["email"].as_str().unwrap()).collect()
}

async fn ban_revokes_sessions_and_unban_restores_access(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = app.operator().await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    ivan.caller.post("/api/v1/users/restore/", json!({ "email": ivan.email })).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let link = ivan.token(&app, "password_restore").await;
    let id = list(&operator, "q=ivan").await[0]["id"].as_str().unwrap().to_owned();
    let (ban, unban) = (format!("{CUSTOMERS}/{id}/ban"), format!("{CUSTOMERS}/{id}/unban"));

    let row = operator.post(&ban, json!({ "reason": "  Paid from other people's cards. " })).await.ok();
    assert_eq!((&row["banReason"], &row["sessions"]), (&json!("Paid from other people's cards."), &json!(0)));
    assert_eq!(row["bannedAt"], app.now().to_string());
    ivan.me().await.refused(401, "token_not_valid");
    ivan.refresh().await.refused(401, "token_not_valid");
    // Only with the right password does the response tell that the account is banned.
    try_sign_in(&ivan.caller, &ivan.email, WRONG).await.refused(401, "wrong_credentials");
    ivan.sign_in().await.refused(403, "account_banned");
    let restored = json!({ "password": "quite another horse" });
    app.visitor().post(&format!("/api/v1/users/restore/{link}/"), restored).await.refused(404, "link_not_valid");
    let before = app.emails_to(&ivan.email).await.len();
    app.visitor().post("/api/v1/users/restore/", json!({ "email": ivan.email })).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    assert_eq!(app.emails_to(&ivan.email).await.len(), before);

    // Once more changes nothing, not even the reason.
    let again = operator.post(&ban, json!({ "reason": "Another reason" })).await.ok();
    assert_eq!(again, row);
    let row = operator.post(&unban, json!({ "reason": "The cards are his wife's." })).await.ok();
    assert_eq!((&row["bannedAt"], &row["banReason"]), (&Value::Null, &Value::Null));
    ivan.sign_in().await.ok();
    assert_eq!(list(&operator, "q=ivan").await[0]["sessions"], 1);

    let actions = audit_actions(&app, &id).await;
    let count = |name: &str| actions.iter().filter(|action| *action == name).count();
    assert_eq!((count("customer.banned"), count("customer.unbanned")), (1, 1), "{actions:?}");
    let log = app
        .owner()
        .await
        .get(&format!("/api/admin/v1/audit?action=customer.unbanned&aboutKind=customer&aboutId={id}"))
        .await
        .ok();
    let entry = &log["items"][0];
    assert_eq!(entry["before"]["reason"], "Paid from other people's cards.");
    assert_eq!(entry["after"]["reason"], "The cards are his wife's.");
}

async fn ban_needs_permission_and_reason(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = app.operator().await;
    TestCustomer::sign_up(&app, "ivan@example.com").await;
    let id = list(&operator, "q=ivan").await[0]["id"].as_str().unwrap().to_owned();
    let ban = format!("{CUSTOMERS}/{id}/ban");
    let reason = json!({ "reason": "Paid from other people's cards." });
    for role in [Role::Cashier, Role::Editor, Role::Auditor] {
        let refused = app.staff(role).await.post(&ban, reason.clone()).await.refused(403, "forbidden");
        assert_eq!(refused["params"]["permission"], "customers.ban");
    }
    let ban_for = |reason: String| operator.post(&ban, json!({ "reason": reason }));
    assert_eq!(ban_for("  ".into()).await.refused(422, "validation_failed")["errors"]["reason"][0]["code"], "required");
    let long = ban_for("ы".repeat(501)).await.refused(422, "validation_failed");
    assert_eq!(long["errors"]["reason"][0]["params"]["max"], "500");
    operator.post(&ban, json!({ "reason": "x", "until": "tomorrow" })).await.refused(400, "malformed_body");
    let nobody = format!("{CUSTOMERS}/{}/ban", uuid::Uuid::nil());
    operator.post(&nobody, reason).await.refused(404, "customer_not_found");
    assert_eq!(list(&operator, "q=ivan").await[0]["bannedAt"], Value::Null);
}

async fn staff_turn_off_a_lost_second_factor(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    enable_totp(&app, &ivan).await;
    let operator = app.operator().await;
    let row = list(&operator, "q=ivan").await[0].clone();
    assert_eq!(row["secondFactor"], true);
    let id = row["id"].as_str().unwrap();
    let (reset, why) = (format!("{CUSTOMERS}/{id}/second-factor/reset"), json!({ "reason": "Named his last three claims." }));
    app.staff(Role::Editor).await.post(&reset, why.clone()).await.refused(403, "forbidden");
    let left_open = app.staff_unconfirmed(Role::Operator).await;
    left_open.post(&reset, why.clone()).await.refused(403, "fresh_second_factor_needed");
    operator.post(&reset, json!({ "reason": " " })).await.refused(422, "validation_failed");
    let nobody = format!("{CUSTOMERS}/{}/second-factor/reset", uuid::Uuid::nil());
    operator.post(&nobody, why.clone()).await.refused(404, "customer_not_found");
    ivan.sign_in().await.refused(401, "otp_required");

    let row = operator.post(&reset, why.clone()).await.ok();
    assert_eq!((&row["secondFactor"], &row["sessions"]), (&json!(false), &json!(0)));
    operator.post(&reset, why).await.refused(409, "totp_not_on");
    ivan.me().await.refused(401, "token_not_valid");
    ivan.sign_in().await.ok();
    let me = ivan.me().await.ok();
    assert_eq!((&me["totp"], &me["recoveryCodes"]), (&json!(false), &json!(0)));
    let mail = ivan.newest_email(&app, "second_factor_reset").await;
    assert!(!mail.text.contains("last three claims"), "{}", mail.text);
    let log = app.owner().await.get("/api/admin/v1/audit?action=customer.second_factor_reset").await.ok();
    let entry = &log["items"][0];
    assert_eq!(
        (&entry["actor"]["name"], &entry["after"]["reason"]),
        (&json!("operator"), &json!("Named his last three claims."))
    );
    app.assert_audit_chain_is_intact().await;
}

async fn customers_are_listed_in_pages(engine: Engine) {
    let app = TestApp::start(engine).await;
    let auditor = app.staff(Role::Auditor).await;
    let mut all = Vec::new();
    for number in 0..5 {
        // Two of them sign up at one moment.
        if number != 3 {
            app.advance_clock(Duration::from_secs(60));
        }
        let email = format!("c_{number}%@example.com");
        TestCustomer::sign_up(&app, &email).await;
        all.push(email);
    }
    let mut listed = Vec::new();
    let mut query = "size=2".to_owned();
    loop {
        let page = auditor.get(&format!("{CUSTOMERS}?{query}")).await.ok();
        listed.extend(emails(page["items"].as_array().unwrap()).into_iter().map(str::to_owned));
        let Some(next) = page["nextCursor"].as_str() else { break };
        query = format!("size=2&cursor={next}");
    }
    assert_eq!(listed.len(), 5, "each once: {listed:?}");
    assert_eq!((&listed[0], &listed[4]), (&all[4], &all[0]), "the newest first");
    listed.sort();
    assert_eq!(listed, all);

    // Characters of patterns have no meaning.
    assert_eq!(emails(&list(&auditor, "q=C_1%25").await), ["c_1%@example.com"]);
    assert!(list(&auditor, "q=c%253").await.is_empty());
    assert!(list(&auditor, "banned=true").await.is_empty());
    let id = list(&auditor, "q=c_2").await[0]["id"].as_str().unwrap().to_owned();
    app.owner().await.post(&format!("{CUSTOMERS}/{id}/ban"), json!({ "reason": "A test" })).await.ok();
    assert_eq!(emails(&list(&auditor, "banned=true").await), ["c_2%@example.com"]);
    for refused in ["size=0", "size=101", "cursor=1", "cursor=x_y"] {
        auditor.get(&format!("{CUSTOMERS}?{refused}")).await.refused(400, "malformed_parameter");
    }
}

both_engines!(
    ban_revokes_sessions_and_unban_restores_access,
    ban_needs_permission_and_reason,
    staff_turn_off_a_lost_second_factor,
    customers_are_listed_in_pages,
);
