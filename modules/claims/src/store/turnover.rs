//! What was exchanged, by the ledger.

use agio_core::{Amount, CurrencyUnit, Result, Timestamp, Tx, fetch_all};

agio_core::statements! {
    /// It names every currency, so that the index by currency and time finds the period. Each side of a condition on a step
    /// is of one table, so that PostgreSQL reads the transfers once and not for each step.
    TURNOVER = "SELECT give_id, receive_id, give_code, receive_code, give_scale, receive_scale,
            CAST(SUM(CASE WHEN kind = 'given' THEN sign ELSE 0 END) AS BIGINT) AS claims,
            CAST(SUM(CASE WHEN kind = 'given' THEN sign * moved.amount ELSE 0 END) AS BIGINT) AS given,
            CAST(SUM(CASE WHEN kind = 'received' THEN sign * moved.amount ELSE 0 END) AS BIGINT) AS received,
            CAST(SUM(CASE WHEN kind = 'spread' THEN sign * moved.amount ELSE 0 END) AS BIGINT) AS spread,
            CAST(SUM(CASE WHEN kind = 'fee' AND moved.currency_id = give_id THEN sign * moved.amount ELSE 0 END) AS BIGINT) AS give_fee,
            CAST(SUM(CASE WHEN kind = 'fee' AND moved.currency_id = receive_id THEN sign * moved.amount ELSE 0 END) AS BIGINT)
                AS receive_fee
        FROM ledger_transfer moved
        CROSS JOIN (SELECT 'given' AS kind, 1 AS sign, 'claim_in' AS debit, 'reserve' AS credit
            UNION ALL SELECT 'given', -1, 'reserve', 'claim_in'
            UNION ALL SELECT 'received', 1, 'claim_out', 'external'
            UNION ALL SELECT 'received', -1, 'external', 'reserve'
            UNION ALL SELECT 'spread', 1, 'exchange', 'income_spread'
            UNION ALL SELECT 'spread', -1, 'income_spread', 'exchange'
            UNION ALL SELECT 'fee', 1, 'exchange', 'income_fee'
            UNION ALL SELECT 'fee', -1, 'income_fee', 'exchange') step
        CROSS JOIN claim
        WHERE claim.id = moved.about AND moved.currency_id IN (SELECT currency_id FROM ledger_account WHERE name LIKE 'reserve:%')
            AND moved.created_at >= $1 AND moved.created_at < $2
            AND REPLACE(moved.debit, ':' || moved.currency_id, '') = step.debit
            AND REPLACE(moved.credit, ':' || moved.currency_id, '') = step.credit
            AND (kind <> 'received' OR moved.currency_id = receive_id)
        GROUP BY give_id, receive_id, give_code, receive_code, give_scale, receive_scale ORDER BY give_code, receive_code";
}

#[derive(sqlx::FromRow)]
struct TurnoverRow {
    give_id: i64,
    receive_id: i64,
    give_code: String,
    receive_code: String,
    give_scale: i64,
    receive_scale: i64,
    claims: i64,
    given: i64,
    received: i64,
    spread: i64,
    give_fee: i64,
    receive_fee: i64,
}

/// What was exchanged in a direction. A payout that came back is taken off when it does, so that each may be negative.
#[derive(Clone, Debug)]
pub struct DirectionTotals {
    /// The code of the given currency.
    pub from: String,
    /// The code of the received currency.
    pub to: String,
    /// The number of claims that were exchanged, wholly or in part.
    pub claims: i64,
    pub given: Amount,
    pub received: Amount,
    /// In the received currency.
    pub spread: Amount,
    /// In the given currency.
    pub give_fee: Amount,
    /// In the received currency.
    pub receive_fee: Amount,
}

/// What the ledger booked for exchanges from `start` on and before `end`, by direction.
pub async fn by_direction(tx: &mut Tx, start: Timestamp, end: Timestamp) -> Result<Vec<DirectionTotals>> {
    let rows = fetch_all!(tx, TurnoverRow, TURNOVER, start, end)?;
    let totals = rows.into_iter().map(|row| {
        let (give, receive) =
            (CurrencyUnit::new(row.give_id, row.give_scale), CurrencyUnit::new(row.receive_id, row.receive_scale));
        DirectionTotals {
            from: row.give_code,
            to: row.receive_code,
            claims: row.claims,
            given: Amount::of_units(row.given, give),
            received: Amount::of_units(row.received, receive),
            spread: Amount::of_units(row.spread, receive),
            give_fee: Amount::of_units(row.give_fee, give),
            receive_fee: Amount::of_units(row.receive_fee, receive),
        }
    });
    Ok(totals.collect())
}
