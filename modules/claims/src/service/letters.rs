//! Letters to customers: what became of their claim, in the transaction in which it became so.

use std::sync::Arc;

use agio_core::error::Params;
use agio_core::mailbox::mailbox;
use agio_core::needs::CurrencyFacts;
use agio_core::texts::Locale;
use agio_core::{Amount, Result, Timestamp, Tx};
use agio_mail::{Addressee, CLAIM_MAILS_PER_HOUR, Detail, Held, Letter, amount_in_words, moment_in_words};
use agio_requisites::mask;

use super::Claims;
use crate::MASKED;
use crate::model::State;
use crate::rules::payment::explorer_link;
use crate::rules::{Claim, Requisite};

/// The setting that says whether lists and mails show the number for talk.
const USE_PUBLIC_ID: &str = "site.use_public_id";

/// The letter that asks where a payment goes back to.
const ASKS_DESTINATION: &str = "claim_refund_destination";

/// How much of the identifier is shown in place of the number. The whole of it opens the claim, so it stands in the link alone.
const SHORT_ID: usize = 8;

impl Claims {
    /// Writes to the customer, if the state the claim has come to is news to them.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(super) async fn write_letter(&self, tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<()> {
        // What cannot be read is not asked for either: the claim is stopped, and its letters say so without it.
        match kind_of(claim.state) {
            Some(_) if claim.lacks_destination(&self.platform.vault).unwrap_or(false) => {
                self.write_letter_of(tx, ASKS_DESTINATION, claim, now).await
            }
            Some(kind) => self.write_letter_of(tx, kind, claim, now).await,
            None => Ok(()),
        }
    }

    /// Writes a customer this letter about their claim.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(super) async fn write_letter_of(&self, tx: &mut Tx, kind: &'static str, claim: &Claim, now: Timestamp) -> Result<()> {
        let locale = claim.locale();
        let to = Addressee { email: claim.email.clone(), locale };
        if !self.may_write(tx, claim, now).await? {
            return self.mailroom.hold_back(tx, &mailbox(&claim.email), &to, now).await;
        }
        self.mailroom.send(tx, &to, &self.letter(kind, claim, locale), now).await
    }

    /// Whether a letter about a claim is within what its mailbox gets in an hour. Who has shown that the address is theirs gets letters
    /// about their own claims however many others make in their name.
    async fn may_write(&self, tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<bool> {
        let (mailbox, cap) = (mailbox(&claim.email), self.platform.settings.int(CLAIM_MAILS_PER_HOUR));
        if self.mailroom.is_within(tx, &mailbox, cap, now).await? {
            return Ok(true);
        }
        let owner = self.addresses.owner(tx, &claim.email).await?;
        if owner.is_none() || owner != claim.customer_id {
            return Ok(false);
        }
        self.mailroom.is_within(tx, &format!("{mailbox} own"), cap, now).await
    }

    /// Sums up in one letter what was held back from a mailbox for an hour, with links to the claims.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn sum_up_held_letters(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        for held in self.mailroom.held(now).await? {
            let this = self.clone();
            self.platform
                .db
                .write(move |tx| {
                    let (this, held) = (this.clone(), held.clone());
                    Box::pin(async move { this.sum_up(tx, &held, now).await })
                })
                .await?;
        }
        let mailroom = self.mailroom.clone();
        self.platform
            .db
            .write(move |tx| {
                let mailroom = mailroom.clone();
                Box::pin(async move { mailroom.forget_counts(tx, now).await })
            })
            .await
    }

    async fn sum_up(&self, tx: &mut Tx, held: &Held, now: Timestamp) -> Result<()> {
        if !self.mailroom.take_held(tx, held).await? {
            return Ok(());
        }
        let to = held.to();
        let claims = self.recent_claims(tx, &to.email, now).await?;
        let Some(newest) = claims.first() else { return Ok(()) };
        let letter = Letter::new("claims_summary", ("claim", newest.id.to_string())).with("count", held.held);
        let letter = claims
            .iter()
            .fold(letter, |letter, claim| letter.listing(self.listed(claim, to.locale), format!("/claim/{}", claim.id)));
        self.mailroom.send(tx, &to, &letter, now).await
    }

    fn letter(&self, kind: &'static str, claim: &Claim, locale: Locale) -> Letter {
        let (from, to) = (self.currency(claim.from_id, &claim.from_code), self.currency(claim.to_id, &claim.to_code));
        let moment = |at: Option<Timestamp>| at.map(|at| moment_in_words(at, locale)).unwrap_or_default();
        let reason = claim.reason.as_deref().map(|reason| self.reason_text(reason, locale));
        let refund = claim.refund(&self.platform.vault).ok().flatten().map(|refund| sum(refund.amount, &from, locale));
        let letter = Letter::new(kind, ("claim", claim.id.to_string()))
            .with("number", self.number(claim))
            .with("send", sum(claim.send(), &from, locale))
            .with("receive", sum(claim.receive(), &to, locale))
            .with("came", sum(claim.sent(claim.received_units), &from, locale))
            .with("refund", refund.unwrap_or_default())
            .with("deadline", moment(claim.expires_at))
            .with("answer", moment(claim.answer_by))
            .with("reason", reason.unwrap_or_default())
            .linking(format!("/claim/{}", claim.id));
        // Details that are written out are kept sealed, as they are with the claim.
        let letter = if self.is_masked() { letter } else { letter.private() };
        match self.ticket(claim, (&from, &to), locale) {
            Ok(rows) => rows.into_iter().fold(letter, |letter, row| letter.detailing(row.label, row.value, row.link)),
            Err(_) => letter,
        }
    }

    /// The claim in rows: both amounts, the rate, both sides' details, what came and went, and the transactions.
    fn ticket(&self, claim: &Claim, (from, to): (&CurrencyFacts, &CurrencyFacts), locale: Locale) -> Result<Vec<Detail>> {
        let is_masked = self.is_masked();
        let label = |name: &str| self.texts.get(locale, &format!("mail.ticket.{name}"), &Params::new());
        let row = |name: &str, value: String| Detail { label: label(name), value, link: None };
        let given = |requisites: Vec<Requisite>| {
            requisites.into_iter().map(move |Requisite { label, kind, value, .. }| {
                let value = if is_masked { mask(kind, &value) } else { value };
                Detail { label: label.get(locale).to_owned(), value, link: None }
            })
        };
        let transaction = |name: &str, currency: &CurrencyFacts, id: &Option<String>| {
            id.as_ref().map(|id| Detail { label: label(name), value: id.clone(), link: explorer_link(currency, id) })
        };
        let mut rows = vec![row("send", sum(claim.send(), from, locale))];
        rows.extend(given(claim.from_requisites(&self.platform.vault)?));
        rows.push(row("receive", sum(claim.receive(), to, locale)));
        rows.extend(given(claim.to_requisites(&self.platform.vault)?));
        let rate = format!("1 {} = {} {}", from.ticker, amount_in_words(claim.course()?, locale), to.ticker);
        rows.push(row(if claim.floating { "rate_floating" } else { "rate" }, rate));
        if claim.received_units > 0 && claim.received_units != claim.send_units {
            rows.push(row("came", sum(claim.sent(claim.received_units), from, locale)));
        }
        if let Some((offer, _)) = claim.open_offer()? {
            rows.push(row("offer", sum(claim.received(offer.receive_units), to, locale)));
            rows.push(row("offer_until", moment_in_words(offer.expires_at, locale)));
        }
        if let Some((paid, left)) = claim.paid_out() {
            rows.push(row("paid", sum(paid, to, locale)));
            rows.push(row("left", sum(left, to, locale)));
        }
        rows.extend(transaction("tx_in", from, &claim.tx_in));
        rows.extend(transaction("tx_out", to, &claim.tx_out));
        if let Some(refund) = claim.shown_refund(&self.platform.vault)? {
            rows.push(row("refund", sum(refund.amount, from, locale)));
            rows.push(row("refund_fee", sum(refund.fee, from, locale)));
            rows.extend(given(refund.to));
        }
        if claim.state != State::RefundPending {
            rows.extend(transaction("tx_refund", from, &claim.tx_refund));
        }
        Ok(rows)
    }

    fn is_masked(&self) -> bool {
        self.platform.settings.is_on(MASKED)
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
        State::PayoutSent => Some("claim_payout_sent"),
        State::PayoutPartial => Some("claim_payout_partial"),
        State::RefundSent => Some("claim_refund_sent"),
        State::Completed => Some("claim_completed"),
        State::Refunded => Some("claim_refunded"),
        State::Cancelled => Some("claim_cancelled"),
        State::Expired => Some("claim_expired"),
        State::Rejected => Some("claim_rejected"),
        State::Verification | State::PaymentClaimed | State::PaymentSeen | State::Processing | State::PayoutError => None,
    }
}

/// `90,000.5 RUB, Sberbank`.
pub(super) fn sum(amount: Amount, currency: &CurrencyFacts, locale: Locale) -> String {
    format!("{} {}, {}", amount_in_words(amount.value(), locale), currency.ticker, currency.name.get(locale))
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
        for kind in State::ALL.into_iter().filter_map(kind_of).chain([ASKS_DESTINATION, "claim_payment_missing"]) {
            for part in ["subject", "body", "button"] {
                assert!(texts.has(&format!("mail.{kind}.{part}")), "{kind}: {part}");
            }
        }
        let beside = [
            "terms",
            "receipt",
            "note",
            "lock",
            "unlock",
            "agreed",
            "links_sent",
            "proof_sent",
            "proof_again",
            "refund_destination",
            "payment_missing",
        ];
        for action in Action::ALL.map(Action::name).into_iter().chain(beside) {
            assert!(texts.has(&format!("audit.claim.{action}")), "{action}");
        }
    }
}
