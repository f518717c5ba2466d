//! What the calculator does by itself.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Calculator;

/// How often the market is read anew: what other nodes changed comes in, and rates that have grown old stop their pairs.
const RELOAD_EVERY: Duration = Duration::from_secs(10);

/// How often it is looked whether the key of quotes is old.
const ROTATE_EVERY: Duration = Duration::from_secs(60 * 60);

pub(crate) fn jobs(calculator: &Arc<Calculator>) -> Vec<Job> {
    vec![
        Job::new("calculator.market", RELOAD_EVERY, calculator, |calculator| Box::pin(async move { calculator.load().await })),
        Job::new("calculator.quote_key", ROTATE_EVERY, calculator, |calculator| {
            Box::pin(async move { calculator.rotate_quote_key_if_due().await })
        }),
    ]
}
