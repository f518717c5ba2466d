//! Two-person approval of changes of plugins: their settings decide where money goes and what is believed to have come.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::{BoxFuture, Result, Tx};
use agio_plugin_sdk::protocol::{Manifest, PluginSettingKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::change::{PluginUpdate, StoredChange};
use super::{PluginManager, settings};
use crate::PLUGINS_EDIT;
use crate::store::{self, PluginRow};

const KIND: &str = "plugin_changed";

/// The payload of an approval request.
#[derive(Serialize, Deserialize)]
struct RequestedUpdate {
    /// With sealed secrets, and the revision that it was requested for.
    after: PluginRow,
    new_callback_url: bool,
}

/// The approval request for a change; `None` if one person may make it: disabling a plugin, or replacing its callback
/// URL, which permits nothing.
pub fn required_approval(
    manifest: &Manifest,
    before: &PluginRow,
    after: &PluginRow,
    update: &PluginUpdate,
) -> Result<Option<ApprovalRequest>> {
    let changed = changed_settings(manifest, before, after, update)?;
    if changed.is_empty() && (before.enabled || !after.enabled) {
        return Ok(None);
    }
    let flag = |row: &PluginRow| Some(ApprovalValue::flag(row.enabled));
    let callback = update.new_callback_url.then(|| ApprovalFact::new("plugin_callback", ApprovalValue::flag(true)));
    let facts =
        [Some(ApprovalFact::new("plugin", manifest.name.clone())), ApprovalFact::change("plugin_on", flag(before), flag(after))];
    let shown = facts.into_iter().chain([callback]).flatten().chain(changed).collect();
    let payload = json!(RequestedUpdate { after: after.clone(), new_callback_url: update.new_callback_url });
    Ok(Some(ApprovalRequest { kind: KIND, about: ("plugin", manifest.name.clone()), shown, payload }))
}

/// A fact for each changed setting. Of a secret only its name is shown.
fn changed_settings(
    manifest: &Manifest,
    before: &PluginRow,
    after: &PluginRow,
    update: &PluginUpdate,
) -> Result<Vec<ApprovalFact>> {
    let (before, after) = (before.settings()?, after.settings()?);
    let facts = manifest.settings.iter().filter_map(|field| {
        let (name, old, new) = (&field.name, before.get(&field.name), after.get(&field.name));
        if field.kind != PluginSettingKind::Secret {
            let shown = |value: Option<&String>| value.map(|value| ApprovalValue::from(format!("{name}: {value}")));
            return ApprovalFact::change("plugin_setting", shown(old), shown(new));
        }
        match (update.settings.get(name)?, old) {
            (Some(_), _) => Some(ApprovalFact::new("plugin_secret", name.clone())),
            (None, Some(_)) => Some(ApprovalFact::new("plugin_secret_removed", name.clone())),
            (None, None) => None,
        }
    });
    Ok(facts.collect())
}

impl PluginManager {
    async fn execute_approved(&self, tx: &mut Tx, approval: &ApprovalRow) -> Result<()> {
        let RequestedUpdate { mut after, new_callback_url } = approval.read()?;
        let manifest = self.entry(&after.name)?.manifest().ok_or_else(outdated)?;
        let before = store::get(tx, &after.name).await?.unwrap_or_else(|| PluginRow::empty(&after.name));
        // The key of the secrets may have been replaced since.
        let resealed = settings::reseal(&self.platform.vault, &after.name, &after.settings);
        after.settings = resealed.map_err(|error| outdated().caused_by(error))?;
        after.changed_at = self.platform.clock.now();
        let change = StoredChange { manifest: &manifest, before: &before, after: &after, new_callback_url };
        self.store_change(tx, change, &approval.proposer()).await.map_err(|error| match error.code() {
            "plugin_changed" => outdated().caused_by(error),
            _ => error,
        })
    }
}

/// Makes approved changes of plugins.
pub struct PluginChangeApproval(pub Arc<PluginManager>);

impl ApprovalHandler for PluginChangeApproval {
    fn handles(&self) -> (&'static str, Permission) {
        (KIND, PLUGINS_EDIT)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.execute_approved(tx, approval).await })
    }

    fn after_commit(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.load())
    }
}
