//! The captcha: a small proof of work, asked of whoever makes many claims in a short time.
//!
//! The challenge is signed and carries its own end, so nothing is stored for challenges that are never solved. A solved one
//! counts once: its signature is remembered until it would have ended anyway.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agio_core::{Error, Result, Timestamp};
use altcha::{Challenge, CreateChallengeOptions, Payload, VerifySolutionOptions, create_challenge, verify_solution};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// How long a challenge may be solved.
const LIFE: Duration = Duration::from_secs(10 * 60);

/// What is done to earn a claim; a proof for something else does not count.
const ACTION: &str = "claim.create";

/// Rounds of the hash for one try. A solution takes some 256 tries: about a second in a browser.
const ROUNDS: u32 = 2_000;

/// The longest answer that is read.
const ANSWER_BYTES_MAX: usize = 4_096;

/// The period in which claims are counted.
const WINDOW: Duration = Duration::from_secs(60 * 60);

/// How many addresses and e-mails, and how many used answers, are remembered at most. When there is no more room everybody
/// is asked, which is the safe side.
const REMEMBERED_MAX: usize = 100_000;

/// Asks for proofs of work and checks them.
pub struct Captcha {
    secret: String,
    used: Mutex<HashMap<String, Timestamp>>,
}

impl Captcha {
    /// Challenges signed with this secret.
    #[must_use]
    pub fn new(secret: String) -> Self {
        Self { secret, used: Mutex::default() }
    }

    /// A new challenge.
    ///
    /// # Errors
    /// 500 when none can be made.
    pub fn challenge(&self, now: Timestamp) -> Result<Challenge> {
        let data = BTreeMap::from([
            ("action".to_owned(), ACTION.into()),
            ("expiresAt".to_owned(), now.plus(LIFE).as_seconds().into()),
        ]);
        create_challenge(CreateChallengeOptions {
            cost: ROUNDS,
            data: Some(data),
            hmac_signature_secret: Some(self.secret.clone()),
            ..CreateChallengeOptions::default()
        })
        .map_err(|error| Error::internal(error.to_string()))
    }

    /// Takes an answer: base64 of the JSON `{challenge, solution}`.
    ///
    /// # Errors
    /// 422 `captcha_invalid` for an answer that is wrong, too late, or was taken before.
    pub fn take(&self, answer: &str, now: Timestamp) -> Result<()> {
        let invalid = || Error::unprocessable("captcha_invalid").at("recaptcha", "captcha_invalid");
        let Payload { challenge, solution } = read(answer).ok_or_else(invalid)?;
        let data = challenge.parameters.data.as_ref().ok_or_else(invalid)?;
        let ends = data.get("expiresAt").and_then(serde_json::Value::as_i64).ok_or_else(invalid)?;
        if ends < now.as_seconds() || data.get("action").and_then(|action| action.as_str()) != Some(ACTION) {
            return Err(invalid());
        }
        let verified = verify_solution(VerifySolutionOptions::new(&challenge, &solution, self.secret.as_str()));
        if !verified.is_ok_and(|outcome| outcome.verified) {
            return Err(invalid());
        }
        let signature = challenge.signature.ok_or_else(invalid)?;
        if self.is_first_use(signature, Timestamp(ends.saturating_mul(1_000_000)), now) { Ok(()) } else { Err(invalid()) }
    }

    fn is_first_use(&self, signature: String, ends: Timestamp, now: Timestamp) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= REMEMBERED_MAX {
            used.retain(|_, ends| *ends >= now);
        }
        used.len() < REMEMBERED_MAX && used.insert(signature.to_ascii_lowercase(), ends).is_none()
    }
}

fn read(answer: &str) -> Option<Payload> {
    if answer.len() > ANSWER_BYTES_MAX {
        return None;
    }
    serde_json::from_slice(&STANDARD.decode(answer).ok()?).ok()
}

/// Counts claims by address and by e-mail over the last hour.
#[derive(Default)]
pub struct Risk(Mutex<HashMap<String, VecDeque<Timestamp>>>);

impl Risk {
    /// How many claims were counted for the busiest of these in the last hour.
    pub fn of(&self, parties: &[&str], now: Timestamp) -> usize {
        let counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.len() >= REMEMBERED_MAX {
            return usize::MAX;
        }
        let since = now.minus(WINDOW);
        let recent = |party: &&str| counted.get(*party).map_or(0, |times| times.iter().filter(|at| **at > since).count());
        parties.iter().map(recent).max().unwrap_or(0)
    }

    /// Counts a claim for each of these; no more than `enough` are remembered for one.
    pub fn count(&self, parties: &[&str], enough: usize, now: Timestamp) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let since = now.minus(WINDOW);
        if counted.len() >= REMEMBERED_MAX {
            counted.retain(|_, times| times.back().is_some_and(|at| *at > since));
        }
        for party in parties.iter().take(REMEMBERED_MAX.saturating_sub(counted.len())) {
            let times = counted.entry((*party).to_owned()).or_default();
            times.push_back(now);
            while times.len() > enough.max(1) || times.front().is_some_and(|at| *at <= since) {
                times.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use altcha::{SolveChallengeOptions, solve_challenge};

    use super::*;

    const NOW: Timestamp = Timestamp(1_711_627_200_000_000);

    fn solved(captcha: &Captcha) -> Payload {
        let challenge = captcha.challenge(NOW).unwrap();
        let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
        Payload { challenge, solution }
    }

    fn written(payload: &Payload) -> String {
        STANDARD.encode(serde_json::to_vec(payload).unwrap())
    }

    #[test]
    fn an_answer_counts_once_and_in_time() {
        let captcha = Captcha::new("a secret".into());
        let payload = solved(&captcha);
        let answer = written(&payload);
        assert!(captcha.take(&answer, NOW.plus(Duration::from_secs(601))).is_err());
        assert!(captcha.take(&answer, NOW).is_ok());
        assert!(captcha.take(&answer, NOW).is_err());
        let mut shouted = payload;
        shouted.challenge.signature = shouted.challenge.signature.map(|text| text.to_ascii_uppercase());
        assert!(captcha.take(&written(&shouted), NOW).is_err());
    }

    #[test]
    fn a_forged_or_foreign_answer_does_not_count() {
        let captcha = Captcha::new("a secret".into());
        let mut payload = solved(&captcha);
        payload.challenge.parameters.data = Some(BTreeMap::from([
            ("action".to_owned(), ACTION.into()),
            ("expiresAt".to_owned(), i64::MAX.into()),
        ]));
        for answer in [written(&payload), String::new(), "AAAA".into(), written(&solved(&Captcha::new("another".into())))] {
            assert_eq!(captcha.take(&answer, NOW).map_err(|error| error.code()), Err("captcha_invalid"));
        }
    }

    #[test]
    fn claims_are_counted_for_an_hour() {
        let risk = Risk::default();
        risk.count(&["127.0.0.1", "a@example.com"], 10, NOW);
        risk.count(&["127.0.0.1", "b@example.com"], 10, NOW.plus(Duration::from_secs(1800)));
        assert_eq!(risk.of(&["127.0.0.1", "c@example.com"], NOW.plus(Duration::from_secs(3599))), 2);
        assert_eq!(risk.of(&["127.0.0.1"], NOW.plus(Duration::from_secs(3600))), 1);
        assert_eq!(risk.of(&["c@example.com"], NOW), 0);
    }
}
