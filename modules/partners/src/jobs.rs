//! What happens by itself.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Partners;

/// The jobs of the module.
pub fn all(partners: &Arc<Partners>) -> Vec<Job> {
    vec![
        Job::new("partners.nonces", Duration::from_secs(60), partners, |partners| {
            Box::pin(async move { partners.forget_nonces().await })
        }),
        Job::new("partners.rehearsals", Duration::from_secs(60 * 60), partners, |partners| {
            Box::pin(async move { partners.forget_rehearsals().await })
        }),
        // Words of other nodes can be lost.
        Job::new("partners.keys", Duration::from_secs(10), partners, |partners| Box::pin(async move { partners.load().await })),
    ]
}
