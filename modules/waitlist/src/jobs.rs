//! Background jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Waitlist;

pub fn all(waitlist: &Arc<Waitlist>) -> Vec<Job> {
    vec![Job::new("waitlist.notifications", Duration::from_secs(20), waitlist, |waitlist| {
        Box::pin(async move { waitlist.notify().await })
    })]
}
