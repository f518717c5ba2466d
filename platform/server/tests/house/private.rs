//! What the house writes on the machine it runs on is its owner's alone, and it says so where something else is not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

/// For how long the house may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_made_for_their_owner_and_what_is_open_to_others_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("receipts")).unwrap();
    fs::set_permissions(at("receipts"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut agio = Command::new("sh");
    agio.args(["-c", "umask 022 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_agio")]);
    for set in [
        format!("database.url=sqlite:{}", at("data/agio.db").display()),
        format!("files.receipts={}", at("receipts").display()),
        format!("files.photos={}", at("photos").display()),
        "server.listen=127.0.0.1:0".to_owned(),
        "sites.public=/nonexistent".to_owned(),
        "sites.console=/nonexistent".to_owned(),
    ] {
        agio.args(["--set", &set]);
    }
    let mut agio = agio.arg("serve").stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut said = BufReader::new(agio.stderr.take().unwrap()).lines();
    let named = async {
        loop {
            let line = said.next_line().await.unwrap().expect("the house goes on");
            if line.contains("others than its owner may use it") {
                break line;
            }
        }
    };
    let named = tokio::time::timeout(PATIENCE, named).await.expect("the house says what others may use");
    assert!(named.contains(&at("receipts").display().to_string()), "{named}");
    let mode = |name: &str| fs::metadata(at(name)).unwrap_or_else(|error| panic!("{name}: {error}")).permissions().mode() & 0o777;
    assert_eq!(mode("data"), 0o700);
    for file in ["data/agio.db", "data/agio.db-wal", "data/agio.keys"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
}
