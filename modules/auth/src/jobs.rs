//! Background jobs, and what is deleted when.

use std::sync::Arc;
use std::time::Duration;

use agio_core::delete_rows;
use agio_core::module::Job;
use agio_core::retention::RetentionRule;

use crate::auth::Auth;
use crate::secrets::DEVICE_RETENTION;
use crate::sessions::ENDED_RETENTION;

/// Retention of attempt counters. By then every attempt has decayed.
const ATTEMPT_RETENTION: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// Retention of requests that were given up: long enough for the alert.
const FAILED_REQUEST_RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

pub const RETENTION: &[RetentionRule] = &[
    RetentionRule {
        name: "attempt",
        delete: delete_rows!("attempt", "counter", "at < $1"),
        before: |_, now| now.minus(ATTEMPT_RETENTION).0,
    },
    RetentionRule {
        name: "account_link",
        delete: delete_rows!("account_link", "account_id, purpose", "expires_at < $1"),
        before: |_, now| now.0,
    },
    RetentionRule {
        name: "known_device",
        delete: delete_rows!("known_device", "account_id, digest", "used_at < $1"),
        before: |_, now| now.minus(DEVICE_RETENTION).0,
    },
    RetentionRule {
        name: "customer_request",
        delete: delete_rows!("customer_request", "id", "given_up_at < $1"),
        before: |_, now| now.minus(FAILED_REQUEST_RETENTION).0,
    },
    // With its replaced refresh tokens.
    RetentionRule {
        name: "account_session, expired",
        delete: delete_rows!("account_session", "id", "expires_at < $1"),
        before: |_, now| now.minus(ENDED_RETENTION).0,
    },
    RetentionRule {
        name: "account_session, ended",
        delete: delete_rows!("account_session", "id", "ended_at < $1"),
        before: |_, now| now.minus(ENDED_RETENTION).0,
    },
];

pub fn all(auth: &Arc<Auth>) -> Vec<Job> {
    vec![
        // Sessions and keys from other nodes arrive by notification; this is the fallback.
        Job::new("auth.sessions", Duration::from_secs(2), auth, |auth| Box::pin(async move { auth.load().await })),
        // On a schedule and not within the request, whose timing would reveal whether an account exists.
        Job::new("auth.requests", Duration::from_secs(1), auth, |auth| Box::pin(async move { auth.process_requests().await })),
    ]
}
