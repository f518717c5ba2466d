//! Webhooks: order, signatures, retries and redelivery.

use std::sync::Arc;
use std::time::Duration;

use agio_core::BoxFuture;
use agio_core::outbox::{DeliveryOutcome, NewOutboxMessage, OutboxChannel, OutboxMessage, OutboxWorker};
use agio_test_app::{Engine, both_engines};
use serde_json::json;
use tokio::sync::Notify;

use crate::fixtures::{Partner, WAY, app, operator_does, unique};
use crate::webhook_receiver::WebhookReceiver;

both_engines!(
    each_status_change_sends_a_webhook,
    webhooks_are_retried_in_order,
    webhooks_can_be_redelivered,
    private_addresses_are_not_called,
    a_slow_receiver_does_not_block_others
);

const CLAIMS: &str = "/api/partner/v1/claims/";

async fn each_status_change_sends_a_webhook(engine: Engine) {
    let app = app(engine).await;
    let receiver = WebhookReceiver::open().await;
    let partner = Partner::of(&app, &receiver.url).await;
    let id = partner.claim("0.015", "order-1").await["id"].as_str().unwrap().to_owned();
    partner.post_empty(&format!("{CLAIMS}{id}/paid/")).await.ok();
    for action in WAY {
        operator_does(&app, &id, action).await;
    }
    app.advance_and_run_jobs(Duration::ZERO).await;
    let way = ["awaiting_payment", "payment_claimed", "paid", "processing", "payout_sent", "completed"];
    assert_eq!(receiver.states(), way);
    let received = receiver.received();
    for (earlier, later) in received.iter().zip(&received[1..]) {
        assert!(earlier.body["claim"]["revision"].as_i64() < later.body["claim"]["revision"].as_i64());
    }
    for webhook in &received {
        assert!(webhook.is_signed(&partner.webhook_secret), "{webhook:?}");
        assert_eq!((&webhook.body["type"], &webhook.body["id"]), (&json!("claim.status_changed"), &json!(webhook.event)));
        assert_eq!((webhook.timestamp, webhook.attempt), (app.now().as_seconds(), 1));
    }
    let last = received.last().unwrap();
    let mut shown = partner.get(&format!("{CLAIMS}{id}/")).await.ok();
    shown["from"]["network"] = last.body["claim"]["from"]["network"].clone();
    assert_eq!(last.body["claim"], shown, "webhooks carry the same claim as the API");
}

async fn webhooks_are_retried_in_order(engine: Engine) {
    let app = app(engine).await;
    let (usual, own) = (WebhookReceiver::open().await, WebhookReceiver::open().await);
    let partner = Partner::of(&app, &usual.url).await;
    usual.respond_with(&["503 Busy", "302 Found\r\nlocation: /elsewhere", "200 OK"]);
    let mut order = partner.order("0.016", "order-2").await;
    order["callbackUrl"] = own.url.as_str().into();
    partner.post_idempotent(CLAIMS, &unique(), &order).await.ok();
    let id = partner.claim("0.015", "order-1").await["id"].as_str().unwrap().to_owned();
    partner.post_empty(&format!("{CLAIMS}{id}/paid/")).await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    // Later webhooks of the same claim wait for the retry; other claims do not.
    assert_eq!((usual.states(), own.states()), (vec!["awaiting_payment".to_owned()], vec!["awaiting_payment".to_owned()]));
    app.advance_and_run_jobs(Duration::from_secs(16)).await;
    app.advance_and_run_jobs(Duration::from_secs(31)).await;
    assert_eq!(usual.states(), ["awaiting_payment", "awaiting_payment", "awaiting_payment", "payment_claimed"]);
    let received = usual.received();
    assert_eq!(received.iter().map(|webhook| webhook.attempt).collect::<Vec<_>>(), [1, 2, 3, 1]);
    assert!(received[0].event == received[1].event && received[0].text == received[2].text);
    assert!(received.iter().all(|webhook| webhook.is_signed(&partner.webhook_secret)));
    assert_ne!(received[0].signature, received[1].signature);
}

