//! Lines to a mail server that nobody else hears, with certificates made for the test.

use std::sync::Arc;
use std::time::Duration;

use agio_server::config::{MailSecurity, Secret};
use agio_testkit::{Database, Engine, House, both_engines};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use serde_json::Value;
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::peer::{Lock, Manner, Peer};
use crate::write;

const MINUTE: Duration = Duration::from_secs(60);

/// A certificate that bears this name, and nobody else's word for it.
fn certificate(name: &str) -> CertifiedKey<KeyPair> {
    generate_simple_self_signed([name.to_owned()]).unwrap()
}

/// What a server with this certificate locks its lines with.
fn lock_of(certified: &CertifiedKey<KeyPair>) -> TlsAcceptor {
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// A house that sends its mail, with a password, by the server known as `localhost`, and trusts this certificate.
async fn house_trusting(
    engine: Engine,
    peer: &Peer,
    security: MailSecurity,
    trusted: &CertifiedKey<KeyPair>,
    folder: &TempDir,
) -> House {
    let (server, file) = (format!("localhost:{}", peer.address.port()), folder.path().join("trusted.pem"));
    std::fs::write(&file, trusted.cert.pem()).unwrap();
    House::open_on(Database::make(engine).await, |config| {
        config.mail.server = server;
        config.mail.security = security;
        config.mail.certificates = file;
        config.mail.user = "agio".into();
        config.mail.password = Secret("hunter2".into());
        config.mail.timeout_seconds = 5;
    })
    .await
}

async fn queued(house: &House) -> Vec<Value> {
    let page = house.operator().await.get("/api/admin/v1/mail?state=queued").await.ok();
    page["items"].as_array().unwrap().clone()
}

/// Whether a command is among those that were said.
fn has(said: &[String], command: &str) -> bool {
    said.iter().any(|line| line.starts_with(command))
}

async fn the_password_and_the_mail_are_said_in_private_alone(engine: Engine) {
    let certified = certificate("localhost");
    for (security, private) in
        [(MailSecurity::StartTls, Lock::WhenAsked(lock_of(&certified))), (MailSecurity::Tls, Lock::AtOnce(lock_of(&certified)))]
    {
        let peer = Peer::locked(Manner::Takes, private).await;
        let folder = tempfile::tempdir().unwrap();
        let house = house_trusting(engine, &peer, security, &certified, &folder).await;
        write(&house, "anna@example.com", 1).await;
        house.later(MINUTE).await;
        assert!(queued(&house).await.is_empty());
        assert_eq!(peer.received().len(), 1);
        assert!(has(&peer.said_in_private(), "AUTH PLAIN") && has(&peer.said_in_private(), "MAIL FROM"));
        let heard = peer.said();
        assert!(heard.iter().all(|line| line.starts_with("EHLO") || line == "STARTTLS"), "{heard:?}");
    }
}

async fn a_server_with_a_wrong_certificate_hears_nothing(engine: Engine) {
    let (right, other_name, unknown) = (certificate("localhost"), certificate("mail.example.org"), certificate("localhost"));
    // The one bears another name than the server is called by; the other bears the name and nobody vouches for it.
    for (shown, trusted) in [(&other_name, &other_name), (&unknown, &right)] {
        for at_once in [false, true] {
            let private = if at_once { Lock::AtOnce(lock_of(shown)) } else { Lock::WhenAsked(lock_of(shown)) };
            let security = if at_once { MailSecurity::Tls } else { MailSecurity::StartTls };
            let peer = Peer::locked(Manner::Takes, private).await;
            let folder = tempfile::tempdir().unwrap();
            let house = house_trusting(engine, &peer, security, trusted, &folder).await;
            write(&house, "anna@example.com", 1).await;
            house.later(MINUTE).await;
            let [waiting] = queued(&house).await.try_into().unwrap();
            assert!(waiting["fault"].as_str().unwrap().contains("certificate"), "{waiting}");
            assert!(peer.calls() > 0 && peer.received().is_empty());
            assert!(peer.said_in_private().is_empty(), "{:?}", peer.said_in_private());
            let heard = peer.said();
            assert!(!has(&heard, "AUTH") && !has(&heard, "MAIL"), "{heard:?}");
        }
    }
}

both_engines!(the_password_and_the_mail_are_said_in_private_alone, a_server_with_a_wrong_certificate_hears_nothing);
