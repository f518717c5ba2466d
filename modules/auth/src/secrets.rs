//! Random secrets and their digests.

use std::net::IpAddr;
use std::time::Duration;

use agio_core::networks::limit_key;
use agio_core::random::Random;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// Retention of known browsers and networks after their last use.
pub const DEVICE_RETENTION: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A secret for a link or a cookie: 256 random bits, 43 characters.
pub fn new_secret(random: &dyn Random) -> String {
    let mut bytes = [0; 32];
    random.fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// SHA-256 of a secret. Only digests are stored.
pub fn digest(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}

/// How a known browser is stored.
pub fn device_digest(secret: &str) -> String {
    format!("device:{}", digest(secret))
}

/// How the network of an address is stored, among the known browsers.
pub fn network_digest(address: IpAddr) -> String {
    format!("address:{}", digest(&limit_key(address).to_string()))
}

/// The form in which e-mail addresses are stored and compared.
pub fn normalize_email(typed: &str) -> String {
    typed.trim().to_lowercase()
}
