//! Recurring jobs: those of the platform, and the scheduler of all jobs.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agio_core::full_check::CheckedSubject;
use agio_core::module::Job;
use agio_core::{Result, full_check, retention};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The pause before the first check of the ledger is tried again.
const FIRST_CHECK_PAUSE: Duration = Duration::from_secs(1);

/// How often rows that are due are deleted.
const RETENTION_INTERVAL: Duration = Duration::from_secs(300);

/// The jobs that belong to no module.
pub fn platform_jobs(app: &Arc<App>) -> Vec<Job> {
    vec![
        Job::new("ledger.check", Duration::from_secs(300), app, |app| Box::pin(check_ledger(app))),
        Job::new("ledger.full_check", HOUR, app, |app| {
            Box::pin(async move {
                let (db, now) = (&app.platform.db, app.platform.clock.now());
                match full_check::is_due(db, CheckedSubject::Ledger, now).await? {
                    true => app.check_ledger().await.map(drop),
                    false => Ok(()),
                }
            })
        }),
        Job::new("ledger.reserves", Duration::from_secs(10), app, |app| {
            Box::pin(async move { app.ledger.reserves().load(&app.platform.db).await })
        }),
        // Nodes come and go; limits are shared among them.
        Job::new("platform.nodes", Duration::from_secs(5), app, |app| {
            Box::pin(async move {
                app.node_count.store(app.platform.db.count_nodes().await?, Ordering::Relaxed);
                Ok(())
            })
        }),
        // In case a market file was applied by another process.
        Job::new("platform.brand", Duration::from_secs(10), app, |app| Box::pin(async move { app.brands.refresh().await })),
        Job::new("platform.settings", Duration::from_secs(5), app, |app| {
            Box::pin(async move { app.platform.settings.load(&app.platform.db).await })
        }),
        Job::new("platform.retention", RETENTION_INTERVAL, app, |app| {
            Box::pin(async move {
                for rule in app.retention() {
                    retention::delete_due(&app.platform, &rule).await?;
                }
                Ok(())
            })
        }),
        Job::new("platform.storage", Duration::from_secs(5), app, |app| Box::pin(async move { app.platform.db.probe().await })),
        // Asks messengers while a customer has a link of one open.
        Job::new("platform.chats", Duration::from_secs(3), app, |app| {
            Box::pin(async move { app.push.subscribe_started_chats().await })
        }),
        // A new message of this node wakes the job. It finds messages of other nodes, and failed ones, at its interval.
        Job::new("platform.outbox", Duration::from_secs(5), app, |app| Box::pin(async move { app.outbox_worker.run().await }))
            .woken_by(app.platform.outbox.wakeup()),
        Job::new("platform.push", Duration::from_secs(5), app, |app| Box::pin(async move { app.push_worker.run().await }))
            .woken_by(app.push.wakeup()),
        Job::new("platform.audit", DAY, app, |app| {
            Box::pin(async move {
                let (db, now) = (&app.platform.db, app.platform.clock.now());
                match full_check::is_due(db, CheckedSubject::Audit, now).await? {
                    true => app.verify_audit_chain().await.map(drop),
                    false => app.verify_new_audit_entries().await,
                }
            })
        }),
        // Last, after the jobs that it reports on.
        Job::new("platform.alerts", Duration::from_secs(60), app, |app| Box::pin(async move { app.send_staff_alerts().await })),
    ]
}

/// Checks what has come into the ledger, and moves its checkpoint. The first check is tried until it succeeds: no claims
/// are accepted before.
async fn check_ledger(app: Arc<App>) -> Result<()> {
    while let Err(error) = app.check_new_entries().await {
        if app.ledger.last_check().at.is_some() {
            return Err(error);
        }
        tracing::warn!(%error, "the ledger could not be checked and will be again: no claims are accepted before");
        tokio::time::sleep(FIRST_CHECK_PAUSE).await;
    }
    // A difference that is mended later must not be in it.
    if app.ledger.is_clean() { app.ledger.move_checkpoint(&app.platform.db).await } else { Ok(()) }
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
