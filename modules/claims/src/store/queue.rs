//! Queries of the queue: lists, counts and search.

use agio_core::{Result, Timestamp, Tx, fetch_all, fetch_one};
use agio_requisites::{RequisiteKind, transaction_key};

use crate::model::ClaimState;
use crate::rules::Claim;
use crate::rules::queue::QueueTab;

agio_core::statements! {
    OPEN_BY_DUE = whole!("queue <> 'closed' AND (due_at, public_id) > ($1, $2) AND ($3 = '' OR state = $3)
        ORDER BY due_at, public_id LIMIT $4");
    OPEN_BY_AGE = whole!("queue <> 'closed' AND public_id < $1 AND ($2 = '' OR state = $2)
        ORDER BY public_id DESC LIMIT $3");
    TAB_BY_DUE = whole!("queue = $1 AND (due_at, public_id) > ($2, $3) AND ($4 = '' OR state = $4)
        ORDER BY due_at, public_id LIMIT $5");
    TAB_BY_AGE = whole!("queue = $1 AND public_id < $2 AND ($3 = '' OR state = $3)
        ORDER BY public_id DESC LIMIT $4");
    /// The closed ones: those closed last come first.
    CLOSED_BY_END = whole!("queue = 'closed' AND (due_at, public_id) < ($1, $2) AND ($3 = '' OR state = $3)
        ORDER BY due_at DESC, public_id DESC LIMIT $4");
    /// A transaction is found in every form that one of the networks compares as equal.
    FOUND_CLAIMS = whole!("public_id = $1 OR email = $2 OR email = $3 OR payment_value = $3
            OR give_digest = $10 OR receive_digest = $10
            OR (tx_out IS NOT NULL AND LOWER(tx_out) = $5) OR (tx_out IS NOT NULL AND LOWER(tx_out) = $6)
            OR public_id IN (SELECT claim_number FROM requisite_use WHERE memo = $3)
            OR id IN (SELECT claim_id FROM claim_payment WHERE tx_key = $5 OR tx_key = $7 OR tx_key = $8 OR tx_key = $9)
        ORDER BY public_id DESC LIMIT $4");
    FOUND_BY_REQUISITE = whole!("give_digest = $1 OR receive_digest = $1 ORDER BY public_id DESC LIMIT $2");
    CLAIM_BY_ID_TEXT = whole!("id = $1");
    OPEN_COUNTS = "SELECT queue, COUNT(*) FROM claim WHERE queue <> 'closed' GROUP BY queue";
    OPEN_BY_STATE = "SELECT state, COUNT(*) FROM claim WHERE queue <> 'closed' GROUP BY state";
    CLOSED_SINCE = "SELECT COUNT(*) FROM claim WHERE queue = 'closed' AND due_at >= $1";
    LATE_COUNT = "SELECT COUNT(*) FROM claim WHERE queue = 'ours' AND due_at < $1";
}

/// The sort key of the queue: due time and claim number.
pub type QueueKey = (Timestamp, i64);

/// Before everything in rising order.
const START: QueueKey = (Timestamp(i64::MIN), i64::MIN);
/// Before everything in falling order.
const END: QueueKey = (Timestamp(i64::MAX), i64::MAX);

/// A page of a tab, or of all open claims, by due time; the closed ones by when they were closed, backwards.
pub async fn by_due(
    tx: &mut Tx,
    tab: Option<QueueTab>,
    state: Option<ClaimState>,
    after: Option<QueueKey>,
    size: i64,
) -> Result<Vec<Claim>> {
    let rising = after.unwrap_or(START);
    let state = state.map_or("", ClaimState::name);
    match tab {
        None => fetch_all!(tx, Claim, OPEN_BY_DUE, rising.0, rising.1, state, size),
        Some(QueueTab::Closed) => {
            let falling = after.unwrap_or(END);
            fetch_all!(tx, Claim, CLOSED_BY_END, falling.0, falling.1, state, size)
        }
        Some(tab) => fetch_all!(tx, Claim, TAB_BY_DUE, tab, rising.0, rising.1, state, size),
    }
}

/// A page of a tab, or of all open claims, the newest first.
pub async fn by_age(
    tx: &mut Tx,
    tab: Option<QueueTab>,
    state: Option<ClaimState>,
    after: Option<QueueKey>,
    size: i64,
) -> Result<Vec<Claim>> {
    let before = after.unwrap_or(END).1;
    let state = state.map_or("", ClaimState::name);
    match tab {
        None => fetch_all!(tx, Claim, OPEN_BY_AGE, before, state, size),
        Some(tab) => fetch_all!(tx, Claim, TAB_BY_AGE, tab, before, state, size),
    }
}

/// Claims with exactly this number, e-mail address or transaction, or with a requisite that has one of these digests,
/// the newest first.
pub async fn found(tx: &mut Tx, search: &str, digests: &[String], size: i64) -> Result<Vec<Claim>> {
    if let Ok(id) = search.parse::<uuid::Uuid>() {
        return fetch_all!(tx, Claim, CLAIM_BY_ID_TEXT, id);
    }
    let number: i64 = search.trim_start_matches(['#', '№']).trim().parse().unwrap_or(-1);
    let [hex, base58, ton, reference] = [RequisiteKind::Btc, RequisiteKind::Sol, RequisiteKind::Ton, RequisiteKind::Text]
        .map(|kind| transaction_key(kind, search));
    let prefixed = format!("0x{hex}");
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

/// The number of overdue claims.
pub async fn late(tx: &mut Tx, now: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), LATE_COUNT, now)?.0)
}
