//! A claim as it is kept.

use std::fmt;

use agio_core::texts::{Bilingual, Locale};
use agio_core::{Amount, Error, Result, Timestamp, Vault};
use agio_requisites::{Kind, mask};
use rust_decimal::Decimal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::books::share;
use super::terms::unreadable;
use crate::model::{Books, State};

/// A claim, whole. Its amounts are units of the currencies' scales.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Claim {
    /// The short number for talk.
    pub public_id: i64,
    /// The identifier nobody guesses.
    pub id: Uuid,
    /// Where it stands.
    pub state: State,
    /// The state it was in when it was stopped.
    pub stopped_in: Option<State>,
    /// Counts every change.
    pub revision: i64,
    /// The customer's address.
    pub email: String,
    /// The language the customer used.
    pub locale: String,
    /// Digest of the secret of the browser that made it.
    pub guest_digest: String,
    /// Digest of the address it was made from.
    pub address_digest: String,
    /// The account it was made in; nothing where a guest made it.
    pub customer_id: Option<Uuid>,
    /// The referrer's code.
    pub referral: Option<String>,
    /// The partner it was made through.
    pub partner_id: Option<Uuid>,
    /// The partner's own name for it.
    pub partner_ref: Option<String>,
    /// Where the partner is told of it, where that is not their usual place.
    pub partner_callback: Option<String>,
    /// The currency sent.
    pub from_id: i64,
    /// The currency received.
    pub to_id: i64,
    /// The code of the currency sent, as it was then.
    pub from_code: String,
    /// The code of the currency received, as it was then.
    pub to_code: String,
    /// What is to be sent.
    pub send_units: i64,
    /// Decimals of the currency sent.
    pub send_scale: i64,
    /// What is to be received.
    pub receive_units: i64,
    /// Decimals of the currency received.
    pub receive_scale: i64,
    /// What the sent amount is worth at the market, in the received currency.
    pub worth_units: i64,
    /// Units received for one unit sent.
    pub course: String,
    /// Percent of bonus in the course.
    pub bonus: String,
    /// The promo code it uses.
    pub promo: Option<String>,
    /// The terms as the calculator gave them, JSON.
    pub terms: String,
    /// Where these are kept; nothing while they are not.
    pub terms_id: Option<i64>,
    /// When these terms were agreed: when the quote was made, where there was one.
    pub terms_at: Timestamp,
    /// For how many minutes they hold.
    pub hold_minutes: i64,
    /// Whether the rate is fixed only when the payment arrives.
    pub floating: bool,
    /// Which version of the rules the customer agreed to.
    pub terms_version: Option<String>,
    /// Whether the customer agreed to the check of the origin of money.
    pub aml_consent: bool,
    /// Requisites given for the sent side, sealed.
    pub from_requisites: String,
    /// Requisites to pay out to, sealed.
    pub to_requisites: String,
    /// Requisites to return the payment to, sealed.
    pub refund_requisites: Option<String>,
    /// The [digest](found_by) of the first requisite of the sent side.
    pub from_digest: Option<String>,
    /// The same of the received side.
    pub to_digest: Option<String>,
    /// The hold on the reserve, while there is one.
    pub hold_id: Option<Uuid>,
    /// The customer's money that is here, in units of the sent currency.
    pub in_units: i64,
    /// The payout that is on its way, in units of the received currency.
    pub out_units: i64,
    /// The refund that is on its way, in units of the sent currency.
    pub refund_units: i64,
    /// All that ever came for the claim, in units of the sent currency.
    pub received_units: i64,
    /// How much of the payout has arrived, where only a part did.
    pub paid_out_units: i64,
    /// How much of the payment was returned and has arrived, in units of the sent currency.
    pub returned_units: i64,
    /// The requisite of the pool the customer pays to.
    pub requisite_id: Option<Uuid>,
    /// The day on which it was taken, numbered from 1970-01-01 UTC.
    pub requisite_day: Option<i64>,
    /// Where the customer pays.
    pub payment_value: Option<String>,
    /// Who holds that account.
    pub payment_holder: Option<String>,
    /// The memo or tag that must go with the payment.
    pub payment_memo: Option<String>,
    /// When the payment was first seen on its network, or made as staff dated it; of several the last.
    pub paid_at: Option<Timestamp>,
    /// When the customer is told that nobody sees the payment they reported.
    pub warn_at: Option<Timestamp>,
    /// How much of the reserve it holds for somebody who has proven nothing, while nothing has come.
    pub unproven_units: i64,
    /// When the present state ends by itself.
    pub expires_at: Option<Timestamp>,
    /// By when somebody should have acted.
    pub due_at: Timestamp,
    /// By when the customer has an answer.
    pub answer_by: Option<Timestamp>,
    /// The verification it waits for, or waited for last.
    pub verification_id: Option<Uuid>,
    /// Why it was stopped or refused: a code, or the operator's own words.
    pub reason: Option<String>,
    /// The customer's payment.
    pub tx_in: Option<String>,
    /// The payout.
    pub tx_out: Option<String>,
    /// The returned payment.
    pub tx_refund: Option<String>,
    /// New terms that wait for the customer's word, JSON of an [`Offer`].
    pub offer: Option<String>,
    /// The operator who has it in hand.
    pub holder_id: Option<Uuid>,
    /// Their name.
    pub holder_name: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What of a claim's requisites is sealed for: the sent side, the received side, and a refund.
