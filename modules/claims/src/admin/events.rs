//! Following the house.

use agio_core::live::{Live, Notice};
use futures_util::StreamExt as _;
use futures_util::stream;
use poem_openapi::Object;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

use crate::api::LiveEvents;

/// What changed; which fields there are depends on the event's name.
#[derive(Clone, Copy, Debug, Default, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct DeskEvent {
    /// Of `claim`: which.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Uuid>,
    /// Of `reserve`: of which currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency_id: Option<i64>,
    /// Of `tech`: whether technical mode is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<bool>,
}

/// Everything that changes from now on.
pub fn follow(live: &Live) -> LiveEvents<DeskEvent> {
    let notices = live.listen();
    let events = stream::unfold(notices, |mut notices| async move {
        loop {
            let event = match notices.recv().await {
                Ok(notice) => named(notice),
                Err(RecvError::Lagged(_)) => Some(("all", DeskEvent::default())),
                Err(RecvError::Closed) => return None,
            };
            if let Some(event) = event {
                return Some((event, notices));
            }
        }
    });
    // The first event tells the console that it is listened to, and that what it read before may be old.
    let opened = stream::once(async { ("all", DeskEvent::default()) });
    LiveEvents(opened.chain(events).boxed())
}

/// A notice as the console hears it; nothing of what it cannot show.
fn named(notice: Notice) -> Option<(&'static str, DeskEvent)> {
    Some(match notice {
        Notice::Claim(id) => ("claim", DeskEvent { id: Some(id), ..DeskEvent::default() }),
        Notice::Reserve(currency) => ("reserve", DeskEvent { currency_id: Some(currency), ..DeskEvent::default() }),
        Notice::Market => ("market", DeskEvent::default()),
        Notice::TechnicalMode(on) => ("tech", DeskEvent { on: Some(on), ..DeskEvent::default() }),
        Notice::Settings => ("settings", DeskEvent::default()),
        Notice::Approvals => ("approvals", DeskEvent::default()),
        Notice::Sessions | Notice::Content | Notice::Partners | Notice::Plugins => return None,
    })
}
