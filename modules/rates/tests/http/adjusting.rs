//! Rules of a pair: the reserve, the hour, the day's move, a place on a monitor.

use std::time::Duration;

use agio_testkit::{Engine, House, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::world::{RATES, Says, Source, claims, cycle, live, pair, sets, shown, switches};

fn course(shown: &Value) -> Decimal {
    shown["course"].as_str().unwrap().parse().unwrap()
}

/// The margin of a pair that is worth 6,441,600 at the market: what is missing to it, in percent.
async fn margin(house: &House) -> Decimal {
    let whole = Decimal::from(6_441_600);
    let course = course(&shown(house, "BTC", "SBERRUB").await.ok());
    ((whole - course) * Decimal::ONE_HUNDRED / whole).round_dp(4).normalize()
}

async fn kinds(house: &House) -> Vec<String> {
    let id = pair(house, "BTC", "SBERRUB");
    let seen = house.owner().await.get(&format!("{RATES}/pairs/{id}")).await.ok();
    assert_eq!(seen["rate"]["agrees"], true, "{seen}");
    let steps: Value = serde_json::from_str(seen["rate"]["steps"].as_str().unwrap()).unwrap();
    steps["steps"].as_array().unwrap().iter().map(|step| step["kind"].as_str().unwrap().to_owned()).collect()
}

async fn the_reserve_and_the_hour_move_the_margin_within_its_bounds(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    let id = pair(&house, "BTC", "SBERRUB");
    assert_eq!(margin(&house).await, "2.2".parse().unwrap());

    // 18.5 million are there of the 20 that are wanted: 92.5 %.
    let levels = json!([{ "from": "0", "percent": "-1" }, { "from": "90", "percent": "0.3" }, { "from": "100", "percent": "1" }]);
    let reserve = json!({ "target": "20000000", "levels": levels });
    sets(&house, id, json!({ "bounds": { "floor": "1", "ceiling": "4" }, "reserve": reserve })).await;
    assert_eq!(margin(&house).await, "2.2".parse().unwrap(), "nothing is different before the next cycle");
    cycle(&house).await;
    assert_eq!(margin(&house).await, "1.9".parse().unwrap());
    assert_eq!(kinds(&house).await, ["leg", "spread", "reserve"]);

    // At noon in London it is three in the afternoon in Moscow, on a Thursday.
    let hours = |percent: Value| json!({ "aheadMinutes": 180, "windows": [{ "days": [4], "from": "15:00", "to": "16:00", "percent": percent }] });
    let with = |percent| json!({ "bounds": { "floor": "1", "ceiling": "4" }, "reserve": reserve, "schedule": hours(percent) });
    sets(&house, id, with(json!("3"))).await;
    cycle(&house).await;
    assert_eq!(margin(&house).await, "1".parse().unwrap(), "2.2 - 0.3 - 3 would be a gift");
    assert_eq!(kinds(&house).await, ["leg", "spread", "reserve", "schedule", "bound"]);
    sets(&house, id, with(json!("-9"))).await;
    cycle(&house).await;
    assert_eq!(margin(&house).await, "4".parse().unwrap());

    // Without a percent it rests, and nobody has to let it go on.
    let mut rests = with(Value::Null);
    rests["schedule"]["windows"][0].as_object_mut().unwrap().remove("percent");
    sets(&house, id, rests).await;
    cycle(&house).await;
    claims(&house, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
    claims(&house, "ETH", "0.05", None).await.ok();
    assert!(crate::world::why(&house).await.is_none(), "that is no alarm");
    for _ in 0..12 {
        house.later(Duration::from_secs(300)).await;
    }
    cycle(&house).await;
    claims(&house, "BTC", "0.001", None).await.ok();
}

async fn a_place_on_a_monitor_is_had_in_steps_and_never_below_the_floor(engine: Engine) {
    let (source, monitor) = (Source::new("kraken"), Source::monitor("bestchange"));
    let offer = |name: &str, course: &str, reserve: &str| (name.to_owned(), course.to_owned(), reserve.to_owned());
    // Margins of 0.2 % (ours), 0.5 %, 1.3 % (with nothing to pay out), 1.5 % and 2 %.
    let offers = vec![
        offer("Agio", "6428716.8", "9000000"),
        offer("Cheap", "6409392", "9000000"),
        offer("Empty", "6357859.2", "10"),
        offer("Good", "6344976", "9000000"),
        offer("Dear", "6312768", "9000000"),
    ];
    monitor.says(Says::Offers(offers));
    let house = live(engine, &[&source, &monitor]).await;
    let id = pair(&house, "BTC", "SBERRUB");
    let rules = |best: u32, worst: u32, floor: &str| {
        json!({ "bounds": { "floor": floor, "ceiling": "3" }, "position": {
            "monitor": "bestchange", "best": best, "worst": worst, "step": "0.3", "undercut": "0.01", "own": ["agio"], "leastReserve": "100000",
        } })
    };
    sets(&house, id, rules(1, 2, "1")).await;
    cycle(&house).await;
    // The first place costs more than may be given; the second is Good's, and it is gone to in steps from 2.2.
    let mut margins = Vec::new();
    for _ in 0..4 {
        cycle(&house).await;
        margins.push(margin(&house).await.to_string());
    }
    assert_eq!(margins, ["1.6", "1.49", "1.49", "1.49"], "1.9 was the step before");
    let of: Value = serde_json::from_str(
        house.owner().await.get(&format!("{RATES}/pairs/{id}")).await.ok()["rate"]["steps"].as_str().unwrap(),
    )
    .unwrap();
    let of = &of["steps"][2]["of"];
    assert_eq!((&of["exchanger"], &of["place"], &of["counted"]), (&json!("Good"), &json!("2"), &json!("3")));
    // Customers see what it adds, and not whom it is aimed at.
    let text = shown(&house, "BTC", "SBERRUB").await.text;
    assert!(text.contains("place on a monitor") && !text.contains("Good"), "{text}");

    // Nobody fits: the greatest margin, and not the least.
    sets(&house, id, rules(1, 1, "1")).await;
    for _ in 0..8 {
        cycle(&house).await;
    }
    assert_eq!(margin(&house).await, "3".parse().unwrap());
    // The monitor is not read any more: the same.
    sets(&house, id, rules(1, 2, "1")).await;
    for _ in 0..8 {
        cycle(&house).await;
    }
    assert_eq!(margin(&house).await, "1.49".parse().unwrap());
    switches(&house.owner().await, "bestchange", false, 5).await;
    for _ in 0..8 {
        cycle(&house).await;
    }
    assert_eq!(margin(&house).await, "3".parse().unwrap());
}

async fn a_day_s_move_is_corrected_and_the_chart_shows_it(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    let id = pair(&house, "BTC", "SBERRUB");
    let moves =
        json!([{ "from": "-100", "percent": "-0.5" }, { "from": "-3", "percent": "0" }, { "from": "3", "percent": "-0.7" }]);
    sets(&house, id, json!({ "bounds": { "floor": "1", "ceiling": "4" }, "moves": moves, "jumpPercent": "20" })).await;
    cycle(&house).await;
    assert_eq!(margin(&house).await, "2.2".parse().unwrap(), "nobody knows yet what it was a day ago");
    house.later(Duration::from_secs(24 * 60 * 60)).await;
    source.says(Says::price("6763680"));
    cycle(&house).await;
    let course = course(&shown(&house, "BTC", "SBERRUB").await.ok());
    assert_eq!(course, "6567533.28".parse::<Decimal>().unwrap(), "5 % up: 2.2 + 0.7 of 6763680 are kept");
    let points = house.owner().await.get(&format!("{RATES}/pairs/{id}/history")).await.ok();
    let points = points.as_array().unwrap();
    assert!(points.len() >= 2 && points[0]["market"] == "6441600", "{points:?}");
    let owner = house.owner().await;
    owner.get(&format!("{RATES}/pairs/{id}/history?days=0")).await.refused(422, "validation_failed");
}

async fn what_rules_would_do_is_told_and_not_done(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    let (id, other) = (pair(&house, "BTC", "SBERRUB"), pair(&house, "ETH", "SBERRUB"));
    let owner = house.owner().await;
    let levels = json!([{ "from": "0", "percent": "0.5" }]);
    let better = json!({ "bounds": { "floor": "1", "ceiling": "4" }, "reserve": { "target": "1", "levels": levels } });
    let rests = json!({ "schedule": { "aheadMinutes": 0, "windows": [{ "days": [1, 2, 3, 4, 5, 6, 7], "from": "00:00", "to": "00:00" }] } });
    let tried = json!({ "changes": [{ "pairId": id, "rules": better }, { "pairId": other, "rules": rests }] });
    let dry = owner.post(&format!("{RATES}/try"), tried).await.ok();
    let of = |id: i64| dry.as_array().unwrap().iter().find(|row| row["pairId"] == id).unwrap().clone();
    assert_eq!(dry.as_array().unwrap().len(), 2, "{dry}");
    assert_eq!((&of(id)["before"], &of(id)["after"]), (&json!("6299884.8"), &json!("6332092.8")));
    assert!(of(other)["stop"].as_str().is_some() && of(other)["wasStopped"] == false, "{dry}");
    cycle(&house).await;
    assert_eq!(margin(&house).await, "2.2".parse().unwrap());
    let wrong = json!({ "changes": [{ "pairId": id, "rules": { "sources": 11 } }] });
    let problem = owner.post(&format!("{RATES}/try"), wrong).await.refused(422, "validation_failed");
    assert_eq!(problem["errors"]["rules.sources"][0]["code"], "value_out_of_range", "{problem}");
}

both_engines!(
    the_reserve_and_the_hour_move_the_margin_within_its_bounds,
    a_place_on_a_monitor_is_had_in_steps_and_never_below_the_floor,
    a_day_s_move_is_corrected_and_the_chart_shows_it,
    what_rules_would_do_is_told_and_not_done,
);
