//! The server as a process that can be killed.

use std::process::Stdio;
use std::time::Duration;

use agio_test_app::{free_port, is_live};
use tokio::process::{Child, Command};
use tokio::sync::Mutex;

use crate::volume::Volume;

const AGIO: &str = env!("CARGO_BIN_EXE_agio");

/// The location of the data.
#[derive(Clone, Copy)]
pub struct Storage<'a> {
    /// The database URL.
    pub database: &'a str,
    /// Its own disk, if any.
    pub volume: Option<&'a Volume>,
}

impl<'a> From<&'a str> for Storage<'a> {
    fn from(database: &'a str) -> Self {
        Self { database, volume: None }
    }
}

pub struct Process<'a> {
    pub root: String,
    storage: Storage<'a>,
    child: Mutex<Child>,
}

fn agio(storage: Storage<'_>, words: &[&str]) -> Command {
    let mut command = storage.volume.map_or_else(|| Command::new(AGIO), |volume| volume.command(AGIO));
    command.args(["--profile", "demo", "--set", "server.calls_per_minute=0", "--set", "log.filter=off"]);
    command.args([
        "--set",
        "demo.sandbox_chain=",
        "--set",
        "sites.public=/dev/null/none",
        "--set",
        "sites.console=/dev/null/none",
    ]);
    command.args(["--set", &format!("database.url={}", storage.database)]).args(words);
    command.env("AGIO__SECRETS__KEYS", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    command.stdout(Stdio::null()).kill_on_drop(true);
    command
}

/// Seeds the demo market with reserves for any number of claims.
pub async fn seed(storage: impl Into<Storage<'_>>) {
    assert!(agio(storage.into(), &["seed", "bench"]).status().await.unwrap().success());
}

impl<'a> Process<'a> {
    /// Starts on a free port and waits until it responds.
    pub async fn start(storage: impl Into<Storage<'a>>) -> Self {
        let storage = storage.into();
        let port = free_port();
        let child = agio(storage, &["--set", &format!("server.listen=127.0.0.1:{port}"), "serve"]).spawn().unwrap();
        for _ in 0..12_000 {
            if is_live(port).await.is_ok() {
                return Self { root: format!("http://127.0.0.1:{port}"), storage, child: Mutex::new(child) };
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the server does not respond");
    }

    pub async fn kill(&self) {
        self.child.lock().await.kill().await.unwrap();
    }

    /// Waits until it has ended by itself.
    pub async fn end(&self) {
        assert!(self.child.lock().await.wait().await.unwrap().success(), "the server ended with an error");
    }

    /// Lets it stand still (`STOP`), go on (`CONT`) or end (`TERM`).
    pub async fn signal(&self, signal: &str) {
        let id = self.child.lock().await.id().unwrap().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().await.unwrap().success());
    }

    /// Checks the ledger with the command line.
    pub async fn assert_ledger_is_clean(&self) {
        assert!(agio(self.storage, &["ledger", "check"]).status().await.unwrap().success(), "the ledger has differences");
    }
}
