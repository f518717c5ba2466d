//! Which URLs the server may call.
//!
//! A URL from a customer or an operator must not lead into the server's own network. The text is checked when the URL is set, and the
//! resolved addresses on every request, because a name may resolve differently later.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const URL_MAX: usize = 500;

/// Whether the text of a URL is acceptable: HTTPS, a host, no credentials, no fragment. `allows_private` also allows private addresses
/// and plain HTTP.
pub fn is_callable(url: &str, allows_private: bool) -> bool {
    let rest = match url.split_once("://") {
        Some(("https", rest)) => rest,
        Some(("http", rest)) if allows_private => rest,
        _ => return false,
    };
    let is_plain = url.len() <= URL_MAX && url.bytes().all(|byte| byte.is_ascii_graphic() && !b"\\#\"<>^`{|}".contains(&byte));
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if !is_plain || authority.contains('@') {
        return false;
    }
    let Some(host) = host_of(authority) else { return false };
    match host.parse::<IpAddr>() {
        Ok(address) => allows_private || is_public(address),
        Err(_) => allows_private || (host.contains('.') && !host.ends_with('.') && !is_private_name(host)),
    }
}

/// The host of an authority without port and brackets; `None` if it is malformed.
fn host_of(authority: &str) -> Option<&str> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']')?;
            host.parse::<Ipv6Addr>().ok()?;
            (host, port.strip_prefix(':'))
        }
        None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_name =
        |host: &str| !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:".contains(&byte));
    (is_name(host) && port.is_none_or(is_port)).then_some(host)
}

/// Whether a name is never public. A name that ends in a number, such as `127.1` and `0x7f.0.0.1`, is another form of an address.
fn is_private_name(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let ends_in_a_number = host.rsplit('.').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit()));
    ends_in_a_number || [".local", ".localhost", ".internal", ".lan", ".home.arpa"].iter().any(|ending| host.ends_with(ending))
}

/// Whether an address is globally routable.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    // Global addresses are 2000::/3; some of them embed an IPv4 address or are reserved for documentation.
    match segments {
        [0x2001, 0x0db8, ..] | [0x2001, 0..=0x01ff, ..] | [0x3fff, ..] => false,
        [0x2002, high, low, ..] => is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))),
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_urls_are_callable() {
        for url in [
            "https://shop.example/hooks",
            "https://shop.example:8443/a?b=c",
            "https://93.184.215.14/",
            "https://[2606:4700::1]/x",
        ] {
            assert!(is_callable(url, false), "{url}");
        }
        let rejected = [
            "http://shop.example/",
            "ftp://shop.example/",
            "file:///etc/passwd",
            "gopher://shop.example/",
            "https://",
            "https:///x",
            "https://localhost/",
            "https://shop/",
            "https://shop.local/",
            "https://metadata.google.internal/",
            "https://shop.example./",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://0177.0.0.1/",
            "https://0x7f.0.0.1/",
            "https://127.0.0.0x1/",
            "https://10.66051/",
            "https://[::1]/",
            "https://10.1.2.3/",
            "https://172.16.0.1/",
            "https://192.168.1.1/",
            "https://169.254.169.254/latest/meta-data/",
            "https://100.100.100.200/",
            "https://[fd00:ec2::254]/",
            "https://[fe80::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[2002:7f00:1::]/",
            "https://0.0.0.0/",
            "https://[::]/",
            "https://user@shop.example/",
            "https://user:pass@shop.example/",
            "https://shop.example#@127.0.0.1/",
            "https://shop.example\\@127.0.0.1/",
            "https://shop.example:0/",
            "https://shop.example:99999/",
            "https://shop.example:https/",
            "https://shop example/",
            "https://shop.example/\n",
            "",
            "https://[::1/",
            "https://::1/",
            "HTTPS://shop.example/",
            "https://224.0.0.1/",
            "https://198.18.0.1/",
        ];
        for url in rejected {
            assert!(!is_callable(url, false), "{url}");
        }
    }

    #[test]
    fn private_addresses_are_callable_if_allowed() {
        assert!(is_callable("http://127.0.0.1:9000/hooks", true));
        assert!(!is_callable("file:///etc/passwd", true) && !is_callable("http://a@127.0.0.1/", true));
    }
}
