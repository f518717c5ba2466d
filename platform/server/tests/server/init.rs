//! `agio init`: from questions or a file to a configuration, a market and the owner's invitation.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use agio_core::{Db, fetch_all};
use tempfile::TempDir;

const DEMO_MARKET: &str = include_str!("../../../../modules/calculator/demo/market.toml");

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("market.toml"), DEMO_MARKET).unwrap();
    folder
}

fn agio(folder: &Path, words: &[&str]) -> Command {
    let mut agio = Command::new(env!("CARGO_BIN_EXE_agio"));
    agio.args(words).current_dir(folder).stdin(Stdio::null());
    agio
}

/// Runs the command, types these lines and closes the input.
fn typed(folder: &Path, words: &[&str], lines: &[&str]) -> Output {
    let mut agio = agio(folder, words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    // A command that refuses at once reads nothing.
    let _ = agio.stdin.take().unwrap().write_all(text.as_bytes());
    agio.wait_with_output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn errors(output: &Output) -> String {
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

/// The lines that answer every question; wrong ones are asked for again.
const TYPED: [&str; 19] = [
    "Green Exchange",
    "help@green.example",
    "en ru",
    "",
    "Nowhere/Land",
    "Asia/Almaty",
    "fr",
    "en",
    "sqlite:data/green.db",
    "127.0.0.1:8085",
    "green.example",
    "https://green.example",
    "",
    "mail.green.example",
    "mail.green.example:465",
    "tls",
    "",
    "no-reply@green.example",
    "market.toml",
];

#[tokio::test]
async fn questions_lead_to_a_configuration_a_market_and_an_invitation() {
    let folder = folder();
    let lines = [&TYPED[..], &["anna@green.example"]].concat();
    let made = typed(folder.path(), &["init"], &lines);
    let said = printed(&made);
    assert!(made.status.success(), "{said}{}", errors(&made));
    assert!(said.contains("Name of the exchange [Agio]: "), "{said}");
    assert!(said.contains("agio --config agio.toml serve\n"), "{said}");
    assert!(said.contains("https://green.example/admin/welcome#token="), "{said}");

    let config = folder.path().join("agio.toml");
    assert_eq!(fs::metadata(&config).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&config).unwrap();
    let data = folder.path().join("data");
    let paths = [
        ("url", "sqlite:", "green.db"),
        ("receipts", "", "receipts"),
        ("photos", "", "photos"),
        ("folder", "", "plugins"),
        ("list", "", "plugins.toml"),
    ];
    for (key, scheme, name) in paths {
        let line = format!("{key} = \"{scheme}{}\"", data.join(name).display());
        assert!(text.contains(&line), "{line} is not in {text}");
    }
    for line in ["security = \"tls\"", "language = \"en\"", "listen = \"127.0.0.1:8085\""] {
        assert!(text.contains(line), "{text}");
    }
    // The URL has TLS and nobody but this machine reaches the server: all visitors come through a proxy here.
    assert!(text.contains("trusted_proxies = [\"127.0.0.1\", \"::1\"]\n"), "{text}");
    let shown = agio(folder.path(), &["--config", "agio.toml", "config"]).output().unwrap();
    assert!(printed(&shown).contains("mail.green.example:465"), "{}", errors(&shown));
    let plan = agio(folder.path(), &["--config", "agio.toml", "market", "plan", "market.toml"]).output().unwrap();
    assert_eq!(printed(&plan), "The market is as the file says.\n", "{}", errors(&plan));
    let exported = agio(folder.path(), &["--config", "agio.toml", "market", "export", "-"]).output().unwrap();
    assert!(printed(&exported).contains("site.name = \"Green Exchange\"\n"), "{}", printed(&exported));

    let db = Db::open(&format!("sqlite:{}", folder.path().join("data/green.db").display())).await.unwrap();
    let mut tx = db.read().await.unwrap();
    let base = fetch_all!(&mut tx, (String,), "SELECT value FROM setting WHERE name = 'rates.base'").unwrap();
    assert_eq!(base, [("USDT".to_owned(),)], "the default was chosen, too");
}

#[test]
fn a_file_answers_everything_and_what_exists_is_kept() {
    let folder = folder();
    let answers = "name = \"Blue\"\ndatabase = \"sqlite:blue.db\"\nmarket = \"market.toml\"\n";
    fs::write(folder.path().join("answers.toml"), answers).unwrap();
    let words = ["init", "--file", "answers.toml", "--non-interactive", "--output", "blue.toml"];
    let made = agio(folder.path(), &words).output().unwrap();
    assert!(made.status.success(), "{}", errors(&made));
    assert!(printed(&made).contains("agio --config blue.toml staff add --owner EMAIL\n"), "{}", printed(&made));

    let written = fs::read_to_string(folder.path().join("blue.toml")).unwrap();
    assert!(!written.contains("trusted_proxies"), "nothing is in front of a site without TLS: {written}");
    let doctor = printed(&agio(folder.path(), &["--config", "blue.toml", "doctor"]).output().unwrap());
    assert!(!doctor.contains("is relative") && doctor.contains("database"), "{doctor}");

    let file = folder.path().join("blue.toml");
    let before = "# Mine.\n[server]\nlisten = \"127.0.0.1:8086\" # The proxy knows it.\n\n[files]\nreceipts = \"receipts\"\n";
    fs::write(&file, before).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(folder.path().join("answers.toml"), format!("{answers}mail_server = \"mail.blue.example:465\"\n")).unwrap();
    let again = agio(folder.path(), &words).output().unwrap();
    assert!(again.status.success(), "{}", errors(&again));
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(before), "{after}");
    // The service is started in another folder.
    let database = format!("sqlite:{}", folder.path().join("blue.db").display());
    for added in [format!("[database]\nurl = \"{database}\"\n"), "[mail]\nserver = \"mail.blue.example:465\"\n".to_owned()] {
        assert!(after[before.len()..].contains(&added), "{after}");
    }
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_to_string(folder.path().join("blue.toml.old")).unwrap(), before);
    let asked = typed(folder.path(), &["init", "--output", "blue.toml"], &[""; 8]);
    assert!(
        printed(&asked).contains(&format!("[{database}]: ")) && printed(&asked).contains("[127.0.0.1:8086]: "),
        "{}",
        printed(&asked)
    );
}

#[test]
fn wrong_answers_are_named_and_nothing_is_written() {
    let folder = folder();
    fs::write(folder.path().join("broken.toml"), DEMO_MARKET.replacen("scale = 8", "scale = 80", 1)).unwrap();
    for (answers, named) in [
        ("listen = \"localhost\"", "listen: "),
        ("public_url = \"ftp://a\"", "public_url: "),
        ("database = \"mysql://a\"", "database: It begins with sqlite:"),
        ("name = \"\"", "name: "),
        ("owner = \"anna\"", "owner: "),
        ("time_zone = \"MSK+3\"", "time_zone: It is a name of the IANA list"),
        ("site_languages = \"de\"", "site_languages: "),
        ("market = \"absent.toml\"", "market: absent.toml: "),
        ("market = \"broken.toml\"", "broken.toml:14: currencies[0].scale: "),
        ("colour = \"blue\"", "nothing asks for colour; the keys are name, "),
        ("name = 1", "answers.toml: "),
    ] {
        fs::write(folder.path().join("answers.toml"), answers).unwrap();
        let refused = agio(folder.path(), &["init", "--file", "answers.toml", "--non-interactive"]).output().unwrap();
        let said = errors(&refused);
        assert!(refused.status.code() == Some(1) && said.contains(named), "{answers}: {said}");
    }
    // What the environment sets goes before the file: another answer would never be in force.
    fs::write(folder.path().join("answers.toml"), "database = \"sqlite:other.db\"").unwrap();
    let mut init = agio(folder.path(), &["init", "--file", "answers.toml", "--non-interactive"]);
    let refused = init.env("AGIO__DATABASE__URL", "sqlite:own.db").output().unwrap();
    assert!(errors(&refused).contains("database: AGIO__DATABASE__URL is set in the environment"), "{}", errors(&refused));
    // The input ends, or nobody reads the questions.
    let ended = typed(folder.path(), &["init"], &TYPED[..6]);
    assert_eq!(ended.status.code(), Some(1));
    assert!(errors(&ended).contains("the input ended before the answer to language"), "{}", errors(&ended));
    let mut unread =
        agio(folder.path(), &["init"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(unread.stdout.take());
    let mut typing = unread.stdin.take().unwrap();
    let _ = typing.write_all(TYPED.join("\n").as_bytes());
    drop(typing);
    let unread = unread.wait_with_output().unwrap();
    assert_eq!(unread.status.code(), Some(1), "{}", errors(&unread));
    assert!(!folder.path().join("agio.toml").exists());
}
