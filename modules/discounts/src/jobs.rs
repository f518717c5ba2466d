//! What happens to discounts by itself.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Discounts;

/// The jobs of the module.
pub fn all(discounts: &Arc<Discounts>) -> Vec<Job> {
    vec![Job::new("discounts.worths", Duration::from_secs(60), discounts, |discounts| {
        Box::pin(async move { discounts.count_what_waits().await })
    })]
}
