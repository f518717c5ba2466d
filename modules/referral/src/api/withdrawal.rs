//! Withdrawals in the customer API.

use std::collections::BTreeMap;

use agio_contracts::ReauthenticationRequest;
use agio_core::{Result, Vault};
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::model::ReferralWithdrawalState;
use crate::service::NewWithdrawal;
use crate::store::withdrawals::Withdrawal;

/// A withdrawal request.
#[body(request, example)]
pub struct ReferralWithdrawalRequest {
    /// Amount of the balance.
    amount: Dec,
    /// Id of the payout currency.
    currency_id: i64,
    /// Payout details by field name.
    requisites: BTreeMap<String, String>,
    /// Password of the account.
    password: String,
    /// Second-factor or recovery code; required if a second factor is enabled.
    code: Option<String>,
}

impl Example for ReferralWithdrawalRequest {
    fn example() -> Self {
        let requisites = BTreeMap::from([("address".into(), "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf".into())]);
        let (password, code) = ("correct horse battery".into(), None);
        Self { amount: Dec(Decimal::from(25)), currency_id: 6, requisites, password, code }
    }
}

impl ReferralWithdrawalRequest {
    pub fn parts(self) -> (NewWithdrawal, ReauthenticationRequest) {
        let Self { amount, currency_id, requisites, password, code } = self;
        (NewWithdrawal { amount: amount.0, currency: currency_id, requisites }, ReauthenticationRequest { password, code })
    }
}

/// A withdrawal of referral commission.
#[body(response)]
pub struct ReferralWithdrawal {
    id: Uuid,
    amount: Dec,
    /// Code of the payout currency.
    currency: String,
    /// State of the withdrawal.
    status: ApiEnum<ReferralWithdrawalState>,
    /// Masked payout details.
    to: String,
    /// Payout transaction; null until paid.
    tx: Nullable<String>,
    /// Reason of a refusal; null otherwise.
    reason: Nullable<String>,
    created_at: DateTime,
}

impl ReferralWithdrawal {
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`.
    pub fn of(row: &Withdrawal, vault: &Vault) -> Result<Self> {
        let to: Vec<String> = row.payout_details(vault)?.into_iter().map(|requisite| requisite.masked).collect();
        Ok(Self {
            id: row.id,
            amount: Dec(row.payout().value()),
            currency: row.payout_code.clone(),
            status: ApiEnum(row.state),
            to: to.join(", "),
            tx: row.tx.clone().into(),
            reason: row.reason.clone().into(),
            created_at: row.created_at.into(),
        })
    }
}

/// A page of withdrawals.
#[body(response)]
pub struct ReferralWithdrawalPage {
    /// Withdrawals, newest first.
    pub items: Vec<ReferralWithdrawal>,
    /// Page number, from 1.
    pub page: u32,
    /// Page size.
    pub size: u32,
    /// Total number of entries.
    pub total: i64,
}
