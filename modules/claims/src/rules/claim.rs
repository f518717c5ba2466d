//! A claim as it is stored.

use std::fmt;
use std::fmt::Display;
use std::time::Duration;

use agio_core::money::CurrencyUnit;
use agio_core::texts::{Bilingual, Locale};
use agio_core::{Amount, Error, Result, Timestamp, Vault};
use agio_requisites::{RequisiteKind, mask};
use rust_decimal::Decimal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, Row};
use uuid::Uuid;

use super::ledger_entries::share;
use super::terms::unreadable;
use crate::model::{ClaimState, LedgerState};

/// How late a payment may be to be exchanged at the agreed terms although they have ended. Without a bound, somebody could
/// keep claims that they never paid, and always pay the one whose rate is better than the present one by the tolerance.
const TOLERATED_DELAY: Duration = Duration::from_secs(2 * 60 * 60);

#[derive(Clone, Debug)]
pub struct Claim {
    /// The short claim number, for people.
    pub public_id: i64,
    /// The secret identifier: it gives access to the claim.
    pub id: Uuid,
    pub state: ClaimState,
    /// The state before the hold.
    pub stopped_in: Option<ClaimState>,
    /// Incremented by every change.
    pub revision: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub customer: ClaimCustomer,
    pub give: ClaimSide,
    pub receive: ClaimSide,
    pub terms: ClaimTerms,
    pub balances: ClaimBalances,
    pub payment: ClaimPayment,
    /// The encrypted refund requisites.
    pub refund_requisites: Option<String>,
    pub references: ClaimReferences,
    pub progress: ClaimProgress,
}

/// The customer, and what they consented to.
#[derive(Clone, Debug, FromRow)]
pub struct ClaimCustomer {
    /// In lower case.
    pub email: String,
    pub locale: String,
    /// The IANA name of the customer's time zone, if their browser gave it.
    pub time_zone: Option<String>,
    /// The digest of the secret of the browser that created the claim.
    pub guest_digest: String,
    /// The digest of the IP address that created it.
    pub address_digest: String,
    /// The account that created it; `None` for a guest.
    #[sqlx(rename = "customer_id")]
    pub account_id: Option<Uuid>,
    /// The version of the terms of service the customer accepted.
    pub terms_version: Option<String>,
    /// Whether the customer consented to an AML check.
    pub aml_consent: bool,
}

/// One side of the exchange.
#[derive(Clone, Debug)]
pub struct ClaimSide {
    /// The code of the currency at creation.
    pub code: String,
    /// The agreed amount.
    pub amount: Amount,
    /// The encrypted requisites the customer entered for this side.
    pub requisites: String,
    /// The [digest](found_by) of the first of them.
    pub digest: Option<String>,
}

impl ClaimSide {
    pub fn currency_id(&self) -> i64 {
        self.amount.currency().id()
    }

    /// An amount of this side's currency.
    pub fn of(&self, units: i64) -> Amount {
        Amount::of_units(units, self.amount.currency())
    }

    pub fn zero(&self) -> Amount {
        self.of(0)
    }
}

/// What was agreed besides the amounts.
#[derive(Clone, Debug)]
pub struct ClaimTerms {
    /// The market value of the give amount, in the receive currency.
    pub market_value: Amount,
    /// Units received for one unit given.
    pub rate: String,
    /// The bonus included in the rate, in percent.
    pub bonus: String,
    /// JSON of [`agio_contracts::AgreedTerms`].
    pub json: String,
    /// The id of the stored JSON; `None` while it is not stored.
    pub id: Option<i64>,
    /// When they were agreed: the time of the quote, if there was one.
    pub agreed_at: Timestamp,
    /// How long they are valid.
    pub hold_minutes: i64,
    /// Whether the rate is fixed when the payment arrives.
    pub floating: bool,
}

