//! Long work with no caller behind it, done where it holds nobody up.
//!
//! Pricing a whole market anew keeps a processor busy for a while. Done by the threads that answer callers it would make whoever asks
//! meanwhile wait for all of it; so it is done on one thread of its own, one piece after another, and the system lets that thread run as far
//! as nobody else wants the processor. What is given back to the system after it, thousands of small pieces of memory, is long work too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// How far behind the others the thread stands, in the system's degrees of niceness: it gets a tenth of what a thread gets that answers.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

type Work = Box<dyn FnOnce() + Send>;

/// The thread aside. Cheap to clone; clones share it. It ends with the last of them.
#[derive(Clone)]
pub struct Aside {
    waiting: Sender<Work>,
}

impl Default for Aside {
    /// Starts the thread.
    ///
    /// # Panics
    /// The system gives no thread.
    fn default() -> Self {
        let (waiting, work) = channel();
        thread::Builder::new().name("aside".to_owned()).spawn(move || toil(&work)).expect("the system gives a thread");
        Self { waiting }
    }
}

impl Aside {
    /// Has something done, after what waits already.
    ///
    /// # Errors
    /// `internal` when the work panicked.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let (tell, told) = oneshot::channel();
        self.put(move || {
            // Whoever asked may be gone by now.
            let _ = tell.send(work());
        });
        told.await.map_err(Error::internal)
    }

    /// Gives back what a value holds.
    pub fn forget(&self, value: impl Send + 'static) {
        self.put(move || drop(value));
    }

    fn put(&self, work: impl FnOnce() + Send + 'static) {
        self.waiting.send(Box::new(work)).expect("the thread listens while anybody can speak to it");
    }
}

fn toil(waiting: &Receiver<Work>) {
    // Of one's own thread, which is what the system calls a process here. Refused, the work is done all the same.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "long work is done with the priority of the rest");
    }
    for work in waiting {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            tracing::error!("work aside panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Aside;

    #[tokio::test]
    async fn work_gives_its_result_from_a_thread_that_stands_back() {
        let aside = Aside::default();
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let here = nice();
        assert_eq!(aside.run(|| std::thread::current().name().map(str::to_owned)).await.unwrap().as_deref(), Some("aside"));
        assert_eq!(aside.run(nice).await.unwrap(), here.max(10));
        assert_eq!(nice(), here, "only that thread stands back");
    }

    #[tokio::test]
    async fn work_that_panics_is_told_and_the_next_is_done() {
        let aside = Aside::default();
        assert!(aside.run(|| panic!("a fault of this test")).await.is_err());
        assert_eq!(aside.run(|| 2 + 2).await.unwrap(), 4);
    }
}
