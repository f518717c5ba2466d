//! Several nodes, and a house that was started again.

use std::time::Duration;

use agio_core::identity::Actor;
use agio_testkit::{Customer, Engine, House, both_engines};
use serde_json::json;

use crate::people::{access_token, elsewhere, proof, refresh_token, shows_at};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn sessions_are_known_and_ended_everywhere(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    // A node that starts now knows who is signed in, as does a house that is started again.
    let node = house.another_node().await;
    let there = |customer: &Customer| customer.caller.clone().before(&node.root);
    there(&ivan).get("/api/v1/users/me/").await.ok();

    // A session opened here is good there at once, though nobody told that node, and so is one that goes on after it had run out.
    ivan.signs_in().await.ok();
    there(&ivan).get("/api/v1/users/me/").await.ok();
    house.wait(11 * MINUTE);
    there(&ivan).get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    let token = refresh_token(&ivan.refreshes().await);
    there(&ivan).get("/api/v1/users/me/").await.ok();
    let refreshed = shows_at(&node.root, &token).await;
    ivan.caller = ivan.caller.clone().with_token(&access_token(&refreshed));
    ivan.me().await.ok();

    // Ended there, it is over here as soon as this node has looked.
    assert_eq!(
        there(&ivan).post("/api/v1/users/me/password/", json!({ "oldPassword": "x", "newPassword": "y" })).await.status,
        422
    );
    let mut phone = elsewhere(&house, &ivan, "192.0.2.7");
    phone.signs_in().await.ok();
    there(&phone).get("/api/v1/users/me/").await.ok();
    assert_eq!(there(&ivan).delete("/api/v1/users/me/sessions/").await.status, 204);
    there(&phone).get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    house.later(Duration::from_secs(2)).await;
    phone.me().await.refused(401, "token_not_valid");
    ivan.me().await.ok();
}

async fn an_activation_is_known_everywhere(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::signs_up(&house, "ivan@example.com").await;
    ivan.signs_in().await.ok();
    let node = house.another_node().await;
    let begins = || ivan.caller.clone().before(&node.root);
    begins().post("/api/v1/users/me/totp/", json!({ "password": ivan.password })).await.refused(409, "not_activated");
    ivan.activates(&house).await;
    begins().post("/api/v1/users/me/totp/", json!({ "password": ivan.password })).await.ok();
}

async fn keys_change_while_everybody_stays_signed_in(engine: Engine) {
    let house = House::open(engine).await;
    let node = house.another_node().await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let anna = house.owner().await;
    let by = Actor::house("test");
    house.wait(MINUTE);
    house.app.auth.rotate_keys(&by, false).await.unwrap();
    ivan.me().await.ok();
    anna.get("/api/admin/v1/auth/me").await.ok();
    // The new key makes nothing before other nodes had time to read it.
    ivan.refreshes().await.ok();
    node.later(Duration::ZERO).await;
    house.wait(2 * MINUTE);
    ivan.refreshes().await.ok();
    node.later(Duration::ZERO).await;
    ivan.caller.clone().before(&node.root).get("/api/v1/users/me/").await.ok();

    house.app.auth.rotate_keys(&by, true).await.unwrap();
    ivan.me().await.refused(401, "token_not_valid");
    ivan.refreshes().await.refused(401, "token_not_valid");
    anna.get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
    node.later(Duration::ZERO).await;
    ivan.caller.clone().before(&node.root).get("/api/v1/users/me/").await.refused(401, "token_not_valid");
    ivan.signs_in().await.ok();
}

async fn keys_change_by_themselves_every_month(engine: Engine) {
    let house = House::open(engine).await;
    let node = house.another_node().await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let keys = || async {
        let mut tx = house.app.platform.db.read().await.unwrap();
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
            house.later(10 * DAY).await;
            node.later(Duration::ZERO).await;
            if month == 1 {
                // Every refresh token in use is at most two weeks old, so the key before the present one is enough.
                let refreshed = ivan.refreshes().await;
                if !refreshed.status.is_success() {
                    ivan.signs_in().await.ok();
                }
            }
        }
    }
    let last = keys().await;
    assert_eq!((first.len(), last.len()), (1, 2));
    assert!(!last.contains(&first[0]));
}

async fn limits_count_on_all_nodes_together_and_over_restarts(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Customer::signs_up(&house, "ivan@example.com").await;
    let node = house.another_node().await;
    let wrong = json!({ "email": ivan.email, "password": crate::people::WRONG });
    for round in 0..5 {
        let caller = house.customer().from_address(&format!("192.0.2.{round}"));
        let caller = if round % 2 == 0 { caller } else { caller.before(&node.root) };
        caller.post("/front-api/auth/login/", wrong.clone()).await.refused(401, "wrong_credentials");
    }
    let restarted = house.another_node().await;
    for root in [&house.root, &node.root, &restarted.root] {
        house.customer().before(root).post("/front-api/auth/login/", wrong.clone()).await.refused(429, "too_many_attempts");
    }
}

async fn a_captcha_holds_over_nodes_and_counts_once_on_all(engine: Engine) {
    let house = House::open(engine).await;
    house.owner().await.put("/api/admin/v1/settings", json!({ "site.captcha_login": "true" })).await.ok();
    let ivan = Customer::signs_up(&house, "ivan@example.com").await;
    let check = ivan.caller.get("/front-api/auth/captcha/?action=login").await.ok();
    let node = house.another_node().await;
    let login = json!({ "email": ivan.email, "password": ivan.password, "recaptcha": proof(&check["challenge"]) });
    ivan.caller.clone().before(&node.root).post("/front-api/auth/login/", login.clone()).await.ok();
    let refused = ivan.caller.post("/front-api/auth/login/", login).await.refused(422, "captcha_invalid");
    assert_eq!(refused["errors"]["recaptcha"][0]["code"], "captcha_invalid");
}

both_engines!(
    sessions_are_known_and_ended_everywhere,
    an_activation_is_known_everywhere,
    keys_change_while_everybody_stays_signed_in,
    keys_change_by_themselves_every_month,
    limits_count_on_all_nodes_together_and_over_restarts,
    a_captcha_holds_over_nodes_and_counts_once_on_all,
);
