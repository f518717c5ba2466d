//! The limit for claims: the rows of a claim written directly to SQLite, one synced commit per claim.

use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use crate::load;

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE account (name TEXT PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0));
    CREATE TABLE claim (id BLOB PRIMARY KEY, email TEXT NOT NULL, send INTEGER NOT NULL, receive INTEGER NOT NULL, terms TEXT NOT NULL);
    CREATE TABLE transfer (claim BLOB NOT NULL, debit TEXT NOT NULL, credit TEXT NOT NULL, amount INTEGER NOT NULL);
    CREATE TABLE history (claim BLOB NOT NULL, what TEXT NOT NULL);
    CREATE TABLE idempotency (key TEXT PRIMARY KEY, claim BLOB NOT NULL);
    INSERT INTO account VALUES ('reserve', 9000000000000000), ('hold', 0);";

/// The number of claims that one connection writes per second, each in its own transaction.
pub fn claims_per_second(time: Duration) -> f64 {
    let folder = tempfile::tempdir_in(".").expect("a folder on the same disk");
    let connection = Connection::open(folder.path().join("raw.db")).expect("SQLite opens");
    connection.execute_batch(SCHEMA).expect("the schema is right");
    let (started, mut claims) = (Instant::now(), 0_u64);
    while started.elapsed() < time {
        write_claim(&connection, claims).expect("SQLite writes");
        claims += 1;
    }
    claims as f64 / started.elapsed().as_secs_f64()
}

fn write_claim(connection: &Connection, number: u64) -> rusqlite::Result<()> {
    let id = u128::from(number).to_be_bytes();
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    connection.prepare_cached("INSERT INTO claim VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(params![
        id,
        "somebody@example.com",
        1_500_000_i64,
        9_018_517_i64,
        "terms"
    ])?;
    connection.prepare_cached("INSERT INTO transfer VALUES (?1, 'reserve', 'hold', ?2)")?.execute(params![id, 9_018_517_i64])?;
    connection.prepare_cached("UPDATE account SET balance = balance - ?1 WHERE name = 'reserve'")?.execute([9_018_517_i64])?;
    connection.prepare_cached("UPDATE account SET balance = balance + ?1 WHERE name = 'hold'")?.execute([9_018_517_i64])?;
    connection.prepare_cached("INSERT INTO history VALUES (?1, 'created')")?.execute(params![id])?;
    let key = load::random_key();
    connection.prepare_cached("INSERT INTO idempotency VALUES (?1, ?2)")?.execute(params![key, id])?;
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(())
}
