//! The way mail leaves by: the configured mail server, or the mailbox on the spot.

use std::sync::Arc;
use std::time::Duration;

use agio_core::outbox::Channel;
use agio_core::{Error, Platform, Result};
use agio_mail::{Mailbox, Security, Server, Smtp};

use crate::config::{Mail, MailSecurity};

/// The channel of mail.
///
/// # Errors
/// The server's address, the sender's address or the certificates cannot be read.
pub fn channel(platform: &Platform, config: &Mail) -> Result<Arc<dyn Channel>> {
    if config.server.is_empty() {
        return Ok(Arc::new(Mailbox::new(platform)));
    }
    let place = config.server.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
    let (host, port) = place.ok_or_else(|| Error::internal(format!("mail.server is host:port, not {:?}", config.server)))?;
    let file = &config.certificates;
    let certificates = if file.as_os_str().is_empty() { None } else { Some(std::fs::read(file).map_err(Error::internal)?) };
    let server = Server {
        host: host.to_owned(),
        port,
        security: match config.security {
            MailSecurity::Tls => Security::Tls,
            MailSecurity::StartTls => Security::StartTls,
            MailSecurity::None => Security::None,
        },
        login: (!config.user.is_empty()).then(|| (config.user.clone(), config.password.0.clone())),
        from: config.from.clone(),
        timeout: Duration::from_secs(config.timeout_seconds),
        certificates,
    };
    Ok(Arc::new(Smtp::new(platform, server)?))
}
