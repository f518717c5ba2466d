//! JSON with the raw text of numbers and objects with ordered entries.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::ReadError;

/// The entries of an object in order, those of one name included.
pub type Entries = Vec<(String, Box<RawValue>)>;

/// Reads an object keeping the raw text of its values.
///
/// # Errors
/// It is no object, or not all of one.
pub fn entries(bytes: &[u8]) -> Result<Entries, ReadError> {
    struct EntriesVisitor;

    impl<'de> Visitor<'de> for EntriesVisitor {
        type Value = Entries;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = map.next_entry()? {
                entries.push(entry);
            }
            Ok(entries)
        }
    }

    let mut json = serde_json::Deserializer::from_slice(bytes);
    Ok(json.deserialize_map(EntriesVisitor).and_then(|entries| json.end().map(|()| entries))?)
}
