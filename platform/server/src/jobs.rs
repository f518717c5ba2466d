//! Running what modules do by themselves.

use std::sync::Arc;

use agio_core::module::Job;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

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
                pace.tick().await;
                if let Err(error) = (job.run)().await {
                    tracing::warn!(job = job.name, %error, "a job failed and will run again");
                }
            }
        });
    }
    running
}
