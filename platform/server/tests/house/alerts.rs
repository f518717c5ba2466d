//! What staff are told of by mail and by notifiers.

use std::time::Duration;

use agio_core::execute;
use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_plugin_host::BuiltIn;
use agio_plugin_telegram::Telegram;
use agio_plugin_trial::{Double, Reply};
use agio_server::config::Config;
use agio_testkit::{Database, Engine, House, Mailed};
use serde_json::json;

const MINUTE: Duration = Duration::from_secs(60);
const OWNER: &str = "owner@agio.example";

async fn run(house: &House, sql: &'static str) {
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

/// Somebody's alerts, the oldest first.
pub async fn told(house: &House, email: &str) -> Vec<Mailed> {
    let mut mails = house.mail_to(email).await;
    mails.retain(|mail| mail.kind.starts_with("alert_"));
    mails
}

/// A message that died this minute.
pub async fn a_message_dies(house: &House) {
    house.wait(MINUTE);
    let now = house.now();
    let dead = "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, fault, created_at, settled_at)
        VALUES ('mail', 'anna@example.com', 'claim_created', 'claim', '1', '{}', 'dead', 80, 0, 0, '550 no such user', $1, $1)";
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, dead, now) })).await.unwrap();
}

async fn owners_hear_of_letters_that_died_once_an_hour_and_of_each_once(engine: Engine) {
    let house = House::open(engine).await;
    house.owner().await;
    house.operator().await;
    house.later(MINUTE).await;
    assert!(told(&house, OWNER).await.is_empty());
    a_message_dies(&house).await;
    a_message_dies(&house).await;
    house.later(MINUTE).await;
    let [mail] = told(&house, OWNER).await.try_into().unwrap();
    assert_eq!(mail.subject, "Не доставлено писем: 2");
    assert!(mail.text.contains("550 no such user") && mail.text.contains("http://127.0.0.1:8080/admin/mail"), "{}", mail.text);
    assert!(told(&house, "operator@agio.example").await.is_empty());

    a_message_dies(&house).await;
    for _ in 0..50 {
        house.wait(MINUTE);
        house.app.alert().await.unwrap();
    }
    assert_eq!(told(&house, OWNER).await.len(), 1, "not more than one in an hour");
    house.later(20 * MINUTE).await;
    let mails = told(&house, OWNER).await;
    assert_eq!((mails.len(), mails[1].subject.as_str()), (2, "Не доставлено писем: 1"));
    house.later(100 * MINUTE).await;
    assert_eq!(told(&house, OWNER).await.len(), 2, "nothing died since");
}

async fn owners_hear_of_news_that_partners_did_not_take(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    house.wait(MINUTE);
    let now = house.now();
    let dead = "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, fault, created_at, settled_at)
        VALUES ('webhook', '1', 'claim_status_changed', 'partner', '1', '{}', 'dead', 1, 0, 0, 'answered 410', $1, $1)";
    house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, dead, now) })).await.unwrap();
    house.later(MINUTE).await;
    let [mail] = told(&house, OWNER).await.try_into().unwrap();
    assert_eq!((mail.kind.as_str(), mail.subject.as_str()), ("alert_webhooks", "Не доставлено уведомлений партнёрам: 1"));
    assert!(mail.text.contains("answered 410") && mail.text.contains("/admin/partners"), "{}", mail.text);
    assert_eq!(owner.get("/api/admin/v1/dashboard").await.ok()["partners"], json!({ "requested": 0, "dead": 1 }));
    house.later(100 * MINUTE).await;
    assert_eq!(told(&house, OWNER).await.len(), 1, "of each they hear once");
}

async fn owners_hear_of_books_that_differ_until_they_agree(engine: Engine) {
    let house = House::open(engine).await;
    house.owner().await;
    run(
        &house,
        "UPDATE ledger_account SET balance = balance + 1 WHERE name = (SELECT MIN(name) FROM ledger_account WHERE balance > 0)",
    )
    .await;
    house.later(5 * MINUTE).await;
    house.later(5 * MINUTE).await;
    let [mail] = told(&house, OWNER).await.try_into().unwrap();
    assert_eq!((mail.kind.as_str(), mail.subject.as_str()), ("alert_books", "Книги не сходятся, заявки не принимаются"));
    house.later(60 * MINUTE).await;
    assert_eq!(told(&house, OWNER).await.len(), 2, "it is not over");
    run(
        &house,
        "UPDATE ledger_account SET balance = balance - 1 WHERE name = (SELECT MIN(name) FROM ledger_account WHERE balance > 0)",
    )
    .await;
    house.later(60 * MINUTE).await;
    assert_eq!(told(&house, OWNER).await.len(), 2);
}

