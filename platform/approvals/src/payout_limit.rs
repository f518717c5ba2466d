//! The largest payout that one person may make.

use std::time::Duration;

use agio_contracts::ReferenceValue;
use agio_core::money::plain;
use rust_decimal::Decimal;

use crate::{ApprovalFact, ApprovalValue, Approvals, PAYOUT_LIMIT};

/// What one recipient gets within this time counts together, so that a payout above the limit cannot be split.
pub const PAYOUT_PERIOD: Duration = Duration::from_secs(24 * 60 * 60);

impl Approvals {
    /// The value of a payout and the limit, to show to the second person; `None` if one person may pay. `earlier` is
    /// what the recipient got within [`PAYOUT_PERIOD`]; the caller has locked the recipient. An unknown value is above
    /// any limit.
    pub fn facts_above_payout_limit(
        &self,
        value: Option<ReferenceValue>,
        earlier: impl IntoIterator<Item = Option<ReferenceValue>>,
    ) -> Option<Vec<ApprovalFact>> {
        if !self.is_enabled() {
            return None;
        }
        let limit = self.platform.settings.int(PAYOUT_LIMIT);
        let earlier = earlier.into_iter().try_fold(Decimal::ZERO, |sum, value| sum.checked_add(value?.amount));
        let total = value.as_ref().zip(earlier).and_then(|(value, earlier)| value.amount.checked_add(earlier));
        if total.is_some_and(|total| total <= Decimal::from(limit)) {
            return None;
        }
        let ticker = value.as_ref().map(|value| format!(" {}", value.ticker)).unwrap_or_default();
        let shown = |amount: Option<Decimal>| match amount {
            Some(amount) => ApprovalValue::from(format!("{}{ticker}", plain(amount.round_dp(2)))),
            None => ApprovalValue::Text { text: "approval_value.unknown".into() },
        };
        let mut facts = vec![ApprovalFact::new("worth", shown(value.as_ref().map(|value| value.amount)))];
        if earlier != Some(Decimal::ZERO) {
            facts.push(ApprovalFact::new("earlier_payouts", shown(earlier)));
        }
        facts.push(ApprovalFact::new("limit", format!("{limit}{ticker}")));
        Some(facts)
    }
}
