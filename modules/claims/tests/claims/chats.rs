//! Chats in messengers: how they are started, what they are told, and when they end.

use std::time::Duration;

use agio_core::fetch_one;
use agio_plugin_runtime::BuiltInPlugins;
use agio_plugin_sdk::protocol::CallError;
use agio_test_app::{Database, Engine, TestApp, TestClient, TestMessenger, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, CARD, Operator, TestCustomer, order};

const ANNA: &str = "anna@example.com";

const MY_CHATS: &str = "/api/v1/users/me/chats/";
const MY_LINK: &str = "/api/v1/users/me/messengers/telegram/";

/// A chat as the messenger names it.
const CHAT: &str = "5550001112";

/// Longer than a claim stays in a state before its customer is notified of it.
const A_WHILE: Duration = Duration::from_secs(61);

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A server whose owner offers a messenger.
async fn app(engine: Engine) -> (TestApp, TestMessenger) {
    let (app, messenger) = app_without_offer(engine).await;
    offer(&app, true).await;
    (app, messenger)
}

async fn app_without_offer(engine: Engine) -> (TestApp, TestMessenger) {
    let messenger = TestMessenger::default();
    let plugin = messenger.clone();
    let plugins = |executor| BuiltInPlugins::new(executor).with(plugin, &[]);
    let app = TestApp::start_with_plugins(Database::with_market(engine).await, |_| {}, plugins).await;
    (app, messenger)
}

async fn offer(app: &TestApp, is_on: bool) {
    let value = is_on.to_string();
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.messenger_notifications": value })).await.ok();
}

fn link_path(customer: &TestCustomer) -> String {
    customer.path("messengers/telegram")
}

async fn link(caller: &TestClient, path: &str) -> String {
    caller.post_empty(path).await.ok()["link"].as_str().unwrap().to_owned()
}

async fn chats(caller: &TestClient, path: &str) -> Vec<Value> {
    caller.get(path).await.ok()["chats"].as_array().unwrap().clone()
}

/// Starts a chat with the claim's link.
async fn connect(app: &TestApp, messenger: &TestMessenger, customer: &TestCustomer, chat: &str) {
    messenger.start(&link(&customer.caller, &link_path(customer)).await, chat);
    app.advance_and_run_jobs(Duration::ZERO).await;
}

fn texts(messenger: &TestMessenger, chat: &str) -> Vec<String> {
    messenger.messages(chat).into_iter().map(|message| message.text).collect()
}

async fn count(app: &TestApp, statement: &'static str) -> i64 {
    fetch_one!(&mut app.server.platform.db.read().await.unwrap(), (i64,), statement).unwrap().0
}

const SUBSCRIPTIONS: &str = "SELECT COUNT(*) FROM push_subscription";

async fn a_chat_is_greeted_and_told_once_of_what_each_email_says(engine: Engine) {
    let (app, messenger) = app(engine).await;
    let other_node = app.another_node().await;
    let customer = TestCustomer::orders_as(&app, "0.01", ANNA).await;
    connect(&app, &messenger, &customer, CHAT).await;
    other_node.advance_and_run_jobs(Duration::ZERO).await;
    let [greeting] = messenger.messages(CHAT).try_into().unwrap();
    assert!(greeting.text.contains("заявк"), "{greeting:?}");
    let page = format!("http://127.0.0.1:8080/claim/{}", customer.id);
    assert_eq!(greeting.url.as_deref(), Some(&*page));
    let [chat] = chats(&customer.caller, &customer.path("chats")).await.try_into().unwrap();
    assert_eq!(chat["messenger"], "telegram");

    app.advance_and_run_jobs(A_WHILE).await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let operator = Operator::at(&app).await;
    operator.does(&customer.id, "payment_received", json!({ "txId": "in-1" })).await;
    app.advance_and_run_jobs(A_WHILE).await;
    other_node.advance_and_run_jobs(Duration::ZERO).await;
    let subjects: Vec<_> = app.emails_to(ANNA).await.into_iter().map(|email| email.subject).collect();
    assert!(subjects.len() > 1, "{subjects:?}");
    assert_eq!(texts(&messenger, CHAT)[1..], subjects);
    for message in messenger.messages(CHAT) {
        let said = format!("{message:?}");
        assert!(message.url.as_deref() == Some(&*page) && !said.contains(CARD) && !said.contains(ADDRESS), "{said}");
    }
    let stored = "SELECT COUNT(*) FROM push_subscription WHERE sealed LIKE '%5550001112%' OR endpoint_digest LIKE '%5550001112%'";
    assert_eq!(count(&app, stored).await, 0);

    let unsubscribe = format!("{}{}/", customer.path("push"), chat["id"].as_str().unwrap());
    customer.caller.delete(&unsubscribe).await.ok();
    assert!(chats(&customer.caller, &customer.path("chats")).await.is_empty());
    operator.does(&customer.id, "take", json!({})).await;
    app.advance_and_run_jobs(A_WHILE).await;
    assert_eq!(messenger.messages(CHAT).len(), 1 + subjects.len());
}

