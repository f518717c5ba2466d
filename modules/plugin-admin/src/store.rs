//! Plugins in SQL.

use std::collections::BTreeMap;

use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_optional};

agio_core::statements! {
    PLUGINS = "SELECT name, enabled, settings, revision, changed_at FROM plugin";
    PLUGIN = "SELECT name, enabled, settings, revision, changed_at FROM plugin WHERE name = $1";
    INSERT_PLUGIN = "INSERT INTO plugin (name, enabled, settings, revision, changed_at) VALUES ($1, $2, $3, 1, $4)
        ON CONFLICT (name) DO NOTHING";
    UPDATE_PLUGIN = "UPDATE plugin SET enabled = $3, settings = $4, changed_at = $5, revision = $2 + 1 WHERE name = $1 AND revision = $2";
    STORED_VALUES = "SELECT plugin, name, value FROM plugin_value";
    STORE_VALUE = "INSERT INTO plugin_value (plugin, name, value, stored_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (plugin, name) DO UPDATE SET value = excluded.value, stored_at = excluded.stored_at";
    DELETE_VALUE = "DELETE FROM plugin_value WHERE plugin = $1 AND name = $2";
}

/// Settings of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow, serde::Serialize, serde::Deserialize)]
pub struct PluginRow {
    pub name: String,
    pub enabled: bool,
    /// Settings by name in JSON, with sealed secrets.
    pub settings: String,
    /// Incremented with each change; 0 if nothing was ever set.
    pub revision: i64,
    pub changed_at: Timestamp,
}

impl PluginRow {
    /// Settings by name, with sealed secrets.
    pub fn settings(&self) -> Result<BTreeMap<String, String>> {
        serde_json::from_str(&self.settings).map_err(Error::internal)
    }

    /// The row of a plugin without settings.
    pub fn empty(name: &str) -> Self {
        Self { name: name.to_owned(), enabled: false, settings: "{}".to_owned(), revision: 0, changed_at: Timestamp(0) }
    }
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct StoredValueRow {
    pub plugin: String,
    pub name: String,
    pub value: String,
}

pub async fn list(tx: &mut Tx) -> Result<Vec<PluginRow>> {
    fetch_all!(tx, PluginRow, PLUGINS)
}

pub async fn get(tx: &mut Tx, name: &str) -> Result<Option<PluginRow>> {
    fetch_optional!(tx, PluginRow, PLUGIN, name)
}

/// Stores the settings; false if they have changed since they were read.
pub async fn save(tx: &mut Tx, row: &PluginRow) -> Result<bool> {
    let PluginRow { name, enabled, settings, revision, changed_at } = row;
    let stored = match revision {
        0 => execute!(tx, INSERT_PLUGIN, name, enabled, settings, changed_at)?,
        _ => execute!(tx, UPDATE_PLUGIN, name, revision, enabled, settings, changed_at)?,
    };
    Ok(stored == 1)
}

/// Stored values of all plugins.
pub async fn list_stored_values(tx: &mut Tx) -> Result<Vec<StoredValueRow>> {
    fetch_all!(tx, StoredValueRow, STORED_VALUES)
}

/// Stores a value of a plugin; `None` deletes it.
pub async fn store_value(tx: &mut Tx, plugin: &str, name: &str, value: Option<&str>, now: Timestamp) -> Result<()> {
    match value {
        Some(value) => execute!(tx, STORE_VALUE, plugin, name, value, now).map(drop),
        None => execute!(tx, DELETE_VALUE, plugin, name).map(drop),
    }
}
