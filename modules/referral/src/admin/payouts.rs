//! Withdrawals as the console sees them.

use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_core::{Result, Vault};
use agio_http::{Dec, Moment, Null};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::cursor;
use crate::model::WithdrawalState;
use crate::service::{Page, Step, Stepped};
use crate::store::withdrawals::Withdrawal;

/// What is done with a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum DeskReferralWithdrawalAction {
    /// It may be paid.
    Approve,
    /// It is paid.
    Pay,
    /// It is refused.
    Refuse,
}

/// Where a withdrawal goes.
#[derive(Serialize, Object)]
struct DeskReferralRequisite {
    /// What the field is called.
    label: String,
    /// The value.
    value: String,
}

/// A withdrawal.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskReferralWithdrawal {
    /// Identifier.
    id: Uuid,
    /// Whose it is.
    referrer_id: Uuid,
    /// The e-mail address of the account.
    email: String,
    /// `requested`, `approved`, `paid` or `refused`.
    status: String,
    /// What is paid.
    amount: Dec,
    /// The code of the currency it is paid in.
    currency: String,
    /// Where to.
    requisites: Vec<DeskReferralRequisite>,
    /// Why it was refused.
    reason: Null<String>,
    /// The transaction it was paid by.
    tx: Null<String>,
    /// Who approved it.
    approved_by: Null<String>,
    /// Who paid or refused it.
    decided_by: Null<String>,
    /// When it was asked for.
    created_at: Moment,
    /// When it last changed.
    updated_at: Moment,
    /// Counts every change; a step names the one that was seen.
    revision: i64,
    /// What can be done now, the usual first.
    actions: Vec<DeskReferralWithdrawalAction>,
}

impl DeskReferralWithdrawal {
    /// A withdrawal as the console shows it.
    ///
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`.
    pub fn of(row: Withdrawal, vault: &Vault, locale: Locale) -> Result<Self> {
        use DeskReferralWithdrawalAction::{Approve, Pay, Refuse};
        let actions = match row.state {
            WithdrawalState::Requested => vec![Approve, Refuse],
            WithdrawalState::Approved => vec![Pay, Refuse],
            WithdrawalState::Paid | WithdrawalState::Refused => Vec::new(),
        };
        let requisites = row.goes_to(vault)?.into_iter();
        Ok(Self {
            id: row.id,
            referrer_id: row.referrer_id,
            status: row.state.to_string(),
            amount: Dec(row.payout().value()),
            requisites: requisites
                .map(|requisite| DeskReferralRequisite { label: requisite.label.get(locale).to_owned(), value: requisite.value })
                .collect(),
            email: row.email,
            currency: row.payout_code,
            reason: row.reason.into(),
            tx: row.tx.into(),
            approved_by: row.approved_name.into(),
            decided_by: row.decided_name.into(),
            created_at: row.created_at.into(),
            updated_at: row.updated_at.into(),
            revision: row.revision,
            actions,
        })
    }
}

/// A page of withdrawals.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskReferralWithdrawalPage {
    /// The withdrawals.
    items: Vec<DeskReferralWithdrawal>,
    /// What the next page is asked for with; null on the last.
    next_cursor: Null<String>,
    /// How many wait for the staff.
    open: i64,
}

impl DeskReferralWithdrawalPage {
    /// A page as the console shows it.
    ///
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`.
    pub fn of(page: Page<Withdrawal>, vault: &Vault, locale: Locale) -> Result<Self> {
        let next_cursor = cursor(&page).into();
        let items: Result<_> = page.rows.into_iter().map(|row| DeskReferralWithdrawal::of(row, vault, locale)).collect();
        Ok(Self { items: items?, next_cursor, open: page.open })
    }
}

/// A step.
#[derive(Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct DeskReferralWithdrawalStep {
    /// What is done.
    action: DeskReferralWithdrawalAction,
    /// The revision that was seen.
    revision: i64,
    /// The transaction; needed for `pay`.
    tx_id: Option<String>,
    /// Why, in words for the referrer; needed for `refuse`.
    reason: Option<String>,
}

impl Example for DeskReferralWithdrawalStep {
    fn example() -> Self {
        let tx_id = Some("4a5e1e4baab89f3a32518a88c31bc87f".into());
        Self { action: DeskReferralWithdrawalAction::Pay, revision: 2, tx_id, reason: None }
    }
}

impl DeskReferralWithdrawalStep {
    /// Whether it lets money go.
    pub fn sends_money(&self) -> bool {
        self.action != DeskReferralWithdrawalAction::Refuse
    }

    /// The step in the name of somebody.
    pub fn by(self, staff: Staff) -> Stepped {
        let step = match self.action {
            DeskReferralWithdrawalAction::Approve => Step::Approve,
            DeskReferralWithdrawalAction::Pay => Step::Pay(self.tx_id.unwrap_or_default()),
            DeskReferralWithdrawalAction::Refuse => Step::Refuse(self.reason.unwrap_or_default()),
        };
        Stepped { staff, step, revision: self.revision }
    }
}
