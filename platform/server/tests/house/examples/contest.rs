//! A contest from its plan to the last prize.

use std::sync::Arc;
use std::time::Duration;

use agio_core::Amount;
use agio_core::identity::Role;
use agio_core::needs::{Exchange, FollowsExchanges as _, Worth};
use agio_core::texts::Locale;
use agio_testkit::House;
use reqwest::Method;
use serde_json::{Value, json};

use super::Recorder;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Two customers, a draw and its prize.
pub async fn draw(house: &House, recorder: &mut Recorder) {
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "site.contest": true })).await.ok();
    let contests = "/api/admin/v1/contests";
    let planned = recorder.post(&owner, "planContest", contests, plan(house, "500")).await;
    let path = format!("{contests}/{}", planned["id"].as_str().unwrap());
    let change = json!({ "revision": 1, "plan": plan(house, "300") });
    recorder.call(&owner, "replanContest", Method::PUT, &path, Some(change)).await;
    house.later(DAY).await;
    for (number, email, worth) in [(100_101, "ivan@example.com", 1_391), (100_102, "anna@example.com", 640)] {
        enter(house, number, email, worth).await;
    }
    recorder.get(&house.customer(), "contestOverview", "/en/api/v1/contest/").await;
    house.later(8 * DAY).await;
    let owner = house.owner().await;
    recorder.get(&owner, "listContests", contests).await;
    recorder.get(&owner, "listContestEntries", &format!("{path}/entries")).await;
    let seen = owner.get(contests).await.ok()["items"][0].clone();
    let value = "00000000000000000000c9b4f1b4a2d9a1b0f6f3c5e2d7a8b9c0d1e2f3a4b5c6";
    let drawing =
        json!({ "revision": seen["revision"], "value": value, "reference": "https://mempool.space/block-height/841564" });
    let proposed = recorder.post(&owner, "drawContest", &format!("{path}/draw"), drawing).await;
    let editor = house.staff(Role::Editor).await;
    editor.post_empty(&format!("/api/admin/v1/approvals/{}/approve", proposed["id"].as_str().unwrap())).await.ok();
    let public = format!("/en/api/v1/contest/{}/draw/", planned["id"].as_str().unwrap());
    recorder.get(&house.customer(), "contestDraw", &public).await;
    let note = json!({ "note": "To the wallet of their letter of 9 April" });
    recorder.post(&owner, "payContestPrize", &format!("{path}/prizes/1/pay"), note).await;
    let other = owner.post(contests, plan(house, "100")).await.ok();
    let cancel = format!("{contests}/{}/cancel", other["id"].as_str().unwrap());
    recorder.post(&owner, "cancelContest", &cancel, json!({ "revision": 1 })).await;
}

fn plan(house: &House, prize: &str) -> Value {
    let tether = house.app.calculator.market().currency_named("USDTTRC20").expect("the demonstration has it").id();
    let day = |days: u32| house.now().plus(DAY * days).to_string();
    json!({
        "title": { "ru": "Апрельский розыгрыш", "en": "April draw" },
        "rules": { "ru": "Каждые 100 USDT обмена — билет.", "en": "Each 100 USDT exchanged is a ticket." },
        "source": { "ru": "Хеш первого блока Bitcoin после срока", "en": "Hash of the first Bitcoin block after the time" },
        "startsAt": day(1), "endsAt": day(8), "publicAt": day(9), "perWorth": "100", "mostWeight": 100,
        "prizes": [{ "currencyId": tether, "amount": prize }],
    })
}

/// An exchange that is done, as claims tell of it.
async fn enter(house: &House, number: i64, email: &str, worth: i64) {
    let at = house.now();
    let exchange = Arc::new(Exchange {
        claim: house.app.platform.random.uuid(),
        number,
        customer: None,
        partner: None,
        email: email.to_owned(),
        locale: Locale::En,
        referral: None,
        guest_digest: String::new(),
        address_digest: String::new(),
        payout_digest: None,
        from: 1,
        sent: Amount::of_units(1_000_000, 8),
        to: 2,
        received: Amount::of_units(1, 2),
        earned_units: 0,
        worth: Some(Worth { amount: worth.into(), ticker: "USDT".into() }),
        asked_at: at,
        at,
    });
    let contests = house.app.contests.clone();
    let work = house.app.platform.db.write(move |tx| {
        let (contests, exchange) = (contests.clone(), exchange.clone());
        Box::pin(async move { contests.done(tx, &exchange).await })
    });
    work.await.expect("the database writes");
}
