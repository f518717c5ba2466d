//! Letters to partners.

use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx};
use agio_mail::{Addressee, Letter, Mailroom};

use crate::store::{KeyRow, PartnerRow};

/// The page of the site where customers keep their access.
const PAGE: &str = "/account/partner";

/// Who writes to partners: to the confirmed address of their account, so that nobody has strangers written to, or where staff said.
#[derive(Clone)]
pub(crate) struct Letters(pub Mailroom);

impl Letters {
    /// Tells that access was approved.
    pub async fn approved(&self, tx: &mut Tx, row: &PartnerRow, now: Timestamp) -> Result<()> {
        self.send(tx, row, Letter::new("partner_approved", about(row)).with("name", &row.name), now).await
    }

    /// Tells that access was declined, and why.
    pub async fn declined(&self, tx: &mut Tx, row: &PartnerRow, now: Timestamp) -> Result<()> {
        let letter = Letter::new("partner_declined", about(row))
            .with("name", &row.name)
            .with("reason", row.reason.as_deref().unwrap_or_default());
        self.send(tx, row, letter, now).await
    }

    /// Tells that a key for real claims was made in the account.
    pub async fn key_made(&self, tx: &mut Tx, row: &PartnerRow, key: &KeyRow, now: Timestamp) -> Result<()> {
        let letter = Letter::new("partner_key_made", about(row)).with("title", &key.title).with("key", &key.name);
        self.send(tx, row, letter, now).await
    }

    /// Tells that a part of the balance was paid.
    pub async fn paid(&self, tx: &mut Tx, row: &PartnerRow, amount: &str, paid_by: &str, now: Timestamp) -> Result<()> {
        let letter = Letter::new("partner_paid", about(row)).with("amount", amount).with("tx", paid_by);
        self.send(tx, row, letter, now).await
    }

    async fn send(&self, tx: &mut Tx, row: &PartnerRow, letter: Letter, now: Timestamp) -> Result<()> {
        let locale: Locale = row.locale.parse().unwrap_or_default();
        let letter = if row.customer_id.is_some() { letter.linking(PAGE) } else { letter.linking("/partners") };
        let email = row.customer_email.as_ref().unwrap_or(&row.email).clone();
        self.0.send(tx, &Addressee { email, locale }, &letter, now).await
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
    fn every_letter_has_its_words() {
        let texts = Texts::merge(&[DICTIONARY]).unwrap();
        for kind in ["partner_approved", "partner_declined", "partner_key_made", "partner_paid"] {
            for part in ["subject", "body", "button"] {
                assert!(texts.has(&format!("mail.{kind}.{part}")), "{kind}: {part}");
            }
        }
    }
}
