//! A plugin to begin with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agio_plugin::protocol::{Kind, Manifest, Words};
use thiserror::Error;

/// Why there is no new plugin.
#[derive(Debug, Error)]
pub enum Uncreated {
    /// A plugin cannot be called that.
    #[error("{0}")]
    Name(String),
    /// There is something already.
    #[error("{} is there already", .0.display())]
    Taken(PathBuf),
    /// The files cannot be written.
    #[error("the files cannot be written: {0}")]
    Unwritten(#[from] io::Error),
}

/// Writes a crate for a new plugin into a folder of its own, named like the plugin, inside `into`. The crate uses the SDK at `sdk`.
///
/// # Errors
/// The name is none for a plugin, the folder is there already, or nothing can be written.
pub fn create(into: &Path, name: &str, kind: Kind, sdk: &Path) -> Result<PathBuf, Uncreated> {
    let rehearsed = Manifest::new(name, "0.1.0", kind, Words::default(), Words::default());
    rehearsed.check().map_err(Uncreated::Name)?;
    if !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return Err(Uncreated::Name(format!("a crate's name begins with a letter, and {name:?} does not")));
    }
    let folder = into.join(name);
    if folder.exists() {
        return Err(Uncreated::Taken(folder));
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

# `cdylib` is what the house loads; `rlib` is for whoever compiles the plugin in.
[lib]
crate-type = ["cdylib", "rlib"]

[dependencies]
agio-plugin = {{ path = {sdk:?} }}

# A workspace of its own, wherever the folder lies.
[workspace]
"#
    )
}

/// The template under the name, made a library.
fn source(name: &str, template: &str) -> String {
    let value: String = name.split('-').flat_map(capitalised).collect();
    let named = template.replace("\"example\"", &format!("\"{name}\"")).replace("Example", &value);
    let (plugin, tests) = named.split_once("#[cfg(test)]").unwrap_or((named.as_str(), ""));
    let (about, rest) = plugin.split_once("\n\n").unwrap_or((plugin, ""));
    format!("{about}\n#![forbid(unsafe_code)]\n\n{rest}agio_plugin::export!({value});\n\n#[cfg(test)]{tests}")
}

fn capitalised(word: &str) -> impl Iterator<Item = char> {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
}

fn template(kind: Kind) -> &'static str {
    match kind {
        Kind::Rates => include_str!("../../../plugins/template/src/rates.rs"),
        Kind::Payments => include_str!("../../../plugins/template/src/payments.rs"),
        Kind::Screening => include_str!("../../../plugins/template/src/screening.rs"),
        Kind::Notifier => include_str!("../../../plugins/template/src/notifier.rs"),
        Kind::Requisites => include_str!("../../../plugins/template/src/requisites.rs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_a_crate_and_nothing_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "../up", "Big", "9lives", "-x", "a b", &"a".repeat(41)] {
            assert!(matches!(create(folder.path(), name, Kind::Rates, Path::new("/sdk")), Err(Uncreated::Name(_))), "{name}");
        }
        let made = create(folder.path(), "my-bank", Kind::Rates, Path::new("/sdk")).unwrap();
        let source = fs::read_to_string(made.join("src/lib.rs")).unwrap();
        assert!(
            source.contains("agio_plugin::export!(MyBank);") && source.contains("\"my-bank\"") && !source.contains("Example")
        );
        assert!(source.contains("https://api.example.com"));
        assert!(matches!(create(folder.path(), "my-bank", Kind::Rates, Path::new("/sdk")), Err(Uncreated::Taken(_))));
    }
}
