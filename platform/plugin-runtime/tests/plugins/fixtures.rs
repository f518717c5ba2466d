//! Test fixtures: libraries, policies and calls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use agio_core::BoxFuture;
use agio_core::clock::{ManualClock, SystemClock, Timestamp};
use agio_core::random::SeededRandom;
use agio_plugin_runtime::{
    ActionExecutor, PluginError, PluginLibrary, PluginStorage, PrivateNetworkAccess, ProcessState, RunnerCommand,
    SupervisedPlugin, SupervisorPolicy,
};
use agio_plugin_sdk::protocol::{Call, CallResult, RequisiteCheck, RequisiteInput};
use tempfile::TempDir;
use tokio::time::timeout;

/// Longer than any step takes on any machine.
pub const MAX_WAIT: Duration = Duration::from_secs(60);

/// A policy for fast tests: quarantine after two faults, and long timeouts.
pub fn strict() -> SupervisorPolicy {
    let runner = RunnerCommand {
        program: env!("CARGO_BIN_EXE_agio-plugin-test-runner").into(),
        arguments: vec![RunnerCommand::COMMAND.to_owned()],
    };
    SupervisorPolicy {
        startup_timeout: Duration::from_secs(20),
        round_timeout: Duration::from_secs(20),
        call_timeout: MAX_WAIT,
        shutdown_timeout: Duration::from_secs(5),
        memory_bytes: 128 * 1024 * 1024,
        response_bytes: 1024 * 1024,
        backoff: Duration::from_millis(10),
        max_faults: 2,
        ..SupervisorPolicy::new(runner)
    }
}

/// A library with its digest.
pub fn library(path: PathBuf) -> PluginLibrary {
    let sha256 = digest(&path);
    PluginLibrary { path, sha256 }
}

/// The digest from `sha256sum`, independent of our own code.
fn digest(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

/// The faulty plugin.
pub fn faulty() -> PluginLibrary {
    static BUILT: LazyLock<PluginLibrary> = LazyLock::new(|| {
        let name = format!("libagio_faulty.{}", std::env::consts::DLL_EXTENSION);
        library(std::env::current_exe().unwrap().with_file_name(name))
    });
    BUILT.clone()
}

/// Builds a library in C.
pub fn in_c(what: &str) -> (TempDir, PluginLibrary) {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = folder.path().join("plugin.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wall", "-Werror", &format!("-D{what}"), "-I"])
        .arg(root.join("../../plugins/sdk/include"))
        .arg(root.join("tests/plugins/libraries.c"))
        .arg("-o")
        .arg(&target)
        .status();
    assert!(built.unwrap().success());
    (folder, library(target))
}

/// Supervises a plugin with a fixed clock.
pub fn start(library: PluginLibrary, policy: SupervisorPolicy) -> Arc<SupervisedPlugin> {
    let clock = ManualClock::at(Timestamp(1_711_627_200_000_000));
    SupervisedPlugin::start(library, policy, Arc::new(clock), Arc::new(SeededRandom::new(1)))
}

/// Waits for a state.
pub async fn until(plugin: &SupervisedPlugin, wanted: impl Fn(&ProcessState) -> bool) -> ProcessState {
    let mut states = plugin.states();
    let state = timeout(MAX_WAIT, states.wait_for(wanted)).await;
    state.unwrap_or_else(|_| panic!("still {:?}; {:#?}", plugin.health(), plugin.log())).unwrap().clone()
}

/// Waits for the quarantine and returns its reason.
pub async fn quarantine(plugin: &SupervisedPlugin) -> String {
    match until(plugin, |state| matches!(state, ProcessState::Quarantined { .. })).await {
        ProcessState::Quarantined { reason } => reason,
        other => panic!("{other:?}"),
    }
}

/// Settings without stored values.
pub struct FixedSettings(pub &'static str);

impl PluginStorage for FixedSettings {
    fn settings(&self) -> BTreeMap<String, String> {
        BTreeMap::from([("mode".to_owned(), self.0.to_owned())])
    }

    fn stored_values(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    fn store<'a>(&'a self, _name: &'a str, _value: Option<&'a str>) -> BoxFuture<'a, agio_core::Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A request about a value.
pub fn check(value: &str) -> Call {
    Call::CheckRequisite(RequisiteInput { currency: "BTC".to_owned(), field: "address".to_owned(), value: value.to_owned() })
}

/// Calls the faulty plugin in a mode.
pub async fn call_plugin(plugin: &SupervisedPlugin, mode: &'static str, call: Call) -> Result<CallResult, PluginError> {
    static EXECUTOR: LazyLock<ActionExecutor> =
        LazyLock::new(|| ActionExecutor::new(Arc::new(SystemClock), PrivateNetworkAccess::All).unwrap());
    plugin.call(&EXECUTOR, &FixedSettings(mode), call).await
}

/// Calls the faulty plugin in a mode and returns its text.
pub async fn call_text(plugin: &SupervisedPlugin, mode: &'static str) -> String {
    match call_plugin(plugin, mode, check("x")).await {
        Ok(CallResult::Checked(RequisiteCheck::Valid { canonical })) => canonical,
        other => panic!("{other:?}; {:#?}", plugin.log()),
    }
}
