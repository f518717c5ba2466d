//! Validation of bodies against their published schemas, where serde accepts more: an array of its values as an
//! object, `null` as a missing value, and a missing field as `null`.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use serde_json::Value;

/// The greatest depth that is validated; no body is a tenth as deep.
const DEPTH_MAX: usize = 64;

/// The schema of a type with all schemas it refers to.
struct Schema {
    root: MetaSchemaRef,
    registry: Registry,
}

/// The schemas of all body types read so far.
static SCHEMAS: LazyLock<RwLock<HashMap<TypeId, Arc<Schema>>>> = LazyLock::new(RwLock::default);

/// A difference from the schema at a field's path, which is empty for the body itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SchemaMismatch {
    /// A required field is missing.
    Missing(String),
    /// An array instead of an object, or a `null` that the schema does not allow.
    WrongType(String),
}

/// The first difference of a body from the schema of its type.
pub(crate) fn mismatch<T: Type + 'static>(body: &Value) -> Option<SchemaMismatch> {
    let schema = schema::<T>();
    schema.mismatch(&schema.root, body, &mut Vec::new())
}

fn schema<T: Type + 'static>() -> Arc<Schema> {
    let key = TypeId::of::<T>();
    if let Some(known) = SCHEMAS.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return known.clone();
    }
    let mut registry = Registry::new();
    T::register(&mut registry);
    let compiled = Arc::new(Schema { root: T::schema_ref(), registry });
    SCHEMAS.write().unwrap_or_else(PoisonError::into_inner).insert(key, compiled.clone());
    compiled
}

impl Schema {
    fn resolved<'s>(&'s self, schema: &'s MetaSchemaRef) -> Option<&'s MetaSchema> {
        match schema {
            MetaSchemaRef::Inline(schema) => Some(schema),
            MetaSchemaRef::Reference(name) => self.registry.schemas.get(name),
        }
    }

    /// The first difference of a value; `path` leads to it.
    fn mismatch<'v>(&self, schema: &MetaSchemaRef, value: &'v Value, path: &mut Vec<Step<'v>>) -> Option<SchemaMismatch> {
        let schema = self.resolved(schema).filter(|_| path.len() < DEPTH_MAX)?;
        match value {
            Value::Null if schema.nullable => return None,
            Value::Null if !schema.ty.is_empty() => return Some(SchemaMismatch::WrongType(format_path(path))),
            Value::Array(_) if schema.ty == "object" => return Some(SchemaMismatch::WrongType(format_path(path))),
            _ => {}
        }
        for branches in [&schema.any_of, &schema.one_of] {
            if !branches.is_empty() && branches.iter().all(|branch| self.mismatch(branch, value, &mut path.clone()).is_some()) {
                return Some(SchemaMismatch::WrongType(format_path(path)));
            }
        }
        if let Some(mismatch) = schema.all_of.iter().find_map(|part| self.mismatch(part, value, path)) {
            return Some(mismatch);
        }
        match value {
            Value::Object(fields) => {
                if let Some(missing) = schema.required.iter().find(|name| !fields.contains_key(**name)) {
                    path.push(Step::Field(missing));
                    return Some(SchemaMismatch::Missing(format_path(path)));
                }
                fields.iter().find_map(|(name, value)| {
                    let property = schema.properties.iter().find(|(known, _)| known == name).map(|(_, schema)| schema);
                    let property = property.or(schema.additional_properties.as_deref())?;
                    self.mismatch_below(property, value, path, Step::Field(name))
                })
            }
            Value::Array(items) => {
                let of = schema.items.as_deref()?;
                items.iter().enumerate().find_map(|(index, item)| self.mismatch_below(of, item, path, Step::Item(index)))
            }
            _ => None,
        }
    }

    fn mismatch_below<'v>(
        &self,
        schema: &MetaSchemaRef,
        value: &'v Value,
        path: &mut Vec<Step<'v>>,
        step: Step<'v>,
    ) -> Option<SchemaMismatch> {
        path.push(step);
        let mismatch = self.mismatch(schema, value, path);
        path.pop();
        mismatch
    }
}

#[derive(Clone, Copy)]
enum Step<'v> {
    Field(&'v str),
    Item(usize),
}

/// A path as in error responses: `tiers[0].addPercent`.
fn format_path(path: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => text.extend([".", name]),
            Step::Item(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use poem_openapi::Object;
    use serde_json::json;

    use super::*;
    use crate::Nullable;

    #[derive(Object)]
    struct Order {
        name: String,
        note: Option<String>,
        until: Nullable<String>,
        side: Side,
        other: Nullable<Side>,
        lines: Vec<Side>,
        given: HashMap<String, String>,
    }

    #[derive(Object)]
    struct Side {
        amount: u32,
    }

    fn found(change: impl FnOnce(&mut Value)) -> Option<SchemaMismatch> {
        let mut body = json!({
            "name": "a", "until": null, "side": { "amount": 1 }, "other": null,
            "lines": [{ "amount": 2 }], "given": { "card": "4111" }
        });
        change(&mut body);
        mismatch::<Order>(&body)
    }

    fn wrong(path: &str) -> Option<SchemaMismatch> {
        Some(SchemaMismatch::WrongType(path.to_owned()))
    }

    #[test]
    fn bodies_that_match_the_schema_pass() {
        assert_eq!(found(|_| {}), None);
        assert_eq!(found(|body| body["other"] = json!({ "amount": 1 })), None);
        assert_eq!(found(|body| body["note"] = json!("b")), None);
    }

    #[test]
    fn null_is_accepted_only_where_published() {
        for (field, path) in [("/name", "name"), ("/side", "side"), ("/side/amount", "side.amount"), ("/lines/0", "lines[0]")] {
            assert_eq!(found(|body| *body.pointer_mut(field).unwrap() = Value::Null), wrong(path));
        }
        assert_eq!(found(|body| body["note"] = Value::Null), wrong("note"));
        assert_eq!(found(|body| body["given"]["card"] = Value::Null), wrong("given.card"));
        assert_eq!(mismatch::<Order>(&Value::Null), wrong(""));
    }

    #[test]
    fn an_array_is_not_an_object() {
        assert_eq!(mismatch::<Side>(&json!([1])), wrong(""));
        assert_eq!(found(|body| body["side"] = json!([1])), wrong("side"));
        assert_eq!(found(|body| body["other"] = json!([1])), wrong("other"));
        assert_eq!(found(|body| body["lines"][0] = json!([2])), wrong("lines[0]"));
    }

    #[test]
    fn required_nullable_fields_must_be_present() {
        let without = |inside: &str, name: &str| {
            found(|body| drop(body.pointer_mut(inside).and_then(Value::as_object_mut).unwrap().remove(name)))
        };
        for (inside, name, path) in [("", "until", "until"), ("", "other", "other"), ("/lines/0", "amount", "lines[0].amount")] {
            assert_eq!(without(inside, name), Some(SchemaMismatch::Missing(path.to_owned())));
        }
        assert_eq!(without("", "note"), None);
    }
}
