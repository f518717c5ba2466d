//! What is done again and again: the house's own jobs, and running them and the modules'.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;
use agio_core::{idempotency, outbox};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long an answer is kept for a repeated request.
const ANSWERS_KEPT: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// How long a message is kept after it left.
const MESSAGES_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What the house does itself, beside its modules.
pub fn of_the_house(app: &Arc<App>) -> Vec<Job> {
    vec![
        Job::new("ledger.check", Duration::from_secs(300), app, |app| Box::pin(async move { app.check_books().await.map(drop) })),
        Job::new("ledger.reserves", Duration::from_secs(10), app, |app| {
            Box::pin(async move { app.ledger.reserves().load(&app.platform.db).await })
        }),
        Job::new("platform.settings", Duration::from_secs(5), app, |app| {
            Box::pin(async move { app.platform.settings.load(&app.platform.db).await })
        }),
        Job::new("platform.answers", HOUR, app, |app| {
            Box::pin(async move {
                let kept_since = app.platform.clock.now().minus(ANSWERS_KEPT);
                idempotency::forget_before(&app.platform.db, kept_since).await.map(drop)
            })
        }),
        // A message of this node rings; those of other nodes, and those that failed before, are found in time.
        Job::new("platform.courier", Duration::from_secs(5), app, |app| Box::pin(async move { app.courier.run().await }))
            .called_by(app.platform.outbox.bell()),
        Job::new("platform.messages", HOUR, app, |app| {
            Box::pin(async move {
                let kept_since = app.platform.clock.now().minus(MESSAGES_KEPT);
                outbox::forget_before(&app.platform, kept_since).await.map(drop)
            })
        }),
        Job::new("platform.audit", DAY, app, |app| Box::pin(async move { app.prove_audit().await.map(drop) })),
        // After what it tells of.
        Job::new("platform.alerts", Duration::from_secs(60), app, |app| Box::pin(async move { app.alert().await })),
    ]
}

/// Runs every job at its pace until the set is dropped. A job that fails is logged and runs again.
pub fn start(jobs: Arc<Vec<Job>>) -> JoinSet<()> {
    let mut running = JoinSet::new();
    for position in 0..jobs.len() {
        let jobs = jobs.clone();
        running.spawn(async move {
            let job = &jobs[position];
            let mut pace = interval(job.every);
            pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    _ = pace.tick() => {}
                    () = called(job) => pace.reset(),
                }
                if let Err(error) = (job.run)().await {
                    tracing::warn!(job = job.name, %error, "a job failed and will run again");
                }
            }
        });
    }
    running
}

/// Waits for the job's bell; for ever where it has none.
async fn called(job: &Job) {
    match &job.bell {
        Some(bell) => bell.notified().await,
        None => std::future::pending().await,
    }
}
