//! Withdrawals in the admin API.

use agio_core::identity::Staff;
use agio_core::keyset::KeysetPage;
use agio_core::texts::Locale;
use agio_core::{Result, Vault};
use agio_http::{ApiEnum, Cursor, DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;
use uuid::Uuid;

use crate::model::{ReferralWithdrawalAction, ReferralWithdrawalState};
use crate::service::{ReferralPage, WithdrawalAction, WithdrawalTransition, units};
use crate::store::PageCursor;
use crate::store::withdrawals::Withdrawal;

/// A payout detail.
#[body(response)]
struct ReferralPayoutDetail {
    /// Label of the field.
    label: String,
    /// Value of the field.
    value: String,
}

/// A withdrawal of referral commission.
#[body(response)]
pub struct ReferralWithdrawalDetails {
    id: Uuid,
    referrer_id: Uuid,
    /// E-mail address of the account.
    email: String,
    /// State of the withdrawal.
    status: ApiEnum<ReferralWithdrawalState>,
    /// Amount to pay.
    amount: Dec,
    /// Code of the payout currency.
    currency: String,
    /// What the referrer owes for reversed exchanges, in the balance currency. A debtor's withdrawal can only be
    /// refused; its amount is set off against the debt.
    debt: Dec,
    /// Payout details.
    requisites: Vec<ReferralPayoutDetail>,
    /// Why it was refused.
    reason: Nullable<String>,
    /// Transaction id or bank reference.
    tx: Nullable<String>,
    /// Who approved it.
    approved_by: Nullable<String>,
    /// Who paid or refused it.
    decided_by: Nullable<String>,
    created_at: DateTime,
    /// Time of the last change.
    updated_at: DateTime,
    /// Current revision; send it with an action.
    revision: i64,
    /// Possible actions.
    actions: Vec<ApiEnum<ReferralWithdrawalAction>>,
}

impl ReferralWithdrawalDetails {
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`.
    pub fn of(row: Withdrawal, vault: &Vault, locale: Locale) -> Result<Self> {
        let requisites = row.payout_details(vault)?.into_iter();
        let actions = row.actions().map(ApiEnum).collect();
        Ok(Self {
            id: row.id,
            referrer_id: row.referrer_id,
            status: ApiEnum(row.state),
            amount: Dec(row.payout().value()),
            debt: Dec(units(row.debt, row.scale)),
            requisites: requisites
                .map(|requisite| ReferralPayoutDetail { label: requisite.label.get(locale).to_owned(), value: requisite.value })
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
#[body(response)]
pub struct ReferralWithdrawalDetailsPage {
    /// The withdrawals.
    items: Vec<ReferralWithdrawalDetails>,
    /// Pass as `cursor` to get the next page; null on the last page.
    next_cursor: Nullable<Cursor<PageCursor>>,
    /// Number that need a decision.
    open: i64,
}

impl ReferralWithdrawalDetailsPage {
    /// # Errors
    /// 409 `referral_withdrawal_unreadable`.
    pub fn of(page: ReferralPage<Withdrawal>, vault: &Vault, locale: Locale) -> Result<Self> {
        let KeysetPage { rows, next } = page.page;
        let items: Result<_> = rows.into_iter().map(|row| ReferralWithdrawalDetails::of(row, vault, locale)).collect();
        Ok(Self { items: items?, next_cursor: next.map(Cursor).into(), open: page.open })
    }
}

/// An action on a withdrawal.
#[body(shared, skip_serializing_if_is_none, example)]
#[derive(Debug)]
pub struct ProcessReferralWithdrawalRequest {
    action: ApiEnum<ReferralWithdrawalAction>,
    /// Current revision; 409 if it is stale.
    revision: i64,
    /// Transaction id or bank reference; required to pay.
    tx_id: Option<String>,
    /// Reason for the referrer; required to refuse.
    reason: Option<String>,
}

impl Example for ProcessReferralWithdrawalRequest {
    fn example() -> Self {
        let tx_id = Some("4a5e1e4baab89f3a32518a88c31bc87f".into());
        Self { action: ApiEnum(ReferralWithdrawalAction::Pay), revision: 2, tx_id, reason: None }
    }
}

impl ProcessReferralWithdrawalRequest {
    pub fn sends_money(&self) -> bool {
        self.action.0 != ReferralWithdrawalAction::Refuse
    }

    pub fn by(self, staff: Staff) -> WithdrawalTransition {
        let action = match self.action.0 {
            ReferralWithdrawalAction::Approve => WithdrawalAction::Approve,
            ReferralWithdrawalAction::Pay => WithdrawalAction::Pay(self.tx_id.unwrap_or_default()),
            ReferralWithdrawalAction::Refuse => WithdrawalAction::Refuse(self.reason.unwrap_or_default()),
        };
        WithdrawalTransition { staff, action, revision: self.revision }
    }
}
