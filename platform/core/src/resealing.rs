//! Seals stored values with the vault's first key, so that an older key can be removed.

use std::fmt::Display;

use sqlx::{Decode, Encode, FromRow, Postgres, Sqlite, Type};
use uuid::Uuid;

use crate::db::{Db, Tx};
use crate::error::Result;
use crate::vault::{SCHEME, Vault};
use crate::{execute, fetch_all};

/// How many values are stored together: not enough to keep other writers waiting.
const BATCH: i64 = 100;

/// A column whose values are sealed, or contain sealed values. [`sealed_column!`](crate::sealed_column) makes one.
#[derive(Clone, Copy)]
pub struct SealedColumn {
    pub name: &'static str,
    /// Keys and values that contain $1, after the key $2, at most $3.
    pub find: &'static str,
    /// Replaces the value $2 of the key $1 by $3, if nobody has changed it meanwhile.
    pub replace: &'static str,
    pub key: KeyKind,
    /// The value of a row's key, sealed with the first key.
    pub reseal: fn(&Vault, &str, &str) -> Result<String>,
}

/// The type of a row's key.
#[derive(Clone, Copy)]
pub enum KeyKind {
    Uuid,
    Text,
    Number,
}

/// A sealed column: its table, the key of a row and that key's type, the column, and how a value of it is sealed anew.
#[macro_export]
macro_rules! sealed_column {
    ($table:literal, $key:literal: $kind:ident, $column:literal, $reseal:expr) => {
        $crate::resealing::SealedColumn {
            name: concat!($table, ".", $column),
            find: concat!(
                "SELECT ",
                $key,
                ", ",
                $column,
                " FROM ",
                $table,
                " WHERE ",
                $column,
                " LIKE $1 AND ",
                $key,
                " > $2 ORDER BY ",
                $key,
                " LIMIT $3"
            ),
            replace: concat!("UPDATE ", $table, " SET ", $column, " = $3 WHERE ", $key, " = $1 AND ", $column, " = $2"),
            key: $crate::resealing::KeyKind::$kind,
            reseal: $reseal,
        }
    };
}

/// What became of the values of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    pub values: u64,
    /// Values that no key opens. They are left as they are.
    pub unreadable: u64,
}

/// Seals the values of a column that were sealed with other keys than the first. Others may use the database meanwhile.
/// It can be stopped at any time and started again.
///
/// # Errors
/// 503 `storage_unavailable`.
pub async fn reseal(db: &Db, vault: &Vault, column: SealedColumn) -> Result<Resealed> {
    match column.key {
        KeyKind::Uuid => reseal_by::<Uuid>(db, vault, column, Uuid::nil()).await,
        KeyKind::Text => reseal_by::<String>(db, vault, column, String::new()).await,
        KeyKind::Number => reseal_by::<i64>(db, vault, column, i64::MIN).await,
    }
}

async fn reseal_by<K>(db: &Db, vault: &Vault, column: SealedColumn, first: K) -> Result<Resealed>
where
    K: Clone + Display + Send + Sync + Unpin + 'static,
    K: Type<Sqlite> + for<'v> Encode<'v, Sqlite> + for<'v> Decode<'v, Sqlite>,
    K: Type<Postgres> + for<'v> Encode<'v, Postgres> + for<'v> Decode<'v, Postgres>,
    for<'r> (K, String): FromRow<'r, sqlx::sqlite::SqliteRow> + FromRow<'r, sqlx::postgres::PgRow>,
{
    let mut done = Resealed::default();
    for old in vault.key_ids().skip(1) {
        let (pattern, mut after) = (format!("%{SCHEME}.{old}.%"), first.clone());
        loop {
            let mut tx = db.read_at_length().await?;
            let rows = fetch_all!(&mut tx, (K, String), column.find, &pattern, after.clone(), BATCH)?;
            drop(tx);
            let Some((last, _)) = rows.last() else { break };
            after = last.clone();
            let mut changes = Vec::with_capacity(rows.len());
            for (key, stored) in rows {
                match (column.reseal)(vault, &key.to_string(), &stored) {
                    Ok(sealed) => changes.push((key, stored, sealed)),
                    Err(error) => {
                        tracing::error!(column = column.name, %key, %error, "a sealed value cannot be opened");
                        done.unreadable += 1;
                    }
                }
            }
            done.values += db
                .write(move |tx| {
                    let changes = changes.clone();
                    Box::pin(async move { replace(tx, column.replace, changes).await })
                })
                .await?;
        }
    }
    Ok(done)
}

async fn replace<K>(tx: &mut Tx, sql: &'static str, changes: Vec<(K, String, String)>) -> Result<u64>
where
    K: Send + 'static + Type<Sqlite> + for<'v> Encode<'v, Sqlite> + Type<Postgres> + for<'v> Encode<'v, Postgres>,
{
    let mut replaced = 0;
    for (key, stored, sealed) in changes {
        replaced += execute!(tx, sql, key, stored, sealed)?;
    }
    Ok(replaced)
}
