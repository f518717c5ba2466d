//! Two nodes on one PostgreSQL.

use std::time::Duration;

use agio_core::live::Notice;
use agio_testkit::{Engine, House};
use serde_json::json;
use tokio::task::JoinSet;

use crate::people::{publishes, read, solved, text};

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

/// Each node counts what the other takes, also when all messages come before any of them is kept.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_household_writes_no_more_to_two_nodes_at_once() {
    const MESSAGES: u8 = 8;
    let here = House::open(Engine::Postgres).await;
    let there = here.another_node().await;
    let visitor = here.customer().from_address("203.0.113.7");
    let held = here.database().hold("LOCK TABLE contact_message IN SHARE MODE").await;
    let mut writing = JoinSet::new();
    for turn in 0..MESSAGES {
        let (caller, recaptcha) =
            (visitor.clone().before([&here.root, &there.root][usize::from(turn % 2)]), solved(&visitor).await);
        let message = json!({ "email": "ivan@example.com", "message": format!("Hello {turn}"), "recaptcha": recaptcha });
        writing.spawn(async move { caller.post("/api/v1/contact/", message).await });
    }
    while here.database().waiting().await < i64::from(MESSAGES) {
        tokio::task::yield_now().await;
    }
    held.release().await;
    let (taken, refused): (Vec<_>, Vec<_>) = writing.join_all().await.into_iter().partition(|answer| answer.status == 201);
    for answer in refused {
        answer.refused(429, "too_many_messages");
    }
    assert_eq!(taken.len(), 5);
}
