//! Encoding of plugin settings: secrets are sealed.

use std::collections::BTreeMap;

use agio_core::{Error, Result, Vault};
use agio_plugin_sdk::protocol::{Manifest, PluginSetting, PluginSettingKind};

use crate::model;

/// Encodes a value for storage.
pub fn encode(vault: &Vault, manifest: &Manifest, field: &PluginSetting, value: &str) -> String {
    match field.kind {
        PluginSettingKind::Secret => vault.seal(&purpose(manifest, field), value.as_bytes()),
        _ => value.to_owned(),
    }
}

/// The settings passed to a plugin, including defaults. A secret that cannot be opened is logged and treated as not
/// set.
pub fn open(vault: &Vault, manifest: &Manifest, stored: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut settings = model::effective(manifest, stored);
    for field in manifest.settings.iter().filter(|field| field.kind == PluginSettingKind::Secret) {
        let Some(sealed) = stored.get(&field.name) else { continue };
        match vault.open(&purpose(manifest, field), sealed).map(String::from_utf8) {
            Ok(Ok(secret)) => drop(settings.insert(field.name.clone(), secret)),
            Ok(Err(_)) | Err(_) => {
                tracing::error!(plugin = manifest.name, setting = field.name, "a secret of a plugin cannot be opened");
                settings.remove(&field.name);
            }
        }
    }
    settings
}

/// Stored settings with all secrets sealed anew.
///
/// # Errors
/// A secret cannot be opened.
pub fn reseal(vault: &Vault, plugin: &str, stored: &str) -> Result<String> {
    let mut settings: BTreeMap<String, String> = serde_json::from_str(stored).map_err(Error::internal)?;
    for (name, value) in settings.iter_mut().filter(|(_, value)| Vault::is_sealed(value)) {
        *value = vault.reseal(&purpose_of(plugin, name), value)?;
    }
    serde_json::to_string(&settings).map_err(Error::internal)
}

fn purpose(manifest: &Manifest, field: &PluginSetting) -> String {
    purpose_of(&manifest.name, &field.name)
}

pub fn purpose_of(plugin: &str, setting: &str) -> String {
    format!("plugin {plugin} {setting}")
}
