//! Two nodes on one PostgreSQL.

use std::time::Duration;

use agio_core::live::Notice;
use agio_testkit::{Engine, House};
use serde_json::json;

use crate::people::{publishes, read, text};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_node_publishes_the_other_shows() {
    let here = House::open(Engine::Postgres).await;
    let there = here.another_node().await;
    let mut news = there.app.platform.live.listen();
    let visitor = there.customer();
    assert_eq!(read(&visitor, "faq").await["version"], 1);
    publishes(&here.owner().await, "faq", json!({ "ru": text("Вопросы", "Новое.") })).await.ok();
    let heard = async {
        loop {
            if news.recv().await.expect("the node goes on") == Notice::Content {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), heard).await.expect("the other node learns of it");
    let shown = read(&visitor, "faq").await;
    assert_eq!((&shown["version"], &shown["html"]), (&json!(2), &json!("<p>Новое.</p>\n")));
}
