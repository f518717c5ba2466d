//! Chats in a messenger, on a separate server that offers one.

use std::time::Duration;

use agio_plugin_runtime::BuiltInPlugins;
use agio_test_app::{Database, Engine, TestApp, TestCustomer, TestMessenger};
use serde_json::json;

use super::{Recorder, order};

/// Starts a chat for a claim and one for an account.
pub async fn start_chats(recorder: &mut Recorder) {
    let (database, messenger) = (Database::with_market(Engine::Sqlite).await, TestMessenger::default());
    let plugin = messenger.clone();
    let app = TestApp::start_with_plugins(database, |_| {}, |executor| BuiltInPlugins::new(executor).with(plugin, &[])).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.messenger_notifications": "true" })).await.ok();
    let customer = TestCustomer::registered(&app, "ivan@example.com").await;
    recorder.get(&customer.caller, "getSiteSettings", "/api/v1/calculator/settings/?cur_from=BTC&cur_to=SBERRUB").await;
    let claim = customer.caller.post("/api/v1/claim/", order(&app, "0.015")).await.ok();
    let claim = format!("/api/v1/claim/{}", claim["id"].as_str().unwrap());
    let of_claim = recorder.post_empty(&customer.caller, "createClaimChatLink", &format!("{claim}/messengers/telegram/")).await;
    let of_account = recorder.post_empty(&customer.caller, "createMyChatLink", "/api/v1/users/me/messengers/telegram/").await;
    for link in [of_claim, of_account] {
        messenger.start(link["link"].as_str().unwrap(), "1");
    }
    app.advance_and_run_jobs(Duration::ZERO).await;
    recorder.get(&customer.caller, "listClaimChats", &format!("{claim}/chats/")).await;
    recorder.get(&customer.caller, "listMyChats", "/api/v1/users/me/chats/").await;
}
