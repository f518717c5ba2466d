//! Where a withdrawal goes is in nobody's reach who has the database alone.

use std::time::Duration;

use agio_core::{execute, fetch_all};
use agio_testkit::{Engine, House, both_engines};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::people::{Desk, Referrer, comes, order, pays_at_once};

const PATH: &str = "/api/v1/users/me/refferal/withdrawal/";

/// An address that is nowhere in the demonstration's market.
const MINE: &str = "TAycsVCX5Ng1kNwqrciXyTpyx3aw4rdHbR";

/// A withdrawal that two people have to agree to.
async fn asked_for(house: &House) -> (Referrer, Desk, Value) {
    pays_at_once(house).await;
    let ivan = Referrer::at(house, "ivan@example.com").await;
    let desk = Desk::operator(house).await;
    desk.completes(&comes(house, "olga@example.com", Some(&ivan.code)).await).await;
    house.later(Duration::ZERO).await;
    let rule = json!({ "approvals.four_eyes": "true", "approvals.payout_limit": "5" });
    house.owner().await.put("/api/admin/v1/settings", rule).await.ok();
    let mut order = order(house, "12");
    order["requisites"]["address"] = MINE.into();
    let asked = ivan.member.caller.post_once(PATH, "one-and-only", order).await.ok();
    (ivan, desk, asked)
}

async fn whoever_has_the_database_alone_learns_no_destination(engine: Engine) {
    let house = House::open(engine).await;
    let (_, desk, asked) = asked_for(&house).await;
    let proposal = desk.steps(&asked["id"], "approve", json!({})).await.ok();
    assert!(proposal["facts"].to_string().contains(MINE), "{proposal}");
    house.tells_nobody(&[MINE]).await;
    let approve = format!("/api/admin/v1/approvals/{}/approve", proposal["id"].as_str().unwrap());
    house.owner().await.post_empty(&approve).await.ok();
    desk.steps(&asked["id"], "pay", json!({ "txId": "tron-1" })).await.ok();
    assert_eq!(desk.withdrawal(&asked["id"]).await["requisites"][0]["value"], MINE);
    house.tells_nobody(&[MINE]).await;
    house.books_are_clean().await;
    house.audit_is_whole().await;
}

async fn what_former_versions_stored_in_the_open_is_sealed_at_the_next_start(engine: Engine) {
    let house = House::open(engine).await;
    let (_, desk, asked) = asked_for(&house).await;
    let platform = &house.app.platform;
    let rows = "SELECT id, requisites FROM referral_withdrawal";
    let rows = fetch_all!(&mut platform.db.read().await.unwrap(), (Uuid, String), rows).unwrap();
    let [(id, sealed)] = rows.try_into().unwrap();
    let open = platform.vault.open_text(&format!("referral withdrawal {id}"), &sealed).unwrap();
    for sql in [
        "UPDATE referral_withdrawal SET requisites = $1",
        "INSERT INTO open_rows (name) SELECT 'referral_withdrawal' WHERE $1 <> ''",
    ] {
        let open = open.clone();
        platform
            .db
            .write(move |tx| {
                let open = open.clone();
                Box::pin(async move { execute!(tx, sql, open) })
            })
            .await
            .unwrap();
    }
    assert_eq!(house.database().places_of(MINE).await.len(), 1);
    let next = house.another_node().await;
    next.tells_nobody(&[MINE]).await;
    assert_eq!(desk.withdrawal(&asked["id"]).await["requisites"][0]["value"], MINE);
}

both_engines!(
    whoever_has_the_database_alone_learns_no_destination,
    what_former_versions_stored_in_the_open_is_sealed_at_the_next_start,
);
