//! Several nodes and restarts.

use std::time::Duration;

use agio_core::identity::Actor;
use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use serde_json::json;

use crate::fixtures::{access_token, at_another_address, refresh_at, refresh_token, solve};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn sessions_are_shared_between_nodes(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    // A new node and a restarted server know the sessions.
    let node = app.another_node().await;
    let there = |customer: &TestCustomer| customer.caller.clone().at_node(&node.root);
    there(&ivan).get("/api/v1/users/me/").await.ok();

    // A session opened here is valid at the other node at once, without a notification, and so is one refreshed after it
    // had run out.
    ivan.sign_in().await.ok();
    there(&ivan).get("/api/v1/users/me/").await.ok();
    app.advance_clock(11 * MINUTE);
    there(&ivan).get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    let token = refresh_token(&ivan.refresh().await);
    there(&ivan).get("/api/v1/users/me/").await.ok();
    let refreshed = refresh_at(&node.root, &token).await;
    ivan.caller = ivan.caller.clone().with_token(&access_token(&refreshed));
    ivan.me().await.ok();

    // Ended there, it is over here as soon as this node has looked.
    assert_eq!(
        there(&ivan).post("/api/v1/users/me/password/", json!({ "oldPassword": "x", "newPassword": "y" })).await.status,
        422
    );
    let mut phone = at_another_address(&app, &ivan, "192.0.2.7");
    phone.sign_in().await.ok();
    there(&phone).get("/api/v1/users/me/").await.ok();
    assert_eq!(there(&ivan).delete("/api/v1/users/me/sessions/").await.status, 204);
    there(&phone).get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    app.advance_and_run_jobs(Duration::from_secs(2)).await;
    phone.me().await.refused(401, "token_not_valid");
    ivan.me().await.ok();
}

async fn activation_is_shared_between_nodes(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    ivan.sign_in().await.ok();
    let node = app.another_node().await;
    let begins = || ivan.caller.clone().at_node(&node.root);
    begins().post("/api/v1/users/me/totp/", json!({ "password": ivan.password })).await.refused(409, "not_activated");
    ivan.activate(&app).await;
    begins().post("/api/v1/users/me/totp/", json!({ "password": ivan.password })).await.ok();
}

async fn key_rotation_keeps_sessions(engine: Engine) {
    let app = TestApp::start(engine).await;
    let node = app.another_node().await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let anna = app.owner().await;
    let by = Actor::system("test");
    app.advance_clock(MINUTE);
    app.server.auth.rotate_keys(&by, false).await.unwrap();
    ivan.me().await.ok();
    anna.get("/api/admin/v1/auth/me").await.ok();
    // The new key makes nothing before other nodes had time to read it.
    ivan.refresh().await.ok();
    node.advance_and_run_jobs(Duration::ZERO).await;
    app.advance_clock(2 * MINUTE);
    ivan.refresh().await.ok();
    node.advance_and_run_jobs(Duration::ZERO).await;
    ivan.caller.clone().at_node(&node.root).get("/api/v1/users/me/").await.ok();

    app.server.auth.rotate_keys(&by, true).await.unwrap();
    ivan.me().await.refused(401, "token_not_valid");
    ivan.refresh().await.refused(401, "token_not_valid");
    anna.get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
    node.advance_and_run_jobs(Duration::ZERO).await;
    ivan.caller.clone().at_node(&node.root).get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    ivan.sign_in().await.ok();
}

async fn keys_rotate_monthly(engine: Engine) {
    let app = TestApp::start(engine).await;
    let node = app.another_node().await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let keys = || async {
        let mut tx = app.server.platform.db.read().await.unwrap();
        let rows =
            agio_core::fetch_all!(&mut tx, (String, String), "SELECT id, sealed FROM token_key ORDER BY created_at").unwrap();
        rows.into_iter()
            .map(|(id, sealed)| {
                assert!(sealed.starts_with("x1."), "{sealed}");
                id
            })
            .collect::<Vec<_>>()
    };
    let first = keys().await;
    for month in 1..=3 {
        for _ in 0..3 {
            app.advance_and_run_jobs(10 * DAY).await;
            node.advance_and_run_jobs(Duration::ZERO).await;
            if month == 1 {
                // Every refresh token in use is at most two weeks old, so the key before the present one is enough.
                let refreshed = ivan.refresh().await;
                if !refreshed.status.is_success() {
                    ivan.sign_in().await.ok();
                }
            }
        }
    }
    let last = keys().await;
    assert_eq!((first.len(), last.len()), (1, 2));
    assert!(!last.contains(&first[0]));
}

async fn limits_are_shared_between_nodes_and_restarts(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    let node = app.another_node().await;
    let wrong = json!({ "email": ivan.email, "password": crate::fixtures::WRONG });
    for round in 0..5 {
        let caller = app.visitor().from_address(&format!("192.0.2.{round}"));
        let caller = if round % 2 == 0 { caller } else { caller.at_node(&node.root) };
        caller.post("/front-api/auth/login/", wrong.clone()).await.refused(401, "wrong_credentials");
    }
    let restarted = app.another_node().await;
    for root in [&app.root, &node.root, &restarted.root] {
        app.visitor().at_node(root).post("/front-api/auth/login/", wrong.clone()).await.refused(429, "too_many_attempts");
    }
}

async fn captcha_solution_is_accepted_once_across_nodes(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.captcha_login": "true" })).await.ok();
    let ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    let check = ivan.caller.get("/front-api/auth/captcha/?action=login").await.ok();
    let node = app.another_node().await;
    let login = json!({ "email": ivan.email, "password": ivan.password, "recaptcha": solve(&check["challenge"]) });
    ivan.caller.clone().at_node(&node.root).post("/front-api/auth/login/", login.clone()).await.ok();
    let refused = ivan.caller.post("/front-api/auth/login/", login).await.refused(422, "captcha_invalid");
    assert_eq!(refused["errors"]["recaptcha"][0]["code"], "captcha_invalid");
}

both_engines!(
    sessions_are_shared_between_nodes,
    activation_is_shared_between_nodes,
    key_rotation_keeps_sessions,
    keys_rotate_monthly,
    limits_are_shared_between_nodes_and_restarts,
    captcha_solution_is_accepted_once_across_nodes,
);