/// What the ledger holds for the claim, and what has arrived on either side.
#[derive(Clone, Debug)]
pub struct ClaimBalances {
    /// The hold on the reserve, while there is one.
    pub hold_id: Option<Uuid>,
    /// The customer's money that is held. Give currency, as all but the last three.
    pub held: Amount,
    /// The refund on its way.
    pub refund: Amount,
    /// The total received.
    pub received: Amount,
    /// Refunded and arrived.
    pub returned: Amount,
    /// What arrived beyond the agreed amount and is returned after the exchange. It is a part of what is held until then,
    /// and of the refund while it is on its way.
    pub surplus: Amount,
    /// The payout on its way.
    pub payout: Amount,
    /// The part of the payout that has arrived, when only a part has.
    pub paid_out: Amount,
    /// What the claim holds of the unproven customers' share of the reserve, while less than a tenth is paid.
    pub unproven: Amount,
}

impl ClaimBalances {
    /// Nothing was received or paid out.
    pub fn empty(give: &ClaimSide, receive: &ClaimSide) -> Self {
        let (given, received) = (give.zero(), receive.zero());
        Self {
            hold_id: None,
            held: given,
            refund: given,
            received: given,
            returned: given,
            surplus: given,
            payout: received,
            paid_out: received,
            unproven: received,
        }
    }

    /// The part of the held money that is exchanged.
    ///
    /// # Errors
    /// `internal` when that is nothing.
    pub fn to_exchange(&self) -> Result<Amount> {
        let exchanged = self.held.minus(self.surplus)?;
        if exchanged.units() > 0 {
            return Ok(exchanged);
        }
        Err(Error::internal(format!("of {} held, {} are a surplus", self.held, self.surplus)))
    }
}

/// Where the customer pays, and when they did.
#[derive(Clone, Debug, Default, FromRow)]
pub struct ClaimPayment {
    /// The assigned requisite.
    pub requisite_id: Option<Uuid>,
    /// The card, account or address.
    #[sqlx(rename = "payment_value")]
    pub value: Option<String>,
    #[sqlx(rename = "payment_holder")]
    pub holder: Option<String>,
    /// The memo or tag the payment must carry.
    #[sqlx(rename = "payment_memo")]
    pub memo: Option<String>,
    /// The page of a bank or merchant on which the customer pays; the value is the name of its invoice then.
    #[sqlx(rename = "payment_page")]
    pub page: Option<String>,
    /// When the payment was first seen on its network, or made, as staff dated it. Of several payments, the last.
    pub paid_at: Option<Timestamp>,
}

/// What the claim refers to elsewhere.
#[derive(Clone, Debug, Default, FromRow)]
pub struct ClaimReferences {
    pub referral: Option<String>,
    pub promo: Option<String>,
    /// JSON of the [`CashCity`] in which cash changes hands.
    pub city: Option<String>,
    pub partner_id: Option<Uuid>,
    /// The partner's own name of the claim.
    pub partner_ref: Option<String>,
    /// The webhook URL, when it is not the partner's default.
    pub partner_callback: Option<String>,
    /// The verification it waits for, or its last one.
    pub verification_id: Option<Uuid>,
    /// The payment transaction.
    pub tx_in: Option<String>,
    /// The payout transaction.
    pub tx_out: Option<String>,
    /// The refund transaction.
    pub tx_refund: Option<String>,
}

/// What happens next, when, and by whom.
#[derive(Clone, Debug, FromRow)]
pub struct ClaimProgress {
    /// When the current state times out.
    pub expires_at: Option<Timestamp>,
    /// When the next action is due.
    pub due_at: Timestamp,
    /// When to warn the customer that the reported payment has not been found.
    pub warn_at: Option<Timestamp>,
    /// When to e-mail the customer about the present state, if the claim has not gone on by then.
    pub mail_at: Option<Timestamp>,
    /// The time by which the customer gets an answer.
    pub answer_by: Option<Timestamp>,
    /// Why it was put on hold or rejected: a code, or the operator's text.
    pub reason: Option<String>,
    /// New terms that the customer can accept: JSON of an [`Offer`].
    pub offer: Option<String>,
    /// Terms for the agreed amount, when the rest can be returned: JSON of an [`Offer`].
    pub surplus_offer: Option<String>,
    /// The operator who has locked it.
    pub holder_id: Option<Uuid>,
    pub holder_name: Option<String>,
}

