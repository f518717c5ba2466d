//! What shells and the manual know about the commands.

use std::io::Write as _;
use std::process::{Command, Stdio};

use agio_server::cli::Cli;
use clap::CommandFactory as _;

fn agio(words: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_agio")).args(words).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Every command that is shown, as words: `market`, `market plan`.
fn commands() -> Vec<Vec<String>> {
    fn below(command: &clap::Command, path: &[String], found: &mut Vec<Vec<String>>) {
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            let path = [path, &[inner.get_name().to_owned()]].concat();
            found.push(path.clone());
            below(inner, &path, found);
        }
    }
    let mut found = Vec::new();
    below(&Cli::command(), &[], &mut found);
    found
}

#[test]
fn every_command_and_option_is_explained() {
    fn check(command: &clap::Command) {
        let name = command.get_name().to_owned();
        assert!(command.get_about().is_some(), "{name} has no description");
        let options = command.get_arguments().filter(|option| !matches!(option.get_id().as_str(), "help" | "version"));
        for option in options.filter(|option| option.get_value_parser().possible_values().is_none()) {
            assert!(option.get_help().is_some(), "{} of {name} has no description", option.get_id());
        }
        command.get_subcommands().for_each(check);
    }
    check(&Cli::command());
    for part in ["AGIO__DATABASE__URL", "Exit status:", "Examples:"] {
        assert!(agio(&["--help"]).contains(part), "{part}");
    }
}

#[test]
fn shells_complete_the_commands() {
    let commands = commands();
    assert!(commands.len() > 30, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = agio(&["completions", shell]);
        for word in commands.iter().flatten() {
            assert!(script.contains(word.as_str()), "{shell} does not know {word}");
        }
    }
    let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(agio(&["completions", "bash"]).as_bytes()).unwrap();
    assert!(bash.wait().unwrap().success());
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    agio(&["man", "--folder", folder.path().to_str().unwrap()]);
    for words in commands() {
        let page = std::fs::read_to_string(folder.path().join(format!("agio-{}.1", words.join("-")))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{words:?}");
    }
    for page in [std::fs::read_to_string(folder.path().join("agio.1")).unwrap(), agio(&["man"])] {
        assert!(page.contains("AGIO__SECRETS__KEYS") && page.contains("agio\\-doctor(1)"), "{page}");
    }
}

#[test]
fn files_get_no_colours() {
    let folder = tempfile::tempdir().unwrap();
    for words in [["--help"].as_slice(), &["doctor"], &["ledger", "check"], &["no-such-command"]] {
        let done = Command::new(env!("CARGO_BIN_EXE_agio"))
            .args(words)
            .env("CLICOLOR_FORCE", "1")
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(!done.stdout.is_empty() || !done.stderr.is_empty(), "{words:?}");
        assert!(![done.stdout, done.stderr].concat().contains(&0x1b), "{words:?}");
    }
}
