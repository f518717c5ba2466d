//! Withdrawals in SQL.

use agio_core::texts::Locale;
use agio_core::{Amount, CurrencyUnit, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional, write_one};
use uuid::Uuid;

use super::PageCursor;
use crate::model::{ReferralWithdrawalAction, ReferralWithdrawalState};

/// Withdrawals that match, with what their referrers owe.
macro_rules! whole {
    ($condition:literal) => {
        concat!(
            "SELECT *, (SELECT debt FROM referral_referrer WHERE customer_id = referrer_id) AS debt
            FROM referral_withdrawal WHERE ",
            $condition
        )
    };
}

agio_core::statements! {
    INSERT_REFERRAL_WITHDRAWAL = "INSERT INTO referral_withdrawal
        (id, referrer_id, email, locale, state, currency_id, scale, units, payout_id, payout_code, payout_scale, payout_units, requisites,
         revision, created_at, updated_at)
        VALUES ($1, $2, $3, $4, 'requested', $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $13)";
    REFERRAL_WITHDRAWAL = whole!("id = $1");
    /// Fails on a stale revision.
    UPDATE_REFERRAL_WITHDRAWAL = "UPDATE referral_withdrawal SET state = $3, reason = $4, tx = $5, approved_by = $6, approved_name = $7,
            decided_by = $8, decided_name = $9, updated_at = $10, revision = $2 + 1
        WHERE id = $1 AND revision = $2";
    REFERRAL_WITHDRAWALS_OF = whole!("referrer_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3");
    COUNT_REFERRAL_WITHDRAWALS_OF = "SELECT COUNT(*) FROM referral_withdrawal WHERE referrer_id = $1";
    REFERRAL_WITHDRAWALS_OPEN = whole!("state IN ('requested', 'approved') AND (created_at, id) > ($1, $2) ORDER BY created_at, id LIMIT $3");
    REFERRAL_WITHDRAWALS_CLOSED = whole!("state IN ('paid', 'refused') AND (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3");
    REFERRAL_WITHDRAWALS_REQUESTED_SINCE = whole!("referrer_id = $1 AND state = 'requested' AND created_at >= $2");
    OPEN_WITHDRAWALS_OF = "SELECT COUNT(*) FROM referral_withdrawal WHERE referrer_id = $1 AND state IN ('requested', 'approved')";
    ERASE_WITHDRAWALS = "UPDATE referral_withdrawal SET email = $2 WHERE referrer_id = $1";
    COUNT_OPEN_REFERRAL_WITHDRAWALS = "SELECT COUNT(*) FROM referral_withdrawal WHERE state IN ('requested', 'approved')";
    /// Approved withdrawals, however long ago, and those paid after a time.
    REFERRAL_PAYOUTS_SINCE = "SELECT payout_id, payout_scale, payout_units FROM referral_withdrawal
        WHERE referrer_id = $1 AND (state = 'approved' OR (state = 'paid' AND updated_at > $2))";
    REFERRAL_WITHDRAWN = "SELECT CAST(COALESCE(SUM(units), 0) AS BIGINT) FROM referral_withdrawal WHERE referrer_id = $1 AND state = 'paid'";
    REFERRAL_ON_ITS_WAY = "SELECT currency_id, CAST(SUM(CASE WHEN state IN ('requested', 'approved') THEN units ELSE 0 END) AS BIGINT)
        FROM referral_withdrawal GROUP BY currency_id";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Withdrawal {
    pub id: Uuid,
    pub referrer_id: Uuid,
    pub email: String,
    pub locale: Locale,
    pub state: ReferralWithdrawalState,
    pub currency_id: i64,
    pub scale: i64,
    pub units: i64,
    pub payout_id: i64,
    pub payout_code: String,
    pub payout_scale: i64,
    pub payout_units: i64,
    /// Encrypted payout details.
    pub requisites: String,
    pub reason: Option<String>,
    pub tx: Option<String>,
    pub approved_by: Option<Uuid>,
    pub approved_name: Option<String>,
    pub decided_by: Option<Uuid>,
    pub decided_name: Option<String>,
    pub revision: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// What the referrer owes, in units of the balance currency.
    pub debt: i64,
}

impl Withdrawal {
    /// The amount taken from the balance.
    pub fn owed(&self) -> Amount {
        Amount::of_units(self.units, CurrencyUnit::new(self.currency_id, self.scale))
    }

