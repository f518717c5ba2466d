//! One key, one effect.
//!
//! A caller who repeats a request with the same key gets the first answer again. The key is stored in the very
//! transaction of the effect, under a unique index: of any number of parallel requests one acts, and a request
//! that failed leaves nothing behind. Inside a transaction the key is looked for first, because SQLite commits requests that wait together
//! in one: the second of a group sees what the first did before anybody else can.

//!
//! A key is bound to its caller before anything else sees it ([`bound`]): what somebody else sends under the same key is another request.
//!
//! Work of more than one transaction, or of none, is kept from being done twice by [`begin`] and [`finish`]: the key is taken before the work
//! and the answer stored after it. If the process ends in between nobody knows what was done, and the key stays taken.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::BoxFuture;
use crate::Vault;
use crate::clock::Timestamp;
use crate::db::{Db, Tx};
use crate::error::{Error, Result};
use crate::hex;
use crate::{execute, fetch_optional, write_one};

crate::statements! {
    STORED_ANSWER = "SELECT fingerprint, answer FROM idempotency WHERE scope = $1 AND key = $2";
    STORE_ANSWER = "INSERT INTO idempotency (scope, key, fingerprint, answer, created_at) VALUES ($1, $2, $3, $4, $5)";
    TAKE_KEY = "INSERT INTO idempotency (scope, key, fingerprint, answer, created_at) VALUES ($1, $2, $3, '', $4)
        ON CONFLICT (scope, key) DO NOTHING";
    FINISH_KEY = "UPDATE idempotency SET answer = $3 WHERE scope = $1 AND key = $2 AND answer = ''";
    RELEASE_KEY = "DELETE FROM idempotency WHERE scope = $1 AND key = $2 AND answer = ''";
    /// Forgets answers nobody will ask for again.
    FORGET_ANSWERS = "DELETE FROM idempotency WHERE created_at < $1";
}

/// A caller's key for one request.
#[derive(Clone, Debug)]
pub struct Key {
    /// What is being done and for whom: keys of different scopes never meet.
    pub scope: String,
    /// The key, [`bound`] to its caller.
    pub key: String,
    /// A digest of the request's content and of a secret.
    pub fingerprint: String,
}

/// A key that stands for what this caller calls so, and for nothing that anybody else does.
#[must_use]
pub fn bound(vault: &Vault, caller: &str, key: &str) -> String {
    vault.digest("idempotency key", &format!("{caller}\n{key}"))
}

/// A bound key with a secret for the digest of its request: bodies hold cards and addresses, and whoever has the database alone must not be able to
/// try them against their digests.
#[must_use]
pub fn with_secret(vault: &Vault, bound: &str) -> String {
    format!("{bound}.{}", vault.digest("idempotency fingerprint", bound))
}

/// The bound key alone, as it is stored, from what [`with_secret`] made.
#[must_use]
pub fn without_secret(bound: &str) -> &str {
    parted(bound).0
}

fn parted(bound: &str) -> (&str, &str) {
    bound.split_once('.').unwrap_or((bound, ""))
}

impl Key {
    /// The key for one scope and the content it goes with, from what [`with_secret`] made.
    #[must_use]
    pub fn of(bound: &str, scope: impl Into<String>, content: &[u8]) -> Self {
        let (key, secret) = parted(bound);
        let fingerprint = hex::encode(Sha256::new().chain_update(secret).chain_update(content).finalize());
        Self { scope: scope.into(), key: key.to_owned(), fingerprint }
    }
}

/// The secret of a browser that had none when it sent a request under this bound key: the same whenever it asks again, and on every node.
#[must_use]
pub fn guest_secret(vault: &Vault, bound: &str) -> String {
    let mut secret = vault.digest("guest secret", bound);
    secret.truncate(32);
    secret
}

#[derive(sqlx::FromRow)]
struct Stored {
    fingerprint: String,
    answer: String,
}

/// Runs `work` once for the key, in one transaction with the stored answer; without a key, simply runs it.
///
/// # Errors
/// What `work` returned; 422 `idempotency_mismatch` when the key was used for another content.
pub async fn once<T, F>(db: &Db, key: Option<Key>, now: Timestamp, work: F) -> Result<T>
where
    T: Serialize + DeserializeOwned + Send + 'static,
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + Sync + 'static,
{
    let Some(key) = key else { return db.write(work).await };
    if let Some(answer) = stored(db, &key).await? {
        return Ok(answer);
    }
    let work = Arc::new(work);
    let mine = key.clone();
    let outcome = db
        .write(move |tx| {
            let (work, key) = (work.clone(), mine.clone());
            Box::pin(async move {
                // The answer comes before anything the work asks for: by now another request with this key may have changed that.
                if !tx.only_writes()
                    && let Some(value) = answered(tx, &key).await?
                {
                    return Ok(value);
                }
                let value = work(tx).await?;
                let answer = serde_json::to_string(&value).map_err(Error::internal)?;
                write_one!(tx, STORE_ANSWER, key.scope, key.key, key.fingerprint, answer, now)?;
                Ok(value)
            })
        })
        .await;
    match outcome {
        // Another request with this key may have been first; then its answer is ours too.
        Err(failure) => stored(db, &key).await?.ok_or(failure),
        done => done,
    }
}

/// Whether a request with this key was answered: whoever repeats one brings proofs that were used up with the first.
///
/// # Errors
/// 422 `idempotency_mismatch` when the key was used for another content.
pub async fn is_answered(db: &Db, key: &Key) -> Result<bool> {
    Ok(stored::<serde_json::Value>(db, key).await?.is_some())
}

