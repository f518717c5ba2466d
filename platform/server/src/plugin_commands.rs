//! `agio plugin`: creates and inspects plugins.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use agio_core::clock::SystemClock;
use agio_core::random::SecretRandom;
use agio_core::{Error, Result};
use agio_plugin_runtime::protocol::{AllowedHost, Manifest, PluginKind, PluginSetting};
use agio_plugin_runtime::scaffold;
use agio_plugin_runtime::{PluginLibrary, RunnerCommand, SupervisorPolicy, file_sha256, read_manifest};
use clap::Subcommand;

use crate::output::say;

#[derive(Subcommand)]
pub enum PluginCommand {
    /// Create a plugin crate that builds, passes its tests and can be loaded.
    New {
        /// The name of the plugin and its folder: lower-case letters, digits and dashes.
        name: String,
        /// The kind: rates, payments, screening, notifier or requisites.
        #[arg(long, value_parser = kind)]
        kind: PluginKind,
        /// The folder of the SDK; by default plugins/sdk of the current checkout.
        #[arg(long, value_name = "FOLDER")]
        sdk: Option<PathBuf>,
    },
    /// Load a library in a separate process, print its manifest and the line that allows it.
    Check {
        /// The library file.
        file: PathBuf,
    },
}

pub async fn run(command: PluginCommand) -> Result<ExitCode> {
    match command {
        PluginCommand::New { name, kind, sdk } => create_crate(&name, kind, sdk),
        PluginCommand::Check { file } => check(file).await,
    }
}

fn create_crate(name: &str, kind: PluginKind, sdk: Option<PathBuf>) -> Result<ExitCode> {
    let here = std::env::current_dir().map_err(Error::internal)?;
    let Some(sdk) = sdk.or_else(|| checkout(&here)) else {
        eprintln!("agio: not inside a checkout of Agio; name the folder of the SDK: --sdk FOLDER");
        return Ok(ExitCode::FAILURE);
    };
    match scaffold::create_plugin(&here, name, kind, &sdk) {
        Ok(folder) => {
            say!("Created {}. Next:", folder.display());
            say!("  cd {name} && cargo test && cargo build --release");
            say!("  agio plugin check target/release/lib{}.{}", name.replace('-', "_"), std::env::consts::DLL_EXTENSION);
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
    let sha256 = match file_sha256(&file) {
        Ok(sha256) => sha256,
        Err(error) => {
            eprintln!("agio: {}: {error}", file.display());
            return Ok(ExitCode::FAILURE);
        }
    };
    let library = PluginLibrary { path: file, sha256: sha256.clone() };
    let policy = SupervisorPolicy { max_faults: 1, ..SupervisorPolicy::new(RunnerCommand::own().map_err(Error::internal)?) };
    match read_manifest(library, policy, Arc::new(SystemClock), Arc::new(SecretRandom::default())).await {
        Ok(manifest) => {
            print(&manifest);
            say!(
                "\nTo allow it, add to the list of plugins ([plugins] list):\n\n[plugins.allowed]\n{} = \"{sha256}\"",
                manifest.name
            );
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => {
            eprintln!("agio: not a valid plugin: {why}");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn print(manifest: &Manifest) {
    say!("{} {}: {}. {}", manifest.name, manifest.version, manifest.title.en, manifest.about.en);
    say!("kind      {}", wire_name(&manifest.kind));
    for host in &manifest.hosts {
        match host {
            AllowedHost::Origin { origin, methods } => {
                say!("calls     {origin} ({})", methods.iter().map(wire_name).collect::<Vec<_>>().join(", "))
            }
            AllowedHost::Setting { setting, methods } => {
                say!(
                    "calls     the URL of the setting {setting} ({})",
                    methods.iter().map(wire_name).collect::<Vec<_>>().join(", ")
                );
            }
        }
    }
    for PluginSetting { name, title, default, .. } in &manifest.settings {
        say!(
            "setting   {name}: {} ({})",
            title.en,
            default.as_ref().map_or("required".to_owned(), |value| format!("default {value:?}"))
        );
    }
    let limits = manifest.limits;
    say!(
        "limits    {} ms per round, {} rounds, {} ms and {} bytes per response",
        limits.round_ms,
        limits.rounds,
        limits.request_ms,
        limits.reply_bytes
    );
}

/// The name in the protocol.
fn wire_name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

fn kind(text: &str) -> Result<PluginKind, String> {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
        .map_err(|_| "expected rates, payments, screening, notifier or requisites".to_owned())
}
