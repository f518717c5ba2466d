//! Parts of the market file that modules other than the calculator keep.

use std::collections::{BTreeMap, BTreeSet};

use agio_core::identity::Actor;
use agio_core::{BoxFuture, Error, FieldError, Result, Tx};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::CurrencyInfo;

/// The currencies and pairs that there are once a file is applied: what its parts may name.
#[derive(Clone, Debug, Default)]
pub struct MarketOutline {
    /// By code.
    pub currencies: BTreeMap<String, OutlinedCurrency>,
    /// Identifiers by the codes of the given and the received currency.
    pub pairs: BTreeMap<(String, String), i64>,
}

#[derive(Clone, Debug)]
pub struct OutlinedCurrency {
    pub info: CurrencyInfo,
    pub archived: bool,
}

/// A change of one thing that a part keeps.
#[derive(Clone, Debug)]
pub struct MarketPartChange {
    /// What people read: `rate rules BTC → SBERRUB`. Payment details are masked.
    pub subject: String,
    /// The entry of the file, from 0; `None` if the file does not list it.
    pub entry: Option<usize>,
    /// What people read, an object without nulls. `None` for a new one.
    pub before: Option<Value>,
    /// `None` for a removed one.
    pub after: Option<Value>,
    /// What the part needs to store it.
    pub stored: Value,
}

/// What a file says of a part.
#[derive(Clone, Copy)]
pub struct PartEntries<'t> {
    pub market: &'t MarketOutline,
    pub entries: &'t [Value],
    /// Whether what no entry lists is removed, if it ever is.
    pub prune: bool,
}

/// A part of the market file: a list of entries under its key.
pub trait MarketPart: Send + Sync {
    /// The key in the file.
    fn key(&self) -> &'static str;

    /// What is stored as entries without nulls. Entries with the keys `give`, `receive` and `set`, and no others, are
    /// about a pair; the file joins pairs with the same `set`.
    fn export<'t>(&'t self, tx: &'t mut Tx, market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>>;

    /// Compares entries with what is stored.
    ///
    /// # Errors
    /// 422 `validation_failed` with paths such as `[3].set.formula`.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>>;

    /// Checks that need more than the part's own tables, outside the transaction.
    ///
    /// # Errors
    /// As those of [`plan`](Self::plan).
    fn check<'t>(&'t self, _market: &'t MarketOutline, _changes: &'t [MarketPartChange]) -> BoxFuture<'t, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Stores changes that were planned in the same transaction, with their audit entries.
    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>>;
}

/// The default of a switch that files seldom turn off.
pub fn yes() -> bool {
    true
}

/// A value without nulls and empty lists, as a file leaves them out.
pub fn without_empty(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            let stated = fields.into_iter().filter(|(_, value)| !is_empty(value));
            Value::Object(stated.map(|(key, value)| (key, without_empty(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_empty).collect()),
        other => other,
    }
}

/// What an entry says about one thing, compared with what is stored of it.
#[derive(Clone, Debug)]
pub struct PlannedEntry {
    /// As [`MarketPartChange::subject`]. Names the thing alone: a second entry about it is refused.
    pub subject: String,
    /// What people read of the stored thing; `None` for a new one.
    pub before: Option<Value>,
    /// What people read of it afterwards.
    pub after: Value,
    /// As [`MarketPartChange::stored`].
    pub stored: Value,
}

/// The changes of entries that each say all about some things. `plan` compares one entry; its errors are at fields of the
/// entry.
///
/// # Errors
/// 422 `validation_failed` with `market_file_syntax`, `listed_twice` and the errors of `plan`.
pub fn plan_entries<E: DeserializeOwned>(
    entries: &[Value],
    mut plan: impl FnMut(E) -> Result<Vec<PlannedEntry>, Vec<FieldError>>,
) -> Result<Vec<MarketPartChange>> {
    let (mut changes, mut wrong, mut listed) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (place, value) in entries.iter().enumerate() {
        let at = |error: FieldError| {
            let path = if error.field.is_empty() { String::new() } else { format!(".{}", error.field) };
            FieldError { field: format!("[{place}]{path}"), ..error }
        };
        let planned = E::deserialize(value)
            .map_err(|error| vec![FieldError::new("", "market_file_syntax").with("reason", error)])
            .and_then(&mut plan);
        match planned {
            Err(errors) => wrong.extend(errors.into_iter().map(at)),
            Ok(planned) => {
                for PlannedEntry { subject, before, after, stored } in planned {
                    if !listed.insert(subject.clone()) {
                        wrong.push(at(FieldError::new("", "listed_twice")));
                    } else if before.as_ref() != Some(&after) {
                        changes.push(MarketPartChange { subject, entry: Some(place), before, after: Some(after), stored });
                    }
                }
            }
        }
    }
    if wrong.is_empty() { Ok(changes) } else { Err(Error::invalid(wrong)) }
}
