//! Bodies against their schemas, where serde takes more than is published: it reads an object from a list of its values as well, `null`
//! as a value that is not given, and a value that may be null also where it is missing.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use serde_json::Value;

/// How deep bodies are followed; none is a tenth as deep.
const DEPTH_MAX: usize = 64;

/// The schema of a type with those it refers to.
struct Schema {
    root: MetaSchemaRef,
    registry: Registry,
}

/// The schemas of bodies that were read so far.
static SCHEMAS: LazyLock<RwLock<HashMap<TypeId, Arc<Schema>>>> = LazyLock::new(RwLock::default);

/// What does not fit in a body, under the path of its field, which is empty for the body itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// It has to be there.
    Missing(String),
    /// It is a list in place of an object, or `null` where the schema has none.
    WrongType(String),
}

/// The first thing in a body that does not fit the schema of its type.
pub(crate) fn misfit<T: Type + 'static>(body: &Value) -> Option<Misfit> {
    let schema = schema::<T>();
    schema.misfit(&schema.root, body, &mut Vec::new())
}

fn schema<T: Type + 'static>() -> Arc<Schema> {
    let key = TypeId::of::<T>();
    if let Some(known) = SCHEMAS.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return known.clone();
    }
    let mut registry = Registry::new();
    T::register(&mut registry);
    let made = Arc::new(Schema { root: T::schema_ref(), registry });
    SCHEMAS.write().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
    made
}

impl Schema {
    fn resolved<'s>(&'s self, schema: &'s MetaSchemaRef) -> Option<&'s MetaSchema> {
        match schema {
            MetaSchemaRef::Inline(schema) => Some(schema),
            MetaSchemaRef::Reference(name) => self.registry.schemas.get(name),
        }
    }

    /// What does not fit of a value; `path` leads to it.
    fn misfit<'v>(&self, schema: &MetaSchemaRef, value: &'v Value, path: &mut Vec<Step<'v>>) -> Option<Misfit> {
        let schema = self.resolved(schema).filter(|_| path.len() < DEPTH_MAX)?;
        match value {
            Value::Null if schema.nullable => return None,
            Value::Null if !schema.ty.is_empty() => return Some(Misfit::WrongType(written(path))),
            Value::Array(_) if schema.ty == "object" => return Some(Misfit::WrongType(written(path))),
            _ => {}
        }
        for branches in [&schema.any_of, &schema.one_of] {
            if !branches.is_empty() && branches.iter().all(|branch| self.misfit(branch, value, &mut path.clone()).is_some()) {
                return Some(Misfit::WrongType(written(path)));
            }
        }
        if let Some(misfit) = schema.all_of.iter().find_map(|part| self.misfit(part, value, path)) {
            return Some(misfit);
        }
        match value {
            Value::Object(fields) => {
                if let Some(missing) = schema.required.iter().find(|name| !fields.contains_key(**name)) {
                    path.push(Step::Field(missing));
                    return Some(Misfit::Missing(written(path)));
                }
                fields.iter().find_map(|(name, value)| {
                    let property = schema.properties.iter().find(|(known, _)| known == name).map(|(_, schema)| schema);
                    let property = property.or(schema.additional_properties.as_deref())?;
                    self.misfit_below(property, value, path, Step::Field(name))
                })
            }
            Value::Array(items) => {
                let of = schema.items.as_deref()?;
                items.iter().enumerate().find_map(|(index, item)| self.misfit_below(of, item, path, Step::Item(index)))
            }
            _ => None,
        }
    }

    fn misfit_below<'v>(
        &self,
        schema: &MetaSchemaRef,
        value: &'v Value,
        path: &mut Vec<Step<'v>>,
        step: Step<'v>,
    ) -> Option<Misfit> {
        path.push(step);
        let misfit = self.misfit(schema, value, path);
        path.pop();
        misfit
    }
}

/// One step into a body.
#[derive(Clone, Copy)]
enum Step<'v> {
    Field(&'v str),
    Item(usize),
}

/// A path as refusals write it: `tiers[0].addPercent`.
fn written(path: &[Step<'_>]) -> String {
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
    use crate::Null;

    #[derive(Object)]
    struct Order {
        name: String,
        note: Option<String>,
        until: Null<String>,
        side: Side,
        other: Null<Side>,
        lines: Vec<Side>,
        given: HashMap<String, String>,
    }

    #[derive(Object)]
    struct Side {
        amount: u32,
    }

    fn found(change: impl FnOnce(&mut Value)) -> Option<Misfit> {
        let mut body = json!({
            "name": "a", "until": null, "side": { "amount": 1 }, "other": null,
            "lines": [{ "amount": 2 }], "given": { "card": "4111" }
        });
        change(&mut body);
        misfit::<Order>(&body)
    }

    fn wrong(path: &str) -> Option<Misfit> {
        Some(Misfit::WrongType(path.to_owned()))
    }

    #[test]
    fn what_is_published_fits() {
        assert_eq!(found(|_| {}), None);
        assert_eq!(found(|body| body["other"] = json!({ "amount": 1 })), None);
        assert_eq!(found(|body| body["note"] = json!("b")), None);
    }

    #[test]
    fn null_fits_where_it_is_published_alone() {
        for (field, path) in [("/name", "name"), ("/side", "side"), ("/side/amount", "side.amount"), ("/lines/0", "lines[0]")] {
            assert_eq!(found(|body| *body.pointer_mut(field).unwrap() = Value::Null), wrong(path));
        }
        assert_eq!(found(|body| body["note"] = Value::Null), wrong("note"));
        assert_eq!(found(|body| body["given"]["card"] = Value::Null), wrong("given.card"));
        assert_eq!(misfit::<Order>(&Value::Null), wrong(""));
    }

    #[test]
    fn a_list_of_values_is_no_object() {
        assert_eq!(misfit::<Side>(&json!([1])), wrong(""));
        assert_eq!(found(|body| body["side"] = json!([1])), wrong("side"));
        assert_eq!(found(|body| body["other"] = json!([1])), wrong("other"));
        assert_eq!(found(|body| body["lines"][0] = json!([2])), wrong("lines[0]"));
    }

    #[test]
    fn what_is_required_is_there_even_if_it_may_be_null() {
        let without = |inside: &str, name: &str| {
            found(|body| drop(body.pointer_mut(inside).and_then(Value::as_object_mut).unwrap().remove(name)))
        };
        for (inside, name, path) in [("", "until", "until"), ("", "other", "other"), ("/lines/0", "amount", "lines[0].amount")] {
            assert_eq!(without(inside, name), Some(Misfit::Missing(path.to_owned())));
        }
        assert_eq!(without("", "note"), None);
    }
}
