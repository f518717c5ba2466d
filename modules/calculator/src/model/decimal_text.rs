//! Decimals in JSON are strings, in the shortest form; a JSON number is refused.

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serializer, de};

pub(crate) fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&value.normalize())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    let text = String::deserialize(deserializer)?;
    Decimal::from_str_exact(&text).map_err(de::Error::custom)
}
