//! News of claims: in order, signed, again until they arrive, and once more when staff want it.

use std::sync::Arc;
use std::time::Duration;

use agio_core::BoxFuture;
use agio_core::outbox::{Channel, Courier, Delivery, Message, Stored};
use agio_testkit::{Engine, both_engines};
use serde_json::json;
use tokio::sync::Notify;

use crate::listener::Listener;
use crate::people::{Partner, WAY, house, operator_does, unique};

both_engines!(
    each_step_is_told,
    news_come_until_they_arrive,
    news_are_told_again,
    the_house_is_not_led_inside,
    who_is_slow_holds_up_nobody_else
);

const CLAIMS: &str = "/api/partner/v1/claims/";

async fn each_step_is_told(engine: Engine) {
    let house = house(engine).await;
    let listener = Listener::open().await;
    let partner = Partner::of(&house, &listener.url).await;
    let id = partner.claim("0.015", "order-1").await["id"].as_str().unwrap().to_owned();
    partner.post_empty(&format!("{CLAIMS}{id}/paid/")).await.ok();
    for action in WAY {
        operator_does(&house, &id, action).await;
    }
    house.later(Duration::ZERO).await;
    let way = ["awaiting_payment", "payment_claimed", "paid", "processing", "payout_sent", "completed"];
    assert_eq!(listener.states(), way);
    let heard = listener.heard();
    for (earlier, later) in heard.iter().zip(&heard[1..]) {
        assert!(earlier.body["claim"]["revision"].as_i64() < later.body["claim"]["revision"].as_i64());
    }
    for news in &heard {
        assert!(news.is_signed(&partner.webhook_secret), "{news:?}");
        assert_eq!((&news.body["type"], &news.body["id"]), (&json!("claim.status_changed"), &json!(news.event)));
        assert_eq!((news.timestamp, news.attempt), (house.now().as_seconds(), 1));
    }
    let last = heard.last().unwrap();
    let mut shown = partner.get(&format!("{CLAIMS}{id}/")).await.ok();
    shown["from"]["network"] = last.body["claim"]["from"]["network"].clone();
    assert_eq!(last.body["claim"], shown, "news tell what the call tells");
}

async fn news_come_until_they_arrive(engine: Engine) {
    let house = house(engine).await;
    let (usual, own) = (Listener::open().await, Listener::open().await);
    let partner = Partner::of(&house, &usual.url).await;
    usual.will_answer(&["503 Busy", "302 Found\r\nlocation: /elsewhere", "200 OK"]);
    let mut order = partner.order("0.016", "order-2").await;
    order["callbackUrl"] = own.url.as_str().into();
    partner.post_once(CLAIMS, &unique(), &order).await.ok();
    let id = partner.claim("0.015", "order-1").await["id"].as_str().unwrap().to_owned();
    partner.post_empty(&format!("{CLAIMS}{id}/paid/")).await.ok();
    house.later(Duration::ZERO).await;
    // The first waits for its second attempt, and what came after it waits as well; another claim does not.
    assert_eq!((usual.states(), own.states()), (vec!["awaiting_payment".to_owned()], vec!["awaiting_payment".to_owned()]));
    house.later(Duration::from_secs(16)).await;
    house.later(Duration::from_secs(31)).await;
    assert_eq!(usual.states(), ["awaiting_payment", "awaiting_payment", "awaiting_payment", "payment_claimed"]);
    let heard = usual.heard();
    assert_eq!(heard.iter().map(|news| news.attempt).collect::<Vec<_>>(), [1, 2, 3, 1]);
    assert!(heard[0].event == heard[1].event && heard[0].text == heard[2].text);
    assert!(heard.iter().all(|news| news.is_signed(&partner.webhook_secret)));
    assert_ne!(heard[0].signature, heard[1].signature);
}

