//! The money that drivers sent, and what the books know of it.

use agio_core::{Result, Timestamp, Tx, fetch_all};

use crate::model::AttemptKind;

agio_core::statements! {
    /// Claims for which drivers sent other than the books say has left or is on its way: what was sent, how much of that was never booked, and what
    /// the books have. What came back and was taken back in the books is in neither sum.
    SENT_DIFFERENCES = "SELECT claim_number, kind, currency_id, sent, unbooked, booked, changed_at FROM (
            SELECT tries.claim_number, tries.kind, tries.currency_id, tries.sent, tries.unbooked,
                CASE WHEN claim.updated_at > tries.changed_at THEN claim.updated_at ELSE tries.changed_at END AS changed_at,
                (SELECT CAST(COALESCE(SUM(CASE
                        WHEN tries.kind = 'payout' AND debit LIKE 'hold:%' AND credit LIKE 'claim_out:%' THEN amount
                        WHEN tries.kind = 'payout' AND debit LIKE 'claim_out:%' AND credit LIKE 'reserve:%' THEN -amount
                        WHEN tries.kind = 'refund' AND debit LIKE 'claim_in:%' AND credit LIKE 'claim_out:%' THEN amount
                        WHEN tries.kind = 'refund' AND debit LIKE 'claim_out:%' AND credit LIKE 'claim_in:%' THEN -amount
                        ELSE 0 END), 0) AS BIGINT)
                    FROM ledger_transfer transfer
                    WHERE transfer.about = tries.claim_id AND transfer.currency_id = tries.currency_id) AS booked
            FROM (SELECT claim_id, claim_number, kind, currency_id, CAST(SUM(units) AS BIGINT) AS sent,
                    CAST(SUM(CASE WHEN booked_at IS NULL THEN units ELSE 0 END) AS BIGINT) AS unbooked, MAX(updated_at) AS changed_at
                FROM payment_attempt WHERE state IN ('sent', 'confirmed')
                GROUP BY claim_id, claim_number, kind, currency_id) tries
            JOIN claim ON claim.id = tries.claim_id) compared
        WHERE sent <> booked OR unbooked > 0 ORDER BY claim_number, kind";
}

/// Money that left otherwise than the books say.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct SentDifference {
    /// The claim's number.
    pub claim_number: i64,
    /// What the money was sent for.
    pub kind: AttemptKind,
    /// The currency.
    pub currency_id: i64,
    /// What drivers sent, in units.
    pub sent: i64,
    /// How much of that left while the claim expected nothing to leave, in units.
    pub unbooked: i64,
    /// What the books say left or is on its way, in units.
    pub booked: i64,
    /// When the claim or what was sent for it changed last.
    pub changed_at: Timestamp,
}

impl std::fmt::Display for SentDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { claim_number, kind, currency_id, sent, unbooked, booked, .. } = self;
        write!(
            f,
            "№ {claim_number}: {kind} in currency {currency_id}: sent {sent}, of it unexpected {unbooked}, in the books {booked}"
        )
    }
}

/// Every difference there is.
pub async fn differences(tx: &mut Tx) -> Result<Vec<SentDifference>> {
    fetch_all!(tx, SentDifference, SENT_DIFFERENCES)
}
