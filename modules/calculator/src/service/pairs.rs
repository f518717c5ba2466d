//! Creation and changes of pairs: rows and their audit entry in one transaction, then a reload.
//!
//! A change is planned first: the market with the changed pairs is built from the same rates as the present one. The
//! plan is the preview, and it decides whether one person may make the change.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use agio_approvals::RATE_PERCENT;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, FieldError, Result, Timestamp, Tx, idempotency};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Calculator;
use super::approvals::exceeds_percent;
use crate::market::{Currency, Market, MarketPair, MarketRates, NEW_HOLD_MINUTES, Pair, PairChange, PairNotices};
use crate::settings::LARGE_CHANGE_PERCENT;
use crate::store::{self, PairRow};

/// The most pairs of one call.
const PAIRS_MAX: usize = 5_000;
/// The most bytes of one audit entry about several pairs.
const AUDIT_MAX: usize = 1 << 20;

/// When and by whom something is changed.
#[derive(Clone)]
pub(super) struct ChangeContext {
    pub(super) at: Timestamp,
    pub(super) actor: Actor,
}

/// The effect of a change of pairs, priced with the rates of one moment.
#[derive(Clone)]
pub struct PairsPlan {
    pub before: Arc<Market>,
    pub after: Arc<Market>,
    /// Identifiers of the pairs in the order of the request. Those of new pairs are provisional.
    pub pairs: Vec<i64>,
    /// Pairs of the request that exist already and stay as they are.
    pub existing: usize,
}

/// The result of a creation of pairs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CreatedPairs {
    /// Their currencies.
    pub ends: Vec<(i64, i64)>,
    /// Pairs that existed already.
    pub existing: usize,
}

/// A customer's rate before and after a change, at the amount where it moves most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateMove {
    /// `None` if there is nothing to compare with.
    pub before: Option<Decimal>,
    /// `None` if no rate can be calculated: nothing can be exchanged, so nothing can be lost.
    pub after: Option<Decimal>,
}

impl RateMove {
    fn exceeds(self, percent: Decimal) -> bool {
        match (self.before, self.after) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(before), Some(after)) => exceeds_percent(before, after, percent),
        }
    }
}

/// The effect of a change of one pair.
pub struct PairPlan {
    market: Arc<Market>,
    pub after: MarketPair,
}

impl PairPlan {
    pub fn before(&self) -> Option<&MarketPair> {
        self.market.pair(self.after.pair.id)
    }

    pub(super) fn rate_move(&self) -> RateMove {
        rate_move(self.before(), &self.after, &self.market.rates)
    }

    pub(super) fn exceeds(&self, percent: Decimal) -> bool {
        exceeds(self.before(), &self.after, &self.market.rates, percent)
    }
}

impl PairsPlan {
    fn exceeds(&self, percent: Decimal) -> bool {
        let after = self.pairs.iter().filter_map(|id| self.after.pair(*id));
        after.into_iter().any(|after| exceeds(self.before.pair(after.pair.id), after, &self.after.rates, percent))
    }

    /// The pairs whose settings change, as they will be stored.
    fn changed(&self) -> Vec<PairRow> {
        let row = |id: &i64| self.after.pair_row(*id).filter(|row| self.before.pair_row(*id) != Some(row)).cloned();
        self.pairs.iter().filter_map(row).collect()
    }

    /// How many pairs change.
    pub fn changes(&self) -> usize {
        self.pairs.iter().filter(|id| self.after.pair_row(**id) != self.before.pair_row(**id)).count()
    }
}

