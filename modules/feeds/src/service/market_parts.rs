//! Aggregators and the feed settings of directions in the market file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agio_contracts::{MarketOutline, MarketPart, MarketPartChange, PartEntries, PlannedEntry, plan_entries, without_empty};
use agio_core::identity::Actor;
use agio_core::{BoxFuture, Error, FieldError, Result, Tx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Feeds;
use super::aggregators::{AGGREGATORS_MAX, AggregatorChange, settable};
use crate::model::marks::{FeedMark, FeedMarks};
use crate::store::{self, AggregatorDirectionRow, AggregatorRow};

/// An aggregator. Its codes by ours.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AggregatorEntry {
    slug: String,
    name: String,
    #[serde(default = "agio_contracts::yes")]
    enabled: bool,
    #[serde(default)]
    marks: BTreeSet<FeedMark>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    codes: BTreeMap<String, String>,
}

/// The codes of currencies by their identifiers.
fn codes_by_id(market: &MarketOutline) -> BTreeMap<i64, &str> {
    market.currencies.iter().map(|(code, currency)| (currency.info.id, code.as_str())).collect()
}

/// What people read.
fn shown(row: &AggregatorRow, market: &MarketOutline) -> Result<Value> {
    let by_id = codes_by_id(market);
    let codes: BTreeMap<i64, String> = serde_json::from_str(&row.codes).map_err(Error::internal)?;
    let known = |(id, code): (i64, String)| by_id.get(&id).map(|ours| ((*ours).to_owned(), code));
    Ok(without_empty(json!(AggregatorEntry {
        slug: row.slug.clone(),
        name: row.name.clone(),
        enabled: row.enabled,
        marks: row.marks.0.clone(),
        codes: codes.into_iter().filter_map(known).collect(),
    })))
}

pub struct AggregatorsPart(pub Arc<Feeds>);

impl MarketPart for AggregatorsPart {
    fn key(&self) -> &'static str {
        "aggregators"
    }

    fn export<'t>(&'t self, tx: &'t mut Tx, market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>> {
        Box::pin(async move { store::all(tx).await?.iter().map(|row| shown(row, market)).collect() })
    }

    /// Aggregators that no entry lists stay as they are.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>> {
        Box::pin(async move {
            let stored: BTreeMap<String, AggregatorRow> =
                store::all(tx).await?.into_iter().map(|row| (row.slug.clone(), row)).collect();
            let known: BTreeSet<i64> = codes_by_id(file.market).into_keys().collect();
            let internal = |error: Error| vec![FieldError::new("", error.code())];
            let mut left = AGGREGATORS_MAX.saturating_sub(stored.len());
            plan_entries(file.entries, |entry: AggregatorEntry| {
                let before = stored.get(&entry.slug);
                if before.is_none() {
                    left = left
                        .checked_sub(1)
                        .ok_or_else(|| vec![FieldError::new("", "aggregators_full").with("max", AGGREGATORS_MAX)])?;
                }
                let unknown = entry.codes.keys().filter(|code| !file.market.currencies.contains_key(*code));
                let unknown: Vec<_> = unknown.map(|code| FieldError::new(format!("codes.{code}"), "currency_unknown")).collect();
                if !unknown.is_empty() {
                    return Err(unknown);
                }
                let by_id = entry
                    .codes
                    .iter()
                    .filter_map(|(ours, code)| file.market.currencies.get(ours).map(|currency| (currency.info.id, code.clone())));
                let change = AggregatorChange {
                    name: Some(entry.name),
                    enabled: Some(entry.enabled),
                    marks: Some(entry.marks.into_iter().collect()),
                    codes: Some(by_id.collect()),
                };
                let base = before.cloned().unwrap_or_else(|| self.0.blank(entry.slug.clone()));
                let after = self.0.apply_change(&base, change, &known).map_err(|error| error.fields().to_vec())?;
                Ok(vec![PlannedEntry {
                    subject: format!("aggregator {}", entry.slug),
                    before: before.map(|row| shown(row, file.market)).transpose().map_err(internal)?,
                    after: shown(&after, file.market).map_err(internal)?,
                    stored: json!(after),
                }])
            })
        })
    }

    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            tx.lock("aggregator", "all").await?;
            for change in changes {
                let after = AggregatorRow::deserialize(&change.stored).map_err(Error::internal)?;
                self.0.put(tx, change.before.is_some(), &after, by).await?;
            }
            Ok(())
        })
    }
}

