//! Undeliverable staff alerts: listing and resending.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::outbox::{self, OutboxState};
use agio_plugin_runtime::BuiltInPlugins;
use agio_plugin_telegram::Telegram;
use agio_plugin_test::{FakeResponse, FakeServer};
use agio_test_app::{Database, Engine, TestApp, TestClient};
use serde_json::{Value, json};

use crate::staff_alerts::add_undeliverable_email;

const MINUTE: Duration = Duration::from_secs(60);
const GONE: &str = r#"{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the group chat"}"#;
const SENT: &str = r#"{"ok":true,"result":{"message_id":1}}"#;

/// A server that sends staff alerts to a chat.
async fn app_with_notifier(engine: Engine, chat: &FakeServer) -> TestApp {
    let set = [("token", "1:secret"), ("chat", "-100500")];
    let database = Database::with_market(engine).await;
    let app = TestApp::start_with_plugins(
        database,
        |_| {},
        |executor| BuiltInPlugins::new(executor).with(Telegram::at(chat.origin()), &set),
    )
    .await;
    app.owner().await;
    app
}

async fn listed(staff: &TestClient, state: &str) -> Value {
    let query = if state.is_empty() { String::new() } else { format!("?state={state}") };
    staff.get(&format!("/api/admin/v1/staff-alerts{query}")).await.ok()
}

async fn an_undeliverable_alert_is_listed_and_resent(engine: Engine) {
    let chat = FakeServer::start([FakeResponse::status(403, GONE), FakeResponse::ok(SENT)]).await;
    let app = app_with_notifier(engine, &chat).await;
    add_undeliverable_email(&app).await;
    app.advance_and_run_jobs(MINUTE).await;
    app.advance_and_run_jobs(MINUTE).await;
    let cashier = app.staff(Role::Cashier).await;
    let page = listed(&cashier, "").await;
    let row = &page["items"][0];
    assert_eq!((&page["dead"], &page["queued"], &page["nextCursor"]), (&json!(1), &json!(0), &json!(null)));
    assert_eq!((&row["notifier"], &row["event"], &row["state"]), (&json!("telegram"), &json!("alert_mail"), &json!("dead")));
    assert!(row["text"].as_str().unwrap().contains("550 no such user"), "{row}");
    assert!(row["url"].as_str().unwrap().ends_with("/admin/mail") && row["settledAt"].is_string(), "{row}");
    assert!(row["fault"].as_str().unwrap().contains("bot was kicked"), "{row}");
    assert_eq!(cashier.get("/api/admin/v1/dashboard").await.ok()["notices"], json!({ "dead": 1 }));
    app.advance_and_run_jobs(60 * MINUTE).await;
    assert_eq!(chat.received().len(), 1, "permanent errors are not retried");

    let again = format!("/api/admin/v1/staff-alerts/{}/resend", row["id"]);
    let auditor = app.staff(Role::Auditor).await;
    auditor.post_empty(&again).await.refused(403, "forbidden");
    let cashier = app.staff(Role::Cashier).await;
    let queued = cashier.post_empty(&again).await.ok();
    assert_eq!((&queued["state"], &queued["fault"]), (&json!("queued"), &json!(null)));
    app.advance_and_run_jobs(MINUTE).await;
    let found = chat.received();
    assert_eq!((found.len(), found[0].body == found[1].body), (2, true), "the same message is sent again");
    assert_eq!(listed(&cashier, "dead").await["items"], json!([]));
    assert_eq!(listed(&cashier, "sent").await["items"][0]["id"], row["id"]);
    cashier.post_empty(&again).await.refused(409, "message_not_dead");
    cashier.post_empty("/api/admin/v1/staff-alerts/0/resend").await.refused(404, "message_not_found");
    let log = app.owner().await.get("/api/admin/v1/audit?aboutKind=notice").await.ok();
    assert_eq!(
        (&log["items"][0]["action"], &log["items"][0]["aboutId"]),
        (&json!("notice.resent"), &json!(row["id"].to_string()))
    );
    app.assert_audit_chain_is_intact().await;
}

async fn emails_are_not_listed_as_alerts(engine: Engine) {
    let chat = FakeServer::start([FakeResponse::ok(SENT)]).await;
    let app = app_with_notifier(engine, &chat).await;
    add_undeliverable_email(&app).await;
    let owner = app.owner().await;
    let mut tx = app.server.platform.db.read().await.unwrap();
    let email = outbox::messages(&mut tx, "mail", OutboxState::Dead, None, 1).await.unwrap().rows[0].id;
    drop(tx);
    owner.post_empty(&format!("/api/admin/v1/staff-alerts/{email}/resend")).await.refused(404, "message_not_found");
    assert_eq!(listed(&owner, "dead").await["items"], json!([]));
    owner.get("/api/admin/v1/staff-alerts?state=lost").await.refused(400, "malformed_parameter");
}

agio_test_app::both_engines!(an_undeliverable_alert_is_listed_and_resent, emails_are_not_listed_as_alerts,);
