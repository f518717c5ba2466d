//! Letters to customers about verifications. Each names its claim's number and leads to the verification's page.

use agio_core::texts::Bilingual;
use agio_mail::{Addressee, Letter, moment_in_words};

use crate::store::Row;

/// A letter about a verification, and to whom it goes. Its kind gets the ending `_account` where it was not asked for a claim.
pub(super) fn letter(kind: &'static str, row: &Row, reason: Option<&Bilingual>) -> (Addressee, Letter) {
    let locale = row.locale();
    let deadline = row.expires_at.map(|at| moment_in_words(at, locale)).unwrap_or_default();
    let letter = Letter::new(kind_for(kind, row), ("verification", row.id.to_string()))
        .with("number", row.claim_number.map(|number| number.to_string()).unwrap_or_default())
        .with("card", row.card_masked.as_deref().unwrap_or_default())
        .with("deadline", deadline)
        .with("reason", reason.map(|reason| reason.get(locale)).unwrap_or_default())
        .linking(format!("/verify/{}", row.id));
    (Addressee { email: row.email.clone(), locale }, letter)
}

fn kind_for(kind: &'static str, row: &Row) -> &'static str {
    match (kind, row.claim_id) {
        ("verification_identity", None) => "verification_identity_account",
        ("verification_again", None) => "verification_again_account",
        _ => kind,
    }
}

/// Every kind of letter.
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
    use agio_core::needs::Proof;
    use agio_core::texts::Texts;

    use super::*;
    use crate::DICTIONARY;
    use crate::model::{OTHER, REASONS};

    #[test]
    fn every_letter_reason_and_step_has_its_words() {
        let texts = Texts::merge(&[DICTIONARY]).unwrap();
        for kind in KINDS {
            for part in ["subject", "body", "button"] {
                assert!(texts.has(&format!("mail.{kind}.{part}")), "{kind}: {part}");
            }
        }
        for reason in REASONS.iter().filter(|reason| **reason != OTHER) {
            assert!(texts.has(&format!("verification_reason.{reason}")), "{reason}");
        }
        for cause in ["direction", "first_claim", "staff"] {
            for proof in [Proof::Card, Proof::Identity] {
                assert!(texts.has(&format!("verification_cause.{cause}.{proof}")), "{cause} {proof}");
            }
        }
        for step in ["asked", "photo", "accept", "reject", "again", "ended", "photo_viewed", "photo_deleted"] {
            assert!(texts.has(&format!("audit.verification.{step}")), "{step}");
        }
    }
}
