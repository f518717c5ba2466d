//! Mail without a mail server.

use std::time::Duration;

use agio_core::identity::Role;
use agio_mail::Letter;
use agio_testkit::{Engine, House, both_engines};

use crate::peer::{Manner, Peer};
use crate::{house_with, send, write};

const MAIL: &str = "/api/admin/v1/mail";

async fn mails_stay_in_the_house_and_can_be_read_there(engine: Engine) {
    let house = House::open(engine).await;
    write(&house, "anna@example.com", 1).await;
    write(&house, "anna@example.com", 2).await;
    let received = house.mail_to("ANNA@example.com").await;
    assert_eq!(
        received.iter().map(|mail| mail.subject.as_str()).collect::<Vec<_>>(),
        ["Claim No. 1 is cancelled", "Claim No. 2 is cancelled"]
    );
    assert!(received[1].text.contains("http://127.0.0.1:8080/en/claim/2"));

    let auditor = house.staff(Role::Auditor).await;
    let page = auditor.get(&format!("{MAIL}?state=sent&size=1")).await.ok();
    assert_eq!((page["local"].as_bool(), page["items"][0]["subject"].as_str()), (Some(true), Some("Claim No. 2 is cancelled")));
    let next = page["nextCursor"].as_str().unwrap();
    let rest = auditor.get(&format!("{MAIL}?state=sent&cursor={next}")).await.ok();
    assert_eq!((rest["items"].as_array().unwrap().len(), rest["items"][0]["aboutId"].as_str()), (1, Some("1")));
    assert!(rest["nextCursor"].is_null());
    let whole = auditor.get(&format!("{MAIL}/{}", rest["items"][0]["id"])).await.ok();
    assert!(whole["text"].as_str().unwrap().contains("/en/claim/1") && whole["html"].as_str().unwrap().contains("<html"));

    auditor.get(&format!("{MAIL}/999999")).await.refused(404, "message_not_found");
    auditor.get(&format!("{MAIL}?state=lost")).await.refused(422, "validation_failed");
    auditor.get(&format!("{MAIL}?cursor=x")).await.refused(422, "validation_failed");
    auditor.get(&format!("{MAIL}?size=101")).await.refused(422, "validation_failed");
    house.customer().get(MAIL).await.refused(401, "token_not_valid");

    house.later(Duration::from_secs(31 * 24 * 60 * 60)).await;
    assert!(house.mail_to("anna@example.com").await.is_empty(), "old mails are forgotten");
}

/// A letter whose link opens somebody's account.
fn secret() -> Letter {
    Letter::new("claim_cancelled", ("customer", "1".into())).with("number", 1).linking("/restore/s3cr3t-token").private()
}

async fn a_private_mail_is_read_by_its_addressee_alone(engine: Engine) {
    let peer = Peer::start(Manner::Takes).await;
    let house = house_with(engine, &peer).await;
    send(&house, "anna@example.com", secret()).await;
    house.later(Duration::from_secs(60)).await;
    assert!(peer.received()[0].data.contains("/restore/s3cr3t-token"));
    let owner = house.owner().await;
    let id = owner.get(&format!("{MAIL}?state=sent")).await.ok()["items"][0]["id"].clone();
    let seen = owner.get(&format!("{MAIL}/{id}")).await;
    assert!(!seen.text.contains("s3cr3t"), "{}", seen.text);
    assert_eq!(seen.ok()["private"], true);
    let stored = format!(
        "{:?}",
        agio_core::outbox::message(&mut house.app.platform.db.read().await.unwrap(), "mail", id.as_i64().unwrap()).await.unwrap()
    );
    assert!(!stored.contains("s3cr3t"), "{stored}");
}

async fn without_a_server_the_owner_alone_opens_a_private_mail(engine: Engine) {
    let house = House::open(engine).await;
    send(&house, "anna@example.com", secret()).await;
    assert!(house.mail_to("anna@example.com").await[0].text.contains("s3cr3t"));
    let owner = house.owner().await;
    let id = owner.get(&format!("{MAIL}?state=sent")).await.ok()["items"][0]["id"].clone();
    assert!(owner.get(&format!("{MAIL}/{id}")).await.ok()["text"].as_str().unwrap().contains("s3cr3t"));
    for role in [Role::Operator, Role::Cashier, Role::Editor, Role::Auditor] {
        let seen = house.staff(role).await.get(&format!("{MAIL}/{id}")).await.ok();
        assert!(seen["text"].is_null() && seen["html"].is_null(), "{role}");
    }
}

both_engines!(
    mails_stay_in_the_house_and_can_be_read_there,
    a_private_mail_is_read_by_its_addressee_alone,
    without_a_server_the_owner_alone_opens_a_private_mail,
);
