//! The names of the vault's keys, kept in the database: a key that is missing is noticed before anything is written.

use std::sync::Arc;

use agio_core::clock::{Clock as _, SystemClock};
use agio_core::db::Engine;
use agio_core::random::SecretRandom;
use agio_core::{Db, Error, Result, Timestamp, Tx, Vault, execute, fetch_all, fetch_one, resealing};

use crate::app::App;
use crate::config::Config;
use crate::output::say;
use crate::secrets;

agio_core::statements! {
    KNOWN = "SELECT id, created_at FROM vault_key ORDER BY created_at, id";
    ADD = "INSERT INTO vault_key (id, created_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
    FORGET_OTHERS = "DELETE FROM vault_key WHERE id <> $1";
}

/// Opens the vault and checks that it has every key of the database. Writes nothing to the database. The first start
/// creates a key file if no keys are configured.
///
/// # Errors
/// A key of the database is missing, which the message names, or as [`secrets::vault`].
pub async fn open_vault(config: &Config, db: &Db) -> Result<Vault> {
    let known: Vec<_> = known_keys(db).await?.into_iter().map(|(id, _)| id).collect();
    vault_with(config, &known)
}

/// Checks that the configuration has every key of the database, and creates none.
///
/// # Errors
/// A key is missing, which the message names.
pub async fn check(config: &Config, db: &Db) -> Result<()> {
    let known: Vec<_> = known_keys(db).await?.into_iter().map(|(id, _)| id).collect();
    if known.is_empty() { Ok(()) } else { vault_with(config, &known).map(drop) }
}

/// The vault of the configuration, which has these keys.
///
/// # Errors
/// As [`open_vault`].
pub fn vault_with(config: &Config, known: &[String]) -> Result<Vault> {
    let file = secrets::file_of(config);
    let is_configured = !config.secrets.keys.is_empty();
    let place = if is_configured { "secrets.keys or AGIO__SECRETS__KEYS".to_owned() } else { file.display().to_string() };
    // A new file would hold a new key, which opens nothing.
    if !is_configured
        && !file.exists()
        && let Some(id) = known.first()
    {
        return Err(missing(id, &format!("{place} does not exist and secrets.keys is empty")));
    }
    let vault = secrets::vault(config, Arc::new(SecretRandom::default()))?;
    let given: Vec<_> = vault.key_ids().collect();
    match known.iter().find(|id| !given.contains(&id.as_str())) {
        Some(id) => Err(missing(id, &format!("{place} has only {}", given.join(", ")))),
        None => Ok(vault),
    }
}

fn missing(id: &str, found: &str) -> Error {
    Error::internal(format!(
        "values in this database are sealed with key {id}, but {found}; put key {id} back (nothing was written)"
    ))
}

/// Stores the name of the key that seals, unless the database knows it.
pub async fn record(db: &Db, vault: &Vault) -> Result<()> {
    let sealing = sealing_key(vault);
    if known_keys(db).await?.iter().any(|(known, _)| *known == sealing) {
        return Ok(());
    }
    let now = SystemClock.now();
    db.write(move |tx| {
        let sealing = sealing.clone();
        Box::pin(async move { execute!(tx, ADD, sealing, now).map(drop) })
    })
    .await
}

fn sealing_key(vault: &Vault) -> String {
    vault.key_ids().next().expect("a vault has a key").to_owned()
}

/// Seals every value with the first key, and forgets the names of the others.
///
/// # Errors
/// A value cannot be opened: then the names stay.
pub async fn reseal(app: &App) -> Result<()> {
    let (db, vault) = (&app.platform.db, &app.platform.vault);
    let mut unreadable = 0;
    for column in app.sealed_columns() {
        let done = resealing::reseal(db, vault, column).await?;
        say!("{:<36} {:>10} values", column.name, done.values);
        unreadable += done.unreadable;
    }
    if unreadable > 0 {
        return Err(Error::internal(format!(
            "{unreadable} values could not be opened and are as they were, so all keys are still needed; the log names them"
        )));
    }
    let sealing = sealing_key(vault);
    say!("Everything is sealed with key {sealing}.");
    db.write(move |tx| {
        let sealing = sealing.clone();
        Box::pin(async move { execute!(tx, FORGET_OTHERS, sealing).map(drop) })
    })
    .await
}

/// Prints the names of the keys, the sealing one first, and since when the database knows them.
pub async fn list(db: &Db, vault: &Vault) -> Result<()> {
    let known = known_keys(db).await?;
    for (position, id) in vault.key_ids().enumerate() {
        let since = known.iter().find(|(known, _)| known == id).map_or(String::new(), |(_, at)| at.to_string());
        say!("{id}  {:<5}  {since}", if position == 0 { "seals" } else { "opens" });
    }
    Ok(())
}

/// The keys that the database names, and since when; none before its schema exists.
async fn known_keys(db: &Db) -> Result<Vec<(String, Timestamp)>> {
    known_in(&mut db.read().await?).await
}

pub async fn known_in(tx: &mut Tx) -> Result<Vec<(String, Timestamp)>> {
    let table = match tx.engine() {
        Engine::Sqlite => "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'vault_key'",
        Engine::Postgres => "SELECT COUNT(to_regclass('vault_key'))",
    };
    if fetch_one!(tx, (i64,), table)?.0 == 0 {
        return Ok(Vec::new());
    }
    fetch_all!(tx, (String, Timestamp), KNOWN)
}
