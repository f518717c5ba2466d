//! JSON encoding of the protocol.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Maximum nesting depth of a message.
pub const DEPTH_MAX: usize = 64;

/// Parses a message. It goes through [`Value`], because numbers in tagged enums cannot be read directly if another crate enables
/// `arbitrary_precision` in `serde_json`.
///
/// # Errors
/// The bytes are not valid JSON of the type.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice::<Value>(bytes).and_then(T::deserialize)
}

/// Encodes a message.
///
/// # Panics
/// Never for types of the protocol: they are plain data.
#[must_use]
pub fn write<T: Serialize>(message: &T) -> Vec<u8> {
    serde_json::to_vec(message).expect("the protocol's types are plain data")
}
