//! Numbers of a sequence for writes that are collected on PostgreSQL and cannot ask for one themselves.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::postgres::SHARED_DEADLINE;
use super::{StatementTarget, Tx, within};
use crate::BoxFuture;
use crate::error::Result;

/// How long numbers that were taken are given out. Numbers grow with time on all nodes; those that are left over are
/// never given out, as those of a transaction that was rolled back.
const LIFETIME: Duration = Duration::from_secs(1);

/// If the numbers are used up sooner, twice as many are taken next, up to the maximum; else half as many.
const USED_UP_SOON: Duration = Duration::from_millis(50);
const TAKEN_MAX: i64 = 256;

/// The sequence of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sequence {
    pub table: &'static str,
    pub column: &'static str,
    /// The statement for its next number.
    pub next: &'static str,
}

/// Numbers that this node has taken from sequences: as many as writes were waiting for one, and more when many come.
pub(super) struct NumberStock {
    pool: PgPool,
    waiting: AtomicI64,
    stock: Mutex<HashMap<Sequence, Stock>>,
}

/// Numbers of one sequence.
struct Stock {
    taken_at: Instant,
    taken: i64,
    /// Those that are left, the lowest last.
    left: Vec<i64>,
}

impl NumberStock {
    pub(super) fn new(pool: PgPool) -> Self {
        Self { pool, waiting: AtomicI64::new(0), stock: Mutex::default() }
    }

    pub(super) async fn next(&self, sequence: Sequence) -> Result<i64> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let mut stock = self.stock.lock().await;
        let waiting = self.waiting.fetch_sub(1, Ordering::Relaxed);
        let stock = stock.entry(sequence).or_insert_with(|| Stock { taken_at: Instant::now(), taken: 0, left: Vec::new() });
        if stock.taken_at.elapsed() >= LIFETIME {
            stock.left.clear();
        }
        if let Some(number) = stock.left.pop() {
            return Ok(number);
        }
        let ahead = match stock.taken_at.elapsed() {
            elapsed if elapsed < USED_UP_SOON => (stock.taken * 2).min(TAKEN_MAX),
            elapsed if elapsed < LIFETIME => stock.taken / 2,
            _ => 0,
        };
        let left = self.take(sequence, waiting.max(ahead)).await?;
        *stock = Stock { taken_at: Instant::now(), taken: left.len() as i64, left };
        Ok(stock.left.pop().expect("a sequence gives as many numbers as it is asked for"))
    }

    /// The next numbers, the lowest last.
    // Boxed as `Db::read`.
    #[inline(never)]
    fn take(&self, sequence: Sequence, count: i64) -> BoxFuture<'_, Result<Vec<i64>>> {
        Box::pin(async move {
            let mut tx = Tx::new(self.pool.acquire().await?);
            let StatementTarget::Postgres(conn, _) = tx.target() else { unreachable!("sequences are PostgreSQL's") };
            // The sequence is looked for once: that takes much longer than its numbers.
            let numbers = "WITH sequence AS MATERIALIZED (SELECT pg_get_serial_sequence($1, $2)::regclass AS name)
                SELECT nextval(name) FROM sequence, generate_series(1, $3)";
            let query = sqlx::query_scalar(numbers).bind(sequence.table).bind(sequence.column).bind(count).fetch_all(conn);
            let done = within(SHARED_DEADLINE, query).await;
            tx.end_statement(&done);
            done.map(|mut numbers: Vec<i64>| {
                numbers.reverse();
                numbers
            })
        })
    }
}
