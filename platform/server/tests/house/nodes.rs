//! Two nodes on one PostgreSQL: what is done at one is true at the other.

use std::time::Duration;

use agio_core::live::Notice;
use agio_testkit::{Engine, House};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;

/// Waits until a node has learnt of something; far longer than that ever takes.
async fn learns(notices: &mut Receiver<Notice>, of: impl Fn(&Notice) -> bool) {
    let heard = async {
        loop {
            let notice = notices.recv().await.expect("the node goes on");
            if of(&notice) {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), heard).await.expect("the other node learns of it");
}

fn of_code<'a>(rows: &'a Value, code: &str) -> &'a Value {
    rows.as_array().unwrap().iter().find(|row| row["code"] == code).expect("the demonstration has it")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_done_at_one_node_is_true_at_the_other() {
    let here = House::open(Engine::Postgres).await;
    let there = here.another_node().await;
    let mut news = there.app.platform.live.listen();
    let (owner, visitor) = (here.owner().await, there.customer());

    let currencies = owner.get("/api/admin/v1/currencies").await.ok();
    let bitcoin = of_code(&currencies, "BTC")["id"].as_i64().unwrap();
    let deposit = json!({ "amount": "1", "reason": "deposit", "note": "" });
    owner.post(&format!("/api/admin/v1/reserves/{bitcoin}/movements"), deposit).await.ok();
    learns(&mut news, |notice| *notice == Notice::Reserve(bitcoin)).await;
    assert_eq!(here.app.ledger.reserves().available(bitcoin), there.app.ledger.reserves().available(bitcoin));

    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let (pair, from, to) = (&pairs[0]["id"], &pairs[0]["fromId"], &pairs[0]["toId"]);
    let course = format!("/api/v1/calculator/course/{from}/{to}/");
    let before = visitor.get(&course).await.ok();
    let change = json!({ "revision": pairs[0]["revision"], "spreadPercent": "7.5" });
    owner.patch(&format!("/api/admin/v1/pairs/{pair}"), change).await.ok();
    learns(&mut news, |notice| *notice == Notice::Market).await;
    let after = visitor.get(&course).await.ok();
    assert_ne!(before, after);
    assert_eq!(after, here.customer().get(&course).await.ok());

    owner.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    learns(&mut news, |notice| *notice == Notice::TechnicalMode(true)).await;
    assert_eq!(visitor.get("/api/v1/calculator/tech/").await.ok()["technicalMode"]["on"], true);
}
