//! What the operators' desk asks: lists that never grow slow, counts, and finding a claim by what a customer says.

use agio_core::{Result, Timestamp, Tx, fetch_all, fetch_one};
use agio_requisites::{Kind, transaction_key};

use crate::rules::Claim;
use crate::rules::desk::Desk;

agio_core::statements! {
    OPEN_BY_DUE = whole!("desk <> 'closed' AND (due_at, public_id) > ($1, $2) AND ($3 = '' OR state = $3)
        ORDER BY due_at, public_id LIMIT $4");
    OPEN_BY_AGE = whole!("desk <> 'closed' AND public_id < $1 AND ($2 = '' OR state = $2)
        ORDER BY public_id DESC LIMIT $3");
    TAB_BY_DUE = whole!("desk = $1 AND (due_at, public_id) > ($2, $3) AND ($4 = '' OR state = $4)
        ORDER BY due_at, public_id LIMIT $5");
    TAB_BY_AGE = whole!("desk = $1 AND public_id < $2 AND ($3 = '' OR state = $3)
        ORDER BY public_id DESC LIMIT $4");
    /// The closed ones: those closed last come first.
    CLOSED_BY_END = whole!("desk = 'closed' AND (due_at, public_id) < ($1, $2) AND ($3 = '' OR state = $3)
        ORDER BY due_at DESC, public_id DESC LIMIT $4");
    /// A payment is found in any form in which one of the networks takes its identifier for the same.
    FOUND_CLAIMS = whole!("public_id = $1 OR email = $2 OR email = $3 OR payment_value = $3 OR from_digest = $10 OR to_digest = $10
            OR (tx_out IS NOT NULL AND LOWER(tx_out) = $5) OR (tx_out IS NOT NULL AND LOWER(tx_out) = $6)
            OR id IN (SELECT claim_id FROM claim_payment WHERE tx_key = $5 OR tx_key = $7 OR tx_key = $8 OR tx_key = $9)
        ORDER BY public_id DESC LIMIT $4");
    FOUND_BY_REQUISITE = whole!("from_digest = $1 OR to_digest = $1 ORDER BY public_id DESC LIMIT $2");
    CLAIM_BY_ID_TEXT = whole!("id = $1");
    OPEN_COUNTS = "SELECT desk, COUNT(*) FROM claim WHERE desk <> 'closed' GROUP BY desk";
    CLOSED_SINCE = "SELECT COUNT(*) FROM claim WHERE desk = 'closed' AND due_at >= $1";
    LATE_COUNT = "SELECT COUNT(*) FROM claim WHERE desk = 'ours' AND due_at < $1";
}

/// Where a page of a list ends: the position of its last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    /// When that row is due.
    pub due_at: Timestamp,
    /// Its number.
    pub public_id: i64,
}

impl After {
    /// Before everything in rising order.
    pub const START: Self = Self { due_at: Timestamp(i64::MIN), public_id: i64::MIN };
    /// Before everything in falling order.
    pub const END: Self = Self { due_at: Timestamp(i64::MAX), public_id: i64::MAX };
}

/// A page of a tab, or of all open claims, by due time; the closed ones by when they were closed, backwards.
pub async fn by_due(tx: &mut Tx, tab: Option<Desk>, state: &str, after: Option<After>, size: i64) -> Result<Vec<Claim>> {
    let rising = after.unwrap_or(After::START);
    match tab {
        None => fetch_all!(tx, Claim, OPEN_BY_DUE, rising.due_at, rising.public_id, state, size),
        Some(Desk::Closed) => {
            let falling = after.unwrap_or(After::END);
            fetch_all!(tx, Claim, CLOSED_BY_END, falling.due_at, falling.public_id, state, size)
        }
        Some(tab) => fetch_all!(tx, Claim, TAB_BY_DUE, tab, rising.due_at, rising.public_id, state, size),
    }
}

/// A page of a tab, or of all open claims, the newest first.
pub async fn by_age(tx: &mut Tx, tab: Option<Desk>, state: &str, after: Option<After>, size: i64) -> Result<Vec<Claim>> {
    let before = after.unwrap_or(After::END).public_id;
    match tab {
        None => fetch_all!(tx, Claim, OPEN_BY_AGE, before, state, size),
        Some(tab) => fetch_all!(tx, Claim, TAB_BY_AGE, tab, before, state, size),
    }
}

/// Claims with exactly this number, e-mail address or transaction, or with a requisite that has one of these digests, the newest first.
pub async fn found(tx: &mut Tx, said: &str, digests: &[String], size: i64) -> Result<Vec<Claim>> {
    if let Ok(id) = said.parse::<uuid::Uuid>() {
        return fetch_all!(tx, Claim, CLAIM_BY_ID_TEXT, id);
    }
    let number: i64 = said.trim_start_matches(['#', '№']).trim().parse().unwrap_or(-1);
    let [hex, base58, ton, reference] = [Kind::Btc, Kind::Sol, Kind::Ton, Kind::Text].map(|kind| transaction_key(kind, said));
    let prefixed = format!("0x{hex}");
    let (digest, replaced) = digests.split_first().map_or(("", [].as_slice()), |(first, others)| (first.as_str(), others));
    let email = said.to_lowercase();
    let mut found =
        fetch_all!(tx, Claim, FOUND_CLAIMS, number, email, said, size, hex, prefixed, base58, ton, reference, digest)?;
    for digest in replaced {
        found.extend(fetch_all!(tx, Claim, FOUND_BY_REQUISITE, digest, size)?);
    }
    found.sort_by_key(|claim| std::cmp::Reverse(claim.public_id));
    found.dedup_by_key(|claim| claim.public_id);
    Ok(found)
}

/// How many open claims each tab has.
pub async fn open_counts(tx: &mut Tx) -> Result<Vec<(Desk, i64)>> {
    fetch_all!(tx, (Desk, i64), OPEN_COUNTS)
}

/// How many claims ended since a moment.
pub async fn closed_since(tx: &mut Tx, moment: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), CLOSED_SINCE, moment)?.0)
}

/// How many claims waited longer for us than they should have.
pub async fn late(tx: &mut Tx, now: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), LATE_COUNT, now)?.0)
}
