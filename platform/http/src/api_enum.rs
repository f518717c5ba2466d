//! Closed sets of the model in bodies and parameters.

use std::borrow::Cow;

use agio_core::named::Named;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde::{Deserialize, Serialize};

/// An enum of the model as the contract publishes it: under the enum's own name, with its names as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ApiEnum<E>(pub E);

impl<E> From<E> for ApiEnum<E> {
    fn from(value: E) -> Self {
        Self(value)
    }
}

fn read<E: Named>(name: &str) -> ParseResult<ApiEnum<E>> {
    let member = E::MEMBERS.iter().find(|member| member.member_name() == name);
    member.map(|member| ApiEnum(*member)).ok_or_else(|| ParseError::custom(format!("not a {}", E::TYPE_NAME)))
}

impl<E: Named> Type for ApiEnum<E> {
    crate::one_value!();

    fn name() -> Cow<'static, str> {
        E::TYPE_NAME.into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference(E::TYPE_NAME.to_owned())
    }

    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>(E::TYPE_NAME.to_owned(), |_| MetaSchema {
            description: (!E::ABOUT.is_empty()).then(|| E::ABOUT.trim()),
            enum_items: E::MEMBERS.iter().map(|member| member.member_name().into()).collect(),
            ..MetaSchema::new("string")
        });
    }
}

impl<E: Named> ParseFromJSON for ApiEnum<E> {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        match value {
            Some(serde_json::Value::String(name)) => read(&name),
            other => Err(ParseError::expected_type(other.unwrap_or_default())),
        }
    }
}

impl<E: Named> ParseFromParameter for ApiEnum<E> {
    fn parse_from_parameter(name: &str) -> ParseResult<Self> {
        read(name)
    }
}

impl<E: Named> ToJSON for ApiEnum<E> {
    fn to_json(&self) -> Option<serde_json::Value> {
        Some(self.0.member_name().into())
    }
}
