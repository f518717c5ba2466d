//! Lists in pages, by the sort key of the last item.

use std::borrow::Cow;

use agio_core::keyset::KeysetPage;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use crate::values::Nullable;

/// The longest text of a cursor; no sort key is longer.
const CURSOR_LENGTH_MAX: usize = 400;

/// Where a page begins: after the item with this sort key. Callers get it as opaque text and send it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor<K>(pub K);

impl<K: Serialize> Cursor<K> {
    fn to_text(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(&self.0).expect("a sort key is plain data"))
    }
}

impl<K: Serialize> Serialize for Cursor<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<K: Serialize + Send + Sync> Type for Cursor<K> {
    crate::one_value!();

    fn name() -> Cow<'static, str> {
        "string_cursor".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema {
            max_length: Some(CURSOR_LENGTH_MAX),
            ..MetaSchema::new_with_format("string", "cursor")
        }))
    }
}

impl<K: Serialize + DeserializeOwned + Send + Sync> ParseFromParameter for Cursor<K> {
    fn parse_from_parameter(text: &str) -> ParseResult<Self> {
        let key = (text.len() <= CURSOR_LENGTH_MAX).then(|| BASE64_URL_SAFE_NO_PAD.decode(text).ok()).flatten();
        let key = key.and_then(|json| serde_json::from_slice(&json).ok());
        key.map(Self).ok_or_else(|| ParseError::custom("not a cursor of this list"))
    }
}

impl<K: Serialize + DeserializeOwned + Send + Sync> ParseFromJSON for Cursor<K> {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        match value {
            Some(serde_json::Value::String(text)) => Self::parse_from_parameter(&text).map_err(ParseError::propagate),
            other => Err(ParseError::expected_type(other.unwrap_or_default())),
        }
    }
}

impl<K: Serialize + Send + Sync> ToJSON for Cursor<K> {
    fn to_json(&self) -> Option<serde_json::Value> {
        Some(self.to_text().into())
    }
}

/// The default of a parameter for the rows of a page.
pub fn page_size<const ROWS: u32>() -> u32 {
    ROWS
}

/// A page of a list. Published as `<item>Page`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase", bound = "T: Serialize, K: Serialize")]
pub struct Page<T, K> {
    items: Vec<T>,
    next_cursor: Nullable<Cursor<K>>,
}

impl<T, K> Page<T, K> {
    /// Shows each row of a page.
    pub fn of<R>(page: KeysetPage<R, K>, show: impl FnMut(R) -> T) -> Self {
        Self { items: page.rows.into_iter().map(show).collect(), next_cursor: page.next.map(Cursor).into() }
    }
}

impl<T: Type + ToJSON, K: Serialize + Send + Sync> Type for Page<T, K> {
    crate::one_value!();

    fn name() -> Cow<'static, str> {
        format!("{}Page", T::name()).into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference(Self::name().into_owned())
    }

    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>(Self::name().into_owned(), |registry| {
            T::register(registry);
            let next = Nullable::<Cursor<K>>::schema_ref();
            MetaSchema {
                description: Some("A page of a list."),
                required: vec!["items", "nextCursor"],
                properties: vec![
                    ("items", Vec::<T>::schema_ref()),
                    (
                        "nextCursor",
                        next.merge(MetaSchema {
                            description: Some("Pass as `cursor` to get the next page; null on the last page."),
                            ..MetaSchema::ANY
                        }),
                    ),
                ],
                ..MetaSchema::new("object")
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use agio_core::Timestamp;
    use uuid::Uuid;

    use super::*;

    type Key = (Timestamp, Uuid);

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for at in [0, 1, 1_700_000_000_000_001] {
            let cursor = Cursor((Timestamp(at), Uuid::max()));
            assert_eq!(Cursor::<Key>::parse_from_parameter(&cursor.to_text()).unwrap(), cursor);
        }
    }

    #[test]
    fn a_text_that_is_no_cursor_of_the_list_is_refused() {
        let of_another_list = Cursor(7).to_text();
        for text in ["", "1", "!", "bnVsbA", of_another_list.as_str(), &"A".repeat(1_000)] {
            assert!(Cursor::<Key>::parse_from_parameter(text).is_err(), "{text}");
        }
    }
}
