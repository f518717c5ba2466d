//! Changes that need two-person approval: approval settings, large rate changes, longer promises of a rate, wider
//! payment tolerances and dropped verifications.

use std::sync::Arc;

use agio_approvals::{
    ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, ChangeOutcome, RATE_PERCENT, outdated,
};
use agio_contracts::VerificationSubject;
use agio_core::events::ChangeEvent;
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::settings::SettingKind;
use agio_core::{BoxFuture, Error, Result, Tx};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Calculator;
use super::pairs::{PairPlan, direction_of};
use crate::SETTINGS_EDIT;
use crate::market::{MarketPair, Tolerance};

/// A setting change.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PreviousSetting {
    name: String,
    before: String,
    after: String,
}

impl Calculator {
    /// Sets all values or none. Creates one approval request for all of them if one needs two-person approval.
    ///
    /// # Errors
    /// 422 for an unknown setting or an invalid value; 409 `approval_waits`, or `market_changed` if another has just made a
    /// setting stricter than it would become.
    pub async fn update_settings(&self, values: Vec<(String, String)>, by: &Staff) -> Result<ChangeOutcome<()>> {
        let settings = &self.platform.settings;
        for (name, value) in &values {
            settings.check(name, value)?;
        }
        let change = |(name, after): (String, String)| PreviousSetting { before: settings.text(&name), name, after };
        let changed: Vec<_> = values.iter().cloned().map(change).filter(|change| change.before != change.after).collect();
        let loosens = |change: &&PreviousSetting| {
            settings.check(&change.name, &change.after).is_ok_and(|set| set.is_loosened_by(&change.before, &change.after))
        };
        let is_two_person = self.approvals.is_enabled();
        let guarded = changed.iter().find(loosens);
        if let Some(guarded) = guarded.filter(|_| is_two_person) {
            let about = ("setting", guarded.name.clone());
            let shown = changed.iter().map(|change| self.fact(change)).collect();
            let approval = ApprovalRequest { kind: "settings_changed", about, shown, payload: json!(changed) };
            return self.propose(approval, by).await.map(|row| ChangeOutcome::PendingApproval(Box::new(row)));
        }
        self.write_settings(values, Actor::from(by), is_two_person).await?;
        self.settings_changed().await?;
        Ok(ChangeOutcome::Applied(()))
    }

    /// Sets all values or none, whatever guards them.
    ///
    /// # Errors
    /// 422 for an unknown setting or an invalid value.
    pub async fn put_settings(&self, values: Vec<(String, String)>, by: Actor) -> Result<()> {
        self.write_settings(values, by, false).await
    }

