//! Request limits per IP address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use agio_core::networks::limit_key;
use agio_core::{Error, ErrorKind, Result, Timestamp};

/// The maximum number of tracked addresses. Beyond it, full buckets are dropped.
const ADDRESSES_MAX: usize = 100_000;

/// A token bucket per address (per /64 network for IPv6), refilled evenly over a minute. Each node allows its share, because a balancer
/// spreads the requests of an address over all nodes.
pub struct RateLimit {
    per_minute: u32,
    nodes: Arc<AtomicU32>,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    /// In microseconds. A request costs a minute divided by the limit.
    credit: i64,
    updated: Timestamp,
}

const MINUTE: i64 = 60_000_000;

impl RateLimit {
    /// The limit of all nodes together, whose number may change. 0 means no limit.
    pub fn new(per_minute: u32, nodes: Arc<AtomicU32>) -> Self {
        Self { per_minute, nodes, buckets: Mutex::default() }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// 429 `too_many_requests` with the seconds to wait.
    pub fn count(&self, address: IpAddr, now: Timestamp) -> Result<()> {
        if self.per_minute == 0 {
            return Ok(());
        }
        let share = (self.per_minute / self.nodes.load(Ordering::Relaxed)).max(1);
        let (address, cost) = (limit_key(address), MINUTE / i64::from(share));
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= ADDRESSES_MAX && !buckets.contains_key(&address) {
            // A full bucket is the same as no bucket.
            buckets.retain(|_, bucket| now.0 - bucket.updated.0 < MINUTE - bucket.credit);
        }
        let bucket = buckets.entry(address).or_insert(Bucket { credit: MINUTE, updated: now });
        bucket.credit = (bucket.credit + (now.0 - bucket.updated.0).max(0)).min(MINUTE);
        bucket.updated = now;
        if bucket.credit < cost {
            let wait = (cost - bucket.credit).unsigned_abs().div_ceil(1_000_000);
            return Err(Error::new(ErrorKind::TooManyRequests, "too_many_requests").retry_after(wait));
        }
        bucket.credit -= cost;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_node() -> Arc<AtomicU32> {
        Arc::new(AtomicU32::new(1))
    }

    #[test]
    fn an_address_may_use_a_minutes_requests_at_once_and_then_waits() {
        let limit = RateLimit::new(60, one_node());
        let (address, start) = (IpAddr::from([192, 0, 2, 1]), Timestamp(0));
        for _ in 0..60 {
            limit.count(address, start).unwrap();
        }
        assert_eq!(limit.count(address, start).unwrap_err().retry_after_seconds(), Some(1));
        limit.count(IpAddr::from([192, 0, 2, 2]), start).unwrap();
        limit.count(address, Timestamp(1_000_000)).unwrap();
        limit.count(address, Timestamp(1_000_001)).unwrap_err();
    }

    #[test]
    fn an_ipv6_network_counts_as_one_address() {
        let limit = RateLimit::new(2, one_node());
        for last in [1, 2] {
            limit.count(format!("2001:db8:1:2::{last}").parse().unwrap(), Timestamp(0)).unwrap();
        }
        limit.count("2001:db8:1:2:3::".parse().unwrap(), Timestamp(0)).unwrap_err();
        limit.count("2001:db8:1:3::1".parse().unwrap(), Timestamp(0)).unwrap();
    }
}
