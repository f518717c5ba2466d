//! Sign-in rules that need neither clock nor database.

use std::time::Duration;

use agio_core::random::Random;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// How long an access token is good for.
pub const ACCESS_LIFE: Duration = Duration::from_secs(10 * 60);

/// How long a session lasts at most, however often it is refreshed.
pub const SESSION_LIFE: Duration = Duration::from_secs(12 * 60 * 60);

/// How long a replaced refresh token still opens the session: two tabs may refresh at the same time.
pub const REPLACED_GRACE: Duration = Duration::from_secs(10);

/// The shortest password staff may have.
pub const PASSWORD_LENGTH_MIN: usize = 10;

/// The longest password anybody may have; longer ones only burn time.
pub const PASSWORD_LENGTH_MAX: usize = 128;

/// An opaque secret for a cookie: 256 random bits.
pub fn refresh_token(random: &dyn Random) -> String {
    let mut bytes = [0; 32];
    random.fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What is stored of a secret: its SHA-256, so that a stolen database opens no session.
pub fn digest(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}

/// The form under which an e-mail address is stored and compared.
pub fn normal_email(typed: &str) -> String {
    typed.trim().to_lowercase()
}
