//! Creates the crate of a new plugin from a template.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agio_plugin_sdk::protocol::{LocalizedText, Manifest, PluginKind};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum CreatePluginError {
    /// The name is invalid.
    #[error("{0}")]
    InvalidName(String),
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    #[error("the files cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// Creates a crate for a new plugin in the folder `into/name`. The crate uses the SDK at `sdk`.
pub fn create_plugin(into: &Path, name: &str, kind: PluginKind, sdk: &Path) -> Result<PathBuf, CreatePluginError> {
    let manifest = Manifest::new(name, "0.1.0", kind, LocalizedText::default(), LocalizedText::default());
    manifest.validate().map_err(CreatePluginError::InvalidName)?;
    if !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return Err(CreatePluginError::InvalidName(format!("the name {name:?} must start with a letter")));
    }
    let folder = into.join(name);
    if folder.exists() {
        return Err(CreatePluginError::Exists(folder));
    }
    fs::create_dir_all(folder.join("src"))?;
    let sdk = std::path::absolute(sdk)?;
    fs::write(folder.join("Cargo.toml"), cargo_toml(name, &sdk))?;
    fs::write(folder.join("src/lib.rs"), source(name, template(kind)))?;
    fs::write(folder.join(".gitignore"), "/target\n")?;
    Ok(folder)
}

fn cargo_toml(name: &str, sdk: &Path) -> String {
    format!(
        r#"[package]
name = "{name}"
version = "0.1.0"
edition = "2024"

# The server loads the `cdylib`; the `rlib` is for compiling the plugin in.
[lib]
crate-type = ["cdylib", "rlib"]

[dependencies]
agio-plugin-sdk = {{ path = {sdk:?} }}

# Keeps the crate out of any workspace around it.
[workspace]
"#
    )
}

/// The template, renamed and exported as a library.
fn source(name: &str, template: &str) -> String {
    let value: String = name.split('-').flat_map(capitalized).collect();
    let named = template.replace("\"example\"", &format!("\"{name}\"")).replace("Example", &value);
    let (plugin, tests) = named.split_once("#[cfg(test)]").unwrap_or((named.as_str(), ""));
    let (about, rest) = plugin.split_once("\n\n").unwrap_or((plugin, ""));
    format!("{about}\n#![forbid(unsafe_code)]\n\n{rest}agio_plugin_sdk::export!({value});\n\n#[cfg(test)]{tests}")
}

fn capitalized(word: &str) -> impl Iterator<Item = char> {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
}

fn template(kind: PluginKind) -> &'static str {
    match kind {
        PluginKind::Rates => include_str!("../../../plugins/template/src/rates.rs"),
        PluginKind::Payments => include_str!("../../../plugins/template/src/payments.rs"),
        PluginKind::Screening => include_str!("../../../plugins/template/src/screening.rs"),
        PluginKind::Notifier => include_str!("../../../plugins/template/src/notifier.rs"),
        PluginKind::Requisites => include_str!("../../../plugins/template/src/requisites.rs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_created_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "../up", "Big", "9lives", "-x", "a b", &"a".repeat(41)] {
            assert!(
                matches!(
                    create_plugin(folder.path(), name, PluginKind::Rates, Path::new("/sdk")),
                    Err(CreatePluginError::InvalidName(_))
                ),
                "{name}"
            );
        }
        let created = create_plugin(folder.path(), "my-bank", PluginKind::Rates, Path::new("/sdk")).unwrap();
        let source = fs::read_to_string(created.join("src/lib.rs")).unwrap();
        assert!(
            source.contains("agio_plugin_sdk::export!(MyBank);") && source.contains("\"my-bank\"") && !source.contains("Example")
        );
        assert!(source.contains("https://api.example.com"));
        assert!(matches!(
            create_plugin(folder.path(), "my-bank", PluginKind::Rates, Path::new("/sdk")),
            Err(CreatePluginError::Exists(_))
        ));
    }
}
