//! Background jobs of the calculator.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Calculator;

/// How often the market is reloaded, for changes by other nodes and for outdated rates.
const RELOAD_EVERY: Duration = Duration::from_secs(10);

/// How often the age of the quote key is checked.
const ROTATE_EVERY: Duration = Duration::from_secs(60 * 60);

pub(crate) fn jobs(calculator: &Arc<Calculator>) -> Vec<Job> {
    vec![
        Job::new("calculator.market", RELOAD_EVERY, calculator, |calculator| Box::pin(async move { calculator.load().await })),
        Job::new("calculator.quote_key", ROTATE_EVERY, calculator, |calculator| {
            Box::pin(async move { calculator.rotate_quote_key_if_due().await })
        }),
    ]
}
