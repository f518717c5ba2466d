//! Two nodes on one PostgreSQL: what is done at one is true at the other.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::live::Notice;
use agio_testkit::{Customer, Engine, House};
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

/// Whoever shares calls out among the nodes sends the next call of a browser to another one than the call by which it signed in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_made_at_one_node_is_good_at_the_other_at_once_and_ends_there_with_a_word() {
    let here = House::open(Engine::Postgres).await;
    let there = here.another_node().await;
    let mut news = there.app.platform.live.listen();

    let mut anna = Customer::at(&here, "anna@example.com").await;
    for _ in 0..5 {
        anna.signs_in().await.ok();
        anna.caller.clone().before(&there.root).get("/api/v1/users/me/").await.ok();
    }
    for role in [Role::Owner, Role::Operator] {
        let unconfirmed = here.staff_unconfirmed(role).await;
        unconfirmed.before(&there.root).get("/api/admin/v1/auth/me").await.ok();
    }
    // What was shown in a session counts there as well.
    let owner = here.owner().await.before(&there.root);
    let settings = json!({ "approvals.four_eyes": false });
    owner.put("/api/admin/v1/settings", settings).await.ok();

    // It ends there as soon as that node is told, long before its token does.
    let mut phone = Customer { caller: here.customer(), email: anna.email.clone(), password: anna.password.clone() };
    phone.signs_in().await.ok();
    let calls = || async { phone.caller.clone().before(&there.root).get("/api/v1/users/me/").await.status };
    assert_eq!(calls().await, 200);
    assert_eq!(anna.caller.delete("/api/v1/users/me/sessions/").await.status, 204);
    while calls().await != 401 {
        learns(&mut news, |notice| *notice == Notice::Sessions).await;
    }
}
