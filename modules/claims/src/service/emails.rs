//! E-mails to customers about their claims, sent in the transaction of the change.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::CurrencyInfo;
use agio_core::error::Params;
use agio_core::mailbox::mailbox;
use agio_core::texts::Locale;
use agio_core::{Amount, Result, Timestamp, Tx};
use agio_mail::{CLAIM_MAILS_PER_HOUR, Email, EmailDetail, HeldEmails, Recipient, format_money, format_rate};
use agio_requisites::mask;

use uuid::Uuid;

use super::{Claims, step_times};
use crate::MASKED;
use crate::model::ClaimState;
use crate::rules::payment::explorer_link;
use crate::rules::payout_parts::PayoutPart;
use crate::rules::{Claim, OfferedAmount, Requisite};
use crate::store::claims;

/// The setting whether lists and e-mails show the short claim number.
const USE_PUBLIC_ID: &str = "site.use_public_id";

/// The e-mail about a received payment.
const PAID: &str = "claim_paid";

/// The e-mail that asks for the refund destination.
const ASKS_DESTINATION: &str = "claim_refund_destination";

/// The e-mails about a surplus: the exchange is done and the rest is returned; it did not arrive; it is sent.
const SURPLUS_PENDING: &str = "claim_surplus_pending";
const SURPLUS_RETURNED: &str = "claim_surplus_returned";
const SURPLUS_SENT: &str = "claim_surplus_sent";

/// The e-mails in the place of those about transfers, where cash changes hands.
const CASH_AWAITED: &str = "claim_cash_awaited";
const CASH_MISSING: &str = "claim_cash_missing";
const CASH_HANDED_OVER: &str = "claim_cash_handed_over";

/// The length of the short identifier. The full one gives access to the claim, so it is only in the link.
const SHORT_ID: usize = 8;

/// How long a claim stays in a passing state before the customer is e-mailed about it. Mostly it goes on sooner, and one
/// e-mail says both.
const PASSING: Duration = Duration::from_secs(60);

/// How many claims one batch processes.
const AT_A_TIME: i64 = 200;

/// When to e-mail the customer about a state in which claims seldom stay: another state mostly follows at once.
/// `before`: when that was to be for the state before.
pub(super) fn mail_time(state: ClaimState, before: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    match state {
        ClaimState::Created | ClaimState::Paid | ClaimState::PayoutSent => Some(now.plus(PASSING)),
        // These have no e-mail of their own. The one about the received payment may still be due.
        ClaimState::Processing | ClaimState::PayoutError => before,
        _ => None,
    }
}

