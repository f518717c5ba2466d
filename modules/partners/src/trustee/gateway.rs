//! Authentication of Trustee requests and signing of responses.
//!
//! Trustee signs the fields and the timestamp, but neither method nor path, and has no nonce. So each signature is
//! accepted once, for the first request that carries it. Two equal requests in the same millisecond have the same
//! signature; the second is refused.

use std::net::IpAddr;
use std::sync::Arc;

use agio_core::{Error, ErrorKind, Result, Timestamp};
use serde_json::{Map, Value};

use super::signing::{is_exact, is_signed, signature};
use crate::Partners;
use crate::model::KeyScope;
use crate::model::signature::decoded;
use crate::service::key_cache::CachedKey;
use crate::service::{Admission, WINDOW_SECONDS};

/// Distinguishes used signatures from nonces, which contain no colon.
const NONCE_PREFIX: &str = "trustee:";

/// Stored prefix of a signature.
const NONCE_LENGTH: usize = 64;

#[derive(Clone, Copy, Debug)]
pub struct TrusteeSignedRequest<'a> {
    pub query: &'a str,
    /// Empty if the query is signed.
    pub body: &'a [u8],
    pub address: IpAddr,
    /// `trustee-public-key`.
    pub key: &'a str,
    /// `trustee-timestamp`.
    pub timestamp: &'a str,
    /// `trustee-signature`.
    pub signature: &'a str,
}

/// Signs responses with the secret of the caller's key.
pub struct ResponseSigner(Arc<CachedKey>);

pub struct TrusteeAdmission {
    pub admission: Admission,
    /// `None` if the request was not signed with a known key.
    pub signer: Option<ResponseSigner>,
}

impl ResponseSigner {
    /// Timestamp and signature; `None` unless the body is a JSON object.
    pub fn signed(&self, answer: &[u8], now: Timestamp) -> Option<(String, String)> {
        let answer: Map<String, Value> = serde_json::from_slice(answer).ok()?;
        let timestamp = now.0.div_euclid(1_000).to_string();
        let signature = signature(&self.0.secret, &answer, &timestamp)?;
        Some((timestamp, signature))
    }
}

impl Partners {
    /// Admits a request once. An unknown key and a wrong signature are indistinguishable.
    ///
    /// Outcomes as for [`admit`](Self::admit); `nonce_reused` means that the signature was used before.
    pub async fn admit_trustee(&self, call: &TrusteeSignedRequest<'_>) -> TrusteeAdmission {
        let key = self.key_cache.key(call.key);
        let secret = key.as_ref().map_or(self.decoy.as_slice(), |key| key.secret.as_slice());
        let fields = fields(call.query, call.body);
        let is_right = is_signed(secret, fields.as_ref().unwrap_or(&Map::new()), call.timestamp, call.signature);
        let is_whole = fields.as_ref().is_some_and(is_exact);
        let Some(key) = key.filter(|_| is_right && is_whole) else {
            let refused = Admission { usage: None, outcome: Err(signature_invalid()) };
            return TrusteeAdmission { admission: refused, signer: None };
        };
        let admission = match signed_until(call.timestamp, self.platform.clock.now()) {
            Ok(until) => {
                let nonce = format!("{NONCE_PREFIX}{}", &call.signature[..NONCE_LENGTH]);
                let mut admission = self.admit_key(&key, &nonce, until, call.address).await;
                admission.outcome = admission.outcome.and_then(|caller| caller.may(KeyScope::Trustee).map(|()| caller));
                admission
            }
            Err(refused) => Admission { usage: None, outcome: Err(refused) },
        };
        TrusteeAdmission { admission, signer: Some(ResponseSigner(key)) }
    }
}

fn signature_invalid() -> Error {
    Error::new(ErrorKind::Unauthorised, "signature_invalid")
}

/// The signed fields: the JSON body, or the query parameters as strings. `None` if ambiguous.
fn fields(query: &str, body: &[u8]) -> Option<Map<String, Value>> {
    if !body.is_empty() {
        // A query next to a body would not be signed.
        return serde_json::from_slice(body).ok().filter(|_| query.is_empty());
    }
    let mut fields = Map::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let text = |part: &str| String::from_utf8(decoded(part)).ok();
        if fields.insert(text(name)?, Value::String(text(value)?)).is_some() {
            return None;
        }
    }
    Some(fields)
}

/// When the nonce may be deleted.
fn signed_until(timestamp: &str, now: Timestamp) -> Result<Timestamp> {
    let is_time = (1..=15).contains(&timestamp.len()) && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let milliseconds: i64 =
        Some(timestamp).filter(|_| is_time).and_then(|text| text.parse().ok()).ok_or_else(signature_invalid)?;
    let signed = Timestamp(milliseconds * 1_000);
    let window = WINDOW_SECONDS * 1_000_000;
    if (now.0 - signed.0).abs() > window {
        return Err(Error::new(ErrorKind::Unauthorised, "signature_stale"));
    }
    Ok(Timestamp(signed.0 + window + 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_or_the_query_is_signed() {
        let read = |query: &str, body: &[u8]| fields(query, body).map(|fields| Value::Object(fields).to_string());
        assert_eq!(read("id=a%20b", b"").as_deref(), Some(r#"{"id":"a b"}"#));
        assert_eq!(read("", br#"{"id":1}"#).as_deref(), Some(r#"{"id":1}"#));
        for (query, body) in [("id=1&id=2", &b""[..]), ("id=%ff", b""), ("id=1", b"{}"), ("", b"[]"), ("", b"{"), ("", b"\"a\"")]
        {
            assert_eq!(read(query, body), None, "{query} {body:?}");
        }
    }

    #[test]
    fn timestamps_may_differ_by_a_minute() {
        let now = Timestamp(1_711_627_200_000_000);
        let is_accepted = |text: &str| signed_until(text, now).is_ok();
        assert!(is_accepted("1711627200000") && is_accepted("1711627260000") && is_accepted("1711627140000"));
        for text in ["1711627260001", "1711627139999", "1711627200", "", "-1711627200000", "1711627200000.5", "9999999999999999"]
        {
            assert!(!is_accepted(text), "{text}");
        }
    }
}
