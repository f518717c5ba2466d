//! Two nodes on one PostgreSQL, and everything at once: no rule is passed because two decided on the same thing at the same moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agio_testkit::{Answer, Caller, Customer, Engine, House};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::examples;
use crate::soundness::is_sound;

/// Two nodes where only the rules under test limit anybody.
async fn two_nodes() -> (House, House) {
    let here = House::open(Engine::Postgres).await;
    let open = json!({ "claims.captcha": "false", "claims.unpaid_per_email": "100000", "claims.unpaid_per_address": "100000" });
    here.owner().await.put("/api/admin/v1/settings", open).await.ok();
    let there = here.another_node().await;
    (here, there)
}

/// The same request so often, every other time at the other node and each with a body of its own.
async fn at_once(caller: &Caller, nodes: [&House; 2], count: usize, path: &str, body: impl Fn(usize) -> Value) -> Vec<Answer> {
    let mut calls = JoinSet::new();
    for turn in 0..count {
        let (caller, path, body) = (caller.clone().before(&nodes[turn % 2].root), path.to_owned(), body(turn));
        calls.spawn(async move { caller.post(&path, body).await });
    }
    calls.join_all().await
}

/// How many of the calls were done; the others were refused with this.
fn done(answers: &[Answer], refusal: (u16, &str)) -> usize {
    let is_done = |answer: &&Answer| answer.status.is_success();
    for answer in answers.iter().filter(|answer| !is_done(answer)) {
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (refusal.0, Some(refusal.1)), "{}", answer.text);
    }
    answers.iter().filter(is_done).count()
}

/// A card number that nobody else has.
fn card(number: usize) -> String {
    let digits = format!("22000000{number:07}");
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0');
            if place % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { digit }
        })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

fn currency(house: &House, code: &str) -> i64 {
    house.app.calculator.market().currency_named(code).expect("the demonstration has it").id()
}

