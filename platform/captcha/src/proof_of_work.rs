//! Proof of work: a challenge that is quick to create and verify and takes a browser about a second to solve.
//!
//! A challenge is signed and contains its action and expiry, so unsolved challenges are not stored.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_core::{Error, Result, Timestamp};
use altcha::{Challenge, CreateChallengeOptions, Payload, VerifySolutionOptions, create_challenge, verify_solution};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Validity of a challenge.
const TIME_TO_LIVE: Duration = Duration::from_secs(10 * 60);

/// Hash rounds per attempt. A solution takes about 256 attempts: about a second in a browser.
const ROUNDS: u32 = 2_000;

/// Maximum length of an answer.
pub(crate) const ANSWER_BYTES_MAX: usize = 8_192;

/// A verified solution. It must be used only once.
#[derive(Clone, Debug)]
pub struct ProofOfWork {
    /// Signature of the challenge, which identifies it.
    pub signature: String,
    pub expires_at: Timestamp,
}

/// Creates a challenge for an action.
pub fn challenge(secret: &str, action: &str, now: Timestamp) -> Result<Challenge> {
    let data = BTreeMap::from([
        ("action".to_owned(), action.into()),
        ("expiresAt".to_owned(), now.plus(TIME_TO_LIVE).as_seconds().into()),
    ]);
    create_challenge(CreateChallengeOptions {
        cost: ROUNDS,
        data: Some(data),
        hmac_signature_secret: Some(secret.to_owned()),
        ..CreateChallengeOptions::default()
    })
    .map_err(|error| Error::internal(error.to_string()))
}

/// Parses an answer: base64 of the JSON `{challenge, solution}`.
pub fn read(answer: &str) -> Option<Payload> {
    if answer.len() > ANSWER_BYTES_MAX {
        return None;
    }
    serde_json::from_slice(&STANDARD.decode(answer).ok()?).ok()
}

/// Verifies a solution: the challenge must be ours, for this action and not expired.
pub fn verify(secret: &str, action: &str, payload: &Payload, now: Timestamp) -> Option<ProofOfWork> {
    let Payload { challenge, solution } = payload;
    let data = challenge.parameters.data.as_ref()?;
    let expires_at = data.get("expiresAt").and_then(serde_json::Value::as_i64)?;
    if expires_at < now.as_seconds() || data.get("action").and_then(|action| action.as_str()) != Some(action) {
        return None;
    }
    let verified = verify_solution(VerifySolutionOptions::new(challenge, solution, secret)).ok()?;
    let signature = challenge.signature.as_ref().filter(|_| verified.verified)?;
    Some(ProofOfWork { signature: signature.clone(), expires_at: Timestamp(expires_at.saturating_mul(1_000_000)) })
}

#[cfg(test)]
mod tests {
    use altcha::{SolveChallengeOptions, solve_challenge};

    use super::*;

    const NOW: Timestamp = Timestamp(1_711_627_200_000_000);

    fn solved(secret: &str, action: &str) -> Payload {
        let challenge = challenge(secret, action, NOW).unwrap();
        let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
        Payload { challenge, solution }
    }

    #[test]
    fn a_solution_is_valid_in_time_and_for_its_action() {
        let payload = solved("a secret", "login");
        assert!(verify("a secret", "login", &payload, NOW.plus(Duration::from_secs(599))).is_some());
        assert!(verify("a secret", "login", &payload, NOW.plus(Duration::from_secs(601))).is_none());
        assert!(verify("a secret", "signup", &payload, NOW).is_none());
    }

    #[test]
    fn an_uppercase_signature_is_rejected() {
        let mut payload = solved("a secret", "login");
        payload.challenge.signature = payload.challenge.signature.map(|text| text.to_ascii_uppercase());
        assert!(verify("a secret", "login", &payload, NOW).is_none());
    }

    #[test]
    fn forged_solutions_are_rejected() {
        let mut payload = solved("a secret", "login");
        payload.challenge.parameters.data =
            Some(BTreeMap::from([("action".to_owned(), "login".into()), ("expiresAt".to_owned(), i64::MAX.into())]));
        assert!(verify("a secret", "login", &payload, NOW).is_none());
        assert!(verify("a secret", "login", &solved("another", "login"), NOW).is_none());
    }

    #[test]
    fn malformed_answers_are_not_parsed() {
        for answer in ["", "AAAA", "not base64", &"A".repeat(ANSWER_BYTES_MAX + 4)] {
            assert!(read(answer).is_none(), "{answer:.20}");
        }
    }
}
