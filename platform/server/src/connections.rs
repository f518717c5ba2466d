//! HTTP connections with limits and timeouts.
//!
//! The head of a request, its body, the reading of the response and idle time each have a timeout. A client that stops
//! in the middle of a body costs one connection and a buffer of at most 64 KiB.

mod body;
mod client;
mod listener;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::networks::{Networks, limit_key};

pub use listener::Listener;

#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// The maximum number of open connections.
    pub total: usize,
    /// The maximum per IP address (per /64 network for IPv6). Trusted proxies are exempt.
    pub per_address: usize,
    pub proxies: Networks,
    /// The timeout of a request head, from its first byte or the start of the connection.
    pub head: Duration,
    /// The timeout between requests.
    pub idle: Duration,
    /// The timeout of a body or response without progress.
    pub stall: Duration,
    /// The minimum rate of a body, after `stall`.
    pub body_bytes_per_second: u32,
    /// The timeout of a whole response over HTTP/2. Event streams are exempt.
    pub http2_response: Duration,
}

pub(crate) struct OpenConnections {
    limits: Arc<ConnectionLimits>,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

impl OpenConnections {
    fn new(limits: Arc<ConnectionLimits>) -> Arc<Self> {
        Arc::new(Self { limits, counts: Mutex::default() })
    }

    /// Counts a connection until its permit is dropped. `None` if a limit is reached.
    fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<Permit> {
        let key = (!self.limits.proxies.contains(peer)).then(|| limit_key(peer));
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.total >= self.limits.total {
            return None;
        }
        if let Some(key) = key {
            let of_address = counts.by_address.entry(key).or_default();
            if *of_address >= self.limits.per_address {
                return None;
            }
            *of_address += 1;
        }
        counts.total += 1;
        Some(Permit { open: self.clone(), key })
    }
}

/// Releases its connection when dropped.
struct Permit {
    open: Arc<OpenConnections>,
    key: Option<IpAddr>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.open.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.total -= 1;
        let Some(key) = self.key else { return };
        if let Some(of_address) = counts.by_address.get_mut(&key) {
            *of_address -= 1;
            if *of_address == 0 {
                counts.by_address.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests;
