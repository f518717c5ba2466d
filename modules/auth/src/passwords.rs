//! Passwords: which are fit, how they are hashed, and how many at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agio_core::random::Random;
use agio_core::{Error, FieldError, Kind, Result};
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _, SaltString};
use argon2::{Algorithm, Argon2, Params, PasswordHash, Version};
use tokio::sync::Semaphore;
use zxcvbn::{Score, zxcvbn};

/// The shortest password anybody may have.
pub const LENGTH_MIN: usize = 10;

/// The shortest password of somebody who works here: it opens other people's money.
pub const STAFF_LENGTH_MIN: usize = 15;

/// The longest password anybody may have; longer ones only burn time.
pub const LENGTH_MAX: usize = 128;

/// What a hash costs: 19 MiB, two passes, one lane. A stored hash that cost less is made anew at the next sign-in.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// How many passwords of customers, and of staff, are hashed at one time: each takes the memory above and a core. Staff have a turn of their
/// own, so that they do not queue behind customers.
const CUSTOMERS_AT_A_TIME: usize = 2;
const STAFF_AT_A_TIME: usize = 1;

/// How many callers wait for their turn; more are sent away.
const WAITING_MAX: usize = 256;

/// The hash of a password nobody has, at the same cost as real ones: an unknown account takes as long as a wrong password.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$YWdpby11bmtub3duLXN0YWZm$Xx0nNTuLbAs3wRyfAHQy2ht0AXQOTJHl1MBp5GxUY2g";

/// Hashes and checks passwords.
pub struct Passwords {
    random: Arc<dyn Random>,
    turns: Semaphore,
    room: Semaphore,
    checked: AtomicU64,
}

/// Whether a password is the one that was stored.
pub enum Fit {
    /// It is not.
    No,
    /// It is.
    Yes,
    /// It is, and this hash at today's cost should be stored in place of the old one.
    YesRenewed(String),
}

impl Passwords {
    /// For the passwords of customers.
    pub fn of_customers(random: Arc<dyn Random>) -> Self {
        Self::new(random, CUSTOMERS_AT_A_TIME)
    }

    /// For the passwords of staff.
    pub fn of_staff(random: Arc<dyn Random>) -> Self {
        Self::new(random, STAFF_AT_A_TIME)
    }

    fn new(random: Arc<dyn Random>, at_a_time: usize) -> Self {
        Self { random, turns: Semaphore::new(at_a_time), room: Semaphore::new(WAITING_MAX), checked: AtomicU64::new(0) }
    }

    /// How many passwords were compared with a hash so far.
    pub fn checked(&self) -> u64 {
        self.checked.load(Ordering::Relaxed)
    }

    /// Hashes a new password of `least` characters or more, if it is fit for whom these words belong to: the site's name, the account's
    /// address.
    ///
    /// # Errors
    /// 422 at the field: `password_length`, `password_common`; 503 `sign_in_busy`.
    pub async fn accept(&self, password: String, field: &'static str, least: usize, words: Vec<String>) -> Result<String> {
        let fault = self.hash(password, move |password| fault(password, least, &words)).await?;
        fault.map_err(|(code, params)| Error::invalid(vec![FieldError { field: field.to_owned(), code, params }]))
    }

    async fn hash<E: Send + 'static>(
        &self,
        password: String,
        fault: impl FnOnce(&str) -> Option<E> + Send + 'static,
    ) -> Result<Result<String, E>> {
        let salt = self.salt()?;
        self.off_the_reactor(move || match fault(&password) {
            Some(fault) => Ok(Err(fault)),
            None => hashed(&password, &salt).map(Ok),
        })
        .await?
    }

    /// Compares a password with a stored hash; without one, takes as long and says no.
    ///
    /// # Errors
    /// 503 `sign_in_busy`.
    pub async fn fits(&self, password: String, stored: Option<String>) -> Result<Fit> {
        let salt = self.salt()?;
        let is_known = stored.is_some();
        self.checked.fetch_add(1, Ordering::Relaxed);
        self.off_the_reactor(move || {
            let stored = stored.unwrap_or_else(|| NOBODYS.to_owned());
            let stored = PasswordHash::new(&stored).map_err(|error| Error::internal(error.to_string()))?;
            let within = password.chars().count() <= LENGTH_MAX;
            if !(within && hasher()?.verify_password(password.as_bytes(), &stored).is_ok() && is_known) {
                return Ok(Fit::No);
            }
            if costs_as_today(&stored) { Ok(Fit::Yes) } else { hashed(&password, &salt).map(Fit::YesRenewed) }
        })
        .await?
    }

    fn salt(&self) -> Result<SaltString> {
        let mut salt = [0; 16];
        self.random.fill(&mut salt);
        SaltString::encode_b64(&salt).map_err(|error| Error::internal(error.to_string()))
    }

    /// Runs slow arithmetic on a blocking thread, few at a time.
    async fn off_the_reactor<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let busy = || Error::new(Kind::Unavailable, "sign_in_busy").retry_after(2);
        let _room = self.room.try_acquire().map_err(|_| busy())?;
        let _turn = self.turns.acquire().await.map_err(Error::internal)?;
        tokio::task::spawn_blocking(work).await.map_err(Error::internal)
    }
}

