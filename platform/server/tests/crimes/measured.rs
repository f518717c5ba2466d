//! How much later quotes come while plugins misbehave: `make bench`.

use std::time::Duration;

use crate::gang::{self, CRIMES, KINDS};
use crate::quotes::Quotes;
use crate::site::Site;

/// How often a visitor asks, in a second.
const QUOTES: u32 = 200;
/// For how long, each time.
const MEASURED_FOR: Duration = Duration::from_secs(5);
/// How often claims are made meanwhile, so that plugins are asked about their requisites too.
const CLAIM_EVERY: Duration = Duration::from_millis(500);
/// How much later 99 in 100 quotes may come than when nothing happens.
const LIMIT: f64 = 2.0;

/// Asks for quotes while claims are made and these plugins get another chance whenever they were given up: how long 99 in 100 took at most.
async fn p99(site: &Site, guilty: &[String]) -> Duration {
    let quotes = Quotes::ask(site, QUOTES).await;
    let began = tokio::time::Instant::now();
    let mut pace = tokio::time::interval(CLAIM_EVERY);
    while began.elapsed() < MEASURED_FOR {
        pace.tick().await;
        site.checks_a_requisite().await;
        let seen = site.plugins().await;
        for name in guilty.iter().filter(|name| seen[*name]["state"] == "quarantined") {
            site.revives(name).await;
        }
    }
    let took = quotes.enough().await;
    let mut took: Vec<_> = took.into_iter().map(|took| took.expect("every quote is answered")).collect();
    took.sort_unstable();
    took[took.len() * 99 / 100]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures: `make bench` runs it, on a quiet machine and with optimisation"]
async fn quotes_come_as_soon_while_plugins_misbehave() {
    let mut site = Site::furnished("").await;
    site.start().await;
    site.switches_all_on().await;
    site.takes_payments().await;
    let names = |mode: &str| KINDS.map(|kind| gang::name(kind, mode));
    for (mode, _) in CRIMES {
        for name in names(mode) {
            site.switches(&name, false, serde_json::json!({})).await;
        }
    }
    let mut idle = p99(&site, &[]).await;
    println!("{:<58} {:>9} {:>9} {:>7} {:>9}", "p99 of quotes, 200 a second, us", "idle", "house", "ratio", "at most");
    let mut over = Vec::new();
    for (mode, _) in CRIMES {
        let guilty = names(mode);
        for name in &guilty {
            site.switches(name, true, serde_json::json!({})).await;
        }
        let took = p99(&site, &guilty).await;
        for name in &guilty {
            site.switches(name, false, serde_json::json!({})).await;
        }
        // In turns, as everywhere: what the neighbours of the machine do changes meanwhile.
        let before = idle;
        idle = p99(&site, &[]).await;
        let limit = (before + idle) / 2;
        let ratio = took.as_secs_f64() / limit.as_secs_f64();
        let what = format!("  plugins of every kind: {mode}");
        println!("{what:<58} {:>9} {:>9} {ratio:>7.2} {LIMIT:>9.2}", limit.as_micros(), took.as_micros());
        if ratio > LIMIT {
            over.push(mode);
        }
    }
    assert!(over.is_empty(), "over the limit: {over:?}");
    site.stopped().await;
}