async fn owners_hear_of_a_log_that_does_not_hold(engine: Engine) {
    let house = House::open(engine).await;
    house.owner().await.put("/api/admin/v1/settings", json!({ "site.name": "Obmen" })).await.ok();
    house.later(MINUTE).await;
    run(
        &house,
        match engine {
            Engine::Sqlite => "DROP TRIGGER audit_is_never_changed",
            Engine::Postgres => "DROP TRIGGER audit_is_never_changed ON audit",
        },
    )
    .await;
    run(&house, "UPDATE audit SET actor_name = 'nobody' WHERE about_kind = 'setting' AND about_id = 'site.name'").await;
    house.later(24 * 60 * MINUTE).await;
    let [mail] = told(&house, OWNER).await.try_into().unwrap();
    assert_eq!(mail.kind, "alert_audit");
    assert!(mail.text.contains("it is not what was written"), "{}", mail.text);
}

async fn those_who_may_decide_hear_of_a_proposal_and_its_author_does_not(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    house.staff(Role::Cashier).await;
    house.operator().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.four_eyes": true })).await.ok();
    let pool = owner.get("/api/admin/v1/requisites").await.ok();
    for row in &pool.as_array().unwrap()[..2] {
        let path = format!("/api/admin/v1/requisites/{}", row["id"].as_str().unwrap());
        assert_eq!(owner.patch(&path, json!({ "holder": "IVAN PETROV" })).await.status.as_u16(), 202);
    }
    house.later(MINUTE).await;
    let [mail] = told(&house, "cashier@agio.example").await.try_into().unwrap();
    assert_eq!(mail.subject, "Ждёт вашего решения: Изменение реквизитов для оплаты");
    assert!(mail.text.contains("owner") && mail.text.contains(": 2.") && mail.text.contains("/admin/approvals"), "{}", mail.text);
    assert!(told(&house, OWNER).await.is_empty(), "who proposed it knows");
    assert!(told(&house, "operator@agio.example").await.is_empty(), "who may not decide is not asked");
    house.later(120 * MINUTE).await;
    assert_eq!(told(&house, "cashier@agio.example").await.len(), 1);
}

async fn a_chat_is_told_what_owners_are_told_once_and_again_when_it_was_away(engine: Engine) {
    let sent = r#"{"ok":true,"result":{"message_id":1}}"#;
    let chat = Double::telling([Reply::status(502, "away"), Reply::ok(sent)]).await;
    let database = Database::furnished(engine).await;
    let set = [("token", "1:secret"), ("chat", "-100500")];
    let in_english = |config: &mut Config| config.notices.language = Locale::En;
    let house = House::open_asking(database, in_english, |hand| BuiltIn::new(hand).with(Telegram::at(chat.origin()), &set)).await;
    house.owner().await;
    a_message_dies(&house).await;
    house.later(MINUTE).await;
    assert_eq!(told(&house, OWNER).await.len(), 1, "letters are written as ever");
    house.later(MINUTE).await;
    house.later(60 * MINUTE).await;
    let seen = chat.seen();
    assert_eq!(seen.len(), 2, "told once, after it was away");
    assert_eq!(seen[0].body, seen[1].body);
    let body: serde_json::Value = serde_json::from_str(&seen[1].body).unwrap();
    let text = body["text"].as_str().unwrap();
    assert!(text.starts_with("Letters that could not be delivered: 1\n\n"), "{text}");
    assert!(text.contains("550 no such user") && text.ends_with("\n\nhttp://127.0.0.1:8080/admin/mail"), "{text}");
}

agio_testkit::both_engines!(
    owners_hear_of_letters_that_died_once_an_hour_and_of_each_once,
    owners_hear_of_news_that_partners_did_not_take,
    owners_hear_of_books_that_differ_until_they_agree,
    owners_hear_of_a_log_that_does_not_hold,
    those_who_may_decide_hear_of_a_proposal_and_its_author_does_not,
    a_chat_is_told_what_owners_are_told_once_and_again_when_it_was_away,
);
