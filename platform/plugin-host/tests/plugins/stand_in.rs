//! Stands in for `agio`: becomes the process of a plugin, or a house that minds one until it is killed.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use agio_core::clock::SystemClock;
use agio_core::random::OsRandom;
use agio_plugin::protocol::{Call, Question, Requisite};
use agio_plugin_host::{Library, Policy, Runner, State, Supervised, Thinking as _, runner};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [Runner::COMMAND] => runner::run(),
        ["mind", path, sha256, mode] => mind(Library { path: path.into(), sha256: (*sha256).to_owned() }, mode),
        other => {
            eprintln!("{other:?} is nothing I can do");
            ExitCode::FAILURE
        }
    }
}

/// Asks a plugin that is in this mode, says the number of its process, and minds it until the end.
fn mind(library: Library, mode: &str) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let round = Duration::from_secs(600);
        let policy =
            Policy { round, patience: round, cpu_seconds: 600, ..Policy::new(Runner::own().expect("a program has a name")) };
        let plugin = Supervised::start(library, policy, Arc::new(SystemClock), Arc::new(OsRandom::default()));
        let mut states = plugin.states();
        states.wait_for(|state| *state == State::Ready).await.expect("somebody minds it");
        let requisite = Requisite { currency: "BTC".to_owned(), field: "address".to_owned(), value: String::new() };
        let mut question = Question::of(Call::Check(requisite));
        question.settings.insert("mode".to_owned(), mode.to_owned());
        let asked = plugin.clone();
        tokio::spawn(async move { asked.round(&question).await });
        println!("{}", plugin.health().process.expect("a plugin that is ready has a process"));
        std::future::pending::<()>().await;
    });
    ExitCode::SUCCESS
}