/// Whether a rate moves by more than a percentage or is promised for longer, the payment tolerance may get wider, or a
/// verification is dropped or replaced. `before` is `None` for a new pair. A rate that rises is also compared with the
/// market, or many small changes would take it anywhere.
fn exceeds(before: Option<&MarketPair>, after: &MarketPair, rates: &MarketRates, percent: Decimal) -> bool {
    let tolerance = before.map(|before| before.pair.tolerance).unwrap_or_default();
    let promised = before.map_or(NEW_HOLD_MINUTES, |before| before.pair.promised_minutes());
    let rises = after.pair.enabled && before.is_some_and(|before| moves(before, after).iter().any(|one| one.before < one.after));
    rate_move(before, after, rates).exceeds(percent)
        || after.pair.promised_minutes() > promised
        || after.pair.tolerance.may_be_wider_than(&tolerance)
        || before.is_some_and(|before| before.pair.verification.is_some() && after.pair.verification != before.pair.verification)
        || (rises && after.market_rate(rates).is_some() && move_from_market(after, rates).exceeds(percent))
}

/// Whether customers read something else before they pay: a text can send their money elsewhere.
fn changes_texts(before: Option<&MarketPair>, after: &MarketPair) -> bool {
    let after = &after.pair;
    match before {
        Some(MarketPair { pair: before, .. }) => after.notices != before.notices || after.customer_terms != before.customer_terms,
        None => after.notices != PairNotices::default() || after.customer_terms.is_some(),
    }
}

/// How far a pair moves: one that stays as it is from its own rate, one that is opened from the market's. A pair that was
/// disabled has no rate that anybody used.
fn rate_move(before: Option<&MarketPair>, after: &MarketPair, rates: &MarketRates) -> RateMove {
    match before {
        Some(before) if before.pair.enabled || !after.pair.enabled => move_from(before, after),
        _ => move_from_market(after, rates),
    }
}

/// Whether a pair would be opened at a rate further from the market than a percentage.
pub(super) fn opens_far(pair: &MarketPair, rates: &MarketRates, percent: Decimal) -> bool {
    move_from_market(pair, rates).exceeds(percent)
}

/// The tiers of the two rates where they differ most.
fn move_from(before: &MarketPair, after: &MarketPair) -> RateMove {
    let moves = moves(before, after).into_iter();
    moves.max_by_key(|one| deviation(*one)).unwrap_or(RateMove { before: None, after: None })
}

/// The two rates at each tier of either.
fn moves(before: &MarketPair, after: &MarketPair) -> Vec<RateMove> {
    let (old, new) = (tiers(before), tiers(after));
    let at = |tiers: &[(Decimal, Decimal)], give: Decimal| {
        tiers.iter().take_while(|(min, _)| *min <= give).last().map(|(_, rate)| *rate)
    };
    let amounts: BTreeSet<Decimal> = old.iter().chain(&new).map(|(min, _)| *min).collect();
    amounts.into_iter().map(|give| RateMove { before: at(&old, give), after: at(&new, give) }).collect()
}

/// The tier furthest from the market. A market pair below the market only earns more, so it does not count as moved.
fn move_from_market(after: &MarketPair, rates: &MarketRates) -> RateMove {
    let reference = after.market_rate(rates);
    let is_own = |rate: Decimal| after.has_own_rate() || reference.is_none_or(|market| rate > market);
    let moves = tiers(after).into_iter().map(|(_, rate)| {
        let before = if is_own(rate) { reference } else { Some(rate) };
        RateMove { before, after: Some(rate) }
    });
    moves.max_by_key(|one| deviation(*one)).unwrap_or(RateMove { before: reference, after: None })
}

/// Minimum give amounts and rates, from zero. Empty without a rate.
fn tiers(pair: &MarketPair) -> Vec<(Decimal, Decimal)> {
    let tiers = pair.rate.iter().flat_map(|rate| rate.terms.parts().tiers_from_zero());
    tiers.map(|tier| (tier.min_give, tier.rate)).collect()
}

/// How far a rate moves as a share of the former rate.
fn deviation(one: RateMove) -> Decimal {
    match (one.before, one.after) {
        (_, None) => Decimal::ZERO,
        (None, Some(_)) => Decimal::MAX,
        (Some(before), Some(after)) => (after - before).abs().checked_div(before).unwrap_or(Decimal::MAX),
    }
}

