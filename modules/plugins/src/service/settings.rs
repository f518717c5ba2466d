//! What is set of a plugin, as it is stored and as the plugin is given it: secrets are sealed in between.

use std::collections::BTreeMap;

use agio_core::Vault;
use agio_plugin::protocol::{Field, FieldKind, Manifest};

use crate::model;

/// A value as it is stored.
#[must_use]
pub fn stored(vault: &Vault, manifest: &Manifest, field: &Field, value: &str) -> String {
    match field.kind {
        FieldKind::Secret => vault.seal(&purpose(manifest, field), value.as_bytes()),
        _ => value.to_owned(),
    }
}

/// What a plugin is given: what is set, and the defaults of what is not. A secret that no key opens any more is as if it had never been
/// set, and that is logged.
#[must_use]
pub fn open(vault: &Vault, manifest: &Manifest, stored: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut given = model::effective(manifest, stored);
    for field in manifest.settings.iter().filter(|field| field.kind == FieldKind::Secret) {
        let Some(sealed) = stored.get(&field.name) else { continue };
        match vault.open(&purpose(manifest, field), sealed).map(String::from_utf8) {
            Ok(Ok(secret)) => drop(given.insert(field.name.clone(), secret)),
            Ok(Err(_)) | Err(_) => {
                tracing::error!(plugin = manifest.name, setting = field.name, "a secret of a plugin cannot be opened");
                given.remove(&field.name);
            }
        }
    }
    given
}

/// What a secret of a plugin is sealed for.
fn purpose(manifest: &Manifest, field: &Field) -> String {
    format!("plugin {} {}", manifest.name, field.name)
}
