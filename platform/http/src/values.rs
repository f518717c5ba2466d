//! Values in bodies: decimals as text, dates and times in RFC 3339, and explicit nulls.

use std::borrow::Cow;

use agio_core::Timestamp;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use rust_decimal::Decimal;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest text of a decimal; nothing exact is longer.
pub const DECIMAL_LENGTH_MAX: usize = 40;

pub const DECIMAL_PATTERN: &str = r"^-?[0-9]+(\.[0-9]+)?$";

/// Of `2024-03-28`; an instant is longer.
const DATE_LENGTH: usize = 10;

/// An exact decimal: text in responses, text or a JSON number in requests. A number is read from its digits and never
/// passes through a binary float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dec(pub Decimal);

impl Serialize for Dec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&agio_core::money::plain(self.0))
    }
}

impl<'de> Deserialize<'de> for Dec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (read, refusal) = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) if is_decimal(&text) => (parse_decimal(&text), TOO_LONG),
            serde_json::Value::Number(number) => (exact(&number), TOO_LONG),
            _ => (None, "not_an_amount"),
        };
        read.map(Self).ok_or_else(|| D::Error::custom(refusal))
    }
}

/// The code for a well-formed number with more digits than can be kept.
pub(crate) const TOO_LONG: &str = "number_too_long";

/// Reads the digits and the exponent of a JSON number.
fn exact(number: &serde_json::Number) -> Option<Decimal> {
    let text = number.to_string();
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text.as_str(), None), |(before, after)| (before, Some(after)));
    let mantissa = parse_decimal(mantissa)?;
    match exponent {
        Some(exponent) if !mantissa.is_zero() => Decimal::from_scientific(&format!("{mantissa}e{exponent}")).ok(),
        _ => Some(mantissa),
    }
}

/// Reads ASCII digits with at most one point and an optional sign; no exponent, and nothing that would have to be
/// rounded.
pub fn parse_decimal(text: &str) -> Option<Decimal> {
    if is_decimal(text) { Decimal::from_str_exact(text).ok() } else { None }
}

/// Whether a text matches [`DECIMAL_PATTERN`] and is not longer than [`DECIMAL_LENGTH_MAX`].
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.len() <= DECIMAL_LENGTH_MAX && plain(whole) && plain(fraction)
}

/// An instant, written in RFC 3339 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DateTime(pub Timestamp);

impl From<Timestamp> for DateTime {
    fn from(timestamp: Timestamp) -> Self {
        Self(timestamp)
    }
}

/// A date or an instant, as a query parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrDateTime {
    /// The whole day, in UTC; the timestamp is its first instant.
    Date(Timestamp),
    DateTime(Timestamp),
}

/// A required property that may be null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nullable<T>(pub Option<T>);

impl<T> Default for Nullable<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        Self(value)
    }
}

/// The items of an `impl Type` that are the same for every required value that is one schema.
#[macro_export]
macro_rules! one_value {
    () => {
        const IS_REQUIRED: bool = true;
        type RawValueType = Self;
        type RawElementValueType = Self;

        fn as_raw_value(&self) -> Option<&Self> {
            Some(self)
        }

        fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
            Box::new(std::iter::once(self))
        }
    };
}

/// Implements poem-openapi's traits for a serde type that is written as text.
macro_rules! schema_of_text {
    ($type:ty, $format:literal, $example:literal, $pattern:expr) => {
        impl Type for $type {
            crate::one_value!();

            fn name() -> Cow<'static, str> {
                concat!("string_", $format).into()
            }

            fn schema_ref() -> MetaSchemaRef {
                MetaSchemaRef::Inline(Box::new(MetaSchema {
                    example: Some($example.into()),
                    pattern: $pattern,
                    ..MetaSchema::new_with_format("string", $format)
                }))
            }
        }

        impl ParseFromJSON for $type {
            fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
                from_json(value)
            }
        }

        impl ToJSON for $type {
            fn to_json(&self) -> Option<serde_json::Value> {
                serde_json::to_value(self).ok()
            }
        }
    };
}

