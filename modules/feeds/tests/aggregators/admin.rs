//! Aggregator administration.

use std::collections::HashSet;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::feeds::{FEED, aggregator_list, id, listed};
use crate::rules;

const AGGREGATORS: &str = "/api/admin/v1/aggregators";

async fn an_aggregator_has_its_own_codes_marks_and_address(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (robot, editor) = (app.visitor(), app.staff(Role::Editor).await);
    let sber = id(&app, "SBERRUB");
    let new = json!({ "slug": "bestchange", "name": "BestChange", "marks": ["reg"], "codes": [{ "currencyId": sber, "code": "SBRF" }] });
    let created = editor.post_idempotent(AGGREGATORS, "aggregator-0001", new.clone()).await.ok();
    assert_eq!(editor.post_idempotent(AGGREGATORS, "aggregator-0001", new.clone()).await.ok()["id"], created["id"]);
    editor.post(AGGREGATORS, new.clone()).await.refused(409, "aggregator_slug_taken");
    assert_eq!(created["feed"]["xml"], "/export/bestchange/rates.xml");

    let own = rules::read(&robot.get(FEED).await.text);
    let theirs = rules::read(&robot.get("/export/bestchange/rates.xml").await.text);
    assert_eq!(own.len(), theirs.len());
    assert!(
        theirs.iter().all(|entry| entry.marks().contains("reg") && entry.ends().0 != "SBERRUB" && entry.ends().1 != "SBERRUB")
    );
    assert!(theirs.iter().any(|entry| entry.ends() == ("BTC", "SBRF")));
    assert!(own.iter().all(|entry| !entry.marks().contains("reg")));

    let path = format!("{AGGREGATORS}/{}", created["id"].as_str().unwrap());
    // Two currencies with one code are ambiguous: one of each two directions is excluded with a finding.
    let twice = json!({ "revision": 1, "codes": [{ "currencyId": sber, "code": "BTC" }] });
    editor.patch(&path, twice).await.ok();
    let findings = aggregator_list(&editor).await["findings"].clone();
    let of_aggregator: Vec<_> = findings.as_array().unwrap().iter().filter(|found| found["slug"] == "bestchange").collect();
    assert!(!of_aggregator.is_empty() && of_aggregator.iter().all(|found| found["rule"] == "code_repeated"), "{findings}");
    rules::read(&robot.get("/export/bestchange/rates.xml").await.text);

    let off = json!({ "revision": 2, "enabled": false });
    editor.patch(&path, off.clone()).await.ok();
    editor.patch(&path, off).await.refused(409, "aggregator_changed");
    assert_eq!(listed(&robot, "/export/bestchange/rates.xml").await, []);
    editor.delete(&path).await;
    robot.get("/export/bestchange/rates.xml").await.refused(404, "aggregator_not_found");
    robot.get("/export/unknown/rates.json").await.refused(404, "aggregator_not_found");
    app.assert_audit_chain_is_intact().await;
}

async fn manual_directions_pause_outside_working_hours(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (robot, owner) = (app.visitor(), app.owner().await);
    let all = listed(&robot, FEED).await;
    let (btc, sber) = (id(&app, "BTC"), id(&app, "SBERRUB"));
    let setup = format!("{AGGREGATORS}/directions/{btc}/{sber}");
    owner.put(&setup, json!({ "listed": true, "marks": ["otherout"] })).await.ok();
    let directions = owner.get(&format!("{AGGREGATORS}/directions?from={btc}")).await.ok();
    let of_sber = directions.as_array().unwrap().iter().find(|row| row["receiveId"] == sber).unwrap().clone();
    assert_eq!((&of_sber["marks"], &of_sber["set"]), (&json!(["otherout"]), &json!(true)));

    // 12:00 UTC, 15:00 in Moscow.
    let hours = |from: i64, to: i64| json!({ "aggregators.hours_from": from, "aggregators.hours_to": to });
    owner.put("/api/admin/v1/settings", hours(16, 23)).await.ok();
    // All payouts are manual here, so nothing is listed.
    assert_eq!(listed(&robot, FEED).await, []);
    assert_eq!(aggregator_list(&owner).await["own"]["resting"], json!(all.iter().collect::<HashSet<_>>().len()));
    owner.put("/api/admin/v1/settings", hours(9, 18)).await.ok();
    assert_eq!(listed(&robot, FEED).await, all);

    owner.put(&setup, json!({ "listed": false, "marks": [] })).await.ok();
    assert_eq!(listed(&robot, FEED).await.len(), all.len() - 1);
    assert_eq!(aggregator_list(&owner).await["own"]["unlisted"], 1);
}

async fn invalid_aggregator_settings_are_refused(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let wrong = json!({
        "slug": "Best Change", "name": " ", "marks": ["reg", "floating", "manual"], "codes": [{ "currencyId": 999_999, "code": "x" }],
    });
    let problem = owner.post(AGGREGATORS, wrong).await.refused(422, "validation_failed");
    for (field, code) in [
        ("slug", "aggregator_slug_malformed"),
        ("name", "required"),
        ("marks[1]", "mark_unknown"),
        ("codes.999999", "code_malformed"),
    ] {
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    }
    owner
        .put(&format!("{AGGREGATORS}/directions/1/1"), json!({ "listed": true, "marks": [] }))
        .await
        .refused(404, "pair_unavailable");
    owner.get(&format!("{AGGREGATORS}/directions?from=999999")).await.refused(404, "currency_unknown");
    let auditor = app.staff(Role::Auditor).await;
    aggregator_list(&auditor).await;
    auditor.post(AGGREGATORS, json!({ "slug": "kurs-expert", "name": "Kurs" })).await.refused(403, "forbidden");
}

both_engines!(
    an_aggregator_has_its_own_codes_marks_and_address,
    manual_directions_pause_outside_working_hours,
    invalid_aggregator_settings_are_refused,
);
