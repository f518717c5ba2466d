//! What staff set for monitors.

use agio_core::identity::Role;
use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::feeds::{FEED, id, listed, room};
use crate::rules;

const MONITORS: &str = "/api/admin/v1/monitors";

async fn a_monitor_has_codes_marks_and_an_address_of_its_own(engine: Engine) {
    let house = House::open(engine).await;
    let (robot, editor) = (house.customer(), house.staff(Role::Editor).await);
    let sber = id(&house, "SBERRUB");
    let new = json!({ "slug": "bestchange", "name": "BestChange", "marks": ["reg"], "codes": [{ "currencyId": sber, "code": "SBRF" }] });
    let made = editor.post_once(MONITORS, "monitor-0001", new.clone()).await.ok();
    assert_eq!(editor.post_once(MONITORS, "monitor-0001", new.clone()).await.ok()["id"], made["id"]);
    editor.post(MONITORS, new.clone()).await.refused(409, "monitor_slug_taken");
    assert_eq!(made["feed"]["xml"], "/export/bestchange/rates.xml");

    let own = rules::read(&robot.get(FEED).await.text);
    let theirs = rules::read(&robot.get("/export/bestchange/rates.xml").await.text);
    assert_eq!(own.len(), theirs.len());
    assert!(
        theirs.iter().all(|entry| entry.marks().contains("reg") && entry.ends().0 != "SBERRUB" && entry.ends().1 != "SBERRUB")
    );
    assert!(theirs.iter().any(|entry| entry.ends() == ("BTC", "SBRF")));
    assert!(own.iter().all(|entry| !entry.marks().contains("reg")));

    let path = format!("{MONITORS}/{}", made["id"].as_str().unwrap());
    // Two currencies under one code cannot be told apart: one of each two directions stays out, and staff see why.
    let twice = json!({ "revision": 1, "codes": [{ "currencyId": sber, "code": "BTC" }] });
    editor.patch(&path, twice).await.ok();
    let findings = room(&editor).await["findings"].clone();
    let of_monitor: Vec<_> = findings.as_array().unwrap().iter().filter(|found| found["slug"] == "bestchange").collect();
    assert!(!of_monitor.is_empty() && of_monitor.iter().all(|found| found["rule"] == "code_repeated"), "{findings}");
    rules::read(&robot.get("/export/bestchange/rates.xml").await.text);

    let off = json!({ "revision": 2, "enabled": false });
    editor.patch(&path, off.clone()).await.ok();
    editor.patch(&path, off).await.refused(409, "monitor_changed");
    assert_eq!(listed(&robot, "/export/bestchange/rates.xml").await, []);
    editor.delete(&path).await;
    robot.get("/export/bestchange/rates.xml").await.refused(404, "monitor_not_found");
    robot.get("/export/nobody/rates.json").await.refused(404, "monitor_not_found");
    house.audit_is_whole().await;
}

async fn manual_directions_leave_outside_the_hours(engine: Engine) {
    let house = House::open(engine).await;
    let (robot, owner) = (house.customer(), house.owner().await);
    let all = listed(&robot, FEED).await;
    let (btc, sber) = (id(&house, "BTC"), id(&house, "SBERRUB"));
    let setup = format!("{MONITORS}/directions/{btc}/{sber}");
    owner.put(&setup, json!({ "listed": true, "marks": ["otherout"] })).await.ok();
    let directions = owner.get(&format!("{MONITORS}/directions?from={btc}")).await.ok();
    let of_sber = directions.as_array().unwrap().iter().find(|row| row["toId"] == sber).unwrap().clone();
    assert_eq!((&of_sber["marks"], &of_sber["set"]), (&json!(["otherout"]), &json!(true)));

    // It is noon in London and three in the afternoon in Moscow.
    let hours = |from: i64, to: i64| json!({ "monitors.hours_from": from, "monitors.hours_to": to });
    owner.put("/api/admin/v1/settings", hours(16, 23)).await.ok();
    // Staff send every payout here, so nothing is listed.
    assert_eq!(listed(&robot, FEED).await, []);
    assert_eq!(room(&owner).await["own"]["resting"], json!(all.len()));
    owner.put("/api/admin/v1/settings", hours(9, 18)).await.ok();
    assert_eq!(listed(&robot, FEED).await, all);

    owner.put(&setup, json!({ "listed": false, "marks": [] })).await.ok();
    assert_eq!(listed(&robot, FEED).await.len(), all.len() - 1);
    assert_eq!(room(&owner).await["own"]["unlisted"], 1);
}

async fn what_monitors_would_not_read_is_refused(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    let wrong = json!({
        "slug": "Best Change", "name": " ", "city": "msk", "marks": ["reg", "floating", "manual"], "codes": [{ "currencyId": 999_999, "code": "x" }],
    });
    let problem = owner.post(MONITORS, wrong).await.refused(422, "validation_failed");
    for (field, code) in [
        ("slug", "monitor_slug_malformed"),
        ("name", "required"),
        ("city", "city_malformed"),
        ("marks[1]", "mark_unknown"),
        ("codes.999999", "code_malformed"),
    ] {
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    }
    owner
        .put(&format!("{MONITORS}/directions/1/1"), json!({ "listed": true, "marks": [] }))
        .await
        .refused(404, "pair_unavailable");
    owner.get(&format!("{MONITORS}/directions?from=999999")).await.refused(404, "currency_unknown");
    let auditor = house.staff(Role::Auditor).await;
    room(&auditor).await;
    auditor.post(MONITORS, json!({ "slug": "kurs-expert", "name": "Kurs" })).await.refused(403, "forbidden");
}

both_engines!(
    a_monitor_has_codes_marks_and_an_address_of_its_own,
    manual_directions_leave_outside_the_hours,
    what_monitors_would_not_read_is_refused,
);
