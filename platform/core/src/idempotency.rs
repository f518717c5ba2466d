//! Idempotency keys: repeating a request with the same key returns the first response.
//!
//! The key is stored in the transaction of the effect, under a unique index: of any number of parallel requests one
//! takes effect, and a failed request leaves nothing behind. The key is looked up first inside the transaction,
//! because SQLite commits waiting requests as a group: the second of a group sees what the first wrote before anybody
//! else can.
//!
//! A key is bound to its caller before anything else ([`bind`]): the same key from another caller is another request.
//!
//! Work of several transactions, or of none, is protected by [`begin`] and [`finish`]: the key is taken before the
//! work and the response stored after it. If the process ends in between, the outcome is unknown and the key stays
//! taken.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::BoxFuture;
use crate::Vault;
use crate::clock::Timestamp;
use crate::db::{Db, Engine, Tx};
use crate::error::{Error, Result};
use crate::hex;
use crate::retention::RetentionRule;
use crate::{delete_rows, execute, fetch_optional, is_rarely_true, write_one};

crate::statements! {
    STORED_ANSWER = "SELECT fingerprint, answer FROM idempotency WHERE scope = $1 AND key = $2";
    IS_ANSWERED = "SELECT EXISTS (SELECT 1 FROM idempotency WHERE scope = $1 AND key = $2)";
    STORE_ANSWER = "INSERT INTO idempotency (scope, key, fingerprint, answer, created_at) VALUES ($1, $2, $3, $4, $5)";
    TAKE_KEY = "INSERT INTO idempotency (scope, key, fingerprint, answer, created_at) VALUES ($1, $2, $3, '', $4)
        ON CONFLICT (scope, key) DO NOTHING";
    FINISH_KEY = "UPDATE idempotency SET answer = $3 WHERE scope = $1 AND key = $2 AND answer = ''";
    RELEASE_KEY = "DELETE FROM idempotency WHERE scope = $1 AND key = $2 AND answer = ''";
}

/// How long responses are kept for repeated requests.
const RESPONSE_RETENTION: Duration = Duration::from_secs(2 * 24 * 60 * 60);

pub const RETENTION: RetentionRule = RetentionRule {
    name: "idempotency",
    delete: delete_rows!("idempotency", "scope, key", "created_at < $1"),
    before: |_, now| now.minus(RESPONSE_RETENTION).0,
};

/// A caller's key for one request.
#[derive(Clone, Debug)]
pub struct Key {
    /// What is done and for whom: keys of different scopes never collide.
    pub scope: String,
    /// The key, [`bind`] to its caller.
    pub key: String,
    /// Digest of the request's content and of a secret.
    pub fingerprint: String,
}

/// Binds a key to its caller, so that it never equals another caller's key.
#[must_use]
pub fn bind(vault: &Vault, caller: &str, key: &str) -> String {
    vault.digest("idempotency key", &format!("{caller}\n{key}"))
}

/// A bound key with a secret for the digest of its request. Bodies contain cards and addresses, and the database alone
/// must not allow guessing them from their digests.
#[must_use]
pub fn with_secret(vault: &Vault, bound: &str) -> String {
    format!("{bound}.{}", vault.digest("idempotency fingerprint", bound))
}

/// The bound key alone, as it is stored, from the result of [`with_secret`].
#[must_use]
pub fn without_secret(bound: &str) -> &str {
    parted(bound).0
}

fn parted(bound: &str) -> (&str, &str) {
    bound.split_once('.').unwrap_or((bound, ""))
}

impl Key {
    /// The key for one scope and content, from the result of [`with_secret`].
    #[must_use]
    pub fn of(bound: &str, scope: impl Into<String>, content: &[u8]) -> Self {
        let (key, secret) = parted(bound);
        let fingerprint = hex::encode(Sha256::new().chain_update(secret).chain_update(content).finalize());
        Self { scope: scope.into(), key: key.to_owned(), fingerprint }
    }
}

/// The secret of a browser that had none when it sent a request with this bound key: the same for every repetition and
/// on every node.
#[must_use]
pub fn guest_secret(vault: &Vault, bound: &str) -> String {
    let mut secret = vault.digest("guest secret", bound);
    secret.truncate(32);
    secret
}

/// The keys that this process has met lately. One that it has not may have been used all the same, which the unique index
/// finds.
#[derive(Default)]
pub(crate) struct RecentKeys {
    hasher: RandomState,
    /// Hashes of the latest keys, and of those before them.
    generations: Mutex<[HashSet<u64>; 2]>,
}

/// How many keys a generation has.
const GENERATION: usize = 16_384;

impl RecentKeys {
    /// Whether the key may have been met before. Now it has been.
    fn meet(&self, key: &Key) -> bool {
        let hash = self.hasher.hash_one((&key.scope, &key.key));
        let [latest, earlier] = &mut *self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let was_met = !latest.insert(hash) || earlier.contains(&hash);
        if latest.len() == GENERATION {
            *earlier = std::mem::take(latest);
        }
        was_met
    }
}

