//! What partners were told, as the console and the partners' own pages show it.

use agio_core::Result;
use agio_core::outbox::{State, Stored};
use agio_http::{Moment, Null};
use poem_openapi::{Enum, Object};
use serde::Serialize;
use uuid::Uuid;

use crate::service::News;

/// How far news are.
#[derive(Clone, Copy, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum DeskNewsState {
    /// They wait, for their first attempt or for the next.
    Queued,
    /// The partner took them.
    Sent,
    /// They could not be delivered and are not tried any more.
    Dead,
}

/// News in a line.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskNews {
    /// Identifier; grows with time.
    id: i64,
    /// The event: the same however often it is told.
    event: Uuid,
    /// The claim.
    claim: String,
    /// Where the claim stood.
    status: String,
    /// Whether the claim is a rehearsal.
    sandbox: bool,
    /// Where it goes.
    url: String,
    /// How far it is.
    state: DeskNewsState,
    /// How often it was tried.
    attempts: i64,
    /// When it is tried next; null once it is settled.
    next_at: Null<Moment>,
    /// Why the last attempt failed.
    fault: Null<String>,
    /// When it was written.
    created_at: Moment,
    /// When it was taken or given up.
    settled_at: Null<Moment>,
}

impl DeskNews {
    fn of(message: Stored) -> Result<Self> {
        let news = News::read(&message.payload)?;
        let (status, sandbox) = news.standing()?;
        Ok(Self {
            id: message.id,
            event: news.event,
            claim: message.recipient,
            status,
            sandbox,
            url: news.url,
            state: match message.state {
                State::Queued => DeskNewsState::Queued,
                State::Sent => DeskNewsState::Sent,
                State::Dead => DeskNewsState::Dead,
            },
            attempts: message.attempts,
            next_at: Null((message.state == State::Queued).then_some(Moment(message.next_at))),
            fault: Null(message.fault),
            created_at: Moment(message.created_at),
            settled_at: Null(message.settled_at.map(Moment)),
        })
    }
}

/// A page of news, the newest first.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskNewsPage {
    /// The news.
    items: Vec<DeskNews>,
    /// Send it as `cursor` for the next page; null on the last.
    next_cursor: Null<String>,
}

impl DeskNewsPage {
    /// A page of so many rows, given one more where there are more.
    pub fn of(news: Vec<Stored>, size: usize) -> Result<Self> {
        let (news, next) = News::page(news, size);
        Ok(Self { items: news.into_iter().map(DeskNews::of).collect::<Result<_>>()?, next_cursor: Null(next) })
    }
}
