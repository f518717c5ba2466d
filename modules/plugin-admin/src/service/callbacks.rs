//! Callbacks: the service behind a plugin reports that something has happened.
//!
//! The token in the URL is sealed among the settings of the plugin. It permits nothing but to ask the service early.

use std::collections::BTreeMap;

use agio_core::random::Random;
use agio_core::{Vault, hex};
use agio_plugin_sdk::protocol::{CALLBACKS, Manifest};

use super::{PluginEntry, PluginManager, settings};

/// The name of the token among the settings. No setting of a manifest can have it.
const TOKEN: &str = "callback-token";

const TOKEN_BYTES: usize = 32;

/// What given and stored tokens are digested for, so that comparing them tells nothing about the stored one.
const COMPARISON: &str = "plugin callback";

impl PluginManager {
    /// Whether a callback names a plugin that can be called, and has its token.
    pub fn accepts_callback(&self, plugin: &str, token: &str) -> bool {
        let entry = self.entries.load().get(plugin).cloned();
        let stored = entry.filter(|entry| entry.callable().is_some()).and_then(|entry| self.callback_token(&entry));
        let digest = |token: &str| self.platform.vault.digest(COMPARISON, token);
        stored.is_some_and(|stored| digest(&stored) == digest(token))
    }

    /// Where the service behind a plugin may report that something has happened; `None` for a plugin without the
    /// feature, and until its settings are saved for the first time.
    pub fn callback_url(&self, entry: &PluginEntry) -> Option<String> {
        self.callback_token(entry).map(|token| format!("{}/hooks/{}/{token}", self.site, entry.name))
    }

    fn callback_token(&self, entry: &PluginEntry) -> Option<String> {
        let manifest = entry.manifest().filter(|manifest| has_callbacks(manifest))?;
        let configuration = entry.configuration.load();
        let sealed = configuration.settings.get(TOKEN)?;
        let opened = self.platform.vault.open_text(&settings::purpose_of(&manifest.name, TOKEN), sealed);
        opened.inspect_err(|error| tracing::error!(plugin = entry.name, %error, "a callback token cannot be opened")).ok()
    }
}

/// Adds a token to the stored settings if the plugin needs one and there is none, or a new one is wanted.
pub fn add_token(
    vault: &Vault,
    random: &dyn Random,
    manifest: &Manifest,
    wants_new: bool,
    stored: &mut BTreeMap<String, String>,
) {
    if has_callbacks(manifest) && (wants_new || !stored.contains_key(TOKEN)) {
        let mut token = [0; TOKEN_BYTES];
        random.fill(&mut token);
        let sealed = vault.seal(&settings::purpose_of(&manifest.name, TOKEN), hex::encode(token).as_bytes());
        stored.insert(TOKEN.to_owned(), sealed);
    }
}

pub fn has_callbacks(manifest: &Manifest) -> bool {
    manifest.features.iter().any(|feature| feature == CALLBACKS)
}
