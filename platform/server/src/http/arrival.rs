//! What arrives of a request that passed the proxies. Only `agio doctor` is told: it proves that it has the server's keys.

use std::net::IpAddr;

use agio_core::clock::Clock;
use agio_core::{Timestamp, Vault};
use poem::http::HeaderMap;
use serde::{Deserialize, Serialize};

use super::client_address::ProxyHeader;

/// The header that carries the proof.
pub const HEADER: &str = "x-agio-doctor";

const PURPOSE: &str = "agio doctor";

/// How long a proof is valid, in microseconds. The clocks of two machines may differ.
const VALIDITY: i64 = 5 * 60 * 1_000_000;

/// Where a request came from, as the server sees it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Arrival {
    /// The other end of the connection.
    pub peer: IpAddr,
    /// The client that limits and the audit log count.
    pub client: IpAddr,
    /// The lines of the header with the client address.
    pub lines: Vec<String>,
}

/// A peer's address, which the client's replaces in a request.
#[derive(Clone, Copy)]
pub(super) struct PeerAddress(pub IpAddr);

impl Arrival {
    pub(super) fn new(peer: IpAddr, client: IpAddr, headers: &HeaderMap, header: ProxyHeader) -> Self {
        let lines = headers.get_all(header.name()).iter().map(|line| String::from_utf8_lossy(line.as_bytes()).into_owned());
        Self { peer, client, lines: lines.collect() }
    }
}

/// Proves that its sender has the keys.
pub fn proof(vault: &Vault, clock: &dyn Clock) -> String {
    vault.seal(PURPOSE, clock.now().0.to_string().as_bytes())
}

pub(super) fn is_valid(proof: &str, vault: &Vault, now: Timestamp) -> bool {
    let made = vault.open_text(PURPOSE, proof).ok().and_then(|made| made.parse::<i64>().ok());
    made.is_some_and(|made| made.abs_diff(now.0) < VALIDITY.unsigned_abs())
}
