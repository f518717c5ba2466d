//! Mail by a mail server.

use std::time::Duration;

use agio_core::outbox::{Channel, Delivery, Stored};
use agio_core::{BoxFuture, Error, Platform, Result};
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, Message};
use tokio::time::timeout;

use crate::{CHANNEL, Mail};

/// How many connections to the mail server there are at a time.
const AT_ONCE: i64 = 8;

/// How the line to the server is kept private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// It begins with TLS, as on port 465.
    Tls,
    /// It turns to TLS before anything is said, as on port 587; a server that cannot is not used.
    StartTls,
    /// It is not: for a server on this machine.
    None,
}

/// A mail server and how it is spoken to.
#[derive(Clone)]
pub struct Server {
    /// Its name, which its certificate must bear.
    pub host: String,
    /// The port.
    pub port: u16,
    /// How the line is kept private.
    pub security: Security,
    /// Name and password, where it asks for them.
    pub login: Option<(String, String)>,
    /// The address mail comes from.
    pub from: String,
    /// How long a delivery may last, from the first packet to the server's last word; at most [`TIMEOUT_MAX`].
    pub timeout: Duration,
    /// Certificates in PEM that are trusted beside those the machine trusts.
    pub certificates: Option<Vec<u8>>,
}

/// The longest a delivery may last.
pub const TIMEOUT_MAX: Duration = Duration::from_secs(50);

/// How long a farewell may last. The mail has been taken over by then.
const FAREWELL: Duration = Duration::from_secs(2);

/// The longest reason that is kept of a failure.
const FAULT_MAX: usize = 300;

/// The channel to a mail server.
pub struct Smtp {
    platform: Platform,
    server: Server,
    from: Address,
    hello: ClientId,
    tls: Option<TlsParameters>,
    login: Option<Credentials>,
}

impl Smtp {
    /// A channel to this server. It is not called yet.
    ///
    /// # Errors
    /// The sender's address is none, or the certificates cannot be read.
    pub fn new(platform: &Platform, server: Server) -> Result<Self> {
        let from: Address =
            server.from.parse().map_err(|error| Error::internal(format!("mail.from, {:?}: {error}", server.from)))?;
        let tls = match server.security {
            Security::None => None,
            Security::Tls | Security::StartTls => Some(tls_for(&server).map_err(Error::internal)?),
        };
        let login = server.login.clone().map(|(user, password)| Credentials::new(user, password));
        let hello = ClientId::Domain(from.domain().to_owned());
        Ok(Self { platform: platform.clone(), server, from, hello, tls, login })
    }

    /// Hands a mail to the server. Whatever fails before the server was offered the mail says nothing about the mail, so
    /// that only an answer to the mail itself can be final.
    async fn hand_over(&self, message: &Stored) -> Delivery {
        let mail = match self.compose(message) {
            Ok(mail) => mail,
            Err(fault) => return Delivery::Never(fault),
        };
        let mut server = match self.connect().await {
            Ok(server) => server,
            Err(error) => return Delivery::Later(fault(&error)),
        };
        match server.send(mail.envelope(), &mail.formatted()).await {
            Ok(_) => {
                let _ = timeout(FAREWELL, server.quit()).await;
                Delivery::Done
            }
            Err(error) if error.is_permanent() => Delivery::Never(fault(&error)),
            Err(error) => Delivery::Later(fault(&error)),
        }
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, SmtpError> {
        let Server { host, port, security, timeout, .. } = &self.server;
        let at_once = self.tls.clone().filter(|_| *security == Security::Tls);
        let mut server =
            AsyncSmtpConnection::connect_tokio1((host.as_str(), *port), Some(*timeout), &self.hello, at_once, None).await?;
        if let (Security::StartTls, Some(tls)) = (security, &self.tls) {
            server.starttls(tls.clone(), &self.hello).await?;
        }
        if let Some(login) = &self.login {
            server.auth(&[Mechanism::Plain, Mechanism::Login], login).await?;
        }
        Ok(server)
    }

    /// The mail as servers want it. Its identifier follows from the message, so that a mail that is delivered twice can be
    /// known as one.
    fn compose(&self, message: &Stored) -> Result<Message, String> {
        let mail = Mail::read(&message.payload).map_err(|error| error.to_string())?;
        let content = mail.content(&self.platform.vault).map_err(|error| error.to_string())?;
        let address = |text: &str| text.parse::<Address>().map_err(|error| format!("{text:?} is no address: {error}"));
        let written = std::time::UNIX_EPOCH + Duration::from_micros(message.created_at.0.unsigned_abs());
        Message::builder()
            .from(Mailbox::new(Some(mail.from_name.clone()), self.from.clone()))
            .reply_to(Mailbox::new(None, address(&mail.reply_to)?))
            .to(Mailbox::new(None, address(&mail.to)?))
            .subject(mail.subject.clone())
            .date(written)
            .message_id(Some(format!("<{}.{}@{}>", message.id, message.created_at.0, self.from.domain())))
            .header(AutoSubmitted)
            .multipart(MultiPart::alternative_plain_html(content.text, content.html))
            .map_err(|error| error.to_string())
    }
}

impl Channel for Smtp {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn at_once(&self) -> i64 {
        AT_ONCE
    }

    fn deliver<'a>(&'a self, message: &'a Stored) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            let patience = self.server.timeout.min(TIMEOUT_MAX);
            let in_time = timeout(patience, self.hand_over(message)).await;
            in_time.unwrap_or_else(|_| Delivery::Later(format!("the mail server did not answer within {patience:?}")))
        })
    }
}

fn tls_for(server: &Server) -> Result<TlsParameters, SmtpError> {
    let mut tls = TlsParameters::builder(server.host.clone());
    if let Some(pem) = &server.certificates {
        tls = tls.add_root_certificate(Certificate::from_pem(pem)?);
    }
    tls.build_rustls()
}

/// Says that no person wrote this, so that no machine answers (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// An error with its causes, in one line.
fn fault(error: &SmtpError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(FAULT_MAX).collect()
}
