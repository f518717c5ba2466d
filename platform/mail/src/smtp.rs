//! Delivery through an SMTP server.

use std::time::Duration;

use agio_brand::Brands;
use agio_core::outbox::{DeliveryOutcome, OutboxChannel, OutboxMessage};
use agio_core::{BoxFuture, Error, Platform, Result, hex};
use lettre::message::header::ContentType;
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, Message};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use crate::layout::LOGO_ID;
use crate::{CHANNEL, EmailLogo, RenderedEmail};

/// Maximum number of concurrent connections.
const CONCURRENCY: i64 = 8;

/// Transport security.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpSecurity {
    /// Implicit TLS, as on port 465.
    Tls,
    /// STARTTLS, as on port 587. A server without it is not used.
    StartTls,
    /// No encryption: for a server on this machine.
    None,
}

#[derive(Clone)]
pub struct SmtpServer {
    /// Host name, which the certificate must match.
    pub host: String,
    pub port: u16,
    pub security: SmtpSecurity,
    /// User name and password.
    pub login: Option<(String, String)>,
    /// Sender address.
    pub from: String,
    /// Timeout of a whole delivery; at most [`TIMEOUT_MAX`].
    pub timeout: Duration,
    /// Further trusted certificates, in PEM.
    pub certificates: Option<Vec<u8>>,
}

pub const TIMEOUT_MAX: Duration = Duration::from_secs(50);

/// The kind of subject whose emails are one conversation.
const THREADED: &str = "claim";

/// Timeout of QUIT. The server has accepted the email by then.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum length of a stored error, in characters.
const ERROR_MAX: usize = 300;

pub struct SmtpChannel {
    platform: Platform,
    brands: Brands,
    server: SmtpServer,
    from: Address,
    hello: ClientId,
    tls: Option<TlsParameters>,
    login: Option<Credentials>,
}

impl SmtpChannel {
    /// Does not connect yet.
    ///
    /// # Errors
    /// The sender address or the certificates are malformed.
    pub fn new(platform: &Platform, brands: Brands, server: SmtpServer) -> Result<Self> {
        let from: Address =
            server.from.parse().map_err(|error| Error::internal(format!("mail.from, {:?}: {error}", server.from)))?;
        let tls = match server.security {
            SmtpSecurity::None => None,
            SmtpSecurity::Tls | SmtpSecurity::StartTls => Some(tls_for(&server).map_err(Error::internal)?),
        };
        let login = server.login.clone().map(|(user, password)| Credentials::new(user, password));
        let hello = ClientId::Domain(from.domain().to_owned());
        Ok(Self { platform: platform.clone(), brands, server, from, hello, tls, login })
    }

    /// Sends an email. Only a reply to the email itself can be a permanent failure; an earlier failure says nothing about the email.
    async fn send(&self, message: &OutboxMessage) -> DeliveryOutcome {
        let mail = match self.compose(message) {
            Ok(mail) => mail,
            Err(error) => return DeliveryOutcome::Failed(error),
        };
        let mut server = match self.connect().await {
            Ok(server) => server,
            Err(error) => return DeliveryOutcome::Retry(describe(&error)),
        };
        match server.send(mail.envelope(), &mail.formatted()).await {
            Ok(_) => {
                let _ = timeout(QUIT_TIMEOUT, server.quit()).await;
                DeliveryOutcome::Delivered
            }
            Err(error) if error.is_permanent() => DeliveryOutcome::Failed(describe(&error)),
            Err(error) => DeliveryOutcome::Retry(describe(&error)),
        }
    }

