//! What is done again and again.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::attempts;
use crate::auth::Auth;

/// How long a count of attempts is kept: by then every one of them is forgotten.
const ATTEMPTS_KEPT: Duration = Duration::from_secs(2 * 24 * 60 * 60);

pub fn all(auth: &Arc<Auth>) -> Vec<Job> {
    vec![
        // Sessions that other nodes opened or ended, and keys they made, become known here: by a word of theirs, or at the latest now.
        Job::new("auth.sessions", Duration::from_secs(2), auth, |auth| Box::pin(async move { auth.load().await })),
        // At its own pace and not when something was asked for: what the house does then would tell whether there is an account.
        Job::new("auth.requests", Duration::from_secs(1), auth, |auth| Box::pin(async move { auth.answer_requests().await })),
        Job::new("auth.forgetting", Duration::from_secs(60 * 60), auth, |auth| {
            Box::pin(async move {
                let now = auth.platform.clock.now();
                attempts::forget_before(&auth.platform.db, now.minus(ATTEMPTS_KEPT)).await?;
                auth.forget_customers_traces(now).await?;
                auth.forget_staffs_traces(now).await?;
                auth.sessions.forget_old(&auth.platform).await
            })
        }),
    ]
}
