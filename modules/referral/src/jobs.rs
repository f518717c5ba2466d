//! What happens to referrers' money by itself.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Referral;

/// The jobs of the module.
pub fn all(referral: &Arc<Referral>) -> Vec<Job> {
    vec![
        Job::new("referral.release", Duration::from_secs(60), referral, |referral| {
            Box::pin(async move { referral.release_due().await })
        }),
        Job::new("referral.forget", Duration::from_secs(3_600), referral, |referral| {
            Box::pin(async move { referral.forget_traces().await })
        }),
    ]
}
