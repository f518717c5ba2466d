//! Rate rules of a pair: reserve, schedule, daily price move and aggregator rank.

use std::time::Duration;

use agio_core::Timestamp;
use agio_test_app::{Engine, TestApp, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::fixtures::{
    RATES_API, Source, SourceBehaviour, configure_source, create_claim, cycle, open_with_sources, pair, set_rules, show_pair,
};

fn rate(show_pair: &Value) -> Decimal {
    show_pair["course"].as_str().unwrap().parse().unwrap()
}

/// The margin of a pair with a market rate of 6,441,600, in percent.
async fn margin(app: &TestApp) -> Decimal {
    let whole = Decimal::from(6_441_600);
    let rate = rate(&show_pair(app, "BTC", "SBERRUB").await.ok());
    ((whole - rate) * Decimal::ONE_HUNDRED / whole).round_dp(4).normalize()
}

async fn kinds(app: &TestApp) -> Vec<String> {
    let id = pair(app, "BTC", "SBERRUB");
    let details = app.owner().await.get(&format!("{RATES_API}/pairs/{id}")).await.ok();
    assert_eq!(details["rate"]["agrees"], true, "{details}");
    let steps: Value = serde_json::from_str(details["rate"]["steps"].as_str().unwrap()).unwrap();
    steps["steps"].as_array().unwrap().iter().map(|step| step["kind"].as_str().unwrap().to_owned()).collect()
}

async fn reserve_and_schedule_adjust_the_margin_within_bounds(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let id = pair(&app, "BTC", "SBERRUB");
    assert_eq!(margin(&app).await, "2.2".parse().unwrap());

    // 18.5 of 20 million: 92.5 %.
    let levels = json!([{ "from": "0", "percent": "-1" }, { "from": "90", "percent": "0.3" }, { "from": "100", "percent": "1" }]);
    let reserve = json!({ "target": "20000000", "levels": levels });
    set_rules(&app, id, json!({ "bounds": { "floor": "1", "ceiling": "4" }, "reserve": reserve })).await;
    assert_eq!(margin(&app).await, "2.2".parse().unwrap(), "nothing is different before the next cycle");
    cycle(&app).await;
    assert_eq!(margin(&app).await, "1.9".parse().unwrap());
    assert_eq!(kinds(&app).await, ["leg", "spread", "reserve"]);

    // Noon in London is 15:00 in Moscow, a Thursday.
    let hours = |percent: Value| json!({ "timeZone": "Europe/Moscow", "windows": [{ "days": [4], "from": "15:00", "to": "16:00", "percent": percent }] });
    let with = |percent| json!({ "bounds": { "floor": "1", "ceiling": "4" }, "reserve": reserve, "schedule": hours(percent) });
    set_rules(&app, id, with(json!("3"))).await;
    cycle(&app).await;
    assert_eq!(margin(&app).await, "1".parse().unwrap(), "2.2 - 0.3 - 3 would be a gift");
    assert_eq!(kinds(&app).await, ["leg", "spread", "reserve", "schedule", "bound"]);
    set_rules(&app, id, with(json!("-9"))).await;
    cycle(&app).await;
    assert_eq!(margin(&app).await, "4".parse().unwrap());

    // A window without a percent suspends the pair, and it resumes by itself.
    let mut rests = with(Value::Null);
    rests["schedule"]["windows"][0].as_object_mut().unwrap().remove("percent");
    set_rules(&app, id, rests).await;
    cycle(&app).await;
    create_claim(&app, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
    create_claim(&app, "ETH", "0.05", None).await.ok();
    assert!(crate::fixtures::bitcoin_suspension(&app).await.is_none(), "that is no alarm");
    let openings = app.visitor().get("/api/v1/calculator/openings/").await.ok();
    let opens_at = Timestamp::parse(openings[0]["opensAt"].as_str().unwrap()).unwrap();
    assert!(openings.as_array().unwrap().len() == 1 && opens_at > app.now(), "{openings}");
    let (from, to) = (&openings[0]["from"], &openings[0]["to"]);
    let closed = app.visitor().get(&format!("/api/v1/calculator/pair/{from}/{to}/")).await.refused(404, "pair_unavailable");
    assert_eq!(closed["params"]["opensAt"], openings[0]["opensAt"]);
    for _ in 0..12 {
        app.advance_and_run_jobs(Duration::from_secs(300)).await;
    }
    cycle(&app).await;
    create_claim(&app, "BTC", "0.001", None).await.ok();
}

async fn the_target_rank_is_reached_in_steps_and_never_below_the_floor(engine: Engine) {
    let (source, aggregator) = (Source::new("kraken"), Source::aggregator("bestchange"));
    let offer = |name: &str, rate: &str, reserve: &str| (name.to_owned(), rate.to_owned(), reserve.to_owned());
    // Margins of 0.2 % (ours), 0.5 %, 1.3 % (without reserve), 1.5 % and 2 %.
    let offers = vec![
        offer("Agio", "6428716.8", "9000000"),
        offer("Cheap", "6409392", "9000000"),
        offer("Empty", "6357859.2", "10"),
        offer("Good", "6344976", "9000000"),
        offer("Dear", "6312768", "9000000"),
    ];
    aggregator.says(SourceBehaviour::Offers(offers));
    let app = open_with_sources(engine, &[&source, &aggregator]).await;
    let id = pair(&app, "BTC", "SBERRUB");
    let rules = |best: u32, worst: u32, floor: &str| {
        json!({ "bounds": { "floor": floor, "ceiling": "3" }, "rank": {
            "aggregator": "bestchange", "best": best, "worst": worst, "step": "0.3", "undercut": "0.01", "own": ["agio"], "leastReserve": "100000",
        } })
    };
    set_rules(&app, id, rules(1, 2, "1")).await;
    cycle(&app).await;
    // Rank 1 is below the floor; rank 2 is Good's and is reached in steps from 2.2.
    let mut margins = Vec::new();
    for _ in 0..4 {
        cycle(&app).await;
        margins.push(margin(&app).await.to_string());
    }
    assert_eq!(margins, ["1.6", "1.49", "1.49", "1.49"], "1.9 was the step before");
    let of: Value = serde_json::from_str(
        app.owner().await.get(&format!("{RATES_API}/pairs/{id}")).await.ok()["rate"]["steps"].as_str().unwrap(),
    )
    .unwrap();
    let of = &of["steps"][2]["of"];
    assert_eq!((&of["exchanger"], &of["place"], &of["counted"]), (&json!("Good"), &json!("2"), &json!("3")));
    // Customers see the adjustment but not the competitor.
    let text = show_pair(&app, "BTC", "SBERRUB").await.text;
    assert!(text.contains("rank on an aggregator") && !text.contains("Good"), "{text}");

    // No rank is reachable: the maximum margin, not the minimum.
    set_rules(&app, id, rules(1, 1, "1")).await;
    for _ in 0..8 {
        cycle(&app).await;
    }
    assert_eq!(margin(&app).await, "3".parse().unwrap());
    // The aggregator is no longer read: the same.
    set_rules(&app, id, rules(1, 2, "1")).await;
    for _ in 0..8 {
        cycle(&app).await;
    }
    assert_eq!(margin(&app).await, "1.49".parse().unwrap());
    configure_source(&app.owner().await, "bestchange", false, 5).await;
    for _ in 0..8 {
        cycle(&app).await;
    }
    assert_eq!(margin(&app).await, "3".parse().unwrap());
}

async fn the_daily_price_move_is_adjusted_and_shown_in_history(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let id = pair(&app, "BTC", "SBERRUB");
    let moves =
        json!([{ "from": "-100", "percent": "-0.5" }, { "from": "-3", "percent": "0" }, { "from": "3", "percent": "-0.7" }]);
    set_rules(&app, id, json!({ "bounds": { "floor": "1", "ceiling": "4" }, "moves": moves, "jumpPercent": "20" })).await;
    cycle(&app).await;
    assert_eq!(margin(&app).await, "2.2".parse().unwrap(), "nobody knows yet what it was a day ago");
    app.advance_and_run_jobs(Duration::from_secs(24 * 60 * 60)).await;
    source.says(SourceBehaviour::price("6763680"));
    cycle(&app).await;
    let rate = rate(&show_pair(&app, "BTC", "SBERRUB").await.ok());
    assert_eq!(rate, "6567533.28".parse::<Decimal>().unwrap(), "5 % up: 2.2 + 0.7 of 6763680 are kept");
    let points = app.owner().await.get(&format!("{RATES_API}/pairs/{id}/history")).await.ok();
    let points = points.as_array().unwrap();
    assert!(points.len() >= 2 && points[0]["market"] == "6441600", "{points:?}");
    let owner = app.owner().await;
    owner.get(&format!("{RATES_API}/pairs/{id}/history?days=0")).await.refused(400, "malformed_parameter");
}

async fn a_dry_run_reports_and_changes_nothing(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let (id, other) = (pair(&app, "BTC", "SBERRUB"), pair(&app, "ETH", "SBERRUB"));
    let owner = app.owner().await;
    let levels = json!([{ "from": "0", "percent": "0.5" }]);
    let better = json!({ "bounds": { "floor": "1", "ceiling": "4" }, "reserve": { "target": "1", "levels": levels } });
    let rests = json!({ "schedule": { "timeZone": "UTC", "windows": [{ "days": [1, 2, 3, 4, 5, 6, 7], "from": "00:00", "to": "00:00" }] } });
    let tried = json!({ "changes": [{ "pairId": id, "rules": better }, { "pairId": other, "rules": rests }] });
    let dry = owner.post(&format!("{RATES_API}/dry-run"), tried).await.ok();
    let of = |id: i64| dry.as_array().unwrap().iter().find(|row| row["pairId"] == id).unwrap().clone();
    assert_eq!(dry.as_array().unwrap().len(), 2, "{dry}");
    assert_eq!((&of(id)["before"], &of(id)["after"]), (&json!("6299884.8"), &json!("6332092.8")));
    assert!(of(other)["suspension"].as_str().is_some() && of(other)["wasSuspended"] == false, "{dry}");
    cycle(&app).await;
    assert_eq!(margin(&app).await, "2.2".parse().unwrap());
    let wrong = json!({ "changes": [{ "pairId": id, "rules": { "sources": 11 } }] });
    let problem = owner.post(&format!("{RATES_API}/dry-run"), wrong).await.refused(422, "validation_failed");
    assert_eq!(problem["errors"]["rules.sources"][0]["code"], "value_out_of_range", "{problem}");
}

both_engines!(
    reserve_and_schedule_adjust_the_margin_within_bounds,
    the_target_rank_is_reached_in_steps_and_never_below_the_floor,
    the_daily_price_move_is_adjusted_and_shown_in_history,
    a_dry_run_reports_and_changes_nothing,
);
