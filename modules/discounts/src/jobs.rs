//! Background jobs of discounts.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Discounts;

pub fn all(discounts: &Arc<Discounts>) -> Vec<Job> {
    vec![Job::new("discounts.pending_exchanges", Duration::from_secs(60), discounts, |discounts| {
        Box::pin(async move { discounts.count_pending_exchanges().await })
    })]
}
