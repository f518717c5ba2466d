//! Lists of addresses and networks, as an operator writes them.

use std::net::IpAddr;

/// Addresses and networks: `178.32.48.31, 2001:db8::/32`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks(Vec<(IpAddr, u32)>);

impl Networks {
    /// Reads a list parted by commas; nothing where an entry is neither an address nor a network.
    #[must_use]
    pub fn parse(list: &str) -> Option<Self> {
        list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(network).collect::<Option<_>>().map(Self)
    }

    /// Whether an address is in one of them.
    #[must_use]
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|&(network, bits)| match (network, address) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => prefix(network, bits) == prefix(address, bits),
            _ => false,
        })
    }
}

fn network(entry: &str) -> Option<(IpAddr, u32)> {
    let (address, bits) = entry.split_once('/').map_or((entry, None), |(address, bits)| (address, Some(bits)));
    let address: IpAddr = address.parse().ok()?;
    let width = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.map_or(Some(width), |bits| bits.parse().ok())?;
    (bits <= width).then_some((address, bits))
}

/// The first bits of an address.
fn prefix(address: IpAddr, bits: u32) -> u128 {
    let (value, width) = match address {
        IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
        IpAddr::V6(address) => (u128::from(address), 128),
    };
    value.checked_shr(width - bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(list: &str, address: &str) -> bool {
        Networks::parse(list).expect("a list").contain(address.parse().expect("an address"))
    }

    #[test]
    fn an_address_is_in_its_network_and_in_no_other() {
        let list = "178.32.48.31, 10.20.0.0/16, 2001:db8::/32";
        for inside in ["178.32.48.31", "10.20.255.1", "2001:db8:7::1"] {
            assert!(contains(list, inside), "{inside}");
        }
        for outside in ["178.32.48.32", "10.21.0.1", "2001:db9::1", "::ffff:10.20.0.1"] {
            assert!(!contains(list, outside), "{outside}");
        }
        assert!(contains("0.0.0.0/0", "203.0.113.9"));
        assert!(!contains("", "203.0.113.9"));
    }

    #[test]
    fn what_is_no_address_is_not_read() {
        for wrong in ["bestchange", "10.0.0.0/33", "10.0.0", "::1/129", "10.0.0.1/-1", "10.0.0.1 10.0.0.2"] {
            assert_eq!(Networks::parse(wrong), None, "{wrong}");
        }
    }
}
