//! Values SQLite's single writer knows from its own writes.

use std::collections::HashMap;

/// What is cached, and of which row or chain.
pub type CacheKey = (&'static str, i64);

/// A number, and a text where there is one.
pub type CachedValue = (i64, String);

/// Values the writer would otherwise read again and again: the head of the audit chain, the last claim number. They
/// are right because there is one writer, unless another process wrote to the file; so what is written from them must
/// then violate a unique key.
#[derive(Default)]
pub(super) struct WriterCache {
    values: HashMap<CacheKey, CachedValue>,
    /// Previous values of everything inserted since the last [`commit`](Self::commit).
    before: Vec<(CacheKey, Option<CachedValue>)>,
    was_used: bool,
}

impl WriterCache {
    pub fn get(&mut self, key: CacheKey) -> Option<CachedValue> {
        let value = self.values.get(&key).cloned();
        self.was_used |= value.is_some();
        value
    }

    pub fn insert(&mut self, key: CacheKey, value: CachedValue) {
        let before = self.values.insert(key, value);
        self.before.push((key, before));
    }

    pub fn commit(&mut self) {
        self.before.clear();
    }

    /// Undoes every insert since the last commit.
    pub fn rollback(&mut self) {
        while let Some((key, before)) = self.before.pop() {
            match before {
                Some(value) => self.values.insert(key, value),
                None => self.values.remove(&key),
            };
        }
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether a value was used since the last call.
    pub fn take_was_used(&mut self) -> bool {
        std::mem::take(&mut self.was_used)
    }
}
