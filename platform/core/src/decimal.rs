//! Decimals as text: the one form in which they are stored, in columns and in JSON.
//!
//! Text keeps every digit on both database engines. It is written in the shortest form and read exactly: what does not
//! fit is an error, never rounded.

use std::fmt;
use std::str::FromStr;

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::money::plain;

/// A decimal in a text column, or in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredDecimal(pub Decimal);

impl fmt::Display for StoredDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain(self.0))
    }
}

impl FromStr for StoredDecimal {
    type Err = rust_decimal::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Decimal::from_str_exact(text).map(Self)
    }
}

crate::text_column!(StoredDecimal);

impl Serialize for StoredDecimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StoredDecimal {
    /// JSON numbers are refused: they would have passed through a float.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// For fields: `#[serde(with = "agio_core::decimal::text")]`.
pub mod text {
    use super::{Decimal, Deserialize as _, Deserializer, Serialize as _, Serializer, StoredDecimal};

    pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        StoredDecimal(*value).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        StoredDecimal::deserialize(deserializer).map(|read| read.0)
    }
}

/// The same for a decimal or null. The field must be present unless it has a default.
pub mod optional_text {
    use super::{Decimal, Deserialize as _, Deserializer, Serialize as _, Serializer, StoredDecimal};

    pub fn serialize<S: Serializer>(value: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(StoredDecimal).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
        Ok(Option::<StoredDecimal>::deserialize(deserializer)?.map(|read| read.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_decimal_is_read_as_it_was_written(mantissa in any::<i64>(), scale in 0_u32..=28) {
            let value = Decimal::from_i128_with_scale(i128::from(mantissa), scale);
            let json = serde_json::to_string(&StoredDecimal(value)).unwrap();
            prop_assert_eq!(serde_json::from_str::<StoredDecimal>(&json).unwrap().0, value);
            prop_assert_eq!(serde_json::to_string(&StoredDecimal(value.normalize())).unwrap(), json, "one number, one text");
        }
    }

    #[test]
    fn what_is_no_exact_decimal_text_is_refused() {
        for json in ["1", "1.5", "null", r#""""#, r#""1e3""#, r#""1.00000000000000000000000000001""#, r#""a""#] {
            assert!(serde_json::from_str::<StoredDecimal>(json).is_err(), "{json}");
        }
    }
}
