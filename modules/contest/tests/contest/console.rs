//! What staff plan, and what is refused.

use std::time::Duration;

use agio_core::identity::Role;
use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::people::{BLOCK, CONTESTS, DAY, days_go_by, draws, draws_with_a_colleague, exchanges, plan, shows_contests};

async fn a_plan_that_would_not_be_fair_is_refused(engine: Engine) {
    let house = House::open(engine).await;
    let editor = house.staff(Role::Editor).await;
    let mut wrong = plan(&house, &["0", "0.0000001"]);
    wrong["startsAt"] = house.now().to_string().into();
    wrong["publicAt"] = wrong["endsAt"].clone();
    wrong["title"]["en"] = " ".into();
    wrong["mostWeight"] = json!(0);
    wrong["perWorth"] = json!("-1");
    let problem = editor.post(CONTESTS, wrong).await.refused(422, "validation_failed");
    for (field, code) in [
        ("startsAt", "contest_starts_in_the_past"),
        ("publicAt", "contest_public_too_soon"),
        ("title.en", "required"),
        ("mostWeight", "value_out_of_range"),
        ("perWorth", "value_out_of_range"),
        ("prizes[0].amount", "prize_not_positive"),
        ("prizes[1].amount", "too_many_digits"),
    ] {
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    }

    let made = editor.post(CONTESTS, plan(&house, &["10"])).await.ok();
    let path = format!("{CONTESTS}/{}", made["id"].as_str().unwrap());
    editor.post(CONTESTS, plan(&house, &["10"])).await.refused(409, "contest_overlaps");
    let change = json!({ "revision": 1, "plan": plan(&house, &["20", "10"]) });
    let changed = editor.put(&path, change.clone()).await.ok();
    assert_eq!((&changed["prizes"][0]["amount"], &changed["commitment"]), (&json!("20"), &made["commitment"]));
    editor.put(&path, change).await.refused(409, "contest_changed");
    draws(&editor, made["id"].as_str().unwrap(), BLOCK).await.refused(409, "contest_not_closed");
    house.staff(Role::Operator).await.post(CONTESTS, plan(&house, &["10"])).await.refused(403, "forbidden");

    house.later(Duration::from_secs(DAY + 60)).await;
    let editor = house.staff(Role::Editor).await;
    let late = json!({ "revision": 3, "plan": plan(&house, &["1"]) });
    editor.put(&path, late).await.refused(409, "contest_begun");
    let seen = editor.get(CONTESTS).await.ok()["items"][0].clone();
    assert_eq!(seen["state"], "running");
    let called_off = editor.post(&format!("{path}/cancel"), json!({ "revision": seen["revision"] })).await.ok();
    assert_eq!(called_off["state"], "cancelled");
    house.audit_is_whole().await;
}

async fn a_great_prize_is_paid_by_two_people(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    shows_contests(&owner).await;
    let made = owner.post(CONTESTS, plan(&house, &["1500"])).await.ok();
    let id = made["id"].as_str().unwrap().to_owned();
    let owner = days_go_by(&house, 1).await;
    let (claim, number) = exchanges(&house, &owner, "ivan@example.com", "0.01").await;
    days_go_by(&house, 7).await;
    let owner = days_go_by(&house, 1).await;
    let entries = owner.get(&format!("{CONTESTS}/{id}/entries")).await.ok();
    let entry = &entries["items"][0];
    assert_eq!(
        (&entry["claimId"], &entry["number"], &entry["email"]),
        (&json!(claim), &json!(number), &json!("ivan@example.com"))
    );
    draws(&owner, &id, "short").await.refused(422, "validation_failed");
    draws_with_a_colleague(&house, &owner, &id, BLOCK).await.ok();

    owner.put("/api/admin/v1/settings", json!({ "approvals.four_eyes": true })).await.ok();
    let cashier = house.staff(Role::Cashier).await;
    let pay = format!("{CONTESTS}/{id}/prizes/1/pay");
    let note = json!({ "note": "To the wallet of their letter" });
    house.staff(Role::Editor).await.post(&pay, note.clone()).await.refused(403, "forbidden");
    house.staff_unconfirmed(Role::Cashier).await.post(&pay, note.clone()).await.refused(403, "fresh_second_factor_needed");
    let proposed = cashier.post(&pay, note.clone()).await;
    assert_eq!(proposed.status, 202, "{}", proposed.text);
    let proposal = proposed.ok();
    assert_eq!(proposal["kind"], "contest_prize");
    cashier.post(&pay, note).await.refused(409, "approval_waits");
    let approve = format!("/api/admin/v1/approvals/{}/approve", proposal["id"].as_str().unwrap());
    owner.post_empty(&approve).await.ok();
    let paid = owner.get(CONTESTS).await.ok()["items"][0].clone();
    assert_eq!((&paid["state"], &paid["prizes"][0]["winner"]["paidBy"]), (&json!("paid"), &json!("cashier")));
    house.books_are_clean().await;
}

both_engines!(a_plan_that_would_not_be_fair_is_refused, a_great_prize_is_paid_by_two_people);
