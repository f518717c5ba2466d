//! Changes a second person has to agree to: of the four-eyes rule itself, of a rate that moves far, and of what passes for the agreed payment.

use std::sync::Arc;

use agio_approvals::{
    Approvable, Done, FOUR_EYES, Fact, PAYOUT_LIMIT, Proposal, RATE_PERCENT, REFUND_LIMIT, Said, Stored, outdated,
};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::live::Notice;
use agio_core::settings::SettingKind;
use agio_core::{BoxFuture, Result, Tx};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Calculator;
use crate::SETTINGS_EDIT;
use crate::market::{MarketPair, PairChange, Tolerance};
use crate::settings::{BASE, needs_confirmation};

/// Settings by which one person could free themselves of the second. The base currency is among them: the limits are in it.
const GUARDED: [&str; 5] = [FOUR_EYES, PAYOUT_LIMIT, REFUND_LIMIT, RATE_PERCENT, BASE];

/// A value of a setting, as it is and as it would be.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Given {
    name: String,
    before: String,
    after: String,
}

impl Calculator {
    /// Sets values, all of them or none; the whole as a proposal when one of them is guarded by the four-eyes rule.
    ///
    /// # Errors
    /// 422 for a setting there is none of or a value it does not take; 409 `approval_waits`.
    pub async fn change_settings(&self, values: Vec<(String, String)>, by: &Staff) -> Result<Done<()>> {
        let settings = &self.platform.settings;
        for (name, value) in &values {
            settings.check(name, value)?;
        }
        let given = |(name, after): (String, String)| Given { before: settings.text(&name), name, after };
        let changed: Vec<_> = values.iter().cloned().map(given).filter(|given| given.before != given.after).collect();
        // What has to be confirmed lets money be lost; taking that back never waits.
        let is_guarded = |given: &&Given| GUARDED.contains(&given.name.as_str()) || needs_confirmation(&given.name, &given.after);
        let guarded = changed.iter().find(is_guarded);
        if let Some(guarded) = guarded.filter(|_| self.approvals.are_on()) {
            let about = ("setting", guarded.name.clone());
            let shown = changed.iter().map(|given| self.fact(given)).collect();
            let proposal = Proposal { kind: "settings_changed", about, shown, payload: json!(changed) };
            return self.propose(proposal, by).await.map(|row| Done::Proposed(Box::new(row)));
        }
        self.put_settings(values, Actor::from(by)).await?;
        self.settings_are_changed().await?;
        Ok(Done::Now(()))
    }

