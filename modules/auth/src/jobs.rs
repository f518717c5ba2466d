//! Background jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::accounts::store as accounts;
use crate::auth::Auth;
use crate::customers::store as customers;
use crate::secrets::DEVICE_RETENTION;
use crate::{attempts, sessions};

/// Retention of attempt counters. By then every attempt has decayed.
const ATTEMPT_RETENTION: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// Retention of requests that were given up: long enough for the alert.
const FAILED_REQUEST_RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

pub fn all(auth: &Arc<Auth>) -> Vec<Job> {
    vec![
        // Sessions and keys from other nodes arrive by notification; this is the fallback.
        Job::new("auth.sessions", Duration::from_secs(2), auth, |auth| Box::pin(async move { auth.load().await })),
        // On a schedule and not within the request, whose timing would reveal whether an account exists.
        Job::new("auth.requests", Duration::from_secs(1), auth, |auth| Box::pin(async move { auth.process_requests().await })),
        Job::new("auth.cleanup", Duration::from_secs(60 * 60), auth, |auth| Box::pin(async move { auth.delete_expired().await })),
    ]
}

impl Auth {
    async fn delete_expired(self: Arc<Self>) -> agio_core::Result<()> {
        self.transaction((), |_, tx, (), now| {
            Box::pin(async move {
                attempts::delete_before(tx, now.minus(ATTEMPT_RETENTION)).await?;
                accounts::delete_expired_links(tx, now).await?;
                accounts::delete_old_devices(tx, now.minus(DEVICE_RETENTION)).await?;
                customers::delete_failed_requests(tx, now.minus(FAILED_REQUEST_RETENTION)).await?;
                sessions::store::delete_before(tx, now.minus(sessions::ENDED_RETENTION)).await
            })
        })
        .await
    }
}
