//! Notices that notifiers did not take: shown to staff, and sent again by their word.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::outbox::{self, State};
use agio_plugin_host::BuiltIn;
use agio_plugin_telegram::Telegram;
use agio_plugin_trial::{Double, Reply};
use agio_testkit::{Caller, Database, Engine, House};
use serde_json::{Value, json};

use crate::alerts::a_message_dies;

const MINUTE: Duration = Duration::from_secs(60);
const GONE: &str = r#"{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the group chat"}"#;
const SENT: &str = r#"{"ok":true,"result":{"message_id":1}}"#;

/// A house that tells a chat what staff should know.
async fn telling(engine: Engine, chat: &Double) -> House {
    let set = [("token", "1:secret"), ("chat", "-100500")];
    let database = Database::furnished(engine).await;
    let house = House::open_asking(database, |_| {}, |hand| BuiltIn::new(hand).with(Telegram::at(chat.origin()), &set)).await;
    house.owner().await;
    house
}

async fn listed(staff: &Caller, state: &str) -> Value {
    staff.get(&format!("/api/admin/v1/notices?state={state}")).await.ok()
}

async fn a_notice_that_was_given_up_is_shown_and_sent_again(engine: Engine) {
    let chat = Double::telling([Reply::status(403, GONE), Reply::ok(SENT)]).await;
    let house = telling(engine, &chat).await;
    a_message_dies(&house).await;
    house.later(MINUTE).await;
    house.later(MINUTE).await;
    let cashier = house.staff(Role::Cashier).await;
    let page = listed(&cashier, "").await;
    let row = &page["items"][0];
    assert_eq!((&page["dead"], &page["queued"], &page["nextCursor"]), (&json!(1), &json!(0), &json!(null)));
    assert_eq!((&row["notifier"], &row["event"], &row["state"]), (&json!("telegram"), &json!("alert_mail"), &json!("dead")));
    assert!(row["text"].as_str().unwrap().contains("550 no such user"), "{row}");
    assert!(row["url"].as_str().unwrap().ends_with("/admin/mail") && row["settledAt"].is_string(), "{row}");
    assert!(row["fault"].as_str().unwrap().contains("bot was kicked"), "{row}");
    assert_eq!(cashier.get("/api/admin/v1/dashboard").await.ok()["notices"], json!({ "dead": 1 }));
    house.later(60 * MINUTE).await;
    assert_eq!(chat.seen().len(), 1, "what is refused for good is not tried again by itself");

    let again = format!("/api/admin/v1/notices/{}/resend", row["id"]);
    let auditor = house.staff(Role::Auditor).await;
    auditor.post_empty(&again).await.refused(403, "forbidden");
    let cashier = house.staff(Role::Cashier).await;
    let queued = cashier.post_empty(&again).await.ok();
    assert_eq!((&queued["state"], &queued["fault"]), (&json!("queued"), &json!(null)));
    house.later(MINUTE).await;
    let seen = chat.seen();
    assert_eq!((seen.len(), seen[0].body == seen[1].body), (2, true), "the same words leave once more");
    assert_eq!(listed(&cashier, "dead").await["items"], json!([]));
    assert_eq!(listed(&cashier, "sent").await["items"][0]["id"], row["id"]);
    cashier.post_empty(&again).await.refused(409, "message_not_dead");
    cashier.post_empty("/api/admin/v1/notices/0/resend").await.refused(404, "message_not_found");
    let log = house.owner().await.get("/api/admin/v1/audit?aboutKind=notice").await.ok();
    assert_eq!(
        (&log["items"][0]["action"], &log["items"][0]["aboutId"]),
        (&json!("notice.resent"), &json!(row["id"].to_string()))
    );
    house.audit_is_whole().await;
}

async fn letters_are_no_notices(engine: Engine) {
    let chat = Double::telling([Reply::ok(SENT)]).await;
    let house = telling(engine, &chat).await;
    a_message_dies(&house).await;
    let owner = house.owner().await;
    let mut tx = house.app.platform.db.read().await.unwrap();
    let letter = outbox::messages(&mut tx, "mail", State::Dead, None, 1).await.unwrap().remove(0).id;
    drop(tx);
    owner.post_empty(&format!("/api/admin/v1/notices/{letter}/resend")).await.refused(404, "message_not_found");
    assert_eq!(listed(&owner, "dead").await["items"], json!([]));
    owner.get("/api/admin/v1/notices?state=lost").await.refused(422, "validation_failed");
}

agio_testkit::both_engines!(a_notice_that_was_given_up_is_shown_and_sent_again, letters_are_no_notices,);