    /// Sets all values or none. With `never_loosens` it refuses what would loosen a stored value that memory does not
    /// know yet.
    async fn write_settings(&self, values: Vec<(String, String)>, by: Actor, never_loosens: bool) -> Result<()> {
        let (settings, now) = (self.platform.settings.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (settings, values, by) = (settings.clone(), values.clone(), by.clone());
                Box::pin(async move {
                    if never_loosens {
                        tx.lock("settings", "guarded").await?;
                    }
                    for (name, value) in &values {
                        if never_loosens {
                            let (setting, stored) = (settings.check(name, value)?, settings.text_in(tx, name).await?);
                            if setting.is_loosened_by(&stored, value) {
                                return Err(Error::conflict("market_changed"));
                            }
                        }
                        settings.put(tx, name, value, now, &by).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// The facts to approve if a pair update needs two-person approval: a rate that moves beyond the limit or is
    /// promised for longer, a wider tolerance, or a verification that is asked for no longer.
    pub fn required_approval(&self, plan: &PairPlan) -> Option<Vec<ApprovalFact>> {
        let (before, after) = (plan.before()?, &plan.after);
        if !(self.approvals.is_enabled() && plan.exceeds(self.percent(RATE_PERCENT))) {
            return None;
        }
        let moved = plan.rate_move();
        let number = |value: Option<Decimal>| value.map(|value| ApprovalValue::from(agio_core::money::plain(value)));
        let source =
            |pair: &MarketPair| Some(ApprovalValue::Text { text: format!("approval_value.{}", pair.pair.source.name()) });
        // `None` means the global rule and is shown as such.
        let tolerance = |of: &dyn Fn(&Tolerance) -> Option<Decimal>, unit: &str| {
            let tolerance = |pair: &MarketPair| match of(&pair.pair.tolerance) {
                Some(value) => ApprovalValue::from(format!("{} {unit}", agio_core::money::plain(value))),
                None => ApprovalValue::Text { text: "approval_value.by_default".to_owned() },
            };
            (Some(tolerance(before)), Some(tolerance(after)))
        };
        let late = tolerance(&|set| set.late_percent, "%");
        let fixed = tolerance(&|set| set.amount_fixed, &before.give.facts.code);
        let percent = tolerance(&|set| set.amount_percent, "%");
        let promised = |pair: &MarketPair| Some(ApprovalValue::from(pair.pair.promised_minutes().to_string()));
        let verified = |pair: &MarketPair| {
            let subject = pair.pair.verification.map_or("nothing", VerificationSubject::name);
            Some(ApprovalValue::Text { text: format!("approval_value.{subject}") })
        };
        let enabled = |pair: &MarketPair| Some(ApprovalValue::flag(pair.pair.enabled));
        let facts = [
            Some(ApprovalFact::new("pair", direction_of(&before.give, &before.receive))),
            ApprovalFact::change("enabled", enabled(before), enabled(after)),
            ApprovalFact::change("course", number(moved.before), number(moved.after)),
            ApprovalFact::change("source", source(before), source(after)),
            ApprovalFact::change("manual_rate", number(before.pair.manual_rate), number(after.pair.manual_rate)),
            ApprovalFact::change("spread", number(Some(before.pair.spread_percent)), number(Some(after.pair.spread_percent))),
            ApprovalFact::change("promised_minutes", promised(before), promised(after)),
            ApprovalFact::change("verification", verified(before), verified(after)),
            ApprovalFact::change("late_tolerance", late.0, late.1),
            ApprovalFact::change("amount_tolerance_fixed", fixed.0, fixed.1),
            ApprovalFact::change("amount_tolerance_percent", percent.0, percent.1),
        ];
        Some(facts.into_iter().flatten().collect())
    }

    /// # Errors
    /// 409 `approval_waits`.
    pub async fn propose(&self, approval: ApprovalRequest, by: &Staff) -> Result<ApprovalRow> {
        let (approvals, by) = (self.approvals.clone(), by.clone());
        self.platform
            .db
            .write(move |tx| {
                let (approvals, approval, by) = (approvals.clone(), approval.clone(), by.clone());
                Box::pin(async move { approvals.propose(tx, approval, &by).await })
            })
            .await
    }

    pub(super) async fn settings_changed(&self) -> Result<()> {
        self.platform.events.publish(ChangeEvent::Settings);
        self.reload().await
    }

    fn fact(&self, change: &PreviousSetting) -> ApprovalFact {
        let is_switch = self.platform.settings.check(&change.name, &change.after).is_ok_and(|set| set.kind == SettingKind::Bool);
        let shown = |value: &str| {
            if is_switch { ApprovalValue::flag(value == "true") } else { ApprovalValue::from(value.to_owned()) }
        };
        ApprovalFact {
            label: format!("setting.{}", change.name),
            before: Some(shown(&change.before)),
            after: Some(shown(&change.after)),
        }
    }
}

/// Whether a rate changes by more than a percentage.
pub(super) fn exceeds_percent(old: Decimal, new: Decimal, percent: Decimal) -> bool {
    let moved = (new - old).abs().checked_mul(Decimal::ONE_HUNDRED);
    let allowed = old.checked_mul(percent);
    // Treat overflow as exceeding.
    !matches!((moved, allowed), (Some(moved), Some(allowed)) if moved <= allowed)
}

pub struct ApprovedSettingsUpdate(pub Arc<Calculator>);

impl ApprovalHandler for ApprovedSettingsUpdate {
    fn handles(&self) -> (&'static str, Permission) {
        ("settings_changed", SETTINGS_EDIT)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let (settings, now) = (&self.0.platform.settings, self.0.platform.clock.now());
            for PreviousSetting { name, before, after } in approval.read::<Vec<PreviousSetting>>()? {
                if settings.text(&name) != before {
                    return Err(outdated());
                }
                settings.put(tx, &name, &after, now, &approval.proposer()).await?;
            }
            Ok(())
        })
    }

    fn after_commit(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.settings_changed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_change_beyond_the_limit_needs_approval() {
        let far = |old: &str, new: &str| exceeds_percent(old.parse().unwrap(), new.parse().unwrap(), Decimal::from(5));
        assert!(!far("100", "105") && !far("100", "95") && !far("0.00001", "0.0000105"));
        assert!(far("100", "105.0001") && far("100", "94.99") && far("0.00001", "0.00001051"));
        assert!(far("79228162514264337593543950335", "1"), "a number too big to compare is far");
    }
}
