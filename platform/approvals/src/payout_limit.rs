//! The largest payout that one person may make.

use agio_contracts::ReferenceValue;
use agio_core::money::plain;
use rust_decimal::Decimal;

use crate::{ApprovalFact, ApprovalValue, Approvals, PAYOUT_LIMIT};

impl Approvals {
    /// The value of a payout and the limit, to show to the second person; `None` if one person may pay. An unknown value
    /// is above any limit.
    #[must_use]
    pub fn facts_above_payout_limit(&self, value: Option<ReferenceValue>) -> Option<[ApprovalFact; 2]> {
        let limit = self.platform.settings.int(PAYOUT_LIMIT);
        if !self.is_enabled() || value.as_ref().is_some_and(|value| value.amount <= Decimal::from(limit)) {
            return None;
        }
        let (value, limit) = match value {
            Some(ReferenceValue { amount, ticker }) => {
                (ApprovalValue::from(format!("{} {ticker}", plain(amount.round_dp(2)))), format!("{limit} {ticker}"))
            }
            None => (ApprovalValue::Text { text: "approval_value.unknown".into() }, limit.to_string()),
        };
        Some([ApprovalFact::new("worth", value), ApprovalFact::new("limit", limit)])
    }
}
