//! Delivery to SMTP servers with and without failures.

use std::time::Duration;

use agio_core::identity::Role;
use agio_server::config::{MailSecurity, Secret};
use agio_test_app::{Database, Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fake_smtp_server::{Behavior, FakeSmtpServer};
use crate::{app_with, write};

const MAIL: &str = "/api/admin/v1/mail";

const MINUTE: Duration = Duration::from_secs(60);

async fn listed(app: &TestApp, state: &str) -> Vec<Value> {
    let page = app.operator().await.get(&format!("{MAIL}?state={state}")).await.ok();
    page["items"].as_array().unwrap().clone()
}

async fn an_email_is_delivered_with_its_headers(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::Accepts).await;
    let app = app_with(engine, &smtp).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.name": "Обмен \"А\" <x@evil.example>" })).await.ok();
    write(&app, "Anna@Example.com", 100_001).await;
    app.advance_and_run_jobs(MINUTE).await;
    let [mail] = smtp.received().try_into().unwrap();
    assert_eq!((mail.from.as_str(), mail.to.as_str()), ("MAIL FROM:<no-reply@example.com>", "RCPT TO:<Anna@Example.com>"));
    assert_eq!(mail.header("Subject"), "Claim #100001 cancelled");
    assert_eq!(mail.header("To"), "Anna@Example.com");
    assert_eq!(mail.header("Reply-To"), "support@example.com");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert_eq!(mail.header("Date"), "Thu, 28 Mar 2024 12:00:00 +0000");
    assert!(
        mail.header("From").ends_with("<no-reply@example.com>") && !mail.header("From").contains("evil"),
        "{}",
        mail.header("From")
    );
    assert!(mail.header("Message-ID").ends_with("@example.com>"));
    assert!(mail.header("Content-Type").starts_with("multipart/alternative"));
    assert!(mail.data.contains("http://127.0.0.1:8080/en/claim/100001"), "{}", mail.data);
    assert!(listed(&app, "queued").await.is_empty());
    let [sent] = listed(&app, "sent").await.try_into().unwrap();
    assert_eq!((sent["to"].as_str(), sent["aboutId"].as_str()), (Some("Anna@Example.com"), Some("100001")));
}

/// Many mail programs load no pictures from elsewhere.
async fn an_email_carries_the_logo(engine: Engine) {
    const LOGO: &[u8] = include_bytes!("../../../../public-web/public/icons/icon-180.png");
    let smtp = FakeSmtpServer::start(Behavior::Accepts).await;
    let app = app_with(engine, &smtp).await;
    let part = b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"logo.png\"\r\n\r\n";
    let form = [part, LOGO, b"\r\n--x--\r\n"].concat();
    let owner = app.owner().await;
    let upload = owner.request("PUT".parse().unwrap(), "/api/admin/v1/brand/pictures/logo");
    owner.send(upload.header("content-type", "multipart/form-data; boundary=x").body(form)).await.ok();
    write(&app, "anna@example.com", 100_001).await;
    app.advance_and_run_jobs(MINUTE).await;
    let [mail] = smtp.received().try_into().unwrap();
    assert!(mail.header("Content-Type").starts_with("multipart/alternative"));
    let data = mail.data.replace("=\r\n", "");
    for part in [
        "Content-Type: text/plain",
        "Content-Type: multipart/related",
        "\"cid:logo\"",
        "Content-ID: <logo>",
        "Content-Type: image/png",
    ] {
        assert!(data.contains(part), "{part}: {data}");
    }
}

async fn emails_about_one_claim_are_one_conversation(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::Accepts).await;
    let app = app_with(engine, &smtp).await;
    for claim in [100_001, 100_001, 100_002] {
        write(&app, "anna@example.com", claim).await;
    }
    app.advance_and_run_jobs(MINUTE).await;
    let mails = smtp.received();
    let roots: Vec<_> = mails.iter().map(|mail| mail.header("References")).collect();
    assert_eq!(roots.len(), 3);
    assert!(roots[0] == roots[1] && roots[1] != roots[2] && roots[0].ends_with("@example.com>"), "{roots:?}");
    for (mail, root) in mails.iter().zip(&roots) {
        assert_eq!(&mail.header("In-Reply-To"), root);
        assert_ne!(&mail.header("Message-ID"), root);
        // The claim's identifier gives access to it.
        assert!(!root.contains("100001"), "{root}");
    }
}

