//! Encryption of small secrets at rest: what the database, a copy of it or its backup must not reveal.
//!
//! A secret is encrypted ("sealed") with XChaCha20-Poly1305 for one purpose: sealed text that is moved elsewhere, for
//! example to another account's row, does not open there. Sealed text names its key. The first key of the vault seals
//! and all of them open, so a key is replaced by adding a new one before it and removing the old one once nothing is
//! sealed with it any more.
//!
//! What only has to be recognised, such as a card number, is stored as a keyed digest instead: the database alone does
//! not allow trying all numbers against it.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result};
use crate::hex;
use crate::random::Random;

pub const KEY_BYTES: usize = 32;

const NONCE_BYTES: usize = 24;

/// The prefix of sealed text; names the encryption scheme.
pub(crate) const SCHEME: &str = "x1";

/// Cheap to clone.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    random: Arc<dyn Random>,
    keys: Vec<Key>,
}

struct Key {
    id: String,
    cipher: XChaCha20Poly1305,
    digest: Hmac<Sha256>,
}

impl Vault {
    /// A vault with these keys: the first seals, all of them open.
    ///
    /// # Panics
    /// There is no key.
    #[must_use]
    pub fn new(random: Arc<dyn Random>, keys: &[[u8; KEY_BYTES]]) -> Self {
        assert!(!keys.is_empty(), "a vault without a key cannot seal");
        let keys = keys.iter().map(Key::of).collect();
        Self(Arc::new(Inner { random, keys }))
    }

    /// A vault with a temporary key, for tests and for commands that store nothing.
    #[must_use]
    pub fn temporary(random: Arc<dyn Random>) -> Self {
        let mut key = [0; KEY_BYTES];
        random.fill(&mut key);
        Self::new(random, &[key])
    }

    /// The names of the keys in sealed text, the sealing key first: derived from the keys without revealing them.
    pub fn key_ids(&self) -> impl Iterator<Item = &str> {
        self.0.keys.iter().map(|key| key.id.as_str())
    }

    /// Seals a secret for one purpose, which names what it is and whose: `totp 6f9a...`.
    ///
    /// # Panics
    /// The secret is larger than memory.
    #[must_use]
    pub fn seal(&self, purpose: &str, secret: &[u8]) -> String {
        let key = &self.0.keys[0];
        let mut sealed = vec![0; NONCE_BYTES];
        self.0.random.fill(&mut sealed);
        let nonce = XNonce::try_from(sealed.as_slice()).expect("the nonce has its length");
        let payload = Payload { msg: secret, aad: purpose.as_bytes() };
        sealed.extend(key.cipher.encrypt(&nonce, payload).expect("a secret in memory can be sealed"));
        format!("{SCHEME}.{}.{}", key.id, URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Whether a text was sealed, by its form.
    #[must_use]
    pub fn is_sealed(text: &str) -> bool {
        text.strip_prefix(SCHEME).is_some_and(|rest| rest.starts_with('.') && rest.split('.').count() == 3)
    }

    /// The keyed digest of a text for one purpose.
    #[must_use]
    pub fn digest(&self, purpose: &str, text: &str) -> String {
        self.0.keys[0].digest(purpose, text)
    }

    /// The digests of a text with each key of the vault, the current one first.
    #[must_use]
    pub fn digests(&self, purpose: &str, text: &str) -> Vec<String> {
        self.0.keys.iter().map(|key| key.digest(purpose, text)).collect()
    }

    /// Opens what was sealed for the same purpose.
    ///
    /// # Errors
    /// `internal`: it was sealed for another purpose or with an unknown key, or it was changed.
    pub fn open(&self, purpose: &str, sealed: &str) -> Result<Vec<u8>> {
        let unreadable = |what: &str| Error::internal(format!("a sealed text {what}"));
        let mut parts = sealed.split('.');
        let (Some(SCHEME), Some(id), Some(body), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
            return Err(unreadable("is in no known form"));
        };
        let key = self.0.keys.iter().find(|key| key.id == id).ok_or_else(|| unreadable("needs a key that is not here"))?;
        let body = URL_SAFE_NO_PAD.decode(body).map_err(Error::internal)?;
        let (nonce, body) = body.split_at_checked(NONCE_BYTES).ok_or_else(|| unreadable("is cut short"))?;
        let nonce = XNonce::try_from(nonce).map_err(Error::internal)?;
        let payload = Payload { msg: body, aad: purpose.as_bytes() };
        key.cipher.decrypt(&nonce, payload).map_err(|_| unreadable("is not what was sealed for this purpose"))
    }

    /// Seals what was sealed for this purpose with the first key.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn reseal(&self, purpose: &str, sealed: &str) -> Result<String> {
        Ok(self.seal(purpose, &self.open(purpose, sealed)?))
    }

    /// Opens text that was sealed for the same purpose.
    ///
    /// # Errors
    /// `internal`: as [`open`](Self::open), or it is not text.
    pub fn open_text(&self, purpose: &str, sealed: &str) -> Result<String> {
        String::from_utf8(self.open(purpose, sealed)?).map_err(|_| Error::internal("what was sealed is no text"))
    }
}

impl Key {
    fn of(key: &[u8; KEY_BYTES]) -> Self {
        let for_digests = Sha256::new().chain_update("agio vault digests").chain_update(key).finalize();
        let digest = Hmac::new_from_slice(&for_digests).expect("any bytes are a key");
        Self { id: id_of(key), cipher: XChaCha20Poly1305::new(key.into()), digest }
    }

