//! Connections: accepted within caps, spoken HTTP with, and closed when their client does not get on.
//!
//! A client is waited for thrice: for the head of a request, for its body, and until it takes the answer. Each wait is bounded, and so is a
//! connection nothing is asked over. A client that leaves a body half sent costs one connection and a buffer of 64 KiB at most.

mod body;
mod client;
mod listener;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::networks::{Networks, limit_key};

pub use listener::Listener;

/// What connections are held to.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// How many may be open.
    pub total: usize,
    /// How many may be open to one address, which of IPv6 is a /64 network. Trusted proxies have no such bound.
    pub per_address: usize,
    /// Proxies in front of the server.
    pub proxies: Networks,
    /// How long the head of a request may take, from its first byte or the opening of the connection.
    pub head: Duration,
    /// How long a connection may wait for its next request.
    pub idle: Duration,
    /// How long a client may send nothing of a body it has begun, and take nothing of an answer.
    pub stall: Duration,
    /// What of a body must come in a second, after `stall`.
    pub body_bytes_per_second: u32,
    /// How long an answer over HTTP/2 may take to be taken. Live streams may take as long as they last.
    pub answer: Duration,
}

/// The connections that are open.
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

    /// Counts a connection from an address, until the permit is dropped; nothing where there are as many as may be.
    fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<Permit> {
        let key = (!self.limits.proxies.contain(peer)).then(|| limit_key(peer));
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

/// The right to be open, given back when it is dropped.
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