async fn news_are_told_again(engine: Engine) {
    let house = house(engine).await;
    let listener = Listener::open().await;
    let partner = Partner::of(&house, &listener.url).await;
    listener.will_answer(&["410 Gone"]);
    partner.claim("0.015", "order-1").await;
    let (owner, path) = (house.owner().await, format!("/api/admin/v1/partners/{}/news", partner.partner));
    let waiting = owner.get(&path).await.ok();
    let again = |row: &serde_json::Value| format!("{path}/{}/resend", row["id"]);
    assert_eq!(waiting["items"][0]["state"], "queued");
    owner.post_empty(&again(&waiting["items"][0])).await.refused(409, "message_waits");
    house.later(Duration::ZERO).await;
    let dead = owner.get(&format!("{path}?state=dead")).await.ok();
    assert_eq!((&dead["items"][0]["fault"], &dead["items"][0]["status"]), (&json!("answered 410"), &json!("awaiting_payment")));
    owner.post_empty(&again(&dead["items"][0])).await.ok();
    house.later(Duration::ZERO).await;
    let sent = owner.get(&format!("{path}?state=sent")).await.ok();
    owner.post_empty(&again(&sent["items"][0])).await.ok();
    house.later(Duration::ZERO).await;
    let events: Vec<_> = listener.heard().into_iter().map(|news| news.event).collect();
    assert!(events.len() == 3 && events.iter().all(|event| *event == events[0]), "{events:?}");
    let all = owner.get(&format!("{path}?size=1")).await.ok();
    let rest = owner.get(&format!("{path}?size=1&cursor={}", all["nextCursor"].as_str().unwrap())).await.ok();
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["nextCursor"]), (1, &json!(null)));
    // Somebody else's news are not theirs to send.
    let other = Partner::of(&house, "").await;
    let stray = format!("/api/admin/v1/partners/{}/news/{}/resend", other.partner, sent["items"][0]["id"]);
    owner.post_empty(&stray).await.refused(404, "message_not_found");
    house.operator().await.post_empty(&again(&sent["items"][0])).await.refused(403, "forbidden");
    house.audit_is_whole().await;
}

/// A house in service calls nobody inside. Such an address is not taken; that a name which leads inside is not called either is shown
/// beside the resolver.
async fn the_house_is_not_led_inside(engine: Engine) {
    let house = agio_testkit::House::open(engine).await;
    let trap = Listener::open().await;
    let owner = house.owner().await;
    let port = trap.url.rsplit_once(':').unwrap().1;
    for host in ["127.0.0.1", "[::1]", "0x7f.1", "localhost", "169.254.169.254", "[::ffff:127.0.0.1]"] {
        let new = json!({ "name": "Trap", "email": "dev@trap.example", "callbackUrl": format!("https://{host}:{port}") });
        let refused = owner.post("/api/admin/v1/partners", new).await.refused(422, "validation_failed");
        assert!(refused["errors"]["callbackUrl"].is_array(), "{host}");
    }
    // A name may lead inside after it was saved: it is looked at again when it is called.
    let partner = Partner::of(&house, "https://shop.example").await;
    let inside = format!("https://0x7f.1:{port}");
    let moved = house.app.platform.db.write(move |tx| {
        let inside = inside.clone();
        Box::pin(async move { agio_core::execute!(tx, "UPDATE partner SET callback_url = $1", inside) })
    });
    moved.await.unwrap();
    partner.claim("0.015", "order-1").await;
    house.later(Duration::ZERO).await;
    let news = owner.get(&format!("/api/admin/v1/partners/{}/news", partner.partner)).await.ok();
    assert_eq!((&news["items"][0]["state"], &news["items"][0]["attempts"]), (&json!("queued"), &json!(1)));
    assert_eq!(trap.connections(), 0);
}

/// A way out by which two go at a time. One of them takes longer than all the others.
#[derive(Default)]
struct TwoAtATime {
    last: Notify,
}

impl Channel for TwoAtATime {
    fn name(&self) -> &'static str {
        "two_at_a_time"
    }

    fn at_once(&self) -> i64 {
        2
    }

    fn deliver<'a>(&'a self, message: &'a Stored) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            match message.recipient.as_str() {
                "the slow one" => self.last.notified().await,
                "the last one" => self.last.notify_one(),
                _ => {}
            }
            Delivery::Done
        })
    }
}

async fn who_is_slow_holds_up_nobody_else(engine: Engine) {
    let house = house(engine).await;
    let platform = &house.app.platform;
    for recipient in ["the slow one", "anna", "boris", "vera", "the last one"] {
        let outbox = platform.outbox.clone();
        let (now, to) = (house.now(), recipient.to_owned());
        let posted = platform.db.write(move |tx| {
            let (outbox, recipient) = (outbox.clone(), to.clone());
            Box::pin(async move {
                let about = ("partner", "1".to_owned());
                let message = Message { channel: "two_at_a_time", recipient, kind: "test", about, payload: "{}".to_owned() };
                outbox.post(tx, message, now).await
            })
        });
        posted.await.unwrap();
    }
    let courier = Courier::new(platform, vec![Arc::new(TwoAtATime::default())]);
    tokio::time::timeout(Duration::from_secs(60), courier.run()).await.expect("the slow one is still waited for").unwrap();
}
