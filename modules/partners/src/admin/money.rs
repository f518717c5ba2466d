//! What partners earn and are paid, and the word about those who ask for access.

use agio_core::Amount;
use agio_http::{Dec, Moment};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::commission::CommissionKind;
use crate::service::{Decision, Earnings, Payout};
use crate::store::commissions::PayoutRow;

/// What a partner earns a share of.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum DeskCommissionKind {
    /// Of what the house earned, in the currency received.
    Profit,
    /// Of what was sent, in the currency sent.
    Amount,
}

impl From<CommissionKind> for DeskCommissionKind {
    fn from(kind: CommissionKind) -> Self {
        match kind {
            CommissionKind::Profit => Self::Profit,
            CommissionKind::Amount => Self::Amount,
        }
    }
}

impl From<DeskCommissionKind> for CommissionKind {
    fn from(kind: DeskCommissionKind) -> Self {
        match kind {
            DeskCommissionKind::Profit => Self::Profit,
            DeskCommissionKind::Amount => Self::Amount,
        }
    }
}

/// What a partner earned in a currency.
#[derive(Serialize, Object)]
pub struct DeskEarnings {
    /// The code of the currency.
    currency: String,
    /// By how many claims.
    claims: i64,
    /// What was earned by them.
    earned: Dec,
    /// What of it is not paid.
    balance: Dec,
    /// What they owe: claims were undone whose commission had been paid.
    debt: Dec,
}

impl DeskEarnings {
    /// As the console shows it.
    pub fn of(of: Earnings) -> Self {
        let Earnings { code, claims, earned, balance, debt, .. } = of;
        Self { currency: code, claims, earned: Dec(earned.value()), balance: Dec(balance.value()), debt: Dec(debt.value()) }
    }
}

/// A payout to a partner.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskPartnerPayout {
    /// Identifier.
    id: Uuid,
    /// The code of the currency.
    currency: String,
    /// How much.
    amount: Dec,
    /// The transaction it was paid by.
    tx: String,
    /// Who paid it.
    paid_by: String,
    /// When.
    created_at: Moment,
}

impl DeskPartnerPayout {
    /// As the console shows it, with the codes of currencies.
    pub fn of(row: PayoutRow, codes: &[(i64, String)]) -> Self {
        let scale = u32::try_from(row.scale).unwrap_or(0);
        Self {
            id: row.id,
            currency: codes.iter().find(|(id, _)| *id == row.currency_id).map(|(_, code)| code.clone()).unwrap_or_default(),
            amount: Dec(Amount::of_units(row.units, scale).value()),
            tx: row.tx,
            paid_by: row.paid_name,
            created_at: Moment(row.created_at),
        }
    }
}

/// What is decided about a partner who asked for access.
#[derive(Clone, Copy, Debug, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum DeskPartnerVerdict {
    /// Live keys are good from now on.
    Approve,
    /// Not now.
    Decline,
}

/// A decision about a partner who asked for access.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskPartnerDecision {
    /// What is decided.
    decision: DeskPartnerVerdict,
    /// The revision that was seen.
    pub revision: i64,
    /// Why, in words for the customer; needed to decline.
    #[serde(default)]
    reason: Option<String>,
}

impl From<DeskPartnerDecision> for Decision {
    fn from(decided: DeskPartnerDecision) -> Self {
        match decided.decision {
            DeskPartnerVerdict::Approve => Self::Approve,
            DeskPartnerVerdict::Decline => Self::Decline(decided.reason.unwrap_or_default()),
        }
    }
}

/// A payout of commission.
#[derive(Clone, Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskPartnerPayoutOrder {
    /// The code of the currency.
    currency: String,
    /// How much of the balance.
    amount: Dec,
    /// The transaction it is paid by.
    tx_id: String,
}

impl From<DeskPartnerPayoutOrder> for Payout {
    fn from(order: DeskPartnerPayoutOrder) -> Self {
        Self { currency: order.currency, amount: order.amount.0, tx: order.tx_id }
    }
}
