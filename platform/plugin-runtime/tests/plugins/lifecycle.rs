//! Lifecycle of a plugin without faults.

use std::time::{Duration, Instant};

use agio_plugin_runtime::{PluginErrorReason, ProcessState, SupervisorPolicy};
use agio_plugin_sdk::protocol::{CallResult, RequisiteCheck};
use rustix::process::{Pid, Signal, kill_process};

use crate::fixtures::{call_plugin, call_text, check, faulty, in_c, start, strict, until};

fn process(plugin: &agio_plugin_runtime::SupervisedPlugin) -> Pid {
    Pid::from_raw(i32::try_from(plugin.health().process.unwrap()).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_plugin_is_restarted_within_two_seconds() {
    let plugin = start(faulty(), SupervisorPolicy { backoff: SupervisorPolicy::new(strict().runner).backoff, ..strict() });
    assert_eq!(call_text(&plugin, "good").await, "x");
    let before = process(&plugin);
    let began = Instant::now();
    kill_process(before, Signal::KILL).unwrap();
    while plugin.health().restarts == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(call_text(&plugin, "good").await, "x");
    let took = began.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_ne!(process(&plugin), before);
    let health = plugin.health();
    assert_eq!((health.restarts, health.faults, health.state), (1, 1, ProcessState::Ready));
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_interrupted_by_a_crash_are_repeated() {
    let plugin = start(faulty(), SupervisorPolicy { max_faults: 100, backoff: Duration::from_millis(1), ..strict() });
    until(&plugin, |state| *state == ProcessState::Ready).await;
    let calls: Vec<_> = (0..40)
        .map(|number: u32| {
            let plugin = plugin.clone();
            tokio::spawn(async move {
                let value = number.to_string();
                let mode = if number == 20 { "segfault" } else { "good" };
                (mode, call_plugin(&plugin, mode, check(&value)).await, value)
            })
        })
        .collect();
    for call in calls {
        let (mode, answer, canonical) = call.await.unwrap();
        match mode {
            "good" => assert_eq!(answer, Ok(CallResult::Checked(RequisiteCheck::Valid { canonical }))),
            _ => assert!(matches!(answer.unwrap_err().reason, PluginErrorReason::Crashed(_))),
        }
    }
    assert_eq!(plugin.health().faults, 1);
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn output_goes_to_the_log_and_call_errors_are_no_faults() {
    let plugin = start(faulty(), strict());
    for _ in 0..3 {
        let fault = call_plugin(&plugin, "refuses", check("x")).await.unwrap_err();
        assert!(matches!(fault.reason, PluginErrorReason::CallFailed { ref code, later: true, .. } if code == "not_now"));
    }
    assert_eq!(call_text(&plugin, "prints").await, "x");
    let health = plugin.health();
    assert_eq!((health.calls, health.faults), (4, 0));
    assert!(health.p50.unwrap() <= health.p99.unwrap());
    plugin.stop().await;
    assert!(plugin.log().iter().any(|line| line.text == "a line"), "{:?}", plugin.log());
    assert_eq!(call_plugin(&plugin, "good", check("x")).await.unwrap_err().reason, PluginErrorReason::NotFound);
    assert_eq!(plugin.health().process, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn starting_does_not_block_and_a_starting_plugin_can_be_stopped() {
    let (_folder, library) = in_c("HANGS");
    let plugin = start(library, strict());
    assert_eq!((plugin.health().state, plugin.manifest()), (ProcessState::Starting, None));
    let mut states = plugin.states();
    while plugin.health().process.is_none() {
        tokio::task::yield_now().await;
    }
    plugin.stop().await;
    assert_eq!(*states.borrow_and_update(), ProcessState::Stopped);
}
