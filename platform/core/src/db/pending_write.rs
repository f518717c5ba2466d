//! Writes that wait for their transaction, of one type for both engines.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::oneshot;
use tracing::{Instrument as _, Span};

use super::Tx;
use crate::BoxFuture;
use crate::error::{Error, Result};

/// A waiting write and its caller.
pub(super) trait PendingWrite: Send {
    /// Runs the work and keeps its value until [`settle`](Self::settle). It may run again, in another transaction.
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Result<()>>;

    /// Answers the caller. The work counts only if it was committed.
    fn settle(&mut self, committed: Result<()>);

    /// Whether the caller has been answered; such a write must not run again.
    fn is_settled(&self) -> bool;
}

pub(super) struct QueuedWrite<T, F> {
    work: F,
    value: Option<T>,
    reply: Option<oneshot::Sender<Result<T>>>,
    /// The work runs in another task; what it logs belongs to the caller's request.
    span: Span,
}

impl<T, F> QueuedWrite<T, F>
where
    T: Send,
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + Sync,
{
    /// With where its outcome arrives. None arrives if it is unknown.
    pub(super) fn new(work: F) -> (Self, oneshot::Receiver<Result<T>>) {
        let (reply, answer) = oneshot::channel();
        let span = tracing::debug_span!("transaction").or_current();
        (Self { work, value: None, reply: Some(reply), span }, answer)
    }
}

impl<T, F> PendingWrite for QueuedWrite<T, F>
where
    T: Send,
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + Sync,
{
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Result<()>> {
        let work = AssertUnwindSafe((self.work)(tx)).catch_unwind().instrument(self.span.clone());
        Box::pin(async {
            self.value = Some(work.await.unwrap_or_else(|_| Err(Error::internal("a unit of work panicked")))?);
            Ok(())
        })
    }

    fn settle(&mut self, committed: Result<()>) {
        let Some(reply) = self.reply.take() else { return };
        let value = self.value.take();
        // The caller may have gone; the write is done all the same.
        let _ = reply.send(committed.map(|()| value.expect("a committed write has run")));
    }

    fn is_settled(&self) -> bool {
        self.reply.is_none()
    }
}
