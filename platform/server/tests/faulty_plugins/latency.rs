//! Quote latency while plugins are faulty: `make bench`.

use std::time::Duration;

use crate::plugin_set::{self, FAULTS, KINDS};
use crate::quotes::QuoteLoad;
use crate::server::AgioServer;

/// Quotes per second.
const QUOTES: u32 = 200;
const MEASUREMENT_TIME: Duration = Duration::from_secs(5);
/// How often claims are created meanwhile, so that requisite validators are called too.
const CLAIM_EVERY: Duration = Duration::from_millis(500);
/// The limit of the p99 latency relative to the idle one.
const LIMIT: f64 = 2.0;

/// The p99 latency of quotes while claims are created and these plugins are revived after each quarantine.
async fn p99(server: &AgioServer, faulty: &[String]) -> Duration {
    let quotes = QuoteLoad::start(server, QUOTES).await;
    let began = tokio::time::Instant::now();
    let mut pace = tokio::time::interval(CLAIM_EVERY);
    while began.elapsed() < MEASUREMENT_TIME {
        pace.tick().await;
        server.check_a_requisite().await;
        let found = server.plugins().await;
        for name in faulty.iter().filter(|name| found[*name]["state"] == "quarantined") {
            server.revive_plugin(name).await;
        }
    }
    let took = quotes.stop().await;
    let mut took: Vec<_> = took.into_iter().map(|took| took.expect("every quote is answered")).collect();
    took.sort_unstable();
    took[took.len() * 99 / 100]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures: `make bench` runs it, on a quiet machine and with optimisation"]
async fn faulty_plugins_do_not_slow_quotes() {
    let mut server = AgioServer::prepare("").await;
    server.start().await;
    server.enable_all_plugins().await;
    server.receive_payments().await;
    let names = |mode: &str| KINDS.map(|kind| plugin_set::name(kind, mode));
    for (mode, _) in FAULTS {
        for name in names(mode) {
            server.update_plugin(&name, false, serde_json::json!({})).await;
        }
    }
    let mut idle = p99(&server, &[]).await;
    println!("{:<58} {:>9} {:>9} {:>7} {:>9}", "p99 of quotes, 200 a second, us", "idle", "agio", "ratio", "at most");
    let mut over = Vec::new();
    for (mode, _) in FAULTS {
        let faulty = names(mode);
        for name in &faulty {
            server.update_plugin(name, true, serde_json::json!({})).await;
        }
        let took = p99(&server, &faulty).await;
        for name in &faulty {
            server.update_plugin(name, false, serde_json::json!({})).await;
        }
        // In turns, because the load of the machine changes meanwhile.
        let before = idle;
        idle = p99(&server, &[]).await;
        let limit = (before + idle) / 2;
        let ratio = took.as_secs_f64() / limit.as_secs_f64();
        let what = format!("  plugins of every kind: {mode}");
        println!("{what:<58} {:>9} {:>9} {ratio:>7.2} {LIMIT:>9.2}", limit.as_micros(), took.as_micros());
        if ratio > LIMIT {
            over.push(mode);
        }
    }
    assert!(over.is_empty(), "over the limit: {over:?}");
    server.stop().await;
}
