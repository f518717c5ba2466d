//! A contest from its plan to the last prize.

use std::process::Command;

use agio_contest::model::published::Published;
use agio_testkit::{Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::{
    BLOCK, CONTESTS, currency, days_go_by, draws, draws_with_a_colleague, exchanges, overview, plan, shows_contests,
};

async fn file(house: &House, id: &str) -> Value {
    house.customer().get(&format!("/en/api/v1/contest/{id}/draw/")).await.ok()
}

/// What a program that shares nothing with ours says of a published draw.
fn verdict(draw: &Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draw.json");
    std::fs::write(&path, draw.to_string()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/draw/check.py");
    let said = Command::new("python3").arg(script).arg(&path).output().expect("python3 is here");
    String::from_utf8(said.stdout).unwrap().trim().to_owned()
}

async fn a_contest_goes_from_its_plan_to_the_last_prize(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    assert_eq!(overview(&house).await["on"], false, "switched off by default");
    shows_contests(&owner).await;
    let made = owner.post_once(CONTESTS, "contest-0001", plan(&house, &["300", "100.5"])).await.ok();
    let id = made["id"].as_str().unwrap().to_owned();
    let planned = overview(&house).await["current"].clone();
    assert_eq!(
        (&planned["state"], &planned["title"], &planned["perWorth"]),
        (&json!("planned"), &json!("Spring draw"), &json!("100"))
    );
    let commitment = planned["commitment"].clone();
    assert_eq!(commitment.as_str().unwrap().len(), 64, "the digest of the secret is public before the period begins");

    // An exchange before the period takes no part.
    exchanges(&house, &owner, "early@example.com", "0.01").await;
    let owner = days_go_by(&house, 1).await;
    let (_, ivan) = exchanges(&house, &owner, "ivan@example.com", "0.02").await;
    exchanges(&house, &owner, "anna@example.com", "0.01").await;
    exchanges(&house, &owner, "anna@example.com", "0.003").await;
    // Worth less than 100: no ticket.
    exchanges(&house, &owner, "small@example.com", "0.001").await;
    let running = overview(&house).await["current"].clone();
    assert_eq!((&running["state"], &running["entries"], &running["people"]), (&json!("running"), &json!(3), &json!(2)));
    let leader = &running["standing"][0];
    assert_eq!((&leader["name"], &leader["tickets"]), (&json!("i***@e***.com"), &json!(13)), "0.02 BTC is some 1391 USDT");
    house.customer().get(&format!("/api/v1/contest/{id}/draw/")).await.refused(409, "contest_not_closed");
    assert!(!running.to_string().contains("ivan@"), "nobody is named");

    let owner = days_go_by(&house, 7).await;
    let closed = file(&house, &id).await;
    assert_eq!((closed["entrants"].as_array().unwrap().len(), &closed["secret"]), (3, &json!(null)));
    assert_eq!(overview(&house).await["current"]["entrantsSha256"], closed["entrantsSha256"]);
    exchanges(&house, &owner, "late@example.com", "0.01").await;
    draws(&owner, &id, BLOCK).await.refused(409, "contest_too_early");
    let owner = days_go_by(&house, 1).await;
    // What one person typed draws nothing, whether or not other things take two: they could have chosen who wins.
    let proposed = draws(&owner, &id, BLOCK).await;
    assert_eq!(proposed.status, 202, "{}", proposed.text);
    let proposal = proposed.ok();
    assert_eq!(proposal["kind"], "contest_draw");
    assert!(proposal.to_string().contains(BLOCK) && proposal.to_string().contains("mempool.space"), "{proposal}");
    assert_eq!(draws(&owner, &id, BLOCK).await.ok()["id"], proposal["id"], "the same key proposes once");
    let published = file(&house, &id).await;
    assert_eq!((&published["secret"], &published["publicValue"]), (&json!(null), &json!(null)));
    let approve = format!("/api/admin/v1/approvals/{}/approve", proposal["id"].as_str().unwrap());
    owner.post_empty(&approve).await.refused(403, "approval_own");
    house.operator().await.post_empty(&approve).await.refused(403, "forbidden");
    house.staff(agio_core::identity::Role::Editor).await.post_empty(&approve).await.ok();
    let seen = owner.get(CONTESTS).await.ok()["items"][0].clone();
    assert_eq!((&seen["state"], &seen["publicValue"]), (&json!("drawn"), &json!(BLOCK)));

    let published = file(&house, &id).await;
    assert_eq!((&published["commitment"], &published["publicValue"]), (&commitment, &json!(BLOCK)));
    assert_eq!(published["entrants"], closed["entrants"]);
    let read: Published = serde_json::from_value(published.clone()).unwrap();
    assert_eq!(read.faults(), []);
    assert_eq!(verdict(&published), "right");
    assert_eq!(published["winners"].as_array().unwrap().len(), 2, "two people, two prizes");
    assert!(published["winners"].as_array().unwrap().contains(&json!(ivan)));
    let past = &overview(&house).await["past"][0];
    assert_eq!((&past["state"], &past["prizes"][0]["amount"]), (&json!("drawn"), &json!("300")));
    assert!(past["prizes"][0]["winner"]["name"].as_str().unwrap().contains("***@e***.com"));

    // The winners are told, and what they won is owed in the books.
    let letter = house.mail_to("ivan@example.com").await.pop().unwrap();
    assert_eq!(letter.kind, "contest_won");
    assert!(letter.text.contains("USDTTRC20") && letter.text.contains(&ivan.to_string()), "{}", letter.text);
    house.books_are_clean().await;
    let tether = currency(&house, "USDTTRC20");
    let before = house.app.ledger.reserves().available(tether).units;
    let pay = |place: i64| format!("{CONTESTS}/{id}/prizes/{place}/pay");
    let note = json!({ "note": "Sent to the address of their letter" });
    owner.post_once(&pay(1), "prize-0001", note.clone()).await.ok();
    owner.post_once(&pay(1), "prize-0001", note.clone()).await.ok();
    owner.post(&pay(1), note.clone()).await.refused(409, "prize_paid");
    assert_eq!(house.app.ledger.reserves().available(tether).units, before - 300_000_000, "300 left the reserve, once");
    assert_eq!(owner.post(&pay(2), note.clone()).await.ok()["state"], "paid");
    owner.post(&pay(3), note).await.refused(404, "prize_not_found");
    house.books_are_clean().await;
    house.audit_is_whole().await;
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "site.contest": false })).await.ok();
    assert_eq!(overview(&house).await["past"], json!([]));
    house.customer().get(&format!("/api/v1/contest/{id}/draw/")).await.refused(404, "contest_not_found");
}

