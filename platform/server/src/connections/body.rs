//! Request bodies with timeouts, and response bodies that end their call.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::ConnectionLimits;
use super::client::{Call, Client};

/// A request body. Each wait is limited by `stall`, and the total wait by the minimum rate.
pub(super) struct RequestBody {
    body: BoxBody<Bytes, io::Error>,
    client: Arc<Client>,
    limits: Arc<ConnectionLimits>,
    received: u64,
    /// The total of all waits so far.
    waited: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    is_over: bool,
}

impl RequestBody {
    pub(super) fn new(body: BoxBody<Bytes, io::Error>, client: Arc<Client>, limits: Arc<ConnectionLimits>) -> Self {
        Self { body, client, limits, received: 0, waited: Duration::ZERO, waiting: None, is_over: false }
    }

    /// The timeout of the next wait.
    fn timeout(&self) -> Duration {
        let earned = self.received.saturating_mul(1000) / u64::from(self.limits.body_bytes_per_second.max(1));
        let total = self.limits.stall + Duration::from_millis(earned);
        total.saturating_sub(self.waited).min(self.limits.stall)
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = &mut *self;
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(frame) => {
                if let Some((since, _)) = this.waiting.take() {
                    this.waited += since.elapsed();
                }
                match &frame {
                    Some(Ok(frame)) => this.received += frame.data_ref().map_or(0, Bytes::len) as u64,
                    Some(Err(_)) | None => this.is_over = true,
                }
                Poll::Ready(frame)
            }
            Poll::Pending => {
                let timeout = this.timeout();
                let (_, waiting) = this.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(timeout))));
                ready!(waiting.as_mut().poll(cx));
                Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if !self.is_over && !self.body.is_end_stream() {
            self.client.leave_unread();
        }
    }
}

/// A response body. Its call ends when it is dropped.
pub(super) struct ResponseBody {
    body: BoxBody<Bytes, io::Error>,
    _call: Call,
}

impl ResponseBody {
    pub(super) fn new(body: BoxBody<Bytes, io::Error>, call: Call) -> Self {
        Self { body, _call: call }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
