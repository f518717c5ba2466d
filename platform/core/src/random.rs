//! Injected randomness: seeded by the operating system in production, a seeded generator in tests.

use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

use rand::rngs::ChaCha12Rng;
use rand::{Rng as _, SeedableRng as _};
use uuid::Uuid;

use crate::clock::Timestamp;

pub trait Random: Send + Sync {
    fn fill(&self, buffer: &mut [u8]);

    /// A random UUID (version 4) with 122 unguessable bits.
    fn uuid(&self) -> Uuid {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// A time-ordered UUID (version 7) whose other 74 bits are unguessable: other UUIDs
    /// say nothing about them. Those of one instant are in no order.
    fn unguessable_uuid_at(&self, now: Timestamp) -> Uuid {
        let mut bytes = [0; 10];
        self.fill(&mut bytes);
        uuid::Builder::from_unix_timestamp_millis(unix_millis(now), &bytes).into_uuid()
    }

    /// The counter of [`uuid_at`](Self::uuid_at).
    fn counter(&self) -> &Counter;

    /// A time-ordered UUID (version 7), for identifiers that need not be unguessable: rows written together are close
    /// together in an index. UUIDs of one instant ascend in the order of their creation.
    fn uuid_at(&self, now: Timestamp) -> Uuid {
        let mut bytes = [0; 10];
        self.fill(&mut bytes);
        let millis = unix_millis(now);
        let start = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let count = self.counter().next(millis, start);
        // The count follows the timestamp, around the two variant bits.
        bytes[..2].copy_from_slice(&(count >> 14).to_be_bytes()[2..]);
        bytes[2..4].copy_from_slice(&(count & 0x3fff).to_be_bytes()[2..]);
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }
}

fn unix_millis(now: Timestamp) -> u64 {
    u64::try_from(now.0 / 1_000).unwrap_or_default()
}

/// Counts the UUIDs of the last instant, starting at a random number.
#[derive(Default)]
pub struct Counter(Mutex<(u64, u32)>);

impl Counter {
    /// Bits of the count. The highest is zero at first, so that some thirty million fit one instant.
    const BITS: u32 = 26;

    /// The count of the next UUID of an instant. An instant before the last one continues the last count.
    fn next(&self, instant: u64, start: u32) -> u32 {
        let first = start >> (u32::BITS - Self::BITS + 1);
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = match instant.cmp(&last.0) {
            Ordering::Less => return first,
            Ordering::Equal => (instant, (last.1 + 1) & (u32::MAX >> (u32::BITS - Self::BITS))),
            Ordering::Greater => (instant, first),
        };
        last.1
    }
}

/// The only generator fit for secrets: a cipher of each thread, which the operating system seeds again after every
/// 64 KiB. Asking the operating system each time costs a system call for each identifier. It panics without a seed: no
/// secret can be created then.
#[derive(Default)]
pub struct SecretRandom(Counter);

impl Random for SecretRandom {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks for randomness")]
    fn fill(&self, buffer: &mut [u8]) {
        rand::rng().fill_bytes(buffer);
    }

    fn counter(&self) -> &Counter {
        &self.0
    }
}

/// A reproducible generator, for tests and simulations only.
pub struct SeededRandom(Mutex<ChaCha12Rng>, Counter);

impl SeededRandom {
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
    fn unguessable_uuids_share_nothing_but_their_time() {
        let random = SeededRandom::new(1);
        let [one, next, later] = [5_000_000, 5_000_000, 5_001_000].map(|at| random.unguessable_uuid_at(Timestamp(at)));
        assert!(one < later && next < later);
        assert_eq!(one.as_bytes()[..6], next.as_bytes()[..6]);
        let is_same = |(one, next): (&u8, &u8)| one == next;
        assert!(one.as_bytes()[8..].iter().zip(&next.as_bytes()[8..]).filter(|bytes| is_same(*bytes)).count() < 3);
        assert!([one, next, later].iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122));
    }

    #[test]
    fn uuids_ascend_with_time_and_within_an_instant() {
        let random = SeededRandom::new(1);
        let instants = [5_000_000, 5_000_000, 5_000_999, 5_001_000, 5_001_000].map(Timestamp);
        let uuids = instants.map(|instant| random.uuid_at(instant));
        assert!(uuids.is_sorted_by(|one, next| one < next), "{uuids:?}");
        let many: Vec<_> = (0..100_000).map(|_| random.uuid_at(Timestamp(6_000_000))).collect();
        assert!(many.is_sorted_by(|one, next| one < next));
        assert!(random.uuid_at(Timestamp(5_000_000)) < many[0], "an older instant stays one");
        assert!(random.uuid_at(Timestamp(6_000_000)) > many[99_999]);
        assert!(many.iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122));
    }
}