async fn what_is_taken_back_wins_nothing(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    shows_contests(&owner).await;
    let made = owner.post(CONTESTS, plan(&house, &["10", "5"])).await.ok();
    let id = made["id"].as_str().unwrap().to_owned();
    let owner = days_go_by(&house, 1).await;
    let (gone, _) = exchanges(&house, &owner, "gone@example.com", "0.01").await;
    let (late, late_number) = exchanges(&house, &owner, "late@example.com", "0.01").await;
    let (_, kept) = exchanges(&house, &owner, "kept@example.com", "0.01").await;
    takes_back(&house, &gone).await;
    assert_eq!(overview(&house).await["current"]["entries"], 2);
    let owner = days_go_by(&house, 7).await;
    takes_back(&house, &late).await;
    let closed = file(&house, &id).await;
    assert_eq!(closed["entrants"].as_array().unwrap().len(), 2, "the list stays as it was fixed");
    assert_eq!(closed["void"], json!([late_number]));
    drop(owner);
    let owner = days_go_by(&house, 1).await;
    draws_with_a_colleague(&house, &owner, &id, BLOCK).await.ok();
    let published = file(&house, &id).await;
    assert_eq!(published["winners"], json!([kept]));
    assert_eq!(verdict(&published), "right");
    takes_back(&house, &late).await;
    assert_eq!(file(&house, &id).await, published, "what is drawn stays drawn");
}

/// A completed exchange turns out not to be one: as claims tell it.
async fn takes_back(house: &House, claim: &str) {
    use agio_core::needs::{Exchange, FollowsExchanges as _};
    let (contests, at) = (house.app.contests.clone(), house.now());
    let exchange = Exchange {
        claim: claim.parse().unwrap(),
        number: 0,
        customer: None,
        partner: None,
        email: String::new(),
        locale: agio_core::texts::Locale::Ru,
        referral: None,
        guest_digest: String::new(),
        address_digest: String::new(),
        payout_digest: None,
        from: 1,
        sent: agio_core::Amount::of_units(1, 8),
        to: 2,
        received: agio_core::Amount::of_units(1, 8),
        earned_units: 0,
        worth: None,
        asked_at: at,
        at,
    };
    let exchange = std::sync::Arc::new(exchange);
    let work = house.app.platform.db.write(move |tx| {
        let (contests, exchange) = (contests.clone(), exchange.clone());
        Box::pin(async move { contests.undone(tx, &exchange).await })
    });
    work.await.unwrap();
}

async fn a_secret_that_is_not_the_one_committed_to_draws_nothing(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    shows_contests(&owner).await;
    let made = owner.post_once(CONTESTS, "contest-0001", plan(&house, &["300"])).await.ok();
    let id = made["id"].as_str().unwrap().to_owned();
    let owner = days_go_by(&house, 1).await;
    exchanges(&house, &owner, "ivan@example.com", "0.02").await;
    let owner = days_go_by(&house, 8).await;
    let swap = |sql: &'static str| house.app.platform.db.write(move |tx| Box::pin(async move { agio_core::execute!(tx, sql) }));
    swap("UPDATE contest SET commitment = 'f' || SUBSTR(commitment, 1, 63)").await.unwrap();
    assert_eq!(draws_with_a_colleague(&house, &owner, &id, BLOCK).await.status, 500);
    let seen = file(&house, &id).await;
    assert_eq!((&seen["secret"], &seen["winners"]), (&json!(null), &json!([])), "nothing is revealed and nobody wins");
}

both_engines!(
    a_contest_goes_from_its_plan_to_the_last_prize,
    what_is_taken_back_wins_nothing,
    a_secret_that_is_not_the_one_committed_to_draws_nothing,
);
