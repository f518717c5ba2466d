//! `agio doctor`: every mistake of an installation is named together with its cure. Commands speak sentences.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use agio_core::{Db, fetch_all};
use serde_json::Value;

/// How far the clock seems to be behind.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

fn agio(folder: &Path, words: &[&str]) -> Output {
    let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
    agio.args(words).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The subject, what its message says, and what its cure says, of each mistake in [`MISTAKES`] and on the disk.
const FOUND: &[(&str, &str, &str)] = &[
    ("server.public_url", "http://shop.invalid is without TLS", "https://shop.invalid"),
    ("server.public_url", "DNS has no address for shop.invalid", "add an A or AAAA record"),
    ("admin.public_url", "console.example.com is an example", "your own host name"),
    ("server.trusted_proxies", "no proxy is trusted", "127.0.0.1"),
    ("admin.listen", "cannot both listen on 127.0.0.1:8085", "another port"),
    ("staff.second_factor", "with a password alone", "required"),
    ("partners.private_callbacks", "its own network", "private_callbacks = false"),
    ("push.private_services", "its own network", "private_services = false"),
    ("database.url", "data/agio.db is relative", "whole path"),
    ("permissions", "other users can access data/agio.db", "chmod -R go-rwx data/agio.db"),
    ("secrets.keys", "key 1 is not 32 bytes", "openssl rand -base64 32"),
    ("secrets.keys", "key 2 is an example", "openssl rand -base64 32"),
    ("mail.server", "127.0.0.1:1 cannot be used", "start the mail server"),
    ("mail.password", "shop has no password", "AGIO__MAIL__PASSWORD"),
    ("mail.from", "no-reply@example.com is an example", "your own domain"),
    ("captcha", "one of its two keys is missing", "AGIO__CAPTCHA__SECRET"),
    ("plugins", "allows for ghost", "agio plugin check FILE"),
    ("plugins", "stray.so is not allowed", "or remove it"),
    ("plugins", "other users can change", "chmod go-w"),
    ("sites.public", "has no index.html", "make sites"),
    ("sites.help", "docs/dist has no index.html", "make sites"),
    ("files.receipts", "is not a folder", "another folder"),
    ("site.support_email", "support@example.com", "console under Settings"),
    ("staff", "public demo logins", "another database"),
    ("log.filter", "is no filter", "log.filter = \"info\""),
    ("permissions", "agio.toml has secrets", "chmod 600 agio.toml"),
    ("clock", "later than now", "timedatectl"),
];

const MISTAKES: &str = r#"
[server]
listen = "127.0.0.1:8085"
public_url = "http://shop.invalid"
[admin]
listen = "127.0.0.1:8085"
public_url = "https://console.example.com"
[staff]
second_factor = "optional"
[partners]
private_callbacks = true
[push]
private_services = true
[database]
url = "sqlite:data/agio.db"
[secrets]
keys = ["short", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
[mail]
server = "127.0.0.1:1"
user = "shop"
from = "no-reply@example.com"
timeout_seconds = 2
[captcha]
verify_url = "https://captcha.invalid/verify"
site_key = "public"
[plugins]
folder = "plugins"
list = "plugins.toml"
[sites]
public = "nothing"
[files]
receipts = "receipts"
[log]
filter = "agio=[loud"
"#;

#[test]
fn every_mistake_is_named_with_its_cure() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let seed = ["--profile", "demo", "--set", "demo.sandbox_chain=", "--set", "database.url=sqlite:data/agio.db", "seed", "demo"];
    let seeded = agio(folder.path(), &seed);
    assert!(seeded.status.success(), "{}", text(&seeded.stderr));
    fs::write(at("agio.toml"), MISTAKES).unwrap();
    fs::write(at("receipts"), "a file").unwrap();
    fs::create_dir(at("plugins")).unwrap();
    fs::write(at("plugins/stray.so"), "a library").unwrap();
    fs::write(at("plugins.toml"), format!("[plugins.allowed]\nghost = \"{}\"\n", "0".repeat(64))).unwrap();
    for (name, mode) in [("data/agio.db", 0o644), ("agio.toml", 0o644), ("plugins/stray.so", 0o666)] {
        set_mode(&at(name), mode);
    }
    let written = fs::metadata(at("agio.toml")).unwrap().modified().unwrap();
    fs::File::options().append(true).open(at("agio.toml")).unwrap().set_modified(written + YEAR).unwrap();

    let report = agio(folder.path(), &["--config", "agio.toml", "doctor", "--json"]);
    assert_eq!(report.status.code(), Some(1), "{}", text(&report.stderr));
    let findings: Vec<Value> = serde_json::from_slice(&report.stdout).unwrap();
    for (subject, message, cure) in FOUND {
        let is_it = |finding: &&Value| {
            finding["subject"] == *subject
                && finding["message"].as_str().unwrap().contains(message)
                && finding["cure"].as_str().is_some_and(|found| found.contains(cure))
        };
        assert_eq!(findings.iter().filter(is_it).count(), 1, "{subject}: {message}: {cure}\n{findings:#?}");
    }
    assert!(!text(&report.stdout).contains("AAAAAAAA"), "a key is never shown");

    let shown = text(&agio(folder.path(), &["--config", "agio.toml", "doctor"]).stdout);
    assert!(shown.contains("ERROR    staff.second_factor: "), "{shown}");
    assert!(shown.contains("         To do: set staff.second_factor = \"required\""), "{shown}");
}

#[test]
fn a_sound_installation_has_no_errors() {
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o700);
    let at = |name: &str| folder.path().join(name);
    let database = format!("sqlite:{}", at("agio.db").display());
    fs::write(at("answers.toml"), format!("support_email = \"help@shop.test\"\ndatabase = \"{database}\"\n")).unwrap();
    let made = agio(folder.path(), &["init", "--non-interactive", "--file", "answers.toml"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    for site in ["public", "console", "help"] {
        fs::create_dir(at(site)).unwrap();
        fs::write(at(site).join("index.html"), "<!doctype html>").unwrap();
    }
    let sites = ["sites.public=public", "sites.console=console", "sites.help=help"].map(|site| ["--set", site]).concat();
    let sites = [["--config", "agio.toml"].as_slice(), &sites, &["doctor"]].concat();
    let report = agio(folder.path(), &sites);
    let shown = text(&report.stdout);
    assert!(report.status.success() && shown.contains("Errors: 0."), "{shown}");
    assert!(
        shown.contains("ok       database.url: ") && shown.contains("invite the owner: agio --config agio.toml staff add"),
        "{shown}"
    );

    let trusting = [["--set", "server.trusted_proxies=127.0.0.1"].as_slice(), &sites].concat();
    let shown = text(&agio(folder.path(), &trusting).stdout);
    assert!(!shown.contains(" proxy: "), "browsers call the server itself, so nothing is between: {shown}");

    let added = agio(folder.path(), &["--config", "agio.toml", "staff", "add", "--owner", "anna@shop.test"]);
    assert!(added.status.success(), "{}", text(&added.stderr));
    let shown = text(&agio(folder.path(), &sites).stdout);
    assert!(shown.contains("anna@shop.test is invited until "), "{shown}");
    assert!(shown.contains("prints another one: agio --config agio.toml staff add --owner EMAIL\n"), "{shown}");

    let keys = fs::read_to_string(at("agio.keys")).unwrap();
    fs::write(at("agio.keys"), "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n").unwrap();
    let shown = text(&agio(folder.path(), &sites).stdout);
    assert!(shown.contains("ERROR    secrets.keys: values in this database are sealed with key "), "{shown}");
    fs::write(at("agio.keys"), keys).unwrap();

    fs::remove_file(at("agio.keys")).unwrap();
    let lost = agio(folder.path(), &sites);
    assert!(text(&lost.stdout).contains("agio.keys is missing\n         To do: restore the file"), "{}", text(&lost.stdout));
    assert!(!lost.status.success() && !at("agio.keys").exists(), "the doctor changes nothing");
}

#[test]
fn a_damaged_file_is_restored_from_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let database = ["--set", "database.url=sqlite:agio.db"];
    assert!(agio(folder.path(), &[&database, ["migrate"].as_slice()].concat()).status.success());
    fs::write(folder.path().join("agio.db"), [0xde; 8192]).unwrap();
    let shown = text(&agio(folder.path(), &[&database, ["doctor"].as_slice()].concat()).stdout);
    let finding = "ERROR    database.url: sqlite:agio.db cannot be opened: file is not a database\n         To do: if the file is damaged, ";
    assert!(shown.contains(finding) && shown.contains("restore the newest backup: agio restore FOLDER"), "{shown}");
}

/// Each node needs the files that the others stored.
#[tokio::test]
async fn uploads_that_are_not_here_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let demo = ["--profile", "demo", "--set", "demo.sandbox_chain=", "--set", "database.url=sqlite:agio.db"];
    let run = |words: &[&str]| agio(folder.path(), &[&demo, ["--set", "files.receipts=receipts"].as_slice(), words].concat());
    assert!(run(&["seed", "demo"]).status.success());
    let db = Db::open(&format!("sqlite:{}", folder.path().join("agio.db").display())).await.unwrap();
    let stored = "INSERT INTO claim_receipt (id, claim_id, name, media_type, size, sha256, created_at, delete_after)
        SELECT id, id, 'a.png', 'image/png', 1, 'a', 9000000000000000, 9000000000000000 FROM claim LIMIT 2 RETURNING id";
    let ids = db.write(move |tx| Box::pin(async move { fetch_all!(tx, (uuid::Uuid,), stored) })).await.unwrap();
    db.close().await;
    let expected = |shown: &str| shown.contains("ERROR    files.receipts: 2 of the newest 2 uploads are not in receipts");
    let shown = text(&run(&["doctor"]).stdout);
    assert!(expected(&shown) && shown.contains("mount one shared folder"), "{shown}");
    fs::create_dir_all(folder.path().join("receipts")).unwrap();
    for (id,) in ids {
        fs::write(folder.path().join("receipts").join(id.simple().to_string()), "a").unwrap();
    }
    let shown = text(&run(&["doctor"]).stdout);
    assert!(shown.contains("ok       files.receipts: the newest uploads are in receipts"), "{shown}");
}

