//! The console's event stream.

use agio_core::events::{ChangeEvent, EventBus};
use agio_http::body;
use futures_util::StreamExt as _;
use futures_util::stream;
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

use crate::api::LiveEvents;

/// The subject of an event. The event's name decides which fields are present.
#[body(response, skip_serializing_if_is_none)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ConsoleEvent {
    /// With `claim`: the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Uuid>,
    /// With `reserve`: the currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency_id: Option<i64>,
    /// With `tech`: whether technical mode is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<bool>,
}

pub fn follow(live: &EventBus) -> LiveEvents<ConsoleEvent> {
    let notices = live.subscribe();
    let events = stream::unfold(notices, |mut notices| async move {
        loop {
            let event = match notices.recv().await {
                Ok(notice) => named(notice),
                Err(RecvError::Lagged(_)) => Some(("all", ConsoleEvent::default())),
                Err(RecvError::Closed) => return None,
            };
            if let Some(event) = event {
                return Some((event, notices));
            }
        }
    });
    // The first event tells the console that it is listened to, and that what it read before may be old.
    let opened = stream::once(async { ("all", ConsoleEvent::default()) });
    LiveEvents(opened.chain(events).boxed())
}

/// The console's form of an event; `None` for events it does not show.
fn named(notice: ChangeEvent) -> Option<(&'static str, ConsoleEvent)> {
    Some(match notice {
        ChangeEvent::Claim(id) => ("claim", ConsoleEvent { id: Some(id), ..ConsoleEvent::default() }),
        ChangeEvent::Reserve(currency) => ("reserve", ConsoleEvent { currency_id: Some(currency), ..ConsoleEvent::default() }),
        ChangeEvent::Market => ("market", ConsoleEvent::default()),
        ChangeEvent::TechnicalMode(on) => ("tech", ConsoleEvent { on: Some(on), ..ConsoleEvent::default() }),
        ChangeEvent::Settings => ("settings", ConsoleEvent::default()),
        ChangeEvent::Approvals => ("approvals", ConsoleEvent::default()),
        ChangeEvent::Sessions | ChangeEvent::Content | ChangeEvent::Partners | ChangeEvent::Plugins => return None,
    })
}
