//! Test binary in place of `agio`: runs a plugin, or supervises one until it is killed.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use agio_core::clock::SystemClock;
use agio_core::random::SecretRandom;
use agio_plugin_runtime::{
    PluginLibrary, ProcessState, RoundHandler as _, RunnerCommand, SupervisedPlugin, SupervisorPolicy, runner,
};
use agio_plugin_sdk::protocol::{Call, PluginRequest, RequisiteInput};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [RunnerCommand::COMMAND] => runner::run(),
        ["supervise", path, sha256, mode] => supervise(PluginLibrary { path: path.into(), sha256: (*sha256).to_owned() }, mode),
        other => {
            eprintln!("{other:?} is nothing I can do");
            ExitCode::FAILURE
        }
    }
}

/// Requests a plugin that is in this mode, prints its process id, and waits until it ends.
fn supervise(library: PluginLibrary, mode: &str) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let round = Duration::from_secs(600);
        let policy = SupervisorPolicy {
            round_timeout: round,
            call_timeout: round,
            cpu_seconds: 600,
            ..SupervisorPolicy::new(RunnerCommand::own().expect("a program has a name"))
        };
        let plugin = SupervisedPlugin::start(library, policy, Arc::new(SystemClock), Arc::new(SecretRandom::default()));
        let mut states = plugin.states();
        states.wait_for(|state| *state == ProcessState::Ready).await.expect("it is supervised");
        let requisite = RequisiteInput { currency: "BTC".to_owned(), field: "address".to_owned(), value: String::new() };
        let mut request = PluginRequest::of(Call::CheckRequisite(requisite));
        request.settings.insert("mode".to_owned(), mode.to_owned());
        let handler = plugin.clone();
        tokio::spawn(async move { handler.handle_round(&request).await });
        println!("{}", plugin.health().process.expect("a plugin that is ready has a process"));
        std::future::pending::<()>().await;
    });
    ExitCode::SUCCESS
}
