//! A plugin may do what it wants: it is found out, and its neighbour does not notice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agio_plugin::protocol::{Answer, Call, Checked, Notice, Payout, Screening};
use agio_plugin_host::{Policy, Supervised};

use crate::bench::{ask, check, misbehaving, quarantine, start, strict, told};

/// What a plugin does, and what is said of it.
static CRIMES: [(&str, &str); 20] = [
    ("panic", "it panicked: this is too much for me"),
    ("segfault", "SIGSEGV"),
    ("abort", "SIGABRT"),
    ("exit", "it ended with the status 0"),
    ("overflow", "SIGABRT"),
    ("loop", "no answer within 400 ms"),
    ("late", "no answer within 400 ms"),
    ("flood", "no answer within 400 ms"),
    ("hog", "memory allocation of 1048576 bytes failed"),
    ("huge", "at most"),
    ("other answer", "the answer is to another question"),
    ("elsewhere", "Get to http://169.254.169.254:80 is not in the manifest"),
    ("endless", "no answer after 4 rounds"),
    ("deep", "nested too deep"),
    ("garbage", "a frame of 4294967295 bytes is too long"),
    ("no frame", "a frame says nothing"),
    ("not asked", "it answered 999999, which was not asked"),
    ("closes", "the plugin stopped"),
    ("forks", "SIGSYS"),
    ("connects", "SIGSYS"),
];

/// Crimes that are only found out when time is up.
const SLOW: [&str; 3] = ["loop", "late", "flood"];

/// A call of each kind.
fn calls() -> [Call; 5] {
    let text = || "text".to_owned();
    [
        Call::Prices { assets: Vec::new() },
        Call::Send(Payout { key: text(), currency: text(), address: text(), memo: None, amount: 1.into() }),
        Call::Screen(Screening { key: text(), currency: text(), tx_id: text(), address: text(), amount: 1.into() }),
        Call::Notify(Notice { key: text(), recipient: None, event: text(), text: text(), url: None }),
        check("value"),
    ]
}

/// Somebody who asks without a pause, and is always answered.
struct Neighbour {
    plugin: Arc<Supervised>,
    enough: Arc<AtomicBool>,
    asking: Vec<tokio::task::JoinHandle<u64>>,
}

impl Neighbour {
    fn moves_in() -> Self {
        let plugin = start(misbehaving(), strict());
        let enough = Arc::new(AtomicBool::new(false));
        let asking = (0..2).map(|_| {
            let (plugin, enough) = (plugin.clone(), enough.clone());
            tokio::spawn(async move {
                let mut answered = 0;
                while !enough.load(Ordering::Relaxed) {
                    let value = answered.to_string();
                    let answer = ask(&plugin, "good", check(&value)).await;
                    assert_eq!(answer, Ok(Answer::Checked(Checked::Good { canonical: value })));
                    answered += 1;
                    tokio::task::yield_now().await;
                }
                answered
            })
        });
        let asking = asking.collect();
        Self { plugin, enough, asking }
    }

    async fn moves_out(self) {
        self.enough.store(true, Ordering::Relaxed);
        for asking in self.asking {
            assert!(asking.await.unwrap() > 0);
        }
        let health = self.plugin.health();
        assert_eq!((health.faults, health.restarts), (0, 0), "{:#?}", self.plugin.log());
        self.plugin.stop().await;
    }
}

/// Has a plugin misbehave until it is given up.
async fn found_out(mode: &'static str, why: &str, calls: &[Call]) {
    let round = if SLOW.contains(&mode) { Duration::from_millis(400) } else { strict().round };
    let plugin = start(misbehaving(), Policy { round, ..strict() });
    for call in calls {
        ask(&plugin, mode, call.clone()).await.unwrap_err();
        let fault = ask(&plugin, mode, call.clone()).await.unwrap_err();
        let reason = quarantine(&plugin).await;
        assert!(reason.contains(why), "{mode}: {reason}");
        assert!(fault.to_string().contains(&reason) || reason.contains(&fault.to_string()), "{mode}: {fault}, but {reason}");
        let after = ask(&plugin, "good", call.clone()).await.unwrap_err();
        assert!(after.to_string().contains("quarantined"), "{mode}: {after}");
        let health = plugin.health();
        assert!(health.process.is_none() && health.faults >= 2, "{mode}: {health:?}");
        assert!(plugin.log().len() <= 200);
        plugin.revive();
        crate::bench::until(&plugin, |state| *state == agio_plugin_host::State::Ready).await;
        ask(&plugin, "good", call.clone()).await.unwrap();
    }
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crimes_of_every_kind_are_found_out_and_the_neighbour_is_answered_all_the_while() {
    let neighbour = Neighbour::moves_in();
    let calls = calls();
    for batch in CRIMES.chunks(4) {
        let tried = batch.iter().enumerate().map(|(index, (mode, why))| {
            // What takes time is tried in one kind each; the rest in all of them.
            let calls = if SLOW.contains(mode) { vec![calls[index].clone()] } else { calls.to_vec() };
            tokio::spawn(async move { found_out(mode, why, &calls).await })
        });
        for tried in tried.collect::<Vec<_>>() {
            tried.await.unwrap();
        }
    }
    neighbour.moves_out().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_has_nothing_and_can_do_nothing() {
    // A file that a careless library of the house left open for its children.
    let left_open = rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), 100).unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();

    let plugin = start(misbehaving(), strict());
    assert_eq!(told(&plugin, "descriptors").await, "[0, 1, 2, 3]");
    assert_eq!(told(&plugin, "environment").await, "[]");
    assert_eq!(told(&plugin, "reads").await, "false");
    assert_eq!(told(&plugin, "threads").await, "false");
    assert_eq!(told(&plugin, "signals").await, "-1");
    assert_eq!(plugin.health().faults, 0);
    plugin.stop().await;
}
