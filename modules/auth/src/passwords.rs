//! Password rules, hashing and its concurrency.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agio_core::random::Random;
use agio_core::{Error, ErrorKind, FieldError, Result};
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _, SaltString};
use argon2::{Algorithm, Argon2, Params, PasswordHash, Version};
use tokio::sync::Semaphore;
use zxcvbn::{Score, zxcvbn};

use crate::audience::Audience;

/// Minimum length for customers, in characters.
pub const LENGTH_MIN: usize = 10;

/// Minimum length for staff, in characters.
pub const STAFF_LENGTH_MIN: usize = 15;

/// Maximum length, in characters.
pub const LENGTH_MAX: usize = 128;

/// Cost of a hash by Argon2id, with one lane. A stored hash with a lower cost is replaced at the next sign-in.
#[derive(Clone, Copy, Debug)]
pub struct PasswordCost {
    memory_kib: u32,
    passes: u32,
}

impl PasswordCost {
    /// Protects nothing. For tests whose subject is not the hash, which would otherwise spend their time on it.
    pub const LOWEST: Self = Self { memory_kib: Params::MIN_M_COST, passes: Params::MIN_T_COST };

    fn hasher(self) -> Result<Argon2<'static>> {
        let cost = Params::new(self.memory_kib, self.passes, LANES, None).map_err(|error| Error::internal(error.to_string()))?;
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, cost))
    }

    fn hashed(self, password: &str, salt: &SaltString) -> Result<String> {
        let hash = self.hasher()?.hash_password(password.as_bytes(), salt);
        hash.map(|hash| hash.to_string()).map_err(|error| Error::internal(error.to_string()))
    }

    /// Compared for unknown accounts, so that they take as long as a wrong password.
    fn dummy_hash(self) -> String {
        let Self { memory_kib, passes } = self;
        format!("$argon2id$v=19$m={memory_kib},t={passes},p={LANES}${DUMMY_SALT_AND_HASH}")
    }

    fn is_reached_by(self, stored: &PasswordHash<'_>) -> bool {
        let is_argon2id = stored.algorithm == Algorithm::Argon2id.ident() && stored.version == Some(Version::V0x13.into());
        is_argon2id
            && Params::try_from(stored)
                .is_ok_and(|cost| cost.m_cost() >= self.memory_kib && cost.t_cost() >= self.passes && cost.p_cost() >= LANES)
    }
}

impl Default for PasswordCost {
    /// 19 MiB and two passes: the OWASP Password Storage Cheat Sheet.
    fn default() -> Self {
        Self { memory_kib: 19 * 1024, passes: 2 }
    }
}

const LANES: u32 = 1;

const DUMMY_SALT_AND_HASH: &str = "YWdpby11bmtub3duLXN0YWZm$Xx0nNTuLbAs3wRyfAHQy2ht0AXQOTJHl1MBp5GxUY2g";

/// Concurrent hashes; each takes the memory above and a core. Staff have their own slot and do not queue behind
/// customers.
const CUSTOMER_CONCURRENCY: usize = 2;
const STAFF_CONCURRENCY: usize = 1;

/// Callers waiting for a slot; more get `sign_in_busy`.
const QUEUE_MAX: usize = 256;

/// Hashes and checks passwords.
pub struct Passwords {
    random: Arc<dyn Random>,
    cost: PasswordCost,
    workers: Semaphore,
    queue: Semaphore,
    checked: AtomicU64,
}

/// Result of comparing a password with a stored hash.
pub enum PasswordMatch {
    No,
    Yes,
    /// The password matches; store this hash at the current cost.
    Outdated(String),
}

impl Passwords {
    pub fn new(random: Arc<dyn Random>, audience: Audience, cost: PasswordCost) -> Self {
        let workers = Semaphore::new(audience.choose(STAFF_CONCURRENCY, CUSTOMER_CONCURRENCY));
        Self { random, cost, workers, queue: Semaphore::new(QUEUE_MAX), checked: AtomicU64::new(0) }
    }

    /// Number of comparisons so far.
    pub fn checked(&self) -> u64 {
        self.checked.load(Ordering::Relaxed)
    }

    /// Hashes a new password. It must have at least `min_length` characters and must not be derived from `words`: the
    /// site's name and the account's address.
    ///
    /// # Errors
    /// 422 at the field: `password_length`, `password_common`; 503 `sign_in_busy`.
    pub async fn hash_new(&self, password: String, field: &'static str, min_length: usize, words: Vec<String>) -> Result<String> {
        let (cost, salt) = (self.cost, self.salt()?);
        self.run_blocking(move || match weakness(field, &password, min_length, &words) {
            Some(wrong) => Err(Error::invalid(vec![wrong])),
            None => cost.hashed(&password, &salt),
        })
        .await
    }

