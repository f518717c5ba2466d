//! Letters on their way: through the outbox to a mail server that fails in every way servers do, and to the mailbox.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod claims;
mod mailbox;
mod peer;
mod private;
mod server;

use agio_core::texts::Locale;
use agio_mail::{Addressee, Letter};
use agio_server::config::MailSecurity;
use agio_testkit::{Database, Engine, House};

use peer::Peer;

/// A house that sends its mail by this server.
async fn house_with(engine: Engine, peer: &Peer) -> House {
    let address = peer.address.to_string();
    House::open_on(Database::make(engine).await, |config| {
        config.mail.server = address;
        config.mail.security = MailSecurity::None;
        config.mail.timeout_seconds = 5;
    })
    .await
}

/// Writes a letter about a claim with this number.
async fn write(house: &House, to: &str, number: u32) {
    let letter =
        Letter::new("claim_cancelled", ("claim", number.to_string())).with("number", number).linking(format!("/claim/{number}"));
    send(house, to, letter).await;
}

/// Writes a letter.
async fn send(house: &House, to: &str, letter: Letter) {
    let (mailroom, now) = (house.app.mailroom.clone(), house.now());
    let to = Addressee { email: to.to_owned(), locale: Locale::En };
    let written = house.app.platform.db.write(move |tx| {
        let (mailroom, to, letter) = (mailroom.clone(), to.clone(), letter.clone());
        Box::pin(async move { mailroom.send(tx, &to, &letter, now).await })
    });
    written.await.unwrap();
}
