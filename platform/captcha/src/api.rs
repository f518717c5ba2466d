//! Captcha schemas.

use agio_http::{Nullable, body};

use crate::{CaptchaRequirement, CaptchaWidget};

/// Captcha requirement.
#[body(response)]
#[derive(Clone, Debug)]
pub struct CaptchaCheck {
    /// Whether the request needs an answer now.
    pub required: bool,
    /// Proof of work: find the counter for which PBKDF2 of nonce and counter starts with `keyPrefix`, and send the base64 of the JSON
    /// `{challenge, solution: {counter, derivedKey}}` as `recaptcha`.
    pub challenge: Nullable<CaptchaChallenge>,
    /// Provider to use instead: send its widget's answer as `recaptcha`.
    pub provider: Nullable<CaptchaWidget>,
    /// Site key of the provider.
    pub site_key: Nullable<String>,
}

/// A signed proof-of-work challenge.
#[body(response)]
#[derive(Clone, Debug)]
pub struct CaptchaChallenge {
    /// Parameters; send them back unchanged.
    parameters: CaptchaParameters,
    /// Signature of the parameters.
    signature: String,
}

/// Parameters of a proof of work.
#[body(response)]
#[derive(Clone, Debug)]
pub struct CaptchaParameters {
    /// Key derivation function: `PBKDF2/SHA-256`.
    algorithm: String,
    /// Rounds.
    cost: u32,
    /// Action and expiry.
    data: CaptchaPurpose,
    /// Length of the derived key, in bytes.
    key_length: u32,
    /// Required prefix of the derived key, in hexadecimal.
    key_prefix: String,
    /// First part of the password, in hexadecimal. The counter follows as four big-endian bytes.
    nonce: String,
    /// Salt, in hexadecimal.
    salt: String,
}

/// Purpose of a challenge.
#[body(response)]
#[derive(Clone, Debug)]
pub struct CaptchaPurpose {
    /// Action it is valid for.
    action: String,
    /// Expiry, in seconds since 1970-01-01 UTC.
    expires_at: i64,
}

impl CaptchaCheck {
    /// No captcha is required.
    pub fn none() -> Self {
        Self { required: false, challenge: None.into(), provider: None.into(), site_key: None.into() }
    }
}

impl From<CaptchaRequirement> for CaptchaCheck {
    fn from(requirement: CaptchaRequirement) -> Self {
        let (provider, site_key) = requirement.widget.unzip();
        Self {
            required: requirement.required,
            challenge: requirement.challenge.map(CaptchaChallenge::from).into(),
            provider: provider.into(),
            site_key: site_key.into(),
        }
    }
}

impl From<altcha::Challenge> for CaptchaChallenge {
    fn from(challenge: altcha::Challenge) -> Self {
        let parameters = challenge.parameters;
        let data = parameters.data.unwrap_or_default();
        let purpose = CaptchaPurpose {
            action: data.get("action").and_then(|action| action.as_str()).unwrap_or_default().to_owned(),
            expires_at: data.get("expiresAt").and_then(serde_json::Value::as_i64).unwrap_or_default(),
        };
        Self {
            parameters: CaptchaParameters {
                algorithm: parameters.algorithm,
                cost: parameters.cost,
                data: purpose,
                key_length: u32::try_from(parameters.key_length).unwrap_or(u32::MAX),
                key_prefix: parameters.key_prefix,
                nonce: parameters.nonce,
                salt: parameters.salt,
            },
            signature: challenge.signature.unwrap_or_default(),
        }
    }
}
