//! The captcha, as a page is shown it.

use agio_http::Null;
use poem_openapi::Object;
use serde::Serialize;

/// Whether a captcha is asked, and which.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimCaptcha {
    /// Whether a claim made now needs an answer.
    pub required: bool,
    /// The proof of work to be done.
    pub challenge: Null<ClaimChallenge>,
}

/// A signed proof of work.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimChallenge {
    /// What is to be computed; it goes back as it is.
    parameters: ClaimChallengeParameters,
    /// Proof that the parameters are ours.
    signature: String,
}

/// What is to be computed.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ClaimChallengeParameters {
    /// The function: `PBKDF2/SHA-256`.
    algorithm: String,
    /// Its rounds.
    cost: u32,
    /// What the proof is for, and until when it counts, in seconds since 1970.
    data: ClaimChallengePurpose,
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
pub struct ClaimChallengePurpose {
    /// The call it earns.
    action: String,
    /// Until when it counts, in seconds since 1970.
    expires_at: i64,
}

impl From<altcha::Challenge> for ClaimChallenge {
    fn from(challenge: altcha::Challenge) -> Self {
        let parameters = challenge.parameters;
        let data = parameters.data.unwrap_or_default();
        let purpose = ClaimChallengePurpose {
            action: data.get("action").and_then(|action| action.as_str()).unwrap_or_default().to_owned(),
            expires_at: data.get("expiresAt").and_then(serde_json::Value::as_i64).unwrap_or_default(),
        };
        Self {
            parameters: ClaimChallengeParameters {
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
