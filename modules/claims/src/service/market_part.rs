//! The payment details that customers pay to, in the market file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use agio_contracts::{CurrencyInfo, MarketOutline, MarketPart, MarketPartChange, PartEntries, without_empty};
use agio_core::decimal::StoredDecimal;
use agio_core::identity::Actor;
use agio_core::{BoxFuture, Error, FieldError, Result, Tx};
use agio_requisites::{RequisiteKind, mask};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Claims;
use super::requisite_pool::{PRIORITY_DEFAULT, RequisiteChange, WEIGHT_DEFAULT, changed};
use crate::rules::payment::address_kind;
use crate::rules::requisite_pool::{RequisiteIdentification, RequisiteRotation, RequisiteRow};
use crate::store::requisites;

/// The most payment details of a currency.
const DETAILS_MAX: usize = 10_000;

/// The payment details of a currency.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PoolEntry {
    currency: String,
    #[serde(default = "in_turn")]
    rotation: RequisiteRotation,
    #[serde(default)]
    details: Vec<Value>,
}

/// Keys are those of the admin API.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DetailsEntry {
    value: String,
    holder: Option<String>,
    memo: Option<String>,
    #[serde(default = "agio_contracts::yes")]
    enabled: bool,
    #[serde(default = "no_identification")]
    identification: RequisiteIdentification,
    #[serde(default = "default_priority")]
    priority: i64,
    #[serde(default = "default_weight")]
    weight: i64,
    min_amount: Option<StoredDecimal>,
    max_amount: Option<StoredDecimal>,
    daily_limit: Option<StoredDecimal>,
    monthly_limit: Option<StoredDecimal>,
    daily_count: Option<i64>,
    turnover_limit: Option<StoredDecimal>,
    #[serde(default)]
    one_time: bool,
    #[serde(default)]
    cooling_minutes: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PlannedChange {
    Rotation { currency: i64, rotation: RequisiteRotation },
    Details { before: Option<Box<RequisiteRow>>, after: Box<RequisiteRow> },
}

fn in_turn() -> RequisiteRotation {
    RequisiteRotation::InTurn
}

fn no_identification() -> RequisiteIdentification {
    RequisiteIdentification::None
}

fn default_priority() -> i64 {
    PRIORITY_DEFAULT
}

fn default_weight() -> i64 {
    WEIGHT_DEFAULT
}

impl DetailsEntry {
    fn of(row: &RequisiteRow, currency: &CurrencyInfo) -> Self {
        let amount = |units: Option<i64>| units.map(|units| StoredDecimal(currency.amount(units).value()));
        let limits = &row.limits;
        Self {
            value: row.value.clone(),
            holder: row.holder.clone(),
            memo: row.memo.clone(),
            enabled: row.enabled,
            identification: row.identification,
            priority: row.priority,
            weight: row.weight,
            min_amount: amount(limits.operation_min),
            max_amount: amount(limits.operation_max),
            daily_limit: amount(limits.daily_limit),
            monthly_limit: amount(limits.monthly_limit),
            daily_count: limits.daily_count,
            turnover_limit: amount(limits.turnover_limit),
            one_time: limits.one_time,
            cooling_minutes: limits.cooling_minutes,
        }
    }

    /// Every property.
    fn properties(self) -> RequisiteChange {
        let amount = |amount: Option<StoredDecimal>| Some(amount.map(|amount| amount.0));
        RequisiteChange {
            value: Some(self.value),
            holder: Some(self.holder),
            memo: Some(self.memo),
            enabled: Some(self.enabled),
            identification: Some(self.identification),
            priority: Some(self.priority),
            weight: Some(self.weight),
            operation_min: amount(self.min_amount),
            operation_max: amount(self.max_amount),
            daily_limit: amount(self.daily_limit),
            monthly_limit: amount(self.monthly_limit),
            daily_count: Some(self.daily_count),
            turnover_limit: amount(self.turnover_limit),
            one_time: Some(self.one_time),
            cooling_minutes: Some(self.cooling_minutes),
        }
    }

