//! Secrets given out, and what is kept of them.

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