async fn a_chat_speaks_the_language_of_the_claim(engine: Engine) {
    let (app, messenger) = app(engine).await;
    let visitor = app.visitor();
    let made = visitor.post("/en/api/v1/claim/", order(&app, "0.01", ANNA)).await.ok();
    let claim = format!("/api/v1/claim/{}", made["id"].as_str().unwrap());
    messenger.start(&link(&visitor, &format!("{claim}/messengers/telegram/")).await, CHAT);
    app.advance_and_run_jobs(Duration::ZERO).await;
    let [greeting] = messenger.messages(CHAT).try_into().unwrap();
    assert!(greeting.text.starts_with("You can follow your claim here"), "{greeting:?}");
    assert_eq!(greeting.url, Some(format!("http://127.0.0.1:8080/en/claim/{}", made["id"].as_str().unwrap())));
}

async fn a_link_is_good_once_and_for_a_quarter_of_an_hour(engine: Engine) {
    let (app, messenger) = app(engine).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(messenger.asked(), 0, "nobody has a link");
    let answer = customer.caller.post_empty(&link_path(&customer)).await.ok();
    let first = answer["link"].as_str().unwrap();
    let code = first.strip_prefix("https://t.me/agio_bot?start=").unwrap();
    assert!(code.len() == 32 && !first.contains(&customer.id.replace('-', "")[..8]), "{first}");
    assert_eq!(answer["expiresAt"], app.now().plus(15 * MINUTE).to_string());
    let second = link(&customer.caller, &link_path(&customer)).await;
    for (text, chat) in [(first, "1"), ("", "2"), ("00000000000000000000000000000000", "3"), (&*second, "4"), (&*second, "5")] {
        messenger.start(text, chat);
    }
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!(["1", "2", "3", "4", "5"].map(|chat| messenger.messages(chat).len()), [0, 0, 0, 1, 0]);
    let asked = messenger.asked();
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!(messenger.asked(), asked, "the link was used");

    let late = link(&customer.caller, &link_path(&customer)).await;
    app.advance_and_run_jobs(15 * MINUTE).await;
    messenger.start(&late, "6");
    let asked = messenger.asked();
    app.advance_and_run_jobs(MINUTE).await;
    assert_eq!((messenger.asked(), messenger.messages("6").len()), (asked, 0));
    assert_eq!(count(&app, "SELECT COUNT(*) FROM chat_link").await, 0);
}

