//! What is stored for a monitor and cannot be read.

use agio_core::execute;
use agio_core::identity::Role;
use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::feeds::{FEED, id, listed};

async fn a_monitor_whose_codes_cannot_be_read_gets_an_empty_feed(engine: Engine) {
    let house = House::open(engine).await;
    let new = json!({
        "slug": "bestchange", "name": "BestChange", "marks": [], "codes": [{ "currencyId": id(&house, "SBERRUB"), "code": "SBRF" }],
    });
    house.staff(Role::Editor).await.post("/api/admin/v1/monitors", new).await.ok();
    let theirs = "/export/bestchange/rates.xml";
    assert!(!listed(&house.customer(), theirs).await.is_empty());
    let damage = house.app.platform.db.write(|tx| Box::pin(async move { execute!(tx, "UPDATE monitor SET codes = '{'") }));
    damage.await.unwrap();
    // Another node, or the house that was started again.
    let node = house.another_node().await;
    assert_eq!(listed(&node.customer(), theirs).await, [], "nothing goes out under codes nobody asked for");
    assert!(!listed(&node.customer(), FEED).await.is_empty(), "the others go on");
}

both_engines!(a_monitor_whose_codes_cannot_be_read_gets_an_empty_feed);
