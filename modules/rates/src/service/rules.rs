//! Setting the rules of pairs, trying them, and letting a stopped pair go on.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use agio_approvals::Done;
use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Staff};
use agio_core::needs::{BookPair, Stop};
use agio_core::{Error, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use serde_json::json;

use super::{Rates, judging};
use crate::model::decide::{Decided, decide};
use crate::model::rules::Rules;
use crate::model::watch::Watch;
use crate::store;

/// The most pairs whose rules are tried at once.
const TRIED_MAX: usize = 1_000;

/// The rules of a pair.
#[derive(Clone, Debug)]
pub struct RulesSeen {
    /// The rules.
    pub rules: Rules,
    /// Counts their changes; zero while there are none.
    pub revision: i64,
    /// When they were changed last.
    pub updated_at: Option<Timestamp>,
}

/// What changed rules would do to a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dry {
    /// The pair.
    pub pair: i64,
    /// The codes of its currencies.
    pub codes: (String, String),
    /// The course without the change.
    pub before: Option<Decimal>,
    /// The course with it.
    pub after: Option<Decimal>,
    /// Why it would be stopped.
    pub stop: Option<Stop>,
    /// Whether it is stopped without the change.
    pub was_stopped: bool,
}

impl Rates {
    /// The rules of a pair.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn rules(&self, pair: i64) -> Result<RulesSeen> {
        let row = store::rule(&mut self.platform.db.read().await?, pair).await?;
        let Some(row) = row else { return Ok(RulesSeen { rules: Rules::default(), revision: 0, updated_at: None }) };
        let rules = serde_json::from_str(&row.rules).map_err(Error::internal)?;
        Ok(RulesSeen { rules, revision: row.revision, updated_at: Some(row.updated_at) })
    }

    /// Sets the rules of a pair, if they are still of this revision, or proposes them where they let the rate go further than one person may move
    /// it. They hold from the next cycle on.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 409 `rate_rules_changed`, `approval_waits`; 422 `validation_failed` with what is wrong.
    pub async fn set_rules(self: &Arc<Self>, pair: i64, revision: i64, rules: Rules, staff: Staff) -> Result<Done<()>> {
        self.check_pair(pair)?;
        let wrong = rules.faults();
        if !wrong.is_empty() {
            return Err(Error::invalid(wrong));
        }
        let far = Arc::new(self.needs_consent(pair, &rules).await?);
        let (this, rules) = (self.clone(), Arc::new(rules));
        let work = self.platform.db.write(move |tx| {
            let (this, rules, far, staff) = (this.clone(), rules.clone(), far.clone(), staff.clone());
            Box::pin(async move {
                let Some(shown) = &*far else {
                    return this.put_rules(tx, pair, revision, &rules, &Actor::from(&staff)).await.map(Done::Now);
                };
                if store::rule(tx, pair).await?.map_or(0, |row| row.revision) != revision {
                    return Err(Error::conflict("rate_rules_changed"));
                }
                let proposed = this.propose_rules(tx, (pair, revision), &rules, shown.clone(), &staff).await?;
                Ok(Done::Proposed(Box::new(proposed)))
            })
        });
        work.await
    }

    /// Stores the rules of a pair and writes down who set them.
    pub(super) async fn put_rules(&self, tx: &mut Tx, pair: i64, revision: i64, rules: &Rules, by: &Actor) -> Result<()> {
        let (after, now) = (serde_json::to_value(rules).map_err(Error::internal)?, self.platform.clock.now());
        let before = store::rule(tx, pair).await?;
        let is_seen = before.as_ref().map_or(0, |row| row.revision) == revision;
        if !is_seen || !store::put_rule(tx, pair, revision, &after.to_string(), now).await? {
            return Err(Error::conflict("rate_rules_changed"));
        }
        let before = before.map(|row| serde_json::from_str(&row.rules)).transpose().map_err(Error::internal)?;
        let (about, id) = ("pair", pair.to_string());
        audit::record(tx, Entry { by, action: "rate_rules.changed", about, id, before, after: Some(after) }, now).await
    }

    /// An operator says that the rate of a stopped pair is right. If nothing else is wrong, it goes on in the next cycle.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 409 `pair_not_stopped`, `pair_in_round_trip`.
    pub async fn release(&self, pair: i64, staff: Staff) -> Result<()> {
        self.check_pair(pair)?;
        if self.suspended().any(|seen| seen.pair == pair) {
            return Err(Error::conflict("pair_in_round_trip"));
        }
        // A cycle that is under way remembers the pair as it was.
        let _turn = self.judging.lock().await;
        let (by, now) = (Arc::new(Actor::from(&staff)), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let by = by.clone();
            Box::pin(async move {
                let not_stopped = || Error::conflict("pair_not_stopped");
                let row = store::watch(tx, pair).await?.ok_or_else(not_stopped)?;
                let watch: Watch = serde_json::from_str(&row.watch).map_err(Error::internal)?;
                let stop = watch.stop.clone().ok_or_else(not_stopped)?;
                store::put_watch(tx, &judging::row(pair, &watch.released())?).await?;
                let before = Some(json!({ "cause": stop.cause, "leg": stop.leg, "numbers": stop.numbers }));
                let (about, id) = ("pair", pair.to_string());
                audit::record(tx, Entry { by: &by, action: "rate.released", about, id, before, after: None }, now).await
            })
        });
        work.await
    }

    /// What changed rules would do now, for every pair whose course or state they would change. Nothing is stored.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 422 `validation_failed`, `too_many_pairs`.
    pub async fn try_rules(&self, changes: BTreeMap<i64, Rules>) -> Result<Vec<Dry>> {
        if changes.len() > TRIED_MAX {
            return Err(Error::unprocessable("too_many_pairs").with("max", TRIED_MAX).at("changes", "too_many_pairs"));
        }
        for (pair, rules) in &changes {
            self.check_pair(*pair)?;
            let mut wrong = rules.faults();
            wrong.iter_mut().for_each(|fault| fault.field = format!("rules.{}", fault.field));
            if !wrong.is_empty() {
                return Err(Error::invalid(wrong));
            }
        }
        let start = self.start_with(!changes.is_empty()).await?;
        let Some(start) = start else { return Ok(Vec::new()) };
        let book = self.book.clone();
        let compare = move || {
            let mut rules = start.rules.clone();
            rules.extend(changes);
            let (before, after) = (decide(&start.known, &start.rules), decide(&start.known, &rules));
            differences(&before, &after, book.priced(&before.ruling), book.priced(&after.ruling))
        };
        self.platform.aside.run(compare).await
    }

    fn check_pair(&self, pair: i64) -> Result<()> {
        self.replays.of_pair(pair).map(drop)
    }
}

/// The pairs whose course or state differs.
fn differences(before: &Decided, after: &Decided, old: Vec<BookPair>, new: Vec<BookPair>) -> Vec<Dry> {
    let stops = |decided: &Decided| -> HashMap<i64, Stop> {
        decided.ruling.pairs.iter().filter_map(|ruling| Some((ruling.pair, ruling.stop.clone()?))).collect()
    };
    let (stopped, stops) = (stops(before), stops(after));
    let differs =
        |old: &BookPair, new: &BookPair| old.course != new.course || stopped.contains_key(&old.id) != stops.contains_key(&old.id);
    let both = old.into_iter().zip(new).filter(|(old, new)| differs(old, new));
    both.map(|(old, new)| Dry {
        pair: new.id,
        codes: new.codes,
        before: old.course,
        after: new.course,
        stop: stops.get(&new.id).cloned(),
        was_stopped: stopped.contains_key(&new.id),
    })
    .collect()
}
