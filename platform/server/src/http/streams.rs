//! Live streams: answers that go on after the call.
//!
//! A call is checked when it comes; a stream that was allowed then must not outlive the session it was asked for in. Whatever ends a session
//! tells of it, and the stream looks again and ends. Its page comes back, and is told why.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use agio_core::live::{Live, Notice};
use agio_core::needs::Presence;
use agio_core::{Error, Kind, Result};
use futures_util::StreamExt as _;
use poem::http::header;
use poem::{Body, Response};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// How many live streams one caller may have open.
pub struct StreamLimit {
    per_caller: usize,
    open: Arc<Mutex<HashMap<StreamCaller, usize>>>,
}

/// Who has a stream open: an account by its session's token, anybody else by their address.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum StreamCaller {
    Token(String),
    Address(IpAddr),
}

impl StreamLimit {
    /// At most so many for one caller.
    #[must_use]
    pub fn new(per_caller: u32) -> Self {
        Self { per_caller: usize::try_from(per_caller).unwrap_or(usize::MAX), open: Arc::default() }
    }

    /// Counts a stream until the permit is dropped.
    ///
    /// # Errors
    /// 429 `too_many_requests`.
    pub(super) fn open(&self, caller: StreamCaller) -> Result<StreamPermit> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.get(&caller).copied().unwrap_or(0);
        if count >= self.per_caller {
            return Err(Error::new(Kind::TooManyRequests, "too_many_requests").retry_after(RETRY_AFTER));
        }
        open.insert(caller.clone(), count + 1);
        Ok(StreamPermit { open: self.open.clone(), caller })
    }
}

/// Seconds after which a refused stream may be asked for again.
const RETRY_AFTER: u64 = 30;

/// A stream that is open.
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

/// Whether an answer is a live stream.
pub(super) fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// The stream with what is given back when it ends.
pub(super) fn holding(mut response: Response, permit: StreamPermit) -> Response {
    let events = response.take_body().into_bytes_stream();
    response.set_body(Body::from_bytes_stream(events.inspect(move |_| {
        let _held = &permit;
    })));
    response
}

/// The stream, which ends with the session of this token.
pub(super) fn ended_with_session(mut response: Response, token: String, presence: Arc<dyn Presence>, live: &Live) -> Response {
    // Whoever listens first and looks then misses nothing in between.
    let notices = live.listen();
    let events = response.take_body().into_bytes_stream();
    response.set_body(Body::from_bytes_stream(events.take_until(end_of_session(notices, token, presence))));
    response
}

/// Waits until the session is over, or the house closes.
async fn end_of_session(mut notices: Receiver<Notice>, token: String, presence: Arc<dyn Presence>) {
    while presence.lasts(&token) {
        loop {
            match notices.recv().await {
                // What was missed may have been the end of this session.
                Ok(Notice::Sessions) | Err(RecvError::Lagged(_)) => break,
                Ok(_) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }
}
