//! Trustee numbers: exact decimals as JSON numbers.

use std::borrow::Cow;

use agio_core::money::plain;
use agio_http::Dec;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type};
use rust_decimal::Decimal;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An exact decimal as a JSON number, never parsed through a float. Strings are accepted as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Num(pub Decimal);

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: serde_json::Number = plain(self.0).parse().map_err(S::Error::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Dec::deserialize(deserializer).map(|read| Self(read.0))
    }
}

impl Type for Num {
    agio_http::one_value!();

    fn name() -> Cow<'static, str> {
        "number_decimal".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        let example = serde_json::to_value(Self(Decimal::new(15, 3))).ok();
        MetaSchemaRef::Inline(Box::new(MetaSchema { example, ..MetaSchema::new_with_format("number", "decimal") }))
    }
}

impl ParseFromJSON for Num {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        serde_json::from_value(value.unwrap_or_default()).map_err(ParseError::custom)
    }
}

impl ToJSON for Num {
    fn to_json(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_from_their_digits() {
        let read = |json: &str| serde_json::from_str::<Num>(json).map(|number| plain(number.0)).ok();
        assert_eq!(read("0.015").as_deref(), Some("0.015"));
        assert_eq!(read("5e-7").as_deref(), Some("0.0000005"));
        assert_eq!(read("1.5E3").as_deref(), Some("1500"));
        assert_eq!(read("0.10000000000000000001").as_deref(), Some("0.10000000000000000001"));
        assert_eq!(read("\"0.015\"").as_deref(), Some("0.015"));
        for json in ["1e40", "1e-40", "\"1e3\"", "true", "null", "\"\""] {
            assert_eq!(read(json), None, "{json}");
        }
        assert_eq!(serde_json::to_string(&Num("12345678.12345678".parse().unwrap())).unwrap(), "12345678.12345678");
    }
}
