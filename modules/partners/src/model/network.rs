//! Networks a key may be used from.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A network in the notation `192.0.2.0/24`; an address alone is the network of that address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Whether an address is in it. An IPv4 address that comes in the clothes of IPv6 is the IPv4 address.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                top(own.to_bits().into(), self.bits, 32) == top(other.to_bits().into(), self.bits, 32)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => top(own.to_bits(), self.bits, 128) == top(other.to_bits(), self.bits, 128),
            _ => false,
        }
    }
}

/// The first `bits` of a number of `width` bits.
fn top(number: u128, bits: u32, width: u32) -> u128 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_its_networks() {
        let is_in = |network: &str, address: &str| network.parse::<Network>().unwrap().contains(address.parse().unwrap());
        assert!(is_in("192.0.2.0/24", "192.0.2.255"));
        assert!(!is_in("192.0.2.0/24", "192.0.3.0"));
        assert!(is_in("192.0.2.7", "192.0.2.7") && !is_in("192.0.2.7", "192.0.2.8"));
        assert!(is_in("192.0.2.0/24", "::ffff:192.0.2.9"));
        assert!(is_in("2001:db8::/32", "2001:db8:1::1") && !is_in("2001:db8::/32", "2001:db9::1"));
        assert!(is_in("0.0.0.0/0", "203.0.113.9") && !is_in("0.0.0.0/0", "2001:db8::1"));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in
            ["", "192.0.2", "192.0.2.0/33", "192.0.2.0/", "192.0.2.0/+8", "example.com", "::/129", "192.0.2.0/24/8", "1.2.3.4 "]
        {
            assert!(text.parse::<Network>().is_err(), "{text:?}");
        }
    }
}
