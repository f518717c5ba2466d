//! The life of a good plugin.

use std::time::{Duration, Instant};

use agio_plugin::protocol::{Answer, Checked};
use agio_plugin_host::{Policy, Reason, State};
use rustix::process::{Pid, Signal, kill_process};

use crate::bench::{ask, check, in_c, misbehaving, start, strict, told, until};

fn process(plugin: &agio_plugin_host::Supervised) -> Pid {
    Pid::from_raw(i32::try_from(plugin.health().process.unwrap()).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_that_was_killed_answers_again_in_less_than_two_seconds() {
    let plugin = start(misbehaving(), Policy { rest: Policy::new(strict().runner).rest, ..strict() });
    assert_eq!(told(&plugin, "good").await, "x");
    let before = process(&plugin);
    let began = Instant::now();
    kill_process(before, Signal::KILL).unwrap();
    while plugin.health().restarts == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(told(&plugin, "good").await, "x");
    let took = began.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_ne!(process(&plugin), before);
    let health = plugin.health();
    assert_eq!((health.restarts, health.faults, health.state), (1, 1, State::Ready));
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_only_in_the_way_of_a_crash_is_answered_all_the_same() {
    let plugin = start(misbehaving(), Policy { faults: 100, rest: Duration::from_millis(1), ..strict() });
    until(&plugin, |state| *state == State::Ready).await;
    let asked: Vec<_> = (0..40)
        .map(|number: u32| {
            let plugin = plugin.clone();
            tokio::spawn(async move {
                let value = number.to_string();
                let mode = if number == 20 { "segfault" } else { "good" };
                (mode, ask(&plugin, mode, check(&value)).await, value)
            })
        })
        .collect();
    for asked in asked {
        let (mode, answer, canonical) = asked.await.unwrap();
        match mode {
            "good" => assert_eq!(answer, Ok(Answer::Checked(Checked::Good { canonical }))),
            _ => assert!(matches!(answer.unwrap_err().reason, Reason::Stopped(_))),
        }
    }
    assert_eq!(plugin.health().faults, 1);
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_prints_is_its_log_and_refusing_is_no_fault() {
    let plugin = start(misbehaving(), strict());
    for _ in 0..3 {
        let fault = ask(&plugin, "refuses", check("x")).await.unwrap_err();
        assert!(matches!(fault.reason, Reason::Refused { ref code, later: true, .. } if code == "not_now"));
    }
    assert_eq!(told(&plugin, "prints").await, "x");
    let health = plugin.health();
    assert_eq!((health.calls, health.faults), (4, 0));
    assert!(health.p50.unwrap() <= health.p99.unwrap());
    plugin.stop().await;
    assert!(plugin.log().iter().any(|line| line.text == "a line"), "{:?}", plugin.log());
    assert_eq!(ask(&plugin, "good", check("x")).await.unwrap_err().reason, Reason::Absent);
    assert_eq!(plugin.health().process, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_a_plugin_to_start_and_it_can_be_stopped_meanwhile() {
    let (_folder, library) = in_c("HANGS");
    let plugin = start(library, strict());
    assert_eq!((plugin.health().state, plugin.manifest()), (State::Starting, None));
    let mut states = plugin.states();
    while plugin.health().process.is_none() {
        tokio::task::yield_now().await;
    }
    plugin.stop().await;
    assert_eq!(*states.borrow_and_update(), State::Stopped);
}