/// A mail server that is away leaves emails waiting, and says why.
#[tokio::test]
async fn emails_that_wait_are_listed_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let demo = ["--profile", "demo", "--set", "demo.sandbox_chain=", "--set", "database.url=sqlite:agio.db"];
    let run = |words: &[&str]| agio(folder.path(), &[&demo, words].concat());
    assert!(run(&["seed", "demo"]).status.success());
    let listed = text(&run(&["mail", "list"]).stdout);
    let number = listed.split_whitespace().next().unwrap().to_owned();
    assert!(listed.lines().all(|line| line.contains("  sent  ")), "{listed}");
    let db = Db::open(&format!("sqlite:{}", folder.path().join("agio.db").display())).await.unwrap();
    let waits = "UPDATE outbox SET state = 'queued', attempts = 3, fault = 'Connection refused', settled_at = NULL
        WHERE id = (SELECT MAX(id) FROM outbox WHERE channel = 'mail') RETURNING id";
    db.write(move |tx| Box::pin(async move { fetch_all!(tx, (i64,), waits) })).await.unwrap();
    db.close().await;
    let listed = text(&run(&["mail", "list"]).stdout);
    let first = listed.lines().take(2).collect::<Vec<_>>().join("\n");
    assert!(first.trim_start().starts_with(&number) && first.contains("  waits  "), "{first}");
    assert!(first.contains("3 attempts, the last one: Connection refused; next at "), "{first}");
    assert!(text(&run(&["mail", "show", &number]).stdout).starts_with("To: "));
}