schema_of_text!(Dec, "decimal", "0.015", Some(DECIMAL_PATTERN.to_owned()));
schema_of_text!(DateTime, "date-time", "2024-03-28T12:00:00Z", None);

impl ParseFromParameter for DateTime {
    fn parse_from_parameter(text: &str) -> ParseResult<Self> {
        Timestamp::parse(text).map(Self).map_err(ParseError::custom)
    }
}

impl Type for DateOrDateTime {
    crate::one_value!();

    fn name() -> Cow<'static, str> {
        "string_date-or-date-time".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        let one = |format| MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", format)));
        MetaSchemaRef::Inline(Box::new(MetaSchema { any_of: vec![one("date"), one("date-time")], ..MetaSchema::ANY }))
    }
}

impl ParseFromParameter for DateOrDateTime {
    fn parse_from_parameter(text: &str) -> ParseResult<Self> {
        let read = |text: &str| Timestamp::parse(text).map_err(ParseError::custom);
        if text.len() == DATE_LENGTH {
            read(&format!("{text}T00:00:00Z")).map(Self::Date)
        } else {
            read(text).map(Self::DateTime)
        }
    }
}

fn from_json<T: DeserializeOwned + Type>(value: Option<serde_json::Value>) -> ParseResult<T> {
    serde_json::from_value(value.unwrap_or_default()).map_err(ParseError::custom)
}

impl<T: Type> Type for Nullable<T> {
    const IS_REQUIRED: bool = true;
    type RawValueType = T::RawValueType;
    type RawElementValueType = T::RawElementValueType;

    fn name() -> Cow<'static, str> {
        format!("nullable_{}", T::name()).into()
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref().merge(MetaSchema { nullable: true, ..MetaSchema::ANY })
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        self.0.as_ref().and_then(Type::as_raw_value)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        match &self.0 {
            Some(value) => value.raw_element_iter(),
            None => Box::new(std::iter::empty()),
        }
    }
}

impl<T: ParseFromJSON> ParseFromJSON for Nullable<T> {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        match value {
            None | Some(serde_json::Value::Null) => Ok(Self(None)),
            value => T::parse_from_json(value).map(|value| Self(Some(value))).map_err(ParseError::propagate),
        }
    }
}

impl<T: ToJSON> ToJSON for Nullable<T> {
    fn to_json(&self) -> Option<serde_json::Value> {
        Some(self.0.as_ref().and_then(ToJSON::to_json).unwrap_or(serde_json::Value::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_their_digits() {
        let read: Dec = serde_json::from_str("0.10000000000000000001").unwrap();
        assert_eq!(read.0.to_string(), "0.10000000000000000001");
    }

    #[test]
    fn exponents_are_accepted_and_nothing_is_rounded() {
        let read = |json: &str| serde_json::from_str::<Dec>(json).map(|read| agio_core::money::plain(read.0));
        for (json, number) in [("5e-7", "0.0000005"), ("-1.5E+3", "-1500"), ("0e300", "0")] {
            assert_eq!(read(json).unwrap(), number, "{json}");
        }
        let long = format!("0.{}", "1".repeat(29));
        for json in ["1e300", "1e-300", "1.5e-28", &long, &format!("\"{long}\"")] {
            assert!(read(json).unwrap_err().to_string().starts_with(TOO_LONG), "{json}");
        }
        for json in ["\"1e3\"", "true", "null"] {
            assert!(read(json).unwrap_err().to_string().starts_with("not_an_amount"), "{json}");
        }
    }

    #[test]
    fn amounts_are_plain_digits() {
        for text in ["", ".", "1.", ".5", "+1", "1e3", "NaN", "Infinity", "0x10", "1,5", "１", "1 000", "--1", "1.2.3"] {
            assert_eq!(parse_decimal(text), None, "{text:?}");
        }
        assert_eq!(parse_decimal(&"9".repeat(41)), None);
        assert!(parse_decimal("-0.5").is_some());
    }
}
