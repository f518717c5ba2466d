//! Letters to customers: what became of their claim, in the transaction in which it became so.

use agio_core::needs::CurrencyFacts;
use agio_core::texts::Locale;
use agio_core::{Amount, Result, Timestamp, Tx};
use agio_mail::{Addressee, Letter, moment_in_words};

use super::Claims;
use crate::model::State;
use crate::rules::Claim;

/// The setting that says whether lists and mails show the number for talk.
const USE_PUBLIC_ID: &str = "site.use_public_id";

/// How much of the identifier is shown in place of the number. The whole of it opens the claim, so it stands in the link alone.
const SHORT_ID: usize = 8;

impl Claims {
    /// Writes to the customer, if the state the claim has come to is news to them.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(super) async fn write_letter(&self, tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<()> {
        let Some(kind) = kind_of(claim.state) else {
            return Ok(());
        };
        let locale = claim.locale();
        let to = Addressee { email: claim.email.clone(), locale };
        self.mailroom.send(tx, &to, &self.letter(kind, claim, locale), now).await
    }

    fn letter(&self, kind: &'static str, claim: &Claim, locale: Locale) -> Letter {
        let (from, to) = (self.currency(claim.from_id, &claim.from_code), self.currency(claim.to_id, &claim.to_code));
        let moment = |at: Option<Timestamp>| at.map(|at| moment_in_words(at, locale)).unwrap_or_default();
        let reason = claim.reason.as_deref().map(|reason| self.reason_text(reason, locale));
        Letter::new(kind, ("claim", claim.id.to_string()))
            .with("number", self.number(claim))
            .with("send", sum(claim.send(), &from, locale))
            .with("receive", sum(claim.receive(), &to, locale))
            .with("came", sum(claim.sent(claim.received_units), &from, locale))
            .with("deadline", moment(claim.expires_at))
            .with("answer", moment(claim.answer_by))
            .with("reason", reason.unwrap_or_default())
            .linking(format!("/claim/{}", claim.id))
    }

    /// What the claim is called in a mail.
    pub(super) fn number(&self, claim: &Claim) -> String {
        if self.platform.settings.is_on(USE_PUBLIC_ID) {
            return claim.public_id.to_string();
        }
        claim.id.simple().to_string()[..SHORT_ID].to_owned()
    }
}

/// The letter about a state. What the customer did a moment ago, and what only we act on, is no news; of a verification whoever asks
/// for it tells.
fn kind_of(state: State) -> Option<&'static str> {
    match state {
        State::Created => Some("claim_created"),
        State::AwaitingPayment => Some("claim_awaiting_payment"),
        State::AmountMismatch => Some("claim_amount_mismatch"),
        State::LatePayment => Some("claim_late_payment"),
        State::OnHold => Some("claim_on_hold"),
        State::Paid => Some("claim_paid"),
        State::RefundPending => Some("claim_refund_pending"),
        State::Completed => Some("claim_completed"),
        State::Refunded => Some("claim_refunded"),
        State::Cancelled => Some("claim_cancelled"),
        State::Expired => Some("claim_expired"),
        State::Rejected => Some("claim_rejected"),
        State::Verification
        | State::PaymentClaimed
        | State::PaymentSeen
        | State::Processing
        | State::PayoutSent
        | State::PayoutError
        | State::PayoutPartial
        | State::RefundSent => None,
    }
}

/// `90 000.5 RUB, Sberbank`.
pub(super) fn sum(amount: Amount, currency: &CurrencyFacts, locale: Locale) -> String {
    format!("{} {}, {}", grouped(amount), currency.ticker, currency.name.get(locale))
}

/// The digits before the point in threes, parted by spaces that do not break.
fn grouped(amount: Amount) -> String {
    let text = amount.to_string();
    let (whole, part) = text.split_once('.').map_or((text.as_str(), None), |(whole, part)| (whole, Some(part)));
    let mut digits = String::with_capacity(text.len() + 8);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            digits.push('\u{a0}');
        }
        digits.push(digit);
    }
    part.map_or(digits.clone(), |part| format!("{digits}.{part}"))
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Texts;

    use super::*;
    use crate::model::Action;
    use crate::service::DICTIONARY;

    #[test]
    fn every_letter_and_every_step_has_its_words() {
        let texts = Texts::merge(&[DICTIONARY]).unwrap();
        for kind in State::ALL.into_iter().filter_map(kind_of) {
            for part in ["subject", "body", "button"] {
                assert!(texts.has(&format!("mail.{kind}.{part}")), "{kind}: {part}");
            }
        }
        let beside = ["terms", "receipt", "note", "lock", "unlock", "agreed", "links_sent", "proof_sent", "proof_again"];
        for action in Action::ALL.map(Action::name).into_iter().chain(beside) {
            assert!(texts.has(&format!("audit.claim.{action}")), "{action}");
        }
    }

    #[test]
    fn amounts_read_well() {
        assert_eq!(grouped(Amount::of_units(123_456_705, 2)), "1\u{a0}234\u{a0}567.05");
        assert_eq!(grouped(Amount::of_units(99_900, 2)), "999");
        assert_eq!(grouped(Amount::of_units(1, 8)), "0.00000001");
    }
}
