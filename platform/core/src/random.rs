//! Randomness as a parameter: the operating system's in service, a seeded generator in tests.

use std::cmp::Ordering;
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

    /// What [`uuid_at`](Self::uuid_at) counts with.
    fn counter(&self) -> &Counter;

    /// An identifier that begins with the moment (version 7), for what need not be guarded from being guessed: what is written
    /// together lies together in an index. Those of one moment grow in the order in which they were made here, so that they tell which
    /// of two things came first.
    fn uuid_at(&self, now: Timestamp) -> Uuid {
        let mut bytes = [0; 10];
        self.fill(&mut bytes);
        let millis = u64::try_from(now.0 / 1_000).unwrap_or_default();
        let start = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let count = self.counter().next(millis, start);
        // The count stands behind the moment, around the two bits that say what kind of identifier it is.
        bytes[..2].copy_from_slice(&(count >> 14).to_be_bytes()[2..]);
        bytes[2..4].copy_from_slice(&(count & 0x3fff).to_be_bytes()[2..]);
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }
}

/// How many identifiers were made for the last moment, from a random number on.
#[derive(Default)]
pub struct Counter(Mutex<(u64, u32)>);

impl Counter {
    /// Bits of a count; the highest is zero at first, so that some thirty million fit into a moment.
    const BITS: u32 = 26;

    /// The count of the next identifier of a moment. An older moment than the last one is not counted in.
    fn next(&self, moment: u64, start: u32) -> u32 {
        let first = start >> (u32::BITS - Self::BITS + 1);
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = match moment.cmp(&last.0) {
            Ordering::Less => return first,
            Ordering::Equal => (moment, (last.1 + 1) & (u32::MAX >> (u32::BITS - Self::BITS))),
            Ordering::Greater => (moment, first),
        };
        last.1
    }
}

/// The operating system's generator; the only one fit for secrets.
#[derive(Default)]
pub struct OsRandom(Counter);

impl Random for OsRandom {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the operating system")]
    fn fill(&self, buffer: &mut [u8]) {
        // Without randomness no secret can be made, so going on would be worse than stopping.
        getrandom::fill(buffer).expect("the operating system gives random bytes");
    }

    fn counter(&self) -> &Counter {
        &self.0
    }
}

/// A generator that repeats itself for the same seed: for tests and simulations only.
pub struct SeededRandom(Mutex<ChaCha12Rng>, Counter);

impl SeededRandom {
    /// A generator whose whole output follows from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(ChaCha12Rng::seed_from_u64(seed)), Counter::default())
    }
}

impl Random for SeededRandom {
    fn fill(&self, buffer: &mut [u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(buffer);
    }

    fn counter(&self) -> &Counter {
        &self.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_grow_with_the_moment_and_within_it() {
        let random = SeededRandom::new(1);
        let moments = [5_000_000, 5_000_000, 5_000_999, 5_001_000, 5_001_000].map(Timestamp);
        let made = moments.map(|moment| random.uuid_at(moment));
        assert!(made.is_sorted_by(|one, next| one < next), "{made:?}");
        let many: Vec<_> = (0..100_000).map(|_| random.uuid_at(Timestamp(6_000_000))).collect();
        assert!(many.is_sorted_by(|one, next| one < next));
        assert!(random.uuid_at(Timestamp(5_000_000)) < many[0], "an older moment stays one");
        assert!(random.uuid_at(Timestamp(6_000_000)) > many[99_999]);
        assert!(many.iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122));
    }
}