#[derive(sqlx::FromRow)]
struct StoredResponse {
    fingerprint: String,
    answer: String,
}

/// Runs `work` once per key, in one transaction with the stored response. Without a key it just runs it.
///
/// # Errors
/// Those of `work`; 422 `idempotency_mismatch` when the key was used for different content.
pub async fn once<T, F>(db: &Db, key: Option<Key>, now: Timestamp, work: F) -> Result<T>
where
    T: Serialize + DeserializeOwned + Send + 'static,
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + Sync + 'static,
{
    let Some(key) = key else { return db.write(work).await };
    // A repeated request would have its group written the ordinary way on SQLite. New ones are not looked up, since that
    // costs as much as the rest of a claim; nor is any on PostgreSQL, where one look-up in a group is for all.
    if db.recent_keys().is_some_and(|keys| keys.meet(&key))
        && let Some(answer) = stored_response(db, &key).await?
    {
        return Ok(answer);
    }
    let work = Arc::new(work);
    let mine = key.clone();
    let outcome = db
        .write(move |tx| {
            let (work, key) = (work.clone(), mine.clone());
            Box::pin(async move {
                // Looked up before the work reads anything: another request with this key may have changed that by
                // now.
                if tx.is_batched() {
                    forgo_if_answered(tx, &key).await?;
                } else if let Some(value) = answered(tx, &key).await? {
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
        // Another request with this key may have been first; then its response is ours too.
        Err(failure) => stored_response(db, &key).await?.ok_or(failure),
        done => done,
    }
}

/// Has batched work run alone if its key was used. On SQLite the unique index sees to that.
async fn forgo_if_answered(tx: &mut Tx, key: &Key) -> Result<()> {
    if tx.engine() == Engine::Postgres {
        tx.exclude(&key.scope, &key.key);
        is_rarely_true!(tx, IS_ANSWERED, &key.scope, &key.key)?;
    }
    Ok(())
}

/// Whether a request with this key was answered. A repeated request brings one-time proofs that the first has used up.
///
/// # Errors
/// 422 `idempotency_mismatch` when the key was used for different content.
pub async fn has_response(db: &Db, key: &Key) -> Result<bool> {
    Ok(stored_response::<serde_json::Value>(db, key).await?.is_some())
}

/// Whether a key was used in a scope, whatever the content.
pub async fn is_used(db: &Db, scope: &str, key: &str) -> Result<bool> {
    let tx = &mut db.read().await?;
    Ok(fetch_optional!(tx, StoredResponse, STORED_ANSWER, scope, key)?.is_some())
}

/// The response stored for a key.
///
/// # Errors
/// 422 `idempotency_mismatch` when the key was used for different content.
pub async fn stored_response<T: DeserializeOwned>(db: &Db, key: &Key) -> Result<Option<T>> {
    answered(&mut db.read().await?, key).await
}

async fn answered<T: DeserializeOwned>(tx: &mut Tx, key: &Key) -> Result<Option<T>> {
    let Some(stored) = fetch_optional!(tx, StoredResponse, STORED_ANSWER, &key.scope, &key.key)? else { return Ok(None) };
    if stored.fingerprint != key.fingerprint {
        return Err(Error::unprocessable("idempotency_mismatch"));
    }
    serde_json::from_str(&stored.answer).map(Some).map_err(Error::internal)
}

/// What is known of a key before its work begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// The key is taken now, and the work may begin.
    Taken,
    /// The work was done, with this response.
    Completed(String),
}

/// Takes a key for work that ends with [`finish`] or [`release`].
///
/// # Errors
/// 409 `idempotency_in_progress` while the work goes on or its outcome is unknown; 422 `idempotency_mismatch` when the
/// key was used for different content.
pub async fn begin(db: &Db, key: &Key, now: Timestamp) -> Result<KeyState> {
    let key = key.clone();
    db.write(move |tx| {
        let key = key.clone();
        Box::pin(async move {
            if execute!(tx, TAKE_KEY, &key.scope, &key.key, &key.fingerprint, now)? == 1 {
                return Ok(KeyState::Taken);
            }
            let in_progress = || Error::conflict("idempotency_in_progress");
            let stored = fetch_optional!(tx, StoredResponse, STORED_ANSWER, &key.scope, &key.key)?.ok_or_else(in_progress)?;
            match stored {
                StoredResponse { fingerprint, .. } if fingerprint != key.fingerprint => {
                    Err(Error::unprocessable("idempotency_mismatch"))
                }
                StoredResponse { answer, .. } if answer.is_empty() => Err(in_progress()),
                StoredResponse { answer, .. } => Ok(KeyState::Completed(answer)),
            }
        })
    })
    .await
}

/// Stores the response of work begun under a key.
///
/// # Errors
/// If the database cannot be written, the key stays taken.
pub async fn finish(db: &Db, key: Key, answer: String) -> Result<()> {
    db.write(move |tx| {
        let (key, answer) = (key.clone(), answer.clone());
        Box::pin(async move { execute!(tx, FINISH_KEY, key.scope, key.key, answer).map(drop) })
    })
    .await
}

/// Releases the key of work that was refused and had no effect.
///
/// # Errors
/// If the database cannot be written, the key stays taken.
pub async fn release(db: &Db, key: Key) -> Result<()> {
    db.write(move |tx| {
        let key = key.clone();
        Box::pin(async move { execute!(tx, RELEASE_KEY, key.scope, key.key).map(drop) })
    })
    .await
}

#[cfg(test)]
mod tests {
    use tokio::sync::Notify;

    use super::*;
    use crate::fetch_one;

    const NOW: Timestamp = Timestamp(0);

    fn key() -> Option<Key> {
        Some(Key { scope: "turn".into(), key: "the-same-key".into(), fingerprint: "the-same-content".into() })
    }

    /// A step that succeeds at turn 0 only.
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

    /// The same without reading.
    async fn blind_step(db: &Db) -> Result<i64> {
        let blind = Some(Key { scope: "blind turn".into(), ..key().unwrap() });
        once(db, blind, NOW, |tx| Box::pin(async move { write_one!(tx, "INSERT INTO turn (number) VALUES (1)").map(|()| 1) }))
            .await
    }

    async fn open(folder: &tempfile::TempDir) -> Db {
        Db::open(&format!("sqlite:{}", folder.path().join("test.db").display())).await.unwrap()
    }

    async fn with_turns(folder: &tempfile::TempDir) -> Db {
        let db = open(folder).await;
        db.migrate().await.unwrap();
        for sql in ["CREATE TABLE turn (number BIGINT NOT NULL)", "INSERT INTO turn (number) VALUES (0)"] {
            db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
        }
        db
    }

    #[tokio::test]
    async fn a_key_from_before_a_restart_has_its_response() {
        let folder = tempfile::tempdir().unwrap();
        let db = with_turns(&folder).await;
        assert_eq!((step(&db).await.unwrap(), blind_step(&db).await.unwrap()), (1, 1));
        db.close().await;
        let db = open(&folder).await;
        for _ in 0..2 {
            assert_eq!((step(&db).await.unwrap(), blind_step(&db).await.unwrap()), (1, 1));
        }
        let (turns,) = fetch_one!(&mut db.read().await.unwrap(), (i64,), "SELECT COUNT(*) FROM turn").unwrap();
        assert_eq!(turns, 2);
    }

    #[test]
    fn a_key_is_remembered_for_as_many_others_as_there_are_in_a_generation() {
        let keys = RecentKeys::default();
        let key = |number: usize| Key { key: number.to_string(), ..key().unwrap() };
        assert!(!keys.meet(&key(0)));
        assert!(keys.meet(&key(0)));
        for number in 1..GENERATION {
            assert!(!keys.meet(&key(number)), "{number}");
        }
        assert!(keys.meet(&key(0)));
        for number in 0..2 * GENERATION {
            keys.meet(&key(GENERATION + number));
        }
        assert!(!keys.meet(&key(0)));
    }

    /// A write that runs until it is notified, or for a before.
    async fn hold_writer_until(db: &Db, notify: &Arc<Notify>) {
        let notify = notify.clone();
        let write = db.write(move |tx| {
            let notify = notify.clone();
            Box::pin(async move {
                execute!(tx, "UPDATE turn SET number = number")?;
                let _ = tokio::time::timeout(Duration::from_millis(50), notify.notified()).await;
                Ok(())
            })
        });
        write.await.unwrap();
    }

    /// SQLite commits waiting writes as a group. The second write of a group is refused because of what the first has
    /// written but not committed, and must not be answered from committed data, which has none of it.
    #[tokio::test]
    async fn concurrent_requests_in_a_group_get_one_response() {
        let folder = tempfile::tempdir().unwrap();
        let db = with_turns(&folder).await;
        // The first write keeps the others waiting until they form a group; the last one delays their commit.
        let (never, answered) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let notify = |outcome| {
            answered.notify_one();
            outcome
        };
        let (_, one, two, ()) = tokio::join!(
            hold_writer_until(&db, &never),
            async { notify(step(&db).await) },
            async { notify(step(&db).await) },
            async {
                let _ = tokio::time::timeout(Duration::from_millis(25), never.notified()).await;
                hold_writer_until(&db, &answered).await;
            },
        );
        assert_eq!((one.unwrap(), two.unwrap()), (1, 1));
    }
}
