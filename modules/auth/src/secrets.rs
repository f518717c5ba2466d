//! Secrets given out, and what is kept of them.

use std::net::IpAddr;

use agio_core::random::Random;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// A secret for a link or a cookie: 256 random bits, 43 characters.
pub fn secret(random: &dyn Random) -> String {
    let mut bytes = [0; 32];
    random.fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What is stored of a secret: its SHA-256, so that a stolen database opens nothing.
pub fn digest(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}

/// What is remembered of a browser, by its secret.
pub fn device_mark(secret: &str) -> String {
    format!("device:{}", digest(secret))
}

/// The form under which an e-mail address is stored and compared.
pub fn normal_email(typed: &str) -> String {
    typed.trim().to_lowercase()
}

/// The part of an address that stands for one household: of IPv6 the network, since a household has all addresses in it.
pub fn household(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_household_has_one_address() {
        let of = |text: &str| household(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::1"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
