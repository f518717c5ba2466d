//! Letting calls of the contract in, and signing what is answered.
//!
//! The contract signs the fields of a call and the time, not its method and path, and has no nonce. So a signature is itself used up: it
//! is taken once, for whichever call it comes with first. Two equal calls of one millisecond have one signature; the second is refused.

use std::net::IpAddr;
use std::sync::Arc;

use agio_core::{Error, Kind, Result, Timestamp};
use serde_json::{Map, Value};

use super::signing::{is_covered, is_signed, signature};
use crate::Partners;
use crate::model::scope::Scope;
use crate::model::signature::decoded;
use crate::service::keyring::Key;
use crate::service::{Admission, WINDOW_SECONDS};

/// What sets used signatures apart from nonces, which have no colon.
const USED: &str = "trustee:";

/// So much of a signature is kept.
const USED_LENGTH: usize = 64;

/// A call as it came.
#[derive(Clone, Copy, Debug)]
pub struct TrusteeSigned<'a> {
    /// The query of the request line.
    pub query: &'a str,
    /// The body; empty where the query is what is signed.
    pub body: &'a [u8],
    /// Where it came from.
    pub address: IpAddr,
    /// `trustee-public-key`.
    pub key: &'a str,
    /// `trustee-timestamp`.
    pub timestamp: &'a str,
    /// `trustee-signature`.
    pub signature: &'a str,
}

/// What answers to a key are signed with.
pub struct Seal(Arc<Key>);

/// What became of a call at the door.
pub struct TrusteeAdmission {
    /// Whether it was let in.
    pub admission: Admission,
    /// What the answer is signed with; nothing where nobody is known to have signed the call.
    pub seal: Option<Seal>,
}

impl Seal {
    /// The time and the signature of an answer; nothing for one that is no JSON object.
    #[must_use]
    pub fn signed(&self, answer: &[u8], now: Timestamp) -> Option<(String, String)> {
        let answer: Map<String, Value> = serde_json::from_slice(answer).ok()?;
        let timestamp = now.0.div_euclid(1_000).to_string();
        let signature = signature(&self.0.secret, &answer, &timestamp)?;
        Some((timestamp, signature))
    }
}

impl Partners {
    /// Lets a call of the contract in, once. Whoever has no good key learns nothing but that.
    ///
    /// The outcome is as of [`admit`](Self::admit); `nonce_reused` says that the signature was used.
    pub async fn admit_trustee(&self, call: &TrusteeSigned<'_>) -> TrusteeAdmission {
        let key = self.keyring.key(call.key);
        let secret = key.as_ref().map_or(self.decoy.as_slice(), |key| key.secret.as_slice());
        let fields = fields(call.query, call.body);
        let is_right = is_signed(secret, fields.as_ref().unwrap_or(&Map::new()), call.timestamp, call.signature);
        let is_whole = fields.as_ref().is_some_and(is_covered);
        let Some(key) = key.filter(|_| is_right && is_whole) else {
            let refused = Admission { usage: None, outcome: Err(invalid()) };
            return TrusteeAdmission { admission: refused, seal: None };
        };
        let admission = match taken_until(call.timestamp, self.platform.clock.now()) {
            Ok(until) => {
                let used = format!("{USED}{}", &call.signature[..USED_LENGTH]);
                let mut admission = self.enter(&key, &used, until, call.address).await;
                admission.outcome = admission.outcome.and_then(|caller| caller.may(Scope::Trustee).map(|()| caller));
                admission
            }
            Err(refused) => Admission { usage: None, outcome: Err(refused) },
        };
        TrusteeAdmission { admission, seal: Some(Seal(key)) }
    }
}

fn invalid() -> Error {
    Error::new(Kind::Unauthorised, "signature_invalid")
}

/// What is signed of a call: the body's object, or the parameters of the query as texts. Nothing where it is not clear.
fn fields(query: &str, body: &[u8]) -> Option<Map<String, Value>> {
    if !body.is_empty() {
        // Parameters beside a body are signed by nothing.
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

/// Until when a call of this time is taken.
fn taken_until(timestamp: &str, now: Timestamp) -> Result<Timestamp> {
    let is_time = (1..=15).contains(&timestamp.len()) && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let milliseconds: i64 = Some(timestamp).filter(|_| is_time).and_then(|text| text.parse().ok()).ok_or_else(invalid)?;
    let signed = Timestamp(milliseconds * 1_000);
    let window = WINDOW_SECONDS * 1_000_000;
    if (now.0 - signed.0).abs() > window {
        return Err(Error::new(Kind::Unauthorised, "signature_stale"));
    }
    Ok(Timestamp(signed.0 + window + 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_is_the_body_or_the_query() {
        let read = |query: &str, body: &[u8]| fields(query, body).map(|fields| Value::Object(fields).to_string());
        assert_eq!(read("id=a%20b", b"").as_deref(), Some(r#"{"id":"a b"}"#));
        assert_eq!(read("", br#"{"id":1}"#).as_deref(), Some(r#"{"id":1}"#));
        for (query, body) in [("id=1&id=2", &b""[..]), ("id=%ff", b""), ("id=1", b"{}"), ("", b"[]"), ("", b"{"), ("", b"\"a\"")]
        {
            assert_eq!(read(query, body), None, "{query} {body:?}");
        }
    }

    #[test]
    fn a_call_is_taken_for_a_minute_either_way() {
        let now = Timestamp(1_711_627_200_000_000);
        let is_taken = |text: &str| taken_until(text, now).is_ok();
        assert!(is_taken("1711627200000") && is_taken("1711627260000") && is_taken("1711627140000"));
        for text in ["1711627260001", "1711627139999", "1711627200", "", "-1711627200000", "1711627200000.5", "9999999999999999"]
        {
            assert!(!is_taken(text), "{text}");
        }
    }
}
