//! What staff change of plugins.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Staff};
use agio_core::live::Notice;
use agio_core::{Error, Result, Timestamp, Vault};
use agio_plugin::protocol::{FieldKind, Manifest};
use serde_json::{Value, json};

use super::{Shelf, settings};
use crate::model;
use crate::store::{self, Row};

/// What is changed of a plugin; what is left out stays.
#[derive(Clone, Debug, Default)]
pub struct PluginChange {
    /// Whether it is switched on.
    pub enabled: Option<bool>,
    /// What is set; nothing as a value goes back to the default.
    pub settings: BTreeMap<String, Option<String>>,
}

impl Shelf {
    /// Changes how a plugin of this revision is set.
    ///
    /// # Errors
    /// 404 `plugin_not_found`; 409 `plugin_changed`, and `plugin_not_loaded` while its library did not say who it is; 422 `validation_failed`
    /// with what is wrong.
    pub async fn change(self: &Arc<Self>, name: &str, revision: i64, change: PluginChange, staff: Staff) -> Result<()> {
        let manifest = self.entry(name)?.manifest().ok_or_else(|| Error::conflict("plugin_not_loaded"))?;
        model::check(&manifest, &change.settings, |url| self.hand.may_call(url))?;
        let (by, now) = (Arc::new(Actor::from(&staff)), self.platform.clock.now());
        let (vault, live) = (self.platform.vault.clone(), self.platform.live.clone());
        let change = Arc::new(change);
        let work = self.platform.db.write(move |tx| {
            let (by, manifest, change, vault, live) = (by.clone(), manifest.clone(), change.clone(), vault.clone(), live.clone());
            Box::pin(async move {
                let name = manifest.name.clone();
                let before = store::one(tx, &name).await?.unwrap_or_else(|| Row::blank(&name));
                if before.revision != revision {
                    return Err(Error::conflict("plugin_changed"));
                }
                let after = changed(&manifest, &before, &change, &vault, now)?;
                if !store::put(tx, &after).await? {
                    return Err(Error::conflict("plugin_changed"));
                }
                let (before, after) = (Some(told(&manifest, &before)?), Some(told(&manifest, &after)?));
                let entry = Entry { by: &by, action: "plugin.changed", about: "plugin", id: name, before, after };
                audit::record(tx, entry, now).await?;
                tx.after_commit(move || live.tell(Notice::Plugins));
                Ok(())
            })
        });
        work.await?;
        self.load().await
    }

    /// Gives a plugin another chance that was given up.
    ///
    /// # Errors
    /// 404 `plugin_not_found`.
    pub async fn revive(&self, name: &str, staff: Staff) -> Result<()> {
        let entry = self.entry(name)?;
        let (by, now, name) = (Arc::new(Actor::from(&staff)), self.platform.clock.now(), name.to_owned());
        let work = self.platform.db.write(move |tx| {
            let (by, id) = (by.clone(), name.clone());
            Box::pin(async move {
                let entry = Entry { by: &by, action: "plugin.revived", about: "plugin", id, before: None, after: None };
                audit::record(tx, entry, now).await
            })
        });
        work.await?;
        if let Some(plugin) = entry.supervised() {
            plugin.revive();
        }
        Ok(())
    }
}

fn changed(manifest: &Manifest, before: &Row, change: &PluginChange, vault: &Vault, now: Timestamp) -> Result<Row> {
    let mut set = before.settings()?;
    for field in &manifest.settings {
        match change.settings.get(&field.name) {
            None => {}
            Some(None) => drop(set.remove(&field.name)),
            Some(Some(value)) => drop(set.insert(field.name.clone(), settings::stored(vault, manifest, field, value))),
        }
    }
    let settings = serde_json::to_string(&set).map_err(Error::internal)?;
    Ok(Row { enabled: change.enabled.unwrap_or(before.enabled), settings, changed_at: now, ..before.clone() })
}

/// A plugin's settings as the audit log tells of them: of a secret only that it is there.
fn told(manifest: &Manifest, row: &Row) -> Result<Value> {
    let stored = row.settings()?;
    let mut settings = serde_json::Map::new();
    for field in &manifest.settings {
        let Some(value) = stored.get(&field.name) else { continue };
        let shown = if field.kind == FieldKind::Secret { "(secret)" } else { value.as_str() };
        settings.insert(field.name.clone(), shown.into());
    }
    Ok(json!({ "enabled": row.enabled, "settings": settings }))
}
