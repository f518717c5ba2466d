//! Delivery of emails: from the outbox to an SMTP server with all kinds of failures, and to the local mailbox.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod claims;
mod fake_smtp_server;
mod mailbox;
mod smtp;
mod tls;

use agio_core::texts::Locale;
use agio_mail::{Email, Recipient};
use agio_server::config::MailSecurity;
use agio_test_app::{Database, Engine, TestApp};

use fake_smtp_server::FakeSmtpServer;

/// A server that delivers through the fake SMTP server.
async fn app_with(engine: Engine, smtp: &FakeSmtpServer) -> TestApp {
    let address = smtp.address.to_string();
    TestApp::start_with(Database::empty(engine).await, |config| {
        config.mail.server = address;
        config.mail.security = MailSecurity::None;
        config.mail.timeout_seconds = 5;
    })
    .await
}

/// Writes an email about a claim.
async fn write(app: &TestApp, to: &str, number: u32) {
    let email = Email::new("claim_cancelled", ("claim", number.to_string()))
        .with("number", number)
        .with_button(format!("/claim/{number}"));
    send(app, to, email).await;
}

async fn send(app: &TestApp, to: &str, email: Email) {
    let (mailer, now) = (app.server.mailer.clone(), app.now());
    let to = Recipient { email: to.to_owned(), locale: Locale::En };
    let written = app.server.platform.db.write(move |tx| {
        let (mailer, to, email) = (mailer.clone(), to.clone(), email.clone());
        Box::pin(async move { mailer.send(tx, &to, &email, now).await })
    });
    written.await.unwrap();
}