async fn an_outage_of_an_hour_loses_and_duplicates_nothing(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::Down).await;
    let app = app_with(engine, &smtp).await;
    for round in 0..4 {
        for customer in 0..3 {
            write(&app, &format!("customer{customer}@example.com"), round * 10 + customer).await;
        }
        for _ in 0..5 {
            app.advance_and_run_jobs(3 * MINUTE).await;
        }
    }
    assert!(smtp.connections() > 12, "it was tried again and again, {} times", smtp.connections());
    assert!(smtp.received().is_empty());
    let waiting = listed(&app, "queued").await;
    assert_eq!(waiting.len(), 12);
    assert!(waiting.iter().any(|mail| mail["attempts"].as_i64().unwrap() > 1 && mail["fault"].is_string()));

    smtp.set_behavior(Behavior::Accepts);
    app.advance_and_run_jobs(61 * MINUTE).await;
    let received = smtp.received();
    assert_eq!(received.len(), 12, "each of them once");
    for customer in 0..3 {
        let to = format!("RCPT TO:<customer{customer}@example.com>");
        let subjects: Vec<_> = received.iter().filter(|mail| mail.to == to).map(|mail| mail.header("Subject")).collect();
        let written: Vec<_> = (0..4).map(|round| format!("Claim #{} cancelled", round * 10 + customer)).collect();
        assert_eq!(subjects, written, "in the order they were written");
    }
    app.advance_and_run_jobs(61 * MINUTE).await;
    assert_eq!(smtp.received().len(), 12);
}

async fn a_silent_server_blocks_nobody(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::Silent).await;
    let app = app_with(engine, &smtp).await;
    write(&app, "first@example.com", 1).await;
    let worker = app.server.outbox_worker.clone();
    let delivering = tokio::spawn(async move { worker.run().await });
    while smtp.connections() == 0 {
        tokio::task::yield_now().await;
    }
    for number in 2..30 {
        write(&app, &format!("customer{number}@example.com"), number).await;
    }
    assert!(!delivering.is_finished(), "the first is still on the line");
    smtp.set_behavior(Behavior::Accepts);
    delivering.await.unwrap().unwrap();
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(smtp.received().len(), 29);
}

async fn a_timeout_is_retried(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::Silent).await;
    let address = smtp.address.to_string();
    let app = TestApp::start_with(Database::empty(engine).await, |config| {
        config.mail.server = address;
        config.mail.security = MailSecurity::None;
        config.mail.timeout_seconds = 1;
    })
    .await;
    write(&app, "anna@example.com", 1).await;
    app.advance_and_run_jobs(MINUTE).await;
    let [waiting] = listed(&app, "queued").await.try_into().unwrap();
    assert!(waiting["fault"].as_str().unwrap().contains("did not answer"), "{waiting}");
    smtp.set_behavior(Behavior::Accepts);
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(smtp.received().len(), 1);
}

async fn temporary_errors_are_retried_and_permanent_ones_are_not(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::RepliesToRecipient("451 4.7.1 greylisted,\ttry later")).await;
    let app = app_with(engine, &smtp).await;
    write(&app, "anna@example.com", 1).await;
    app.advance_and_run_jobs(MINUTE).await;
    let [waiting] = listed(&app, "queued").await.try_into().unwrap();
    assert!(waiting["fault"].as_str().unwrap().contains("greylisted"), "{waiting}");

    smtp.set_behavior(Behavior::RepliesToRecipient("550 5.1.1 no such user"));
    app.advance_and_run_jobs(MINUTE).await;
    let calls = smtp.connections();
    app.advance_and_run_jobs(61 * MINUTE).await;
    assert_eq!(smtp.connections(), calls, "a dead mail is left alone");
    let [dead] = listed(&app, "dead").await.try_into().unwrap();
    assert!(dead["fault"].as_str().unwrap().contains("no such user"), "{dead}");
    assert_eq!(
        app.operator().await.get("/api/admin/v1/dashboard").await.ok()["mail"],
        json!({ "queued": 0, "dead": 1, "local": false })
    );

    smtp.set_behavior(Behavior::Accepts);
    let resend = format!("{MAIL}/{}/resend", dead["id"]);
    app.staff(Role::Auditor).await.post_empty(&resend).await.refused(403, "forbidden");
    let again = app.operator().await.post_empty(&resend).await.ok();
    assert_eq!((again["state"].as_str(), again["attempts"].as_i64()), (Some("queued"), Some(0)));
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(smtp.received().len(), 1);
    app.operator().await.post_empty(&resend).await.refused(409, "message_not_dead");
    let log = app.owner().await.get(&format!("/api/admin/v1/audit?aboutKind=mail&aboutId={}", dead["id"])).await.ok();
    assert_eq!(log["items"][0]["action"], "mail.resent");
}

