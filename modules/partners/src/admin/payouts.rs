//! Commission, payouts and decisions on access requests.

use agio_core::named;
use agio_http::{ApiEnum, Dec, body};

use crate::api::access_bodies::PartnerPayoutView;
use crate::service::{AccessDecision, Earnings, PartnerPayout};
use crate::store::commissions::PayoutRow;

/// A commission payout, with the staff member.
#[body(response)]
pub struct PartnerPayoutDetails {
    #[serde(flatten)]
    #[oai(flatten)]
    payout: PartnerPayoutView,
    /// Name of the staff member.
    paid_by: String,
}

impl PartnerPayoutDetails {
    pub fn of(row: PayoutRow, earnings: &[Earnings]) -> Self {
        Self { paid_by: row.paid_name.clone(), payout: PartnerPayoutView::of(row, earnings) }
    }
}

named! {
    /// A decision on an access request.
    PartnerDecision {
        /// Live keys work from now on.
        Approve = "approve",
        /// The request is declined.
        Decline = "decline",
    }
}

/// A decision on an access request.
#[body(request)]
#[derive(Clone, Debug)]
pub struct DecidePartnerRequest {
    decision: ApiEnum<PartnerDecision>,
    /// Current revision; 409 if it is stale.
    pub revision: i64,
    /// Reason for the customer; required to decline.
    reason: Option<String>,
}

impl From<DecidePartnerRequest> for AccessDecision {
    fn from(body: DecidePartnerRequest) -> Self {
        match body.decision.0 {
            PartnerDecision::Approve => Self::Approve,
            PartnerDecision::Decline => Self::Decline(body.reason.unwrap_or_default()),
        }
    }
}

/// A commission payout to record.
#[body(shared)]
#[derive(Clone, Debug)]
pub struct CreatePartnerPayoutRequest {
    /// Code of the currency.
    currency: String,
    /// Amount to pay out of the balance.
    amount: Dec,
    /// Transaction id or bank reference.
    tx_id: String,
}

impl From<CreatePartnerPayoutRequest> for PartnerPayout {
    fn from(body: CreatePartnerPayoutRequest) -> Self {
        Self { currency: body.currency, amount: body.amount.0, tx: body.tx_id }
    }
}