    /// Sets values, all of them or none.
    ///
    /// # Errors
    /// 422 for a setting there is none of or a value it does not take.
    pub async fn put_settings(&self, values: Vec<(String, String)>, by: Actor) -> Result<()> {
        let (settings, now) = (self.platform.settings.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (settings, values, by) = (settings.clone(), values.clone(), by.clone());
                Box::pin(async move {
                    for (name, value) in &values {
                        settings.put(tx, name, value, now, &by).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// What a second person has to see of a change of a pair, if they have to agree to it: it moves the course further than one person may, or
    /// lets more pass for the agreed payment.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`.
    pub fn needs_consent(&self, id: i64, change: &PairChange) -> Result<Option<Vec<Fact>>> {
        let touches_rate = change.source.is_some() || change.manual_rate.is_some() || change.spread_percent.is_some();
        if !self.approvals.are_on() || !(touches_rate || change.tolerance.is_some()) {
            return Ok(None);
        }
        let after = self.preview(id, change.clone())?;
        let market = self.market();
        let Some(before) = market.pair(id) else {
            return Ok(None);
        };
        let course = |pair: &MarketPair| pair.rate.as_ref().map(|rate| rate.terms.parts().course);
        let (old, new) = (course(before), course(&after));
        let percent = Decimal::from(self.platform.settings.int(RATE_PERCENT));
        let is_far = match (old, new) {
            // Without a course nothing can be exchanged, so nothing can be lost.
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(old), Some(new)) => is_further(old, new, percent),
        };
        let is_wider = after.pair.tolerance.may_be_wider_than(&before.pair.tolerance);
        if !(is_wider || touches_rate && is_far) {
            return Ok(None);
        }
        let number = |value: Option<Decimal>| value.map(|value| Said::from(agio_core::money::plain(value)));
        let source = |pair: &MarketPair| Some(Said::Text { text: format!("approval_value.{}", pair.pair.source.name()) });
        // Nothing set is a value here: the one of the house.
        let tolerance = |of: &dyn Fn(&Tolerance) -> Option<Decimal>, unit: &str| {
            let said = |pair: &MarketPair| match of(&pair.pair.tolerance) {
                Some(value) => Said::from(format!("{} {unit}", agio_core::money::plain(value))),
                None => Said::Text { text: "approval_value.by_default".to_owned() },
            };
            (Some(said(before)), Some(said(&after)))
        };
        let late = tolerance(&|set| set.late_percent, "%");
        let fixed = tolerance(&|set| set.amount_fixed, &before.from.facts.code);
        let percent = tolerance(&|set| set.amount_percent, "%");
        let direction = format!("{} → {}", before.from.facts.code, before.to.facts.code);
        let facts = [
            Some(Fact::new("pair", direction)),
            Fact::change("course", number(old), number(new)),
            Fact::change("source", source(before), source(&after)),
            Fact::change("manual_rate", number(before.pair.manual_rate), number(after.pair.manual_rate)),
            Fact::change("spread", number(Some(before.pair.spread_percent)), number(Some(after.pair.spread_percent))),
            Fact::change("late_tolerance", late.0, late.1),
            Fact::change("amount_tolerance_fixed", fixed.0, fixed.1),
            Fact::change("amount_tolerance_percent", percent.0, percent.1),
        ];
        Ok(Some(facts.into_iter().flatten().collect()))
    }

    /// Writes a proposal.
    ///
    /// # Errors
    /// 409 `approval_waits`.
    pub async fn propose(&self, proposal: Proposal, by: &Staff) -> Result<Stored> {
        let (approvals, by) = (self.approvals.clone(), by.clone());
        self.platform
            .db
            .write(move |tx| {
                let (approvals, proposal, by) = (approvals.clone(), proposal.clone(), by.clone());
                Box::pin(async move { approvals.propose(tx, proposal, &by).await })
            })
            .await
    }

    async fn settings_are_changed(&self) -> Result<()> {
        self.platform.live.tell(Notice::Settings);
        self.reload().await
    }

    fn fact(&self, given: &Given) -> Fact {
        let is_switch = self.platform.settings.check(&given.name, &given.after).is_ok_and(|set| set.kind == SettingKind::Bool);
        let said = |value: &str| {
            if is_switch { Said::flag(value == "true") } else { Said::from(value.to_owned()) }
        };
        Fact { label: format!("setting.{}", given.name), before: Some(said(&given.before)), after: Some(said(&given.after)) }
    }
}

/// Whether a course moves by more than so many percent.
pub(super) fn is_further(old: Decimal, new: Decimal, percent: Decimal) -> bool {
    let moved = (new - old).abs().checked_mul(Decimal::ONE_HUNDRED);
    let allowed = old.checked_mul(percent);
    // What is too big to be multiplied is far.
    !matches!((moved, allowed), (Some(moved), Some(allowed)) if moved <= allowed)
}

/// Sets what was agreed on.
pub struct SettingsChange(pub Arc<Calculator>);

impl Approvable for SettingsChange {
    fn kind(&self) -> &'static str {
        "settings_changed"
    }

    fn permission(&self) -> Permission {
        SETTINGS_EDIT
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let (settings, now) = (&self.0.platform.settings, self.0.platform.clock.now());
            for Given { name, before, after } in proposal.read::<Vec<Given>>()? {
                if settings.text(&name) != before {
                    return Err(outdated());
                }
                settings.put(tx, &name, &after, now, &proposal.proposer()).await?;
            }
            Ok(())
        })
    }

    fn settled(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.settings_are_changed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_that_moves_further_than_the_bound_needs_consent() {
        let far = |old: &str, new: &str| is_further(old.parse().unwrap(), new.parse().unwrap(), Decimal::from(5));
        assert!(!far("100", "105") && !far("100", "95") && !far("0.00001", "0.0000105"));
        assert!(far("100", "105.0001") && far("100", "94.99") && far("0.00001", "0.00001051"));
        assert!(far("79228162514264337593543950335", "1"), "a number too big to compare is far");
    }
}
