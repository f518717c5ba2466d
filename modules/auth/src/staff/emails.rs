//! E-mails to staff about invitations, links and decisions of owners.

use std::time::Duration;

use agio_core::error::Params;
use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx};
use agio_mail::{Email, Recipient};

use super::invitation_store::InvitationRow;
use crate::accounts::{AccountRecord, new_email};
use crate::auth::Auth;

/// Lifetime of invitations and password reset links. Somebody else requests them, so they last a day. They work once,
/// and a reset does not bypass the second factor.
pub const LINK_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

impl Auth {
    pub(crate) async fn mail_invitation(&self, tx: &mut Tx, to: &InvitationRow, token: &str, now: Timestamp) -> Result<()> {
        let email = Email::new("staff_invitation", ("staff_invitation", to.id.to_string()))
            .with("role", self.role_title(to.role, to.locale))
            .with("hours", LINK_LIFE.as_secs() / 3600)
            .with_button(self.invitation_link(token))
            .private();
        self.mailer.send(tx, &Recipient { email: to.email.clone(), locale: to.locale }, &email, now).await
    }

    pub(crate) async fn mail_staff_password_reset(
        &self,
        tx: &mut Tx,
        to: &AccountRecord,
        token: &str,
        now: Timestamp,
    ) -> Result<()> {
        let (hours, button) = (LINK_LIFE.as_secs() / 3600, self.password_reset_link(token));
        let email = new_email("staff_password_restore", to).with("hours", hours).with_button(button).private();
        self.mail(tx, to, &email, now).await
    }

    /// Notifies about a decision of another staff member.
    pub(crate) async fn mail_decision(
        &self,
        tx: &mut Tx,
        kind: &'static str,
        to: &AccountRecord,
        by: &str,
        now: Timestamp,
    ) -> Result<()> {
        let role = self.role_title(to.staff()?.role, to.locale);
        let email = new_email(kind, to).with("time", self.time_for(to, now)).with("by", by).with("role", role);
        self.mail(tx, to, &email, now).await
    }

    /// The fragment is not sent to servers, so it is in no log and no Referer.
    pub(crate) fn invitation_link(&self, token: &str) -> String {
        self.console_page(&format!("/welcome#token={token}"))
    }

    pub(crate) fn password_reset_link(&self, token: &str) -> String {
        self.console_page(&format!("/restore#token={token}"))
    }

    pub(crate) fn console_page(&self, path: &str) -> String {
        format!("{}/admin{path}", self.console.url)
    }

    fn role_title(&self, role: Role, locale: Locale) -> String {
        self.texts.get(locale, &format!("role.{role}"), &Params::new())
    }
}
