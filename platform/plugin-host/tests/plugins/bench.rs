//! What the tests stand on: libraries, people who ask, and policies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use agio_core::BoxFuture;
use agio_core::clock::{ManualClock, SystemClock, Timestamp};
use agio_core::random::SeededRandom;
use agio_plugin::protocol::{Answer, Call, Checked, Requisite};
use agio_plugin_host::{Fault, Hand, Library, Memory, Policy, Private, Runner, State, Supervised};
use tempfile::TempDir;
use tokio::time::timeout;

/// Longer than anything takes, on any machine.
pub const EVER: Duration = Duration::from_secs(60);

/// A policy under which little time is lost: two faults are too many, and only what is endless is late.
pub fn strict() -> Policy {
    let runner =
        Runner { program: env!("CARGO_BIN_EXE_agio-plugin-stand-in").into(), arguments: vec![Runner::COMMAND.to_owned()] };
    Policy {
        hello: Duration::from_secs(20),
        round: Duration::from_secs(20),
        patience: EVER,
        shutdown: Duration::from_secs(5),
        memory_bytes: 128 * 1024 * 1024,
        answer_bytes: 1024 * 1024,
        rest: Duration::from_millis(10),
        faults: 2,
        ..Policy::new(runner)
    }
}

/// A library with its digest.
pub fn library(path: PathBuf) -> Library {
    let sha256 = digest(&path);
    Library { path, sha256 }
}

/// What `sha256sum` says, so that nothing of the house is asked about itself.
fn digest(path: &Path) -> String {
    let said = Command::new("sha256sum").arg(path).output().unwrap();
    String::from_utf8(said.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

/// The plugin that misbehaves when it is told to.
pub fn misbehaving() -> Library {
    static BUILT: LazyLock<Library> = LazyLock::new(|| {
        let name = format!("libagio_misbehaving.{}", std::env::consts::DLL_EXTENSION);
        library(std::env::current_exe().unwrap().with_file_name(name))
    });
    BUILT.clone()
}

/// A library in C, and the folder it is in.
pub fn in_c(what: &str) -> (TempDir, Library) {
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

/// Minds a plugin, at noon of a day that does not pass.
pub fn start(library: Library, policy: Policy) -> Arc<Supervised> {
    let clock = ManualClock::at(Timestamp(1_711_627_200_000_000));
    Supervised::start(library, policy, Arc::new(clock), Arc::new(SeededRandom::new(1)))
}

/// Waits until a plugin is as it should be.
pub async fn until(plugin: &Supervised, wanted: impl Fn(&State) -> bool) -> State {
    let mut states = plugin.states();
    let state = timeout(EVER, states.wait_for(wanted)).await;
    state.unwrap_or_else(|_| panic!("still {:?}; {:#?}", plugin.health(), plugin.log())).unwrap().clone()
}

/// Why a plugin is given up, as soon as it is.
pub async fn quarantine(plugin: &Supervised) -> String {
    match until(plugin, |state| matches!(state, State::Quarantined { .. })).await {
        State::Quarantined { reason } => reason,
        other => panic!("{other:?}"),
    }
}

/// Settings, and nothing that is kept.
pub struct Set(pub &'static str);

impl Memory for Set {
    fn settings(&self) -> BTreeMap<String, String> {
        BTreeMap::from([("mode".to_owned(), self.0.to_owned())])
    }

    fn kept(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    fn keep<'a>(&'a self, _name: &'a str, _value: Option<&'a str>) -> BoxFuture<'a, agio_core::Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A question about a value.
pub fn check(value: &str) -> Call {
    Call::Check(Requisite { currency: "BTC".to_owned(), field: "address".to_owned(), value: value.to_owned() })
}

/// Asks a plugin that is in this mode.
pub async fn ask(plugin: &Supervised, mode: &'static str, call: Call) -> Result<Answer, Fault> {
    static HAND: LazyLock<Hand> = LazyLock::new(|| Hand::new(Arc::new(SystemClock), Private::Everything).unwrap());
    plugin.ask(&HAND, &Set(mode), call).await
}

/// What it says about itself in this mode.
pub async fn told(plugin: &Supervised, mode: &'static str) -> String {
    match ask(plugin, mode, check("x")).await {
        Ok(Answer::Checked(Checked::Good { canonical })) => canonical,
        other => panic!("{other:?}; {:#?}", plugin.log()),
    }
}
