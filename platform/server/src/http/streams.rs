//! Live streams: answers that go on after the call.
//!
//! A call is checked when it comes; a stream that was allowed then must not outlive the session it was asked for in. Whatever ends a session
//! tells of it, and the stream looks again and ends. Its page comes back, and is told why.

use std::sync::Arc;

use agio_core::live::{Live, Notice};
use agio_core::needs::Presence;
use futures_util::StreamExt as _;
use poem::http::header;
use poem::{Body, Response};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// The answer to whoever showed this token, which ends with their session if it is a live stream.
pub fn ended_with_session(mut response: Response, token: String, presence: Arc<dyn Presence>, live: &Live) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| !kind.as_bytes().starts_with(b"text/event-stream")) {
        return response;
    }
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
