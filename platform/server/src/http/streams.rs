//! Limits of event streams.
//!
//! A stream must not outlive the session it was opened with. Every end of a session is published as an event; the
//! stream then checks its session again and ends. The client reconnects and gets the reason.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use agio_contracts::SessionLookup;
use agio_core::events::{ChangeEvent, EventBus};
use agio_core::{Error, ErrorKind, Result};
use futures_util::StreamExt as _;
use poem::http::header;
use poem::{Body, Response};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Limits the open streams per caller.
pub struct StreamLimit {
    per_caller: usize,
    open: Arc<Mutex<HashMap<StreamCaller, usize>>>,
}

/// A session by its token, or a guest by the address.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum StreamCaller {
    Token(String),
    Address(IpAddr),
}

impl StreamLimit {
    pub fn new(per_caller: u32) -> Self {
        Self { per_caller: usize::try_from(per_caller).unwrap_or(usize::MAX), open: Arc::default() }
    }

    /// Counts a stream until its permit is dropped.
    ///
    /// # Errors
    /// 429 `too_many_requests`.
    pub(super) fn open(&self, caller: StreamCaller) -> Result<StreamPermit> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.get(&caller).copied().unwrap_or(0);
        if count >= self.per_caller {
            return Err(Error::new(ErrorKind::TooManyRequests, "too_many_requests").retry_after(RETRY_AFTER));
        }
        open.insert(caller.clone(), count + 1);
        Ok(StreamPermit { open: self.open.clone(), caller })
    }
}

/// In seconds.
const RETRY_AFTER: u64 = 30;

pub(super) struct StreamPermit {
    open: Arc<Mutex<HashMap<StreamCaller, usize>>>,
    caller: StreamCaller,
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.caller);
            }
        }
    }
}

pub(super) fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// Keeps the permit until the stream ends.
pub(super) fn hold_permit(mut response: Response, permit: StreamPermit) -> Response {
    let events = response.take_body().into_bytes_stream();
    response.set_body(Body::from_bytes_stream(events.inspect(move |_| {
        let _held = &permit;
    })));
    response
}

/// Ends the stream with the session of this token.
pub(super) fn end_with_session(
    mut response: Response,
    token: String,
    sessions: Arc<dyn SessionLookup>,
    live: &EventBus,
) -> Response {
    // Subscribes before the first check, so that no event is missed.
    let events_of_node = live.subscribe();
    let events = response.take_body().into_bytes_stream();
    response.set_body(Body::from_bytes_stream(events.take_until(end_of_session(events_of_node, token, sessions))));
    response
}

/// Waits until the session ends or the server stops.
async fn end_of_session(mut events_of_node: Receiver<ChangeEvent>, token: String, sessions: Arc<dyn SessionLookup>) {
    while sessions.is_active(&token) {
        loop {
            match events_of_node.recv().await {
                // A missed event may be the end of this session.
                Ok(ChangeEvent::Sessions) | Err(RecvError::Lagged(_)) => break,
                Ok(_) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }
}