async fn a_chat_that_takes_no_more_is_forgotten_and_other_failures_are_not_its_end(engine: Engine) {
    let (app, messenger) = app(engine).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    connect(&app, &messenger, &customer, CHAT).await;
    messenger.refuse_with(Some(CallError::permanent("refused", "the token is wrong")));
    app.advance_and_run_jobs(MINUTE).await;
    let refused = customer.caller.post_empty(&link_path(&customer)).await.refused(503, "messenger_unavailable");
    assert!(!refused.to_string().contains("token"), "{refused}");
    let ivan = agio_test_app::TestCustomer::registered(&app, "ivan@example.com").await;
    ivan.caller.post_empty(MY_LINK).await.refused(503, "messenger_unavailable");
    let asked = messenger.asked();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!(messenger.asked(), asked, "nobody has a link");
    customer.does("confirm").await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!(count(&app, SUBSCRIPTIONS).await, 1);

    messenger.refuse_with(Some(CallError::temporary("too_many", "later")));
    customer.does("cancel").await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    messenger.refuse_with(None);
    app.advance_and_run_jobs(16 * Duration::from_secs(1)).await;
    assert_eq!(messenger.messages(CHAT).len(), 2, "the greeting, and what was tried again");

    messenger.refuse_with(Some(CallError::permanent("recipient_gone", "the bot was blocked")));
    let another = TestCustomer::orders(&app, "0.02").await;
    messenger.refuse_with(None);
    connect(&app, &messenger, &another, "7").await;
    messenger.refuse_with(Some(CallError::permanent("recipient_gone", "the bot was blocked")));
    another.does("confirm").await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert!(chats(&another.caller, &another.path("chats")).await.is_empty());
}

async fn a_messenger_is_offered_by_the_owner_alone(engine: Engine) {
    let (app, messenger) = app_without_offer(engine).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    let offered = async || customer.caller.get("/en/api/v1/calculator/settings/").await.ok()["messengers"].clone();
    assert_eq!(offered().await, json!([]));
    customer.caller.post_empty(&link_path(&customer)).await.refused(404, "messenger_not_found");
    offer(&app, true).await;
    assert_eq!(offered().await, json!([{ "name": "telegram", "title": "Telegram" }]));
    customer.caller.post_empty(&customer.path("messengers/signal")).await.refused(404, "messenger_not_found");
    let unknown = format!("/api/v1/claim/{}", uuid::Uuid::nil());
    customer.caller.post_empty(&format!("{unknown}/messengers/telegram/")).await.refused(404, "claim_not_found");
    customer.caller.get(&format!("{unknown}/chats/")).await.refused(404, "claim_not_found");
    connect(&app, &messenger, &customer, CHAT).await;
    let open = link(&customer.caller, &link_path(&customer)).await;

    offer(&app, false).await;
    assert_eq!(offered().await, json!([]));
    messenger.start(&open, "8");
    customer.does("confirm").await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!((messenger.messages(CHAT).len(), messenger.messages("8").len()), (1, 0));
}

async fn an_account_is_told_of_its_claims_also_when_it_signed_out(engine: Engine) {
    let (app, messenger) = app(engine).await;
    app.visitor().post_empty(MY_LINK).await.refused(401, "token_not_valid");
    app.visitor().get(MY_CHATS).await.refused(401, "token_not_valid");
    let ivan = agio_test_app::TestCustomer::registered(&app, "ivan@example.com").await;
    messenger.start(&link(&ivan.caller, &format!("/en{MY_LINK}")).await, CHAT);
    app.advance_and_run_jobs(Duration::ZERO).await;
    let [greeting] = messenger.messages(CHAT).try_into().unwrap();
    assert!(greeting.text.starts_with("You can follow your claims here"), "{greeting:?}");
    assert_eq!(greeting.url.as_deref(), Some("http://127.0.0.1:8080/en/account/orders"));

    let made = ivan.caller.post("/api/v1/claim/", order(&app, "0.01", "ivan@example.com")).await.ok();
    let claim = format!("/api/v1/claim/{}", made["id"].as_str().unwrap());
    // To the claim as well: it is one chat.
    messenger.start(&link(&ivan.caller, &format!("{claim}/messengers/telegram/")).await, CHAT);
    app.advance_and_run_jobs(Duration::ZERO).await;
    let boris = agio_test_app::TestCustomer::registered(&app, "boris@example.com").await;
    assert!(chats(&boris.caller, MY_CHATS).await.is_empty());
    let [mine] = chats(&ivan.caller, MY_CHATS).await.try_into().unwrap();
    let unsubscribe = format!("/api/v1/users/me/push/{}/", mine["id"].as_str().unwrap());
    boris.caller.delete(&unsubscribe).await.refused(404, "push_subscription_not_found");
    let exported = ivan.caller.post("/api/v1/users/me/export/", json!({ "password": ivan.password })).await.ok();
    assert_eq!(exported["data"]["notifications"][0]["messenger"], "telegram", "{exported}");
    assert!(!exported.to_string().contains(CHAT), "{exported}");

    ivan.caller.post_empty("/front-api/auth/logout/").await.ok();
    let before = messenger.messages(CHAT).len();
    app.visitor().post_empty(&format!("{claim}/cancel/")).await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!(messenger.messages(CHAT).len(), before + 1, "once, and without a session");

    let mut ivan = ivan;
    ivan.sign_in().await.ok();
    link(&ivan.caller, MY_LINK).await;
    let erased = ivan.caller.post("/api/v1/users/me/delete/", json!({ "password": ivan.password })).await;
    assert_eq!(erased.status, 204, "{}", erased.text);
    assert_eq!(count(&app, SUBSCRIPTIONS).await + count(&app, "SELECT COUNT(*) FROM chat_link").await, 0);
}