impl ClaimProgress {
    pub fn due(due_at: Timestamp) -> Self {
        Self {
            expires_at: None,
            due_at,
            warn_at: None,
            mail_at: None,
            answer_by: None,
            reason: None,
            offer: None,
            surplus_offer: None,
            holder_id: None,
            holder_name: None,
        }
    }
}

/// Reads a claim with its terms. Amounts need a currency from another column, so the sides are not derived.
macro_rules! read_from {
    ($row:ty) => {
        impl FromRow<'_, $row> for Claim {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                let give = CurrencyUnit::new(row.try_get("give_id")?, row.try_get::<i64, _>("give_scale")?);
                let receive = CurrencyUnit::new(row.try_get("receive_id")?, row.try_get::<i64, _>("receive_scale")?);
                let amount = |column: &str, currency: CurrencyUnit| -> sqlx::Result<Amount> {
                    Ok(Amount::of_units(row.try_get(column)?, currency))
                };
                Ok(Self {
                    public_id: row.try_get("public_id")?,
                    id: row.try_get("id")?,
                    state: row.try_get("state")?,
                    stopped_in: row.try_get("stopped_in")?,
                    revision: row.try_get("revision")?,
                    created_at: row.try_get("created_at")?,
                    updated_at: row.try_get("updated_at")?,
                    customer: ClaimCustomer::from_row(row)?,
                    give: ClaimSide {
                        code: row.try_get("give_code")?,
                        amount: amount("give_units", give)?,
                        requisites: row.try_get("give_requisites")?,
                        digest: row.try_get("give_digest")?,
                    },
                    receive: ClaimSide {
                        code: row.try_get("receive_code")?,
                        amount: amount("receive_units", receive)?,
                        requisites: row.try_get("receive_requisites")?,
                        digest: row.try_get("receive_digest")?,
                    },
                    terms: ClaimTerms {
                        market_value: amount("market_units", receive)?,
                        rate: row.try_get("rate")?,
                        bonus: row.try_get("bonus")?,
                        json: row.try_get("terms")?,
                        id: row.try_get("terms_id")?,
                        agreed_at: row.try_get("agreed_at")?,
                        hold_minutes: row.try_get("hold_minutes")?,
                        floating: row.try_get("floating")?,
                    },
                    balances: ClaimBalances {
                        hold_id: row.try_get("hold_id")?,
                        held: amount("in_units", give)?,
                        refund: amount("refund_units", give)?,
                        received: amount("received_units", give)?,
                        returned: amount("returned_units", give)?,
                        surplus: amount("surplus_units", give)?,
                        payout: amount("out_units", receive)?,
                        paid_out: amount("paid_out_units", receive)?,
                        unproven: amount("unproven_units", receive)?,
                    },
                    payment: ClaimPayment::from_row(row)?,
                    refund_requisites: row.try_get("refund_requisites")?,
                    references: ClaimReferences::from_row(row)?,
                    progress: ClaimProgress::from_row(row)?,
                })
            }
        }
    };
}

read_from!(sqlx::sqlite::SqliteRow);
read_from!(sqlx::postgres::PgRow);

/// The purposes for which a claim's requisites are encrypted: give side, receive side, refund.
pub const GIVE_REQUISITES: &str = "give_requisites";
/// The payout requisites.
pub const RECEIVE_REQUISITES: &str = "receive_requisites";
pub const REFUND_REQUISITES: &str = "refund_requisites";

