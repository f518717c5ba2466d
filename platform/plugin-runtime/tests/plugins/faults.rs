//! Faults of one plugin are detected and do not affect others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agio_plugin_runtime::{SupervisedPlugin, SupervisorPolicy};
use agio_plugin_sdk::protocol::{Call, CallResult, Notification, PayoutRequest, RequisiteCheck, ScreeningRequest};

use crate::fixtures::{call_plugin, call_text, check, faulty, quarantine, start, strict};

/// Fault mode and expected reason.
static FAULTS: [(&str, &str); 20] = [
    ("panic", "it panicked: this is too much for me"),
    ("segfault", "SIGSEGV"),
    ("abort", "SIGABRT"),
    ("exit", "it exited with status 0"),
    ("overflow", "SIGABRT"),
    ("loop", "no answer within 400 ms"),
    ("late", "no answer within 400 ms"),
    ("flood", "no answer within 400 ms"),
    ("hog", "memory allocation of 1048576 bytes failed"),
    ("huge", "the maximum is"),
    ("other answer", "the result does not fit the call"),
    ("elsewhere", "Get to http://169.254.169.254:80 is not in the manifest"),
    ("endless", "no result after 4 rounds"),
    ("deep", "nested too deep"),
    ("garbage", "a frame of 4294967295 bytes is too long"),
    ("no frame", "a frame cannot be parsed"),
    ("unrequested", "it answered 999999, which was not requested"),
    ("closes", "the plugin stopped"),
    ("forks", "SIGSYS"),
    ("connects", "SIGSYS"),
];

/// Faults that are only detected by a timeout.
const SLOW: [&str; 3] = ["loop", "late", "flood"];

/// A call of each kind.
fn calls() -> [Call; 5] {
    let text = || "text".to_owned();
    [
        Call::Prices { assets: Vec::new() },
        Call::SendPayout(PayoutRequest { key: text(), currency: text(), address: text(), memo: None, amount: 1.into() }),
        Call::Screen(ScreeningRequest { key: text(), currency: text(), tx_id: text(), address: text(), amount: 1.into() }),
        Call::Notify(Notification { key: text(), recipient: None, event: text(), text: text(), url: None }),
        check("value"),
    ]
}

/// A second plugin that is called continuously and must always answer.
struct UnaffectedPlugin {
    plugin: Arc<SupervisedPlugin>,
    enough: Arc<AtomicBool>,
    asking: Vec<tokio::task::JoinHandle<u64>>,
}

impl UnaffectedPlugin {
    fn start() -> Self {
        let plugin = start(faulty(), strict());
        let enough = Arc::new(AtomicBool::new(false));
        let asking = (0..2).map(|_| {
            let (plugin, enough) = (plugin.clone(), enough.clone());
            tokio::spawn(async move {
                let mut answered = 0;
                while !enough.load(Ordering::Relaxed) {
                    let value = answered.to_string();
                    let answer = call_plugin(&plugin, "good", check(&value)).await;
                    assert_eq!(answer, Ok(CallResult::Checked(RequisiteCheck::Valid { canonical: value })));
                    answered += 1;
                    tokio::task::yield_now().await;
                }
                answered
            })
        });
        let asking = asking.collect();
        Self { plugin, enough, asking }
    }

    async fn finish(self) {
        self.enough.store(true, Ordering::Relaxed);
        for asking in self.asking {
            assert!(asking.await.unwrap() > 0);
        }
        let health = self.plugin.health();
        assert_eq!((health.faults, health.restarts), (0, 0), "{:#?}", self.plugin.log());
        self.plugin.stop().await;
    }
}

/// Triggers a fault until the plugin is quarantined.
async fn assert_quarantined(mode: &'static str, why: &str, calls: &[Call]) {
    let round = if SLOW.contains(&mode) { Duration::from_millis(400) } else { strict().round_timeout };
    let plugin = start(faulty(), SupervisorPolicy { round_timeout: round, ..strict() });
    for call in calls {
        call_plugin(&plugin, mode, call.clone()).await.unwrap_err();
        let fault = call_plugin(&plugin, mode, call.clone()).await.unwrap_err();
        let reason = quarantine(&plugin).await;
        assert!(reason.contains(why), "{mode}: {reason}");
        assert!(fault.to_string().contains(&reason) || reason.contains(&fault.to_string()), "{mode}: {fault}, but {reason}");
        let after = call_plugin(&plugin, "good", call.clone()).await.unwrap_err();
        assert!(after.to_string().contains("quarantined"), "{mode}: {after}");
        let health = plugin.health();
        assert!(health.process.is_none() && health.faults >= 2, "{mode}: {health:?}");
        assert!(plugin.log().len() <= 200);
        plugin.revive();
        crate::fixtures::until(&plugin, |state| *state == agio_plugin_runtime::ProcessState::Ready).await;
        call_plugin(&plugin, "good", call.clone()).await.unwrap();
    }
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faulty_plugins_are_quarantined_and_do_not_affect_others() {
    let unaffected = UnaffectedPlugin::start();
    let calls = calls();
    for batch in FAULTS.chunks(4) {
        let tried = batch.iter().enumerate().map(|(index, (mode, why))| {
            // What takes time is tried in one kind each; the rest in all of them.
            let calls = if SLOW.contains(mode) { vec![calls[index].clone()] } else { calls.to_vec() };
            tokio::spawn(async move { assert_quarantined(mode, why, &calls).await })
        });
        for tried in tried.collect::<Vec<_>>() {
            tried.await.unwrap();
        }
    }
    unaffected.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_process_is_sandboxed() {
    // A descriptor that a dependency of the server left open.
    let left_open = rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), 100).unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();

    let plugin = start(faulty(), strict());
    assert_eq!(call_text(&plugin, "descriptors").await, "[0, 1, 2, 3]");
    assert_eq!(call_text(&plugin, "environment").await, "[]");
    assert_eq!(call_text(&plugin, "reads").await, "false");
    assert_eq!(call_text(&plugin, "threads").await, "false");
    assert_eq!(call_text(&plugin, "signals").await, "-1");
    assert_eq!(plugin.health().faults, 0);
    plugin.stop().await;
}