impl Calculator {
    /// Updates a pair if it did not change since the revision.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 409 `market_changed`, 422 `validation_failed`.
    pub async fn update_pair(&self, id: i64, revision: i64, change: PairChange, by: &Staff) -> Result<()> {
        let context = self.change_context(by);
        self.platform
            .db
            .write(move |tx| {
                let (change, context) = (change.clone(), context.clone());
                Box::pin(async move { update_pair(tx, id, revision, change, &context).await })
            })
            .await?;
        self.reload().await
    }

    /// Updates a pair in the caller's transaction if it did not change since the revision. Call
    /// [`Calculator::reload`] after the commit.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 409 `market_changed`, 422 `validation_failed`.
    pub async fn update_pair_in(&self, tx: &mut Tx, id: i64, revision: i64, change: PairChange, by: Actor) -> Result<()> {
        update_pair(tx, id, revision, change, &ChangeContext { at: self.platform.clock.now(), actor: by }).await
    }

    /// The pair with a change, priced with current rates. Nothing is stored.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`.
    pub fn preview(&self, id: i64, change: PairChange) -> Result<PairPlan> {
        let market = self.market();
        let before = market.pair(id).ok_or_else(unknown_pair)?;
        let after = before.pair.changed(change, &before.give, &before.receive)?;
        let after = MarketPair::price(after, &before.give, &before.receive, &market.rates, before.decision.clone());
        Ok(PairPlan { after, market })
    }

    /// The preview of a change of a pair that is still at this revision.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 409 `market_changed`, 422 `validation_failed`.
    pub async fn plan_pair(&self, id: i64, revision: i64, change: PairChange) -> Result<PairPlan> {
        if self.market().pair(id).is_some_and(|pair| pair.pair.revision != revision) {
            // Another node may have changed it a moment ago.
            self.reload().await?;
        }
        let plan = self.preview(id, change)?;
        if plan.before().is_none_or(|before| before.pair.revision != revision) {
            return Err(changed_since());
        }
        Ok(plan)
    }

    /// Plans the same change of several pairs.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`, 422 `too_many_pairs`.
    pub async fn plan_update(&self, ids: Vec<i64>, change: PairChange) -> Result<PairsPlan> {
        if ids.len() > PAIRS_MAX {
            return Err(too_many("ids"));
        }
        let before = self.market();
        self.platform.background.run(move || plan_update(before, ids, &change)).await?
    }

    /// Plans pairs from each currency to each other one that do not exist yet.
    ///
    /// # Errors
    /// 422 `validation_failed`, 422 `too_many_pairs`.
    pub async fn plan_creation(&self, give: Vec<i64>, receive: Vec<i64>, change: PairChange) -> Result<PairsPlan> {
        let (before, now) = (self.market(), self.platform.clock.now());
        self.platform.background.run(move || plan_creation(before, &give, &receive, &change, now)).await?
    }

    /// Whether a change moves a rate by more than the setting, gives a pair a rate that cannot be compared, promises it
    /// for longer, may widen a payment tolerance or skip a verification, or changes what customers read before paying.
    pub fn is_large_change(&self, plan: &PairPlan) -> bool {
        plan.exceeds(self.percent(LARGE_CHANGE_PERCENT)) || changes_texts(plan.before(), &plan.after)
    }

    /// [`is_large_change`](Self::is_large_change) for any of several pairs.
    pub fn any_large_change(&self, plan: &PairsPlan) -> bool {
        let mut after = plan.pairs.iter().filter_map(|id| plan.after.pair(*id));
        plan.exceeds(self.percent(LARGE_CHANGE_PERCENT))
            || after.any(|after| changes_texts(plan.before.pair(after.pair.id), after))
    }

    pub(super) fn percent(&self, setting: &str) -> Decimal {
        self.platform.settings.int(setting).into()
    }

