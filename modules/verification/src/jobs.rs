//! Background jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Verification;

pub fn all(verification: &Arc<Verification>) -> Vec<Job> {
    vec![Job::new("verification.photos", Duration::from_secs(3_600), verification, |verification| {
        Box::pin(async move { verification.delete_old_photos().await })
    })]
}
