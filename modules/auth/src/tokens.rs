//! Access tokens: JWTs signed with HMAC-SHA256, the one algorithm that is ever accepted.

use std::sync::Once;

use agio_core::{Error, Result, Timestamp};
use hmac::{Hmac, KeyInit as _, Mac as _};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use uuid::Uuid;

use crate::model::ACCESS_LIFE;

const AUDIENCE: &str = "agio-console";
const TYPE: &str = "access";

/// The key tokens are signed with.
pub struct TokenKey {
    id: String,
    secret: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    aud: String,
    /// The kind of token: a token of another kind is never an access token.
    typ: String,
    /// The session.
    sid: Uuid,
    iat: i64,
    exp: i64,
}

impl TokenKey {
    /// The key with this identifier.
    pub fn new(id: String, secret: Vec<u8>) -> Self {
        install_hmac();
        Self { id, secret }
    }

    /// Makes the access token of a session.
    pub fn issue(&self, session: Uuid, now: Timestamp) -> Result<String> {
        let header = Header { kid: Some(self.id.clone()), ..Header::new(Algorithm::HS256) };
        let claims = Claims {
            aud: AUDIENCE.into(),
            typ: TYPE.into(),
            sid: session,
            iat: now.as_seconds(),
            exp: now.plus(ACCESS_LIFE).as_seconds(),
        };
        jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(&self.secret)).map_err(Error::internal)
    }

    /// The session an access token is for.
    ///
    /// # Errors
    /// 401 `token_not_valid`: another key, algorithm, audience or type, changed, or past its time.
    pub fn session(&self, token: &str, now: Timestamp) -> Result<Uuid> {
        let mut rules = Validation::new(Algorithm::HS256);
        rules.set_audience(&[AUDIENCE]);
        rules.set_required_spec_claims(&["aud", "exp"]);
        // The library would ask the machine's clock; the injected one decides below.
        rules.validate_exp = false;
        let read = jsonwebtoken::decode::<Claims>(token, &DecodingKey::from_secret(&self.secret), &rules)
            .map_err(|_| Error::token_not_valid())?;
        let fits = read.header.kid.as_deref() == Some(&self.id)
            && read.claims.typ == TYPE
            && (read.claims.iat..read.claims.exp).contains(&now.as_seconds());
        if fits { Ok(read.claims.sid) } else { Err(Error::token_not_valid()) }
    }
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
