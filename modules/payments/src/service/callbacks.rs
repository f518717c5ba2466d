//! Callbacks: a driver's gateway or node reports that something has happened. Then the driver is asked at once for
//! payments, and for the outcome of what it sent; what a callback says counts for nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::{Result, Timestamp};
use futures_util::future::join_all;
use tokio::sync::Notify;

use super::Payments;

/// The shortest time between two polls of a driver because of callbacks.
const PAUSE: Duration = Duration::from_secs(1);

/// The drivers with callbacks.
#[derive(Default)]
pub struct Callbacks {
    /// Wakes the job that polls them.
    pub wakeup: Arc<Notify>,
    drivers: Mutex<BTreeMap<String, DriverCallbacks>>,
}

#[derive(Default)]
struct DriverCallbacks {
    /// Whether one came after the last poll began.
    is_waiting: bool,
    polled_at: Option<Timestamp>,
}

impl Callbacks {
    fn add(&self, driver: &str) {
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        drivers.entry(driver.to_owned()).or_default().is_waiting = true;
        self.wakeup.notify_one();
    }

    /// The drivers to poll now. The others wait until their pause is over.
    fn take_due(&self, now: Timestamp) -> BTreeSet<String> {
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = |callbacks: &DriverCallbacks| {
            callbacks.is_waiting && callbacks.polled_at.is_none_or(|polled_at| polled_at.plus(PAUSE) <= now)
        };
        let due = drivers.iter_mut().filter(|(_, callbacks)| is_due(callbacks)).map(|(driver, callbacks)| {
            *callbacks = DriverCallbacks { is_waiting: false, polled_at: Some(now) };
            driver.clone()
        });
        due.collect()
    }
}

impl Payments {
    /// Polls a driver soon, because its gateway or node has called. Callbacks in quick succession lead to one poll a second.
    pub fn poll_soon(&self, driver: &str) {
        self.callbacks.add(driver);
    }

    /// Polls the drivers that are due after a callback.
    pub async fn poll_after_callbacks(self: &Arc<Self>) -> Result<()> {
        let due = self.callbacks.take_due(self.platform.clock.now());
        if due.is_empty() {
            return Ok(());
        }
        let routes = self.routes().await?;
        let called = routes.iter().filter(|route| due.contains(&route.driver));
        let watched: Result<()> = join_all(called.map(|route| self.watch(route))).await.into_iter().collect();
        let queried: Result<()> = join_all(due.iter().map(|driver| self.query_attempts_of(driver))).await.into_iter().collect();
        watched.and(queried)
    }
}
