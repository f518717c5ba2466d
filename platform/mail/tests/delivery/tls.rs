//! TLS to the SMTP server, with generated certificates.

use std::sync::Arc;
use std::time::Duration;

use agio_server::config::{MailSecurity, Secret};
use agio_test_app::{Database, Engine, TestApp, both_engines};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use serde_json::Value;
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::fake_smtp_server::{Behavior, FakeSmtpServer, TlsMode};
use crate::write;

const MINUTE: Duration = Duration::from_secs(60);

/// A self-signed certificate for a host name.
fn certificate(name: &str) -> CertifiedKey<KeyPair> {
    generate_simple_self_signed([name.to_owned()]).unwrap()
}

fn tls_acceptor(certified: &CertifiedKey<KeyPair>) -> TlsAcceptor {
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// A server that delivers with a password to `localhost` and trusts this certificate.
async fn app_trusting(
    engine: Engine,
    smtp: &FakeSmtpServer,
    security: MailSecurity,
    trusted: &CertifiedKey<KeyPair>,
    folder: &TempDir,
) -> TestApp {
    let (server, file) = (format!("localhost:{}", smtp.address.port()), folder.path().join("trusted.pem"));
    std::fs::write(&file, trusted.cert.pem()).unwrap();
    TestApp::start_with(Database::empty(engine).await, |config| {
        config.mail.server = server;
        config.mail.security = security;
        config.mail.certificates = file;
        config.mail.user = "agio".into();
        config.mail.password = Secret("hunter2".into());
        config.mail.timeout_seconds = 5;
    })
    .await
}

async fn queued(app: &TestApp) -> Vec<Value> {
    let page = app.operator().await.get("/api/admin/v1/mail?state=queued").await.ok();
    page["items"].as_array().unwrap().clone()
}

fn has(commands: &[String], command: &str) -> bool {
    commands.iter().any(|line| line.starts_with(command))
}

async fn password_and_email_are_sent_over_tls_only(engine: Engine) {
    let certified = certificate("localhost");
    for (security, private) in [
        (MailSecurity::StartTls, TlsMode::StartTls(tls_acceptor(&certified))),
        (MailSecurity::Tls, TlsMode::Implicit(tls_acceptor(&certified))),
    ] {
        let smtp = FakeSmtpServer::start_with_tls(Behavior::Accepts, private).await;
        let folder = tempfile::tempdir().unwrap();
        let app = app_trusting(engine, &smtp, security, &certified, &folder).await;
        write(&app, "anna@example.com", 1).await;
        app.advance_and_run_jobs(MINUTE).await;
        assert!(queued(&app).await.is_empty());
        assert_eq!(smtp.received().len(), 1);
        assert!(has(&smtp.tls_commands(), "AUTH PLAIN") && has(&smtp.tls_commands(), "MAIL FROM"));
        let heard = smtp.commands();
        assert!(heard.iter().all(|line| line.starts_with("EHLO") || line == "STARTTLS"), "{heard:?}");
    }
}

async fn nothing_is_sent_to_a_server_with_an_invalid_certificate(engine: Engine) {
    let (right, other_name, unknown) = (certificate("localhost"), certificate("mail.example.org"), certificate("localhost"));
    // One certificate is for another host name; the other is not trusted.
    for (shown, trusted) in [(&other_name, &other_name), (&unknown, &right)] {
        for at_once in [false, true] {
            let private = if at_once { TlsMode::Implicit(tls_acceptor(shown)) } else { TlsMode::StartTls(tls_acceptor(shown)) };
            let security = if at_once { MailSecurity::Tls } else { MailSecurity::StartTls };
            let smtp = FakeSmtpServer::start_with_tls(Behavior::Accepts, private).await;
            let folder = tempfile::tempdir().unwrap();
            let app = app_trusting(engine, &smtp, security, trusted, &folder).await;
            write(&app, "anna@example.com", 1).await;
            app.advance_and_run_jobs(MINUTE).await;
            let [waiting] = queued(&app).await.try_into().unwrap();
            assert!(waiting["fault"].as_str().unwrap().contains("certificate"), "{waiting}");
            assert!(smtp.connections() > 0 && smtp.received().is_empty());
            assert!(smtp.tls_commands().is_empty(), "{:?}", smtp.tls_commands());
            let heard = smtp.commands();
            assert!(!has(&heard, "AUTH") && !has(&heard, "MAIL"), "{heard:?}");
        }
    }
}

both_engines!(password_and_email_are_sent_over_tls_only, nothing_is_sent_to_a_server_with_an_invalid_certificate);
