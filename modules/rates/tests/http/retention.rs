//! Retention: one price per hour stays, and claims stay explained.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use agio_core::identity::Role;
use agio_core::{Timestamp, fetch_all};
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{RATES_API, Source, SourceBehaviour, create_claim, open_with_sources, pair};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const HOUR_MICROS: i64 = 3_600_000_000;

/// Times of the stored live prices.
async fn observed(app: &TestApp) -> BTreeSet<Timestamp> {
    let mut tx = app.server.platform.db.read().await.unwrap();
    let rows =
        fetch_all!(&mut tx, (Timestamp,), "SELECT observed_at FROM observation WHERE is_live ORDER BY observed_at").unwrap();
    rows.into_iter().map(|(at,)| at).collect()
}

/// Number of imported prices.
async fn brought_in(app: &TestApp) -> usize {
    let mut tx = app.server.platform.db.read().await.unwrap();
    fetch_all!(&mut tx, (Timestamp,), "SELECT observed_at FROM observation WHERE NOT is_live").unwrap().len()
}

/// Rate history of BTC/SBERRUB.
async fn chart(staff: &TestClient, app: &TestApp) -> BTreeSet<Timestamp> {
    let path = format!("{RATES_API}/pairs/{}/history?days=30", pair(app, "BTC", "SBERRUB"));
    let points = staff.get(&path).await.ok();
    points.as_array().unwrap().iter().map(|point| Timestamp::parse(point["at"].as_str().unwrap()).unwrap()).collect()
}

/// The last of each hour before a moment, and everything after it.
fn thinned(all: &BTreeSet<Timestamp>, before: Timestamp) -> BTreeSet<Timestamp> {
    let last: BTreeMap<i64, Timestamp> = all.iter().map(|at| (at.0 / HOUR_MICROS, *at)).collect();
    all.iter().copied().filter(|at| *at >= before || last[&(at.0 / HOUR_MICROS)] == *at).collect()
}

async fn explained(staff: &TestClient, claim: &str) -> Value {
    let explanation = staff.get(&format!("{RATES_API}/claims/{claim}/explain")).await.ok();
    assert_eq!((&explanation["agrees"], &explanation["rate"]), (&json!(true), &explanation["recomputed"]), "{explanation}");
    explanation
}

async fn old_history_is_pruned_and_claims_stay_explained(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let days = json!({ "rates.kept_days": 1, "claims.unpaid_per_email": 0, "claims.unpaid_per_address": 0 });
    app.owner().await.put("/api/admin/v1/settings", days).await.ok();
    let operators_own = brought_in(&app).await;
    // Three hours with one claim each, at different rates.
    let mut claims = Vec::new();
    for look in 0..40_u64 {
        source.says(SourceBehaviour::price(&format!("{}", 6_440_000 + 100 * look)));
        app.advance_and_run_jobs_of("rates", 5 * MINUTE).await;
        if look % 13 == 5 {
            claims.push(create_claim(&app, "BTC", "0.01", None).await.ok()["id"].as_str().unwrap().to_owned());
        }
    }
    let auditor = app.staff(Role::Auditor).await;
    let (prices, points) = (observed(&app).await, chart(&auditor, &app).await);
    assert!(prices.len() >= 40 && points.len() >= 30, "{} prices, {} points", prices.len(), points.len());
    let mut before = Vec::new();
    for claim in &claims {
        before.push(explained(&auditor, claim).await);
    }
    let rates: BTreeSet<_> = before.iter().map(|explanation| explanation["rate"].as_str().unwrap()).collect();
    assert_eq!(rates.len(), claims.len(), "each was agreed on at a rate of its own");

    // The first two hours are then older than a day.
    app.advance_and_run_jobs(DAY - 80 * MINUTE).await;
    let complete_from = app.now().minus(DAY);
    let auditor = app.staff(Role::Auditor).await;
    let remaining_prices: BTreeSet<_> = observed(&app).await.into_iter().filter(|at| prices.contains(at)).collect();
    let remaining_points: BTreeSet<_> = chart(&auditor, &app).await.into_iter().filter(|at| points.contains(at)).collect();
    assert_eq!(remaining_prices, thinned(&prices, complete_from));
    assert_eq!(remaining_points, thinned(&points, complete_from));
    assert!(remaining_prices.len() < prices.len() && remaining_points.len() < points.len(), "something went");
    assert_eq!(brought_in(&app).await, operators_own, "what an operator brought in is theirs");

    app.advance_and_run_jobs(3 * DAY).await;
    let (last_prices, last_points) = (observed(&app).await, chart(&app.staff(Role::Auditor).await, &app).await);
    let old = |all: &BTreeSet<Timestamp>, of: &BTreeSet<Timestamp>| all.iter().filter(|at| of.contains(at)).count();
    let hours: BTreeSet<_> = prices.iter().map(|at| at.0 / HOUR_MICROS).collect();
    assert_eq!((old(&last_prices, &prices), old(&last_points, &points)), (hours.len(), hours.len()), "one of each hour");
    let auditor = app.staff(Role::Auditor).await;
    for (claim, explanation) in claims.iter().zip(&before) {
        assert_eq!(&explained(&auditor, claim).await, explanation, "what a claim was agreed on is kept with it");
    }
}

both_engines!(old_history_is_pruned_and_claims_stay_explained,);
