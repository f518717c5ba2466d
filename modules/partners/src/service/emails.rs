//! E-mails to partners.

use agio_core::{Result, Timestamp, Tx};
use agio_mail::{Email, Mailer, Recipient};

use crate::store::{KeyRow, PartnerRow};

const PAGE: &str = "/account/partner";

/// Sends to the confirmed address of the partner's customer account, so that nobody can direct e-mails at others, or
/// to the address entered by staff.
#[derive(Clone)]
pub(crate) struct PartnerEmails(pub Mailer);

impl PartnerEmails {
    pub async fn send_approved(&self, tx: &mut Tx, row: &PartnerRow, now: Timestamp) -> Result<()> {
        self.send(tx, row, Email::new("partner_approved", about(row)).with("name", &row.name), now).await
    }

    pub async fn send_declined(&self, tx: &mut Tx, row: &PartnerRow, now: Timestamp) -> Result<()> {
        let message = Email::new("partner_declined", about(row))
            .with("name", &row.name)
            .with("reason", row.reason.as_deref().unwrap_or_default());
        self.send(tx, row, message, now).await
    }

    pub async fn send_key_created(&self, tx: &mut Tx, row: &PartnerRow, key: &KeyRow, now: Timestamp) -> Result<()> {
        let message = Email::new("partner_key_created", about(row)).with("title", &key.title).with("key", &key.name);
        self.send(tx, row, message, now).await
    }

    pub async fn send_paid(&self, tx: &mut Tx, row: &PartnerRow, amount: &str, paid_by: &str, now: Timestamp) -> Result<()> {
        let message = Email::new("partner_paid", about(row)).with("amount", amount).with("tx", paid_by);
        self.send(tx, row, message, now).await
    }

    async fn send(&self, tx: &mut Tx, row: &PartnerRow, message: Email, now: Timestamp) -> Result<()> {
        let message = if row.customer_id.is_some() { message.with_button(PAGE) } else { message.with_button("/partners") };
        let email = row.customer_email.as_ref().unwrap_or(&row.email).clone();
        self.0.send(tx, &Recipient { email, locale: row.locale }, &message, now).await
    }
}

fn about(row: &PartnerRow) -> (&'static str, String) {
    ("partner", row.id.to_string())
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Texts;

    use crate::DICTIONARY;

    #[test]
    fn every_email_has_texts() {
        let texts = Texts::merge(&[DICTIONARY]).unwrap();
        for kind in ["partner_approved", "partner_declined", "partner_key_created", "partner_paid"] {
            for part in ["subject", "body", "button"] {
                assert!(texts.has(&format!("mail.{kind}.{part}")), "{kind}: {part}");
            }
        }
    }
}
