//! Token signing keys.
//!
//! The newest key signs tokens and the previous one still verifies them, so that rotation keeps sessions. Keys are
//! encrypted in the database and shared by all nodes; a new key is used only after every node has had time to load it.

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

/// How long a key signs. No refresh token is idle for longer, so two keys are enough.
const LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Delay before a new key signs: longer than nodes take to load it.
const ACTIVATION_DELAY: Duration = Duration::from_secs(60);

/// Number of keys that verify tokens.
const KEYS_KEPT: i64 = 2;

/// A key with its id, the `kid` of tokens.
pub struct TokenKey {
    pub id: String,
    /// 256 random bits.
    pub secret: Vec<u8>,
    created_at: Timestamp,
}

/// All keys, newest first.
#[derive(Default)]
pub struct TokenKeys(ArcSwap<Vec<Arc<TokenKey>>>);

#[derive(sqlx::FromRow)]
struct TokenKeyRow {
    id: String,
    sealed: String,
    created_at: Timestamp,
}

impl TokenKeys {
    /// Loads the keys. Creates one if there is none or the newest is too old.
    pub async fn load(&self, platform: &Platform) -> Result<()> {
        let now = platform.clock.now();
        self.read(platform).await?;
        let is_due = self.0.load().first().is_none_or(|newest| newest.created_at.plus(LIFE) <= now);
        if is_due {
            // Nodes that do this concurrently choose the same id, so only one key is created.
            let period = now.0.div_euclid(LIFE.as_micros() as i64);
            create_key(platform, format!("p{period}"), None, false).await?;
            self.read(platform).await?;
        }
        Ok(())
    }

    /// Creates a new key. `forget_others` deletes all other keys, which signs everybody out.
    pub async fn rotate(&self, platform: &Platform, by: &Actor, forget_others: bool) -> Result<()> {
        let id = platform.random.uuid().simple().to_string();
        create_key(platform, id, Some(by.clone()), forget_others).await?;
        self.read(platform).await
    }

    async fn read(&self, platform: &Platform) -> Result<()> {
        let stored = fetch_all!(&mut platform.db.read().await?, TokenKeyRow, TOKEN_KEYS)?;
        let mut keys = Vec::with_capacity(stored.len());
        for TokenKeyRow { id, sealed, created_at } in stored {
            match platform.vault.open(&purpose(&id), &sealed) {
                Ok(secret) => keys.push(Arc::new(TokenKey { id, secret, created_at })),
                Err(error) => tracing::warn!(key = id, %error, "a token key cannot be read; tokens made with it are refused"),
            }
        }
        self.0.store(Arc::new(keys));
        Ok(())
    }

    /// The key that signs now.
    pub fn signing_key(&self, now: Timestamp) -> Result<Arc<TokenKey>> {
        let keys = self.0.load();
        let settled = keys.iter().find(|key| key.created_at.plus(ACTIVATION_DELAY) <= now);
        settled.or(keys.last()).cloned().ok_or_else(|| Error::internal("the token keys were not read"))
    }

    /// The key with this id, if it still verifies.
    pub fn find(&self, id: &str) -> Option<Arc<TokenKey>> {
        self.0.load().iter().find(|key| key.id == id).cloned()
    }

    pub fn all(&self) -> Arc<Vec<Arc<TokenKey>>> {
        self.0.load_full()
    }
}

async fn create_key(platform: &Platform, id: String, by: Option<Actor>, forget_others: bool) -> Result<()> {
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
                execute!(tx, RETIRE_TOKEN_KEYS, KEYS_KEPT)?;
                let Some(by) = by else { return Ok(()) };
                let entry = audit::NewAuditEntry {
                    by: &by,
                    action: "token_key.rotated",
                    about: "token_key",
                    id,
                    before: None,
                    after: None,
                };
                audit::record(tx, entry, now).await
            })
        })
        .await
}

pub(crate) fn purpose(id: &str) -> String {
    format!("token key {id}")
}