fn hasher() -> Result<Argon2<'static>> {
    let cost = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|error| Error::internal(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, cost))
}

fn hashed(password: &str, salt: &SaltString) -> Result<String> {
    let hash = hasher()?.hash_password(password.as_bytes(), salt);
    hash.map(|hash| hash.to_string()).map_err(|error| Error::internal(error.to_string()))
}

fn costs_as_today(stored: &PasswordHash<'_>) -> bool {
    let is_argon2id = stored.algorithm == Algorithm::Argon2id.ident() && stored.version == Some(Version::V0x13.into());
    is_argon2id
        && Params::try_from(stored)
            .is_ok_and(|cost| cost.m_cost() >= MEMORY_KIB && cost.t_cost() >= PASSES && cost.p_cost() >= LANES)
}

/// What is wrong with a new password. Length counts in characters; anything may be in it. What is easy to guess is judged by how many
/// guesses a list of common passwords, keyboard walks, dates and the given words takes.
fn fault(password: &str, least: usize, words: &[String]) -> Option<(&'static str, agio_core::error::Params)> {
    if !(least..=LENGTH_MAX).contains(&password.chars().count()) {
        return Some(("password_length", [("min", least.to_string()), ("max", LENGTH_MAX.to_string())].into()));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let guessable = zxcvbn(password, &words).score() < Score::Three || is_built_of(password, &words);
    guessable.then(|| ("password_common", agio_core::error::Params::new()))
}

/// Whether nothing but some digits and signs is left of a password once the words are taken out.
fn is_built_of(password: &str, words: &[&str]) -> bool {
    let before = password.to_lowercase();
    let mut words: Vec<_> = words.iter().filter(|word| word.chars().count() >= 3).map(|word| word.to_lowercase()).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let rest = words.iter().fold(before.clone(), |rest, word| rest.replace(word.as_str(), ""));
    rest != before && rest.chars().filter(|c| c.is_alphabetic()).count() < 4
}

/// The words of a site's name and of an e-mail address.
pub fn words_of(site: &str, email: &str) -> Vec<String> {
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
    fn nobodys_hash_costs_what_a_real_one_does() {
        assert!(costs_as_today(&PasswordHash::new(NOBODYS).unwrap()));
    }

    #[test]
    fn an_older_hash_is_cheaper_than_todays() {
        for old in ["$argon2id$v=19$m=9216,t=2,p=1$", "$argon2id$v=19$m=19456,t=1,p=1$", "$argon2i$v=19$m=19456,t=2,p=1$"] {
            let old = format!("{old}{}", NOBODYS.splitn(5, '$').nth(4).unwrap());
            assert!(!costs_as_today(&PasswordHash::new(&old).unwrap()), "{old}");
        }
    }

    fn code(password: &str) -> Option<&'static str> {
        fault(password, LENGTH_MIN, &words_of("Agio", "ivan.petrov@example.com")).map(|(code, _)| code)
    }

    #[test]
    fn length_counts_characters_and_anything_goes() {
        assert_eq!(code("корабль уп"), None);
        assert_eq!(code("корабль у"), Some("password_length"));
        assert_eq!(code(&"ы".repeat(129)), Some("password_length"));
        assert_eq!(code("correct horse battery staple"), None);
        assert_eq!(code("лиловая 🚲 едет"), None);
        assert_eq!(code(" vq8fj2mzk4 "), None);
    }

    #[test]
    fn what_everybody_uses_is_refused() {
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
    fn what_is_built_of_the_site_or_the_address_is_refused() {
        for built in ["agio2024!!!", "AgioAgioAgio", "ivan.petrov1990", "petrov_ivan!", "ivan@example.com", "example-ivan-1"] {
            assert_eq!(code(built), Some("password_common"), "{built}");
        }
    }
}
