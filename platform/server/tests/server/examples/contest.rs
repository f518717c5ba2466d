//! A contest from its plan to the last prize.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{CompletedExchange, ExchangeListener as _, ReferenceValue};
use agio_core::Amount;
use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_test_app::TestApp;
use reqwest::Method;
use serde_json::{Value, json};

use super::Recorder;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub async fn draw(app: &TestApp, recorder: &mut Recorder) {
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "site.contest": true })).await.ok();
    let contests = "/api/admin/v1/contests";
    let planned = recorder.post(&owner, "createContest", contests, plan(app, "500")).await;
    let path = format!("{contests}/{}", planned["id"].as_str().unwrap());
    let change = json!({ "revision": 1, "plan": plan(app, "300") });
    recorder.call(&owner, "updateContest", Method::PUT, &path, Some(change)).await;
    app.advance_and_run_jobs(DAY).await;
    for (number, email, value_usdt) in [(100_101, "ivan@example.com", 1_391), (100_102, "anna@example.com", 640)] {
        enter(app, number, email, value_usdt).await;
    }
    recorder.get(&app.visitor(), "getContestOverview", "/en/api/v1/contest/").await;
    app.advance_and_run_jobs(8 * DAY).await;
    let owner = app.owner().await;
    recorder.get(&owner, "listContests", contests).await;
    recorder.get(&owner, "listContestEntries", &format!("{path}/entries")).await;
    let contest = owner.get(contests).await.ok()["items"][0].clone();
    let value = "00000000000000000000c9b4f1b4a2d9a1b0f6f3c5e2d7a8b9c0d1e2f3a4b5c6";
    let drawing =
        json!({ "revision": contest["revision"], "value": value, "reference": "https://mempool.space/block-height/841564" });
    let proposed = recorder.post(&owner, "drawContest", &format!("{path}/draw"), drawing).await;
    let editor = app.staff(Role::Editor).await;
    editor.post_empty(&format!("/api/admin/v1/approvals/{}/approve", proposed["id"].as_str().unwrap())).await.ok();
    let public = format!("/en/api/v1/contest/{}/draw/", planned["id"].as_str().unwrap());
    recorder.get(&app.visitor(), "getContestDraw", &public).await;
    let note = json!({ "note": "To the wallet named in their email of 9 April" });
    recorder.post(&owner, "payContestPrize", &format!("{path}/prizes/1/pay"), note).await;
    let other = owner.post(contests, plan(app, "100")).await.ok();
    let cancel = format!("{contests}/{}/cancel", other["id"].as_str().unwrap());
    recorder.post(&owner, "cancelContest", &cancel, json!({ "revision": 1 })).await;
}

fn plan(app: &TestApp, prize: &str) -> Value {
    let tether = app.server.calculator.market().currency_named("USDTTRC20").expect("the demonstration has it").id();
    let day = |days: u32| app.now().plus(DAY * days).to_string();
    json!({
        "title": { "ru": "Апрельский розыгрыш", "en": "April draw" },
        "rules": { "ru": "Каждые 100 USDT обмена — билет.", "en": "Each 100 USDT exchanged is a ticket." },
        "source": { "ru": "Хеш первого блока Bitcoin после срока", "en": "Hash of the first Bitcoin block after the time" },
        "startsAt": day(1), "endsAt": day(8), "publicAt": day(9), "volumePerTicket": "100", "maxTickets": 100,
        "prizes": [{ "currencyId": tether, "amount": prize }],
    })
}

/// A completed exchange.
async fn enter(app: &TestApp, number: i64, email: &str, value_usdt: i64) {
    let at = app.now();
    let exchange = Arc::new(CompletedExchange {
        claim: app.server.platform.random.uuid(),
        number,
        customer: None,
        partner: None,
        email: email.to_owned(),
        locale: Locale::En,
        referral: None,
        guest_digest: String::new(),
        address_digest: String::new(),
        payout_digest: None,
        give: Amount::of_units(1_000_000, agio_core::CurrencyUnit::new(1, 8)),
        receive: Amount::of_units(1, agio_core::CurrencyUnit::new(2, 2)),
        earned: Amount::of_units(0, agio_core::CurrencyUnit::new(2, 2)),
        reference_value: Some(ReferenceValue { amount: value_usdt.into(), ticker: "USDT".into() }),
        created_at: at,
        at,
    });
    let contests = app.server.contests.clone();
    let work = app.server.platform.db.write(move |tx| {
        let (contests, exchange) = (contests.clone(), exchange.clone());
        Box::pin(async move { contests.exchange_completed(tx, &exchange).await })
    });
    work.await.expect("the database writes");
}
