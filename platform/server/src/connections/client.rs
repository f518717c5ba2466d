//! What a connection knows of its client: how many calls it has under way, since when none, and whether it takes what is written to it.

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

/// What the client of a connection does.
pub(super) struct Client {
    opened: Instant,
    calls: Mutex<Calls>,
    /// Milliseconds from the opening at which the first byte came of what is not yet a call; 0 for none.
    began: AtomicU64,
    /// Whether a call was answered whose body was not read to its end.
    left_unread: AtomicBool,
}

struct Calls {
    number: u64,
    /// Calls under way that may not last, by their number.
    bounded: BTreeMap<u64, Instant>,
    under_way: usize,
    /// Since when none is.
    none_since: Instant,
    has_called: bool,
}

impl Client {
    pub(super) fn new() -> Arc<Self> {
        let now = Instant::now();
        let calls = Calls { number: 0, bounded: BTreeMap::new(), under_way: 0, none_since: now, has_called: false };
        Arc::new(Self { opened: now, calls: Mutex::new(calls), began: AtomicU64::new(0), left_unread: AtomicBool::new(false) })
    }

    /// A call has come. Over HTTP/2 a client need not read an answer to keep its connection busy, so there calls have an end.
    pub(super) fn calls(self: &Arc<Self>, is_bounded: bool) -> Call {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        self.began.store(0, Ordering::Relaxed);
        calls.number += 1;
        calls.under_way += 1;
        calls.has_called = true;
        let number = calls.number;
        if is_bounded {
            calls.bounded.insert(number, Instant::now());
        }
        Call { client: self.clone(), number }
    }

    /// The body of a call was given up.
    pub(super) fn leaves_unread(&self) {
        self.left_unread.store(true, Ordering::Relaxed);
    }

    fn hears(&self) {
        if self.began.load(Ordering::Relaxed) == 0 {
            let since = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.began.store(since.max(1), Ordering::Relaxed);
        }
    }

    /// When the connection is to be closed unless the client gets on; nothing while a call is under way that may last.
    pub(super) fn deadline(&self, limits: &ConnectionLimits) -> Option<Instant> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.under_way > 0 {
            return calls.bounded.first_key_value().map(|(_, since)| *since + limits.answer);
        }
        let idle = calls.none_since + if calls.has_called { limits.idle } else { limits.head };
        match self.began.load(Ordering::Relaxed) {
            0 => Some(idle),
            began => Some(idle.min(self.opened + Duration::from_millis(began) + limits.head)),
        }
    }
}

/// A call under way, until its answer is written or given up.
pub(super) struct Call {
    client: Arc<Client>,
    number: u64,
}

impl Call {
    pub(super) fn client(&self) -> Arc<Client> {
        self.client.clone()
    }

    /// Its answer is a live stream.
    pub(super) fn lasts(&self) {
        self.client.calls.lock().unwrap_or_else(PoisonError::into_inner).bounded.remove(&self.number);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut calls = self.client.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.bounded.remove(&self.number);
        calls.under_way -= 1;
        if calls.under_way == 0 {
            calls.none_since = Instant::now();
            self.client.began.store(0, Ordering::Relaxed);
        }
    }
}

/// How much of what a client goes on sending is thrown away so that it sees why it was refused, and for how long.
const UNREAD_BYTES_MAX: usize = 16 * 1024 * 1024;
const UNREAD_FOR: Duration = Duration::from_secs(5);

/// The line to a client, which breaks when the client takes nothing.
pub(super) struct Line {
    stream: TcpStream,
    client: Arc<Client>,
    stall: Duration,
    /// Runs while something waits to be taken.
    writing: Option<Pin<Box<Sleep>>>,
    closing: Option<Closing>,
}

/// After the last answer: what is still sent is read away, because closing at once would take the answer from the client too.
struct Closing {
    left: usize,
    until: Pin<Box<Sleep>>,
}

impl Line {
    pub(super) fn new(stream: TcpStream, client: Arc<Client>, stall: Duration) -> Self {
        Self { stream, client, stall, writing: None, closing: None }
    }

    /// Bounds a wait for the client to take something.
    fn taken<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.writing = None;
            return outcome;
        }
        let stall = self.stall;
        let patience = self.writing.get_or_insert_with(|| Box::pin(tokio::time::sleep(stall)));
        ready!(patience.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Line {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.client.hears();
        }
        outcome
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.taken(cx, outcome)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.taken(cx, outcome)
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
        let mut thrown_away = [0; 8 * 1024];
        loop {
            if closing.until.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut buffer = ReadBuf::new(&mut thrown_away);
            ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buffer))?;
            let count = buffer.filled().len();
            if count == 0 || count >= closing.left {
                return Poll::Ready(Ok(()));
            }
            closing.left -= count;
        }
    }
}
