//! The outbox channel of emails: the configured mail server, or the local mailbox.

use std::sync::Arc;
use std::time::Duration;

use agio_brand::Brands;
use agio_core::outbox::OutboxChannel;
use agio_core::{Error, Platform, Result};
use agio_mail::{Mailbox, SmtpChannel, SmtpSecurity, SmtpServer};

use crate::config::{MailConfig, MailSecurity};

/// # Errors
/// If the server's address, the sender's address or the certificates are invalid.
pub fn open(platform: &Platform, brands: &Brands, config: &MailConfig) -> Result<Arc<dyn OutboxChannel>> {
    if config.server.is_empty() { Ok(Arc::new(Mailbox::new(platform))) } else { Ok(Arc::new(smtp(platform, brands, config)?)) }
}

/// The channel to the configured mail server. Does not connect yet.
///
/// # Errors
/// If the server's address, the sender's address or the certificates are invalid.
pub fn smtp(platform: &Platform, brands: &Brands, config: &MailConfig) -> Result<SmtpChannel> {
    let address = config.server.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
    let (host, port) = address.ok_or_else(|| Error::internal(format!("mail.server is host:port, not {:?}", config.server)))?;
    let file = &config.certificates;
    let unreadable = |error| Error::internal(format!("mail.certificates, {}: {error}", file.display()));
    let certificates = if file.as_os_str().is_empty() { None } else { Some(std::fs::read(file).map_err(unreadable)?) };
    let server = SmtpServer {
        host: host.to_owned(),
        port,
        security: match config.security {
            MailSecurity::Tls => SmtpSecurity::Tls,
            MailSecurity::StartTls => SmtpSecurity::StartTls,
            MailSecurity::None => SmtpSecurity::None,
        },
        login: (!config.user.is_empty()).then(|| (config.user.clone(), config.password.0.clone())),
        from: config.from.clone(),
        timeout: Duration::from_secs(config.timeout_seconds),
        certificates,
    };
    SmtpChannel::new(platform, brands.clone(), server)
}