    /// Connects as for a delivery, with TLS and login, and sends nothing.
    ///
    /// # Errors
    /// What the server or the connection says.
    pub async fn check(&self) -> Result<(), String> {
        let limit = self.server.timeout.min(TIMEOUT_MAX);
        let mut server = match timeout(limit, self.connect()).await {
            Ok(connected) => connected.map_err(|error| describe(&error))?,
            Err(_) => return Err(format!("it did not answer within {limit:?}")),
        };
        let _ = timeout(QUIT_TIMEOUT, server.quit()).await;
        Ok(())
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, SmtpError> {
        let SmtpServer { host, port, security, timeout, .. } = &self.server;
        let at_once = self.tls.clone().filter(|_| *security == SmtpSecurity::Tls);
        let mut server =
            AsyncSmtpConnection::connect_tokio1((host.as_str(), *port), Some(*timeout), &self.hello, at_once, None).await?;
        if let (SmtpSecurity::StartTls, Some(tls)) = (security, &self.tls) {
            server.starttls(tls.clone(), &self.hello).await?;
        }
        if let Some(login) = &self.login {
            server.auth(&[Mechanism::Plain, Mechanism::Login], login).await?;
        }
        Ok(server)
    }

    /// Builds the MIME message. Its Message-ID follows from the outbox message, so a repeated delivery can be recognised.
    fn compose(&self, message: &OutboxMessage) -> Result<Message, String> {
        let mail = RenderedEmail::read(&message.payload).map_err(|error| error.to_string())?;
        let brand = self.brands.current();
        let logo = EmailLogo::attached(&brand);
        let content =
            mail.content(&self.platform.vault, logo.as_ref().map(|(logo, _)| logo)).map_err(|error| error.to_string())?;
        let (plain, html) = (SinglePart::plain(content.text), SinglePart::html(content.html));
        let body = MultiPart::alternative().singlepart(plain);
        let body = match logo {
            Some((_, file)) => {
                let kind = ContentType::parse(&file.media_type).map_err(|error| error.to_string())?;
                let picture = Attachment::new_inline(LOGO_ID.to_owned()).body(file.content.to_vec(), kind);
                body.multipart(MultiPart::related().singlepart(html).singlepart(picture))
            }
            None => body.singlepart(html),
        };
        let address = |text: &str| text.parse::<Address>().map_err(|error| format!("{text:?} is not an address: {error}"));
        let written = std::time::UNIX_EPOCH + Duration::from_micros(message.created_at.0.unsigned_abs());
        let thread = thread_root(message).map(|root| format!("<{root}@{}>", self.from.domain()));
        let mut builder = match thread {
            Some(root) => Message::builder().in_reply_to(root.clone()).references(root),
            None => Message::builder(),
        };
        if let Some(address) = content.one_click_unsubscribe {
            builder = builder.header(ListUnsubscribe(address)).header(ListUnsubscribePost);
        }
        builder
            .from(Mailbox::new(Some(mail.from_name.clone()), self.from.clone()))
            .reply_to(Mailbox::new(None, address(&mail.reply_to)?))
            .to(Mailbox::new(None, address(&mail.to)?))
            .subject(mail.subject.clone())
            .date(written)
            .message_id(Some(format!("<{}.{}@{}>", message.id, message.created_at.0, self.from.domain())))
            .header(AutoSubmitted)
            .multipart(body)
            .map_err(|error| error.to_string())
    }
}

/// The message that all emails about one claim answer, so that mail programs show them as one conversation. It is never
/// sent. The claim's identifier gives access to it, so only its digest is in a header.
fn thread_root(message: &OutboxMessage) -> Option<String> {
    let about = message.about_kind.as_str();
    (about == THREADED).then(|| hex::encode(&Sha256::digest(format!("{about} {}", message.about_id))[..16]))
}

impl OutboxChannel for SmtpChannel {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn concurrency(&self) -> i64 {
        CONCURRENCY
    }

    fn deliver<'a>(&'a self, message: &'a OutboxMessage) -> BoxFuture<'a, DeliveryOutcome> {
        Box::pin(async move {
            let limit = self.server.timeout.min(TIMEOUT_MAX);
            let in_time = timeout(limit, self.send(message)).await;
            in_time.unwrap_or_else(|_| DeliveryOutcome::Retry(format!("the mail server did not answer within {limit:?}")))
        })
    }
}

fn tls_for(server: &SmtpServer) -> Result<TlsParameters, SmtpError> {
    let mut tls = TlsParameters::builder(server.host.clone());
    if let Some(pem) = &server.certificates {
        tls = tls.add_root_certificate(Certificate::from_pem(pem)?);
    }
    tls.build_rustls()
}

/// A header that is written and never read.
macro_rules! written_header {
    ($(#[$about:meta])* $header:ident($name:literal) = |$this:ident| $value:expr; $($field:ty)?) => {
        $(#[$about])*
        #[derive(Clone)]
        struct $header $(($field))?;

        impl Header for $header {
            fn name() -> HeaderName {
                HeaderName::new_from_ascii_str($name)
            }

            fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
                Err("it is only written".into())
            }

            fn display(&self) -> HeaderValue {
                let $this = self;
                HeaderValue::new(Self::name(), $value)
            }
        }
    };
}

written_header!(
    /// Stops auto-replies (RFC 3834).
    AutoSubmitted("Auto-Submitted") = |_this| "auto-generated".to_owned();
);
written_header!(
    /// The address that unsubscribes (RFC 2369).
    ListUnsubscribe("List-Unsubscribe") = |this| format!("<{}>", this.0); String
);
written_header!(
    /// Lets mail programs unsubscribe by a POST to that address (RFC 8058).
    ListUnsubscribePost("List-Unsubscribe-Post") = |_this| "List-Unsubscribe=One-Click".to_owned();
);

/// An error with its causes, in one line.
fn describe(error: &SmtpError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let detail = error.to_string();
        if !text.contains(&detail) {
            text = format!("{text}: {detail}");
        }
        cause = error.source();
    }
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(ERROR_MAX).collect()
}
