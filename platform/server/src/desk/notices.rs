//! What notifiers tell staff, as the console shows it: what waits, what left and what was given up.

use agio_core::Result;
use agio_core::identity::Permission;
use agio_core::outbox::{State, Stored};
use agio_http::{Answer, Moment, Null, Outcome, StaffAuth};
use agio_notices::{CHANNEL, told};
use poem_openapi::param::{Path, Query};
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;

use super::Tag;
use super::outgoing::Channel;
use crate::app::App;

/// Seeing which notices left and which did not.
pub const NOTICES_READ: Permission = Permission("notices.read");
/// Sending a notice again that was given up.
pub const NOTICES_RESEND: Permission = Permission("notices.resend");

const NOTICES: Channel = Channel { name: CHANNEL, about: "notice", resent: "notice.resent" };

/// The notices' calls.
pub struct NoticeDesk(pub App);

/// How far a notice is.
#[derive(Clone, Copy, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum NoticeState {
    /// It waits, for its first attempt or for the next.
    Queued,
    /// The notifier took it.
    Sent,
    /// It was given up.
    Dead,
}

/// A notice.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct NoticeRow {
    /// Identifier; grows with time.
    id: i64,
    /// The plugin it leaves by.
    notifier: String,
    /// What it is: `alert_books`.
    event: String,
    /// The words.
    text: String,
    /// Where to look.
    url: Null<String>,
    /// How far it is.
    state: NoticeState,
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

/// A page of notices, the newest first.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct NoticePage {
    /// The notices.
    items: Vec<NoticeRow>,
    /// Send it as `cursor` for the next page; null on the last.
    next_cursor: Null<String>,
    /// How many wait.
    queued: i64,
    /// How many were given up.
    dead: i64,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Notices")]
impl NoticeDesk {
    /// List notices
    ///
    /// What notifiers were to tell staff, of one state, the newest first. Needs `notices.read`.
    #[oai(path = "/notices", method = "get", operation_id = "listNotices")]
    async fn list(
        &self,
        auth: StaffAuth,
        /// `queued`, `sent` or `dead`; `dead` where nothing is given.
        state: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<NoticePage>> {
        auth.may(NOTICES_READ)?;
        let page = NOTICES.page(&self.0, state.0, cursor.0, size.0).await?;
        Ok(Answer(NoticePage {
            items: page.messages.into_iter().map(row).collect::<Result<_>>()?,
            next_cursor: Null(page.next),
            queued: page.queued,
            dead: page.dead,
        }))
    }

    /// Send a notice again that was given up
    ///
    /// By the same notifier, under the same key: whoever has it already can tell. Needs `notices.resend`. 409 `message_not_dead` when it waits
    /// or has left.
    #[oai(path = "/notices/:id/resend", method = "post", operation_id = "resendNotice")]
    async fn resend(&self, auth: StaffAuth, id: Path<i64>) -> Outcome<Answer<NoticeRow>> {
        let staff = auth.may(NOTICES_RESEND)?;
        Ok(Answer(row(NOTICES.send_again(&self.0, &staff, id.0).await?)?))
    }
}

fn row(message: Stored) -> Result<NoticeRow> {
    let notice = told(&message)?;
    let state = match message.state {
        State::Queued => NoticeState::Queued,
        State::Sent => NoticeState::Sent,
        State::Dead => NoticeState::Dead,
    };
    Ok(NoticeRow {
        id: message.id,
        notifier: message.recipient,
        event: notice.event,
        text: notice.text,
        url: Null(notice.url),
        state,
        attempts: message.attempts,
        next_at: Null((message.state == State::Queued).then_some(Moment(message.next_at))),
        fault: Null(message.fault),
        created_at: Moment(message.created_at),
        settled_at: Null(message.settled_at.map(Moment)),
    })
}
