//! Staff alerts by email and notifier.

use std::time::Duration;

use agio_core::execute;
use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_plugin_runtime::BuiltInPlugins;
use agio_plugin_telegram::Telegram;
use agio_plugin_test::{FakeResponse, FakeServer};
use agio_server::config::Config;
use agio_test_app::{Database, Engine, ReceivedEmail, TestApp};
use serde_json::json;

const MINUTE: Duration = Duration::from_secs(60);
const OWNER: &str = "owner@agio.example";

async fn run(app: &TestApp, sql: &'static str) {
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

/// The alerts to an address, oldest first.
pub async fn alerts_to(app: &TestApp, email: &str) -> Vec<ReceivedEmail> {
    let mut emails = app.emails_to(email).await;
    emails.retain(|email| email.kind.starts_with("alert_"));
    emails
}

/// Makes a message undeliverable.
pub async fn add_undeliverable_email(app: &TestApp) {
    app.advance_clock(MINUTE);
    let now = app.now();
    let dead = "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, fault, created_at, settled_at)
        VALUES ('mail', 'anna@example.com', 'claim_created', 'claim', '1', '{}', 'dead', 80, 0, 0, '550 no such user', $1, $1)";
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, dead, now) })).await.unwrap();
}

async fn owners_are_alerted_to_undeliverable_emails_once_an_hour(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await;
    app.operator().await;
    app.advance_and_run_jobs(MINUTE).await;
    assert!(alerts_to(&app, OWNER).await.is_empty());
    add_undeliverable_email(&app).await;
    add_undeliverable_email(&app).await;
    app.advance_and_run_jobs(MINUTE).await;
    let [email] = alerts_to(&app, OWNER).await.try_into().unwrap();
    assert_eq!(email.subject, "Не доставлено писем: 2");
    assert!(email.text.contains("550 no such user") && email.text.contains("http://127.0.0.1:8080/admin/mail"), "{}", email.text);
    assert!(alerts_to(&app, "operator@agio.example").await.is_empty());

    add_undeliverable_email(&app).await;
    for _ in 0..50 {
        app.advance_clock(MINUTE);
        app.server.send_staff_alerts().await.unwrap();
    }
    assert_eq!(alerts_to(&app, OWNER).await.len(), 1, "at most one per hour");
    app.advance_and_run_jobs(20 * MINUTE).await;
    let emails = alerts_to(&app, OWNER).await;
    assert_eq!((emails.len(), emails[1].subject.as_str()), (2, "Не доставлено писем: 1"));
    app.advance_and_run_jobs(100 * MINUTE).await;
    assert_eq!(alerts_to(&app, OWNER).await.len(), 2, "nothing new");
}

async fn owners_are_alerted_to_undeliverable_webhooks(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    app.advance_clock(MINUTE);
    let now = app.now();
    let dead = "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, fault, created_at, settled_at)
        VALUES ('webhook', '1', 'claim_status_changed', 'partner', '1', '{}', 'dead', 1, 0, 0, 'answered 410', $1, $1)";
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, dead, now) })).await.unwrap();
    app.advance_and_run_jobs(MINUTE).await;
    let [email] = alerts_to(&app, OWNER).await.try_into().unwrap();
    assert_eq!((email.kind.as_str(), email.subject.as_str()), ("alert_webhooks", "Не доставлено уведомлений партнёрам: 1"));
    assert!(email.text.contains("answered 410") && email.text.contains("/admin/partners"), "{}", email.text);
    assert_eq!(owner.get("/api/admin/v1/dashboard").await.ok()["partners"], json!({ "requested": 0, "dead": 1 }));
    app.advance_and_run_jobs(100 * MINUTE).await;
    assert_eq!(alerts_to(&app, OWNER).await.len(), 1, "each one is reported once");
}

async fn owners_are_alerted_while_the_ledger_differs(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await;
    run(
        &app,
        "UPDATE ledger_account SET balance = balance + 1 WHERE name = (SELECT MIN(name) FROM ledger_account WHERE balance > 0)",
    )
    .await;
    app.advance_and_run_jobs(5 * MINUTE).await;
    app.advance_and_run_jobs(5 * MINUTE).await;
    let [email] = alerts_to(&app, OWNER).await.try_into().unwrap();
    assert_eq!((email.kind.as_str(), email.subject.as_str()), ("alert_books", "Учёт не сходится, заявки не принимаются"));
    app.advance_and_run_jobs(60 * MINUTE).await;
    assert_eq!(alerts_to(&app, OWNER).await.len(), 2, "it is not over");
    run(
        &app,
        "UPDATE ledger_account SET balance = balance - 1 WHERE name = (SELECT MIN(name) FROM ledger_account WHERE balance > 0)",
    )
    .await;
    app.advance_and_run_jobs(60 * MINUTE).await;
    assert_eq!(alerts_to(&app, OWNER).await.len(), 2);
}

async fn owners_are_alerted_to_a_changed_audit_log(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.name": "Obmen" })).await.ok();
    app.advance_and_run_jobs(MINUTE).await;
    run(
        &app,
        match engine {
            Engine::Sqlite => "DROP TRIGGER audit_is_never_changed",
            Engine::Postgres => "DROP TRIGGER audit_is_never_changed ON audit",
        },
    )
    .await;
    run(&app, "UPDATE audit SET actor_name = 'nobody' WHERE about_kind = 'setting' AND about_id = 'site.name'").await;
    app.advance_and_run_jobs(24 * 60 * MINUTE).await;
    let [email] = alerts_to(&app, OWNER).await.try_into().unwrap();
    assert_eq!(email.kind, "alert_audit");
    assert!(email.text.contains("it is not what was written"), "{}", email.text);
}

