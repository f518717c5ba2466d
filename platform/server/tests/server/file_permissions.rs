//! New files are private, and the server reports files that other users can access.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

const START_TIMEOUT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_files_are_private_and_open_permissions_are_reported() {
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
        "sites.public=/dev/null/none".to_owned(),
        "sites.console=/dev/null/none".to_owned(),
    ] {
        agio.args(["--set", &set]);
    }
    let mut agio = agio.arg("serve").stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut log = BufReader::new(agio.stderr.take().unwrap()).lines();
    let named = async {
        loop {
            let line = log.next_line().await.unwrap().expect("the server keeps running");
            if line.contains("other users can access it") {
                break line;
            }
        }
    };
    let named = tokio::time::timeout(START_TIMEOUT, named).await.expect("the server reports open permissions");
    assert!(named.contains(&at("receipts").display().to_string()), "{named}");
    let mode = |name: &str| fs::metadata(at(name)).unwrap_or_else(|error| panic!("{name}: {error}")).permissions().mode() & 0o777;
    assert_eq!(mode("data"), 0o700);
    for file in ["data/agio.db", "data/agio.db-wal", "data/agio.keys"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
}