    pub fn payout(&self) -> Amount {
        Amount::of_units(self.payout_units, CurrencyUnit::new(self.payout_id, self.payout_scale))
    }

    /// Nothing is paid to a debtor.
    pub fn actions(&self) -> impl Iterator<Item = ReferralWithdrawalAction> {
        let is_debtor = self.debt > 0;
        let possible = self.state.actions().iter().copied();
        possible.filter(move |action| !is_debtor || *action == ReferralWithdrawalAction::Refuse)
    }
}

pub async fn insert(tx: &mut Tx, row: &Withdrawal) -> Result<()> {
    write_one!(
        tx,
        INSERT_REFERRAL_WITHDRAWAL,
        row.id,
        row.referrer_id,
        &row.email,
        row.locale,
        row.currency_id,
        row.scale,
        row.units,
        row.payout_id,
        &row.payout_code,
        row.payout_scale,
        row.payout_units,
        &row.requisites,
        row.created_at,
    )
}

pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<Withdrawal>> {
    fetch_optional!(tx, Withdrawal, REFERRAL_WITHDRAWAL, id)
}

/// False if the revision is stale.
pub async fn update(tx: &mut Tx, row: &mut Withdrawal) -> Result<bool> {
    let stored = execute!(
        tx,
        UPDATE_REFERRAL_WITHDRAWAL,
        row.id,
        row.revision,
        row.state,
        row.reason.as_deref(),
        row.tx.as_deref(),
        row.approved_by,
        row.approved_name.as_deref(),
        row.decided_by,
        row.decided_name.as_deref(),
        row.updated_at,
    )?;
    row.revision += 1;
    Ok(stored == 1)
}

/// Newest first.
pub async fn of_referrer(tx: &mut Tx, referrer: Uuid, skip: i64, size: i64) -> Result<Vec<Withdrawal>> {
    fetch_all!(tx, Withdrawal, REFERRAL_WITHDRAWALS_OF, referrer, size, skip)
}

/// Those that are not approved yet.
pub async fn requested_since(tx: &mut Tx, referrer: Uuid, since: Timestamp) -> Result<Vec<Withdrawal>> {
    fetch_all!(tx, Withdrawal, REFERRAL_WITHDRAWALS_REQUESTED_SINCE, referrer, since)
}

pub async fn count_of(tx: &mut Tx, referrer: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_REFERRAL_WITHDRAWALS_OF, referrer)?.0)
}

/// Oldest first.
pub async fn open(tx: &mut Tx, after: PageCursor, size: i64) -> Result<Vec<Withdrawal>> {
    fetch_all!(tx, Withdrawal, REFERRAL_WITHDRAWALS_OPEN, after.0, after.1, size)
}

/// Newest first.
pub async fn closed(tx: &mut Tx, before: PageCursor, size: i64) -> Result<Vec<Withdrawal>> {
    fetch_all!(tx, Withdrawal, REFERRAL_WITHDRAWALS_CLOSED, before.0, before.1, size)
}

pub async fn open_count(tx: &mut Tx) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), COUNT_OPEN_REFERRAL_WITHDRAWALS)?.0)
}

pub async fn paid(tx: &mut Tx, referrer: Uuid) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), REFERRAL_WITHDRAWN, referrer)?.0)
}

/// What is approved, and what was paid after a time.
pub async fn payouts_since(tx: &mut Tx, referrer: Uuid, since: Timestamp) -> Result<Vec<Amount>> {
    let rows = fetch_all!(tx, (i64, i64, i64), REFERRAL_PAYOUTS_SINCE, referrer, since)?;
    Ok(rows.into_iter().map(|(currency, scale, units)| Amount::of_units(units, CurrencyUnit::new(currency, scale))).collect())
}

/// Currency, units of open withdrawals.
pub async fn on_their_way(tx: &mut Tx) -> Result<Vec<(i64, i64)>> {
    fetch_all!(tx, (i64, i64), REFERRAL_ON_ITS_WAY)
}

pub async fn has_open(tx: &mut Tx, referrer: Uuid) -> Result<bool> {
    Ok(fetch_one!(tx, (i64,), OPEN_WITHDRAWALS_OF, referrer)?.0 > 0)
}

pub async fn erase_email(tx: &mut Tx, referrer: Uuid, placeholder: &str) -> Result<()> {
    execute!(tx, ERASE_WITHDRAWALS, referrer, placeholder).map(drop)
}
