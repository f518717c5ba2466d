//! What happens to claims by itself.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Claims;

/// The jobs of the module.
pub fn all(claims: &Arc<Claims>) -> Vec<Job> {
    vec![
        Job::new("claims.deadlines", Duration::from_secs(1), claims, |claims| Box::pin(async move { claims.run_due().await })),
        // At its own pace and not when something was asked for: what the house does then would tell whether there are claims.
        Job::new("claims.searches", Duration::from_secs(1), claims, |claims| {
            Box::pin(async move { claims.answer_searches().await })
        }),
        Job::new("claims.readable", Duration::from_secs(60), claims, |claims| {
            Box::pin(async move { claims.stop_unreadable().await })
        }),
        Job::new("claims.letters", Duration::from_secs(60), claims, |claims| {
            Box::pin(async move { claims.sum_up_held_letters().await })
        }),
        Job::new("claims.receipts", Duration::from_secs(3_600), claims, |claims| {
            Box::pin(async move { claims.delete_old_receipts().await })
        }),
    ]
}
