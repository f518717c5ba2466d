//! Plugins that misbehave in every way somebody thought of, in every kind of plugin, in the house as it is served: the site answers on, each
//! is given up for the right reason, and nothing of them is left when the house is killed.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod gang;
mod measured;
mod quotes;
mod site;

use std::time::{Duration, Instant};

use gang::{CRIMES, KINDS};
use quotes::Quotes;
use site::Site;

/// How often a visitor asks for a quote while plugins misbehave, in a second.
const QUOTES: u32 = 50;

/// Longer than the slowest of them takes.
const EVER: Duration = Duration::from_secs(90);

/// Waits until something is so; says what it is otherwise.
async fn until(patience: Duration, mut look: impl AsyncFnMut() -> Result<(), String>) {
    let began = Instant::now();
    while let Err(why) = look().await {
        assert!(began.elapsed() < patience, "after {patience:?}: {why}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Plugins of these kinds are given up, each for what it did.
async fn are_given_up(site: &Site, kinds: &[&str]) -> Result<(), String> {
    let seen = site.plugins().await;
    let guilty = CRIMES.iter().flat_map(|(mode, why)| kinds.iter().map(move |kind| (gang::name(kind, mode), *why)));
    for (name, why) in guilty {
        let plugin = &seen[&name];
        let reason = plugin["reason"].as_str().unwrap_or_default();
        if plugin["state"] != "quarantined" {
            return Err(format!("{name} is {}: {plugin}", plugin["state"]));
        }
        assert!(reason.contains(why), "{name} is given up for {reason:?}, not for {why:?}");
    }
    Ok(())
}

/// The steady plugin is killed and answers again.
async fn recovers(site: &Site) {
    let before = site.plugin(gang::STEADY).await;
    assert_eq!(before["state"], "ready", "{before}");
    let began = Instant::now();
    site::kill(before["process"].as_u64().unwrap());
    until(Duration::from_secs(10), async || {
        site.checks_a_requisite().await;
        let now = site.plugin(gang::STEADY).await;
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
async fn the_site_answers_on_whatever_plugins_do_and_nothing_of_them_is_left() {
    let mut site = Site::furnished("round_ms = 1500\nmemory_mib = 64\nfaults = 2").await;
    site.start().await;
    let quotes = Quotes::ask(&site, QUOTES).await;
    site.switches_all_on().await;
    site.takes_payments().await;
    let asked_by_itself: Vec<_> = KINDS.into_iter().filter(|kind| *kind != "notifier").collect();
    until(EVER, async || {
        site.checks_a_requisite().await;
        are_given_up(&site, &asked_by_itself).await
    })
    .await;
    let future = site.plugin(gang::FUTURE).await;
    assert!(future["reason"].as_str().unwrap().contains("it speaks protocol 99"), "{future}");
    let guest = site.plugin(gang::GUEST).await;
    assert!(guest["sha256"].is_string(), "a library runs in place of a plugin that came with the house: {guest}");
    recovers(&site).await;
    quotes.all_answered().await;

    let children = site.children();
    assert!(!children.is_empty() && site.copies() > 0);
    site.killed().await;
    until(Duration::from_secs(5), async || {
        let left: Vec<_> = children.iter().filter(|child| site::lives(**child)).collect();
        if left.is_empty() { Ok(()) } else { Err(format!("{left:?} of {children:?} live on")) }
    })
    .await;

    // What there is to tell is told at the start, so that notifiers get their turn, and one that is being started too.
    let left = site.copies();
    assert!(left > 0, "a house that is killed removes nothing");
    site.something_is_to_be_told().await;
    site.start().await;
    let quotes = Quotes::ask(&site, QUOTES).await;
    site.agrees_no_more_to(gang::GUEST);
    until(EVER, async || are_given_up(&site, &["notifier"]).await).await;
    until(EVER, async || {
        let guest = site.plugin(gang::GUEST).await;
        if guest["sha256"].is_null() { Ok(()) } else { Err(guest.to_string()) }
    })
    .await;
    quotes.all_answered().await;
    let steady = site.plugin(gang::STEADY).await;
    assert_eq!((&steady["state"], &steady["faults"]), (&"ready".into(), &0.into()), "{steady}");
    site.stopped().await;
    assert_eq!(site.copies(), 0, "what the killed house left is gone, and so is what this one had");
}
