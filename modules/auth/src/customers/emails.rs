//! E-mails to customers with links.

use std::time::Duration;

use agio_core::{Result, Timestamp, Tx};

use crate::accounts::{AccountRecord, LinkPurpose, new_email, store};
use crate::auth::Auth;
use crate::secrets::{digest, new_secret};

/// Lifetime of an activation link. It gives no access, so a day is fine.
const ACTIVATION_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Lifetime of a password reset link. It gives access, but must outlast greylisting.
const PASSWORD_RESET_LIFE: Duration = Duration::from_secs(30 * 60);

impl Auth {
    /// The notification that an emailed link is on its way, or the same for every address that none is.
    pub(crate) fn email_notification(&self, sent: &'static str) -> &'static str {
        if self.mailer.reaches_customers() { sent } else { "emails_off" }
    }

    /// Replaces older activation links.
    pub(crate) async fn mail_activation(&self, tx: &mut Tx, to: &AccountRecord, now: Timestamp) -> Result<()> {
        let token = new_secret(&*self.platform.random);
        store::put_link(tx, to.id, (LinkPurpose::Activation, None), &digest(&token), now.plus(ACTIVATION_LIFE)).await?;
        let hours = ACTIVATION_LIFE.as_secs() / 3600;
        // The fragment is not sent to servers, so it is in no log and no Referer.
        let button = format!("/#activate={token}");
        let email = new_email("account_activation", to).with("hours", hours).with_button(button).private();
        self.mail(tx, to, &email, now).await
    }

    /// Replaces older reset links. `kind` is the kind of e-mail.
    pub(crate) async fn mail_password_reset(
        &self,
        tx: &mut Tx,
        kind: &'static str,
        to: &AccountRecord,
        now: Timestamp,
    ) -> Result<()> {
        let token = new_secret(&*self.platform.random);
        store::put_link(tx, to.id, (LinkPurpose::PasswordReset, None), &digest(&token), now.plus(PASSWORD_RESET_LIFE)).await?;
        let minutes = PASSWORD_RESET_LIFE.as_secs() / 60;
        let button = format!("/recover#token={token}");
        let email = new_email(kind, to).with("minutes", minutes).with_button(button).private();
        self.mail(tx, to, &email, now).await
    }
}