    /// Stores all changes of a plan or none, with one audit entry.
    ///
    /// # Errors
    /// 409 `market_changed` if a pair changed since it was planned; 409 `approval_one_by_one` if one needs two-person
    /// approval; 422 `too_many_pairs` if the audit entry would be too large.
    pub async fn apply_update(&self, plan: &PairsPlan, by: &Staff) -> Result<()> {
        self.check_one_person(plan)?;
        let context = self.change_context(by);
        let changed = plan.changed();
        if changed.is_empty() {
            return Ok(());
        }
        let line =
            |row: &PairRow| Ok((direction(&plan.after, row), audit::difference(&plan.before.pair_row(row.id), &Some(row))?));
        let (before, after) = audit_lines(changed.iter().map(line).collect::<Result<_>>()?)?;
        let rows = Arc::new(changed);
        self.platform
            .db
            .write(move |tx| {
                let (rows, context) = (rows.clone(), context.clone());
                let states = (before.clone(), after.clone());
                Box::pin(async move {
                    for row in rows.iter() {
                        if !store::update_pair(tx, &PairRow { updated_at: context.at, ..row.clone() }).await? {
                            return Err(changed_since());
                        }
                    }
                    record_states(tx, ("market", "pairs.changed"), "pairs".to_owned(), states, &context).await
                })
            })
            .await?;
        self.reload().await
    }

    /// Creates the pairs of a plan, once per idempotency key, with one audit entry. Pairs that were created meanwhile
    /// stay as they are.
    ///
    /// # Errors
    /// 409 `approval_one_by_one` if one needs two-person approval.
    pub async fn apply_creation(&self, plan: &PairsPlan, by: &Staff, key: Option<idempotency::Key>) -> Result<CreatedPairs> {
        self.check_one_person(plan)?;
        let (context, plan) = (self.change_context(by), plan.clone());
        let created = idempotency::once(&self.platform.db, key, context.at, move |tx| {
            let (plan, context) = (plan.clone(), context.clone());
            Box::pin(async move { create_pairs(tx, &plan, &context).await })
        });
        let created = created.await?;
        self.reload().await?;
        Ok(created)
    }

    pub(super) fn check_one_person(&self, plan: &PairsPlan) -> Result<()> {
        let needs_approval = self.approvals.is_enabled() && plan.exceeds(self.percent(RATE_PERCENT));
        if needs_approval { Err(Error::conflict("approval_one_by_one")) } else { Ok(()) }
    }

    pub(super) fn change_context(&self, by: &Staff) -> ChangeContext {
        ChangeContext { at: self.platform.clock.now(), actor: Actor::from(by) }
    }
}

fn plan_update(before: Arc<Market>, mut ids: Vec<i64>, change: &PairChange) -> Result<PairsPlan> {
    let mut seen = HashSet::new();
    ids.retain(|id| seen.insert(*id));
    let row = |id: &i64| {
        let MarketPair { pair, give, receive, .. } = before.pair(*id).ok_or_else(unknown_pair)?;
        pair.changed(change.clone(), give, receive).map_err(|error| in_set(&error, give, receive))?.to_row(give, receive)
    };
    let rows = ids.iter().map(row).collect::<Result<_>>()?;
    let after = Arc::new(before.with_pairs(rows)?);
    Ok(PairsPlan { before, after, pairs: ids, existing: 0 })
}

fn plan_creation(before: Arc<Market>, give: &[i64], receive: &[i64], change: &PairChange, now: Timestamp) -> Result<PairsPlan> {
    let (give, receive) = (currencies(&before, "giveIds", give)?, currencies(&before, "receiveIds", receive)?);
    let (mut rows, mut existing) = (Vec::new(), 0);
    let first = before.last_pair_id() + 1;
    for from in &give {
        for to in receive.iter().filter(|to| to.id() != from.id()) {
            if before.between(from.id(), to.id()).is_some() {
                existing += 1;
                continue;
            }
            if rows.len() == PAIRS_MAX {
                return Err(too_many("giveIds"));
            }
            let blank = Pair::new(first + rows.len() as i64, from.id(), to.id(), now);
            let pair = blank.changed(change.clone(), from, to).map_err(|error| in_set(&error, from, to))?;
            rows.push(pair.to_row(from, to)?);
        }
    }
    let pairs = rows.iter().map(|row| row.id).collect();
    let after = Arc::new(before.with_pairs(rows)?);
    Ok(PairsPlan { before, after, pairs, existing })
}

