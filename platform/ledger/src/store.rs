//! The ledger's SQL.

use agio_core::Timestamp;
use uuid::Uuid;

/// Transfers of a group, but those whose account has too little for them and all before them. The accounts are locked in
/// the order of their names, as everywhere. The parameters are those of [`INSERT_TRANSFER`].
pub(crate) const INSERT_TRANSFERS: &str = ",
    account AS MATERIALIZED (SELECT name, balance, may_be_negative FROM ledger_account
        WHERE name IN (SELECT p4 FROM batch UNION SELECT p5 FROM batch) ORDER BY name FOR NO KEY UPDATE),
    asked AS (SELECT batch.*, SUM(p6) OVER (PARTITION BY p4 ORDER BY place) AS total FROM batch),
    written AS (INSERT INTO ledger_transfer
            (batch_id, seq, currency_id, debit, credit, amount, reason, about, note, actor, created_at)
        SELECT p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11 FROM asked JOIN account ON account.name = p4
        WHERE account.may_be_negative OR total <= account.balance
        RETURNING batch_id, seq)
    SELECT place FROM batch JOIN written ON written.batch_id = p1 AND written.seq = p2";

agio_core::statements! {
    OPEN_ACCOUNT = "INSERT INTO ledger_account (name, currency_id, may_be_negative) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING";
    INSERT_TRANSFER = "INSERT INTO ledger_transfer
        (batch_id, seq, currency_id, debit, credit, amount, reason, about, note, actor, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    INSERT_HOLD = "INSERT INTO ledger_hold (id, currency_id, amount, about, state, created_at) VALUES ($1, $2, $3, $4, 'held', $5)";
    END_HOLD = "UPDATE ledger_hold SET state = $2, ended_at = $3 WHERE id = $1 AND state = 'held' RETURNING currency_id, amount";
    MOVEMENTS = "SELECT batch_id, seq, CASE WHEN credit = $6 THEN amount ELSE -amount END AS amount, reason, about, note, actor, created_at
        FROM ledger_transfer WHERE currency_id = $1 AND (debit = $6 OR credit = $6)
          AND (created_at < $2 OR created_at = $2 AND (batch_id > $3 OR batch_id = $3 AND seq > $4))
        ORDER BY created_at DESC, batch_id, seq LIMIT $5";
    RESERVES = "SELECT account.currency_id, account.balance,
            COALESCE((SELECT MAX(created_at) FROM ledger_transfer WHERE ledger_transfer.currency_id = account.currency_id), 0)
        FROM ledger_account account WHERE account.name LIKE 'reserve:%'";
    BALANCE = "SELECT balance FROM ledger_account WHERE name = $1";
    DRIFTED_ACCOUNTS = "SELECT account.name, account.balance,
            CAST(COALESCE(checkpoint.balance, 0) + COALESCE(entries.total, 0) AS BIGINT)
        FROM ledger_account account
        LEFT JOIN ledger_checkpoint_balance checkpoint ON checkpoint.account = account.name
        LEFT JOIN (SELECT account, CAST(SUM(amount) AS BIGINT) AS total FROM ledger_entry
            WHERE id > (SELECT position FROM ledger_checkpoint) GROUP BY account) entries ON entries.account = account.name
        WHERE account.balance <> COALESCE(checkpoint.balance, 0) + COALESCE(entries.total, 0)";
    UNBALANCED_CURRENCIES = "SELECT CAST(currency_id AS TEXT), CAST(SUM(balance) AS BIGINT), CAST(0 AS BIGINT)
        FROM ledger_account GROUP BY currency_id HAVING SUM(balance) <> 0";
    DRIFTED_HOLDS = "SELECT account.name, account.balance, CAST(COALESCE(holds.total, 0) AS BIGINT)
        FROM ledger_account account
        LEFT JOIN (SELECT currency_id, CAST(SUM(amount) AS BIGINT) AS total FROM ledger_hold WHERE state = 'held' GROUP BY currency_id) holds
            ON holds.currency_id = account.currency_id
        WHERE account.name LIKE 'hold:%' AND account.balance <> COALESCE(holds.total, 0)";
    /// By name, not by the flag that is to prevent it, which may be wrong itself.
    OVERDRAWN_ACCOUNTS = "SELECT name, balance, CAST(0 AS BIGINT) FROM ledger_account WHERE balance < 0
        AND name NOT LIKE 'external:%' AND name NOT LIKE 'exchange:%' AND name NOT LIKE 'income_spread:%'
        AND name NOT LIKE 'referral_cost:%' AND name NOT LIKE 'partner_cost:%'";
    FAILED_FULL_CHECK = "SELECT CAST('agio ledger check' AS TEXT), faults, CAST(0 AS BIGINT) FROM full_check
        WHERE subject = 'ledger' AND faults > 0";
    CHECKPOINT = "SELECT position FROM ledger_checkpoint";
    /// Unless another node was faster.
    MOVE_CHECKPOINT = "UPDATE ledger_checkpoint SET position = $2 WHERE position = $1";
    ADD_TO_CHECKPOINT = "INSERT INTO ledger_checkpoint_balance (account, balance) VALUES ($1, $2)
        ON CONFLICT (account) DO UPDATE SET balance = ledger_checkpoint_balance.balance + excluded.balance";
    CHECKPOINT_BALANCES = "SELECT position, account, balance FROM ledger_checkpoint LEFT JOIN ledger_checkpoint_balance ON 1 = 1";
    LAST_TRANSFER = "SELECT CAST(COALESCE(MAX(id), 0) AS BIGINT) FROM ledger_transfer";
    SUMS = "SELECT account, CAST(SUM(amount) AS BIGINT) FROM ledger_entry WHERE id > $1 AND id <= $2 GROUP BY account";
    UNGUARDED_ACCOUNTS = "SELECT name, CAST(1 AS BIGINT), CAST(0 AS BIGINT) FROM ledger_account WHERE may_be_negative
        AND name NOT LIKE 'external:%' AND name NOT LIKE 'exchange:%' AND name NOT LIKE 'income_spread:%'
        AND name NOT LIKE 'referral_cost:%' AND name NOT LIKE 'partner_cost:%'";
}

/// A transfer as staff see it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct LedgerTransferRow {
    pub batch_id: Uuid,
    /// Its position in the batch.
    pub seq: i64,
    pub currency_id: i64,
    pub debit: String,
    pub credit: String,
    /// In units.
    pub amount: i64,
    pub reason: String,
    pub created_at: Timestamp,
}

/// A change of a reserve as staff see it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ReserveMovementRow {
    pub batch_id: Uuid,
    /// Its position in the batch.
    pub seq: i64,
    /// In units; negative if the reserve shrank.
    pub amount: i64,
    pub reason: String,
    /// The claim or movement it is about.
    pub about: Uuid,
    pub note: Option<String>,
    pub actor: Option<String>,
    pub created_at: Timestamp,
}
