//! The same rate rules for several pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agio_contracts::without_empty;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result};
use serde_json::{Value, json};

use super::Rates;
use super::rules::{DRY_RUN_MAX, DryRunResult};
use crate::model::rules::{RateRuleField, RateRules};
use crate::store;

/// Some rules of several pairs. The other rules stay as they are.
#[derive(Clone, Debug)]
pub struct BulkRulesUpdate {
    pub pairs: Vec<i64>,
    pub fields: Vec<RateRuleField>,
    /// What the fields are set to.
    pub rules: RateRules,
}

/// Rules to store, with what they were planned on.
#[derive(Clone, Debug)]
struct PlannedRules {
    pair: i64,
    /// For people.
    name: String,
    /// Zero for new rules.
    revision: i64,
    before: RateRules,
    after: RateRules,
}

/// The pairs whose rules an update changes.
#[derive(Clone, Debug)]
pub struct BulkRulesPlan {
    fields: Vec<RateRuleField>,
    rules: Vec<PlannedRules>,
}

impl BulkRulesPlan {
    /// How many pairs change.
    pub fn changes(&self) -> usize {
        self.rules.len()
    }

    fn by_pair(&self) -> BTreeMap<i64, RateRules> {
        self.rules.iter().map(|planned| (planned.pair, planned.after.clone())).collect()
    }

    /// What one audit entry says: pairs with equal values share a line.
    fn audit_lines(&self, of: fn(&PlannedRules) -> &RateRules) -> Result<Value> {
        let mut lines: Vec<(Value, Vec<&str>)> = Vec::new();
        for planned in &self.rules {
            let set = RateRules::default().with(&self.fields, of(planned));
            let set = without_empty(serde_json::to_value(set).map_err(Error::internal)?);
            match lines.iter_mut().find(|(known, _)| *known == set) {
                Some((_, pairs)) => pairs.push(&planned.name),
                None => lines.push((set, vec![&planned.name])),
            }
        }
        Ok(lines.into_iter().map(|(set, pairs)| json!({ "pairs": pairs, "set": set })).collect())
    }
}

impl Rates {
    /// Plans the same rules for several pairs.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 422 `validation_failed`, `too_many_pairs`.
    pub async fn plan_bulk_rules(&self, update: BulkRulesUpdate) -> Result<BulkRulesPlan> {
        let BulkRulesUpdate { pairs, fields, rules } = update;
        if pairs.len() > DRY_RUN_MAX {
            return Err(Error::unprocessable("too_many_pairs").with("max", DRY_RUN_MAX).at("ids", "too_many_pairs"));
        }
        if fields.is_empty() {
            return Err(Error::unprocessable("validation_failed").at("fields", "required"));
        }
        let mut stored: BTreeMap<i64, (i64, RateRules)> = BTreeMap::new();
        for row in store::rules(&mut self.platform.db.read().await?).await? {
            stored.insert(row.pair_id, (row.revision, serde_json::from_str(&row.rules).map_err(Error::internal)?));
        }
        let mut planned = Vec::with_capacity(pairs.len());
        for pair in pairs.into_iter().collect::<BTreeSet<_>>() {
            let priced = self.pair_pricing.priced_pair(pair).ok_or_else(|| Error::not_found("pair_unknown"))?;
            let (revision, before) = stored.remove(&pair).unwrap_or_default();
            let after = before.with(&fields, &rules);
            if after != before {
                let name = format!("{pair} {} → {}", priced.codes.0, priced.codes.1);
                planned.push(PlannedRules { pair, name, revision, before, after });
            }
        }
        let plan = BulkRulesPlan { fields, rules: planned };
        self.check_rules(&plan.by_pair()).await?;
        Ok(plan)
    }

    /// The pairs whose rate or state a plan would change now.
    pub async fn dry_run_plan(&self, plan: &BulkRulesPlan) -> Result<Vec<DryRunResult>> {
        self.dry_run_rules(plan.by_pair()).await
    }

    /// Stores all rules of a plan or none, with one audit entry.
    ///
    /// # Errors
    /// 409 `rate_rules_changed` if rules changed since they were planned; 409 `approval_one_by_one` if some need two-person
    /// approval.
    pub async fn apply_bulk_rules(self: &Arc<Self>, plan: BulkRulesPlan, staff: &Staff) -> Result<()> {
        if plan.rules.is_empty() {
            return Ok(());
        }
        if self.approvals.is_enabled() {
            for planned in &plan.rules {
                if self.required_approval(planned.pair, &planned.after).await?.is_some() {
                    return Err(Error::conflict("approval_one_by_one"));
                }
            }
        }
        let (this, plan, by) = (self.clone(), Arc::new(plan), Arc::new(Actor::from(staff)));
        let work = self.platform.db.write(move |tx| {
            let (this, plan, by) = (this.clone(), plan.clone(), by.clone());
            Box::pin(async move {
                let now = this.platform.clock.now();
                for PlannedRules { pair, revision, after, .. } in &plan.rules {
                    let rules = serde_json::to_string(after).map_err(Error::internal)?;
                    if !store::put_rule(tx, *pair, *revision, &rules, now).await? {
                        return Err(Error::conflict("rate_rules_changed"));
                    }
                }
                let (before, after) = (plan.audit_lines(|rules| &rules.before)?, plan.audit_lines(|rules| &rules.after)?);
                let entry = NewAuditEntry {
                    by: &by,
                    action: "rate_rules.changed",
                    about: "market",
                    id: "pairs".to_owned(),
                    before: Some(before),
                    after: Some(after),
                };
                audit::record(tx, entry, now).await
            })
        });
        work.await
    }
}