async fn queued_emails_are_sent_as_soon_as_staff_say_so(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::RepliesToRecipient("451 4.3.0 not now")).await;
    let app = app_with(engine, &smtp).await;
    write(&app, "anna@example.com", 1).await;
    for _ in 0..10 {
        app.advance_and_run_jobs(61 * MINUTE).await;
    }
    smtp.set_behavior(Behavior::Accepts);
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(smtp.received().len(), 0, "it waits for its hour");

    let now = format!("{MAIL}/send-queued");
    app.staff(Role::Auditor).await.post_empty(&now).await.refused(403, "forbidden");
    let operator = app.operator().await;
    assert_eq!(operator.post_empty(&now).await.ok()["count"], 1);
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    assert_eq!(smtp.received().len(), 1);
    assert_eq!(operator.post_empty(&now).await.ok()["count"], 0);
    let log = app.owner().await.get("/api/admin/v1/audit?aboutKind=mail").await.ok();
    assert_eq!((&log["items"][1]["action"], &log["items"][1]["after"]["count"]), (&json!("mail.hastened"), &json!(1)), "{log}");
}

async fn a_failed_email_blocks_only_its_recipient(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::RepliesToRecipient("451 4.3.0 not now")).await;
    let app = app_with(engine, &smtp).await;
    write(&app, "anna@example.com", 1).await;
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    smtp.set_behavior(Behavior::Accepts);
    write(&app, "anna@example.com", 2).await;
    write(&app, "boris@example.com", 3).await;
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let to: Vec<_> = smtp.received().iter().map(|mail| mail.to.clone()).collect();
    assert_eq!(to, ["RCPT TO:<boris@example.com>"], "hers wait for their first, his does not");
    app.advance_and_run_jobs(MINUTE).await;
    let subjects: Vec<_> = smtp.received().iter().map(|mail| mail.header("Subject")).collect();
    assert_eq!(subjects, ["Claim #3 cancelled", "Claim #1 cancelled", "Claim #2 cancelled"]);
}

async fn a_retry_has_the_same_message_id(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::DisconnectsInData).await;
    let app = app_with(engine, &smtp).await;
    write(&app, "anna@example.com", 1).await;
    app.advance_and_run_jobs(MINUTE).await;
    assert!(smtp.received().is_empty());
    smtp.set_behavior(Behavior::DisconnectsAfterData);
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(listed(&app, "queued").await.len(), 1, "it was not confirmed");
    smtp.set_behavior(Behavior::Accepts);
    app.advance_and_run_jobs(2 * MINUTE).await;
    let [first, second] = smtp.received().try_into().unwrap();
    assert_eq!(first.header("Message-ID"), second.header("Message-ID"), "who gets it twice can tell");
    assert!(listed(&app, "queued").await.is_empty());
}

async fn login_and_tls_errors_are_retried(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::RejectsLogin).await;
    let address = smtp.address.to_string();
    let open = |security: MailSecurity| {
        let address = address.clone();
        async move {
            TestApp::start_with(Database::empty(engine).await, |config| {
                config.mail.server = address;
                config.mail.security = security;
                config.mail.user = "agio".into();
                config.mail.password = Secret("hunter2".into());
            })
            .await
        }
    };
    let app = open(MailSecurity::None).await;
    write(&app, "anna@example.com", 1).await;
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(listed(&app, "queued").await.len(), 1);
    smtp.set_behavior(Behavior::Accepts);
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(smtp.received().len(), 1);

    // This server has no TLS, so it must receive neither the password nor the email.
    let before = smtp.commands().len();
    for security in [MailSecurity::StartTls, MailSecurity::Tls] {
        let app = open(security).await;
        write(&app, "anna@example.com", 1).await;
        app.advance_and_run_jobs(MINUTE).await;
        assert_eq!(listed(&app, "queued").await.len(), 1);
    }
    let since: Vec<_> =
        smtp.commands()[before..].iter().filter(|line| line.starts_with("AUTH") || line.starts_with("MAIL")).cloned().collect();
    assert!(since.is_empty(), "{since:?}");
}

both_engines!(
    an_email_is_delivered_with_its_headers,
    an_email_carries_the_logo,
    emails_about_one_claim_are_one_conversation,
    an_outage_of_an_hour_loses_and_duplicates_nothing,
    a_silent_server_blocks_nobody,
    a_timeout_is_retried,
    temporary_errors_are_retried_and_permanent_ones_are_not,
    queued_emails_are_sent_as_soon_as_staff_say_so,
    a_failed_email_blocks_only_its_recipient,
    a_retry_has_the_same_message_id,
    login_and_tls_errors_are_retried,
);
