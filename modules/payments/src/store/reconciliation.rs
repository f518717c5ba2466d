//! Sent money compared with the ledger.

use agio_core::{Result, Timestamp, Tx, fetch_all};

use crate::model::PaymentAttemptKind;

agio_core::statements! {
    /// Claims whose sent money differs from the ledger: what was sent, how much of it was never booked, and what the
    /// ledger says. Returned money that was reversed in the ledger is in neither sum.
    SENT_DIFFERENCES = "SELECT claim_number, kind, currency_id, sent, unbooked, booked, changed_at FROM (
            SELECT attempts.claim_number, attempts.kind, attempts.currency_id, attempts.sent, attempts.unbooked,
                CASE WHEN claim.updated_at > attempts.changed_at THEN claim.updated_at ELSE attempts.changed_at END AS changed_at,
                (SELECT CAST(COALESCE(SUM(CASE
                        WHEN attempts.kind = 'payout' AND debit LIKE 'hold:%' AND credit LIKE 'claim_out:%' THEN amount
                        WHEN attempts.kind = 'payout' AND debit LIKE 'claim_out:%' AND credit LIKE 'reserve:%' THEN -amount
                        WHEN attempts.kind = 'refund' AND debit LIKE 'claim_in:%' AND credit LIKE 'claim_out:%' THEN amount
                        WHEN attempts.kind = 'refund' AND debit LIKE 'claim_out:%' AND credit LIKE 'claim_in:%' THEN -amount
                        ELSE 0 END), 0) AS BIGINT)
                    FROM ledger_transfer transfer
                    WHERE transfer.about = attempts.claim_id AND transfer.currency_id = attempts.currency_id) AS booked
            FROM (SELECT claim_id, claim_number, kind, currency_id, CAST(SUM(units) AS BIGINT) AS sent,
                    CAST(SUM(CASE WHEN booked_at IS NULL THEN units ELSE 0 END) AS BIGINT) AS unbooked, MAX(updated_at) AS changed_at
                FROM payment_attempt WHERE state IN ('sent', 'confirmed')
                GROUP BY claim_id, claim_number, kind, currency_id) attempts
            JOIN claim ON claim.id = attempts.claim_id) compared
        WHERE sent <> booked OR unbooked > 0 ORDER BY claim_number, kind";
}

/// Sent money that differs from the ledger.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct SentDifference {
    pub claim_number: i64,
    pub kind: PaymentAttemptKind,
    pub currency_id: i64,
    /// The amount sent by drivers, in units.
    pub sent: i64,
    /// How much of that was never booked, in units.
    pub unbooked: i64,
    /// The amount booked as sent, in units.
    pub booked: i64,
    /// When the claim or its attempts last changed.
    pub changed_at: Timestamp,
}

impl std::fmt::Display for SentDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { claim_number, kind, currency_id, sent, unbooked, booked, .. } = self;
        write!(
            f,
            "№ {claim_number}: {kind} in currency {currency_id}: sent {sent}, of it unbooked {unbooked}, in the ledger {booked}"
        )
    }
}

pub async fn differences(tx: &mut Tx) -> Result<Vec<SentDifference>> {
    fetch_all!(tx, SentDifference, SENT_DIFFERENCES)
}