pub const FROM: &str = "from_requisites";
/// The requisites to pay out to.
pub const TO: &str = "to_requisites";
/// The requisites to return the payment to.
pub const REFUND: &str = "refund_requisites";

/// A requisite with the name and kind of the field it was given in, so that it reads the same after the field changes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requisite {
    /// The field.
    pub name: String,
    /// What the field is called.
    pub label: Bilingual,
    /// What it holds.
    pub kind: Kind,
    /// The value in its normal form.
    pub value: String,
}

/// As logs may show it.
impl fmt::Debug for Requisite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, mask(self.kind, &self.value))
    }
}

/// Terms as they can be agreed on and kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// What is sent.
    pub send_units: i64,
    /// What is received.
    pub receive_units: i64,
    /// What the sent amount is worth at the market.
    pub worth_units: i64,
    /// Units received for one unit sent.
    pub course: String,
    /// Percent of bonus in the course.
    pub bonus: String,
    /// The calculator's terms, JSON.
    pub terms: String,
    /// For how many minutes they hold.
    pub hold_minutes: i64,
    /// Until when they hold.
    pub expires_at: Timestamp,
}

impl Claim {
    /// What the customer sends.
    #[must_use]
    pub fn send(&self) -> Amount {
        self.sent(self.send_units)
    }

    /// What the customer receives.
    #[must_use]
    pub fn receive(&self) -> Amount {
        self.received(self.receive_units)
    }

    /// Units of the currency sent, as an amount.
    #[must_use]
    pub fn sent(&self, units: i64) -> Amount {
        Amount::of_units(units, scale(self.send_scale))
    }

    /// Units of the currency received, as an amount.
    #[must_use]
    pub fn received(&self, units: i64) -> Amount {
        Amount::of_units(units, scale(self.receive_scale))
    }

    /// The course as a number.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn course(&self) -> Result<Decimal> {
        self.number("course", &self.course)
    }

    /// Percent of bonus in the course.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn bonus(&self) -> Result<Decimal> {
        self.number("bonus", &self.bonus)
    }

    fn number(&self, what: &'static str, text: &str) -> Result<Decimal> {
        Decimal::from_str_exact(text).map_err(|why| unreadable(self, what, why))
    }

    /// The language the customer used.
    #[must_use]
    pub fn locale(&self) -> Locale {
        self.locale.parse().unwrap_or_default()
    }

    /// What the books hold for it, as the table of transitions sees it.
    #[must_use]
    pub fn books(&self) -> Books {
        Books {
            reserve: self.hold_id.is_some(),
            money: self.in_units > 0,
            payout: self.out_units > 0,
            refund: self.refund_units > 0,
        }
    }

    /// When the agreed terms stop to hold.
    #[must_use]
    pub fn terms_end(&self) -> Timestamp {
        self.terms_at.plus(crate::minutes(self.hold_minutes))
    }

    /// Until when a rate is promised; nothing for a claim whose rate is that of its payment.
    #[must_use]
    pub fn promised_until(&self) -> Option<Timestamp> {
        (!self.floating).then(|| self.terms_end())
    }

    /// Whether a payment that was first seen, or made, at a moment is too late for the agreed terms.
    #[must_use]
    pub fn is_late(&self, paid_at: Timestamp) -> bool {
        self.promised_until().is_some_and(|end| paid_at >= end)
    }

    /// How much it counts against the reserve that may be held for those who have proven nothing.
    #[must_use]
    pub fn counted_unproven(&self) -> i64 {
        let holds_for_nothing = self.unproven_units > 0 && self.hold_id.is_some() && self.received_units == 0;
        if holds_for_nothing { self.receive_units } else { 0 }
    }

    /// The offer that waits for the customer.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn offer(&self) -> Result<Option<Offer>> {
        self.offer.as_deref().map(|json| self.json("offer", json)).transpose()
    }

    /// The requisites given for the sent side.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn from_requisites(&self, vault: &Vault) -> Result<Vec<Requisite>> {
        self.opened(vault, FROM, &self.from_requisites)
    }

    /// The requisites to pay out to.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn to_requisites(&self, vault: &Vault) -> Result<Vec<Requisite>> {
        self.opened(vault, TO, &self.to_requisites)
    }

    /// The requisites to return the payment to; nothing where none were given for that.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn refund_requisites(&self, vault: &Vault) -> Result<Option<Vec<Requisite>>> {
        self.refund_requisites.as_deref().map(|sealed| self.opened(vault, REFUND, sealed)).transpose()
    }

    /// Requisites of this claim, sealed to be kept as what they are: [`FROM`], [`TO`] or [`REFUND`].
    ///
    /// # Errors
    /// Never in practice: requisites are plain text.
    pub fn sealed(&self, vault: &Vault, what: &'static str, requisites: &[Requisite]) -> Result<String> {
        Ok(vault.seal(&purpose(self.id, what), requisites_json(requisites)?.as_bytes()))
    }

    fn opened(&self, vault: &Vault, what: &'static str, sealed: &str) -> Result<Vec<Requisite>> {
        let opened = vault.open(&purpose(self.id, what), sealed).map_err(|why| unreadable(self, what, why))?;
        // What was read is not named: it may be somebody's card.
        serde_json::from_slice(&opened).map_err(|_| unreadable(self, what, "these are no requisites"))
    }

    fn json<T: DeserializeOwned>(&self, what: &'static str, text: &str) -> Result<T> {
        serde_json::from_str(text).map_err(|why| unreadable(self, what, why))
    }

    /// Takes what came for what was to come, once that is settled: from here on the claim's amounts are those of the exchange, and what
    /// is earned follows from what came.
    ///
    /// # Errors
    /// `internal` when nothing came, or the amounts are out of range.
    pub fn take_what_came(&mut self) -> Result<()> {
        if self.received_units <= 0 {
            return Err(Error::internal(format!("claim {} counts as paid and nothing came for it", self.public_id)));
        }
        if self.received_units != self.send_units {
            self.worth_units = share(self.worth_units, self.received_units, self.send_units)?;
            self.send_units = self.received_units;
        }
        Ok(())
    }

    /// Puts an offer's terms in the place of the agreed ones.
    pub fn take_terms(&mut self, offer: Offer, now: Timestamp) {
        self.send_units = offer.send_units;
        self.receive_units = offer.receive_units;
        self.worth_units = offer.worth_units;
        self.course = offer.course;
        self.bonus = offer.bonus;
        self.terms = offer.terms;
        self.terms_id = None;
        self.hold_minutes = offer.hold_minutes;
        self.terms_at = now;
        self.offer = None;
    }
}

