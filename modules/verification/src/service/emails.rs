//! E-mails to customers about verifications.

use agio_core::texts::Bilingual;
use agio_mail::{Email, Mailer, Recipient};

use crate::store::VerificationRow;

/// An e-mail with its recipient. The kind gets the suffix `_account` if there is no claim. `zone`: that of the customer.
pub(super) fn build_email(
    mailer: &Mailer,
    kind: &'static str,
    row: &VerificationRow,
    zone: Option<&str>,
    reason: Option<&Bilingual>,
) -> (Recipient, Email) {
    let locale = row.locale;
    let deadline = row.expires_at.map(|at| mailer.format_time(at, locale, zone)).unwrap_or_default();
    let email = Email::new(email_kind(kind, row), ("verification", row.id.to_string()))
        .with("number", row.claim_number.map(|number| number.to_string()).unwrap_or_default())
        .with("card", row.card_masked.as_deref().unwrap_or_default())
        .with("deadline", deadline)
        .with("reason", reason.map(|reason| reason.get(locale)).unwrap_or_default())
        .with_button(format!("/verify/{}", row.id));
    (Recipient { email: row.email.clone(), locale }, email)
}

fn email_kind(kind: &'static str, row: &VerificationRow) -> &'static str {
    match (kind, row.claim_id) {
        ("verification_identity", None) => "verification_identity_account",
        ("verification_again", None) => "verification_again_account",
        _ => kind,
    }
}

#[cfg(test)]
const KINDS: [&str; 7] = [
    "verification_card",
    "verification_identity",
    "verification_identity_account",
    "verification_again",
    "verification_again_account",
    "verification_accepted",
    "verification_rejected",
];

#[cfg(test)]
mod tests {
    use agio_contracts::VerificationSubject;
    use agio_core::texts::Texts;

    use super::*;
    use crate::DICTIONARY;
    use crate::model::{VerificationCause, VerificationReasonCode};

    #[test]
    fn every_email_reason_and_action_has_its_text() {
        let texts = Texts::merge(&[DICTIONARY]).unwrap();
        for kind in KINDS {
            for part in ["subject", "body", "button"] {
                assert!(texts.has(&format!("mail.{kind}.{part}")), "{kind}: {part}");
            }
        }
        for reason in VerificationReasonCode::ALL.into_iter().filter(|reason| *reason != VerificationReasonCode::Other) {
            assert!(texts.has(&format!("verification_reason.{reason}")), "{reason}");
        }
        for cause in VerificationCause::ALL {
            for subject in VerificationSubject::ALL {
                assert!(texts.has(&format!("verification_cause.{cause}.{subject}")), "{cause} {subject}");
            }
        }
        for action in ["asked", "photo", "accept", "reject", "again", "ended", "photo_viewed", "photo_deleted"] {
            assert!(texts.has(&format!("audit.verification.{action}")), "{action}");
        }
    }
}