async fn order(house: &House, caller: &Caller, send: &str, email: &str) -> String {
    let mut order = examples::order(house, send);
    order["email"] = email.into();
    caller.post("/api/v1/claim/", order).await.ok()["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_may_be_so_often_is_so_often_at_both_nodes_together() {
    let (here, there) = two_nodes().await;
    let nodes = [&here, &there];
    let owner = here.owner().await;

    let claim = order(&here, &here.customer(), "0.005", "anna@example.com").await;
    let guest = here.customer();
    let mut uploads = JoinSet::new();
    for turn in 0..16 {
        let caller = guest.clone().before(&nodes[turn % 2].root);
        let path = format!("/api/v1/claim/{claim}/bill/");
        uploads.spawn(async move { caller.upload(&path, "receipt.png", examples::RECEIPT.to_vec()).await });
    }
    let early = uploads.join_all().await;
    assert_eq!(done(&early, (409, "transition_not_allowed")), 0, "nothing is to be paid yet");
    guest.post_empty(&format!("/api/v1/claim/{claim}/confirm/")).await.ok();
    let mut uploads = JoinSet::new();
    for turn in 0..16 {
        // One address has few uploads under way.
        let caller = guest.clone().from_address(&format!("203.0.113.{turn}")).before(&nodes[turn % 2].root);
        let path = format!("/api/v1/claim/{claim}/bill/");
        uploads.spawn(async move { caller.upload(&path, "receipt.png", examples::RECEIPT.to_vec()).await });
    }
    assert_eq!(done(&uploads.join_all().await, (409, "receipts_full")), 5, "receipts of a claim");

    let anna = Customer::at(&here, "anna@example.com").await;
    let roubles = currency(&here, "SBERRUB");
    let saved = at_once(
        &anna.caller,
        nodes,
        70,
        "/api/v1/users/me/requisites/",
        |turn| json!({ "currencyId": roubles, "values": { "card": card(turn), "holder": "ANNA PETROVA" } }),
    )
    .await;
    assert_eq!(done(&saved, (409, "saved_requisites_full")), 50, "payment details kept in an account");

    let partner = json!({ "name": "Shop", "email": "shop@example.com", "callbackUrl": "https://shop.example/agio" });
    let made = owner.post("/api/admin/v1/partners", partner).await.ok();
    let keys = format!("/api/admin/v1/partners/{}/keys", made["partner"]["id"].as_str().unwrap());
    let given = at_once(
        &owner,
        nodes,
        40,
        &keys,
        |turn| json!({ "title": format!("key {turn}"), "sandbox": true, "scopes": ["read"], "perMinute": 60 }),
    )
    .await;
    assert_eq!(done(&given, (409, "too_many_keys")), 20, "keys of a partner");

    let day = |days: u64| here.now().plus(Duration::from_secs(days * 24 * 60 * 60)).to_string();
    let text = |ru: &str, en: &str| json!({ "ru": ru, "en": en });
    let contests = at_once(&owner, nodes, 8, "/api/admin/v1/contests", |turn| {
        json!({
            "title": text("Розыгрыш", "Draw"), "rules": text("Правила", "Rules"), "source": text("Хеш блока", "Block hash"),
            "startsAt": day(1), "endsAt": day(8), "publicAt": day(9), "perWorth": null, "mostWeight": 1 + turn,
            "prizes": [{ "currencyId": currency(&here, "USDTTRC20"), "amount": "10" }],
        })
    })
    .await;
    assert_eq!(done(&contests, (409, "contest_overlaps")), 1, "contests of one period");

    let monitors = at_once(
        &owner,
        nodes,
        60,
        "/api/admin/v1/monitors",
        |turn| json!({ "slug": format!("monitor-{turn}"), "name": "BestChange" }),
    )
    .await;
    assert_eq!(done(&monitors, (409, "monitors_full")), 50, "monitors");
    is_sound(&here).await;
}

/// Two decide on one claim at one moment, at two nodes, all their lives long.
async fn lives(nodes: [Caller; 2], staff: [Caller; 2], house: Arc<House>, number: usize, tally: Arc<Tally>) {
    let both = |path: String| {
        let [here, there] = nodes.clone();
        async move { tokio::join!(here.post_empty(&path), there.post_empty(&path)) }
    };
    let id = order(&house, &nodes[number % 2], &format!("0.001{number:03}"), &format!("customer{number}@example.com")).await;
    let at = |call: &str| format!("/api/v1/claim/{id}/{call}/");
    if number.is_multiple_of(5) {
        // They confirm and cancel at one moment.
        let (confirming, cancelling) = (at("confirm"), at("cancel"));
        let (confirm, cancel) = tokio::join!(nodes[0].post_empty(&confirming), nodes[1].post_empty(&cancelling));
        is_told(&confirm);
        is_told(&cancel);
    } else {
        let (one, other) = both(at("confirm")).await;
        is_told(&one);
        is_told(&other);
    }
    let (one, other) = both(at("paid")).await;
    is_told(&one);
    is_told(&other);
    let seen = format!("/api/admin/v1/claims/{id}");
    for turn in 0..12 {
        let claim = staff[turn % 2].get(&seen).await.ok();
        let revision = &claim["revision"];
        let said = |action: &str| {
            json!({ "action": action, "revision": revision, "txId": format!("{action}-{id}"), "reason": "technical",
            "note": "", "answerBy": "2030-01-01T00:00:00Z" })
        };
        let plain = |action: &str| json!({ "action": action, "revision": revision });
        let (one, other) = match claim["status"].as_str().unwrap() {
            "payment_claimed" if number.is_multiple_of(7) => (said("payment_received"), said("reject")),
            "payment_claimed" => (said("payment_received"), said("payment_received")),
            "paid" if number.is_multiple_of(4) => (plain("take"), said("refund")),
            "paid" => (plain("take"), plain("take")),
            "processing" if number.is_multiple_of(3) => (said("payout_sent"), said("refund")),
            "processing" => (said("payout_sent"), said("payout_sent")),
            "payout_sent" => (plain("complete"), plain("complete")),
            "refund_pending" => (said("refund_sent"), said("refund_sent")),
            "refund_sent" => (plain("refund_done"), said("refund_bounced")),
            _ => break,
        };
        let path = format!("{seen}/transitions");
        let (one, other) = tokio::join!(staff[0].post(&path, one), staff[1].post(&path, other));
        let taken = usize::from(one.status.is_success()) + usize::from(other.status.is_success());
        assert!(taken <= 1, "both were told that theirs is done: {} / {}", one.text, other.text);
        tally.steps.fetch_add(taken, Ordering::Relaxed);
        tally.lost.fetch_add(2 - taken, Ordering::Relaxed);
        is_told(&one);
        is_told(&other);
    }
}

#[derive(Default)]
struct Tally {
    steps: AtomicUsize,
    lost: AtomicUsize,
}

/// Whoever loses a race is told so, and nothing else happens to them.
fn is_told(answer: &Answer) {
    let known = ["claim_changed", "claim_locked", "transition_not_allowed", "balance_too_low", "refund_address_missing"];
    let is_known = answer.status.is_success() || known.contains(&answer.json()["code"].as_str().unwrap_or_default());
    assert!(is_known, "{}: {}", answer.status, answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_at_two_nodes_leaves_everything_sound() {
    let (here, there) = two_nodes().await;
    let staff = [
        here.staff_named("one", agio_core::identity::Role::Owner).await,
        there.staff_named("other", agio_core::identity::Role::Owner).await,
    ];
    let (here, tally) = (Arc::new(here), Arc::new(Tally::default()));
    for caller in &staff {
        caller.post("/api/admin/v1/me/confirm", json!({ "password": House::PASSWORD })).await.ok();
    }
    let mut crowd = JoinSet::new();
    for number in 0..40 {
        let visitor = here.customer();
        let nodes = [visitor.clone(), visitor.before(&there.root)];
        crowd.spawn(lives(nodes, staff.clone(), here.clone(), number, tally.clone()));
    }
    // Meanwhile both nodes do what is due.
    let working = async {
        while let Some(life) = crowd.join_next().await {
            life.unwrap();
            for name in ["claims.deadlines", "ledger.check"] {
                let jobs = [here.app.jobs(), there.app.jobs()];
                let [one, other] = jobs.each_ref().map(|jobs| jobs.iter().find(|job| job.name == name).unwrap());
                let (one, other) = tokio::join!((one.run)(), (other.run)());
                one.unwrap();
                other.unwrap();
            }
        }
    };
    working.await;
    let (steps, lost) = (tally.steps.load(Ordering::Relaxed), tally.lost.load(Ordering::Relaxed));
    assert!(steps > 100 && lost > 100, "{steps} steps, {lost} lost: nobody was in anybody's way");
    is_sound(&here).await;
}
