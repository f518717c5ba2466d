//! The IP address of the client behind trusted proxies.

use std::net::{IpAddr, SocketAddr};

use agio_core::networks::Networks;
use poem::http::HeaderMap;
use serde::{Deserialize, Serialize};

/// The header in which trusted proxies write the client address. Only one is read: proxies pass the other one on as the
/// client sent it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProxyHeader {
    XForwardedFor,
    /// RFC 7239.
    Forwarded,
}

impl ProxyHeader {
    pub const fn name(self) -> &'static str {
        match self {
            Self::XForwardedFor => "x-forwarded-for",
            Self::Forwarded => "forwarded",
        }
    }
}

/// The maximum number of proxies in a chain.
const HOPS_MAX: usize = 16;

/// The peer's address, or the one the first trusted proxy reports. Every proxy appends the address of its own peer, so
/// the list is read from the end, up to the last entry that a trusted proxy wrote.
pub(super) fn client_address(peer: IpAddr, headers: &HeaderMap, header: ProxyHeader, proxies: &Networks) -> IpAddr {
    let mut client = peer.to_canonical();
    if !proxies.contains(client) {
        return client;
    }
    let lines: Vec<_> = headers.get_all(header.name()).iter().collect();
    let entries = lines.iter().rev().flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    for entry in entries.take(HOPS_MAX) {
        let entry = std::str::from_utf8(entry).unwrap_or_default();
        let named = match header {
            ProxyHeader::XForwardedFor => node(entry),
            ProxyHeader::Forwarded => forwarded_for(entry).and_then(node),
        };
        let Some(address) = named else { break };
        client = address;
        if !proxies.contains(client) {
            break;
        }
    }
    client
}

/// The `for` parameter of an element of `Forwarded`. Elements with a quoted comma or semicolon are ignored: addresses
/// contain neither.
fn forwarded_for(element: &str) -> Option<&str> {
    let mut named = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    let value = value.trim();
    match value.strip_prefix('"') {
        Some(rest) => rest.strip_suffix('"'),
        None => Some(value),
    }
}

/// An address, with or without a port.
fn node(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse::<SocketAddr>().map(|with_port| with_port.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::ProxyHeader::{Forwarded, XForwardedFor};
    use super::*;

    fn found(peer: &str, header: ProxyHeader, lines: &[&str]) -> String {
        let proxies = Networks::parse("127.0.0.1, 10.0.0.0/8, 2001:db8:ffff::/48").unwrap();
        let mut headers = HeaderMap::new();
        for line in lines {
            let name = if header == Forwarded { "forwarded" } else { "x-forwarded-for" };
            headers.append(name, poem::http::HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        // The other header is ignored.
        headers.append(if header == Forwarded { "x-forwarded-for" } else { "forwarded" }, "for=203.0.113.66".parse().unwrap());
        client_address(peer.parse().unwrap(), &headers, header, &proxies).to_string()
    }

    #[test]
    fn headers_of_untrusted_peers_are_ignored() {
        assert_eq!(found("198.51.100.7", XForwardedFor, &["203.0.113.9"]), "198.51.100.7");
        assert_eq!(found("::ffff:198.51.100.7", Forwarded, &["for=203.0.113.9"]), "198.51.100.7");
    }

    #[test]
    fn the_last_entry_of_the_last_line_is_the_client() {
        assert_eq!(found("127.0.0.1", XForwardedFor, &[]), "127.0.0.1");
        assert_eq!(found("127.0.0.1", XForwardedFor, &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(found("::ffff:127.0.0.1", XForwardedFor, &["1.1.1.1, 203.0.113.9"]), "203.0.113.9");
        assert_eq!(found("127.0.0.1", XForwardedFor, &["1.1.1.1", "203.0.113.9"]), "203.0.113.9");
        assert_eq!(found("127.0.0.1", XForwardedFor, &["203.0.113.9", "2.2.2.2, 1.1.1.1"]), "1.1.1.1");
    }

    #[test]
    fn trusted_proxies_are_skipped() {
        assert_eq!(found("127.0.0.1", XForwardedFor, &["1.1.1.1, 203.0.113.9, 10.1.2.3", "10.9.9.9"]), "203.0.113.9");
        assert_eq!(found("127.0.0.1", XForwardedFor, &["10.1.2.3"]), "10.1.2.3");
        assert_eq!(found("127.0.0.1", Forwarded, &["for=203.0.113.9, for=\"[2001:db8:ffff::1]\""]), "203.0.113.9");
    }

    #[test]
    fn ports_are_read() {
        for (entry, address) in [
            ("203.0.113.9:4711", "203.0.113.9"),
            ("[2001:db8::9]:4711", "2001:db8::9"),
            ("[2001:db8::9]", "2001:db8::9"),
            ("2001:db8::9", "2001:db8::9"),
            ("::ffff:203.0.113.9", "203.0.113.9"),
        ] {
            assert_eq!(found("127.0.0.1", XForwardedFor, &[entry]), address, "{entry}");
            assert_eq!(found("127.0.0.1", Forwarded, &[&format!("proto=https;FOR=\"{entry}\";by=_a")]), address, "{entry}");
        }
        assert_eq!(found("127.0.0.1", Forwarded, &["for=203.0.113.9:4711"]), "203.0.113.9");
    }

    #[test]
    fn after_an_unreadable_entry_the_proxy_counts_as_client() {
        for garbage in [
            "",
            "unknown",
            "_hidden",
            "203.0.113",
            "203.0.113.9 x",
            "fe80::1%eth0",
            "[203.0.113.9",
            "203.0.113.9:",
            "é",
            "1.1.1.1,",
        ] {
            assert_eq!(found("127.0.0.1", XForwardedFor, &[garbage]), "127.0.0.1", "{garbage}");
            assert_eq!(found("127.0.0.1", XForwardedFor, &["1.1.1.1", garbage]), "127.0.0.1", "{garbage}");
            assert_eq!(found("127.0.0.1", XForwardedFor, &[&format!("{garbage}, 10.0.0.1")]), "10.0.0.1", "{garbage}");
        }
        for garbage in ["by=203.0.113.9", "for=\"203.0.113.9", "for", "for=unknown", "proto=https;for=\"a,for=1.1.1.1\""] {
            assert_eq!(found("127.0.0.1", Forwarded, &[garbage]), "127.0.0.1", "{garbage}");
        }
        let long = vec!["10.0.0.1"; 100].join(",");
        assert_eq!(found("127.0.0.1", XForwardedFor, &["203.0.113.9", &long]), "10.0.0.1");
    }
}
