//! Queries of the queue: lists, counts and search.

use agio_core::{Result, Timestamp, Tx, fetch_all, fetch_one};
use agio_requisites::{RequisiteKind, transaction_key};
use uuid::Uuid;

use crate::model::ClaimState;
use crate::rules::Claim;
use crate::rules::queue::QueueTab;

/// A page of claims by a condition and an order, narrowed by what [`QueueFilter`] names. The due time is compared in a way
/// that no index offers: the order has one.
macro_rules! page {
    ($condition:literal, $order:literal) => {
        concat!(
            "SELECT claim.*, terms FROM claim JOIN claim_terms USING (terms_id) WHERE ",
            $condition,
            " AND ($1 = '' OR state = $1) AND ($2 = 0 OR give_id = $2) AND ($3 = 0 OR receive_id = $3)
                AND ($4 = 0 OR holder_id = $5) AND due_at + 0 < $6 ORDER BY ",
            $order,
            " LIMIT $7"
        )
    };
}

agio_core::statements! {
    OPEN_BY_DUE = page!("queue <> 'closed' AND (due_at, public_id) > ($8, $9)", "due_at, public_id");
    OPEN_BY_AGE = page!("queue <> 'closed' AND public_id < $8", "public_id DESC");
    TAB_BY_DUE = page!("queue = $8 AND (due_at, public_id) > ($9, $10)", "due_at, public_id");
    TAB_BY_AGE = page!("queue = $8 AND public_id < $9", "public_id DESC");
    /// The closed ones: those closed last come first.
    CLOSED_BY_END = page!("queue = 'closed' AND (due_at, public_id) < ($8, $9)", "due_at DESC, public_id DESC");
    /// A transaction is found in every form that one of the networks compares as equal.
    FOUND_CLAIMS = whole!("public_id = $1 OR email = $2 OR email = $3 OR payment_value = $3
            OR give_digest = $10 OR receive_digest = $10
            OR (tx_out IS NOT NULL AND LOWER(tx_out) = $5) OR (tx_out IS NOT NULL AND LOWER(tx_out) = $6)
            OR public_id IN (SELECT claim_number FROM requisite_use WHERE memo = $3)
            OR id IN (SELECT claim_id FROM claim_payment WHERE tx_key = $5 OR tx_key = $7 OR tx_key = $8 OR tx_key = $9)
        ORDER BY public_id DESC LIMIT $4");
    /// Other claims than $1 with a transaction, in the same forms and as it is written. The indexes of transactions lead.
    SHARING_TRANSACTION = "SELECT claim.*, terms FROM (
            SELECT claim_id FROM claim_payment WHERE tx_key IN ($2, $3, $4, $5)
            UNION SELECT id FROM claim WHERE tx_out IS NOT NULL AND LOWER(tx_out) IN ($2, $5, $6, LOWER(CAST($7 AS TEXT)))
            UNION SELECT id FROM claim WHERE tx_refund IS NOT NULL AND LOWER(tx_refund) IN ($2, $5, $6, LOWER(CAST($7 AS TEXT)))
        ) found CROSS JOIN claim JOIN claim_terms USING (terms_id)
        WHERE claim.id = found.claim_id AND claim.id <> $1 ORDER BY public_id LIMIT $8";
    FOUND_BY_REQUISITE = whole!("give_digest = $1 OR receive_digest = $1 ORDER BY public_id DESC LIMIT $2");
    CLAIM_BY_ID_TEXT = whole!("id = $1");
    OPEN_COUNTS = "SELECT queue, COUNT(*) FROM claim WHERE queue <> 'closed' GROUP BY queue";
    OPEN_BY_STATE = "SELECT state, COUNT(*) FROM claim WHERE queue <> 'closed' GROUP BY state";
    CLOSED_SINCE = "SELECT COUNT(*) FROM claim WHERE queue = 'closed' AND due_at >= $1";
    /// The numbers of claims rise with time: the last one of the days before leads to those of the day.
    CREATED_SINCE = "SELECT COUNT(*) FROM claim WHERE public_id >
        COALESCE((SELECT public_id FROM claim WHERE created_at < $1 ORDER BY public_id DESC LIMIT 1), 0)";
    COMPLETED_SINCE = "SELECT COUNT(*) FROM claim WHERE queue = 'closed' AND due_at >= $1 AND state = 'completed'";
    WAITING = "SELECT COUNT(*), MIN(updated_at) FROM claim WHERE queue = 'ours'";
    LATE_COUNT = "SELECT COUNT(*) FROM claim WHERE queue = 'ours' AND due_at < $1";
}

/// The sort key of the queue: due time and claim number.
pub type QueueKey = (Timestamp, i64);

/// Before everything in rising order.
const START: QueueKey = (Timestamp(i64::MIN), i64::MIN);
/// Before everything in falling order.
const END: QueueKey = (Timestamp(i64::MAX), i64::MAX);

/// Which claims of the queue to list; what is `None` narrows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueFilter {
    /// The tab; `None` for all open claims.
    pub tab: Option<QueueTab>,
    pub state: Option<ClaimState>,
    /// The give currency.
    pub give: Option<i64>,
    /// The receive currency.
    pub receive: Option<i64>,
    /// The member of staff who has locked them.
    pub holder: Option<Uuid>,
    /// Their next action was due before; of closed ones, they ended before.
    pub due_before: Option<Timestamp>,
}

impl From<QueueTab> for QueueFilter {
    fn from(tab: QueueTab) -> Self {
        Self { tab: Some(tab), ..Self::default() }
    }
}