/// Whether a key was used in a scope, whatever for.
///
/// # Errors
/// The database cannot be read.
pub async fn is_used(db: &Db, scope: &str, key: &str) -> Result<bool> {
    let tx = &mut db.read().await?;
    Ok(fetch_optional!(tx, Stored, STORED_ANSWER, scope, key)?.is_some())
}

/// The answer given to a key before, if there was one.
///
/// # Errors
/// 422 `idempotency_mismatch` when the key was used for another content.
pub async fn stored<T: DeserializeOwned>(db: &Db, key: &Key) -> Result<Option<T>> {
    answered(&mut db.read().await?, key).await
}

async fn answered<T: DeserializeOwned>(tx: &mut Tx, key: &Key) -> Result<Option<T>> {
    let Some(stored) = fetch_optional!(tx, Stored, STORED_ANSWER, &key.scope, &key.key)? else { return Ok(None) };
    if stored.fingerprint != key.fingerprint {
        return Err(Error::unprocessable("idempotency_mismatch"));
    }
    serde_json::from_str(&stored.answer).map(Some).map_err(Error::internal)
}

/// What is known of a key when work under it is to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// Nothing: it is taken now, and the work may begin.
    First,
    /// The work was done, with this answer.
    Answered(String),
}

/// Takes a key for work that [`finish`] or [`release`] ends.
///
/// # Errors
/// 409 `idempotency_in_progress` while the work goes on, or when nobody knows how it ended; 422 `idempotency_mismatch` when the key was used for
/// another content.
pub async fn begin(db: &Db, key: &Key, now: Timestamp) -> Result<Begun> {
    let key = key.clone();
    db.write(move |tx| {
        let key = key.clone();
        Box::pin(async move {
            if execute!(tx, TAKE_KEY, &key.scope, &key.key, &key.fingerprint, now)? == 1 {
                return Ok(Begun::First);
            }
            let in_progress = || Error::conflict("idempotency_in_progress");
            let stored = fetch_optional!(tx, Stored, STORED_ANSWER, &key.scope, &key.key)?.ok_or_else(in_progress)?;
            match stored {
                Stored { fingerprint, .. } if fingerprint != key.fingerprint => Err(Error::unprocessable("idempotency_mismatch")),
                Stored { answer, .. } if answer.is_empty() => Err(in_progress()),
                Stored { answer, .. } => Ok(Begun::Answered(answer)),
            }
        })
    })
    .await
}

/// Stores the answer of work that was begun under a key.
///
/// # Errors
/// The database cannot be written; the key stays taken.
pub async fn finish(db: &Db, key: Key, answer: String) -> Result<()> {
    db.write(move |tx| {
        let (key, answer) = (key.clone(), answer.clone());
        Box::pin(async move { execute!(tx, FINISH_KEY, key.scope, key.key, answer).map(drop) })
    })
    .await
}

/// Gives back the key of work that was refused and did nothing.
///
/// # Errors
/// The database cannot be written; the key stays taken.
pub async fn release(db: &Db, key: Key) -> Result<()> {
    db.write(move |tx| {
        let key = key.clone();
        Box::pin(async move { execute!(tx, RELEASE_KEY, key.scope, key.key).map(drop) })
    })
    .await
}

/// Forgets answers given before `moment`.
///
/// # Errors
/// The database cannot be written.
pub async fn forget_before(db: &Db, moment: Timestamp) -> Result<u64> {
    db.write(move |tx| Box::pin(async move { execute!(tx, FORGET_ANSWERS, moment) })).await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::Notify;

    use super::*;
    use crate::fetch_one;

    const NOW: Timestamp = Timestamp(0);

    fn key() -> Option<Key> {
        Some(Key { scope: "turn".into(), key: "the-same-key".into(), fingerprint: "the-same-content".into() })
    }

    /// A step that is right at turn 0 alone.
    async fn step(db: &Db) -> Result<i64> {
        once(db, key(), NOW, |tx| {
            Box::pin(async move {
                let (number,) = fetch_one!(tx, (i64,), "SELECT number FROM turn")?;
                if number != 0 {
                    return Err(Error::conflict("turn_over"));
                }
                execute!(tx, "UPDATE turn SET number = number + 1")?;
                Ok(number + 1)
            })
        })
        .await
    }

    /// A write that lasts until it is told to end, or for a moment.
    async fn lasts_until(db: &Db, told: &Arc<Notify>) {
        let told = told.clone();
        let write = db.write(move |tx| {
            let told = told.clone();
            Box::pin(async move {
                execute!(tx, "UPDATE turn SET number = number")?;
                let _ = tokio::time::timeout(Duration::from_millis(50), told.notified()).await;
                Ok(())
            })
        });
        write.await.unwrap();
    }

    /// SQLite commits what waits together. A member that comes second in its group is refused by what the first has written and not yet
    /// committed, and must not be answered from what is durable, where nothing of it is.
    #[tokio::test]
    async fn the_second_of_a_group_gets_the_answer_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(&format!("sqlite:{}", folder.path().join("test.db").display())).await.unwrap();
        db.migrate().await.unwrap();
        for sql in ["CREATE TABLE turn (number BIGINT NOT NULL)", "INSERT INTO turn (number) VALUES (0)"] {
            db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
        }
        // The first write holds the others up until they wait together; the last one keeps their commit from being made.
        let (never, answered) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let told = |outcome| {
            answered.notify_one();
            outcome
        };
        let (_, one, two, ()) =
            tokio::join!(lasts_until(&db, &never), async { told(step(&db).await) }, async { told(step(&db).await) }, async {
                let _ = tokio::time::timeout(Duration::from_millis(25), never.notified()).await;
                lasts_until(&db, &answered).await;
            },);
        assert_eq!((one.unwrap(), two.unwrap()), (1, 1));
    }
}
