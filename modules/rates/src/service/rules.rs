//! Updating and dry-running rate rules, and resuming pairs.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use agio_approvals::ChangeOutcome;
use agio_contracts::{PairOffer, PricedPair, SuspensionReason};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use serde_json::json;

use super::rate_aggregation::CycleStart;
use super::{Rates, rate_aggregation};
use crate::model::cost_price::ExchangeMargins;
use crate::model::decision::{AggregationResult, decide};
use crate::model::formula::evaluation::FormulaResult;
use crate::model::formula::prices::FormulaPrices;
use crate::model::formula::{Formula, Unit};
use crate::model::pair_rate_state::PairRateState;
use crate::model::rules::RateRules;
use crate::store;

pub(super) const DRY_RUN_MAX: usize = 1_000;

#[derive(Clone, Debug)]
pub struct StoredRateRules {
    pub rules: RateRules,
    /// Zero while there are no rules.
    pub revision: i64,
    pub updated_at: Option<Timestamp>,
}

/// Effect of the tested rules on a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DryRunResult {
    pub pair: i64,
    pub codes: (String, String),
    pub before: Option<Decimal>,
    pub after: Option<Decimal>,
    /// What exchanges leave over their cost, before and after.
    pub margins: (Option<ExchangeMargins>, Option<ExchangeMargins>),
    pub suspension: Option<SuspensionReason>,
    pub was_suspended: bool,
}

/// What customers would see of a pair with other rules.
#[derive(Clone, Debug)]
pub struct RulesPreview {
    /// The pair as it is now.
    pub before: PricedPair,
    pub after: PairOffer,
    /// What the formula gives, where there is one.
    pub formula: Option<FormulaResult>,
    pub suspension: Option<SuspensionReason>,
}

impl Rates {
    pub async fn rules(&self, pair: i64) -> Result<StoredRateRules> {
        let row = store::rule(&mut self.platform.db.read().await?, pair).await?;
        let Some(row) = row else { return Ok(StoredRateRules { rules: RateRules::default(), revision: 0, updated_at: None }) };
        let rules = serde_json::from_str(&row.rules).map_err(Error::internal)?;
        Ok(StoredRateRules { rules, revision: row.revision, updated_at: Some(row.updated_at) })
    }

    /// Updates the rules of a pair at this revision, or creates an approval request. They apply from the next cycle.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 409 `rate_rules_changed`, `approval_waits`; 422 `validation_failed`.
    pub async fn set_rules(
        self: &Arc<Self>,
        pair: i64,
        revision: i64,
        rules: RateRules,
        staff: Staff,
    ) -> Result<ChangeOutcome<()>> {
        self.check_pair(pair)?;
        let wrong = rules.faults();
        if !wrong.is_empty() {
            return Err(Error::invalid(wrong));
        }
        self.check_formulas(&BTreeMap::from([(pair, rules.clone())]), "formula").await?;
        let far = Arc::new(self.required_approval(pair, &rules).await?);
        let (this, rules) = (self.clone(), Arc::new(rules));
        let work = self.platform.db.write(move |tx| {
            let (this, rules, far, staff) = (this.clone(), rules.clone(), far.clone(), staff.clone());
            Box::pin(async move {
                let Some(shown) = &*far else {
                    return this.put_rules(tx, pair, revision, &rules, &Actor::from(&staff)).await.map(ChangeOutcome::Applied);
                };
                if store::rule(tx, pair).await?.map_or(0, |row| row.revision) != revision {
                    return Err(Error::conflict("rate_rules_changed"));
                }
                let proposed = this.propose_rules(tx, (pair, revision), &rules, shown.clone(), &staff).await?;
                Ok(ChangeOutcome::PendingApproval(Box::new(proposed)))
            })
        });
        work.await
    }