/// How feeds treat every direction from one list to the other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeedDirectionsEntry {
    give: Vec<String>,
    receive: Vec<String>,
    set: FeedDirectionSettings,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeedDirectionSettings {
    #[serde(default = "agio_contracts::yes")]
    listed: bool,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    marks: BTreeSet<FeedMark>,
}

impl FeedDirectionSettings {
    fn of(row: &AggregatorDirectionRow) -> Value {
        json!(Self { listed: row.listed, marks: row.marks.0.clone() })
    }
}

pub struct FeedDirectionsPart(pub Arc<Feeds>);

impl MarketPart for FeedDirectionsPart {
    fn key(&self) -> &'static str {
        "feedDirections"
    }

    fn export<'t>(&'t self, tx: &'t mut Tx, market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>> {
        Box::pin(async move {
            let codes = codes_by_id(market);
            let entry = |row: AggregatorDirectionRow| {
                let (give, receive) = (codes.get(&row.give_id)?, codes.get(&row.receive_id)?);
                Some(json!({ "give": give, "receive": receive, "set": FeedDirectionSettings::of(&row) }))
            };
            Ok(store::directions(tx).await?.into_iter().filter_map(entry).collect())
        })
    }

    /// Directions that no entry lists stay as they are.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>> {
        Box::pin(async move {
            let stored = store::directions(tx).await?.into_iter();
            let stored: BTreeMap<_, _> = stored.map(|row| ((row.give_id, row.receive_id), row)).collect();
            plan_entries(file.entries, |entry: FeedDirectionsEntry| {
                let FeedDirectionsEntry { give, receive, set } = entry;
                let mut wrong = Vec::new();
                for (side, codes) in [("give", &give), ("receive", &receive)] {
                    for (number, _) in codes.iter().enumerate().filter(|(_, code)| !file.market.currencies.contains_key(*code)) {
                        wrong.push(FieldError::new(format!("{side}[{number}]"), "currency_unknown"));
                    }
                }
                let marks: Vec<FeedMark> = set.marks.iter().copied().collect();
                wrong.extend(settable(&marks).err().into_iter().map(|_| FieldError::new("set.marks", "mark_unknown")));
                if !wrong.is_empty() {
                    return Err(wrong);
                }
                let ends = give.iter().flat_map(|give| receive.iter().map(move |receive| (give, receive)));
                let planned = ends.filter(|(give, receive)| give != receive).filter_map(|(give, receive)| {
                    let id = |code| file.market.currencies.get(code).map(|currency| currency.info.id);
                    let row = AggregatorDirectionRow {
                        give_id: id(give)?,
                        receive_id: id(receive)?,
                        listed: set.listed,
                        marks: FeedMarks(set.marks.clone()),
                    };
                    Some(PlannedEntry {
                        subject: format!("feed direction {give} → {receive}"),
                        before: stored.get(&(row.give_id, row.receive_id)).map(FeedDirectionSettings::of),
                        after: FeedDirectionSettings::of(&row),
                        stored: json!(row),
                    })
                });
                Ok(planned.collect())
            })
        })
    }

    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            for change in changes {
                let row = AggregatorDirectionRow::deserialize(&change.stored).map_err(Error::internal)?;
                self.0.put_direction(tx, &row, by).await?;
            }
            Ok(())
        })
    }
}
