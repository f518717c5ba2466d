//! Background jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Reviews;

pub fn all(reviews: &Arc<Reviews>) -> Vec<Job> {
    vec![
        // In case a notification of another node was missed.
        Job::new("reviews.published", Duration::from_secs(300), reviews, |reviews| Box::pin(async move { reviews.load().await })),
    ]
}
