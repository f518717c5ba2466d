//! Mail as the console shows it: what waits, what left and what could not.

use agio_core::Result;
use agio_core::identity::{Permission, Staff};
use agio_core::outbox::{self, State, Stored};
use agio_http::{Answer, Moment, Null, Outcome, StaffAuth};
use agio_mail::{CHANNEL, Content, Mail};
use poem_openapi::param::{Path, Query};
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;

use super::Tag;
use super::outgoing::Channel;
use crate::app::App;

/// Seeing which mails left and which did not.
pub const MAIL_READ: Permission = Permission("mail.read");
/// Sending a dead mail again.
pub const MAIL_RESEND: Permission = Permission("mail.resend");
/// Reading private mails, where the house keeps them for want of a mail server.
pub const MAIL_OPEN: Permission = Permission("mail.open");

const MAIL: Channel = Channel { name: CHANNEL, about: "mail", resent: "mail.resent" };

/// Mail's calls.
pub struct MailDesk(pub App);

/// How far a mail is.
#[derive(Clone, Copy, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum MailState {
    /// It waits, for its first attempt or for the next.
    Queued,
    /// It left.
    Sent,
    /// It could not be delivered and is not tried any more.
    Dead,
}

/// A mail in a line.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct MailRow {
    /// Identifier; grows with time.
    id: i64,
    /// What it is: `claim_created`.
    kind: String,
    /// To whom.
    to: String,
    /// Its subject.
    subject: String,
    /// The kind of thing it tells of: `claim`, `customer`.
    about_kind: String,
    /// Which one.
    about_id: String,
    /// How far it is.
    state: MailState,
    /// How often it was tried.
    attempts: i64,
    /// When it is tried next; null once it is settled.
    next_at: Null<Moment>,
    /// Why the last attempt failed.
    fault: Null<String>,
    /// When it was written.
    created_at: Moment,
    /// When it left or was given up.
    settled_at: Null<Moment>,
}

/// A page of mails, the newest first.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct MailPage {
    /// The mails.
    items: Vec<MailRow>,
    /// Send it as `cursor` for the next page; null on the last.
    next_cursor: Null<String>,
    /// How many wait.
    queued: i64,
    /// How many could not be delivered.
    dead: i64,
    /// Whether no mail server is configured and mails stay in the house.
    local: bool,
}

/// A mail with its words.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct MailWhole {
    /// The mail in a line.
    mail: MailRow,
    /// Whether it holds a secret of its addressee.
    private: bool,
    /// Its words as plain text; null for a private one.
    text: Null<String>,
    /// Its words as a page; null for a private one.
    html: Null<String>,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Mail")]
impl MailDesk {
    /// List mails
    ///
    /// Of one state, the newest first. Needs `mail.read`.
    #[oai(path = "/mail", method = "get", operation_id = "listMail")]
    async fn list(
        &self,
        auth: StaffAuth,
        /// `queued`, `sent` or `dead`; `dead` where nothing is given.
        state: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<MailPage>> {
        auth.may(MAIL_READ)?;
        let page = MAIL.page(&self.0, state.0, cursor.0, size.0).await?;
        Ok(Answer(MailPage {
            items: page.messages.into_iter().map(row).collect::<Result<_>>()?,
            next_cursor: Null(page.next),
            queued: page.queued,
            dead: page.dead,
            local: self.0.keeps_mail,
        }))
    }

    /// A mail with its words
    ///
    /// Needs `mail.read`. A private mail is shown only where no mail server is configured, and needs `mail.open`.
    #[oai(path = "/mail/:id", method = "get", operation_id = "getMail")]
    async fn mail(&self, auth: StaffAuth, id: Path<i64>) -> Outcome<Answer<MailWhole>> {
        let staff = auth.may(MAIL_READ)?;
        let message = outbox::message(&mut self.0.platform.db.read().await?, CHANNEL, id.0).await?;
        let mail = Mail::read(&message.payload)?;
        let content = self.content_for(&staff, &mail)?;
        Ok(Answer(MailWhole {
            private: mail.is_private(),
            text: Null(content.as_ref().map(|content| content.text.clone())),
            html: Null(content.map(|content| content.html)),
            mail: row(message)?,
        }))
    }

    /// Send a dead mail again
    ///
    /// Needs `mail.resend`. 409 `message_not_dead` when it waits or has left.
    #[oai(path = "/mail/:id/resend", method = "post", operation_id = "resendMail")]
    async fn resend(&self, auth: StaffAuth, id: Path<i64>) -> Outcome<Answer<MailRow>> {
        let staff = auth.may(MAIL_RESEND)?;
        Ok(Answer(row(MAIL.send_again(&self.0, &staff, id.0).await?)?))
    }
}

impl MailDesk {
    /// What of a mail they may read.
    fn content_for(&self, staff: &Staff, mail: &Mail) -> Result<Option<Content>> {
        if self.0.keeps_mail && staff.role.may(MAIL_OPEN) {
            return mail.content(&self.0.platform.vault).map(Some);
        }
        Ok(mail.shown())
    }
}

fn row(message: Stored) -> Result<MailRow> {
    let mail = Mail::read(&message.payload)?;
    let state = match message.state {
        State::Queued => MailState::Queued,
        State::Sent => MailState::Sent,
        State::Dead => MailState::Dead,
    };
    Ok(MailRow {
        id: message.id,
        kind: message.kind,
        to: mail.to,
        subject: mail.subject,
        about_kind: message.about_kind,
        about_id: message.about_id,
        state,
        attempts: message.attempts,
        next_at: Null((message.state == State::Queued).then_some(Moment(message.next_at))),
        fault: Null(message.fault),
        created_at: Moment(message.created_at),
        settled_at: Null(message.settled_at.map(Moment)),
    })
}