    /// What people read: without the account.
    fn masked(mut self, kind: RequisiteKind) -> Result<Value> {
        let masked = |kind, text: Option<String>| text.map(|text| mask(kind, &text));
        self.value = mask(kind, &self.value);
        self.holder = masked(RequisiteKind::Holder, self.holder);
        self.memo = masked(RequisiteKind::Memo, self.memo);
        serde_json::to_value(self).map(without_empty).map_err(Error::internal)
    }

    /// The entry without what is the same by default.
    fn to_value(&self) -> Result<Value> {
        let entry = serde_json::to_value(self).map(without_empty).map_err(Error::internal)?;
        let plain = Self::deserialize(json!({ "value": "" })).map_err(Error::internal)?;
        let plain = serde_json::to_value(plain).map_err(Error::internal)?;
        let Value::Object(fields) = entry else { return Err(Error::internal("an entry is an object")) };
        Ok(Value::Object(fields.into_iter().filter(|(key, value)| plain.get(key) != Some(value)).collect()))
    }
}

/// The stored details of a currency by value and memo, each once: an enabled one if there is one.
fn by_account(rows: &[RequisiteRow], currency: i64) -> HashMap<(&str, Option<&str>), &RequisiteRow> {
    let mut known = HashMap::new();
    for row in rows.iter().filter(|row| row.currency_id == currency) {
        let account = (row.value.as_str(), row.memo.as_deref());
        if known.get(&account).is_none_or(|other: &&RequisiteRow| row.enabled && !other.enabled) {
            known.insert(account, row);
        }
    }
    known
}

/// An error in an entry of the file.
fn at(path: String, error: FieldError) -> FieldError {
    FieldError { field: path, ..error }
}

fn syntax(path: String, reason: &serde_json::Error) -> FieldError {
    FieldError::new(path, "market_file_syntax").with("reason", reason)
}

impl Claims {
    /// Compares the details of an entry with those that are stored.
    fn plan_details(
        &self,
        (place, details): (usize, Vec<Value>),
        currency: &CurrencyInfo,
        is_archived: bool,
        stored: &[RequisiteRow],
    ) -> Result<(Vec<MarketPartChange>, Vec<FieldError>)> {
        let known = by_account(stored, currency.id);
        let kind = address_kind(currency).unwrap_or(RequisiteKind::Text);
        let (mut changes, mut wrong, mut listed) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (number, details) in details.into_iter().enumerate() {
            let path = format!("[{place}].details[{number}]");
            let details = match DetailsEntry::deserialize(details) {
                Ok(details) => details,
                Err(error) => {
                    wrong.push(syntax(path, &error));
                    continue;
                }
            };
            let properties = details.properties();
            let after = match changed(currency, self.empty_requisite(currency.id), properties.clone()) {
                Ok(new) => match known.get(&(new.value.as_str(), new.memo.as_deref())) {
                    Some(row) => changed(currency, RequisiteRow::clone(row), properties)?,
                    None => new,
                },
                Err(error) => {
                    let at_field = |field: &FieldError| at(format!("{path}.{}", field.field), field.clone());
                    wrong.extend(error.fields().iter().map(at_field));
                    continue;
                }
            };
            let before = stored.iter().find(|row| row.id == after.id);
            if !listed.insert((after.value.clone(), after.memo.clone())) {
                wrong.push(FieldError::new(path, "listed_twice"));
            } else if is_archived && before.is_none() {
                wrong.push(FieldError::new(path, "currency_archived"));
            } else if before != Some(&after) {
                let shown = |row: &RequisiteRow| DetailsEntry::of(row, currency).masked(kind);
                changes.push(MarketPartChange {
                    subject: format!("payment details {} {}", currency.code, mask(kind, &after.value)),
                    entry: Some(place),
                    before: before.map(shown).transpose()?,
                    after: Some(shown(&after)?),
                    stored: json!(PlannedChange::Details { before: before.cloned().map(Box::new), after: Box::new(after) }),
                });
            }
        }
        Ok((changes, wrong))
    }
}

