//! What a module brings, as data: the console, the documents and the coverage tests enumerate it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::BoxFuture;
use crate::error::Result;
use crate::identity::Permission;
use crate::settings::Setting;

/// A room of the house. All but the name may be nothing.
pub trait Module: Send + Sync {
    /// The module's name: its folder.
    fn name(&self) -> &'static str;

    /// What staff may be allowed to do here.
    fn permissions(&self) -> &'static [Permission] {
        &[]
    }

    /// What an operator may set here.
    fn settings(&self) -> &'static [Setting] {
        &[]
    }

    /// Every SQL statement of the module's store.
    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Seals what former versions of the module stored in the open: at every start, before anything is read.
    fn seal(self: Arc<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// What the module does by itself, again and again.
    fn jobs(self: Arc<Self>) -> Vec<Job> {
        Vec::new()
    }
}

/// Something done again and again. A job looks at what there is to do and does it, so that running it once more,
/// or on two nodes at a time, changes nothing.
pub struct Job {
    /// Unique; names the job in logs.
    pub name: &'static str,
    /// How long it rests between two runs.
    pub every: Duration,
    /// What ends its rest early, if anything does.
    pub bell: Option<Arc<Notify>>,
    /// One run.
    pub run: Box<dyn Fn() -> BoxFuture<'static, Result<()>> + Send + Sync>,
}

impl Job {
    /// A job that calls `run` on what it is given.
    pub fn new<S, F>(name: &'static str, every: Duration, of: &Arc<S>, run: F) -> Self
    where
        S: Send + Sync + 'static,
        F: Fn(Arc<S>) -> BoxFuture<'static, Result<()>> + Send + Sync + 'static,
    {
        let of = of.clone();
        Self { name, every, bell: None, run: Box::new(move || run(of.clone())) }
    }

    /// The same job, run also when the bell rings.
    #[must_use]
    pub fn called_by(mut self, bell: Arc<Notify>) -> Self {
        self.bell = Some(bell);
        self
    }
}
