//! What is old is thinned out: one thing an hour stays, and whatever was agreed on is explained as before.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use agio_core::identity::Role;
use agio_core::{Timestamp, fetch_all};
use agio_testkit::{Caller, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::world::{RATES, Says, Source, claims, live, pair};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const HOUR_MICROS: i64 = 3_600_000_000;

/// What live sources said that is still there, and when.
async fn observed(house: &House) -> BTreeSet<Timestamp> {
    let mut tx = house.app.platform.db.read().await.unwrap();
    let rows =
        fetch_all!(&mut tx, (Timestamp,), "SELECT observed_at FROM observation WHERE judged ORDER BY observed_at").unwrap();
    rows.into_iter().map(|(at,)| at).collect()
}

/// How many prices there are that an operator brought in.
async fn brought_in(house: &House) -> usize {
    let mut tx = house.app.platform.db.read().await.unwrap();
    fetch_all!(&mut tx, (Timestamp,), "SELECT observed_at FROM observation WHERE NOT judged").unwrap().len()
}

/// The chart of bitcoin in roubles, as the console draws it.
async fn chart(staff: &Caller, house: &House) -> BTreeSet<Timestamp> {
    let path = format!("{RATES}/pairs/{}/history?days=30", pair(house, "BTC", "SBERRUB"));
    let points = staff.get(&path).await.ok();
    points.as_array().unwrap().iter().map(|point| Timestamp::parse(point["at"].as_str().unwrap()).unwrap()).collect()
}

/// Of moments before another one the last of each hour, and all that are not before it.
fn thinned(all: &BTreeSet<Timestamp>, before: Timestamp) -> BTreeSet<Timestamp> {
    let last: BTreeMap<i64, Timestamp> = all.iter().map(|at| (at.0 / HOUR_MICROS, *at)).collect();
    all.iter().copied().filter(|at| *at >= before || last[&(at.0 / HOUR_MICROS)] == *at).collect()
}

async fn explained(staff: &Caller, claim: &str) -> Value {
    let told = staff.get(&format!("{RATES}/claims/{claim}/explain")).await.ok();
    assert_eq!((&told["agrees"], &told["course"]), (&json!(true), &told["replayed"]), "{told}");
    told
}

async fn of_old_days_one_price_an_hour_stays_and_claims_are_explained_as_before(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    let days = json!({ "rates.kept_days": 1, "claims.unpaid_per_email": 0, "claims.unpaid_per_address": 0 });
    house.owner().await.put("/api/admin/v1/settings", days).await.ok();
    let operators_own = brought_in(&house).await;
    // Three hours, and a claim in each of them at a rate of its own.
    let mut made = Vec::new();
    for look in 0..40_u64 {
        source.says(Says::price(&format!("{}", 6_440_000 + 100 * look)));
        house.later(5 * MINUTE).await;
        if look % 13 == 5 {
            made.push(claims(&house, "BTC", "0.01", None).await.ok()["id"].as_str().unwrap().to_owned());
        }
    }
    let auditor = house.staff(Role::Auditor).await;
    let (said, drawn) = (observed(&house).await, chart(&auditor, &house).await);
    assert!(said.len() >= 40 && drawn.len() >= 30, "{} prices, {} points", said.len(), drawn.len());
    let mut before = Vec::new();
    for claim in &made {
        before.push(explained(&auditor, claim).await);
    }
    let courses: BTreeSet<_> = before.iter().map(|told| told["course"].as_str().unwrap()).collect();
    assert_eq!(courses.len(), made.len(), "each was agreed on at a rate of its own");

    // The first two hours are older than a day then; the third is not.
    house.later(DAY - 80 * MINUTE).await;
    let kept_from = house.now().minus(DAY);
    let auditor = house.staff(Role::Auditor).await;
    let now_said: BTreeSet<_> = observed(&house).await.into_iter().filter(|at| said.contains(at)).collect();
    let now_drawn: BTreeSet<_> = chart(&auditor, &house).await.into_iter().filter(|at| drawn.contains(at)).collect();
    assert_eq!(now_said, thinned(&said, kept_from));
    assert_eq!(now_drawn, thinned(&drawn, kept_from));
    assert!(now_said.len() < said.len() && now_drawn.len() < drawn.len(), "something went");
    assert_eq!(brought_in(&house).await, operators_own, "what an operator brought in is theirs");

    house.later(3 * DAY).await;
    let (said_last, drawn_last) = (observed(&house).await, chart(&house.staff(Role::Auditor).await, &house).await);
    let old = |all: &BTreeSet<Timestamp>, of: &BTreeSet<Timestamp>| all.iter().filter(|at| of.contains(at)).count();
    let hours: BTreeSet<_> = said.iter().map(|at| at.0 / HOUR_MICROS).collect();
    assert_eq!((old(&said_last, &said), old(&drawn_last, &drawn)), (hours.len(), hours.len()), "one of each hour");
    let auditor = house.staff(Role::Auditor).await;
    for (claim, told) in made.iter().zip(&before) {
        assert_eq!(&explained(&auditor, claim).await, told, "what a claim was agreed on is kept with it");
    }
}

both_engines!(of_old_days_one_price_an_hour_stays_and_claims_are_explained_as_before,);
