//! The admin API of emails: queued, sent and undeliverable ones.

use agio_contracts::StaffEmails as _;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::outbox::{self, OutboxMessage, OutboxState};
use agio_core::{Error, Result};
use agio_http::{ApiEnum, ApiResult, Cursor, DateTime, JsonResponse, NoContent, Nullable, StaffAuth, body};
use agio_mail::{CHANNEL, Email, EmailContent, EmailLogo, Recipient, RenderedEmail};
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};

use super::Tag;
use super::outbox::AdminOutboxChannel;
use crate::app::App;

pub const MAIL_READ: Permission = Permission("mail.read");
pub const MAIL_RESEND: Permission = Permission("mail.resend");
/// Reading private emails, which are only stored if no mail server is configured.
pub const MAIL_OPEN: Permission = Permission("mail.open");

const EMAILS: AdminOutboxChannel = AdminOutboxChannel { name: CHANNEL, subject: "mail", requeue_action: "mail.resent" };

pub struct EmailAdminApi(pub App);

#[body(response)]
struct EmailSummary {
    /// Ids increase with time.
    id: i64,
    /// The template: `claim_created`.
    kind: String,
    /// The recipient.
    to: String,
    /// The subject line.
    subject: String,
    /// The kind of its subject: `claim`, `customer`.
    about_kind: String,
    /// The id of that claim or customer.
    about_id: String,
    state: ApiEnum<OutboxState>,
    /// The number of delivery attempts.
    attempts: i64,
    /// When it is tried next; null if it is not queued.
    next_at: Nullable<DateTime>,
    /// The error of the last attempt.
    fault: Nullable<String>,
    created_at: DateTime,
    /// When it was sent or given up.
    settled_at: Nullable<DateTime>,
}

/// Emails that are sent now instead of later.
#[body(response)]
struct HastenedEmails {
    count: u64,
}

/// A page of emails, newest first.
#[body(response)]
struct EmailPage {
    items: Vec<EmailSummary>,
    /// The `cursor` of the next page; null on the last page.
    next_cursor: Nullable<Cursor<i64>>,
    /// The number of queued emails.
    queued: i64,
    /// The number of undeliverable emails.
    dead: i64,
    /// Whether no mail server is configured, so that emails are only stored.
    local: bool,
}

/// An email with its content.
#[body(response)]
struct EmailDetails {
    mail: EmailSummary,
    /// Whether it contains a secret of its recipient.
    private: bool,
    /// The content as plain text; null if it is private.
    text: Nullable<String>,
    /// The content as HTML; null if it is private.
    html: Nullable<String>,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Emails")]
impl EmailAdminApi {
    /// List emails
    ///
    /// The emails of one state, newest first. Needs `mail.read`.
    #[oai(path = "/mail", method = "get", operation_id = "listEmails")]
    async fn list(
        &self,
        auth: StaffAuth,
        /// The delivery state, by default `dead`.
        state: Query<Option<ApiEnum<OutboxState>>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<i64>>>,
        /// The page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<EmailPage>> {
        auth.require(MAIL_READ)?;
        let page = EMAILS.page(&self.0, state.0, cursor.0, size.0).await?;
        Ok(JsonResponse(EmailPage {
            items: page.messages.rows.into_iter().map(summary).collect::<Result<_>>()?,
            next_cursor: page.messages.next.map(Cursor).into(),
            queued: page.queued,
            dead: page.dead,
            local: self.0.stores_mail_locally,
        }))
    }

    /// Get an email
    ///
    /// Needs `mail.read`. The content of a private email is shown only if no mail server is configured, and needs
    /// `mail.open`.
    #[oai(path = "/mail/:id", method = "get", operation_id = "getEmail")]
    async fn mail(&self, auth: StaffAuth, id: Path<i64>) -> ApiResult<JsonResponse<EmailDetails>> {
        let staff = auth.require(MAIL_READ)?;
        let message = outbox::message(&mut self.0.platform.db.read().await?, CHANNEL, id.0).await?;
        let mail = RenderedEmail::read(&message.payload)?;
        let content = self.content_for(&staff, &mail)?;
        Ok(JsonResponse(EmailDetails {
            private: mail.is_private(),
            text: Nullable(content.as_ref().map(|content| content.text.clone())),
            html: Nullable(content.map(|content| content.html)),
            mail: summary(message)?,
        }))
    }

