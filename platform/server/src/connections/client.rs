//! The state of a connection: its calls, its idle time, and whether the client reads the response.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use super::ConnectionLimits;

pub(super) struct Client {
    opened: Instant,
    calls: Mutex<Calls>,
    /// When the first byte of an incomplete request arrived, in milliseconds since the connection was opened; 0 if
    /// there is none.
    began: AtomicU64,
    /// Whether a request body was not read to its end.
    left_unread: AtomicBool,
}

struct Calls {
    number: u64,
    /// Running calls with a timeout.
    bounded: BTreeMap<u64, Instant>,
    running: usize,
    /// Since when no call is running.
    none_since: Instant,
    has_called: bool,
}

impl Client {
    pub(super) fn new() -> Arc<Self> {
        let now = Instant::now();
        let calls = Calls { number: 0, bounded: BTreeMap::new(), running: 0, none_since: now, has_called: false };
        Arc::new(Self { opened: now, calls: Mutex::new(calls), began: AtomicU64::new(0), left_unread: AtomicBool::new(false) })
    }

    /// Starts a call. HTTP/2 calls have a timeout, because the connection stays busy even if the client does not read
    /// the response.
    pub(super) fn start_call(self: &Arc<Self>, is_bounded: bool) -> Call {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        self.began.store(0, Ordering::Relaxed);
        calls.number += 1;
        calls.running += 1;
        calls.has_called = true;
        let number = calls.number;
        if is_bounded {
            calls.bounded.insert(number, Instant::now());
        }
        Call { client: self.clone(), number }
    }

    pub(super) fn leave_unread(&self) {
        self.left_unread.store(true, Ordering::Relaxed);
    }

    fn record_byte(&self) {
        if self.began.load(Ordering::Relaxed) == 0 {
            let since = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.began.store(since.max(1), Ordering::Relaxed);
        }
    }

    /// When the connection times out, or `None` while a call without a timeout is running.
    pub(super) fn deadline(&self, limits: &ConnectionLimits) -> Option<Instant> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.running > 0 {
            return calls.bounded.first_key_value().map(|(_, since)| *since + limits.http2_response);
        }
        let idle = calls.none_since + if calls.has_called { limits.idle } else { limits.head };
        match self.began.load(Ordering::Relaxed) {
            0 => Some(idle),
            began => Some(idle.min(self.opened + Duration::from_millis(began) + limits.head)),
        }
    }
}

/// A running call, until its response is sent or dropped.
pub(super) struct Call {
    client: Arc<Client>,
    number: u64,
}

impl Call {
    pub(super) fn client(&self) -> Arc<Client> {
        self.client.clone()
    }

    /// Removes the timeout, because the response is an event stream.
    pub(super) fn remove_timeout(&self) {
        self.client.calls.lock().unwrap_or_else(PoisonError::into_inner).bounded.remove(&self.number);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut calls = self.client.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.bounded.remove(&self.number);
        calls.running -= 1;
        if calls.running == 0 {
            calls.none_since = Instant::now();
            self.client.began.store(0, Ordering::Relaxed);
        }
    }
}

/// How much of a refused body is read and discarded, so that the client gets the response, and for how long.
const UNREAD_BYTES_MAX: usize = 16 * 1024 * 1024;
const UNREAD_FOR: Duration = Duration::from_secs(5);

/// The stream to a client, which fails if the client stops reading.
pub(super) struct ClientStream {
    stream: TcpStream,
    client: Arc<Client>,
    stall: Duration,
    /// Runs while a write is pending.
    writing: Option<Pin<Box<Sleep>>>,
    closing: Option<Closing>,
}

/// Reads and discards the rest of a body before closing: otherwise the client could lose the response.
struct Closing {
    left: usize,
    until: Pin<Box<Sleep>>,
}

impl ClientStream {
    pub(super) fn new(stream: TcpStream, client: Arc<Client>, stall: Duration) -> Self {
        Self { stream, client, stall, writing: None, closing: None }
    }

    /// Applies the timeout of a pending write.
    fn with_write_timeout<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.writing = None;
            return outcome;
        }
        let stall = self.stall;
        let timer = self.writing.get_or_insert_with(|| Box::pin(tokio::time::sleep(stall)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.client.record_byte();
        }
        outcome
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.with_write_timeout(cx, outcome)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.with_write_timeout(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.closing.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            if !this.client.left_unread.load(Ordering::Relaxed) {
                return Poll::Ready(Ok(()));
            }
        }
        let until = UNREAD_FOR.min(this.stall);
        let closing =
            this.closing.get_or_insert_with(|| Closing { left: UNREAD_BYTES_MAX, until: Box::pin(tokio::time::sleep(until)) });
        let mut discarded = [0; 8 * 1024];
        loop {
            if closing.until.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut buffer = ReadBuf::new(&mut discarded);
            ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buffer))?;
            let count = buffer.filled().len();
            if count == 0 || count >= closing.left {
                return Poll::Ready(Ok(()));
            }
            closing.left -= count;
        }
    }
}
