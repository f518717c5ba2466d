//! Notifications in customers' browsers: what they say, to whom they go, and when they end.

use std::time::Duration;

use agio_core::fetch_one;
use agio_test_app::{Database, Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{ADDRESS, CARD, Operator, TestCustomer, order};
use crate::push_service::{PushService, TestBrowser};

const ANNA: &str = "anna@example.com";

const MINE: &str = "/api/v1/users/me/push/";

/// Longer than a claim stays in a state before its customer is notified of it.
const A_WHILE: Duration = Duration::from_secs(61);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A server that may call push services on this machine.
async fn app(engine: Engine) -> TestApp {
    TestApp::start_with(Database::with_market(engine).await, |config| config.push.private_services = true).await
}

async fn count_subscriptions(app: &TestApp) -> i64 {
    let count = "SELECT COUNT(*) FROM push_subscription";
    fetch_one!(&mut app.server.platform.db.read().await.unwrap(), (i64,), count).unwrap().0
}

async fn a_browser_is_notified_once_of_what_each_email_says(engine: Engine) {
    let app = app(engine).await;
    let other_node = app.another_node().await;
    let service = PushService::open().await;
    let (phone, laptop) = (TestBrowser::at(&service, 1), TestBrowser::at(&service, 2));
    let customer = TestCustomer::orders_as(&app, "0.01", ANNA).await;
    let key = customer.caller.get("/api/v1/push/key/").await.ok()["key"].as_str().unwrap().to_owned();
    assert_eq!(other_node.visitor().get("/api/v1/push/key/").await.ok()["key"], key.as_str(), "the key is the exchange's");
    let first = phone.subscribe(&customer.caller, &customer.path("push")).await;
    assert_eq!(phone.subscribe(&customer.caller, &customer.path("push")).await, first, "it is subscribed already");
    let on_laptop = customer.on_another_device(&app);
    let second = laptop.subscribe(&on_laptop.caller, &customer.path("push")).await;

    app.advance_and_run_jobs(A_WHILE).await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let operator = Operator::at(&app).await;
    for (step, said) in [("payment_received", json!({ "txId": "in-1" })), ("take", json!({}))] {
        operator.does(&customer.id, step, said).await;
        app.advance_and_run_jobs(A_WHILE).await;
        other_node.advance_and_run_jobs(Duration::ZERO).await;
    }
    on_laptop.caller.delete(&second).await.ok();
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-1" })).await;
    operator.does(&customer.id, "complete", json!({})).await;
    app.advance_and_run_jobs(A_WHILE).await;
    other_node.advance_and_run_jobs(Duration::ZERO).await;

    let subjects: Vec<_> = app.emails_to(ANNA).await.into_iter().map(|email| email.subject).collect();
    assert_eq!(subjects.len(), 4, "{subjects:?}");
    assert_eq!(phone.titles(&service), subjects);
    assert_eq!(laptop.titles(&service), subjects[..3]);
    for request in service.requests() {
        let identity = request.identity(&key);
        assert_eq!(identity["aud"], service.origin);
        assert!(identity["exp"].as_i64().unwrap() > app.now().as_seconds() - 3_600, "{identity}");
        assert!(identity["sub"].as_str().unwrap().starts_with("mailto:"), "{identity}");
        assert_eq!((request.header("topic").len(), request.header("urgency")), (32, "high"));
        assert!((1..=86_400).contains(&request.header("ttl").parse().unwrap()), "{request:?}");
        assert!(!format!("{request:?}").contains(&customer.id.replace('-', "")), "the push service cannot open the claim");
    }
    let messages = phone.messages(&service);
    for message in &messages {
        assert_eq!((&message["path"], &message["language"]), (&json!(format!("/claim/{}", customer.id)), &json!("ru")));
        assert_eq!(message["tag"], messages[0]["tag"]);
        assert!(!message["body"].as_str().unwrap().is_empty());
        assert!(!message.to_string().contains(CARD) && !message.to_string().contains(ADDRESS), "{message}");
    }
    let stored = "SELECT COUNT(*) FROM push_subscription WHERE sealed LIKE '%push/1%' OR endpoint_digest LIKE '%push/1%'";
    assert_eq!(fetch_one!(&mut app.server.platform.db.read().await.unwrap(), (i64,), stored).unwrap(), (0,));
}

async fn a_notification_is_in_the_language_of_the_claim(engine: Engine) {
    let app = app(engine).await;
    let (service, visitor) = (PushService::open().await, app.visitor());
    let browser = TestBrowser::at(&service, 1);
    let made = visitor.post("/en/api/v1/claim/", order(&app, "0.01", ANNA)).await.ok();
    let claim = format!("/api/v1/claim/{}", made["id"].as_str().unwrap());
    browser.subscribe(&visitor, &format!("{claim}/push/")).await;
    visitor.post_empty(&format!("{claim}/confirm/")).await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    let message = &browser.messages(&service)[0];
    assert_eq!(message["title"], app.emails_to(ANNA).await[0].subject);
    assert_eq!(message["path"], format!("/en/claim/{}", made["id"].as_str().unwrap()));
    assert_eq!(message["language"], "en");
}

async fn a_verification_that_is_needed_is_notified(engine: Engine) {
    let app = app(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.verify_first_above": "1" })).await.ok();
    let service = PushService::open().await;
    let browser = TestBrowser::at(&service, 1);
    let customer = TestCustomer::orders_as(&app, "0.01", ANNA).await;
    browser.subscribe(&customer.caller, &customer.path("push")).await;
    let verification = customer.does("confirm").await.ok()["verification"].as_str().unwrap().to_owned();
    app.advance_and_run_jobs(Duration::ZERO).await;
    let messages = browser.messages(&service);
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["title"], app.emails_to(ANNA).await[0].subject);
    assert_eq!(messages[0]["path"], format!("/verify/{verification}"));
}

async fn a_browser_that_is_gone_is_forgotten(engine: Engine) {
    let app = app(engine).await;
    let service = PushService::open().await;
    let browser = TestBrowser::at(&service, 1);
    for gone in ["404 Not Found", "410 Gone"] {
        let customer = TestCustomer::orders(&app, "0.01").await;
        let path = browser.subscribe(&customer.caller, &customer.path("push")).await;
        service.respond_with(&[gone]);
        customer.does("confirm").await.ok();
        app.advance_and_run_jobs(Duration::ZERO).await;
        customer.caller.delete(&path).await.refused(404, "push_subscription_not_found");
        let sent = service.requests().len();
        customer.does("cancel").await.ok();
        app.advance_and_run_jobs(DAY).await;
        assert_eq!(service.requests().len(), sent);
    }
}

async fn a_failed_delivery_is_repeated_and_holds_up_no_email(engine: Engine) {
    let app = app(engine).await;
    let service = PushService::open().await;
    let browser = TestBrowser::at(&service, 1);
    let customer = TestCustomer::orders_as(&app, "0.01", ANNA).await;
    browser.subscribe(&customer.caller, &customer.path("push")).await;
    service.respond_with(&[
        "503 Busy",
        "429 Too Many Requests",
        "201 Created",
        "302 Found\r\nlocation: /elsewhere",
        "403 Forbidden",
    ]);
    customer.does("confirm").await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!((browser.titles(&service).len(), app.emails_to(ANNA).await.len()), (1, 1));
    app.advance_and_run_jobs(Duration::from_secs(16)).await;
    app.advance_and_run_jobs(Duration::from_secs(31)).await;
    app.advance_and_run_jobs(Duration::from_secs(61)).await;
    let messages = browser.messages(&service);
    assert_eq!(messages.len(), 3);
    assert!(messages.iter().all(|message| *message == messages[0]), "a browser recognises a repetition: {messages:?}");
    let bodies = service.requests();
    assert_ne!(format!("{:?}", bodies[0]), format!("{:?}", bodies[1]), "each is encrypted anew");
    // Redirects are not followed, and refusals not repeated.
    customer.does("cancel").await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    app.advance_and_run_jobs(DAY).await;
    assert_eq!(service.requests().len(), 4);
    assert_eq!(service.requests()[3].path(), "/push/1");
}

async fn a_message_that_is_late_is_not_sent(engine: Engine) {
    let app = app(engine).await;
    let service = PushService::open().await;
    let browser = TestBrowser::at(&service, 1);
    let customer = TestCustomer::orders(&app, "0.01").await;
    browser.subscribe(&customer.caller, &customer.path("push")).await;
    customer.does("cancel").await.ok();
    app.advance_and_run_jobs(DAY).await;
    assert!(service.requests().is_empty());
}

async fn only_addresses_of_public_push_services_are_called(engine: Engine) {
    let app = TestApp::start(engine).await;
    let service = PushService::open().await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    let subscribe = async |endpoint: &str| {
        let mut subscription = TestBrowser::at(&service, 1).subscription();
        subscription["endpoint"] = endpoint.into();
        customer.caller.post(&customer.path("push"), subscription).await
    };
    let long = format!("https://push.example/{}", "a".repeat(500));
    let refused = [
        &*format!("{}/push/1", service.origin),
        "https://127.0.0.1/push",
        "https://[::1]/push",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://push.internal/",
        "https://user@push.example/",
        "http://push.example/",
        "ftp://push.example/",
        "push",
        &*long,
    ];
    for endpoint in refused {
        let problem = subscribe(endpoint).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"]["endpoint"][0]["code"], "push_endpoint_refused", "{endpoint}: {problem}");
    }
    for (field, value) in [("p256dh", "BCVxsr7N"), ("auth", "BTBZ"), ("auth", "")] {
        let mut subscription = TestBrowser::at(&service, 1).subscription();
        subscription["endpoint"] = "https://push.example/1".into();
        subscription["keys"][field] = value.into();
        let problem = customer.caller.post(&customer.path("push"), subscription).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"][format!("keys.{field}")][0]["code"], "push_key_invalid", "{problem}");
    }
    subscribe("https://push.example/1").await.ok();
    assert_eq!(count_subscriptions(&app).await, 1);

    // An address that was public when it was given, and is private now.
    let (digest, own) = ("UPDATE push_subscription SET sealed = $1", TestBrowser::at(&service, 1));
    let (vault, row) = (&app.server.platform.vault, "SELECT id FROM push_subscription");
    let (id,) = fetch_one!(&mut app.server.platform.db.read().await.unwrap(), (uuid::Uuid,), row).unwrap();
    let keys = own.subscription()["keys"].clone();
    let text = json!({ "endpoint": own.subscription()["endpoint"], "p256dh": keys["p256dh"], "auth": keys["auth"] });
    let sealed = vault.seal(&format!("push subscription {id}"), text.to_string().as_bytes());
    let write = app.server.platform.db.write(move |tx| {
        let sealed = sealed.clone();
        Box::pin(async move { agio_core::execute!(tx, digest, sealed) })
    });
    write.await.unwrap();
    customer.does("cancel").await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert!(service.requests().is_empty());
    assert_eq!(count_subscriptions(&app).await, 0);
}

async fn a_subscription_belongs_to_its_claim_and_few_fit_one(engine: Engine) {
    let app = app(engine).await;
    let service = PushService::open().await;
    let (anna, boris) = (TestCustomer::orders(&app, "0.01").await, TestCustomer::orders(&app, "0.02").await);
    let browser = TestBrowser::at(&service, 9);
    let unknown = format!("/api/v1/claim/{}/push/", uuid::Uuid::nil());
    anna.caller.post(&unknown, browser.subscription()).await.refused(404, "claim_not_found");
    let own = browser.subscribe(&anna.caller, &anna.path("push")).await;
    let foreign = own.replace(&anna.id, &boris.id);
    anna.caller.get(&own).await.ok();
    boris.caller.get(&foreign).await.refused(404, "push_subscription_not_found");
    boris.caller.delete(&foreign).await.refused(404, "push_subscription_not_found");
    for number in 1..5 {
        TestBrowser::at(&service, number).subscribe(&anna.caller, &anna.path("push")).await;
    }
    let sixth = TestBrowser::at(&service, 6).subscription();
    let problem = anna.caller.post(&anna.path("push"), sixth).await.refused(409, "too_many_browsers");
    assert_eq!(problem["params"]["max"], "5", "{problem}");
    anna.caller.delete(&own).await.ok();
    TestBrowser::at(&service, 6).subscribe(&anna.caller, &anna.path("push")).await;
    boris.does("cancel").await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert!(service.requests().is_empty(), "nobody subscribed to this claim");
}

async fn an_account_is_notified_of_its_claims_until_it_signs_out(engine: Engine) {
    let app = app(engine).await;
    let service = PushService::open().await;
    let mut ivan = agio_test_app::TestCustomer::registered(&app, "ivan@example.com").await;
    let browser = TestBrowser::at(&service, 1);
    app.visitor().post(MINE, browser.subscription()).await.refused(401, "token_not_valid");
    let mine = browser.subscribe(&ivan.caller, MINE).await;
    let made = ivan.caller.post("/api/v1/claim/", order(&app, "0.01", "ivan@example.com")).await.ok();
    let path = |call: &str| format!("/api/v1/claim/{}/{call}/", made["id"].as_str().unwrap());
    // To the claim as well: it is one browser.
    browser.subscribe(&ivan.caller, &path("push")).await;
    let namesake = TestCustomer::orders_as(&app, "0.01", "ivan@example.com").await;
    namesake.does("confirm").await.ok();
    ivan.caller.post_empty(&path("confirm")).await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!(browser.messages(&service).len(), 1, "of the claim of the account, once");
    assert!(browser.messages(&service)[0]["path"].as_str().unwrap().contains(made["id"].as_str().unwrap()));

    let exported = ivan.caller.post("/api/v1/users/me/export/", json!({ "password": ivan.password })).await.ok();
    assert_eq!(exported["data"]["notifications"].as_array().unwrap().len(), 1, "{exported}");
    assert!(!exported.to_string().contains("push/1"), "the address stays secret");

    for number in 2..6 {
        TestBrowser::at(&service, number).subscribe(&ivan.caller, MINE).await;
    }
    let sixth = TestBrowser::at(&service, 6).subscription();
    ivan.caller.post(MINE, sixth).await.refused(409, "too_many_browsers");

    let boris = agio_test_app::TestCustomer::registered(&app, "boris@example.com").await;
    boris.caller.delete(&mine).await.refused(404, "push_subscription_not_found");
    ivan.caller.get(&mine).await.ok();
    let second = ivan.caller.post("/api/v1/claim/", order(&app, "0.02", "ivan@example.com")).await.ok();
    ivan.caller.post_empty("/front-api/auth/logout/").await.ok();
    let cancel = format!("/api/v1/claim/{}/cancel/", second["id"].as_str().unwrap());
    app.visitor().post_empty(&cancel).await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert_eq!(browser.messages(&service).len(), 1, "it is not signed in any more");
    ivan.sign_in().await.ok();
    ivan.caller.get(&mine).await.refused(404, "push_subscription_not_found");
    // Those that have signed out keep no other browser away.
    TestBrowser::at(&service, 7).subscribe(&ivan.caller, MINE).await;
}

async fn the_owner_can_switch_it_off(engine: Engine) {
    let app = app(engine).await;
    let service = PushService::open().await;
    let browser = TestBrowser::at(&service, 1);
    let customer = TestCustomer::orders(&app, "0.01").await;
    browser.subscribe(&customer.caller, &customer.path("push")).await;
    let is_offered = async || customer.caller.get("/api/v1/calculator/settings/").await.ok()["browserNotifications"].clone();
    assert_eq!(is_offered().await, true);
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.browser_notifications": "false" })).await.ok();
    assert_eq!(is_offered().await, false);
    customer.caller.get("/api/v1/push/key/").await.refused(409, "browser_notifications_off");
    customer.caller.post(&customer.path("push"), browser.subscription()).await.refused(409, "browser_notifications_off");
    let ivan = agio_test_app::TestCustomer::registered(&app, "ivan@example.com").await;
    ivan.caller.post(MINE, browser.subscription()).await.refused(409, "browser_notifications_off");
    customer.does("confirm").await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    assert!(service.requests().is_empty());
}

async fn subscriptions_end_with_the_personal_data(engine: Engine) {
    let app = app(engine).await;
    let service = PushService::open().await;
    let browser = TestBrowser::at(&service, 1);
    let customer = TestCustomer::orders(&app, "0.01").await;
    browser.subscribe(&customer.caller, &customer.path("push")).await;
    app.advance_and_run_jobs(20 * DAY).await;
    assert_eq!(browser.messages(&service).len(), 1, "{:?}", browser.messages(&service));
    app.advance_and_run_jobs(29 * DAY).await;
    assert_eq!(count_subscriptions(&app).await, 1);
    app.advance_and_run_jobs(DAY).await;
    assert_eq!(count_subscriptions(&app).await, 0, "nothing was sent for long");

    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.personal_data_days": 5 })).await.ok();
    let ended = TestCustomer::orders(&app, "0.01").await;
    browser.subscribe(&ended.caller, &ended.path("push")).await;
    ended.does("cancel").await.ok();
    app.advance_and_run_jobs(DAY).await;
    assert_eq!(count_subscriptions(&app).await, 1);
    app.advance_and_run_jobs(5 * DAY).await;
    assert_eq!(count_subscriptions(&app).await, 0, "the claim was masked");

    let ivan = agio_test_app::TestCustomer::registered(&app, "ivan@example.com").await;
    browser.subscribe(&ivan.caller, MINE).await;
    let made = ivan.caller.post("/api/v1/claim/", order(&app, "0.01", "ivan@example.com")).await.ok();
    let claim = format!("/api/v1/claim/{}", made["id"].as_str().unwrap());
    browser.subscribe(&ivan.caller, &format!("{claim}/push/")).await;
    ivan.caller.post_empty(&format!("{claim}/cancel/")).await.ok();
    assert_eq!(count_subscriptions(&app).await, 2);
    let erased = ivan.caller.post("/api/v1/users/me/delete/", json!({ "password": ivan.password })).await;
    assert_eq!(erased.status, 204, "{}", erased.text);
    assert_eq!(count_subscriptions(&app).await, 0, "the account was deleted");
}

both_engines!(
    a_browser_is_notified_once_of_what_each_email_says,
    a_notification_is_in_the_language_of_the_claim,
    a_verification_that_is_needed_is_notified,
    a_browser_that_is_gone_is_forgotten,
    a_failed_delivery_is_repeated_and_holds_up_no_email,
    a_message_that_is_late_is_not_sent,
    only_addresses_of_public_push_services_are_called,
    a_subscription_belongs_to_its_claim_and_few_fit_one,
    an_account_is_notified_of_its_claims_until_it_signs_out,
    the_owner_can_switch_it_off,
    subscriptions_end_with_the_personal_data,
);