/// The JSON in which requisites are kept.
///
/// # Errors
/// Never in practice: requisites are plain text.
pub fn requisites_json(requisites: &[Requisite]) -> Result<String> {
    serde_json::to_string(requisites).map_err(Error::internal)
}

/// What requisites of a claim are sealed for.
pub fn purpose(claim: Uuid, what: &str) -> String {
    format!("claim {what} {claim}")
}

/// Every keyed digest under which claims with this requisite may be found, the one they are kept under now first. How a value is grouped and whether
/// its letters are capital makes no difference.
#[must_use]
pub fn found_by(vault: &Vault, value: &str) -> Vec<String> {
    let plain: String = value.chars().filter(|sign| !sign.is_whitespace() && *sign != '-').flat_map(char::to_lowercase).collect();
    vault.digests("claim requisite", &plain)
}

fn scale(stored: i64) -> u32 {
    u32::try_from(stored).expect("a scale is stored from a small whole number")
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use agio_core::random::SeededRandom;

    use super::*;

    /// The vault everything of the claim below is sealed in.
    pub(crate) fn vault() -> Vault {
        Vault::new(Arc::new(SeededRandom::new(1)), &[[1; 32]])
    }

    /// A text as requisites of the claim below are kept.
    pub(crate) fn sealed(what: &str, text: &str) -> String {
        vault().seal(&purpose(Uuid::nil(), what), text.as_bytes())
    }

    /// A claim of 0.015 BTC for 90 000 RUB that has just been made.
    pub(crate) fn claim() -> Claim {
        let now = Timestamp(1_711_627_200_000_000);
        Claim {
            public_id: 100_001,
            id: Uuid::nil(),
            state: State::Created,
            stopped_in: None,
            revision: 1,
            email: "ivan@example.com".into(),
            locale: "ru".into(),
            guest_digest: String::new(),
            address_digest: String::new(),
            customer_id: None,
            referral: None,
            partner_id: None,
            partner_ref: None,
            partner_callback: None,
            from_id: 1,
            to_id: 2,
            from_code: "BTC".into(),
            to_code: "SBERRUB".into(),
            send_units: 1_500_000,
            send_scale: 8,
            receive_units: 9_000_000,
            receive_scale: 2,
            worth_units: 9_200_000,
            course: "6000000".into(),
            bonus: "0".into(),
            promo: None,
            terms: crate::rules::terms::tests::terms("0", "0"),
            terms_id: None,
            terms_at: now,
            hold_minutes: 20,
            floating: false,
            terms_version: None,
            aml_consent: true,
            from_requisites: sealed(FROM, "[]"),
            to_requisites: sealed(TO, "[]"),
            refund_requisites: None,
            from_digest: None,
            to_digest: None,
            hold_id: None,
            in_units: 0,
            out_units: 0,
            refund_units: 0,
            received_units: 0,
            paid_out_units: 0,
            returned_units: 0,
            requisite_id: None,
            requisite_day: None,
            payment_value: None,
            payment_holder: None,
            payment_memo: None,
            paid_at: None,
            warn_at: None,
            unproven_units: 0,
            expires_at: None,
            due_at: now,
            answer_by: None,
            verification_id: None,
            reason: None,
            tx_in: None,
            tx_out: None,
            tx_refund: None,
            offer: None,
            holder_id: None,
            holder_name: None,
            created_at: now,
            updated_at: now,
        }
    }
}
