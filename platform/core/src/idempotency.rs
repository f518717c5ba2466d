//! One key, one effect.
//!
//! A caller who repeats a request with the same key gets the first answer again. The key is stored in the very
//! transaction of the effect, under a unique index: of any number of parallel requests one acts, and a request
//! that failed leaves nothing behind.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::{Db, Tx};
use crate::error::{Error, Result};
use crate::{execute, fetch_optional, write_one};

crate::statements! {
    STORED_ANSWER = "SELECT fingerprint, answer FROM idempotency WHERE scope = $1 AND key = $2";
    STORE_ANSWER = "INSERT INTO idempotency (scope, key, fingerprint, answer, created_at) VALUES ($1, $2, $3, $4, $5)";
    /// Forgets answers nobody will ask for again.
    FORGET_ANSWERS = "DELETE FROM idempotency WHERE created_at < $1";
}

/// A caller's key for one request.
#[derive(Clone, Debug)]
pub struct Key {
    /// What is being done and for whom: keys of different scopes never meet.
    pub scope: String,
    /// The key as the caller made it, 8 to 255 characters.
    pub key: String,
    /// A digest of the request's content.
    pub fingerprint: String,
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

/// The answer given to a key before, if there was one.
///
/// # Errors
/// 422 `idempotency_mismatch` when the key was used for another content.
pub async fn stored<T: DeserializeOwned>(db: &Db, key: &Key) -> Result<Option<T>> {
    let mut tx = db.read().await?;
    let Some(stored) = fetch_optional!(&mut tx, Stored, STORED_ANSWER, &key.scope, &key.key)? else { return Ok(None) };
    if stored.fingerprint != key.fingerprint {
        return Err(Error::unprocessable("idempotency_mismatch"));
    }
    serde_json::from_str(&stored.answer).map(Some).map_err(Error::internal)
}

/// Forgets answers given before `moment`.
///
/// # Errors
/// The database cannot be written.
pub async fn forget_before(db: &Db, moment: Timestamp) -> Result<u64> {
    db.write(move |tx| Box::pin(async move { execute!(tx, FORGET_ANSWERS, moment) })).await
}