impl Claims {
    /// Writes the e-mails about states in which claims have stayed for a while.
    pub async fn send_due_emails(self: &Arc<Self>) -> Result<()> {
        loop {
            let now = self.platform.clock.now();
            let due = claims::to_mail(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
            let found = due.len();
            for id in due {
                let this = self.clone();
                self.platform
                    .db
                    .write(move |tx| {
                        let this = this.clone();
                        Box::pin(async move { this.send_due_email(tx, id, now).await })
                    })
                    .await?;
            }
            if found < AT_A_TIME as usize {
                return Ok(());
            }
        }
    }

    async fn send_due_email(&self, tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<()> {
        // Another node, or a customer, is at it; the next run checks it again.
        let Some(claim) = claims::locked_if_free(tx, id).await? else { return Ok(()) };
        if !claims::clear_mail_time(tx, id, now).await? {
            return Ok(());
        }
        match claim.state {
            ClaimState::Processing | ClaimState::PayoutError => self.send_email_kind(tx, PAID, &claim, now).await,
            _ => match email_kind(claim.state) {
                Some(kind) => self.send_email_kind(tx, kind, &claim, now).await,
                None => Ok(()),
            },
        }
    }

    /// Sends the e-mail about the claim's new state, if there is one and it is not due later.
    pub(super) async fn send_email(&self, tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<()> {
        if claim.progress.mail_at.is_some() {
            return Ok(());
        }
        // An unreadable claim is put on hold, and its e-mails work without the destination.
        match email_kind(claim.state) {
            Some(kind) if claim.balances.surplus.units() > 0 => {
                self.send_email_kind(tx, surplus_kind(kind, claim), claim, now).await
            }
            Some(_) if claim.lacks_destination(&self.platform.vault).unwrap_or(false) => {
                self.send_email_kind(tx, ASKS_DESTINATION, claim, now).await
            }
            Some(kind) => self.send_email_kind(tx, kind, claim, now).await,
            None => Ok(()),
        }
    }

    /// Sends an e-mail about a claim, and what it says to the browsers that are subscribed. They do not count against the
    /// limit of the mailbox: each has asked for its notifications.
    pub(super) async fn send_email_kind(&self, tx: &mut Tx, kind: &'static str, claim: &Claim, now: Timestamp) -> Result<()> {
        let locale = claim.locale();
        let payouts = step_times::payouts_of(tx, claim).await?;
        let email = self.email(self.cash_kind(kind, claim), claim, &payouts, locale);
        self.push.notify(tx, (claim.id, claim.customer.account_id), &email, locale, now).await?;
        let to = Recipient { email: claim.customer.email.clone(), locale };
        if !self.may_write(tx, claim, now).await? {
            return self.mailer.hold_back(tx, &mailbox(&claim.customer.email), &to, now).await;
        }
        self.mailer.send(tx, &to, &email, now).await
    }

    /// The e-mail in the place of one about a transfer, where that side is cash.
    fn cash_kind(&self, kind: &'static str, claim: &Claim) -> &'static str {
        match kind {
            "claim_awaiting_payment" if self.is_cash(&claim.give) => CASH_AWAITED,
            "claim_payment_missing" if self.is_cash(&claim.give) => CASH_MISSING,
            "claim_payout_sent" if self.is_cash(&claim.receive) => CASH_HANDED_OVER,
            other => other,
        }
    }

    /// Whether an e-mail is within the hourly limit of its mailbox. The confirmed owner of the address has a separate
    /// limit for their own claims.
    async fn may_write(&self, tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<bool> {
        let (mailbox, cap) = (mailbox(&claim.customer.email), self.platform.settings.int(CLAIM_MAILS_PER_HOUR));
        if self.mailer.count_email(tx, &mailbox, cap, now).await? {
            return Ok(true);
        }
        let owner = self.confirmed_emails.owner(tx, &claim.customer.email).await?;
        if owner.is_none() || owner != claim.customer.account_id {
            return Ok(false);
        }
        self.mailer.count_email(tx, &format!("{mailbox} own"), cap, now).await
    }

    /// Sends one summary for the e-mails held back from a mailbox for an hour, with links to the claims.
    pub async fn send_held_summaries(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        for held in self.mailer.list_held_emails(now).await? {
            let this = self.clone();
            self.platform
                .db
                .write(move |tx| {
                    let (this, held) = (this.clone(), held.clone());
                    Box::pin(async move { this.send_held_summary(tx, &held, now).await })
                })
                .await?;
        }
        Ok(())
    }

    async fn send_held_summary(&self, tx: &mut Tx, held: &HeldEmails, now: Timestamp) -> Result<()> {
        if !self.mailer.claim_held_emails(tx, held).await? {
            return Ok(());
        }
        let to = held.recipient();
        let claims = self.recent_claims(tx, &to.email, now).await?;
        let Some(newest) = claims.first() else { return Ok(()) };
        let email = Email::new("claims_summary", ("claim", newest.id.to_string())).with("count", held.held);
        let email = claims
            .iter()
            .fold(email, |email, claim| email.with_link(self.claim_line(claim, to.locale), format!("/claim/{}", claim.id)));
        self.mailer.send(tx, &to, &email, now).await
    }

    /// A time in the customer's zone.
    fn time_for(&self, claim: &Claim, at: Timestamp, locale: Locale) -> String {
        self.mailer.format_time(at, locale, claim.customer.time_zone.as_deref())
    }

    /// `payouts`: the transfers of a payout that was made in parts.
    fn email(&self, kind: &'static str, claim: &Claim, payouts: &[PayoutPart], locale: Locale) -> Email {
        let (from, to) = (
            self.currency(claim.give.currency_id(), &claim.give.code),
            self.currency(claim.receive.currency_id(), &claim.receive.code),
        );
        let moment = |at: Option<Timestamp>| at.map(|at| self.time_for(claim, at, locale)).unwrap_or_default();
        let reason = claim.progress.reason.as_deref().map(|reason| self.reason_text(reason, locale));
        let refund = claim.refund(&self.platform.vault).ok().flatten().map(|refund| sum(refund.amount, &from, locale));
        let email = Email::new(kind, ("claim", claim.id.to_string()))
            .with("number", self.number(claim))
            .with("send", sum(claim.give.amount, &from, locale))
            .with("receive", sum(claim.receive.amount, &to, locale))
            .with("came", sum(claim.balances.received, &from, locale))
            .with("refund", refund.unwrap_or_default())
            .with("deadline", moment(claim.progress.expires_at))
            .with("answer", moment(claim.progress.answer_by))
            .with("reason", reason.unwrap_or_default())
            .with_button(format!("/claim/{}", claim.id));
        // An e-mail with unmasked requisites is stored encrypted, as the claim's are.
        let email = if self.is_masked() { email } else { email.private() };
        match self.ticket(claim, (&from, &to), payouts, locale) {
            Ok(rows) => rows.into_iter().fold(email, |email, row| email.with_detail(row.label, row.value, row.link)),
            Err(_) => email,
        }
    }

    /// The details in an e-mail: amounts, rate, requisites and transactions.
    fn ticket(
        &self,
        claim: &Claim,
        (from, to): (&CurrencyInfo, &CurrencyInfo),
        payouts: &[PayoutPart],
        locale: Locale,
    ) -> Result<Vec<EmailDetail>> {
        let is_masked = self.is_masked();
        let label = |name: &str| self.texts.get(locale, &format!("mail.ticket.{name}"), &Params::new());
        let row = |name: &str, value: String| EmailDetail { label: label(name), value, link: None };
        let given = |requisites: Vec<Requisite>| {
            requisites.into_iter().map(move |Requisite { label, kind, value, .. }| {
                let value = if is_masked { mask(kind, &value) } else { value };
                EmailDetail { label: label.get(locale).to_owned(), value, link: None }
            })
        };
        let transaction = |name: &str, currency: &CurrencyInfo, id: &Option<String>| {
            id.as_ref().map(|id| EmailDetail { label: label(name), value: id.clone(), link: explorer_link(currency, id) })
        };
        let is_open = claim.has_open_rate();
        let (send, receive) = match claim.state {
            // With a surplus an exchange took place, and only what is beyond the agreed amount is returned.
            ClaimState::RefundPending
            | ClaimState::RefundSent
            | ClaimState::Refunded
            | ClaimState::Cancelled
            | ClaimState::Expired
            | ClaimState::Rejected
                if claim.balances.surplus.units() == 0 =>
            {
                ("send_agreed", "receive_agreed")
            }
            _ if is_open => ("send", "receive_about"),
            _ => ("send", "receive"),
        };
        let mut rows = vec![row(send, sum(claim.give.amount, from, locale))];
        rows.extend(given(claim.give_requisites(&self.platform.vault)?));
        rows.push(row(receive, sum(claim.receive.amount, to, locale)));
        rows.extend(given(claim.receive_requisites(&self.platform.vault)?));
        rows.extend(self.meeting_place(claim, locale)?.map(|place| row("city", place)));
        let rate = format_rate(claim.rate()?, &from.ticker, &to.ticker, locale);
        let rate_label = match (is_open, claim.terms.floating) {
            (true, _) => "rate_floating",
            (false, true) => "rate_fixed",
            (false, false) => "rate",
        };
        rows.push(row(rate_label, rate));
        if claim.balances.received.units() > 0 && claim.balances.received != claim.give.amount {
            rows.push(row("came", sum(claim.balances.received, from, locale)));
        }
        if let Some(surplus) = claim.surplus()? {
            rows.push(row("surplus", sum(surplus, from, locale)));
        }
        if let Some((offer, _)) = claim.open_offer(OfferedAmount::Received)? {
            rows.push(row("offer", sum(claim.receive.of(offer.receive_units), to, locale)));
            rows.push(row("offer_until", self.time_for(claim, offer.expires_at, locale)));
        }
        if let Some((paid, left)) = claim.paid_out() {
            rows.push(row("paid", sum(paid, to, locale)));
            // A refund is in the place of the rest.
            if !matches!(claim.state, ClaimState::RefundPending | ClaimState::RefundSent | ClaimState::Refunded) {
                rows.push(row("left", sum(left, to, locale)));
            }
        }
        rows.extend(transaction("tx_in", from, &claim.references.tx_in));
        if payouts.is_empty() {
            rows.extend(transaction("tx_out", to, &claim.references.tx_out));
        }
        rows.extend(payouts.iter().map(|part| EmailDetail {
            label: format!("{}, {}", label("tx_out"), format_money(claim.receive.of(part.units).value(), &to.ticker, locale)),
            value: part.tx_id.clone(),
            link: explorer_link(to, &part.tx_id),
        }));
        if let Some(refund) = claim.shown_refund(&self.platform.vault)? {
            let is_choice = matches!(claim.state, ClaimState::AmountMismatch | ClaimState::LatePayment);
            rows.push(row(if is_choice { "refund_choice" } else { "refund" }, sum(refund.amount, from, locale)));
            let fee = if refund.fee.units() == 0 { label("refund_fee_none") } else { sum(refund.fee, from, locale) };
            rows.push(row("refund_fee", fee));
            rows.extend(given(refund.to));
        }
        if claim.state != ClaimState::RefundPending {
            rows.extend(transaction("tx_refund", from, &claim.references.tx_refund));
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

/// The e-mail about a state. There is none for the customer's own actions and for internal steps; the verification
/// module sends its own.
fn email_kind(state: ClaimState) -> Option<&'static str> {
    match state {
        ClaimState::Created => Some("claim_created"),
        ClaimState::AwaitingPayment => Some("claim_awaiting_payment"),
        ClaimState::AmountMismatch => Some("claim_amount_mismatch"),
        ClaimState::LatePayment => Some("claim_late_payment"),
        ClaimState::OnHold => Some("claim_on_hold"),
        ClaimState::Paid => Some(PAID),
        ClaimState::RefundPending => Some("claim_refund_pending"),
        ClaimState::PayoutSent => Some("claim_payout_sent"),
        ClaimState::PayoutPartial => Some("claim_payout_partial"),
        ClaimState::RefundSent => Some("claim_refund_sent"),
        ClaimState::Completed => Some("claim_completed"),
        ClaimState::Refunded => Some("claim_refunded"),
        ClaimState::Cancelled => Some("claim_cancelled"),
        ClaimState::Expired => Some("claim_expired"),
        ClaimState::Rejected => Some("claim_rejected"),
        ClaimState::Verification
        | ClaimState::PaymentClaimed
        | ClaimState::PaymentSeen
        | ClaimState::Processing
        | ClaimState::PayoutError => None,
    }
}

/// The e-mail in the place of one about a refund, when the refund is a surplus.
fn surplus_kind(kind: &'static str, claim: &Claim) -> &'static str {
    match kind {
        // A surplus has a reason only if its transfer came back.
        "claim_refund_pending" if claim.progress.reason.is_some() => SURPLUS_RETURNED,
        "claim_refund_pending" => SURPLUS_PENDING,
        "claim_refund_sent" => SURPLUS_SENT,
        other => other,
    }
}

/// `90,000.5 ₽, Sberbank`.
pub(super) fn sum(amount: Amount, currency: &CurrencyInfo, locale: Locale) -> String {
    format!("{}, {}", format_money(amount.value(), &currency.ticker, locale), currency.name.get(locale))
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
        for kind in ClaimState::ALL.into_iter().filter_map(email_kind).chain([
            ASKS_DESTINATION,
            SURPLUS_PENDING,
            SURPLUS_RETURNED,
            SURPLUS_SENT,
            CASH_AWAITED,
            CASH_MISSING,
            CASH_HANDED_OVER,
            "claim_payment_missing",
        ]) {
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
            "payment_details",
            "payment_missing",
        ];
        for action in Action::ALL.map(Action::name).into_iter().chain(beside) {
            assert!(texts.has(&format!("audit.claim.{action}")), "{action}");
        }
    }
}
