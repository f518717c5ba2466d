//! The proof of work: a challenge that is quick to make and to check and takes a browser about a second to solve.
//!
//! A challenge is signed and carries its purpose and its end, so nothing is stored for those that are never solved.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_core::{Error, Result, Timestamp};
use altcha::{Challenge, CreateChallengeOptions, Payload, VerifySolutionOptions, create_challenge, verify_solution};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// How long a challenge may be solved.
const LIFE: Duration = Duration::from_secs(10 * 60);

/// Rounds of the hash for one try. A solution takes some 256 tries: about a second in a browser.
const ROUNDS: u32 = 2_000;

/// The longest answer that is read.
pub(crate) const ANSWER_BYTES_MAX: usize = 8_192;

/// An answer that is right: it counts unless it was used.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The signature of its challenge, by which it is remembered.
    pub signature: String,
    /// When the challenge ends.
    pub ends: Timestamp,
}

/// A new challenge for one kind of call.
///
/// # Errors
/// 500 when none can be made.
pub fn challenge(secret: &str, action: &str, now: Timestamp) -> Result<Challenge> {
    let data =
        BTreeMap::from([("action".to_owned(), action.into()), ("expiresAt".to_owned(), now.plus(LIFE).as_seconds().into())]);
    create_challenge(CreateChallengeOptions {
        cost: ROUNDS,
        data: Some(data),
        hmac_signature_secret: Some(secret.to_owned()),
        ..CreateChallengeOptions::default()
    })
    .map_err(|error| Error::internal(error.to_string()))
}

/// Reads an answer: base64 of the JSON `{challenge, solution}`. Nothing if it is something else.
#[must_use]
pub fn read(answer: &str) -> Option<Payload> {
    if answer.len() > ANSWER_BYTES_MAX {
        return None;
    }
    serde_json::from_slice(&STANDARD.decode(answer).ok()?).ok()
}

/// The proof in an answer, if it solves a challenge of ours for this kind of call in time.
#[must_use]
pub fn check(secret: &str, action: &str, payload: &Payload, now: Timestamp) -> Option<Proof> {
    let Payload { challenge, solution } = payload;
    let data = challenge.parameters.data.as_ref()?;
    let ends = data.get("expiresAt").and_then(serde_json::Value::as_i64)?;
    if ends < now.as_seconds() || data.get("action").and_then(|action| action.as_str()) != Some(action) {
        return None;
    }
    let verified = verify_solution(VerifySolutionOptions::new(challenge, solution, secret)).ok()?;
    let signature = challenge.signature.as_ref().filter(|_| verified.verified)?;
    Some(Proof { signature: signature.clone(), ends: Timestamp(ends.saturating_mul(1_000_000)) })
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
    fn an_answer_counts_in_time_and_for_its_action() {
        let payload = solved("a secret", "login");
        assert!(check("a secret", "login", &payload, NOW.plus(Duration::from_secs(599))).is_some());
        assert!(check("a secret", "login", &payload, NOW.plus(Duration::from_secs(601))).is_none());
        assert!(check("a secret", "signup", &payload, NOW).is_none());
    }

    #[test]
    fn an_answer_in_capitals_is_not_a_second_one() {
        let mut payload = solved("a secret", "login");
        payload.challenge.signature = payload.challenge.signature.map(|text| text.to_ascii_uppercase());
        assert!(check("a secret", "login", &payload, NOW).is_none());
    }

    #[test]
    fn a_forged_or_foreign_answer_does_not_count() {
        let mut payload = solved("a secret", "login");
        payload.challenge.parameters.data =
            Some(BTreeMap::from([("action".to_owned(), "login".into()), ("expiresAt".to_owned(), i64::MAX.into())]));
        assert!(check("a secret", "login", &payload, NOW).is_none());
        assert!(check("a secret", "login", &solved("another", "login"), NOW).is_none());
    }

    #[test]
    fn what_is_no_answer_is_not_read() {
        for answer in ["", "AAAA", "not base64", &"A".repeat(ANSWER_BYTES_MAX + 4)] {
            assert!(read(answer).is_none(), "{answer:.20}");
        }
    }
}
