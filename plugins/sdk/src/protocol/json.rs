//! The bytes of the protocol.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// How deep arrays and objects may lie in each other in anything that is said.
pub const DEPTH_MAX: usize = 64;

/// What the bytes say. It goes over [`Value`], because a number inside a tagged kind is not read otherwise where some other crate switches on
/// exact numbers in `serde_json`.
///
/// # Errors
/// The bytes are no JSON, or not that of the type.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice::<Value>(bytes).and_then(T::deserialize)
}

/// The bytes of something.
///
/// # Panics
/// Never for types of the protocol: they are plain data.
#[must_use]
pub fn write<T: Serialize>(said: &T) -> Vec<u8> {
    serde_json::to_vec(said).expect("the protocol's types are plain data")
}
