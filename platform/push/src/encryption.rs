//! Message encryption for web push (RFC 8291) over the content encoding `aes128gcm` (RFC 8188).

use agio_core::random::Random;
use agio_core::{Error, Result};
use hkdf::Hkdf;
use p256::ecdh::diffie_hellman;
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use p256::{PublicKey, SecretKey};
use sha2::Sha256;

/// The length of an uncompressed point.
const POINT_BYTES: usize = 65;

/// Push services accept messages of this size; one record holds a whole one.
const RECORD_BYTES: u32 = 4_096;

/// The keys of a subscribed browser.
pub struct BrowserKeys {
    public: PublicKey,
    auth: [u8; 16],
}

impl BrowserKeys {
    pub fn is_public_key(bytes: &[u8]) -> bool {
        bytes.len() == POINT_BYTES && PublicKey::from_sec1_bytes(bytes).is_ok()
    }

    /// # Errors
    /// `internal`: the keys are malformed.
    pub fn of(public: &[u8], auth: &[u8]) -> Result<Self> {
        let public = PublicKey::from_sec1_bytes(public).map_err(Error::internal)?;
        Ok(Self { public, auth: auth.try_into().map_err(Error::internal)? })
    }

    /// The body of a message to the browser.
    ///
    /// # Errors
    /// `internal`: the text is longer than a record.
    pub fn encrypt(&self, random: &dyn Random, text: Vec<u8>) -> Result<Vec<u8>> {
        let mut salt = [0; 16];
        random.fill(&mut salt);
        self.encrypt_with(&new_secret(random), salt, text)
    }

    fn encrypt_with(&self, secret: &SecretKey, salt: [u8; 16], text: Vec<u8>) -> Result<Vec<u8>> {
        let sender = secret.public_key();
        let shared = diffie_hellman(secret.to_nonzero_scalar(), self.public.as_affine());
        let key = input_key(shared.raw_secret_bytes(), &self.auth, &self.public, &sender)?;
        ece_native::encrypt(key, salt, sender.to_encoded_point(false), std::iter::once(text), RECORD_BYTES)
            .map_err(Error::internal)
    }
}

/// A random secret key: nearly all numbers of 32 bytes are one.
pub fn new_secret(random: &dyn Random) -> SecretKey {
    loop {
        let mut bytes = [0; 32];
        random.fill(&mut bytes);
        if let Ok(secret) = SecretKey::from_slice(&bytes) {
            return secret;
        }
    }
}

/// Reads a message as the browser does. For tests: the server only sends.
///
/// # Errors
/// `internal`: it is not a message for these keys.
pub fn decrypt(secret: &[u8], auth: &[u8], body: Vec<u8>) -> Result<Vec<u8>> {
    let secret = SecretKey::from_slice(secret).map_err(Error::internal)?;
    let point = body.get(21..21 + POINT_BYTES).ok_or_else(|| Error::internal("the message is cut short"))?;
    let sender = PublicKey::from_sec1_bytes(point).map_err(Error::internal)?;
    let shared = diffie_hellman(secret.to_nonzero_scalar(), sender.as_affine());
    let key = input_key(shared.raw_secret_bytes(), auth, &secret.public_key(), &sender)?;
    ece_native::decrypt(key, body).map_err(Error::internal)
}

/// The input keying material of RFC 8291, section 3.4.
fn input_key(shared: &[u8], auth: &[u8], browser: &PublicKey, sender: &PublicKey) -> Result<[u8; 32]> {
    let (browser, sender) = (browser.to_encoded_point(false), sender.to_encoded_point(false));
    let info: [&[u8]; 3] = [b"WebPush: info\0", browser.as_bytes(), sender.as_bytes()];
    let mut key = [0; 32];
    Hkdf::<Sha256>::new(Some(auth), shared).expand_multi_info(&info, &mut key).map_err(Error::internal)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use agio_core::random::SeededRandom;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    /// RFC 8291, appendix A.
    const TEXT: &str = "When I grow up, I want to be a watermelon";
    const SENDER: &str = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
    const BROWSER_SECRET: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";
    const BROWSER: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";
    const SALT: &str = "DGv6ra1nlYgDCS1FRnbzlw";
    const BODY: &str = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";

    #[test]
    fn the_example_of_the_rfc_is_encrypted_and_decrypted() {
        let keys = BrowserKeys::of(&bytes(BROWSER), &bytes(AUTH)).unwrap();
        let secret = SecretKey::from_slice(&bytes(SENDER)).unwrap();
        let body = keys.encrypt_with(&secret, bytes(SALT).try_into().unwrap(), TEXT.into()).unwrap();
        assert_eq!(URL_SAFE_NO_PAD.encode(&body), BODY);
        assert_eq!(decrypt(&bytes(BROWSER_SECRET), &bytes(AUTH), body).unwrap(), TEXT.as_bytes());
    }

    #[test]
    fn each_message_has_its_own_key_and_too_long_ones_are_refused() {
        let (keys, random) = (BrowserKeys::of(&bytes(BROWSER), &bytes(AUTH)).unwrap(), SeededRandom::new(1));
        let (first, second) = (keys.encrypt(&random, TEXT.into()).unwrap(), keys.encrypt(&random, TEXT.into()).unwrap());
        assert_ne!(first[..86], second[..86]);
        assert_eq!(decrypt(&bytes(BROWSER_SECRET), &bytes(AUTH), second).unwrap(), TEXT.as_bytes());
        keys.encrypt(&random, vec![b'a'; 4_080]).unwrap_err();
        decrypt(&bytes(SENDER), &bytes(AUTH), first).unwrap_err();
    }
}
