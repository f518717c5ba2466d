//! The letters customers get about their account.

use std::time::Duration;

use agio_core::{Result, Timestamp, Tx};
use agio_mail::{Addressee, Letter};

use super::store::{self, CustomerRow, Purpose};
use crate::auth::{Auth, Client};
use crate::letters::minute;
use crate::secrets::{digest, secret};

/// How long an activation link is good. It shows that an address is somebody's and opens nothing, so it may wait for a day.
const ACTIVATION_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// How long a link to set a new password is good: it opens an account, and still has to outlast mail servers that let strangers wait.
const RESTORE_LIFE: Duration = Duration::from_secs(30 * 60);

impl Auth {
    /// Mails an activation link; older ones are good no more.
    pub(crate) async fn mail_activation(&self, tx: &mut Tx, to: &CustomerRow, now: Timestamp) -> Result<()> {
        let token = self.make_link(tx, to, Purpose::Activation, now).await?;
        let hours = ACTIVATION_LIFE.as_secs() / 3600;
        // What follows the # is never sent to a server, so it is in no log and no Referer.
        let letter = letter("account_activation", to).with("hours", hours).linking(format!("/#activate={token}")).private();
        self.mail(tx, to, &letter, now).await
    }

    /// Mails a link to set a new password; older ones are good no more. `kind` says why.
    pub(crate) async fn mail_restore(&self, tx: &mut Tx, kind: &'static str, to: &CustomerRow, now: Timestamp) -> Result<()> {
        let token = self.make_link(tx, to, Purpose::Restore, now).await?;
        let minutes = RESTORE_LIFE.as_secs() / 60;
        let letter = letter(kind, to).with("minutes", minutes).linking(format!("/recover#token={token}")).private();
        self.mail(tx, to, &letter, now).await
    }

    /// Tells of a sign-in from where there was none before.
    pub(crate) async fn mail_new_sign_in(&self, tx: &mut Tx, to: &CustomerRow, client: &Client, now: Timestamp) -> Result<()> {
        let letter =
            letter("new_sign_in", to).with("time", minute(now)).with("address", client.address).with("agent", &client.agent);
        self.mail(tx, to, &letter, now).await
    }

    /// Tells that something about the way in was changed: `kind` says what.
    pub(crate) async fn mail_change(
        &self,
        tx: &mut Tx,
        kind: &'static str,
        to: &CustomerRow,
        client: &Client,
        now: Timestamp,
    ) -> Result<()> {
        self.mail(tx, to, &letter(kind, to).with("time", minute(now)).with("address", client.address), now).await
    }

    async fn mail(&self, tx: &mut Tx, to: &CustomerRow, letter: &Letter, now: Timestamp) -> Result<()> {
        let addressee = Addressee { email: to.email.clone(), locale: to.locale() };
        self.mailroom.send(tx, &addressee, letter, now).await
    }

    async fn make_link(&self, tx: &mut Tx, of: &CustomerRow, purpose: Purpose, now: Timestamp) -> Result<String> {
        let token = secret(&*self.platform.random);
        let life = match purpose {
            Purpose::Activation => ACTIVATION_LIFE,
            Purpose::Restore => RESTORE_LIFE,
        };
        store::put_link(tx, of.id, purpose, &digest(&token), now.plus(life)).await?;
        Ok(token)
    }
}

fn letter(kind: &'static str, about: &CustomerRow) -> Letter {
    Letter::new(kind, ("customer", about.id.to_string()))
}
