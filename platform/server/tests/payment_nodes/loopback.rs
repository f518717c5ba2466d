//! Addresses for nodes.

use std::net::{Ipv4Addr, TcpListener};

/// Held open at an address as long as a test has it.
const RESERVATION_PORT: u16 = 29_080;

/// The first address. Programs that know only 127.0.0.1 are elsewhere.
const FIRST: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 1);

/// A loopback address that belongs to one test, in whatever process. Its ports are free, also while a node restarts, so
/// a node that cannot bind them never finds its client talking to the node of another test.
pub struct LoopbackAddress {
    pub ip: Ipv4Addr,
    _reservation: TcpListener,
}

impl LoopbackAddress {
    pub fn reserve() -> Self {
        let reserve = |number| {
            let ip = Ipv4Addr::from(u32::from(FIRST) + number);
            Some(Self { ip, _reservation: TcpListener::bind((ip, RESERVATION_PORT)).ok()? })
        };
        (0..10_000).find_map(reserve).unwrap_or_else(|| panic!("no loopback address from {FIRST} on is free"))
    }
}
