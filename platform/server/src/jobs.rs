//! Recurring jobs: those of the platform, and the scheduler of all jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;
use agio_core::{idempotency, outbox};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long responses are kept for repeated requests.
const RESPONSE_RETENTION: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// How long delivered messages are kept.
const MESSAGE_RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The jobs that belong to no module.
pub fn platform_jobs(app: &Arc<App>) -> Vec<Job> {
    vec![
        Job::new("ledger.check", Duration::from_secs(300), app, |app| {
            Box::pin(async move { app.check_ledger().await.map(drop) })
        }),
        Job::new("ledger.reserves", Duration::from_secs(10), app, |app| {
            Box::pin(async move { app.ledger.reserves().load(&app.platform.db).await })
        }),
        // In case a market file was applied by another process.
        Job::new("platform.icons", Duration::from_secs(10), app, |app| Box::pin(async move { app.brands.load_icons().await })),
        Job::new("platform.settings", Duration::from_secs(5), app, |app| {
            Box::pin(async move { app.platform.settings.load(&app.platform.db).await })
        }),
        Job::new("platform.answers", HOUR, app, |app| {
            Box::pin(async move {
                let oldest = app.platform.clock.now().minus(RESPONSE_RETENTION);
                idempotency::delete_before(&app.platform.db, oldest).await.map(drop)
            })
        }),
        Job::new("platform.storage", Duration::from_secs(5), app, |app| Box::pin(async move { app.platform.db.probe().await })),
        // A new message of this node wakes the job. It finds messages of other nodes, and failed ones, at its interval.
        Job::new("platform.outbox", Duration::from_secs(5), app, |app| Box::pin(async move { app.outbox_worker.run().await }))
            .woken_by(app.platform.outbox.wakeup()),
        Job::new("platform.messages", HOUR, app, |app| {
            Box::pin(async move {
                let oldest = app.platform.clock.now().minus(MESSAGE_RETENTION);
                outbox::delete_delivered_before(&app.platform, oldest).await.map(drop)
            })
        }),
        Job::new("platform.audit", DAY, app, |app| Box::pin(async move { app.verify_audit_chain().await.map(drop) })),
        // Last, after the jobs that it reports on.
        Job::new("platform.alerts", Duration::from_secs(60), app, |app| Box::pin(async move { app.send_staff_alerts().await })),
    ]
}

/// Runs every job at its interval until the set is dropped. Failures are logged.
pub fn start(app: &App) -> JoinSet<()> {
    let (jobs, mut running) = (Arc::new(app.jobs()), JoinSet::new());
    for position in 0..jobs.len() {
        let (jobs, metrics, clock) = (jobs.clone(), app.metrics.clone(), app.platform.clock.clone());
        metrics.add_job(jobs[position].name, jobs[position].every, clock.now());
        running.spawn(async move {
            let job = &jobs[position];
            let mut pace = interval(job.every);
            pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    _ = pace.tick() => {}
                    () = wakeup(job) => pace.reset(),
                }
                let outcome = (job.run)().await;
                metrics.count_job(job.name, outcome.is_ok(), clock.now());
                if let Err(error) = outcome {
                    tracing::warn!(job = job.name, %error, "a job failed and will run again");
                }
            }
        });
    }
    running
}

/// Waits until the job is woken. Never returns if it has no wakeup.
async fn wakeup(job: &Job) {
    match &job.wakeup {
        Some(wakeup) => wakeup.notified().await,
        None => std::future::pending().await,
    }
}
