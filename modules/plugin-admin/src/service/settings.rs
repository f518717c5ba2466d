//! Encoding of plugin settings: secrets are sealed.

use std::collections::BTreeMap;

use agio_core::Vault;
use agio_plugin_sdk::protocol::{Manifest, PluginSetting, PluginSettingKind};

use crate::model;

/// Encodes a value for storage.
#[must_use]
pub fn encode(vault: &Vault, manifest: &Manifest, field: &PluginSetting, value: &str) -> String {
    match field.kind {
        PluginSettingKind::Secret => vault.seal(&purpose(manifest, field), value.as_bytes()),
        _ => value.to_owned(),
    }
}

/// The settings passed to a plugin, including defaults. A secret that cannot be opened is logged and treated as not set.
#[must_use]
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

fn purpose(manifest: &Manifest, field: &PluginSetting) -> String {
    format!("plugin {} {}", manifest.name, field.name)
}