/// Reads a page by its statement and where the last one ended.
macro_rules! fetch_page {
    ($tx:ident, $filter:ident, $size:ident, $sql:ident, $($key:expr),+) => {
        fetch_all!(
            $tx,
            Claim,
            $sql,
            $filter.state.map_or("", ClaimState::name),
            $filter.give.unwrap_or(0),
            $filter.receive.unwrap_or(0),
            i64::from($filter.holder.is_some()),
            $filter.holder.unwrap_or_default(),
            $filter.due_before.unwrap_or(END.0),
            $size,
            $($key),+
        )
    };
}

/// A page by due time; the closed ones by when they were closed, backwards.
pub async fn by_due(tx: &mut Tx, filter: QueueFilter, after: Option<QueueKey>, size: i64) -> Result<Vec<Claim>> {
    let rising = after.unwrap_or(START);
    match filter.tab {
        None => fetch_page!(tx, filter, size, OPEN_BY_DUE, rising.0, rising.1),
        Some(QueueTab::Closed) => {
            let falling = after.unwrap_or(END);
            fetch_page!(tx, filter, size, CLOSED_BY_END, falling.0, falling.1)
        }
        Some(tab) => fetch_page!(tx, filter, size, TAB_BY_DUE, tab, rising.0, rising.1),
    }
}

/// A page, the newest first.
pub async fn by_age(tx: &mut Tx, filter: QueueFilter, after: Option<QueueKey>, size: i64) -> Result<Vec<Claim>> {
    let before = after.unwrap_or(END).1;
    match filter.tab {
        None => fetch_page!(tx, filter, size, OPEN_BY_AGE, before),
        Some(tab) => fetch_page!(tx, filter, size, TAB_BY_AGE, tab, before),
    }
}

/// A transaction in every form in which one of the networks would store it.
struct TransactionForms {
    hex: String,
    prefixed: String,
    base58: String,
    ton: String,
    reference: String,
}

impl TransactionForms {
    fn of(text: &str) -> Self {
        let [hex, base58, ton, reference] = [RequisiteKind::Btc, RequisiteKind::Sol, RequisiteKind::Ton, RequisiteKind::Text]
            .map(|kind| transaction_key(kind, text));
        Self { prefixed: format!("0x{hex}"), hex, base58, ton, reference }
    }
}

/// Other claims that record a transaction, or a reference of a bank, as a payment, payout or refund; in the order of
/// their numbers.
pub async fn sharing_transaction(tx: &mut Tx, claim: Uuid, transaction: &str, size: i64) -> Result<Vec<Claim>> {
    let TransactionForms { hex, prefixed, base58, ton, reference } = TransactionForms::of(transaction);
    fetch_all!(tx, Claim, SHARING_TRANSACTION, claim, hex, base58, ton, reference, prefixed, transaction, size)
}

/// Claims with exactly this number, e-mail address or transaction, or with a requisite that has one of these digests,
/// the newest first.
pub async fn found(tx: &mut Tx, search: &str, digests: &[String], size: i64) -> Result<Vec<Claim>> {
    if let Ok(id) = search.parse::<Uuid>() {
        return fetch_all!(tx, Claim, CLAIM_BY_ID_TEXT, id);
    }
    let number: i64 = search.trim_start_matches(['#', '№']).trim().parse().unwrap_or(-1);
    let TransactionForms { hex, prefixed, base58, ton, reference } = TransactionForms::of(search);
    let (digest, replaced) = digests.split_first().map_or(("", [].as_slice()), |(first, others)| (first.as_str(), others));
    let email = search.to_lowercase();
    let mut found =
        fetch_all!(tx, Claim, FOUND_CLAIMS, number, email, search, size, hex, prefixed, base58, ton, reference, digest)?;
    for digest in replaced {
        found.extend(fetch_all!(tx, Claim, FOUND_BY_REQUISITE, digest, size)?);
    }
    found.sort_by_key(|claim| std::cmp::Reverse(claim.public_id));
    found.dedup_by_key(|claim| claim.public_id);
    Ok(found)
}

/// The number of open claims per tab.
pub async fn open_counts(tx: &mut Tx) -> Result<Vec<(QueueTab, i64)>> {
    fetch_all!(tx, (QueueTab, i64), OPEN_COUNTS)
}

/// The number of open claims per state.
pub async fn open_by_state(tx: &mut Tx) -> Result<Vec<(ClaimState, i64)>> {
    fetch_all!(tx, (ClaimState, i64), OPEN_BY_STATE)
}

/// The number of claims that ended since a time.
pub async fn closed_since(tx: &mut Tx, moment: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), CLOSED_SINCE, moment)?.0)
}

/// The numbers of claims that were created, and that were completed, since a time.
pub async fn created_and_completed_since(tx: &mut Tx, moment: Timestamp) -> Result<(i64, i64)> {
    let created = fetch_one!(tx, (i64,), CREATED_SINCE, moment)?.0;
    Ok((created, fetch_one!(tx, (i64,), COMPLETED_SINCE, moment)?.0))
}

/// The number of claims that wait for staff, and since when one of them has not changed.
pub async fn waiting(tx: &mut Tx) -> Result<(i64, Option<Timestamp>)> {
    fetch_one!(tx, (i64, Option<Timestamp>), WAITING)
}

/// The number of overdue claims.
pub async fn late(tx: &mut Tx, now: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), LATE_COUNT, now)?.0)
}
