//! Unreadable aggregator settings.

use agio_core::execute;
use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::feeds::{FEED, id, listed};

async fn an_aggregator_with_unreadable_codes_gets_an_empty_feed(engine: Engine) {
    let app = TestApp::start(engine).await;
    let new = json!({
        "slug": "bestchange", "name": "BestChange", "marks": [], "codes": [{ "currencyId": id(&app, "SBERRUB"), "code": "SBRF" }],
    });
    app.staff(Role::Editor).await.post("/api/admin/v1/aggregators", new).await.ok();
    let theirs = "/export/bestchange/rates.xml";
    assert!(!listed(&app.visitor(), theirs).await.is_empty());
    let damage = app.server.platform.db.write(|tx| Box::pin(async move { execute!(tx, "UPDATE aggregator SET codes = '{'") }));
    damage.await.unwrap();
    // Another node, or after a restart.
    let node = app.another_node().await;
    assert_eq!(listed(&node.visitor(), theirs).await, [], "nothing is published under other codes");
    assert!(!listed(&node.visitor(), FEED).await.is_empty(), "the others go on");
}

both_engines!(an_aggregator_with_unreadable_codes_gets_an_empty_feed);