impl MarketPart for Claims {
    fn key(&self) -> &'static str {
        "paymentDetails"
    }

    /// Without one-time details that a claim got, as nobody may pay to them again, and those of archived currencies.
    fn export<'t>(&'t self, tx: &'t mut Tx, market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>> {
        Box::pin(async move {
            let stored: Vec<RequisiteRow> = requisites::all(tx).await?;
            let rotations: BTreeMap<i64, RequisiteRotation> = requisites::rotations(tx).await?.into_iter().collect();
            let offered = market.currencies.values().filter(|currency| !currency.archived);
            let mut currencies: Vec<_> = offered.map(|currency| &currency.info).collect();
            currencies.sort_by_key(|currency| currency.id);
            let mut entries = Vec::new();
            for currency in currencies {
                let known = by_account(&stored, currency.id);
                let kept = stored.iter().filter(|row| {
                    let is_used = row.limits.one_time && row.usage.total_count > 0;
                    !is_used && known.get(&(row.value.as_str(), row.memo.as_deref())).is_some_and(|kept| kept.id == row.id)
                });
                let kept = kept.filter(|row| row.currency_id == currency.id);
                let details = kept.map(|row| DetailsEntry::of(row, currency).to_value()).collect::<Result<Vec<_>>>()?;
                let rotation = rotations.get(&currency.id).filter(|rotation| **rotation != RequisiteRotation::InTurn);
                if !details.is_empty() || rotation.is_some() {
                    entries.push(without_empty(json!({ "currency": currency.code, "rotation": rotation, "details": details })));
                }
            }
            Ok(entries)
        })
    }

    /// Details that no entry lists stay, with `prune` as well: exports leave them out unless they are asked for.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>> {
        Box::pin(async move {
            let (mut pools, mut wrong, mut listed) = (Vec::new(), Vec::new(), BTreeSet::new());
            for (place, entry) in file.entries.iter().enumerate() {
                let entry = match PoolEntry::deserialize(entry) {
                    Ok(entry) if entry.details.len() > DETAILS_MAX => {
                        let error = FieldError::new("", "too_many_lines").with("max", DETAILS_MAX);
                        wrong.push(at(format!("[{place}].details"), error));
                        continue;
                    }
                    Ok(entry) => entry,
                    Err(error) => {
                        wrong.push(syntax(format!("[{place}]"), &error));
                        continue;
                    }
                };
                let field = format!("[{place}].currency");
                match file.market.currencies.get(&entry.currency) {
                    None => wrong.push(FieldError::new(field, "currency_unknown")),
                    Some(currency) if !listed.insert(currency.info.id) => wrong.push(FieldError::new(field, "listed_twice")),
                    Some(currency) => pools.push((place, currency, entry)),
                }
            }
            // Every change of a pool takes these locks, several in this order.
            for currency in &listed {
                requisites::lock_pool(tx, *currency).await?;
            }
            let stored = requisites::all(tx).await?;
            let mut changes = Vec::new();
            for (place, currency, entry) in pools {
                let info = &currency.info;
                let before = requisites::rotation(tx, info.id).await?;
                if before != entry.rotation {
                    changes.push(MarketPartChange {
                        subject: format!("payment details of {}", info.code),
                        entry: Some(place),
                        before: Some(json!({ "rotation": before })),
                        after: Some(json!({ "rotation": entry.rotation })),
                        stored: json!(PlannedChange::Rotation { currency: info.id, rotation: entry.rotation }),
                    });
                }
                let (planned, errors) = self.plan_details((place, entry.details), info, currency.archived, &stored)?;
                changes.extend(planned);
                wrong.extend(errors);
            }
            if wrong.is_empty() { Ok(changes) } else { Err(Error::invalid(wrong)) }
        })
    }

    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            for change in changes {
                match PlannedChange::deserialize(&change.stored).map_err(Error::internal)? {
                    PlannedChange::Rotation { currency, rotation } => self.store_rotation(tx, currency, rotation, by).await?,
                    PlannedChange::Details { before, after } => {
                        self.store_requisite(tx, before.as_deref(), &after, by).await?;
                    }
                }
            }
            Ok(())
        })
    }
}
