//! Mail servers, good and bad.

use std::time::Duration;

use agio_core::identity::Role;
use agio_server::config::{MailSecurity, Secret};
use agio_testkit::{Database, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::peer::{Manner, Peer};
use crate::{house_with, write};

const MAIL: &str = "/api/admin/v1/mail";

const MINUTE: Duration = Duration::from_secs(60);

async fn listed(house: &House, state: &str) -> Vec<Value> {
    let page = house.operator().await.get(&format!("{MAIL}?state={state}")).await.ok();
    page["items"].as_array().unwrap().clone()
}

async fn a_mail_is_what_was_written(engine: Engine) {
    let peer = Peer::start(Manner::Takes).await;
    let house = house_with(engine, &peer).await;
    house.owner().await.put("/api/admin/v1/settings", json!({ "site.name": "Обмен \"А\" <x@evil.example>" })).await.ok();
    write(&house, "Anna@Example.com", 100_001).await;
    house.later(MINUTE).await;
    let [mail] = peer.received().try_into().unwrap();
    assert_eq!((mail.from.as_str(), mail.to.as_str()), ("MAIL FROM:<no-reply@example.com>", "RCPT TO:<Anna@Example.com>"));
    assert_eq!(mail.header("Subject"), "Claim No. 100001 is cancelled");
    assert_eq!(mail.header("To"), "Anna@Example.com");
    assert_eq!(mail.header("Reply-To"), "support@example.com");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert_eq!(mail.header("Date"), "Thu, 28 Mar 2024 12:00:00 +0000");
    assert!(
        mail.header("From").ends_with("<no-reply@example.com>") && !mail.header("From").contains("evil"),
        "{}",
        mail.header("From")
    );
    assert!(mail.header("Message-ID").ends_with("@example.com>"));
    assert!(mail.header("Content-Type").starts_with("multipart/alternative"));
    assert!(mail.data.contains("http://127.0.0.1:8080/en/claim/100001"), "{}", mail.data);
    assert!(listed(&house, "queued").await.is_empty());
    let [sent] = listed(&house, "sent").await.try_into().unwrap();
    assert_eq!((sent["to"].as_str(), sent["aboutId"].as_str()), (Some("Anna@Example.com"), Some("100001")));
}

async fn an_hour_without_a_server_loses_nothing_and_doubles_nothing(engine: Engine) {
    let peer = Peer::start(Manner::Down).await;
    let house = house_with(engine, &peer).await;
    for round in 0..4 {
        for customer in 0..3 {
            write(&house, &format!("customer{customer}@example.com"), round * 10 + customer).await;
        }
        for _ in 0..5 {
            house.later(3 * MINUTE).await;
        }
    }
    assert!(peer.calls() > 12, "it was tried again and again, {} times", peer.calls());
    assert!(peer.received().is_empty());
    let waiting = listed(&house, "queued").await;
    assert_eq!(waiting.len(), 12);
    assert!(waiting.iter().any(|mail| mail["attempts"].as_i64().unwrap() > 1 && mail["fault"].is_string()));

    peer.behave(Manner::Takes);
    house.later(61 * MINUTE).await;
    let received = peer.received();
    assert_eq!(received.len(), 12, "each of them once");
    for customer in 0..3 {
        let to = format!("RCPT TO:<customer{customer}@example.com>");
        let subjects: Vec<_> = received.iter().filter(|mail| mail.to == to).map(|mail| mail.header("Subject")).collect();
        let written: Vec<_> = (0..4).map(|round| format!("Claim No. {} is cancelled", round * 10 + customer)).collect();
        assert_eq!(subjects, written, "in the order they were written");
    }
    house.later(61 * MINUTE).await;
    assert_eq!(peer.received().len(), 12);
}

async fn nobody_waits_for_a_server_that_says_nothing(engine: Engine) {
    let peer = Peer::start(Manner::Silent).await;
    let house = house_with(engine, &peer).await;
    write(&house, "first@example.com", 1).await;
    let courier = house.app.courier.clone();
    let delivering = tokio::spawn(async move { courier.run().await });
    while peer.calls() == 0 {
        tokio::task::yield_now().await;
    }
    for number in 2..30 {
        write(&house, &format!("customer{number}@example.com"), number).await;
    }
    assert!(!delivering.is_finished(), "the first is still on the line");
    peer.behave(Manner::Takes);
    delivering.await.unwrap().unwrap();
    house.later(MINUTE).await;
    assert_eq!(peer.received().len(), 29);
}

async fn a_server_that_is_too_slow_is_tried_again(engine: Engine) {
    let peer = Peer::start(Manner::Silent).await;
    let address = peer.address.to_string();
    let house = House::open_on(Database::make(engine).await, |config| {
        config.mail.server = address;
        config.mail.security = MailSecurity::None;
        config.mail.timeout_seconds = 1;
    })
    .await;
    write(&house, "anna@example.com", 1).await;
    house.later(MINUTE).await;
    let [waiting] = listed(&house, "queued").await.try_into().unwrap();
    assert!(waiting["fault"].as_str().unwrap().contains("did not answer"), "{waiting}");
    peer.behave(Manner::Takes);
    house.later(MINUTE).await;
    assert_eq!(peer.received().len(), 1);
}

async fn a_refusal_for_now_is_tried_again_and_one_for_good_is_not(engine: Engine) {
    let peer = Peer::start(Manner::Answers("451 4.7.1 greylisted,\ttry later")).await;
    let house = house_with(engine, &peer).await;
    write(&house, "anna@example.com", 1).await;
    house.later(MINUTE).await;
    let [waiting] = listed(&house, "queued").await.try_into().unwrap();
    assert!(waiting["fault"].as_str().unwrap().contains("greylisted"), "{waiting}");

    peer.behave(Manner::Answers("550 5.1.1 no such user"));
    house.later(MINUTE).await;
    let calls = peer.calls();
    house.later(61 * MINUTE).await;
    assert_eq!(peer.calls(), calls, "a dead mail is left alone");
    let [dead] = listed(&house, "dead").await.try_into().unwrap();
    assert!(dead["fault"].as_str().unwrap().contains("no such user"), "{dead}");
    assert_eq!(house.operator().await.get("/api/admin/v1/dashboard").await.ok()["mail"], json!({ "queued": 0, "dead": 1 }));

    peer.behave(Manner::Takes);
    let resend = format!("{MAIL}/{}/resend", dead["id"]);
    house.staff(Role::Auditor).await.post_empty(&resend).await.refused(403, "forbidden");
    let again = house.operator().await.post_empty(&resend).await.ok();
    assert_eq!((again["state"].as_str(), again["attempts"].as_i64()), (Some("queued"), Some(0)));
    house.later(MINUTE).await;
    assert_eq!(peer.received().len(), 1);
    house.operator().await.post_empty(&resend).await.refused(409, "message_not_dead");
    let log = house.owner().await.get(&format!("/api/admin/v1/audit?aboutKind=mail&aboutId={}", dead["id"])).await.ok();
    assert_eq!(log["items"][0]["action"], "mail.resent");
}

async fn a_mail_of_others_does_not_wait_for_one_that_fails(engine: Engine) {
    let peer = Peer::start(Manner::Answers("451 4.3.0 not now")).await;
    let house = house_with(engine, &peer).await;
    write(&house, "anna@example.com", 1).await;
    house.later(Duration::from_secs(1)).await;
    peer.behave(Manner::Takes);
    write(&house, "anna@example.com", 2).await;
    write(&house, "boris@example.com", 3).await;
    house.later(Duration::from_secs(1)).await;
    let to: Vec<_> = peer.received().iter().map(|mail| mail.to.clone()).collect();
    assert_eq!(to, ["RCPT TO:<boris@example.com>"], "hers wait for their first, his does not");
    house.later(MINUTE).await;
    let subjects: Vec<_> = peer.received().iter().map(|mail| mail.header("Subject")).collect();
    assert_eq!(subjects, ["Claim No. 3 is cancelled", "Claim No. 1 is cancelled", "Claim No. 2 is cancelled"]);
}

async fn a_cut_line_is_tried_again_under_the_same_identifier(engine: Engine) {
    let peer = Peer::start(Manner::CutsInData).await;
    let house = house_with(engine, &peer).await;
    write(&house, "anna@example.com", 1).await;
    house.later(MINUTE).await;
    assert!(peer.received().is_empty());
    peer.behave(Manner::CutsAfterData);
    house.later(MINUTE).await;
    assert_eq!(listed(&house, "queued").await.len(), 1, "nobody said that it was taken");
    peer.behave(Manner::Takes);
    house.later(2 * MINUTE).await;
    let [first, second] = peer.received().try_into().unwrap();
    assert_eq!(first.header("Message-ID"), second.header("Message-ID"), "who gets it twice can tell");
    assert!(listed(&house, "queued").await.is_empty());
}

async fn a_wrong_password_or_a_missing_lock_kills_no_mail(engine: Engine) {
    let peer = Peer::start(Manner::RefusesLogin).await;
    let address = peer.address.to_string();
    let open = |security: MailSecurity| {
        let address = address.clone();
        async move {
            House::open_on(Database::make(engine).await, |config| {
                config.mail.server = address;
                config.mail.security = security;
                config.mail.user = "agio".into();
                config.mail.password = Secret("hunter2".into());
            })
            .await
        }
    };
    let house = open(MailSecurity::None).await;
    write(&house, "anna@example.com", 1).await;
    house.later(MINUTE).await;
    assert_eq!(listed(&house, "queued").await.len(), 1);
    peer.behave(Manner::Takes);
    house.later(MINUTE).await;
    assert_eq!(peer.received().len(), 1);

    // This server cannot turn to TLS, so it hears neither the password nor the mail.
    let said = peer.said().len();
    for security in [MailSecurity::StartTls, MailSecurity::Tls] {
        let house = open(security).await;
        write(&house, "anna@example.com", 1).await;
        house.later(MINUTE).await;
        assert_eq!(listed(&house, "queued").await.len(), 1);
    }
    let since: Vec<_> =
        peer.said()[said..].iter().filter(|line| line.starts_with("AUTH") || line.starts_with("MAIL")).cloned().collect();
    assert!(since.is_empty(), "{since:?}");
}

both_engines!(
    a_mail_is_what_was_written,
    an_hour_without_a_server_loses_nothing_and_doubles_nothing,
    nobody_waits_for_a_server_that_says_nothing,
    a_server_that_is_too_slow_is_tried_again,
    a_refusal_for_now_is_tried_again_and_one_for_good_is_not,
    a_mail_of_others_does_not_wait_for_one_that_fails,
    a_cut_line_is_tried_again_under_the_same_identifier,
    a_wrong_password_or_a_missing_lock_kills_no_mail,
);