    /// Stores rules with an audit entry.
    pub(super) async fn put_rules(&self, tx: &mut Tx, pair: i64, revision: i64, rules: &RateRules, by: &Actor) -> Result<()> {
        let (after, now) = (serde_json::to_value(rules).map_err(Error::internal)?, self.platform.clock.now());
        let before = store::rule(tx, pair).await?;
        let is_seen = before.as_ref().map_or(0, |row| row.revision) == revision;
        if !is_seen || !store::put_rule(tx, pair, revision, &after.to_string(), now).await? {
            return Err(Error::conflict("rate_rules_changed"));
        }
        let before = before.map(|row| serde_json::from_str(&row.rules)).transpose().map_err(Error::internal)?;
        let (about, id) = ("pair", pair.to_string());
        audit::record(tx, NewAuditEntry { by, action: "rate_rules.changed", about, id, before, after: Some(after) }, now).await
    }

    /// Confirms the rate of a suspended pair. It resumes in the next cycle if nothing else is wrong.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 409 `pair_not_stopped`, `pair_in_round_trip`, `pair_below_cost`.
    pub async fn resume_pair(&self, pair: i64, staff: Staff) -> Result<()> {
        self.check_pair(pair)?;
        if self.suspended().any(|suspended| suspended.pair == pair) {
            return Err(Error::conflict("pair_in_round_trip"));
        }
        // A running cycle would overwrite the pair's state.
        let _turn = self.aggregation_lock.lock().await;
        let (by, now) = (Arc::new(Actor::from(&staff)), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let by = by.clone();
            Box::pin(async move {
                let not_suspended = || Error::conflict("pair_not_stopped");
                let row = store::pair_state(tx, pair).await?.ok_or_else(not_suspended)?;
                let state: PairRateState = serde_json::from_str(&row.state).map_err(Error::internal)?;
                let suspension = match (&state.suspension, &state.cost_suspension) {
                    (Some(suspension), _) => suspension.clone(),
                    (None, Some(_)) => return Err(Error::conflict("pair_below_cost")),
                    (None, None) => return Err(not_suspended()),
                };
                store::put_pair_state(tx, &rate_aggregation::row(pair, &state.resumed())?).await?;
                let before =
                    Some(json!({ "cause": suspension.cause, "assetPair": suspension.asset_pair, "numbers": suspension.numbers }));
                let (about, id) = ("pair", pair.to_string());
                audit::record(tx, NewAuditEntry { by: &by, action: "rate.released", about, id, before, after: None }, now).await
            })
        });
        work.await
    }

    /// The pairs whose rate or state the rules would change now. Nothing is stored.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 422 `validation_failed`, `too_many_pairs`.
    pub async fn dry_run_rules(&self, changes: BTreeMap<i64, RateRules>) -> Result<Vec<DryRunResult>> {
        if changes.len() > DRY_RUN_MAX {
            return Err(Error::unprocessable("too_many_pairs").with("max", DRY_RUN_MAX).at("changes", "too_many_pairs"));
        }
        self.check_rules(&changes).await?;
        let start = self.load_cycle_with((!changes.is_empty()).then_some(&changes)).await?;
        let Some(start) = start else { return Ok(Vec::new()) };
        let pair_pricing = self.pair_pricing.clone();
        let compare = move || {
            let mut rules = start.rules.clone();
            rules.extend(changes);
            let (before, after) = (decide(&start.input, &start.rules), decide(&start.input, &rules));
            differences(&before, &after, pair_pricing.price_pairs(&before.decision), pair_pricing.price_pairs(&after.decision))
        };
        self.platform.background.run(compare).await
    }

    /// Checks the rules of several pairs; they are below `rules` in a request.
    pub(super) async fn check_rules(&self, changes: &BTreeMap<i64, RateRules>) -> Result<()> {
        for (pair, rules) in changes {
            self.check_pair(*pair)?;
            let mut wrong = rules.faults();
            wrong.iter_mut().for_each(|fault| fault.field = format!("rules.{}", fault.field));
            if !wrong.is_empty() {
                return Err(Error::invalid(wrong));
            }
        }
        self.check_formulas(changes, "rules.formula").await
    }

    /// What customers would see of a pair with these rules. Nothing is stored.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 422 `validation_failed`.
    pub async fn preview_rules(&self, pair: i64, rules: RateRules) -> Result<RulesPreview> {
        let changes = BTreeMap::from([(pair, rules)]);
        self.check_rules(&changes).await?;
        let unknown = || Error::not_found("pair_unknown");
        let start = self.load_cycle_with(Some(&changes)).await?.ok_or_else(unknown)?;
        let (pair_pricing, before) = (self.pair_pricing.clone(), self.pair_pricing.priced_pair(pair).ok_or_else(unknown)?);
        let preview = move || {
            let CycleStart { input, mut rules, .. } = start;
            rules.extend(changes);
            let formula = input.formula_of(pair, &rules);
            let decision = decide(&input, &rules).decision;
            let suspension =
                decision.pairs.iter().find(|decision| decision.pair == pair).and_then(|decision| decision.suspension.clone());
            let after = pair_pricing.preview_pair(&decision, pair)?;
            Some(RulesPreview { before, after, formula, suspension })
        };
        self.platform.background.run(preview).await?.ok_or_else(unknown)
    }

    /// Checks references and units of formulas against the currencies of their pairs.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 422 `validation_failed` at `field`.
    async fn check_formulas(&self, changes: &BTreeMap<i64, RateRules>, field: &str) -> Result<()> {
        if changes.values().all(|rules| rules.formula.is_none()) {
            return Ok(());
        }
        let Some(CycleStart { input, .. }) = self.load_cycle_with(Some(changes)).await? else { return Ok(()) };
        let tickers: HashMap<i64, &(String, String)> = input.pairs.iter().map(|pair| (pair.id, &pair.tickers)).collect();
        for (pair, rules) in changes {
            let Some(formula) = &rules.formula else { continue };
            let (give, receive) = tickers.get(pair).ok_or_else(|| Error::not_found("pair_unknown"))?;
            check_formula(formula, &input.formula_prices, (give, receive), field)?;
        }
        Ok(())
    }

    fn check_pair(&self, pair: i64) -> Result<()> {
        self.explainer.explain_pair(pair).map(drop)
    }
}

