//! The keys tokens are made with.
//!
//! The newest key makes tokens and the one before it still opens them, so that keys change while everybody stays signed in. They are
//! sealed in the database and shared by all nodes: a new key is only used once every node has had time to read it.

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Actor;
use agio_core::{Error, Platform, Result, Timestamp, audit, execute, fetch_all};
use arc_swap::ArcSwap;

agio_core::statements! {
    TOKEN_KEYS = "SELECT id, sealed, created_at FROM token_key ORDER BY created_at DESC, id";
    INSERT_TOKEN_KEY = "INSERT INTO token_key (id, sealed, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING";
    RETIRE_TOKEN_KEYS = "DELETE FROM token_key WHERE id NOT IN (SELECT id FROM token_key ORDER BY created_at DESC, id LIMIT $1)";
    FORGET_OTHER_KEYS = "DELETE FROM token_key WHERE id <> $1";
}

/// How long a key makes tokens. No refresh token is idle longer than this, so two keys are enough.
const LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long a key is known before it is used: longer than nodes take to read it.
const SETTLING: Duration = Duration::from_secs(60);

/// How many keys open tokens.
const KEPT: i64 = 2;

/// A key with its name, which tokens carry.
pub struct Key {
    /// The name.
    pub id: String,
    /// 256 random bits.
    pub secret: Vec<u8>,
    created_at: Timestamp,
}

/// The keys of the house, newest first.
#[derive(Default)]
pub struct Keys(ArcSwap<Vec<Arc<Key>>>);

#[derive(sqlx::FromRow)]
struct Stored {
    id: String,
    sealed: String,
    created_at: Timestamp,
}

impl Keys {
    /// Reads the keys; makes the first one, and the next one when the newest has served its time.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn load(&self, platform: &Platform) -> Result<()> {
        let now = platform.clock.now();
        self.read(platform).await?;
        let is_due = self.0.load().first().is_none_or(|newest| newest.created_at.plus(LIFE) <= now);
        if is_due {
            // Nodes that do this at one moment choose one name, so they make one key.
            let period = now.0.div_euclid(LIFE.as_micros() as i64);
            make(platform, format!("p{period}"), None, false).await?;
            self.read(platform).await?;
        }
        Ok(())
    }

    /// Makes a new key now. If the others are not trusted any more they are thrown away, which signs everybody out.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn rotate(&self, platform: &Platform, by: &Actor, forget_others: bool) -> Result<()> {
        let id = platform.random.uuid().simple().to_string();
        make(platform, id, Some(by.clone()), forget_others).await?;
        self.read(platform).await
    }

    async fn read(&self, platform: &Platform) -> Result<()> {
        let stored = fetch_all!(&mut platform.db.read().await?, Stored, TOKEN_KEYS)?;
        let mut keys = Vec::with_capacity(stored.len());
        for Stored { id, sealed, created_at } in stored {
            match platform.vault.open(&purpose(&id), &sealed) {
                Ok(secret) => keys.push(Arc::new(Key { id, secret, created_at })),
                Err(error) => tracing::warn!(key = id, %error, "a token key cannot be read; tokens made with it are refused"),
            }
        }
        self.0.store(Arc::new(keys));
        Ok(())
    }

    /// The key to make tokens with.
    ///
    /// # Errors
    /// The keys were not read.
    pub fn making(&self, now: Timestamp) -> Result<Arc<Key>> {
        let keys = self.0.load();
        let settled = keys.iter().find(|key| key.created_at.plus(SETTLING) <= now);
        settled.or(keys.last()).cloned().ok_or_else(|| Error::internal("the token keys were not read"))
    }

    /// The key of this name, if tokens made with it are still good.
    pub fn named(&self, id: &str) -> Option<Arc<Key>> {
        self.0.load().iter().find(|key| key.id == id).cloned()
    }

    /// Every key tokens may have been made with.
    pub fn all(&self) -> Arc<Vec<Arc<Key>>> {
        self.0.load_full()
    }
}

async fn make(platform: &Platform, id: String, by: Option<Actor>, forget_others: bool) -> Result<()> {
    let mut secret = [0; 32];
    platform.random.fill(&mut secret);
    let sealed = platform.vault.seal(&purpose(&id), &secret);
    let now = platform.clock.now();
    platform
        .db
        .write(move |tx| {
            let (id, sealed, by) = (id.clone(), sealed.clone(), by.clone());
            Box::pin(async move {
                execute!(tx, INSERT_TOKEN_KEY, &id, sealed, now)?;
                if forget_others {
                    execute!(tx, FORGET_OTHER_KEYS, &id)?;
                }
                execute!(tx, RETIRE_TOKEN_KEYS, KEPT)?;
                let Some(by) = by else { return Ok(()) };
                let entry =
                    audit::Entry { by: &by, action: "token_key.rotated", about: "token_key", id, before: None, after: None };
                audit::record(tx, entry, now).await
            })
        })
        .await
}

/// What a key is sealed for.
fn purpose(id: &str) -> String {
    format!("token key {id}")
}
