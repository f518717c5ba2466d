//! Withdrawals on the desk: approved, above the limit by two people's word, then paid; or refused.

use std::sync::Arc;

use agio_approvals::{Approvable, Fact, PAYOUT_LIMIT, Proposal, Said as Shown, Stored, outdated};
use agio_core::audit::{self, Entry};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Permission, Staff};
use agio_core::needs::Worth;
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx, hex};
use agio_ledger::Account;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{Referral, refused, too_long};
use crate::REFERRAL_PAY;
use crate::model::WithdrawalState;
use crate::store::referrers;
use crate::store::withdrawals::{self, Withdrawal};

/// The kind of proposals to pay a referrer.
const KIND: &str = "referral_withdrawal";

/// The longest reason and transaction id.
const WORDS_MAX: usize = 500;

/// What is done with a withdrawal.
#[derive(Clone, Debug)]
pub enum Step {
    /// It may be paid.
    Approve,
    /// It is paid by this transaction.
    Pay(String),
    /// It is refused, for this reason in words for the referrer.
    Refuse(String),
}

/// A step of a member of staff.
#[derive(Clone, Debug)]
pub struct Stepped {
    /// Who.
    pub staff: Staff,
    /// What.
    pub step: Step,
    /// The revision they saw.
    pub revision: i64,
}

/// What a proposal keeps.
#[derive(Serialize, Deserialize)]
struct Agreed {
    ground: String,
    role: String,
}

