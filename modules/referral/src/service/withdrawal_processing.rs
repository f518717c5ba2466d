//! Processing of withdrawals: approval (above the payout limit by a second person), payment or refusal.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, PAYOUT_PERIOD, outdated};
use agio_contracts::CustomerAccount;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx, hex};
use agio_ledger::Account;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::commissions::changed;
use super::{Referral, refused, too_long};
use crate::REFERRAL_PAY;
use crate::model::ReferralWithdrawalState;
use crate::store::referrers::{self, Referrer};
use crate::store::withdrawals::{self, Withdrawal};

/// Kind of approval request.
const KIND: &str = "referral_withdrawal";

/// Also the limit for transaction ids.
const REASON_MAX: usize = 500;

#[derive(Clone, Debug)]
pub enum WithdrawalAction {
    Approve,
    Pay(String),
    /// With the reason the referrer is sent.
    Refuse(String),
}

#[derive(Clone, Debug)]
pub struct WithdrawalTransition {
    pub staff: Staff,
    pub action: WithdrawalAction,
    pub revision: i64,
}

#[derive(Serialize, Deserialize)]
struct ApprovalPayload {
    ground: String,
    role: String,
}

impl Referral {
    /// Where approval is required, creates an approval request and returns its id instead.
    ///
    /// # Errors
    /// 404 `referral_withdrawal_not_found`; 409 `referral_changed` if the revision is stale,
    /// `referral_withdrawal_closed`, `referral_in_debt`, `approval_waits`, `balance_too_low` if the reserve does not
    /// suffice; 422 for a missing transaction id or reason.
    pub async fn process_withdrawal(
        self: &Arc<Self>,
        id: Uuid,
        transition: WithdrawalTransition,
        key: Option<Key>,
    ) -> Result<Option<Uuid>> {
        let (this, transition, now) = (self.clone(), Arc::new(transition), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, transition) = (this.clone(), transition.clone());
            Box::pin(async move {
                let row = withdrawals::one(tx, id).await?.ok_or_else(not_found)?;
                if row.revision != transition.revision {
                    return Err(changed());
                }
                match (&transition.action, row.state) {
                    (WithdrawalAction::Approve, ReferralWithdrawalState::Requested) => {
                        this.approve(tx, row, &transition.staff, now).await
                    }
                    (WithdrawalAction::Pay(tx_id), ReferralWithdrawalState::Approved) => {
                        this.pay(tx, row, tx_id, &transition.staff, now).await
                    }
                    (WithdrawalAction::Refuse(reason), state) if state.is_open() => {
                        this.refuse(tx, row, reason, &transition.staff, now).await
                    }
                    _ => Err(Error::conflict("referral_withdrawal_closed")),
                }
            })
        })
        .await
    }

    async fn approve(&self, tx: &mut Tx, row: Withdrawal, staff: &Staff, now: Timestamp) -> Result<Option<Uuid>> {
        lock_unless_in_debt(tx, &row).await?;
        let earlier = withdrawals::payouts_since(tx, row.referrer_id, now.minus(PAYOUT_PERIOD)).await?;
        let value_of = |amount| self.reference_values.reference_value(amount);
        let earlier = earlier.into_iter().map(value_of);
        if let Some(value_and_limit) = self.approvals.facts_above_payout_limit(value_of(row.payout()), earlier) {
            return self.request_approval(tx, &row, value_and_limit, staff).await.map(|stored| Some(stored.id));
        }
        self.approved(tx, row, staff, now).await.map(|()| None)
    }

    async fn approved(&self, tx: &mut Tx, mut row: Withdrawal, staff: &Staff, now: Timestamp) -> Result<()> {
        let before = self.audit_snapshot(&row)?;
        row.state = ReferralWithdrawalState::Approved;
        (row.approved_by, row.approved_name) = (Some(staff.id), Some(staff.name.clone()));
        self.store(tx, row, before, &staff.into(), now).await
    }

    async fn pay(&self, tx: &mut Tx, mut row: Withdrawal, tx_id: &str, staff: &Staff, now: Timestamp) -> Result<Option<Uuid>> {
        lock_unless_in_debt(tx, &row).await?;
        let before = self.audit_snapshot(&row)?;
        row.tx = Some(required_text("txId", tx_id)?);
        row.state = ReferralWithdrawalState::Paid;
        (row.decided_by, row.decided_name) = (Some(staff.id), Some(staff.name.clone()));
        self.book_payout(tx, row.id, row.owed(), row.payout(), &staff.name, now).await?;
        self.store(tx, row, before, &staff.into(), now).await.map(|()| None)
    }

    async fn refuse(
        &self,
        tx: &mut Tx,
        mut row: Withdrawal,
        reason: &str,
        staff: &Staff,
        now: Timestamp,
    ) -> Result<Option<Uuid>> {
        let before = self.audit_snapshot(&row)?;
        row.reason = Some(required_text("reason", reason)?);
        row.state = ReferralWithdrawalState::Refused;
        (row.decided_by, row.decided_name) = (Some(staff.id), Some(staff.name.clone()));
        let referrer = lock_referrer(tx, &row).await?;
        let amount = row.owed();
        self.book_credit(tx, ("referral_withdrawal_refused", row.id), Account::ReferralOut, &referrer, amount, now).await?;
        self.store(tx, row, before, &staff.into(), now).await.map(|()| None)
    }

    /// Refuses what was asked for since `since` and is not approved yet, as the owner takes the account back. The owner
    /// gets the e-mails about it. What cannot be read stays: it cannot be paid either.
    pub(super) async fn refuse_requested_since(&self, tx: &mut Tx, account: &CustomerAccount, since: Timestamp) -> Result<()> {
        // An approval waits for this lock, and then finds them refused.
        if referrers::lock(tx, account.id).await?.is_none() {
            return Ok(());
        }
        let now = self.platform.clock.now();
        for mut row in withdrawals::requested_since(tx, account.id, since).await? {
            let Ok(before) = self.audit_snapshot(&row) else { continue };
            row.reason = Some(self.text("referral_withdrawal_taken_back", row.locale));
            row.state = ReferralWithdrawalState::Refused;
            if let Some(email) = &account.email {
                row.email.clone_from(email);
            }
            let (referrer, amount) = (lock_referrer(tx, &row).await?, row.owed());
            self.book_credit(tx, ("referral_withdrawal_refused", row.id), Account::ReferralOut, &referrer, amount, now).await?;
            self.store(tx, row, before, &Actor::system("email_change_undone"), now).await?;
        }
        Ok(())
    }

    /// Stores it with the e-mail and the audit entry.
    async fn store(&self, tx: &mut Tx, mut row: Withdrawal, before: serde_json::Value, by: &Actor, now: Timestamp) -> Result<()> {
        row.updated_at = now;
        if !withdrawals::update(tx, &mut row).await? {
            return Err(changed());
        }
        self.send_email(tx, &row, now).await?;
        let (before, after) = audit::difference(&before, &self.audit_snapshot(&row)?)?;
        let action = format!("referral.withdrawal_{}", row.state);
        let entry = NewAuditEntry { by, action: &action, about: KIND, id: row.id.to_string(), before, after };
        audit::record(tx, entry, now).await
    }

    async fn request_approval(
        &self,
        tx: &mut Tx,
        row: &Withdrawal,
        value_and_limit: Vec<ApprovalFact>,
        staff: &Staff,
    ) -> Result<ApprovalRow> {
        let to: Vec<String> = row.payout_details(&self.platform.vault)?.into_iter().map(|requisite| requisite.value).collect();
        let amount = format!("{} {}", row.payout(), row.payout_code);
        let mut shown = vec![ApprovalFact::new("referrer", row.email.clone()), ApprovalFact::new("amount", amount)];
        shown.extend(value_and_limit);
        shown.push(ApprovalFact::new("to", to.join(", ")));
        let payload = serde_json::to_value(ApprovalPayload { ground: ground(row), role: staff.role.to_string() })
            .map_err(Error::internal)?;
        let approval = ApprovalRequest { kind: KIND, about: (KIND, row.id.to_string()), shown, payload };
        self.approvals.propose(tx, approval, staff).await
    }

    async fn agree(&self, tx: &mut Tx, approval: &ApprovalRow) -> Result<()> {
        let id = approval.about_id.parse().map_err(Error::internal)?;
        let agreed: ApprovalPayload = approval.read()?;
        let row = withdrawals::one(tx, id).await?.ok_or_else(outdated)?;
        if row.state != ReferralWithdrawalState::Requested || ground(&row) != agreed.ground {
            return Err(outdated());
        }
        lock_unless_in_debt(tx, &row).await?;
        // The requester is recorded as the approver; the second person is in the approval log.
        let role = agreed.role.parse().map_err(Error::internal)?;
        let proposer = Staff { id: approval.proposed_by, name: approval.proposed_name.clone(), role, address: None };
        self.approved(tx, row, &proposer, self.platform.clock.now()).await
    }
}