async fn approvers_are_alerted_to_a_request_but_not_its_author(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    app.staff(Role::Cashier).await;
    app.operator().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    let pool = owner.get("/api/admin/v1/requisites").await.ok();
    for row in &pool.as_array().unwrap()[..2] {
        let path = format!("/api/admin/v1/requisites/{}", row["id"].as_str().unwrap());
        assert_eq!(owner.patch(&path, json!({ "holder": "IVAN PETROV" })).await.status.as_u16(), 202);
    }
    app.advance_and_run_jobs(MINUTE).await;
    let [email] = alerts_to(&app, "cashier@agio.example").await.try_into().unwrap();
    assert_eq!(email.subject, "Ждёт вашего решения: Изменение реквизитов для оплаты");
    assert!(
        email.text.contains("owner") && email.text.contains(": 2.") && email.text.contains("/admin/approvals"),
        "{}",
        email.text
    );
    assert!(alerts_to(&app, OWNER).await.is_empty(), "who proposed it knows");
    assert!(alerts_to(&app, "operator@agio.example").await.is_empty(), "who may not decide is not asked");
    app.advance_and_run_jobs(120 * MINUTE).await;
    assert_eq!(alerts_to(&app, "cashier@agio.example").await.len(), 1);
}

async fn a_notifier_gets_each_alert_once_and_again_after_an_outage(engine: Engine) {
    let sent = r#"{"ok":true,"result":{"message_id":1}}"#;
    let chat = FakeServer::start([FakeResponse::status(502, "away"), FakeResponse::ok(sent)]).await;
    let database = Database::with_market(engine).await;
    let set = [("token", "1:secret"), ("chat", "-100500")];
    let in_english = |config: &mut Config| config.notices.language = Locale::En;
    let app = TestApp::start_with_plugins(database, in_english, |executor| {
        BuiltInPlugins::new(executor).with(Telegram::at(chat.origin()), &set)
    })
    .await;
    app.owner().await;
    add_undeliverable_email(&app).await;
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(alerts_to(&app, OWNER).await.len(), 1, "letters are written as ever");
    app.advance_and_run_jobs(MINUTE).await;
    app.advance_and_run_jobs(60 * MINUTE).await;
    let found = chat.received();
    assert_eq!(found.len(), 2, "told once, after it was away");
    assert_eq!(found[0].body, found[1].body);
    let body: serde_json::Value = serde_json::from_str(&found[1].body).unwrap();
    let text = body["text"].as_str().unwrap();
    assert!(text.starts_with("Undeliverable emails: 1\n\n"), "{text}");
    assert!(text.contains("550 no such user") && text.ends_with("\n\nhttp://127.0.0.1:8080/admin/mail"), "{text}");
}

async fn a_notifier_is_told_of_emails_that_do_not_leave(engine: Engine) {
    let sent = r#"{"ok":true,"result":{"message_id":1}}"#;
    let chat = FakeServer::start([FakeResponse::ok(sent), FakeResponse::ok(sent)]).await;
    let configure = |config: &mut Config| {
        config.notices.language = Locale::En;
        config.admin.public_url = "https://console.example/".to_owned();
        config.mail.server = "127.0.0.1:1".to_owned();
    };
    let set = [("token", "1:secret"), ("chat", "-100500")];
    let app = TestApp::start_with_plugins(Database::with_market(engine).await, configure, |executor| {
        BuiltInPlugins::new(executor).with(Telegram::at(chat.origin()), &set)
    })
    .await;
    let now = app.now();
    let waiting = "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, fault, created_at)
        VALUES ('mail', 'anna@example.com', 'claim_created', 'claim', '1', '{}', 'queued', 3, 9000000000000000, 0, 'connection refused', $1)";
    app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, waiting, now) })).await.unwrap();
    app.advance_and_run_jobs(9 * MINUTE).await;
    assert!(chat.received().is_empty(), "it may still leave");
    // The second round delivers what the first one wrote.
    for _ in 0..2 {
        app.advance_and_run_jobs(MINUTE).await;
    }
    app.advance_and_run_jobs(MINUTE).await;
    let [told] = chat.received().try_into().unwrap();
    let body: serde_json::Value = serde_json::from_str(&told.body).unwrap();
    let text = body["text"].as_str().unwrap();
    assert!(text.starts_with("Emails that do not leave: 1\n\n") && text.contains("connection refused"), "{text}");
    assert!(text.ends_with("\n\nhttps://console.example/admin/mail"), "{text}");
    app.advance_and_run_jobs(60 * MINUTE).await;
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(chat.received().len(), 2, "once an hour while it lasts");
}

agio_test_app::both_engines!(
    a_notifier_is_told_of_emails_that_do_not_leave,
    owners_are_alerted_to_undeliverable_emails_once_an_hour,
    owners_are_alerted_to_undeliverable_webhooks,
    owners_are_alerted_while_the_ledger_differs,
    owners_are_alerted_to_a_changed_audit_log,
    approvers_are_alerted_to_a_request_but_not_its_author,
    a_notifier_gets_each_alert_once_and_again_after_an_outage,
);
