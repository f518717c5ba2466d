//! Every kind of plugin with every kind of fault: the server keeps responding, each plugin is quarantined for the right
//! reason, and no plugin process survives the server.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod latency;
mod plugin_set;
mod quotes;
mod server;

use std::time::{Duration, Instant};

use plugin_set::{FAULTS, KINDS};
use quotes::QuoteLoad;
use server::AgioServer;

/// Quotes per second while plugins are faulty.
const QUOTES: u32 = 50;

/// Longer than the slowest fault takes to be noticed.
const TIMEOUT: Duration = Duration::from_secs(90);

/// Waits until `look` succeeds, and panics with its last error after the timeout.
async fn until(timeout: Duration, mut look: impl AsyncFnMut() -> Result<(), String>) {
    let began = Instant::now();
    while let Err(why) = look().await {
        assert!(began.elapsed() < timeout, "after {timeout:?}: {why}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Whether all plugins of these kinds are quarantined, each for the right reason.
async fn are_quarantined(server: &AgioServer, kinds: &[&str]) -> Result<(), String> {
    let found = server.plugins().await;
    let faulty = FAULTS.iter().flat_map(|(mode, why)| kinds.iter().map(move |kind| (plugin_set::name(kind, mode), *why)));
    for (name, why) in faulty {
        let plugin = &found[&name];
        let reason = plugin["reason"].as_str().unwrap_or_default();
        if plugin["state"] != "quarantined" {
            return Err(format!("{name} is {}: {plugin}", plugin["state"]));
        }
        assert!(reason.contains(why), "{name} is quarantined for {reason:?}, not for {why:?}");
    }
    Ok(())
}

/// Kills the healthy plugin and waits until it responds again.
async fn restarts_after_kill(server: &AgioServer) {
    let before = server.plugin(plugin_set::HEALTHY).await;
    assert_eq!(before["state"], "ready", "{before}");
    let began = Instant::now();
    server::kill(before["process"].as_u64().unwrap());
    until(Duration::from_secs(10), async || {
        server.check_a_requisite().await;
        let now = server.plugin(plugin_set::HEALTHY).await;
        let answered =
            now["process"].is_u64() && now["process"] != before["process"] && now["answeredAt"] != before["answeredAt"];
        if answered && now["state"] == "ready" { Ok(()) } else { Err(now.to_string()) }
    })
    .await;
    let took = began.elapsed();
    assert!(took < Duration::from_secs(2), "it took {took:?}");
    println!("a plugin that was killed answered again after {} ms", took.as_millis());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_survives_every_faulty_plugin_and_leaves_no_processes() {
    let mut server = AgioServer::prepare("round_ms = 1500\nmemory_mib = 64\nfaults = 2").await;
    server.start().await;
    let quotes = QuoteLoad::start(&server, QUOTES).await;
    server.enable_all_plugins().await;
    server.receive_payments().await;
    let called_by_the_server: Vec<_> = KINDS.into_iter().filter(|kind| *kind != "notifier").collect();
    until(TIMEOUT, async || {
        server.check_a_requisite().await;
        are_quarantined(&server, &called_by_the_server).await
    })
    .await;
    let future = server.plugin(plugin_set::UNKNOWN_PROTOCOL).await;
    assert!(future["reason"].as_str().unwrap().contains("protocol version 99"), "{future}");
    let guest = server.plugin(plugin_set::REPLACED_BUILT_IN).await;
    assert!(guest["sha256"].is_string(), "a library replaces a built-in plugin: {guest}");
    restarts_after_kill(&server).await;
    quotes.assert_all_answered().await;

    let children = server.children();
    assert!(!children.is_empty() && server.library_copies() > 0);
    server.kill().await;
    until(Duration::from_secs(5), async || {
        let left: Vec<_> = children.iter().filter(|child| server::is_alive(**child)).collect();
        if left.is_empty() { Ok(()) } else { Err(format!("{left:?} of {children:?} live on")) }
    })
    .await;

    // Staff alerts are sent at the start, so that notifiers are called while they are starting too.
    let left = server.library_copies();
    assert!(left > 0, "a killed server removes nothing");
    server.cause_a_staff_alert().await;
    server.start().await;
    let quotes = QuoteLoad::start(&server, QUOTES).await;
    server.remove_from_allowed_list(plugin_set::REPLACED_BUILT_IN);
    until(TIMEOUT, async || are_quarantined(&server, &["notifier"]).await).await;
    until(TIMEOUT, async || {
        let guest = server.plugin(plugin_set::REPLACED_BUILT_IN).await;
        if guest["sha256"].is_null() { Ok(()) } else { Err(guest.to_string()) }
    })
    .await;
    quotes.assert_all_answered().await;
    let steady = server.plugin(plugin_set::HEALTHY).await;
    assert_eq!((&steady["state"], &steady["faults"]), (&"ready".into(), &0.into()), "{steady}");
    server.stop().await;
    assert_eq!(server.library_copies(), 0, "the copies of both servers are gone");
}
