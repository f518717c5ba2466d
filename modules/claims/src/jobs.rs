//! Background jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Claims;

pub fn all(claims: &Arc<Claims>) -> Vec<Job> {
    vec![
        Job::new("claims.deadlines", Duration::from_secs(1), claims, |claims| Box::pin(async move { claims.run_due().await })),
        Job::new("claims.emails", Duration::from_secs(5), claims, |claims| {
            Box::pin(async move { claims.send_due_emails().await })
        }),
        // On a schedule and not on request: the timing would reveal whether there are claims.
        Job::new("claims.searches", Duration::from_secs(1), claims, |claims| {
            Box::pin(async move { claims.process_searches().await })
        }),
        Job::new("claims.readable", Duration::from_secs(60), claims, |claims| {
            Box::pin(async move { claims.hold_unreadable_claims().await })
        }),
        Job::new("claims.letters", Duration::from_secs(60), claims, |claims| {
            Box::pin(async move { claims.send_held_summaries().await })
        }),
        Job::new("claims.receipts", Duration::from_secs(3_600), claims, |claims| {
            Box::pin(async move { claims.delete_old_receipts().await })
        }),
        Job::new("claims.masking", Duration::from_secs(3_600), claims, |claims| {
            Box::pin(async move { claims.mask_old_claims().await })
        }),
    ]
}
