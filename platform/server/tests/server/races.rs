//! Race conditions between two nodes on one PostgreSQL: no rule is violated by concurrent decisions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, TestResponse, card_number};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::examples;
use crate::ledger_consistency::assert_sums_agree;

/// Two nodes without other limits than those under test.
async fn two_nodes() -> (TestApp, TestApp) {
    let here = TestApp::start(Engine::Postgres).await;
    let open = json!({ "claims.captcha": "false", "claims.unpaid_per_email": "100000", "claims.unpaid_per_address": "100000" });
    here.owner().await.put("/api/admin/v1/settings", open).await.ok();
    let there = here.another_node().await;
    (here, there)
}

/// Sends many requests with different bodies, alternating between the nodes.
async fn at_once(
    caller: &TestClient,
    nodes: [&TestApp; 2],
    count: usize,
    path: &str,
    body: impl Fn(usize) -> Value,
) -> Vec<TestResponse> {
    let mut calls = JoinSet::new();
    for turn in 0..count {
        let (caller, path, body) = (caller.clone().at_node(&nodes[turn % 2].root), path.to_owned(), body(turn));
        calls.spawn(async move { caller.post(&path, body).await });
    }
    calls.join_all().await
}

/// The number of successes; all other requests failed with this code.
fn done(answers: &[TestResponse], refusal: (u16, &str)) -> usize {
    let is_done = |answer: &&TestResponse| answer.status.is_success();
    for answer in answers.iter().filter(|answer| !is_done(answer)) {
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (refusal.0, Some(refusal.1)), "{}", answer.text);
    }
    answers.iter().filter(is_done).count()
}

fn currency(app: &TestApp, code: &str) -> i64 {
    app.server.calculator.market().currency_named(code).expect("the demonstration has it").id()
}

async fn order(app: &TestApp, caller: &TestClient, send: &str, email: &str) -> String {
    let mut order = examples::order(app, send);
    order["email"] = email.into();
    caller.post("/api/v1/claim/", order).await.ok()["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_hold_across_both_nodes() {
    let (here, there) = two_nodes().await;
    let nodes = [&here, &there];
    let owner = here.owner().await;

    let claim = order(&here, &here.visitor(), "0.005", "anna@example.com").await;
    let guest = here.visitor();
    let mut uploads = JoinSet::new();
    for turn in 0..16 {
        let caller = guest.clone().at_node(&nodes[turn % 2].root);
        let path = format!("/api/v1/claim/{claim}/bill/");
        uploads.spawn(async move { caller.upload(&path, "receipt.png", examples::RECEIPT.to_vec()).await });
    }
    let early = uploads.join_all().await;
    assert_eq!(done(&early, (409, "transition_not_allowed")), 0, "nothing is to be paid yet");
    guest.post_empty(&format!("/api/v1/claim/{claim}/confirm/")).await.ok();
    let mut uploads = JoinSet::new();
    for turn in 0..16 {
        // Concurrent uploads are limited per address.
        let caller = guest.clone().from_address(&format!("203.0.113.{turn}")).at_node(&nodes[turn % 2].root);
        let path = format!("/api/v1/claim/{claim}/bill/");
        uploads.spawn(async move { caller.upload(&path, "receipt.png", examples::RECEIPT.to_vec()).await });
    }
    assert_eq!(done(&uploads.join_all().await, (409, "receipts_full")), 5, "receipts of a claim");

    let anna = TestCustomer::registered(&here, "anna@example.com").await;
    let roubles = currency(&here, "SBERRUB");
    let saved = at_once(
        &anna.caller,
        nodes,
        70,
        "/api/v1/users/me/requisites/",
        |turn| json!({ "currencyId": roubles, "values": { "card": card_number(turn as u64), "holder": "ANNA PETROVA" } }),
    )
    .await;
    assert_eq!(done(&saved, (409, "saved_requisites_full")), 50, "payment details kept in an account");

    let partner = json!({ "name": "Shop", "email": "shop@example.com", "callbackUrl": "https://shop.example/agio" });
    let created = owner.post("/api/admin/v1/partners", partner).await.ok();
    let keys = format!("/api/admin/v1/partners/{}/keys", created["partner"]["id"].as_str().unwrap());
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
            "startsAt": day(1), "endsAt": day(8), "publicAt": day(9), "volumePerTicket": null, "maxTickets": 1 + turn,
            "prizes": [{ "currencyId": currency(&here, "USDTTRC20"), "amount": "10" }],
        })
    })
    .await;
    assert_eq!(done(&contests, (409, "contest_overlaps")), 1, "contests of one period");

    let aggregators = at_once(
        &owner,
        nodes,
        60,
        "/api/admin/v1/aggregators",
        |turn| json!({ "slug": format!("aggregator-{turn}"), "name": "BestChange" }),
    )
    .await;
    assert_eq!(done(&aggregators, (409, "aggregators_full")), 50, "aggregators");
    assert_sums_agree(&here).await;
}