    fn digest(&self, purpose: &str, text: &str) -> String {
        // The length separates the purpose from the text, so that no two pairs read the same.
        let length = u64::try_from(purpose.len()).expect("a purpose is short").to_be_bytes();
        let mac = self.digest.clone().chain_update(length).chain_update(purpose).chain_update(text).finalize().into_bytes();
        hex::encode(mac)
    }
}

/// The key's name in sealed text, derived from the key without revealing it.
fn id_of(key: &[u8; KEY_BYTES]) -> String {
    let digest = Sha256::new().chain_update("agio vault key").chain_update(key).finalize();
    hex::encode(&digest[..4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SeededRandom;

    fn vault(keys: &[u8]) -> Vault {
        let keys: Vec<_> = keys.iter().map(|byte| [*byte; KEY_BYTES]).collect();
        Vault::new(Arc::new(SeededRandom::new(1)), &keys)
    }

    #[test]
    fn sealed_text_opens_for_its_purpose_only() {
        let vault = vault(&[1]);
        let sealed = vault.seal("totp of anna", b"secret");
        assert!(!sealed.contains("secret"));
        assert_eq!(vault.open("totp of anna", &sealed).unwrap(), b"secret");
        vault.open("totp of boris", &sealed).unwrap_err();
        assert_ne!(sealed, vault.seal("totp of anna", b"secret"), "a nonce is used once");
    }

    #[test]
    fn an_old_key_opens_until_it_is_removed() {
        let sealed = vault(&[1]).seal("a", b"secret");
        let both = vault(&[2, 1]);
        assert_eq!(both.open("a", &sealed).unwrap(), b"secret");
        vault(&[1]).open("a", &both.seal("a", b"newer")).unwrap_err();
        vault(&[2]).open("a", &sealed).unwrap_err();
    }

    #[test]
    fn digests_depend_on_purpose_and_key() {
        let digest = vault(&[1]).digest("card", "4111111111111111");
        assert_eq!(digest, vault(&[1]).digest("card", "4111111111111111"));
        assert_ne!(digest, vault(&[2]).digest("card", "4111111111111111"));
        assert_ne!(digest, vault(&[1]).digest("car", "d4111111111111111"));
        assert_eq!(vault(&[2, 1]).digests("card", "4111111111111111")[1], digest, "a replaced key still knows it");
    }

    #[test]
    fn changed_text_does_not_open() {
        let vault = vault(&[1]);
        let sealed = vault.seal("a", b"secret");
        for (place, character) in sealed.char_indices() {
            let other = if character == 'A' { 'B' } else { 'A' };
            let changed = format!("{}{other}{}", &sealed[..place], &sealed[place + 1..]);
            vault.open("a", &changed).unwrap_err();
        }
        for length in 0..sealed.len() {
            vault.open("a", &sealed[..length]).unwrap_err();
        }
    }
}
