//! Withdrawals as customers ask for them and see them.

use std::collections::BTreeMap;

use agio_core::{Result, Vault};
use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::service::Asked;
use crate::store::withdrawals::Withdrawal;

/// What a referrer withdraws.
#[derive(Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct ReferralWithdrawalOrder {
    /// How much of the balance.
    amount: Dec,
    /// The currency it is paid in, by its id.
    currency_id: i64,
    /// Where to, by the names of that currency's fields.
    requisites: BTreeMap<String, String>,
}

impl Example for ReferralWithdrawalOrder {
    fn example() -> Self {
        let requisites = BTreeMap::from([("address".into(), "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf".into())]);
        Self { amount: Dec(Decimal::from(25)), currency_id: 6, requisites }
    }
}

impl From<ReferralWithdrawalOrder> for Asked {
    fn from(order: ReferralWithdrawalOrder) -> Self {
        Self { amount: order.amount.0, currency: order.currency_id, requisites: order.requisites }
    }
}

/// A withdrawal.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct ReferralWithdrawal {
    /// Identifier.
    id: Uuid,
    /// How much.
    amount: Dec,
    /// The code of the currency it is paid in.
    currency: String,
    /// `requested`, `approved`, `paid` or `refused`.
    status: String,
    /// Where it goes, with the middle hidden.
    to: String,
    /// The transaction it was paid by; null before.
    tx: Null<String>,
    /// Why it was refused; null where it was not.
    reason: Null<String>,
    /// When it was asked for.
    created_at: Moment,
}

impl ReferralWithdrawal {
    /// A withdrawal as it is shown.
    ///
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`.
    pub fn of(row: &Withdrawal, vault: &Vault) -> Result<Self> {
        let to: Vec<String> = row.goes_to(vault)?.into_iter().map(|requisite| requisite.masked).collect();
        Ok(Self {
            id: row.id,
            amount: Dec(row.payout().value()),
            currency: row.payout_code.clone(),
            status: row.state.to_string(),
            to: to.join(", "),
            tx: row.tx.clone().into(),
            reason: row.reason.clone().into(),
            created_at: row.created_at.into(),
        })
    }
}

/// A page of withdrawals.
#[derive(Serialize, Object)]
pub struct ReferralWithdrawalPage {
    /// The withdrawals, the newest first.
    pub items: Vec<ReferralWithdrawal>,
    /// Which page this is, from 1.
    pub page: u32,
    /// How many a page has at most.
    pub size: u32,
    /// How many there are in all.
    pub total: i64,
}
