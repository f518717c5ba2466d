//! Deadlines that several nodes keep at one moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agio_test_app::{Engine, TestApp};
use futures_util::future::join_all;
use serde_json::json;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::fixtures::TestCustomer;

const CLAIMS: usize = 40;

/// Counts the errors in the log.
#[derive(Clone, Default)]
struct ErrorCounter(Arc<AtomicUsize>);

impl Subscriber for ErrorCounter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::ERROR
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// On one thread, whose log is its own.
#[tokio::test]
async fn nodes_expire_each_claim_once_and_log_no_error() {
    let errors = ErrorCounter::default();
    let _counted = tracing::subscriber::set_default(errors.clone());
    let app = TestApp::start(Engine::Postgres).await;
    let limits = json!({ "claims.captcha": "false", "claims.unpaid_per_address": "0" });
    app.owner().await.put("/api/admin/v1/settings", limits).await.ok();
    let nodes = [app.another_node().await, app.another_node().await];
    let mut customers = Vec::new();
    for _ in 0..CLAIMS {
        customers.push(TestCustomer::orders(&app, "0.001").await);
    }
    app.advance_clock(Duration::from_secs(24 * 60 * 60));

    // Somebody is at the first claim, so no node ends it, and none waits.
    let held = app.database().hold_lock(&format!("SELECT 1 FROM claim WHERE id = '{}' FOR UPDATE", customers[0].id)).await;
    let jobs: Vec<_> = nodes.iter().map(|node| node.server.jobs()).collect();
    let all = jobs.iter().map(|jobs| async { (jobs.iter().find(|job| job.name == "claims.deadlines").unwrap().run)().await });
    join_all(all).await.into_iter().for_each(Result::unwrap);
    assert_eq!(customers[0].status().await, "created");
    held.release().await;
    let again = nodes.iter().map(|node| node.advance_and_run_jobs(Duration::from_secs(1)));
    join_all(again).await;

    for customer in &customers {
        assert_eq!(customer.status().await, "expired");
    }
    assert_eq!(errors.0.load(Ordering::Relaxed), 0);
    app.assert_ledger_is_clean().await;
}
