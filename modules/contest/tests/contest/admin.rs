//! Creating contests, and what is refused.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{
    BLOCK, CONTESTS, DAY, advance_days, complete_exchange, draw_with_approval, enable_contests, plan, request_draw,
};

async fn an_unfair_contest_is_refused(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let mut wrong = plan(&app, &["0", "0.0000001"]);
    wrong["startsAt"] = app.now().to_string().into();
    wrong["publicAt"] = wrong["endsAt"].clone();
    wrong["title"]["en"] = " ".into();
    wrong["maxTickets"] = json!(0);
    wrong["volumePerTicket"] = json!("-1");
    let problem = editor.post(CONTESTS, wrong).await.refused(422, "validation_failed");
    for (field, code) in [
        ("startsAt", "contest_starts_in_the_past"),
        ("publicAt", "contest_public_too_soon"),
        ("title.en", "required"),
        ("maxTickets", "value_out_of_range"),
        ("volumePerTicket", "value_out_of_range"),
        ("prizes[0].amount", "prize_not_positive"),
        ("prizes[1].amount", "too_many_digits"),
    ] {
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    }

    let created = editor.post(CONTESTS, plan(&app, &["10"])).await.ok();
    let path = format!("{CONTESTS}/{}", created["id"].as_str().unwrap());
    editor.post(CONTESTS, plan(&app, &["10"])).await.refused(409, "contest_overlaps");
    let change = json!({ "revision": 1, "plan": plan(&app, &["20", "10"]) });
    let changed = editor.put(&path, change.clone()).await.ok();
    assert_eq!((&changed["prizes"][0]["amount"], &changed["commitment"]), (&json!("20"), &created["commitment"]));
    editor.put(&path, change).await.refused(409, "contest_changed");
    request_draw(&editor, created["id"].as_str().unwrap(), BLOCK).await.refused(409, "contest_not_closed");
    app.staff(Role::Operator).await.post(CONTESTS, plan(&app, &["10"])).await.refused(403, "forbidden");

    app.advance_and_run_jobs(Duration::from_secs(DAY + 60)).await;
    let editor = app.staff(Role::Editor).await;
    let late = json!({ "revision": 3, "plan": plan(&app, &["1"]) });
    editor.put(&path, late).await.refused(409, "contest_begun");
    let view = editor.get(CONTESTS).await.ok()["items"][0].clone();
    assert_eq!(view["state"], "running");
    let called_off = editor.post(&format!("{path}/cancel"), json!({ "revision": view["revision"] })).await.ok();
    assert_eq!(called_off["state"], "cancelled");
    app.assert_audit_chain_is_intact().await;
}

async fn a_large_prize_needs_approval(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    enable_contests(&owner).await;
    let created = owner.post(CONTESTS, plan(&app, &["1500"])).await.ok();
    let id = created["id"].as_str().unwrap().to_owned();
    let owner = advance_days(&app, 1).await;
    let (claim, number) = complete_exchange(&app, &owner, "ivan@example.com", "0.01").await;
    advance_days(&app, 7).await;
    let owner = advance_days(&app, 1).await;
    let entries = owner.get(&format!("{CONTESTS}/{id}/entries")).await.ok();
    let entry = &entries["items"][0];
    assert_eq!(
        (&entry["claimId"], &entry["number"], &entry["email"]),
        (&json!(claim), &json!(number), &json!("ivan@example.com"))
    );
    request_draw(&owner, &id, "short").await.refused(422, "validation_failed");
    draw_with_approval(&app, &owner, &id, BLOCK).await.ok();

    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    let cashier = app.staff(Role::Cashier).await;
    let pay = format!("{CONTESTS}/{id}/prizes/1/pay");
    let note = json!({ "note": "To the wallet in their e-mail" });
    app.staff(Role::Editor).await.post(&pay, note.clone()).await.refused(403, "forbidden");
    app.staff_unconfirmed(Role::Cashier).await.post(&pay, note.clone()).await.refused(403, "fresh_second_factor_needed");
    let proposed = cashier.post(&pay, note.clone()).await;
    assert_eq!(proposed.status, 202, "{}", proposed.text);
    let approval = proposed.ok();
    assert_eq!(approval["kind"], "contest_prize");
    cashier.post(&pay, note).await.refused(409, "approval_waits");
    let approve = format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap());
    owner.post_empty(&approve).await.ok();
    let paid = owner.get(CONTESTS).await.ok()["items"][0].clone();
    assert_eq!((&paid["state"], &paid["prizes"][0]["winner"]["paidBy"]), (&json!("paid"), &json!("cashier")));
    app.assert_ledger_is_clean().await;
}

both_engines!(an_unfair_contest_is_refused, a_large_prize_needs_approval);
