//! `agio plugin`: for those who write plugins, and those who agree to them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use agio_core::clock::SystemClock;
use agio_core::random::OsRandom;
use agio_core::{Error, Result};
use agio_plugin_host::create::create;
use agio_plugin_host::protocol::{Field, Host, Kind, Manifest};
use agio_plugin_host::{Library, Policy, Runner, describe, digest};
use clap::Subcommand;

/// What can be done.
#[derive(Subcommand)]
pub enum Plugin {
    /// Begin a plugin: write a crate that builds, passes its tests and can be loaded.
    New {
        /// Its name: lower-case letters, digits and dashes. The crate's folder is called the same.
        name: String,
        /// What it is for: rates, payments, screening, notifier or requisites.
        #[arg(long, value_parser = kind)]
        kind: Kind,
        /// Where the SDK is; by default the folder plugins/sdk of the checkout this is said in.
        #[arg(long, value_name = "FOLDER")]
        sdk: Option<PathBuf>,
    },
    /// Load a library in a process of its own, print what it says of itself, and the line of the list of plugins that agrees to it.
    Check {
        /// The library.
        file: PathBuf,
    },
}

/// Does it.
///
/// # Errors
/// The files cannot be read or written.
pub async fn obey(what: Plugin) -> Result<ExitCode> {
    match what {
        Plugin::New { name, kind, sdk } => begin(&name, kind, sdk),
        Plugin::Check { file } => check(file).await,
    }
}

fn begin(name: &str, kind: Kind, sdk: Option<PathBuf>) -> Result<ExitCode> {
    let here = std::env::current_dir().map_err(Error::internal)?;
    let Some(sdk) = sdk.or_else(|| checkout(&here)) else {
        eprintln!("agio: this is not inside a checkout of Agio; say where its plugins/sdk is: --sdk FOLDER");
        return Ok(ExitCode::FAILURE);
    };
    match create(&here, name, kind, &sdk) {
        Ok(folder) => {
            println!("{} is a plugin. Next:", folder.display());
            println!("  cd {name} && cargo test && cargo build --release");
            println!("  agio plugin check target/release/lib{}.{}", name.replace('-', "_"), std::env::consts::DLL_EXTENSION);
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => {
            eprintln!("agio: {why}");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The SDK of the checkout a folder is in.
fn checkout(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join("plugins/sdk")).find(|sdk| sdk.join("Cargo.toml").is_file())
}

async fn check(file: PathBuf) -> Result<ExitCode> {
    let sha256 = match digest(&file) {
        Ok(sha256) => sha256,
        Err(error) => {
            eprintln!("agio: {}: {error}", file.display());
            return Ok(ExitCode::FAILURE);
        }
    };
    let library = Library { path: file, sha256: sha256.clone() };
    let policy = Policy { faults: 1, ..Policy::new(Runner::own().map_err(Error::internal)?) };
    match describe(library, policy, Arc::new(SystemClock), Arc::new(OsRandom::default())).await {
        Ok(manifest) => {
            print(&manifest);
            println!(
                "\nTo agree to it, write into the list of plugins ([plugins] list):\n\n[plugins.allowed]\n{} = \"{sha256}\"",
                manifest.name
            );
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => {
            eprintln!("agio: this cannot be a plugin: {why}");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn print(manifest: &Manifest) {
    println!("{} {}: {}. {}", manifest.name, manifest.version, manifest.title.en, manifest.about.en);
    println!("kind      {}", word(&manifest.kind));
    for host in &manifest.hosts {
        match host {
            Host::Origin { origin, methods } => {
                println!("calls     {origin} ({})", methods.iter().map(word).collect::<Vec<_>>().join(", "))
            }
            Host::Setting { setting, methods } => {
                println!(
                    "calls     whatever the setting {setting} says ({})",
                    methods.iter().map(word).collect::<Vec<_>>().join(", ")
                );
            }
        }
    }
    for Field { name, title, default, .. } in &manifest.settings {
        println!(
            "setting   {name}: {} ({})",
            title.en,
            default.as_ref().map_or("has to be set".to_owned(), |value| format!("{value:?} by default"))
        );
    }
    let limits = manifest.limits;
    println!(
        "limits    {} ms a round, {} rounds, {} ms and {} bytes a reply",
        limits.round_ms, limits.rounds, limits.request_ms, limits.reply_bytes
    );
}

/// How the protocol writes it.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

fn kind(text: &str) -> Result<Kind, String> {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
        .map_err(|_| "there are rates, payments, screening, notifier and requisites".to_owned())
}
