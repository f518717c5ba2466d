//! Changes of plugins by staff.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_approvals::ChangeOutcome;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::events::ChangeEvent;
use agio_core::identity::{Actor, Staff};
use agio_core::random::Random;
use agio_core::{Error, Result, Timestamp, Tx, Vault};
use agio_plugin_sdk::protocol::{Manifest, PluginSettingKind};
use serde_json::{Value, json};

use super::{PluginManager, approval, callbacks, settings};
use crate::model;
use crate::store::{self, PluginRow};

/// Update of a plugin. Absent fields do not change.
#[derive(Clone, Debug, Default)]
pub struct PluginUpdate {
    pub enabled: Option<bool>,
    /// Settings by name; `None` restores the default.
    pub settings: BTreeMap<String, Option<String>>,
    /// Whether the callback URL is replaced. The old one is refused from then on.
    pub new_callback_url: bool,
}

/// A change to store, with an audit entry.
#[derive(Clone, Copy)]
pub(super) struct StoredChange<'c> {
    pub manifest: &'c Manifest,
    pub before: &'c PluginRow,
    pub after: &'c PluginRow,
    pub new_callback_url: bool,
}

impl PluginManager {
    /// Updates a plugin of this revision, or creates an approval request. What only disables is applied at once.
    ///
    /// # Errors
    /// 404 `plugin_not_found`; 409 `plugin_changed`, `approval_waits`, or `plugin_not_loaded` until its library is
    /// loaded; 422 `validation_failed`.
    pub async fn update(
        self: &Arc<Self>,
        name: &str,
        revision: i64,
        update: PluginUpdate,
        staff: Staff,
    ) -> Result<ChangeOutcome<()>> {
        self.change(name, (revision, update), staff, self.approvals.is_enabled()).await
    }

    /// Updates a plugin of this revision for the server itself, which asks nobody.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn update_at_once(self: &Arc<Self>, name: &str, revision: i64, update: PluginUpdate, staff: Staff) -> Result<()> {
        self.change(name, (revision, update), staff, false).await.map(drop)
    }

    async fn change(
        self: &Arc<Self>,
        name: &str,
        (revision, update): (i64, PluginUpdate),
        staff: Staff,
        needs_approval: bool,
    ) -> Result<ChangeOutcome<()>> {
        let manifest = self.entry(name)?.manifest().ok_or_else(|| Error::conflict("plugin_not_loaded"))?;
        model::check(&manifest, &update.settings, |url| self.executor.may_call(url))?;
        if update.new_callback_url && !callbacks::has_callbacks(&manifest) {
            return Err(Error::unprocessable("validation_failed").at("newCallbackUrl", "unknown_field"));
        }
        let (this, now, update) = (self.clone(), self.platform.clock.now(), Arc::new(update));
        let work = self.platform.db.write(move |tx| {
            let (this, staff, manifest, update) = (this.clone(), staff.clone(), manifest.clone(), update.clone());
            Box::pin(async move {
                let name = manifest.name.clone();
                let before = store::get(tx, &name).await?.unwrap_or_else(|| PluginRow::empty(&name));
                if before.revision != revision {
                    return Err(Error::conflict("plugin_changed"));
                }
                let platform = &this.platform;
                let after = updated_row(&manifest, &before, &update, (&platform.vault, &*platform.random), now)?;
                if needs_approval && let Some(request) = approval::required_approval(&manifest, &before, &after, &update)? {
                    let row = this.approvals.propose(tx, request, &staff).await?;
                    return Ok(ChangeOutcome::PendingApproval(Box::new(row)));
                }
                let new_callback_url = update.new_callback_url;
                let change = StoredChange { manifest: &manifest, before: &before, after: &after, new_callback_url };
                this.store_change(tx, change, &Actor::from(&staff)).await.map(ChangeOutcome::Applied)
            })
        });
        let outcome = work.await?;
        self.load().await?;
        Ok(outcome)
    }

    /// # Errors
    /// 409 `plugin_changed`.
    pub(super) async fn store_change(&self, tx: &mut Tx, change: StoredChange<'_>, by: &Actor) -> Result<()> {
        let StoredChange { manifest, before, after, new_callback_url } = change;
        if !store::save(tx, after).await? {
            return Err(Error::conflict("plugin_changed"));
        }
        let (id, at) = (manifest.name.clone(), after.changed_at);
        let (before, mut after) = (audit_values(manifest, before)?, audit_values(manifest, after)?);
        if new_callback_url {
            after["newCallbackUrl"] = true.into();
        }
        let (before, after) = (Some(before), Some(after));
        let entry = NewAuditEntry { by, action: "plugin.changed", about: "plugin", id, before, after };
        audit::record(tx, entry, at).await?;
        let events = self.platform.events.clone();
        tx.after_commit(move || events.publish(ChangeEvent::Plugins));
        Ok(())
    }

    /// Ends the quarantine of a plugin.
    ///
    /// # Errors
    /// 404 `plugin_not_found`.
    pub async fn revive(&self, name: &str, staff: Staff) -> Result<()> {
        let entry = self.entry(name)?;
        let (by, now, name) = (Arc::new(Actor::from(&staff)), self.platform.clock.now(), name.to_owned());
        let work = self.platform.db.write(move |tx| {
            let (by, id) = (by.clone(), name.clone());
            Box::pin(async move {
                let entry = NewAuditEntry { by: &by, action: "plugin.revived", about: "plugin", id, before: None, after: None };
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

fn updated_row(
    manifest: &Manifest,
    before: &PluginRow,
    update: &PluginUpdate,
    (vault, random): (&Vault, &dyn Random),
    now: Timestamp,
) -> Result<PluginRow> {
    let mut set = before.settings()?;
    for field in &manifest.settings {
        match update.settings.get(&field.name) {
            None => {}
            Some(None) => drop(set.remove(&field.name)),
            Some(Some(value)) => drop(set.insert(field.name.clone(), settings::encode(vault, manifest, field, value))),
        }
    }
    callbacks::add_token(vault, random, manifest, update.new_callback_url, &mut set);
    let settings = serde_json::to_string(&set).map_err(Error::internal)?;
    Ok(PluginRow { enabled: update.enabled.unwrap_or(before.enabled), settings, changed_at: now, ..before.clone() })
}

/// A plugin's settings for the audit log, without secrets.
fn audit_values(manifest: &Manifest, row: &PluginRow) -> Result<Value> {
    let stored = row.settings()?;
    let mut settings = serde_json::Map::new();
    for field in &manifest.settings {
        let Some(value) = stored.get(&field.name) else { continue };
        let shown = if field.kind == PluginSettingKind::Secret { "(secret)" } else { value.as_str() };
        settings.insert(field.name.clone(), shown.into());
    }
    Ok(json!({ "enabled": row.enabled, "settings": settings }))
}
