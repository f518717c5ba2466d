//! Background jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Partners;

pub fn all(partners: &Arc<Partners>) -> Vec<Job> {
    vec![
        // Notifications from other nodes can be lost.
        Job::new("partners.keys", Duration::from_secs(10), partners, |partners| Box::pin(async move { partners.load().await })),
    ]
}
