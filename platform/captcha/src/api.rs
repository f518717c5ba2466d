//! The captcha as pages are shown it.

use agio_http::Null;
use poem_openapi::Object;
use serde::Serialize;

use crate::{Offer, Widget};

/// Whether a captcha is asked, and which.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CaptchaCheck {
    /// Whether the call, made now, is refused without an answer.
    pub required: bool,
    /// The proof of work to be done: find the counter for which PBKDF2 of nonce and counter begins with `keyPrefix`, and send base64
    /// of the JSON `{challenge, solution: {counter, derivedKey}}` as `recaptcha`.
    pub challenge: Null<CaptchaChallenge>,
    /// The provider that is asked instead: its widget's answer is sent as `recaptcha`.
    pub provider: Null<Widget>,
    /// The key for the provider's script.
    pub site_key: Null<String>,
}

/// A signed proof of work.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CaptchaChallenge {
    /// What is to be computed; it goes back as it is.
    parameters: CaptchaParameters,
    /// Proof that the parameters are ours.
    signature: String,
}

/// What is to be computed.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CaptchaParameters {
    /// The function: `PBKDF2/SHA-256`.
    algorithm: String,
    /// Its rounds.
    cost: u32,
    /// What the proof is for, and until when it counts.
    data: CaptchaPurpose,
    /// Bytes of the derived key.
    key_length: u32,
    /// What the derived key must begin with, in hexadecimal.
    key_prefix: String,
    /// The password is this, in bytes, and the counter as four bytes, the highest first. Hexadecimal.
    nonce: String,
    /// The salt, in hexadecimal.
    salt: String,
}

/// What a proof is for.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CaptchaPurpose {
    /// The call it earns.
    action: String,
    /// Until when it counts, in seconds since 1970.
    expires_at: i64,
}

impl CaptchaCheck {
    /// Nothing is asked.
    #[must_use]
    pub fn none() -> Self {
        Self { required: false, challenge: None.into(), provider: None.into(), site_key: None.into() }
    }
}

impl From<Offer> for CaptchaCheck {
    fn from(offer: Offer) -> Self {
        let (provider, site_key) = offer.widget.unzip();
        Self {
            required: offer.required,
            challenge: offer.challenge.map(CaptchaChallenge::from).into(),
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