/// The currencies of a list, each once.
fn currencies<'m>(market: &'m Market, field: &'static str, ids: &[i64]) -> Result<Vec<&'m Arc<Currency>>> {
    let refuse = |code| Error::unprocessable("validation_failed").at(field, code);
    if ids.is_empty() {
        return Err(refuse("required"));
    }
    let mut seen = HashSet::new();
    let found = ids.iter().filter(|id| seen.insert(**id)).map(|id| match market.currency(*id) {
        None => Err(refuse("currency_unknown")),
        Some(currency) if currency.archived => Err(refuse("currency_archived")),
        Some(currency) => Ok(currency),
    });
    found.collect()
}

/// Invalid fields of a change are below `set` in the body. They may depend on the currencies, so they name the pair.
fn in_set(error: &Error, from: &Currency, to: &Currency) -> Error {
    let pair = direction_of(from, to);
    let field = |wrong: &FieldError| FieldError { field: format!("set.{}", wrong.field), ..wrong.clone() }.with("pair", &pair);
    Error::invalid(error.fields().iter().map(field).collect())
}

async fn create_pairs(tx: &mut Tx, plan: &PairsPlan, context: &ChangeContext) -> Result<CreatedPairs> {
    let mut id = store::next_pair(tx).await?;
    let existing: HashSet<(i64, i64)> = store::pairs(tx).await?.iter().map(|row| (row.give_id, row.receive_id)).collect();
    let mut created = CreatedPairs { ends: Vec::new(), existing: plan.existing };
    let mut lines = Vec::new();
    for row in plan.changed() {
        let ends = (row.give_id, row.receive_id);
        if existing.contains(&ends) {
            created.existing += 1;
            continue;
        }
        let row = PairRow { id, ..row };
        if !store::insert_pair(tx, &row).await? {
            return Err(changed_since());
        }
        lines.push((direction(&plan.after, &row), (None, Some(settings_of(&row)?))));
        created.ends.push(ends);
        id += 1;
    }
    if !lines.is_empty() {
        record_states(tx, ("market", "pairs.created"), "pairs".to_owned(), audit_lines(lines)?, context).await?;
    }
    Ok(created)
}

/// A row without what differs between pairs of the same settings.
fn settings_of(row: &PairRow) -> Result<Value> {
    let mut settings = serde_json::to_value(row).map_err(Error::internal)?;
    if let Some(settings) = settings.as_object_mut() {
        settings.retain(|name, _| !matches!(name.as_str(), "id" | "give_id" | "receive_id"));
    }
    Ok(settings)
}

async fn update_pair(tx: &mut Tx, id: i64, revision: i64, change: PairChange, context: &ChangeContext) -> Result<()> {
    let before = store::pair(tx, id).await?.ok_or_else(unknown_pair)?;
    if revision != before.revision {
        return Err(changed_since());
    }
    let from = currency_of_pair(tx, before.give_id).await?;
    let to = currency_of_pair(tx, before.receive_id).await?;
    let mut after = Pair::from_row(&before, &from, &to)?.changed(change, &from, &to)?.to_row(&from, &to)?;
    after.updated_at = context.at;
    if !store::update_pair(tx, &after).await? {
        return Err(changed_since());
    }
    let action = match (before.archived, after.archived) {
        (false, true) => "pair.archived",
        (true, false) => "pair.unarchived",
        _ => "pair.changed",
    };
    record(tx, ("pair", action), id.to_string(), (Some(&before), Some(&after)), context).await
}

async fn currency_of_pair(tx: &mut Tx, id: i64) -> Result<Currency> {
    let row = store::currency(tx, id)
        .await?
        .ok_or_else(|| Error::internal(format!("a pair names currency {id}, which is not there")))?;
    Currency::from_row(&row)
}