/// Checks references and unit of a formula for a pair with these tickers.
///
/// # Errors
/// 422 `validation_failed` at `field`.
pub(super) fn check_formula(formula: &str, prices: &FormulaPrices, (give, receive): (&str, &str), field: &str) -> Result<()> {
    let checked = Formula::parse(formula).and_then(|formula| formula.check(prices, &Unit::per(receive, give)));
    checked.map_err(|fault| Error::invalid(vec![fault.field_error(field)]))
}

fn differences(
    before: &AggregationResult,
    after: &AggregationResult,
    old: Vec<PricedPair>,
    new: Vec<PricedPair>,
) -> Vec<DryRunResult> {
    let suspended_after = |result: &AggregationResult| -> HashMap<i64, SuspensionReason> {
        result.decision.pairs.iter().filter_map(|decision| Some((decision.pair, decision.suspension.clone()?))).collect()
    };
    let (suspended_before, suspended_after) = (suspended_after(before), suspended_after(after));
    let differs = |old: &PricedPair, new: &PricedPair| {
        old.rate != new.rate || suspended_before.contains_key(&old.id) != suspended_after.contains_key(&old.id)
    };
    let both = old.into_iter().zip(new).filter(|(old, new)| differs(old, new));
    both.map(|(old, new)| DryRunResult {
        pair: new.id,
        margins: (ExchangeMargins::of(&old), ExchangeMargins::of(&new)),
        codes: new.codes,
        before: old.rate,
        after: new.rate,
        suspension: suspended_after.get(&new.id).cloned(),
        was_suspended: suspended_before.contains_key(&new.id),
    })
    .collect()
}