    /// Resend an undeliverable email
    ///
    /// Needs `mail.resend`. 409 `message_not_dead` if it is queued or was sent.
    #[oai(path = "/mail/:id/resend", method = "post", operation_id = "resendEmail")]
    async fn resend(&self, auth: StaffAuth, id: Path<i64>) -> ApiResult<JsonResponse<EmailSummary>> {
        let staff = auth.require(MAIL_RESEND)?;
        Ok(JsonResponse(summary(EMAILS.requeue(&self.0, &staff, id.0).await?)?))
    }

    /// Send queued emails now
    ///
    /// Those that wait after a failed attempt, the oldest first and at most 1,000: for a mail server that works again.
    /// Needs `mail.resend`.
    #[oai(path = "/mail/send-queued", method = "post", operation_id = "sendQueuedEmails")]
    async fn send_queued(&self, auth: StaffAuth) -> ApiResult<JsonResponse<HastenedEmails>> {
        let staff = auth.require(MAIL_RESEND)?;
        Ok(JsonResponse(HastenedEmails { count: EMAILS.hasten(&self.0, &staff, "mail.hastened").await? }))
    }

    /// Send a test email
    ///
    /// To the caller's own address, in their language. It takes the way of every email, so the list shows whether the
    /// mail server accepts it. Needs `mail.resend`.
    #[oai(path = "/mail/test", method = "post", operation_id = "sendTestEmail")]
    async fn test(&self, auth: StaffAuth) -> ApiResult<NoContent> {
        let staff = auth.require(MAIL_RESEND)?;
        self.send_test(&staff).await?;
        Ok(NoContent)
    }
}

impl EmailAdminApi {
    async fn send_test(&self, staff: &Staff) -> Result<()> {
        let addresses = self.0.auth.addresses().await?;
        let own = addresses.into_iter().find(|address| address.staff.id == staff.id);
        let own = own.ok_or_else(|| Error::internal("a signed-in member of staff has no address"))?;
        let to = Recipient { email: own.email, locale: own.locale };
        let (platform, mailer, by) = (self.0.platform.clone(), self.0.mailer.clone(), Actor::from(staff));
        let work = self.0.platform.db.write(move |tx| {
            let (platform, mailer, to, by) = (platform.clone(), mailer.clone(), to.clone(), by.clone());
            Box::pin(async move {
                let (now, id) = (platform.clock.now(), platform.random.uuid().to_string());
                let email = Email::new("mail_test", ("mail", id.clone())).with("name", &by.name);
                mailer.send(tx, &to, &email, now).await?;
                let entry =
                    NewAuditEntry { by: &by, action: "mail.tested", about: EMAILS.subject, id, before: None, after: None };
                audit::record(tx, entry, now).await
            })
        });
        work.await
    }

    /// The content that a staff member may read.
    fn content_for(&self, staff: &Staff, mail: &RenderedEmail) -> Result<Option<EmailContent>> {
        let logo = EmailLogo::within(&self.0.brands.current());
        if self.0.stores_mail_locally && staff.role.has(MAIL_OPEN) {
            return mail.content(&self.0.platform.vault, logo.as_ref()).map(Some);
        }
        Ok(mail.public_content(logo.as_ref()))
    }
}

fn summary(message: OutboxMessage) -> Result<EmailSummary> {
    let mail = RenderedEmail::read(&message.payload)?;
    Ok(EmailSummary {
        id: message.id,
        kind: message.kind,
        to: mail.to,
        subject: mail.subject,
        about_kind: message.about_kind,
        about_id: message.about_id,
        state: ApiEnum(message.state),
        attempts: message.attempts,
        next_at: Nullable((message.state == OutboxState::Queued).then_some(DateTime(message.next_at))),
        fault: Nullable(message.fault),
        created_at: DateTime(message.created_at),
        settled_at: Nullable(message.settled_at.map(DateTime)),
    })
}
