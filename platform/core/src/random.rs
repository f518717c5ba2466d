//! Randomness as a parameter: the operating system's in service, a seeded generator in tests.

use std::sync::{Mutex, PoisonError};

use rand_chacha::ChaCha12Rng;
use rand_core::{RngCore, SeedableRng};
use uuid::Uuid;

use crate::clock::Timestamp;

/// Where random bytes come from.
pub trait Random: Send + Sync {
    /// Fills the whole buffer with random bytes.
    fn fill(&self, buffer: &mut [u8]);

    /// A random (version 4) identifier with 122 bits nobody can guess.
    fn uuid(&self) -> Uuid {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// An identifier that begins with the moment (version 7), for what need not be guarded from being guessed: what is written
    /// together lies together in an index.
    fn uuid_at(&self, now: Timestamp) -> Uuid {
        let mut bytes = [0; 10];
        self.fill(&mut bytes);
        uuid::Builder::from_unix_timestamp_millis(u64::try_from(now.0 / 1_000).unwrap_or_default(), &bytes).into_uuid()
    }
}

/// The operating system's generator; the only one fit for secrets.
pub struct OsRandom;

impl Random for OsRandom {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the operating system")]
    fn fill(&self, buffer: &mut [u8]) {
        // Without randomness no secret can be made, so going on would be worse than stopping.
        getrandom::fill(buffer).expect("the operating system gives random bytes");
    }
}

/// A generator that repeats itself for the same seed: for tests and simulations only.
pub struct SeededRandom(Mutex<ChaCha12Rng>);

impl SeededRandom {
    /// A generator whose whole output follows from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(ChaCha12Rng::seed_from_u64(seed)))
    }
}

impl Random for SeededRandom {
    fn fill(&self, buffer: &mut [u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(buffer);
    }
}