/// A requisite with the name and kind of its field at the time, so that later changes of the field do not matter.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requisite {
    /// The field.
    pub name: String,
    /// The label of the field.
    pub label: Bilingual,
    pub kind: RequisiteKind,
    /// The value in its normal form.
    pub value: String,
}

impl fmt::Debug for Requisite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, mask(self.kind, &self.value))
    }
}

/// The amount that an offer exchanges, when a different amount arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferedAmount {
    /// All that arrived.
    Received,
    /// The agreed amount; the rest is returned.
    Agreed,
}

/// Terms that can be accepted, as they are stored with their claim: in units of its currencies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// The give side.
    pub give_units: i64,
    /// The receive side.
    pub receive_units: i64,
    /// The market value of the give amount, in the receive currency.
    pub market_units: i64,
    /// Units received for one unit given.
    pub rate: String,
    /// The bonus included in the rate, in percent.
    pub bonus: String,
    /// The terms, JSON from the calculator.
    pub terms: String,
    /// How long they are valid, in minutes.
    pub hold_minutes: i64,
    /// Until when they are valid.
    pub expires_at: Timestamp,
}

impl Claim {
    /// Units received for one unit given.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn rate(&self) -> Result<Decimal> {
        self.number("rate", &self.terms.rate)
    }

    /// The bonus included in the rate, in percent.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn bonus(&self) -> Result<Decimal> {
        self.number("bonus", &self.terms.bonus)
    }

    fn number(&self, what: &'static str, text: &str) -> Result<Decimal> {
        Decimal::from_str_exact(text).map_err(|why| unreadable(self, what, why))
    }

    /// The customer's language.
    pub fn locale(&self) -> Locale {
        self.customer.locale.parse().unwrap_or_default()
    }

    /// What the ledger holds for it, as the table of transitions sees it.
    pub fn ledger_state(&self) -> LedgerState {
        LedgerState {
            reserve: self.balances.hold_id.is_some(),
            money: self.balances.held.units() > 0,
            payout: self.balances.payout.units() > 0,
            refund: self.balances.refund.units() > 0,
            surplus: self.balances.surplus.units() > 0,
        }
    }

    /// When the agreed terms end.
    pub fn terms_end(&self) -> Timestamp {
        self.terms.agreed_at.plus(crate::minutes(self.terms.hold_minutes))
    }

    /// Until when the rate is guaranteed; `None` with a floating rate.
    pub fn promised_until(&self) -> Option<Timestamp> {
        (!self.terms.floating).then(|| self.terms_end())
    }

    /// Until when the customer can pay: to get the agreed rate, or with a floating rate, while the claim waits.
    pub fn pay_until(&self) -> Option<Timestamp> {
        self.promised_until().or(self.progress.expires_at)
    }

    /// Whether the rate is floating and no payment has fixed it yet.
    pub fn has_open_rate(&self) -> bool {
        self.terms.floating && self.terms.agreed_at <= self.created_at
    }

    /// Whether a payment first seen, or made, at a time is too late for the agreed terms.
    pub fn is_late(&self, paid_at: Timestamp) -> bool {
        self.promised_until().is_some_and(|end| paid_at >= end)
    }

    /// Whether a payment first seen, or made, at a time may be recorded as late: the agreed terms had ended, or the claim
    /// has.
    pub fn can_be_late(&self, paid_at: Timestamp) -> bool {
        self.state.is_final() || self.is_late(paid_at)
    }

    /// Whether a payment first seen, or made, at a time is so little late that the agreed terms may still apply.
    pub fn is_delay_tolerated(&self, paid_at: Timestamp) -> bool {
        paid_at < self.terms_end().plus(TOLERATED_DELAY)
    }

    /// Whether an amount is at most a tenth above the agreed one. The agreed terms are not for more: a claim of little
    /// would keep an old rate for a payment of much.
    pub fn is_near_agreed(&self, amount: Amount) -> bool {
        let agreed = self.give.amount.units();
        amount.units() <= agreed.saturating_add(agreed / 10)
    }

    /// How much it counts against the unproven customers' share of the reserve, until a tenth of the give amount has
    /// arrived: less would free the share for almost nothing.
    pub fn counted_unproven(&self) -> Amount {
        let ClaimBalances { hold_id, received, unproven, .. } = &self.balances;
        let is_unpaid = received.units().saturating_mul(10) < self.give.amount.units();
        if unproven.units() > 0 && hold_id.is_some() && is_unpaid { self.receive.amount } else { self.receive.zero() }
    }

    /// The offer for an amount.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn offer(&self, amount: OfferedAmount) -> Result<Option<Offer>> {
        let stored = match amount {
            OfferedAmount::Received => &self.progress.offer,
            OfferedAmount::Agreed => &self.progress.surplus_offer,
        };
        stored.as_deref().map(|json| self.json("offer", json)).transpose()
    }

    /// What arrived beyond the give amount; `None` when that is nothing.
    ///
    /// # Errors
    /// `internal` for different currencies.
    pub fn excess(&self) -> Result<Option<Amount>> {
        let excess = self.balances.received.minus(self.give.amount)?;
        Ok(Some(excess).filter(|excess| excess.units() > 0))
    }

    /// The requisites of the give side.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn give_requisites(&self, vault: &Vault) -> Result<Vec<Requisite>> {
        self.opened(vault, GIVE_REQUISITES, &self.give.requisites)
    }

    /// The payout requisites.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn receive_requisites(&self, vault: &Vault) -> Result<Vec<Requisite>> {
        self.opened(vault, RECEIVE_REQUISITES, &self.receive.requisites)
    }

    /// The refund requisites; `None` when none were given.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn refund_requisites(&self, vault: &Vault) -> Result<Option<Vec<Requisite>>> {
        self.refund_requisites.as_deref().map(|sealed| self.opened(vault, REFUND_REQUISITES, sealed)).transpose()
    }

    /// Encrypts requisites for [`GIVE_REQUISITES`], [`RECEIVE_REQUISITES`] or [`REFUND_REQUISITES`].
    pub fn sealed(&self, vault: &Vault, what: &'static str, requisites: &[Requisite]) -> Result<String> {
        Ok(vault.seal(&purpose(self.id, what), requisites_json(requisites)?.as_bytes()))
    }

    /// Decrypts what [`Self::sealed`] encrypted.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn opened(&self, vault: &Vault, what: &'static str, sealed: &str) -> Result<Vec<Requisite>> {
        let opened = vault.open(&purpose(self.id, what), sealed).map_err(|why| unreadable(self, what, why))?;
        // The value is not logged: it may be a card number.
        serde_json::from_slice(&opened).map_err(|_| unreadable(self, what, "these are no requisites"))
    }

    fn json<T: DeserializeOwned>(&self, what: &'static str, text: &str) -> Result<T> {
        serde_json::from_str(text).map_err(|why| unreadable(self, what, why))
    }

    /// Sets the give amount to the received amount without its surplus, once the payment is settled: the claim's amounts
    /// and the income follow from it.
    ///
    /// # Errors
    /// `internal` when nothing was received, or the amounts are out of range.
    pub fn settle_give_amount(&mut self) -> Result<()> {
        let received = self.balances.received;
        if received.units() <= 0 {
            return Err(Error::internal(format!("claim {} counts as paid and nothing was received", self.public_id)));
        }
        self.give_amount(received.minus(self.balances.surplus)?)
    }

    /// Makes another amount the one the customer gives, for the same payout.
    ///
    /// # Errors
    /// `internal` for amounts out of range.
    pub fn give_amount(&mut self, amount: Amount) -> Result<()> {
        if amount != self.give.amount {
            self.terms.market_value = share(self.terms.market_value, amount, self.give.amount)?;
            self.give.amount = amount;
        }
        Ok(())
    }

    /// The agreed amount, or the received one if it is larger.
    ///
    /// # Errors
    /// `internal` for different currencies.
    pub fn larger_given(&self) -> Result<Amount> {
        let (agreed, received) = (self.give.amount, self.balances.received);
        Ok(if received.compare(agreed)?.is_gt() { received } else { agreed })
    }

    /// Replaces the agreed terms by those of an offer.
    pub fn take_terms(&mut self, offer: Offer, now: Timestamp) {
        self.give.amount = self.give.of(offer.give_units);
        self.receive.amount = self.receive.of(offer.receive_units);
        self.terms = ClaimTerms {
            market_value: self.receive.of(offer.market_units),
            rate: offer.rate,
            bonus: offer.bonus,
            json: offer.terms,
            id: None,
            agreed_at: now,
            hold_minutes: offer.hold_minutes,
            floating: self.terms.floating,
        };
        (self.progress.offer, self.progress.surplus_offer) = (None, None);
    }
}

