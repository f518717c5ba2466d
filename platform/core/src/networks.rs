//! Network addresses: the networks an operator lists, and the addresses that rate limits count.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A network in CIDR notation: `192.0.2.0/24`. A plain address is the network of that address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// An IPv4-mapped IPv6 address counts as the IPv4 address.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                prefix(own.to_bits().into(), self.bits, 32) == prefix(other.to_bits().into(), self.bits, 32)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                prefix(own.to_bits(), self.bits, 128) == prefix(other.to_bits(), self.bits, 128)
            }
            _ => false,
        }
    }
}

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self { address, bits: if address.is_ipv4() { 32 } else { 128 } }
    }
}

/// The first `bits` of a number of `width` bits.
fn prefix(number: u128, bits: u32, width: u32) -> u128 {
    number.checked_shr(width - bits).unwrap_or(0)
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || format!("{text:?} is no network");
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| unknown())?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => width,
            Some(bits) if bits.bytes().all(|byte| byte.is_ascii_digit()) => bits.parse().map_err(|_| unknown())?,
            Some(_) => return Err(unknown()),
        };
        if bits > width { Err(unknown()) } else { Ok(Self { address, bits }) }
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A list of addresses and networks: `178.32.48.31, 2001:db8::/32`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Networks(Vec<Network>);

impl Networks {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses a comma-separated list; `None` if an entry is invalid.
    #[must_use]
    pub fn parse(list: &str) -> Option<Self> {
        let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(|entry| entry.parse().ok()).collect::<Option<_>>().map(Self)
    }

    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

impl FromIterator<Network> for Networks {
    fn from_iter<I: IntoIterator<Item = Network>>(networks: I) -> Self {
        Self(networks.into_iter().collect())
    }
}

/// The address that rate limits count: an IPv4 address, or the /64 network of an IPv6 address, because one subscriber
/// has all addresses in it.
#[must_use]
pub fn limit_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        let is_in = |network: &str, address: &str| network.parse::<Network>().unwrap().contains(address.parse().unwrap());
        assert!(is_in("192.0.2.0/24", "192.0.2.255"));
        assert!(!is_in("192.0.2.0/24", "192.0.3.0"));
        assert!(is_in("192.0.2.7", "192.0.2.7") && !is_in("192.0.2.7", "192.0.2.8"));
        assert!(is_in("192.0.2.0/24", "::ffff:192.0.2.9"));
        assert!(is_in("2001:db8::/32", "2001:db8:1::1") && !is_in("2001:db8::/32", "2001:db9::1"));
        assert!(is_in("0.0.0.0/0", "203.0.113.9") && !is_in("0.0.0.0/0", "2001:db8::1"));
    }

    #[test]
    fn a_list_contains_the_addresses_of_its_networks() {
        let list = Networks::parse("178.32.48.31, 10.20.0.0/16, 2001:db8::/32").unwrap();
        for inside in ["178.32.48.31", "10.20.255.1", "::ffff:10.20.0.1", "2001:db8:7::1"] {
            assert!(list.contains(inside.parse().unwrap()), "{inside}");
        }
        for outside in ["178.32.48.32", "10.21.0.1", "2001:db9::1"] {
            assert!(!list.contains(outside.parse().unwrap()), "{outside}");
        }
        assert!(!Networks::parse("").unwrap().contains(IpAddr::from([203, 0, 113, 9])));
    }

    #[test]
    fn invalid_networks_are_refused() {
        for text in [
            "bestchange",
            "10.0.0",
            "192.0.2.0/33",
            "192.0.2.0/",
            "192.0.2.0/+8",
            "10.0.0.1/-1",
            "::1/129",
            "192.0.2.0/24/8",
            "10.0.0.1 10.0.0.2",
        ] {
            text.parse::<Network>().unwrap_err();
            assert_eq!(Networks::parse(text), None, "{text}");
        }
    }

    #[test]
    fn limit_keys_are_per_subscriber() {
        let of = |text: &str| limit_key(text.parse().unwrap()).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:2::1"), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:3::1"), "2001:db8:1:3::");
        assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(of("192.0.2.2"), "192.0.2.2");
    }
}
