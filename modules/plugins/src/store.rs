//! Plugins in SQL.

use std::collections::BTreeMap;

use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_optional};

agio_core::statements! {
    PLUGINS = "SELECT name, enabled, settings, revision, changed_at FROM plugin";
    PLUGIN = "SELECT name, enabled, settings, revision, changed_at FROM plugin WHERE name = $1";
    INSERT_PLUGIN = "INSERT INTO plugin (name, enabled, settings, revision, changed_at) VALUES ($1, $2, $3, 1, $4)
        ON CONFLICT (name) DO NOTHING";
    /// Stores how a plugin is set, if nobody else changed it since it was read.
    UPDATE_PLUGIN = "UPDATE plugin SET enabled = $3, settings = $4, changed_at = $5, revision = $2 + 1 WHERE name = $1 AND revision = $2";
    KEPT_VALUES = "SELECT plugin, name, value FROM plugin_kept";
    KEEP_VALUE = "INSERT INTO plugin_kept (plugin, name, value, kept_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (plugin, name) DO UPDATE SET value = excluded.value, kept_at = excluded.kept_at";
    FORGET_VALUE = "DELETE FROM plugin_kept WHERE plugin = $1 AND name = $2";
}

/// How a plugin is set.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Whether it is switched on.
    pub enabled: bool,
    /// What is set, by name, secrets sealed: JSON.
    pub settings: String,
    /// Counts its changes; 0 while nothing was ever set.
    pub revision: i64,
    /// When it was changed last.
    pub changed_at: Timestamp,
}

impl Row {
    /// What is set, by name, secrets sealed.
    ///
    /// # Errors
    /// It is not what was stored.
    pub fn settings(&self) -> Result<BTreeMap<String, String>> {
        serde_json::from_str(&self.settings).map_err(Error::internal)
    }

    /// A plugin nobody has set.
    #[must_use]
    pub fn blank(name: &str) -> Self {
        Self { name: name.to_owned(), enabled: false, settings: "{}".to_owned(), revision: 0, changed_at: Timestamp(0) }
    }
}

/// A value a plugin keeps.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct KeptRow {
    /// The plugin.
    pub plugin: String,
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// Every plugin somebody has set.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>> {
    fetch_all!(tx, Row, PLUGINS)
}

/// How a plugin is set.
pub async fn one(tx: &mut Tx, name: &str) -> Result<Option<Row>> {
    fetch_optional!(tx, Row, PLUGIN, name)
}

/// Stores how a plugin is set; false when somebody else changed it since it was read.
pub async fn put(tx: &mut Tx, row: &Row) -> Result<bool> {
    let Row { name, enabled, settings, revision, changed_at } = row;
    let stored = match revision {
        0 => execute!(tx, INSERT_PLUGIN, name, enabled, settings, changed_at)?,
        _ => execute!(tx, UPDATE_PLUGIN, name, revision, enabled, settings, changed_at)?,
    };
    Ok(stored == 1)
}

/// Everything plugins keep.
pub async fn kept(tx: &mut Tx) -> Result<Vec<KeptRow>> {
    fetch_all!(tx, KeptRow, KEPT_VALUES)
}

/// Keeps a value for a plugin; nothing forgets it.
pub async fn keep(tx: &mut Tx, plugin: &str, name: &str, value: Option<&str>, now: Timestamp) -> Result<()> {
    match value {
        Some(value) => execute!(tx, KEEP_VALUE, plugin, name, value, now).map(drop),
        None => execute!(tx, FORGET_VALUE, plugin, name).map(drop),
    }
}
