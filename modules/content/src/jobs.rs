//! Background jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Content;

pub fn all(content: &Arc<Content>) -> Vec<Job> {
    vec![
        // In case a notification of another node was missed.
        Job::new("content.texts", Duration::from_secs(300), content, |content| Box::pin(async move { content.reload().await })),
    ]
}
