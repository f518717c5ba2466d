//! The sums of the ledger, computed independently of its own check.

use agio_core::fetch_all;
use agio_test_app::TestApp;

const BALANCES: &str = "SELECT account.name, account.balance, CAST(COALESCE(moved.units, 0) AS BIGINT) FROM ledger_account account
    LEFT JOIN (SELECT name, SUM(units) AS units FROM (
            SELECT debit AS name, -amount AS units FROM ledger_transfer UNION ALL SELECT credit, amount FROM ledger_transfer) sides
        GROUP BY name) moved ON moved.name = account.name
    WHERE account.balance <> COALESCE(moved.units, 0)";

const BELOW_ZERO: &str =
    "SELECT name, balance, CAST(0 AS BIGINT) FROM ledger_account WHERE balance < 0 AND SUBSTR(name, 1, 5) NOT IN
    ('exter', 'excha', 'incom', 'refer', 'partn')";

const CURRENCIES: &str = "SELECT CAST(currency_id AS TEXT), CAST(SUM(balance) AS BIGINT), CAST(0 AS BIGINT) FROM ledger_account
    GROUP BY currency_id HAVING SUM(balance) <> 0";

/// The payment that each claim records, and its transfers.
const CLAIMS: &str = "SELECT CAST(claim.public_id AS TEXT), claim.in_units + claim.out_units + claim.refund_units,
        CAST(COALESCE(moved.came, 0) + COALESCE(moved.leaves, 0) AS BIGINT)
    FROM claim LEFT JOIN (SELECT about,
            SUM(CASE WHEN credit LIKE 'claim_in:%' THEN amount WHEN debit LIKE 'claim_in:%' THEN -amount ELSE 0 END) AS came,
            SUM(CASE WHEN credit LIKE 'claim_out:%' THEN amount WHEN debit LIKE 'claim_out:%' THEN -amount ELSE 0 END) AS leaves
        FROM ledger_transfer GROUP BY about) moved ON moved.about = claim.id
    WHERE claim.in_units <> COALESCE(moved.came, 0) OR claim.out_units + claim.refund_units <> COALESCE(moved.leaves, 0)";

/// The held amount of each claim, by its hold and by its transfers.
const HOLDS: &str = "SELECT CAST(claim.public_id AS TEXT), CAST(COALESCE(hold.amount, 0) AS BIGINT), CAST(COALESCE(moved.units, 0) AS BIGINT)
    FROM claim LEFT JOIN ledger_hold hold ON hold.id = claim.hold_id AND hold.state = 'held'
    LEFT JOIN (SELECT about, SUM(CASE WHEN credit LIKE 'hold:%' THEN amount WHEN debit LIKE 'hold:%' THEN -amount ELSE 0 END) AS units
        FROM ledger_transfer GROUP BY about) moved ON moved.about = claim.id
    WHERE COALESCE(hold.amount, 0) <> COALESCE(moved.units, 0)
        OR (SELECT COUNT(*) FROM ledger_hold own WHERE own.about = claim.id AND own.state = 'held') > 1";

/// Outgoing transitions that were booked more often than they were reversed.
const TWICE: &str = "SELECT CAST(about AS TEXT) || ' ' || reason, CAST(COUNT(DISTINCT batch_id) AS BIGINT), CAST(1 AS BIGINT)
    FROM ledger_transfer sent WHERE reason IN ('payout_sent', 'refund_sent', 'complete', 'refund_done')
    GROUP BY about, reason
    HAVING COUNT(DISTINCT batch_id) > 1 + (SELECT COUNT(DISTINCT back.batch_id) FROM ledger_transfer back
        WHERE back.about = sent.about AND back.reason IN ('payout_failed', 'refund_bounced', 'payout_returned', 'payout_partial'))";

/// Asserts that balances equal their transfers, no restricted account is negative, each currency sums to zero, each
/// claim matches its transfers, and nothing was paid twice. Also runs the checks of the ledger and the audit log.
pub async fn assert_sums_agree(app: &TestApp) {
    let mut tx = app.server.platform.db.read().await.unwrap();
    let rules = [
        ("balances", BALANCES),
        ("accounts below zero", BELOW_ZERO),
        ("currencies", CURRENCIES),
        ("claims", CLAIMS),
        ("holds", HOLDS),
        ("sent twice", TWICE),
    ];
    for (rule, statement) in rules {
        let found = fetch_all!(&mut tx, (String, i64, i64), statement).unwrap();
        assert!(found.is_empty(), "{rule} (place, found, expected): {found:?}");
    }
    drop(tx);
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}
