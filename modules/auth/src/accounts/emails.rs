//! E-mails about the security of an account.

use agio_core::{Result, Timestamp, Tx};
use agio_mail::{Email, Recipient};

use super::AccountRecord;
use crate::audience::Audience;
use crate::auth::{Auth, ClientInfo};

/// What an account's owner is notified of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityEmail {
    NewSignIn,
    PasswordChanged,
    PasswordReset,
    SecondFactorOff,
    SecondFactorOn,
    /// A refresh token was used again long after its replacement.
    SessionCopied,
}

impl SecurityEmail {
    fn kind(self, audience: Audience) -> &'static str {
        match self {
            Self::NewSignIn => audience.choose("staff_new_sign_in", "new_sign_in"),
            Self::PasswordChanged => audience.choose("staff_password_changed", "password_changed"),
            Self::PasswordReset => audience.choose("staff_password_restored", "password_restored"),
            Self::SecondFactorOff => audience.choose("staff_second_factor_off", "second_factor_off"),
            Self::SecondFactorOn => audience.choose("staff_second_factor_on", "second_factor_on"),
            Self::SessionCopied => audience.choose("staff_session_copied", "session_copied"),
        }
    }
}

impl Auth {
    pub(crate) async fn mail_security(
        &self,
        tx: &mut Tx,
        to: &AccountRecord,
        event: SecurityEmail,
        client: &ClientInfo,
        now: Timestamp,
    ) -> Result<()> {
        let mut email =
            new_email(event.kind(to.audience()), to).with("time", self.time_for(to, now)).with("address", client.address);
        if event == SecurityEmail::NewSignIn {
            email = email.with("agent", &client.agent);
            if to.audience() == Audience::Staff {
                email = email.with_button(self.console_page("/security"));
            }
        }
        self.mail(tx, to, &email, now).await
    }

    /// A time in the recipient's language and time zone.
    pub(crate) fn time_for(&self, to: &AccountRecord, at: Timestamp) -> String {
        self.mailer.format_time(at, to.locale, to.time_zone.as_deref())
    }

    pub(crate) async fn mail(&self, tx: &mut Tx, to: &AccountRecord, email: &Email, now: Timestamp) -> Result<()> {
        let recipient = Recipient { email: to.email.clone(), locale: to.locale };
        self.mailer.send(tx, &recipient, email, now).await
    }
}

pub fn new_email(kind: &'static str, about: &AccountRecord) -> Email {
    Email::new(kind, (about.audience().subject(), about.id.to_string()))
}
