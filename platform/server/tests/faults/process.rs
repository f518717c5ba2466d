//! The house in a process that can be killed.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;

/// A served house.
pub struct Process {
    pub root: String,
    database: String,
    child: Mutex<Child>,
}

fn agio(database: &str, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agio"));
    command.args(["--profile", "demo", "--set", "server.calls_per_minute=0", "--set", "log.filter=off"]);
    command.args(["--set", "sites.public=/nonexistent", "--set", "sites.console=/nonexistent"]);
    command.args(["--set", &format!("database.url={database}")]).args(words);
    command.env("AGIO__SECRETS__KEYS", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    command.stdout(Stdio::null()).kill_on_drop(true);
    command
}

/// Fills the database with the demonstration's market, with reserves for any number of claims.
pub async fn seed(database: &str) {
    assert!(agio(database, &["seed", "bench"]).status().await.unwrap().success());
}

impl Process {
    /// Serves on a free port and waits until it answers.
    pub async fn start(database: &str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = agio(database, &["--set", &format!("server.listen=127.0.0.1:{port}"), "serve"]).spawn().unwrap();
        for _ in 0..1_000 {
            if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return Self { root: format!("http://127.0.0.1:{port}"), database: database.to_owned(), child: Mutex::new(child) };
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the house does not answer");
    }

    /// Ends the process without a warning.
    pub async fn kill(&self) {
        self.child.lock().await.kill().await.unwrap();
    }

    /// Proves the books from outside.
    pub async fn books_are_clean(&self) {
        assert!(agio(&self.database, &["ledger", "check"]).status().await.unwrap().success(), "the books do not agree");
    }
}