/// Records what differs between two states; all of it where there is no state before.
pub(super) async fn record<T: Serialize>(
    tx: &mut Tx,
    subject: (&'static str, &str),
    id: String,
    states: (Option<&T>, Option<&T>),
    context: &ChangeContext,
) -> Result<()> {
    let (before, after) = audit::difference(&states.0, &states.1)?;
    record_states(tx, subject, id, (before.filter(|before| !before.is_null()), after), context).await
}

async fn record_states(
    tx: &mut Tx,
    (about, action): (&'static str, &str),
    id: String,
    (before, after): (Option<Value>, Option<Value>),
    context: &ChangeContext,
) -> Result<()> {
    audit::record(tx, NewAuditEntry { by: &context.actor, action, about, id, before, after }, context.at).await
}

type AuditStates = (Option<Value>, Option<Value>);

/// One audit entry about several pairs: those with equal values share a line.
///
/// # Errors
/// 422 `too_many_pairs` if the entry would be too large.
fn audit_lines(states: Vec<(String, AuditStates)>) -> Result<AuditStates> {
    let count = states.len();
    let side = |states: Vec<(&String, &Option<Value>)>| {
        let mut lines: BTreeMap<String, (Vec<&String>, &Value)> = BTreeMap::new();
        for (pair, value) in states {
            let Some(value) = value else { continue };
            lines.entry(value.to_string()).or_insert_with(|| (Vec::new(), value)).0.push(pair);
        }
        let lines: Vec<Value> = lines.into_values().map(|(pairs, set)| json!({ "pairs": pairs, "set": set })).collect();
        (!lines.is_empty()).then(|| json!(lines))
    };
    let before = side(states.iter().map(|(pair, (before, _))| (pair, before)).collect());
    let after = side(states.iter().map(|(pair, (_, after))| (pair, after)).collect());
    let bytes: usize = [&before, &after].into_iter().flatten().map(|side| side.to_string().len()).sum();
    if bytes > AUDIT_MAX {
        return Err(Error::unprocessable("too_many_pairs").with("max", count / 2));
    }
    Ok((before, after))
}

fn direction(market: &Market, row: &PairRow) -> String {
    match (market.currency(row.give_id), market.currency(row.receive_id)) {
        (Some(give), Some(receive)) => format!("{} {}", row.id, direction_of(give, receive)),
        _ => row.id.to_string(),
    }
}

/// A pair by the codes of its currencies, for people.
pub(super) fn direction_of(give: &Currency, receive: &Currency) -> String {
    format!("{} → {}", give.facts.code, receive.facts.code)
}

fn too_many(field: &'static str) -> Error {
    Error::unprocessable("too_many_pairs").with("max", PAIRS_MAX).at(field, "too_many_pairs")
}

fn unknown_pair() -> Error {
    Error::not_found("pair_unknown")
}

pub(super) fn changed_since() -> Error {
    Error::conflict("market_changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(pair: usize, before: &str) -> (String, AuditStates) {
        (pair.to_string(), (Some(json!({ "notices": before })), Some(json!({ "notices": "" }))))
    }

    #[test]
    fn pairs_with_equal_values_share_a_line() {
        let (before, after) = audit_lines((0..5).map(|pair| states(pair, if pair == 3 { "b" } else { "a" })).collect()).unwrap();
        let line = |pairs: &[&str], notices: &str| json!({ "pairs": pairs, "set": { "notices": notices } });
        assert_eq!(before, Some(json!([line(&["0", "1", "2", "4"], "a"), line(&["3"], "b")])));
        assert_eq!(after, Some(json!([line(&["0", "1", "2", "3", "4"], "")])));
    }

    #[test]
    fn an_audit_entry_has_a_size_limit() {
        let long = |pair: usize| format!("{pair}{}", "x".repeat(AUDIT_MAX / 40));
        assert!(audit_lines((0..50).map(|pair| states(pair, &long(1))).collect()).is_ok(), "they share a line");
        let refused = audit_lines((0..50).map(|pair| states(pair, &long(pair))).collect()).unwrap_err();
        assert_eq!((refused.code(), refused.params()["max"].as_str()), ("too_many_pairs", "25"));
    }
}
