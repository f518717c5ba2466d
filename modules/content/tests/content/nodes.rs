//! Two nodes on one PostgreSQL.

use std::time::Duration;

use agio_core::events::ChangeEvent;
use agio_test_app::{Engine, TestApp};
use serde_json::json;
use tokio::task::JoinSet;

use crate::fixtures::{get_page, publish, solve_captcha, text};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn publication_is_shared_between_nodes() {
    let here = TestApp::start(Engine::Postgres).await;
    let there = here.another_node().await;
    let mut subscription = there.server.platform.events.subscribe();
    let visitor = there.visitor();
    assert_eq!(get_page(&visitor, "faq").await["version"], 1);
    publish(&here.owner().await, "faq", json!({ "ru": text("Вопросы", "Новое.") })).await.ok();
    let received = async {
        loop {
            if subscription.recv().await.expect("the node keeps running") == ChangeEvent::Content {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), received).await.expect("the other node learns of it");
    let shown = get_page(&visitor, "faq").await;
    assert_eq!((&shown["version"], &shown["html"]), (&json!(2), &json!("<p>Новое.</p>\n")));
}

/// Each node counts the messages of the other, also concurrent ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_limit_holds_across_nodes() {
    const MESSAGES: u8 = 8;
    let here = TestApp::start(Engine::Postgres).await;
    let there = here.another_node().await;
    let visitor = here.visitor().from_address("203.0.113.7");
    let mut solved = Vec::new();
    for _ in 0..MESSAGES {
        solved.push(solve_captcha(&visitor).await);
    }
    let held = here.database().hold_lock("LOCK TABLE contact_message IN SHARE MODE").await;
    // From here on each of them gives up after a few seconds.
    let mut writing = JoinSet::new();
    for (turn, recaptcha) in solved.into_iter().enumerate() {
        let caller = visitor.clone().at_node([&here.root, &there.root][turn % 2]);
        let message = json!({ "email": "ivan@example.com", "message": format!("Hello {turn}"), "recaptcha": recaptcha });
        writing.spawn(async move { caller.post("/api/v1/contact/", message).await });
    }
    while here.database().count_lock_waiters().await < i64::from(MESSAGES) {
        tokio::task::yield_now().await;
    }
    held.release().await;
    let (taken, refused): (Vec<_>, Vec<_>) = writing.join_all().await.into_iter().partition(|answer| answer.status == 201);
    for answer in refused {
        answer.refused(429, "too_many_messages");
    }
    assert_eq!(taken.len(), 5);
}
