//! What a browser sends when it subscribes. Anybody can send anything.

use agio_core::{Error, Result, Vault, hex};
use agio_outbound_http::target;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::encryption::BrowserKeys;

/// The purpose that a subscription is sealed for.
pub fn purpose(id: impl std::fmt::Display) -> String {
    format!("push subscription {id}")
}

/// A subscription as a browser describes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewPushSubscription {
    /// The URL at the push service. Who knows it can send to the browser.
    pub endpoint: String,
    /// The browser's public key, base64url.
    pub p256dh: String,
    /// The authentication secret, base64url.
    pub auth: String,
}

impl NewPushSubscription {
    /// # Errors
    /// 422 at `endpoint`, `keys.p256dh` and `keys.auth`.
    pub(crate) fn check(&self, allows_private: bool) -> Result<()> {
        let refused = || Error::unprocessable("validation_failed");
        if !target::is_callable(&self.endpoint, allows_private) {
            return Err(refused().at("endpoint", "push_endpoint_refused"));
        }
        let key = decode(&self.p256dh).filter(|key| BrowserKeys::is_public_key(key));
        key.ok_or_else(|| refused().at("keys.p256dh", "push_key_invalid"))?;
        decode(&self.auth).filter(|auth| auth.len() == 16).ok_or_else(|| refused().at("keys.auth", "push_key_invalid")).map(drop)
    }

    /// Recognises a browser that is subscribed already. The URL has a secret of its own, so nobody can guess it from the digest.
    pub(crate) fn digest(&self) -> String {
        hex::encode(Sha256::digest(&self.endpoint))
    }
}

/// A stored subscription.
pub struct PushSubscription {
    pub endpoint: String,
    pub keys: BrowserKeys,
}

impl PushSubscription {
    pub fn sealed(vault: &Vault, id: Uuid, new: &NewPushSubscription) -> Result<String> {
        let text = serde_json::to_vec(new).map_err(Error::internal)?;
        Ok(vault.seal(&purpose(id), &text))
    }

    pub fn open(vault: &Vault, id: Uuid, sealed: &str) -> Result<Self> {
        let text = vault.open(&purpose(id), sealed)?;
        let stored: NewPushSubscription = serde_json::from_slice(&text).map_err(Error::internal)?;
        let decoded = (decode(&stored.p256dh), decode(&stored.auth));
        let (Some(key), Some(auth)) = decoded else { return Err(Error::internal("a stored push subscription has no keys")) };
        Ok(Self { endpoint: stored.endpoint, keys: BrowserKeys::of(&key, &auth)? })
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    fn check(endpoint: &str, p256dh: &str, auth: &str) -> bool {
        NewPushSubscription { endpoint: endpoint.into(), p256dh: p256dh.into(), auth: auth.into() }.check(false).is_ok()
    }

    #[test]
    fn only_public_https_addresses_and_valid_keys_are_accepted() {
        let service = "https://push.example/wpush/v2/gAAAA";
        assert!(check(service, KEY, AUTH) && check(service, &format!("{KEY}="), &format!("{AUTH}==")));
        for endpoint in ["http://push.example/a", "https://10.0.0.1/a", "https://localhost/a", "https://u:p@push.example/", "x"] {
            assert!(!check(endpoint, KEY, AUTH), "{endpoint}");
        }
        // Of no point on the curve, compressed, too short, no base64url.
        let off_curve = format!("{}A", &KEY[..KEY.len() - 1]);
        for key in [off_curve.as_str(), "AyVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcx", &KEY[..40], "", "BCVxsr7N+eNg"] {
            assert!(!check(service, key, AUTH), "{key}");
        }
        for auth in ["", "BTBZMqHH6r4Tts7J_aSI", "BTBZMqHH6r4Tts7J_aSIggAA", "BTBZMqHH6r4Tts7J/aSIgg"] {
            assert!(!check(service, KEY, auth), "{auth}");
        }
    }
}