/// The JSON form of requisites.
pub fn requisites_json(requisites: &[Requisite]) -> Result<String> {
    serde_json::to_string(requisites).map_err(Error::internal)
}

/// The encryption context of a claim's requisites.
pub fn purpose(claim: impl Display, what: &str) -> String {
    format!("claim {what} {claim}")
}

/// All keyed digests that may identify a requisite, the current one first.
pub fn found_by(vault: &Vault, value: &str) -> Vec<String> {
    vault.digests("claim requisite", &plain(value))
}

/// A requisite or transaction for comparison: grouping and letter case do not matter.
pub(super) fn plain(value: &str) -> String {
    value.chars().filter(|sign| !sign.is_whitespace() && *sign != '-').flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use agio_core::random::SeededRandom;

    use super::*;

    /// The vault of the test claim.
    pub(crate) fn vault() -> Vault {
        Vault::new(Arc::new(SeededRandom::new(1)), &[[1; 32]])
    }

    /// A text encrypted like the requisites of the test claim.
    pub(crate) fn sealed(what: &str, text: &str) -> String {
        vault().seal(&purpose(Uuid::nil(), what), text.as_bytes())
    }

    /// A new claim of 0.015 BTC for 90 000 RUB.
    pub(crate) fn claim() -> Claim {
        let now = Timestamp(1_711_627_200_000_000);
        let side = |id, scale, code: &str, units, purpose| ClaimSide {
            code: code.into(),
            amount: Amount::of_units(units, CurrencyUnit::new(id, scale)),
            requisites: sealed(purpose, "[]"),
            digest: None,
        };
        let give = side(1, 8, "BTC", 1_500_000, GIVE_REQUISITES);
        let receive = side(2, 2, "SBERRUB", 9_000_000, RECEIVE_REQUISITES);
        Claim {
            public_id: 100_001,
            id: Uuid::nil(),
            state: ClaimState::Created,
            stopped_in: None,
            revision: 1,
            created_at: now,
            updated_at: now,
            customer: ClaimCustomer {
                email: "ivan@example.com".into(),
                locale: "ru".into(),
                time_zone: None,
                guest_digest: String::new(),
                address_digest: String::new(),
                account_id: None,
                terms_version: None,
                aml_consent: true,
            },
            terms: ClaimTerms {
                market_value: receive.of(9_200_000),
                rate: "6000000".into(),
                bonus: "0".into(),
                json: crate::rules::terms::tests::terms("0", "0"),
                id: None,
                agreed_at: now,
                hold_minutes: 20,
                floating: false,
            },
            balances: ClaimBalances::empty(&give, &receive),
            give,
            receive,
            payment: ClaimPayment::default(),
            refund_requisites: None,
            references: ClaimReferences::default(),
            progress: ClaimProgress::due(now),
        }
    }
}