async fn a_new_password_ends_the_chats_of_the_account(engine: Engine) {
    let (app, messenger) = app(engine).await;
    let ivan = agio_test_app::TestCustomer::registered(&app, "ivan@example.com").await;
    messenger.start(&link(&ivan.caller, MY_LINK).await, CHAT);
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!(messenger.messages(CHAT).len(), 1);
    let open = link(&ivan.caller, MY_LINK).await;
    let change = json!({ "oldPassword": ivan.password, "newPassword": "quite another horse" });
    assert_eq!(ivan.caller.post("/api/v1/users/me/password/", change).await.status, 204);
    messenger.start(&open, "7");
    ivan.caller.post("/api/v1/claim/", order(&app, "0.01", "ivan@example.com")).await.ok();
    app.advance_and_run_jobs(A_WHILE).await;
    assert_eq!([CHAT, "7"].map(|chat| messenger.messages(chat).len()), [1, 0]);
    assert!(chats(&ivan.caller, MY_CHATS).await.is_empty());
    // The owner starts another one.
    messenger.start(&link(&ivan.caller, MY_LINK).await, "8");
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!(chats(&ivan.caller, MY_CHATS).await.len(), 1);
}

async fn few_chats_fit_a_claim_and_they_end_with_its_personal_data(engine: Engine) {
    let (app, messenger) = app(engine).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    for chat in ["1", "2", "3", "4", "5"] {
        connect(&app, &messenger, &customer, chat).await;
    }
    let problem = customer.caller.post_empty(&link_path(&customer)).await.refused(409, "too_many_browsers");
    assert_eq!(problem["params"]["max"], "5", "{problem}");
    let ivan = agio_test_app::TestCustomer::registered(&app, "ivan@example.com").await;
    for chat in ["1", "2", "3", "4", "5"] {
        messenger.start(&link(&ivan.caller, MY_LINK).await, chat);
        app.advance_and_run_jobs(Duration::ZERO).await;
    }
    ivan.caller.post_empty(MY_LINK).await.refused(409, "too_many_browsers");
    ivan.caller
        .delete(&format!("/api/v1/users/me/push/{}/", chats(&ivan.caller, MY_CHATS).await[0]["id"].as_str().unwrap()))
        .await
        .ok();
    link(&ivan.caller, MY_LINK).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.personal_data_days": 5 })).await.ok();
    customer.does("cancel").await.ok();
    app.advance_and_run_jobs(DAY).await;
    assert_eq!(count(&app, SUBSCRIPTIONS).await, 5 + 4);
    app.advance_and_run_jobs(5 * DAY).await;
    assert_eq!(count(&app, SUBSCRIPTIONS).await, 4, "the claim was masked");
}

both_engines!(
    a_chat_is_greeted_and_told_once_of_what_each_email_says,
    a_chat_speaks_the_language_of_the_claim,
    a_link_is_good_once_and_for_a_quarter_of_an_hour,
    a_chat_that_takes_no_more_is_forgotten_and_other_failures_are_not_its_end,
    a_messenger_is_offered_by_the_owner_alone,
    an_account_is_told_of_its_claims_also_when_it_signed_out,
    a_new_password_ends_the_chats_of_the_account,
    few_chats_fit_a_claim_and_they_end_with_its_personal_data,
);
