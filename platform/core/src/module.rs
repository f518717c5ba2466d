//! What a module declares. The console, the API documents and the coverage tests enumerate it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::BoxFuture;
use crate::error::Result;
use crate::identity::Permission;
use crate::resealing::SealedColumn;
use crate::retention::RetentionRule;
use crate::settings::Setting;

/// What a module declares of itself.
#[derive(Clone, Copy, Default)]
pub struct Declarations {
    pub permissions: &'static [Permission],
    pub settings: &'static [Setting],
    /// Every SQL statement of the module's store.
    pub statements: &'static [(&'static str, &'static str)],
    /// Where the module keeps sealed values, so that they can be sealed with another key.
    pub sealed_columns: &'static [SealedColumn],
    /// What is deleted when it is old.
    pub retention: &'static [RetentionRule],
}

pub trait Module: Send + Sync {
    fn declarations(&self) -> Declarations;

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        Vec::new()
    }
}

/// A periodic job. It looks for work and does it, so running it again, or on two nodes at once, is harmless.
pub struct Job {
    /// Unique; identifies the job in logs.
    pub name: &'static str,
    /// The pause between two runs.
    pub every: Duration,
    /// Ends the pause early.
    pub wakeup: Option<Arc<Notify>>,
    pub run: Box<dyn Fn() -> BoxFuture<'static, Result<()>> + Send + Sync>,
}

impl Job {
    /// A job that calls `run` with `of`.
    pub fn new<S, F>(name: &'static str, every: Duration, of: &Arc<S>, run: F) -> Self
    where
        S: Send + Sync + 'static,
        F: Fn(Arc<S>) -> BoxFuture<'static, Result<()>> + Send + Sync + 'static,
    {
        let of = of.clone();
        Self { name, every, wakeup: None, run: Box::new(move || run(of.clone())) }
    }

    /// Runs the job on every notification as well.
    #[must_use]
    pub fn woken_by(mut self, wakeup: Arc<Notify>) -> Self {
        self.wakeup = Some(wakeup);
        self
    }
}