const ENDED: [&str; 4] = ["completed", "refunded", "rejected", "cancelled"];

/// Two callers act on one claim at two nodes at once, until it has ended.
async fn lives(nodes: [TestClient; 2], staff: [TestClient; 2], app: Arc<TestApp>, number: usize, tally: Arc<Tally>) {
    let both = |path: String| {
        let [here, there] = nodes.clone();
        async move { tokio::join!(here.post_empty(&path), there.post_empty(&path)) }
    };
    let id = order(&app, &nodes[number % 2], &format!("0.001{number:03}"), &format!("customer{number}@example.com")).await;
    let at = |call: &str| format!("/api/v1/claim/{id}/{call}/");
    if number.is_multiple_of(5) {
        // Confirms and cancels at once.
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
    let found = format!("/api/admin/v1/claims/{id}");
    let mut lacks_destination = false;
    for turn in 0.. {
        let claim = staff[turn % 2].get(&found).await.ok();
        assert!(turn < 100, "{id} stays {}", claim["status"]);
        if lacks_destination {
            let destination = json!({ "requisites": { "address": "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy" } });
            let path = at("refund");
            let (one, other) = tokio::join!(nodes[0].post(&path, destination.clone()), nodes[1].post(&path, destination));
            is_told(&one);
            is_told(&other);
            lacks_destination = false;
            continue;
        }
        let revision = &claim["revision"];
        let message = |action: &str| {
            let mut step = json!({ "action": action, "revision": revision, "reason": "technical", "note": "",
                "answerBy": "2030-01-01T00:00:00Z" });
            if !matches!(action, "reject" | "refund" | "refund_bounced") {
                step["txId"] = format!("{action}-{id}").into();
            }
            step
        };
        let plain = |action: &str| json!({ "action": action, "revision": revision });
        let (one, other) = match claim["status"].as_str().unwrap() {
            "payment_claimed" if number.is_multiple_of(7) => (message("payment_received"), message("reject")),
            "payment_claimed" => (message("payment_received"), message("payment_received")),
            "paid" if number.is_multiple_of(4) => (plain("take"), message("refund")),
            "paid" => (plain("take"), plain("take")),
            "processing" if number.is_multiple_of(3) => (message("payout_sent"), message("refund")),
            "processing" => (message("payout_sent"), message("payout_sent")),
            "payout_sent" => (plain("complete"), plain("complete")),
            "refund_pending" => (message("refund_sent"), message("refund_sent")),
            "refund_sent" if turn < 10 => (plain("refund_done"), message("refund_bounced")),
            "refund_sent" => (plain("refund_done"), plain("refund_done")),
            ended if ENDED.contains(&ended) => break,
            state => panic!("{id} is {state}"),
        };
        let path = format!("{found}/transitions");
        let (one, other) = tokio::join!(staff[0].post(&path, one), staff[1].post(&path, other));
        let taken = usize::from(one.status.is_success()) + usize::from(other.status.is_success());
        assert!(taken <= 1, "both were told that theirs is done: {} / {}", one.text, other.text);
        tally.steps.fetch_add(taken, Ordering::Relaxed);
        tally.lost.fetch_add(2 - taken, Ordering::Relaxed);
        lacks_destination = [&one, &other].iter().any(|answer| answer.json()["code"] == "refund_address_missing");
        is_told(&one);
        is_told(&other);
    }
}

#[derive(Default)]
struct Tally {
    steps: AtomicUsize,
    lost: AtomicUsize,
}

/// The loser of a race gets a conflict and nothing else happens.
fn is_told(answer: &TestResponse) {
    let known = ["claim_changed", "claim_locked", "transition_not_allowed", "balance_too_low", "refund_address_missing"];
    let is_known = answer.status.is_success() || known.contains(&answer.json()["code"].as_str().unwrap_or_default());
    assert!(is_known, "{}: {}", answer.status, answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_users_at_two_nodes_leave_the_ledger_consistent() {
    let (here, there) = two_nodes().await;
    let staff = [
        here.staff_named("one", agio_core::identity::Role::Owner).await.without_problem_code_check().repeating_when_overloaded(),
        there
            .staff_named("other", agio_core::identity::Role::Owner)
            .await
            .without_problem_code_check()
            .repeating_when_overloaded(),
    ];
    let (here, tally) = (Arc::new(here), Arc::new(Tally::default()));
    for caller in &staff {
        caller.post("/api/admin/v1/me/confirm", json!({ "password": TestApp::PASSWORD })).await.ok();
    }
    let mut claims = JoinSet::new();
    for number in 0..40 {
        let visitor = here.visitor().without_problem_code_check().repeating_when_overloaded();
        let nodes = [visitor.clone(), visitor.at_node(&there.root)];
        claims.spawn(lives(nodes, staff.clone(), here.clone(), number, tally.clone()));
    }
    // Meanwhile both nodes run their jobs.
    let working = async {
        while let Some(life) = claims.join_next().await {
            life.unwrap();
            for name in ["claims.deadlines", "ledger.check"] {
                let jobs = [here.server.jobs(), there.server.jobs()];
                let [one, other] = jobs.each_ref().map(|jobs| jobs.iter().find(|job| job.name == name).unwrap());
                let (one, other) = tokio::join!((one.run)(), (other.run)());
                one.unwrap();
                other.unwrap();
            }
        }
    };
    working.await;
    let (steps, lost) = (tally.steps.load(Ordering::Relaxed), tally.lost.load(Ordering::Relaxed));
    // Most claims need three or more steps, and of two callers one loses each.
    assert!(steps >= 100 && lost >= steps, "{steps} steps, {lost} lost");
    assert_sums_agree(&here).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn payment_details_keep_their_limits_across_both_nodes() {
    let (here, there) = two_nodes().await;
    let owner = here.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "claims.unproven_share_percent": "100" })).await.ok();
    let (list, bitcoin) = ("/api/admin/v1/requisites", currency(&here, "BTC"));
    let ours =
        |rows: Value| rows.as_array().unwrap().iter().filter(|row| row["currencyId"] == bitcoin).cloned().collect::<Vec<_>>();
    for row in ours(owner.get(list).await.ok()) {
        let path = format!("{list}/{}", row["id"].as_str().unwrap());
        owner.patch(&path, json!({ "enabled": false })).await.ok();
    }
    let limits = [json!({ "dailyLimit": "0.006" }), json!({ "oneTime": true }), json!({ "dailyCount": 3 })];
    let addresses = [
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
        "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l",
        "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
    ];
    for (mut new, address) in limits.into_iter().zip(addresses) {
        (new["currencyId"], new["value"]) = (bitcoin.into(), address.into());
        owner.post(list, new).await.ok();
    }
    let mut claims = Vec::new();
    for number in 0..24 {
        let visitor = here.visitor();
        let id = order(&here, &visitor, "0.001", &format!("customer{number}@example.com")).await;
        claims.push((if number % 2 == 0 { visitor } else { visitor.at_node(&there.root) }, id));
    }
    let act = |action: &'static str, chosen: Vec<(TestClient, String)>| {
        let mut calls = JoinSet::new();
        for (caller, id) in chosen {
            calls.spawn(async move {
                let answer = caller.post_empty(&format!("/api/v1/claim/{id}/{action}/")).await;
                (answer, (caller, id))
            });
        }
        calls.join_all()
    };
    let confirmed = act("confirm", claims).await;
    let answers: Vec<TestResponse> = confirmed.iter().map(|(answer, _)| answer.clone()).collect();
    assert_eq!(done(&answers, (409, "requisites_unavailable")), 6 + 1 + 3);
    let (open, waiting): (Vec<_>, Vec<_>) = confirmed.into_iter().partition(|(answer, _)| answer.status.is_success());

    // What is given back at one node is given out at the other.
    let claims = |part: Vec<(TestResponse, (TestClient, String))>| part.into_iter().map(|(_, claim)| claim).collect::<Vec<_>>();
    let (cancelled, confirmed) = tokio::join!(act("cancel", claims(open)), act("confirm", claims(waiting)));
    assert!(cancelled.iter().all(|(answer, _)| answer.status.is_success()));
    let mut given = Vec::new();
    for (answer, (caller, id)) in confirmed {
        if answer.status.is_success() {
            given.push(caller.get(&format!("/api/v1/claim/{id}/requisite/")).await.ok());
        }
    }
    for row in ours(owner.get(list).await.ok()).iter().filter(|row| row["enabled"] == true) {
        let own = given.iter().filter(|details| details["value"] == row["value"]).count();
        assert_eq!(row["claimsTotal"], own, "{row}");
    }
    assert_sums_agree(&here).await;
}