async fn webhooks_can_be_redelivered(engine: Engine) {
    let app = app(engine).await;
    let receiver = WebhookReceiver::open().await;
    let partner = Partner::of(&app, &receiver.url).await;
    receiver.respond_with(&["410 Gone"]);
    partner.claim("0.015", "order-1").await;
    let (owner, path) = (app.owner().await, format!("/api/admin/v1/partners/{}/webhook-deliveries", partner.partner));
    let waiting = owner.get(&path).await.ok();
    let again = |row: &serde_json::Value| format!("{path}/{}/resend", row["id"]);
    assert_eq!(waiting["items"][0]["state"], "queued");
    owner.post_empty(&again(&waiting["items"][0])).await.refused(409, "message_waits");
    app.advance_and_run_jobs(Duration::ZERO).await;
    let dead = owner.get(&format!("{path}?state=dead")).await.ok();
    assert_eq!((&dead["items"][0]["fault"], &dead["items"][0]["status"]), (&json!("answered 410"), &json!("awaiting_payment")));
    owner.post_empty(&again(&dead["items"][0])).await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    let sent = owner.get(&format!("{path}?state=sent")).await.ok();
    owner.post_empty(&again(&sent["items"][0])).await.ok();
    app.advance_and_run_jobs(Duration::ZERO).await;
    let events: Vec<_> = receiver.received().into_iter().map(|webhook| webhook.event).collect();
    assert!(events.len() == 3 && events.iter().all(|event| *event == events[0]), "{events:?}");
    let all = owner.get(&format!("{path}?size=1")).await.ok();
    let rest = owner.get(&format!("{path}?size=1&cursor={}", all["nextCursor"].as_str().unwrap())).await.ok();
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["nextCursor"]), (1, &json!(null)));
    // Another partner's webhooks cannot be redelivered.
    let other = Partner::of(&app, "").await;
    let stray = format!("/api/admin/v1/partners/{}/webhook-deliveries/{}/resend", other.partner, sent["items"][0]["id"]);
    owner.post_empty(&stray).await.refused(404, "message_not_found");
    app.operator().await.post_empty(&again(&sent["items"][0])).await.refused(403, "forbidden");
    app.assert_audit_chain_is_intact().await;
}

/// In production, private addresses are refused; names that resolve to private addresses are tested beside the
/// resolver.
async fn private_addresses_are_not_called(engine: Engine) {
    let app = agio_test_app::TestApp::start(engine).await;
    let trap = WebhookReceiver::open().await;
    let owner = app.owner().await;
    let port = trap.url.rsplit_once(':').unwrap().1;
    for host in ["127.0.0.1", "[::1]", "0x7f.1", "localhost", "169.254.169.254", "[::ffff:127.0.0.1]"] {
        let new = json!({ "name": "Trap", "email": "dev@trap.example", "callbackUrl": format!("https://{host}:{port}") });
        let refused = owner.post("/api/admin/v1/partners", new).await.refused(422, "validation_failed");
        assert!(refused["errors"]["callbackUrl"].is_array(), "{host}");
    }
    // A name may resolve to a private address later: it is checked at each call.
    let partner = Partner::of(&app, "https://shop.example").await;
    let inside = format!("https://0x7f.1:{port}");
    let moved = app.server.platform.db.write(move |tx| {
        let inside = inside.clone();
        Box::pin(async move { agio_core::execute!(tx, "UPDATE partner SET callback_url = $1", inside) })
    });
    moved.await.unwrap();
    partner.claim("0.015", "order-1").await;
    app.advance_and_run_jobs(Duration::ZERO).await;
    let webhook = owner.get(&format!("/api/admin/v1/partners/{}/webhook-deliveries", partner.partner)).await.ok();
    assert_eq!((&webhook["items"][0]["state"], &webhook["items"][0]["attempts"]), (&json!("queued"), &json!(1)));
    assert_eq!(trap.connections(), 0);
}

/// A channel with two concurrent deliveries, one of which is slow.
#[derive(Default)]
struct TwoAtATime {
    last: Notify,
}

impl OutboxChannel for TwoAtATime {
    fn name(&self) -> &'static str {
        "two_at_a_time"
    }

    fn concurrency(&self) -> i64 {
        2
    }

    fn deliver<'a>(&'a self, message: &'a OutboxMessage) -> BoxFuture<'a, DeliveryOutcome> {
        Box::pin(async move {
            match message.recipient.as_str() {
                "the slow one" => self.last.notified().await,
                "the last one" => self.last.notify_one(),
                _ => {}
            }
            DeliveryOutcome::Delivered
        })
    }
}

async fn a_slow_receiver_does_not_block_others(engine: Engine) {
    let app = app(engine).await;
    let platform = &app.server.platform;
    for recipient in ["the slow one", "anna", "boris", "vera", "the last one"] {
        let outbox = platform.outbox.clone();
        let (now, to) = (app.now(), recipient.to_owned());
        let posted = platform.db.write(move |tx| {
            let (outbox, recipient) = (outbox.clone(), to.clone());
            Box::pin(async move {
                let about = ("partner", "1".to_owned());
                let message =
                    NewOutboxMessage { channel: "two_at_a_time", recipient, kind: "test", about, payload: "{}".to_owned() };
                outbox.enqueue(tx, message, now).await
            })
        });
        posted.await.unwrap();
    }
    let outbox_worker = OutboxWorker::new(platform, vec![Arc::new(TwoAtATime::default())]);
    tokio::time::timeout(Duration::from_secs(60), outbox_worker.run()).await.expect("the slow one is still waited for").unwrap();
}