#[test]
fn a_configuration_that_cannot_be_read_is_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let report = agio(folder.path(), &["--set", "server.colour=green", "doctor"]);
    let shown = text(&report.stdout);
    assert!(!report.status.success() && shown.contains("ERROR    configuration: ") && shown.contains("colour"), "{shown}");
}

#[test]
fn refusals_are_sentences() {
    let folder = tempfile::tempdir().unwrap();
    assert!(agio(folder.path(), &["migrate"]).status.success());
    let refused = agio(folder.path(), &["staff", "add", "--owner", "nobody"]);
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.starts_with("agio: "), "{said}");
    assert!(!said.contains("422") && !said.contains('_'), "{said}");
    let nowhere = ["--set", "database.url=postgres://agio:hunter2@127.0.0.1:1/agio", "migrate"];
    let said = text(&agio(folder.path(), &nowhere).stderr);
    assert!(said.contains("postgres://agio:***@127.0.0.1:1/agio") && said.contains("Connection refused"), "{said}");
    for words in [["rates", "import", "gone"], ["contest", "verify", "gone"], ["market", "apply", "gone"]] {
        let said = text(&agio(folder.path(), &words).stderr);
        assert!(said.starts_with("agio: gone: "), "{words:?}: {said}");
    }
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    assert!(agio(folder.path(), &["migrate"]).status.success());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut verify = Command::new(env!("CARGO_BIN_EXE_agio"));
    let verify = verify.args(["audit", "verify"]).current_dir(folder.path()).stdin(Stdio::null()).stdout(writer);
    let ended = verify.stderr(Stdio::piped()).output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{}", text(&ended.stderr));
}