/// Locks the referrer, so that no commission is reversed meanwhile.
///
/// # Errors
/// 409 `referral_in_debt`: commission that the withdrawal would pay out has been reversed.
async fn lock_unless_in_debt(tx: &mut Tx, row: &Withdrawal) -> Result<()> {
    let referrer = lock_referrer(tx, row).await?;
    if referrer.debt > 0 { Err(Error::conflict("referral_in_debt")) } else { Ok(()) }
}

async fn lock_referrer(tx: &mut Tx, row: &Withdrawal) -> Result<Referrer> {
    referrers::lock(tx, row.referrer_id).await?.ok_or_else(|| Error::internal("the referrer does not exist"))
}

/// Identifies this exact payment: amount and destination.
fn ground(row: &Withdrawal) -> String {
    let ground = json!([row.id, row.payout_id, row.payout_units, row.requisites]).to_string();
    hex::encode(Sha256::digest(ground))
}

fn required_text(field: &str, text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(refused(field, "required"));
    }
    if text.chars().count() > REASON_MAX {
        return Err(too_long(field, REASON_MAX));
    }
    Ok(text.to_owned())
}

fn not_found() -> Error {
    Error::not_found("referral_withdrawal_not_found")
}

pub struct ApprovedWithdrawal(pub Arc<Referral>);

impl ApprovalHandler for ApprovedWithdrawal {
    fn handles(&self) -> (&'static str, Permission) {
        (KIND, REFERRAL_PAY)
    }

    fn execute<'t>(
        self: Arc<Self>,
        tx: &'t mut Tx,
        approval: &'t ApprovalRow,
        _approver: &'t Staff,
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.agree(tx, approval).await })
    }
}