impl Referral {
    /// Moves a withdrawal on. Where a colleague has to agree first, proposes that and gives the proposal's identifier.
    ///
    /// # Errors
    /// 404 `referral_withdrawal_not_found`; 409 `referral_changed` when it is not the revision they saw, `transition_not_allowed`,
    /// `approval_waits`, `balance_too_low` when the reserve has not that much; 422 for what must be said with it.
    pub async fn step(self: &Arc<Self>, id: Uuid, step: Stepped, key: Option<Key>) -> Result<Option<Uuid>> {
        let (this, step, now) = (self.clone(), Arc::new(step), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, step) = (this.clone(), step.clone());
            Box::pin(async move {
                let row = withdrawals::one(tx, id).await?.ok_or_else(not_found)?;
                if row.revision != step.revision {
                    return Err(changed());
                }
                match (&step.step, row.state) {
                    (Step::Approve, WithdrawalState::Requested) => this.approve(tx, row, &step.staff, now).await,
                    (Step::Pay(tx_id), WithdrawalState::Approved) => this.pay(tx, row, tx_id, &step.staff, now).await,
                    (Step::Refuse(reason), state) if state.is_open() => this.refuse(tx, row, reason, &step.staff, now).await,
                    _ => Err(Error::conflict("referral_withdrawal_closed")),
                }
            })
        })
        .await
    }

    /// Whether one person may not let a withdrawal go alone, and what it is worth.
    fn is_above_limit(&self, row: &Withdrawal) -> (bool, Option<Worth>) {
        let limit = Decimal::from(self.platform.settings.int(PAYOUT_LIMIT));
        let worth = self.worths.worth(row.payout_id, row.payout());
        (worth.as_ref().is_none_or(|worth| worth.amount > limit), worth)
    }

    async fn approve(&self, tx: &mut Tx, row: Withdrawal, staff: &Staff, now: Timestamp) -> Result<Option<Uuid>> {
        if self.approvals.are_on() && self.is_above_limit(&row).0 {
            return self.propose(tx, &row, staff).await.map(|stored| Some(stored.id));
        }
        self.approved(tx, row, staff, now).await.map(|()| None)
    }

    async fn approved(&self, tx: &mut Tx, mut row: Withdrawal, staff: &Staff, now: Timestamp) -> Result<()> {
        let before = self.trace(&row)?;
        row.state = WithdrawalState::Approved;
        (row.approved_by, row.approved_name) = (Some(staff.id), Some(staff.name.clone()));
        self.store(tx, row, before, staff, now).await
    }

    async fn pay(&self, tx: &mut Tx, mut row: Withdrawal, tx_id: &str, staff: &Staff, now: Timestamp) -> Result<Option<Uuid>> {
        let before = self.trace(&row)?;
        row.tx = Some(said("txId", tx_id)?);
        row.state = WithdrawalState::Paid;
        (row.decided_by, row.decided_name) = (Some(staff.id), Some(staff.name.clone()));
        let (owed, paid) = ((row.currency_id, row.units), (row.payout_id, row.payout_units));
        self.book_paid(tx, row.id, owed, paid, &staff.name, now).await?;
        self.store(tx, row, before, staff, now).await.map(|()| None)
    }

    async fn refuse(
        &self,
        tx: &mut Tx,
        mut row: Withdrawal,
        reason: &str,
        staff: &Staff,
        now: Timestamp,
    ) -> Result<Option<Uuid>> {
        let before = self.trace(&row)?;
        row.reason = Some(said("reason", reason)?);
        row.state = WithdrawalState::Refused;
        (row.decided_by, row.decided_name) = (Some(staff.id), Some(staff.name.clone()));
        let referrer = referrers::lock(tx, row.referrer_id).await?.ok_or_else(|| Error::internal("a referrer is gone"))?;
        let money = (row.currency_id, row.units);
        self.book_credit(tx, ("referral_withdrawal_refused", row.id), Account::ReferralOut, &referrer, money, now).await?;
        self.store(tx, row, before, staff, now).await.map(|()| None)
    }

    /// Stores a changed withdrawal with its letter and its trail.
    async fn store(
        &self,
        tx: &mut Tx,
        mut row: Withdrawal,
        before: serde_json::Value,
        staff: &Staff,
        now: Timestamp,
    ) -> Result<()> {
        row.updated_at = now;
        if !withdrawals::update(tx, &mut row).await? {
            return Err(changed());
        }
        self.write_letter(tx, &row, now).await?;
        let (before, after) = audit::difference(&before, &self.trace(&row)?)?;
        let action = format!("referral.withdrawal_{}", row.state);
        let entry = Entry { by: &staff.into(), action: &action, about: KIND, id: row.id.to_string(), before, after };
        audit::record(tx, entry, now).await
    }

    async fn propose(&self, tx: &mut Tx, row: &Withdrawal, staff: &Staff) -> Result<Stored> {
        let (_, worth) = self.is_above_limit(row);
        let limit = self.platform.settings.int(PAYOUT_LIMIT);
        let ticker = worth.as_ref().map(|worth| format!(" {}", worth.ticker)).unwrap_or_default();
        let rounded = |worth: &Worth| format!("{} {}", agio_core::money::plain(worth.amount.round_dp(2)), worth.ticker);
        let unknown = || Shown::Text { text: "approval_value.unknown".into() };
        let to: Vec<String> = row.goes_to(&self.platform.vault)?.into_iter().map(|requisite| requisite.value).collect();
        let shown = vec![
            Fact::new("referrer", row.email.clone()),
            Fact::new("amount", format!("{} {}", row.payout(), row.payout_code)),
            Fact::new("worth", worth.as_ref().map_or_else(unknown, |worth| rounded(worth).into())),
            Fact::new("limit", format!("{limit}{ticker}")),
            Fact::new("to", to.join(", ")),
        ];
        let payload =
            serde_json::to_value(Agreed { ground: ground(row), role: staff.role.to_string() }).map_err(Error::internal)?;
        let proposal = Proposal { kind: KIND, about: (KIND, row.id.to_string()), shown, payload };
        self.approvals.propose(tx, proposal, staff).await
    }

    /// Takes a colleague's agreement down.
    async fn agree(&self, tx: &mut Tx, proposal: &Stored) -> Result<()> {
        let id = proposal.about_id.parse().map_err(Error::internal)?;
        let agreed: Agreed = proposal.read()?;
        let row = withdrawals::one(tx, id).await?.ok_or_else(outdated)?;
        if row.state != WithdrawalState::Requested || ground(&row) != agreed.ground {
            return Err(outdated());
        }
        // Who proposed it has approved it; the agreement is the approval log's.
        let role = agreed.role.parse().map_err(Error::internal)?;
        let proposer = Staff { id: proposal.proposed_by, name: proposal.proposed_name.clone(), role, address: None };
        self.approved(tx, row, &proposer, self.platform.clock.now()).await
    }
}

/// Stands for this very payment: so much, to there.
fn ground(row: &Withdrawal) -> String {
    let ground = json!([row.id, row.payout_id, row.payout_units, row.requisites]).to_string();
    hex::encode(Sha256::digest(ground))
}

fn said(field: &str, words: &str) -> Result<String> {
    let words = words.trim();
    if words.is_empty() {
        return Err(refused(field, "required"));
    }
    if words.chars().count() > WORDS_MAX {
        return Err(too_long(field, WORDS_MAX));
    }
    Ok(words.to_owned())
}

fn not_found() -> Error {
    Error::not_found("referral_withdrawal_not_found")
}

fn changed() -> Error {
    Error::conflict("referral_changed")
}

/// Withdrawals that a colleague agreed to.
pub struct AgreedWithdrawal(pub Arc<Referral>);

impl Approvable for AgreedWithdrawal {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn permission(&self) -> Permission {
        REFERRAL_PAY
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _approver: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.agree(tx, proposal).await })
    }
}
