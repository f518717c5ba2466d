//! Background jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Referral;

pub fn all(referral: &Arc<Referral>) -> Vec<Job> {
    vec![Job::new("referral.release", Duration::from_secs(60), referral, |referral| {
        Box::pin(async move { referral.unlock_due().await })
    })]
}
