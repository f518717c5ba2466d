//! The letters members of staff get about their account.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx};
use agio_mail::{Addressee, Letter};
use uuid::Uuid;

use super::store::StaffRow;
use crate::auth::{Auth, Client};
use crate::letters::minute;

/// How long an invitation, and a link to set a new password, is good. Somebody else asks for either, so it has to outlast a night; it is
/// good once, a newer one replaces it, and a link for a new password does not open an account that has a second factor.
pub const LINK_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

impl Auth {
    /// Mails an invitation with the secret of its link.
    pub(crate) async fn mail_invitation(
        &self,
        tx: &mut Tx,
        (id, email, role, locale): (Uuid, &str, Role, Locale),
        token: &str,
        now: Timestamp,
    ) -> Result<()> {
        let about = ("staff_invitation", id.to_string());
        let letter = Letter::new("staff_invitation", about)
            .with("role", self.role_in_words(role, locale))
            .with("hours", LINK_LIFE.as_secs() / 3600)
            .linking(self.welcome_link(token))
            .private();
        self.mailroom.send(tx, &Addressee { email: email.to_owned(), locale }, &letter, now).await
    }

    /// Mails a link to set a new password.
    pub(crate) async fn mail_staff_restore(&self, tx: &mut Tx, to: &StaffRow, token: &str, now: Timestamp) -> Result<()> {
        let hours = LINK_LIFE.as_secs() / 3600;
        let letter = letter("staff_password_restore", to).with("hours", hours).linking(self.restore_link(token)).private();
        self.mail_to_staff(tx, to, &letter, now).await
    }

    /// Tells of a sign-in from where there was none before.
    pub(crate) async fn mail_staff_sign_in(&self, tx: &mut Tx, to: &StaffRow, client: &Client, now: Timestamp) -> Result<()> {
        let letter = letter("staff_new_sign_in", to)
            .with("time", minute(now))
            .with("address", client.address)
            .with("agent", &client.agent)
            .linking(self.page("/security"));
        self.mail_to_staff(tx, to, &letter, now).await
    }

    /// Tells that somebody changed something about their own way in: `kind` says what.
    pub(crate) async fn mail_staff_change(
        &self,
        tx: &mut Tx,
        kind: &'static str,
        to: &StaffRow,
        client: &Client,
        now: Timestamp,
    ) -> Result<()> {
        let letter = letter(kind, to).with("time", minute(now)).with("address", client.address);
        self.mail_to_staff(tx, to, &letter, now).await
    }

    /// Tells what a colleague changed of somebody's account: `kind` says what.
    pub(crate) async fn mail_staff_decision(
        &self,
        tx: &mut Tx,
        kind: &'static str,
        to: &StaffRow,
        by: &str,
        now: Timestamp,
    ) -> Result<()> {
        let role = self.role_in_words(to.role, to.locale());
        let letter = letter(kind, to).with("time", minute(now)).with("by", by).with("role", role);
        self.mail_to_staff(tx, to, &letter, now).await
    }

    async fn mail_to_staff(&self, tx: &mut Tx, to: &StaffRow, letter: &Letter, now: Timestamp) -> Result<()> {
        let addressee = Addressee { email: to.email.clone(), locale: to.locale() };
        self.mailroom.send(tx, &addressee, letter, now).await
    }

    /// Where an invitation is taken. What follows the # is never sent to a server, so it is in no log and no Referer.
    pub(crate) fn welcome_link(&self, token: &str) -> String {
        self.page(&format!("/welcome#token={token}"))
    }

    /// Where a new password is set.
    pub(crate) fn restore_link(&self, token: &str) -> String {
        self.page(&format!("/restore#token={token}"))
    }

    /// A page of the console as a whole address.
    fn page(&self, path: &str) -> String {
        format!("{}/admin{path}", self.console.url)
    }

    fn role_in_words(&self, role: Role, locale: Locale) -> String {
        self.texts.get(locale, &format!("role.{role}"), &agio_core::error::Params::new())
    }
}

fn letter(kind: &'static str, about: &StaffRow) -> Letter {
    Letter::new(kind, ("staff", about.id.to_string()))
}
