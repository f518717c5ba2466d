//! Access and refresh tokens.
//!
//! Access tokens are JWTs signed with HMAC-SHA256, the only accepted algorithm; `kid` selects the key. Refresh tokens
//! are opaque: session, generation and a MAC over both. They are not stored.

use std::sync::Once;
use std::time::Duration;

use agio_core::{Error, Result, Timestamp};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use uuid::Uuid;

use crate::audience::Audience;
use crate::keys::{TokenKey, TokenKeys};

/// Lifetime of an access token.
pub const ACCESS_LIFE: Duration = Duration::from_secs(10 * 60);

const ISSUER: &str = "agio";
const TYPE: &str = "access";

#[derive(Serialize, Deserialize)]
struct TokenClaims {
    iss: String,
    aud: String,
    typ: String,
    sid: Uuid,
    iat: i64,
    exp: i64,
}

pub fn issue_access(key: &TokenKey, audience: Audience, session: Uuid, now: Timestamp) -> Result<String> {
    install_hmac();
    let header = Header { kid: Some(key.id.clone()), ..Header::new(Algorithm::HS256) };
    let claims = TokenClaims {
        iss: ISSUER.into(),
        aud: audience.token_name().into(),
        typ: TYPE.into(),
        sid: session,
        iat: now.as_seconds(),
        exp: now.plus(ACCESS_LIFE).as_seconds(),
    };
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(&key.secret)).map_err(Error::internal)
}

/// The session an access token is for.
///
/// # Errors
/// 401 `token_not_valid`: another key, algorithm, issuer, audience or type, tampered with, or expired.
pub fn read_access(keys: &TokenKeys, audience: Audience, token: &str, now: Timestamp) -> Result<Uuid> {
    let claims = read_claims(keys, audience, token)?;
    let is_time = (claims.iat..claims.exp).contains(&now.as_seconds());
    if is_time { Ok(claims.sid) } else { Err(Error::token_not_valid()) }
}

/// The session of an access token of any audience, even if it has expired.
pub fn session_of(keys: &TokenKeys, token: &str) -> Option<Uuid> {
    let read = |audience| read_claims(keys, audience, token).ok();
    [Audience::Customers, Audience::Staff].into_iter().find_map(read).map(|claims| claims.sid)
}

fn read_claims(keys: &TokenKeys, audience: Audience, token: &str) -> Result<TokenClaims> {
    install_hmac();
    let invalid = |_| Error::token_not_valid();
    let named = jsonwebtoken::decode_header(token).map_err(invalid)?.kid;
    let key = named.and_then(|id| keys.find(&id)).ok_or_else(Error::token_not_valid)?;
    let mut rules = Validation::new(Algorithm::HS256);
    rules.set_audience(&[audience.token_name()]);
    rules.set_issuer(&[ISSUER]);
    rules.set_required_spec_claims(&["aud", "iss", "exp"]);
    // The library uses the system clock; callers check against the injected one.
    rules.validate_exp = false;
    let claims =
        jsonwebtoken::decode::<TokenClaims>(token, &DecodingKey::from_secret(&key.secret), &rules).map_err(invalid)?.claims;
    if claims.typ == TYPE { Ok(claims) } else { Err(Error::token_not_valid()) }
}

/// Verified content of a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshTokenPayload {
    pub session: Uuid,
    /// Number of refreshes of the session when the token was issued.
    pub generation: i64,
}

const PAYLOAD_BYTES: usize = 16 + 8;
const MAC_BYTES: usize = 32;

/// Issues the refresh token of a generation; deterministic for a key.
pub fn issue_refresh(key: &TokenKey, audience: Audience, payload: RefreshTokenPayload) -> Result<String> {
    let mut bytes = Vec::with_capacity(PAYLOAD_BYTES + MAC_BYTES);
    bytes.extend(payload.session.as_bytes());
    bytes.extend(payload.generation.to_be_bytes());
    let mac = refresh_mac(key, audience, &bytes)?.finalize().into_bytes();
    bytes.extend(mac);
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Verifies a refresh token with any valid key.
///
/// # Errors
/// 401 `token_not_valid`.
pub fn read_refresh(keys: &TokenKeys, audience: Audience, token: &str) -> Result<RefreshTokenPayload> {
    let invalid = Error::token_not_valid;
    let bytes: [u8; PAYLOAD_BYTES + MAC_BYTES] =
        URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| bytes.try_into().ok()).ok_or_else(invalid)?;
    let (signed, given) = bytes.split_at(PAYLOAD_BYTES);
    let (session, generation) = signed.split_at(16);
    let is_ours =
        keys.all().iter().any(|key| refresh_mac(key, audience, signed).is_ok_and(|mac| mac.verify_slice(given).is_ok()));
    if !is_ours {
        return Err(invalid());
    }
    let session = Uuid::from_slice(session).map_err(|_| invalid())?;
    let generation = i64::from_be_bytes(generation.try_into().map_err(|_| invalid())?);
    Ok(RefreshTokenPayload { session, generation })
}

/// The MAC starts with its purpose, so that nothing else signed with the key is a valid token.
fn refresh_mac(key: &TokenKey, audience: Audience, signed: &[u8]) -> Result<Hmac<Sha256>> {
    let mac = Hmac::<Sha256>::new_from_slice(&key.secret).map_err(Error::internal)?;
    Ok(mac.chain_update(b"refresh\0").chain_update(audience.token_name()).chain_update(b"\0").chain_update(signed))
}

/// HMAC-SHA256 for jsonwebtoken, whose bundled providers bring unused algorithms.
struct HmacSha256(Hmac<Sha256>);

impl HmacSha256 {
    fn of(algorithm: Algorithm, secret: &[u8]) -> jsonwebtoken::errors::Result<Self> {
        use jsonwebtoken::errors::{ErrorKind, new_error};
        if algorithm != Algorithm::HS256 {
            return Err(new_error(ErrorKind::InvalidAlgorithm));
        }
        Hmac::new_from_slice(secret).map(Self).map_err(|_| new_error(ErrorKind::InvalidKeyFormat))
    }
}

impl signature::Signer<Vec<u8>> for HmacSha256 {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        Ok(self.0.clone().chain_update(message).finalize().into_bytes().to_vec())
    }
}

impl signature::Verifier<Vec<u8>> for HmacSha256 {
    fn verify(&self, message: &[u8], given: &Vec<u8>) -> Result<(), signature::Error> {
        self.0.clone().chain_update(message).verify_slice(given).map_err(signature::Error::from_source)
    }
}

impl JwtSigner for HmacSha256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for HmacSha256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

fn install_hmac() {
    static PROVIDER: CryptoProvider = CryptoProvider {
        signer_factory: |algorithm, key| Ok(Box::new(HmacSha256::of(*algorithm, key.as_bytes())?)),
        verifier_factory: |algorithm, key| Ok(Box::new(HmacSha256::of(*algorithm, key.try_get_as_bytes()?)?)),
        key_utils: KeyUtils::new_unimplemented(),
    };
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // Only this module uses the library, so no other provider is installed.
        let _ = PROVIDER.install_default();
    });
}
