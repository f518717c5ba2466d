//! The local mailbox.

use std::time::Duration;

use agio_core::identity::Role;
use agio_mail::Email;
use agio_test_app::{Engine, TestApp, both_engines};

use crate::fake_smtp_server::{Behavior, FakeSmtpServer};
use crate::{app_with, send, write};

const MAIL: &str = "/api/admin/v1/mail";

async fn emails_without_smtp_can_be_read_in_the_console(engine: Engine) {
    let app = TestApp::start(engine).await;
    write(&app, "anna@example.com", 1).await;
    write(&app, "anna@example.com", 2).await;
    let received = app.emails_to("ANNA@example.com").await;
    assert_eq!(
        received.iter().map(|mail| mail.subject.as_str()).collect::<Vec<_>>(),
        ["Claim #1 cancelled", "Claim #2 cancelled"]
    );
    assert!(received[1].text.contains("http://127.0.0.1:8080/en/claim/2"));

    let auditor = app.staff(Role::Auditor).await;
    let page = auditor.get(&format!("{MAIL}?state=sent&size=1")).await.ok();
    assert_eq!((page["local"].as_bool(), page["items"][0]["subject"].as_str()), (Some(true), Some("Claim #2 cancelled")));
    let next = page["nextCursor"].as_str().unwrap();
    let rest = auditor.get(&format!("{MAIL}?state=sent&cursor={next}")).await.ok();
    assert_eq!((rest["items"].as_array().unwrap().len(), rest["items"][0]["aboutId"].as_str()), (1, Some("1")));
    assert!(rest["nextCursor"].is_null());
    let whole = auditor.get(&format!("{MAIL}/{}", rest["items"][0]["id"])).await.ok();
    assert!(whole["text"].as_str().unwrap().contains("/en/claim/1") && whole["html"].as_str().unwrap().contains("<html"));

    auditor.get(&format!("{MAIL}/999999")).await.refused(404, "message_not_found");
    auditor.get(&format!("{MAIL}?state=lost")).await.refused(400, "malformed_parameter");
    auditor.get(&format!("{MAIL}?cursor=x")).await.refused(400, "malformed_parameter");
    auditor.get(&format!("{MAIL}?size=101")).await.refused(400, "malformed_parameter");
    app.visitor().get(MAIL).await.refused(401, "token_not_valid");

    app.advance_and_run_jobs(Duration::from_secs(31 * 24 * 60 * 60)).await;
    assert!(app.emails_to("anna@example.com").await.is_empty(), "old mails are forgotten");
}

/// Only to one's own address, so that it cannot be used to write to others.
async fn staff_test_the_mail_with_an_email_to_themselves(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    owner.post_empty(&format!("{MAIL}/test")).await.ok();
    let address = owner.get("/api/admin/v1/auth/me").await.ok()["email"].as_str().unwrap().to_owned();
    let received = app.emails_to(&address).await;
    assert_eq!(received.iter().map(|mail| mail.subject.as_str()).collect::<Vec<_>>(), ["Проверка почты"]);
    let auditor = app.staff(Role::Auditor).await;
    auditor.post_empty(&format!("{MAIL}/test")).await.refused(403, "forbidden");
    let audited = owner.get("/api/admin/v1/audit?action=mail.tested").await.ok();
    assert_eq!(audited["items"].as_array().unwrap().len(), 1);
}

/// An email whose link contains a secret.
fn secret() -> Email {
    Email::new("claim_cancelled", ("customer", "1".into())).with("number", 1).with_button("/restore/s3cr3t-token").private()
}

async fn a_private_email_is_readable_only_by_its_recipient(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::Accepts).await;
    let app = app_with(engine, &smtp).await;
    send(&app, "anna@example.com", secret()).await;
    app.advance_and_run_jobs(Duration::from_secs(60)).await;
    assert!(smtp.received()[0].data.contains("/restore/s3cr3t-token"));
    let owner = app.owner().await;
    let id = owner.get(&format!("{MAIL}?state=sent")).await.ok()["items"][0]["id"].clone();
    let found = owner.get(&format!("{MAIL}/{id}")).await;
    assert!(!found.text.contains("s3cr3t"), "{}", found.text);
    assert_eq!(found.ok()["private"], true);
    let stored = format!(
        "{:?}",
        agio_core::outbox::message(&mut app.server.platform.db.read().await.unwrap(), "mail", id.as_i64().unwrap())
            .await
            .unwrap()
    );
    assert!(!stored.contains("s3cr3t"), "{stored}");
}

async fn without_smtp_only_the_owner_reads_a_private_email(engine: Engine) {
    let app = TestApp::start(engine).await;
    send(&app, "anna@example.com", secret()).await;
    assert!(app.emails_to("anna@example.com").await[0].text.contains("s3cr3t"));
    let owner = app.owner().await;
    let id = owner.get(&format!("{MAIL}?state=sent")).await.ok()["items"][0]["id"].clone();
    assert!(owner.get(&format!("{MAIL}/{id}")).await.ok()["text"].as_str().unwrap().contains("s3cr3t"));
    for role in [Role::Operator, Role::Cashier, Role::Editor, Role::Auditor] {
        let found = app.staff(role).await.get(&format!("{MAIL}/{id}")).await.ok();
        assert!(found["text"].is_null() && found["html"].is_null(), "{role}");
    }
}

both_engines!(
    emails_without_smtp_can_be_read_in_the_console,
    staff_test_the_mail_with_an_email_to_themselves,
    a_private_email_is_readable_only_by_its_recipient,
    without_smtp_only_the_owner_reads_a_private_email,
);
