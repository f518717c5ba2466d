//! What a partner was told, as the customer of the account is shown it.

use agio_core::Result;
use agio_core::outbox::Stored;
use agio_http::{Moment, Null};
use poem_openapi::Object;
use serde::Serialize;
use uuid::Uuid;

use crate::service::News;

/// News of a claim.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AccessNews {
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
    /// `queued`, `sent` or `dead`.
    state: String,
    /// How often it was tried.
    attempts: i64,
    /// Why the last attempt failed.
    fault: Null<String>,
    /// When it was written.
    created_at: Moment,
    /// When it was taken or given up.
    settled_at: Null<Moment>,
}

impl AccessNews {
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
            state: message.state.name().to_owned(),
            attempts: message.attempts,
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
pub struct AccessNewsPage {
    /// The news.
    items: Vec<AccessNews>,
    /// Send it as `cursor` for the next page; null on the last.
    next_cursor: Null<String>,
}

impl AccessNewsPage {
    /// A page of so many rows, given one more where there are more.
    pub fn of(news: Vec<Stored>, size: usize) -> Result<Self> {
        let (news, next) = News::page(news, size);
        Ok(Self { items: news.into_iter().map(AccessNews::of).collect::<Result<_>>()?, next_cursor: Null(next) })
    }
}