    /// Compares a password with a stored hash. Without one, takes as long and does not match.
    ///
    /// # Errors
    /// 503 `sign_in_busy`.
    pub async fn verify(&self, password: String, stored: Option<String>) -> Result<PasswordMatch> {
        let (cost, salt) = (self.cost, self.salt()?);
        let is_known = stored.is_some();
        self.checked.fetch_add(1, Ordering::Relaxed);
        self.run_blocking(move || {
            let stored = stored.unwrap_or_else(|| cost.dummy_hash());
            let stored = PasswordHash::new(&stored).map_err(|error| Error::internal(error.to_string()))?;
            let within = password.chars().count() <= LENGTH_MAX;
            if !(within && cost.hasher()?.verify_password(password.as_bytes(), &stored).is_ok() && is_known) {
                return Ok(PasswordMatch::No);
            }
            if cost.is_reached_by(&stored) {
                Ok(PasswordMatch::Yes)
            } else {
                cost.hashed(&password, &salt).map(PasswordMatch::Outdated)
            }
        })
        .await
    }

    fn salt(&self) -> Result<SaltString> {
        let mut salt = [0; 16];
        self.random.fill(&mut salt);
        SaltString::encode_b64(&salt).map_err(|error| Error::internal(error.to_string()))
    }

    /// Runs hashing on a blocking thread with limited concurrency.
    async fn run_blocking<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        let busy = || Error::new(ErrorKind::Unavailable, "sign_in_busy").retry_after(2);
        let _place = self.queue.try_acquire().map_err(|_| busy())?;
        let _turn = self.workers.acquire().await.map_err(Error::internal)?;
        tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
    }
}

/// The error of a failed sign-in, for unknown accounts too.
pub fn wrong_credentials() -> Error {
    Error::new(ErrorKind::Unauthorised, "wrong_credentials")
}

/// The error of a password that is too short or too long, in characters.
pub fn wrong_length(field: &str, password: &str, min: usize) -> Option<FieldError> {
    let is_wrong = !(min..=LENGTH_MAX).contains(&password.chars().count());
    is_wrong.then(|| FieldError::new(field, "password_length").with("min", min).with("max", LENGTH_MAX))
}

/// The error of an unacceptable password. Any characters are allowed; guessability is estimated by zxcvbn.
fn weakness(field: &str, password: &str, min_length: usize, words: &[String]) -> Option<FieldError> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_guessable = || zxcvbn(password, &words).score() < Score::Three || is_made_of(password, &words);
    let common = || is_guessable().then(|| FieldError::new(field, "password_common"));
    wrong_length(field, password, min_length).or_else(common)
}

/// Whether a password consists of the words plus digits and punctuation.
fn is_made_of(password: &str, words: &[&str]) -> bool {
    let before = password.to_lowercase();
    let mut words: Vec<_> = words.iter().filter(|word| word.chars().count() >= 3).map(|word| word.to_lowercase()).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let rest = words.iter().fold(before.clone(), |rest, word| rest.replace(word.as_str(), ""));
    rest != before && rest.chars().filter(|c| c.is_alphabetic()).count() < 4
}

/// Words of the site's name and the e-mail address.
pub fn forbidden_words(site: &str, email: &str) -> Vec<String> {
    let parts = |text: &str| text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>();
    let mut words = vec![site.to_owned(), email.to_owned(), email.split('@').next().unwrap_or_default().to_owned()];
    words.extend(parts(site));
    words.extend(parts(email));
    words.retain(|word| word.chars().count() >= 3);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dummy_hash_has_the_current_cost() {
        let cost = PasswordCost::default();
        assert!(cost.is_reached_by(&PasswordHash::new(&cost.dummy_hash()).unwrap()));
    }

    #[test]
    fn cheaper_hashes_are_outdated() {
        for old in ["$argon2id$v=19$m=9216,t=2,p=1$", "$argon2id$v=19$m=19456,t=1,p=1$", "$argon2i$v=19$m=19456,t=2,p=1$"] {
            let old = format!("{old}{DUMMY_SALT_AND_HASH}");
            assert!(!PasswordCost::default().is_reached_by(&PasswordHash::new(&old).unwrap()), "{old}");
        }
    }

    fn code(password: &str) -> Option<&'static str> {
        let words = forbidden_words("Agio", "ivan.petrov@example.com");
        weakness("password", password, LENGTH_MIN, &words).map(|wrong| wrong.code)
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert_eq!(code("корабль уп"), None);
        assert_eq!(code("корабль у"), Some("password_length"));
        assert_eq!(code(&"ы".repeat(129)), Some("password_length"));
        assert_eq!(code("correct horse battery staple"), None);
        assert_eq!(code("лиловая 🚲 едет"), None);
        assert_eq!(code(" vq8fj2mzk4 "), None);
    }

    #[test]
    fn common_passwords_are_rejected() {
        for common in [
            "1234567890",
            "password12",
            "Password123!",
            "P@ssw0rd2024",
            "qwertyuiop",
            "1q2w3e4r5t",
            "qwerty123456",
            "aaaaaaaaaaaa",
            "iloveyou123",
            "0987654321",
            "zaq12wsxcde3",
            "abcdefghij",
            "q1w2e3r4t5y6",
            "1111111111",
            "sunshine123",
            "princess2020",
            "gfhjkm123456",
            "samsung12345",
            "football2024",
            "letmein12345",
        ] {
            assert_eq!(code(common), Some("password_common"), "{common}");
        }
    }

    #[test]
    fn passwords_from_site_or_address_are_rejected() {
        for built in ["agio2024!!!", "AgioAgioAgio", "ivan.petrov1990", "petrov_ivan!", "ivan@example.com", "example-ivan-1"] {
            assert_eq!(code(built), Some("password_common"), "{built}");
        }
    }
}
