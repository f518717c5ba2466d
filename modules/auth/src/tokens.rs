//! Tokens: what a session shows of itself.
//!
//! Access tokens are JWTs signed with HMAC-SHA256, the one algorithm that is ever accepted, by a key that only its name in the token
//! chooses. Refresh tokens are opaque to their bearers: session, generation and a MAC over both, of which nothing is stored.

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

use crate::keys::{Key, Keys};

/// How long an access token is good for.
pub const ACCESS_LIFE: Duration = Duration::from_secs(10 * 60);

const ISSUER: &str = "agio";
const TYPE: &str = "access";

/// Whom a token is for. A token for one is nothing to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The console: members of staff.
    Console,
    /// The public site: customers.
    Site,
}

impl Audience {
    fn name(self) -> &'static str {
        match self {
            Self::Console => "agio-console",
            Self::Site => "agio-site",
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    /// The kind of token: a token of another kind is never an access token.
    typ: String,
    /// The session.
    sid: Uuid,
    iat: i64,
    exp: i64,
}

/// Makes the access token of a session.
pub fn issue_access(key: &Key, audience: Audience, session: Uuid, now: Timestamp) -> Result<String> {
    install_hmac();
    let header = Header { kid: Some(key.id.clone()), ..Header::new(Algorithm::HS256) };
    let claims = Claims {
        iss: ISSUER.into(),
        aud: audience.name().into(),
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
/// 401 `token_not_valid`: another key, algorithm, issuer, audience or type, changed, or past its time.
pub fn read_access(keys: &Keys, audience: Audience, token: &str, now: Timestamp) -> Result<Uuid> {
    let claims = read_claims(keys, audience, token)?;
    let is_time = (claims.iat..claims.exp).contains(&now.as_seconds());
    if is_time { Ok(claims.sid) } else { Err(Error::token_not_valid()) }
}

/// The session an access token was for, whoever it was made for and whether or not its time has passed.
pub fn session_of(keys: &Keys, token: &str) -> Option<Uuid> {
    let read = |audience| read_claims(keys, audience, token).ok();
    [Audience::Site, Audience::Console].into_iter().find_map(read).map(|claims| claims.sid)
}

fn read_claims(keys: &Keys, audience: Audience, token: &str) -> Result<Claims> {
    install_hmac();
    let invalid = |_| Error::token_not_valid();
    let named = jsonwebtoken::decode_header(token).map_err(invalid)?.kid;
    let key = named.and_then(|id| keys.named(&id)).ok_or_else(Error::token_not_valid)?;
    let mut rules = Validation::new(Algorithm::HS256);
    rules.set_audience(&[audience.name()]);
    rules.set_issuer(&[ISSUER]);
    rules.set_required_spec_claims(&["aud", "iss", "exp"]);
    // The library would ask the machine's clock; whoever reads the claims asks the injected one.
    rules.validate_exp = false;
    let claims = jsonwebtoken::decode::<Claims>(token, &DecodingKey::from_secret(&key.secret), &rules).map_err(invalid)?.claims;
    if claims.typ == TYPE { Ok(claims) } else { Err(Error::token_not_valid()) }
}

/// What a refresh token says, once its MAC was found right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The session.
    pub session: Uuid,
    /// How often the session had been refreshed when the token was made.
    pub generation: i64,
}

const SHOWN_BYTES: usize = 16 + 8;
const MAC_BYTES: usize = 32;

/// Makes the refresh token of a generation of a session; always the same one for the same key.
pub fn issue_refresh(key: &Key, audience: Audience, shown: Shown) -> Result<String> {
    let mut bytes = Vec::with_capacity(SHOWN_BYTES + MAC_BYTES);
    bytes.extend(shown.session.as_bytes());
    bytes.extend(shown.generation.to_be_bytes());
    let mac = refresh_mac(key, audience, &bytes)?.finalize().into_bytes();
    bytes.extend(mac);
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Reads a refresh token made with any key that is still good.
///
/// # Errors
/// 401 `token_not_valid`.
pub fn read_refresh(keys: &Keys, audience: Audience, token: &str) -> Result<Shown> {
    let invalid = Error::token_not_valid;
    let bytes: [u8; SHOWN_BYTES + MAC_BYTES] =
        URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| bytes.try_into().ok()).ok_or_else(invalid)?;
    let (said, given) = bytes.split_at(SHOWN_BYTES);
    let (session, generation) = said.split_at(16);
    let is_ours = keys.all().iter().any(|key| refresh_mac(key, audience, said).is_ok_and(|mac| mac.verify_slice(given).is_ok()));
    if !is_ours {
        return Err(invalid());
    }
    let session = Uuid::from_slice(session).map_err(|_| invalid())?;
    let generation = i64::from_be_bytes(generation.try_into().map_err(|_| invalid())?);
    Ok(Shown { session, generation })
}

/// A refresh token's MAC begins with its purpose, so that no other text signed with the key can stand for it.
fn refresh_mac(key: &Key, audience: Audience, said: &[u8]) -> Result<Hmac<Sha256>> {
    let mac = Hmac::<Sha256>::new_from_slice(&key.secret).map_err(Error::internal)?;
    Ok(mac.chain_update(b"refresh\0").chain_update(audience.name()).chain_update(b"\0").chain_update(said))
}

/// HMAC-SHA256 for the token library, whose own bundle brings algorithms that are never used here.
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
        // Only this module uses the library, so nobody else can have installed another provider.
        let _ = PROVIDER.install_default();
    });
}
