//! Voluntary application server identification (RFC 8292): push services recognise this server by a key pair of its own.

use agio_core::{Error, Platform, Result, Timestamp};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::Uri;
use p256::SecretKey;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use serde_json::json;

use crate::encryption::new_secret;
use crate::{DAY, store};

/// The purpose that the private key is sealed for.
pub const PURPOSE: &str = "push key";

pub struct VapidKey {
    signing: SigningKey,
    /// The public key, base64url.
    public: String,
}

impl VapidKey {
    fn of(secret: &SecretKey) -> Self {
        let public = URL_SAFE_NO_PAD.encode(secret.public_key().to_encoded_point(false));
        Self { signing: SigningKey::from(secret), public }
    }

    pub fn public(&self) -> &str {
        &self.public
    }

    /// The `Authorization` of a request to a push service. `contact` is a URI, for its operators.
    pub fn authorization(&self, endpoint: &Uri, contact: &str, now: Timestamp) -> String {
        let expires = now.plus(DAY / 2).as_seconds();
        let claims = json!({ "aud": origin_of(endpoint), "exp": expires, "sub": contact });
        let encode = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", encode(json!({ "typ": "JWT", "alg": "ES256" })), encode(claims));
        let signature: Signature = self.signing.sign(signed.as_bytes());
        format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature.to_bytes()), self.public)
    }
}

/// Scheme, host and a port that is not the usual one.
fn origin_of(endpoint: &Uri) -> String {
    let (scheme, host) = (endpoint.scheme_str().unwrap_or_default(), endpoint.host().unwrap_or_default().to_lowercase());
    match endpoint.port_u16().filter(|port| (scheme, *port) != ("https", 443)) {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    }
}

/// The key of the database. The first call of all nodes stores it.
pub async fn load_or_create(platform: &Platform) -> Result<VapidKey> {
    let stored = store::vapid_key(&mut platform.db.read().await?).await?;
    let sealed = match stored {
        Some(sealed) => sealed,
        None => {
            let (new, now) = (platform.vault.seal(PURPOSE, &new_secret(&*platform.random).to_bytes()), platform.clock.now());
            let write = platform.db.write(move |tx| {
                let new = new.clone();
                Box::pin(async move {
                    store::insert_vapid_key(tx, &new, now).await?;
                    store::vapid_key(tx).await
                })
            });
            write.await?.ok_or_else(|| Error::internal("the push key was not stored"))?
        }
    };
    let secret = platform.vault.open(PURPOSE, &sealed)?;
    Ok(VapidKey::of(&SecretKey::from_slice(&secret).map_err(Error::internal)?))
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier as _;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_request_is_signed_for_the_origin_of_the_push_service() {
        let key = VapidKey::of(&SecretKey::from_slice(&[7; 32]).unwrap());
        let endpoint = "https://Push.example:443/wpush/abc".parse().unwrap();
        let header = key.authorization(&endpoint, "mailto:help@example.com", Timestamp(1_700_000_000_000_000));
        let (token, public) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let verifying = VerifyingKey::from_sec1_bytes(&decode(public)).unwrap();
        verifying.verify(signed.as_bytes(), &Signature::from_slice(&decode(signature)).unwrap()).unwrap();
        let claims: Value = serde_json::from_slice(&decode(signed.split_once('.').unwrap().1)).unwrap();
        assert_eq!(claims, json!({ "aud": "https://push.example", "exp": 1_700_043_200, "sub": "mailto:help@example.com" }));
        assert_eq!(origin_of(&"https://push.example:8443/a".parse().unwrap()), "https://push.example:8443");
    }
}
