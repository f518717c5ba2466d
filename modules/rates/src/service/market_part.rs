//! Rate rules in the market file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use agio_contracts::{MarketOutline, MarketPart, MarketPartChange, PartEntries, without_empty};
use agio_core::identity::Actor;
use agio_core::{BoxFuture, Error, FieldError, Result, Tx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Rates;
use super::rules::check_formula;
use crate::model::rules::RateRules;
use crate::store;

/// The rules of every pair from one list of currencies to the other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RateRulesEntry {
    give: Vec<String>,
    receive: Vec<String>,
    set: RateRules,
}

#[derive(Serialize, Deserialize)]
struct PlannedRules {
    pair: i64,
    codes: (String, String),
    /// Zero for new rules.
    revision: i64,
    rules: RateRules,
}

/// The stored rules with their revision, by pair.
type StoredRules = HashMap<i64, (RateRules, i64)>;

async fn stored_rules(tx: &mut Tx) -> Result<StoredRules> {
    let read = |row: store::RuleRow| {
        let rules = serde_json::from_str(&row.rules).map_err(Error::internal)?;
        Ok((row.pair_id, (rules, row.revision)))
    };
    store::rules(tx).await?.into_iter().map(read).collect()
}

/// What people read; `None` for rules that say nothing.
fn shown(rules: &RateRules) -> Result<Option<Value>> {
    let value = without_empty(serde_json::to_value(rules).map_err(Error::internal)?);
    Ok(Some(value).filter(|_| *rules != RateRules::default()))
}

fn change(
    codes: &(String, String),
    pair: i64,
    (stored, entry): (&StoredRules, Option<usize>),
    rules: &RateRules,
) -> Result<Option<MarketPartChange>> {
    let nothing = (RateRules::default(), 0);
    let (before, revision) = stored.get(&pair).unwrap_or(&nothing);
    if before == rules {
        return Ok(None);
    }
    let planned = PlannedRules { pair, codes: codes.clone(), revision: *revision, rules: rules.clone() };
    Ok(Some(MarketPartChange {
        subject: format!("rate rules {} → {}", codes.0, codes.1),
        entry,
        before: shown(before)?,
        after: shown(rules)?,
        stored: json!(planned),
    }))
}

/// Compares the rules of an entry with what is stored.
fn plan_entry(
    place: usize,
    entry: &Value,
    (market, stored): (&MarketOutline, &StoredRules),
    listed: &mut BTreeSet<i64>,
) -> Result<Vec<MarketPartChange>, Vec<FieldError>> {
    let at = |path: &str, error: FieldError| FieldError { field: format!("[{place}]{path}"), ..error };
    let internal = |error: Error| vec![at("", FieldError::new("", "market_file_syntax").with("reason", error))];
    let entry = RateRulesEntry::deserialize(entry)
        .map_err(|error| vec![at("", FieldError::new("", "market_file_syntax").with("reason", error))])?;
    let mut wrong = Vec::new();
    for (side, codes) in [("give", &entry.give), ("receive", &entry.receive)] {
        for (number, _) in codes.iter().enumerate().filter(|(_, code)| !market.currencies.contains_key(*code)) {
            wrong.push(at(&format!(".{side}[{number}]"), FieldError::new("", "currency_unknown")));
        }
    }
    wrong.extend(entry.set.faults().into_iter().map(|fault| at(&format!(".set.{}", fault.field), fault)));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut changes = Vec::new();
    for codes in entry.give.iter().flat_map(|give| entry.receive.iter().map(move |receive| (give.clone(), receive.clone()))) {
        let about = |code| FieldError::new("", code).with("pair", format!("{} → {}", codes.0, codes.1));
        match market.pairs.get(&codes) {
            _ if codes.0 == codes.1 => {}
            None => return Err(vec![at("", about("file_pair_unknown"))]),
            Some(pair) if !listed.insert(*pair) => return Err(vec![at("", about("pair_listed_twice"))]),
            Some(pair) => changes.extend(change(&codes, *pair, (stored, Some(place)), &entry.set).map_err(internal)?),
        }
    }
    Ok(changes)
}

impl MarketPart for Rates {
    fn key(&self) -> &'static str {
        "rateRules"
    }

    fn export<'t>(&'t self, tx: &'t mut Tx, market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>> {
        Box::pin(async move {
            let stored = stored_rules(tx).await?;
            let by_pair: BTreeMap<i64, _> = market.pairs.iter().map(|(codes, pair)| (*pair, codes)).collect();
            let mut entries = Vec::new();
            for (pair, (give, receive)) in by_pair {
                if let Some(set) = stored.get(&pair).map(|(rules, _)| shown(rules)).transpose()?.flatten() {
                    entries.push(json!({ "give": give, "receive": receive, "set": set }));
                }
            }
            Ok(entries)
        })
    }

    /// With `prune`, pairs that no entry lists lose their rules.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>> {
        Box::pin(async move {
            let stored = stored_rules(tx).await?;
            let (mut changes, mut wrong, mut listed) = (Vec::new(), Vec::new(), BTreeSet::new());
            for (place, entry) in file.entries.iter().enumerate() {
                match plan_entry(place, entry, (file.market, &stored), &mut listed) {
                    Ok(planned) => changes.extend(planned),
                    Err(errors) => wrong.extend(errors),
                }
            }
            if !wrong.is_empty() {
                return Err(Error::invalid(wrong));
            }
            for (codes, pair) in file.market.pairs.iter().filter(|(_, pair)| file.prune && !listed.contains(*pair)) {
                changes.extend(change(codes, *pair, (&stored, None), &RateRules::default())?);
            }
            Ok(changes)
        })
    }

    /// Checks references and units of formulas. Assets of new currencies may be named as well.
    fn check<'t>(&'t self, market: &'t MarketOutline, changes: &'t [MarketPartChange]) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let planned: Vec<PlannedRules> = changes
                .iter()
                .map(|change| PlannedRules::deserialize(&change.stored).map_err(Error::internal))
                .collect::<Result<_>>()?;
            let with_formula = planned.iter().filter(|planned| planned.rules.formula.is_some());
            let rules: BTreeMap<i64, RateRules> = with_formula.map(|planned| (planned.pair, planned.rules.clone())).collect();
            if rules.is_empty() {
                return Ok(());
            }
            let Some(start) = self.load_cycle_with(Some(&rules)).await? else { return Ok(()) };
            let mut prices = start.input.formula_prices;
            prices.assets.extend(market.currencies.values().map(|currency| currency.info.ticker.clone()));
            for (change, PlannedRules { codes, rules, .. }) in changes.iter().zip(&planned) {
                let currencies = [&codes.0, &codes.1].map(|code| market.currencies.get(code));
                if let ([Some(give), Some(receive)], Some(formula)) = (currencies, &rules.formula) {
                    let field = format!("[{}].set.formula", change.entry.unwrap_or_default());
                    check_formula(formula, &prices, (&give.info.ticker, &receive.info.ticker), &field)?;
                }
            }
            Ok(())
        })
    }

    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            for change in changes {
                let PlannedRules { pair, revision, rules, .. } =
                    PlannedRules::deserialize(&change.stored).map_err(Error::internal)?;
                self.put_rules(tx, pair, revision, &rules, by).await?;
            }
            Ok(())
        })
    }
}
