//! Long computations that no caller waits for, run on a thread of their own at low priority.
//!
//! Pricing the whole market keeps a processor busy for a while. On the threads that answer requests it would delay
//! every caller. Freeing the memory of an old market, thousands of small allocations, is long work too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// The thread's niceness: it gets a tenth of the processor time of a thread that answers requests.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

type Work = Box<dyn FnOnce() + Send>;

/// Runs jobs one after another on its own thread. Clones share the thread, which ends with the last of them.
#[derive(Clone)]
pub struct BackgroundExecutor {
    queue: Sender<Work>,
}

impl Default for BackgroundExecutor {
    /// Starts the thread.
    ///
    /// # Panics
    /// The system cannot start a thread.
    fn default() -> Self {
        let (queue, work) = channel();
        thread::Builder::new().name("background".to_owned()).spawn(move || run_queue(&work)).expect("the system gives a thread");
        Self { queue }
    }
}

impl BackgroundExecutor {
    /// Runs `work` after everything queued before.
    ///
    /// # Errors
    /// `internal` when the work panicked.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        self.push(move || {
            // The caller may have gone.
            let _ = reply.send(work());
        });
        answer.await.map_err(Error::internal)
    }

    /// Drops a large value on the background thread.
    pub fn dispose(&self, value: impl Send + 'static) {
        self.push(move || drop(value));
    }

    fn push(&self, work: impl FnOnce() + Send + 'static) {
        self.queue.send(Box::new(work)).expect("the thread lives as long as its senders");
    }
}

fn run_queue(queue: &Receiver<Work>) {
    // Sets the priority of this thread only. If it is refused, the work runs anyway.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "background work runs at normal priority");
    }
    for work in queue {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            tracing::error!("background work panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BackgroundExecutor;

    #[tokio::test]
    async fn work_runs_on_a_low_priority_thread() {
        let background = BackgroundExecutor::default();
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let here = nice();
        assert_eq!(
            background.run(|| std::thread::current().name().map(str::to_owned)).await.unwrap().as_deref(),
            Some("background")
        );
        assert_eq!(background.run(nice).await.unwrap(), here.max(10));
        assert_eq!(nice(), here, "only that thread has a low priority");
    }

    #[tokio::test]
    async fn a_panic_is_reported_and_the_next_work_runs() {
        let background = BackgroundExecutor::default();
        assert!(background.run(|| panic!("a fault of this test")).await.is_err());
        assert_eq!(background.run(|| 2 + 2).await.unwrap(), 4);
    }
}
