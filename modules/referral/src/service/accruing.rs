//! What a referrer earns by an exchange, in the transaction that completes it, and what is taken back when it is undone.

use std::sync::Arc;
use std::time::Duration;

use agio_core::needs::{Exchange, FollowsExchanges};
use agio_core::{Amount, BoxFuture, Result, Timestamp, Tx};
use agio_ledger::Account;
use rust_decimal::Decimal;

use super::{Referral, day_of};
use crate::model::{AccrualState, Flag, Kind, Known, Seen, Share, Terms, VOLUME_SCALE, flags, share, volume_units};
use crate::store::accruals::{self, Accrual};
use crate::store::programmes::{self, Programme};
use crate::store::referrers::{self, Referrer};
use crate::store::visits;

/// How long it is remembered where referrers were seen.
const MARKS_FOR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How many held accruals are read at a time.
const RUN: i64 = 100;

/// Why an accrual has no price, or comes to nothing.
const NO_CURRENCY: &str = "no_currency";
const NO_WORTH: &str = "no_worth";
const TOO_LITTLE: &str = "too_little";

impl FollowsExchanges for Referral {
    fn done<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.accrue(tx, exchange))
    }

    fn undone<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.take_back(tx, exchange))
    }
}

/// What a share comes to.
pub(super) enum Priced {
    /// So many units of the currency of this identifier and scale.
    Units(i64, (i64, i64)),
    /// Nothing, for this reason.
    Nothing(&'static str),
    /// It cannot be told, for this reason.
    Unknown(&'static str),
}

/// What a share is of: so much of a currency.
fn ground(kind: Kind, exchange: &Exchange) -> (i64, Amount) {
    match kind {
        Kind::Amount => (exchange.from, exchange.sent),
        Kind::Profit => (exchange.to, Amount::of_units(exchange.earned_units, exchange.received.scale())),
    }
}

impl Referral {
    async fn accrue(&self, tx: &mut Tx, exchange: &Exchange) -> Result<()> {
        // Where referrers make exchanges of their own, others' exchanges may be theirs too.
        if let Some(customer) = exchange.customer
            && referrers::one(tx, customer).await?.is_some()
        {
            let mut marks = vec![exchange.guest_digest.clone(), exchange.address_digest.clone()];
            marks.extend(exchange.payout_digest.clone());
            referrers::put_marks(tx, customer, &marks, exchange.at).await?;
        }
        let Some(id) = self.referrer_of(tx, exchange).await? else { return Ok(()) };
        let Some(referrer) = referrers::lock(tx, id).await? else { return Ok(()) };
        let programme = programmes::holding(tx, referrer.programme_id).await?;
        let row = self.accrual(tx, &referrer, &programme, exchange).await?;
        accruals::insert(tx, &row).await?;
        if row.is_counted {
            referrers::add_volume(tx, id, row.volume).await?;
        }
        self.book_pending(tx, &referrer, &row).await
    }

    /// What the exchange comes to for its referrer.
    async fn accrual(&self, tx: &mut Tx, referrer: &Referrer, programme: &Programme, exchange: &Exchange) -> Result<Accrual> {
        let terms = &programme.terms;
        let percent = terms.percent(volume_of(referrer));
        let (of_currency, of) = ground(terms.kind, exchange);
        let marks = referrers::marks(tx, referrer.customer_id).await?;
        let known = Known { account: referrer.customer_id, email: &referrer.email, marks: &marks };
        let found = flags(
            known,
            Seen {
                account: exchange.customer,
                email: &exchange.email,
                payout: exchange.payout_digest.as_deref(),
                browser: &exchange.guest_digest,
                address: &exchange.address_digest,
            },
        );
        let (state, reason, currency, units) = match self.price(terms, percent, (of_currency, of), referrer.currency_id) {
            Priced::Units(units, currency) if found.is_empty() => (AccrualState::Held, None, Some(currency), units),
            Priced::Units(units, currency) => (AccrualState::Review, None, Some(currency), units),
            Priced::Nothing(reason) => (AccrualState::Nothing, Some(reason), None, 0),
            Priced::Unknown(reason) => (AccrualState::Unpriced, Some(reason), None, 0),
        };
        Ok(Accrual {
            id: self.platform.random.uuid_at(exchange.at),
            referrer_id: referrer.customer_id,
            claim_id: exchange.claim,
            claim_number: exchange.number,
            customer_id: exchange.customer,
            email: exchange.email.clone(),
            state,
            flags: found.iter().map(|flag: &Flag| flag.name()).collect::<Vec<_>>().join(","),
            reason: reason.map(str::to_owned),
            words: None,
            programme_id: programme.id,
            terms: programme.revision,
            kind: terms.kind,
            percent: agio_core::money::plain(percent),
            of_currency,
            of_units: of.units(),
            of_scale: i64::from(of.scale()),
            volume: exchange.worth.as_ref().map_or(0, |worth| volume_units(worth.amount)),
            // What may be the referrer's own does not carry them to a higher tier.
            is_counted: found.is_empty(),
            scale: currency.map_or(0, |(_, scale)| scale),
            currency_id: currency.map(|(id, _)| id),
            units,
            available_at: exchange.at.plus(hours(terms.hold_hours)),
            day: day_of(exchange.at),
            decided_by: None,
            decided_name: None,
            decided_at: None,
            created_at: exchange.at,
            updated_at: exchange.at,
        })
    }

    /// What a share is now.
    pub(super) fn price(&self, terms: &Terms, percent: Decimal, of: (i64, Amount), own: Option<i64>) -> Priced {
        if of.1.units() <= 0 {
            return Priced::Nothing(TOO_LITTLE);
        }
        let Some(currency) = self.currency_of(own) else { return Priced::Unknown(NO_CURRENCY) };
        let one = Amount::of_units(10_i64.pow(currency.scale), currency.scale);
        let (Some(worth), Some(price)) = (self.worths.worth(of.0, of.1), self.worths.worth(currency.id, one)) else {
            return Priced::Unknown(NO_WORTH);
        };
        match share(worth.amount, percent, terms.accrual_min, price.amount, currency.scale) {
            Share::Units(units) => Priced::Units(units, (currency.id, i64::from(currency.scale))),
            Share::TooLittle => Priced::Nothing(TOO_LITTLE),
            Share::Unknown => Priced::Unknown(NO_WORTH),
        }
    }

    /// Books an accrual that has an amount, and makes its currency the referrer's.
    pub(super) async fn book_pending(&self, tx: &mut Tx, referrer: &Referrer, row: &Accrual) -> Result<()> {
        let Some(currency) = row.currency_id.filter(|_| row.state.is_pending()) else { return Ok(()) };
        if referrer.currency_id.is_none() {
            referrers::set_currency(tx, referrer.customer_id, currency).await?;
        }
        self.book_earned(tx, row.id, referrer.customer_id, (currency, row.units), row.updated_at).await
    }

    async fn take_back(&self, tx: &mut Tx, exchange: &Exchange) -> Result<()> {
        let Some(mut row) = accruals::of_claim(tx, exchange.claim).await? else { return Ok(()) };
        let Some(referrer) = referrers::lock(tx, row.referrer_id).await? else { return Ok(()) };
        // It may have moved on before the referrer was locked.
        row = accruals::of_claim(tx, exchange.claim).await?.unwrap_or(row);
        let before = row.state;
        if let Some(currency) = row.currency_id {
            let money = (currency, row.units);
            match before {
                state if state.is_pending() => {
                    self.book_refused(tx, row.id, referrer.customer_id, money, exchange.at).await?;
                }
                AccrualState::Available => self.book_taken_back(tx, row.id, &referrer, money, exchange.at).await?,
                _ => {}
            }
        }
        if row.is_counted {
            referrers::add_volume(tx, referrer.customer_id, -row.volume).await?;
        }
        (row.state, row.is_counted, row.updated_at) = (AccrualState::Reversed, false, exchange.at);
        if accruals::update(tx, before, &row).await? { Ok(()) } else { Err(changed()) }
    }

    /// Lets what was held long enough reach the balances.
    ///
    /// # Errors
    /// The database cannot be used.
    pub(crate) async fn release_due(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        loop {
            let due = accruals::due(&mut self.platform.db.read().await?, now, RUN).await?;
            if due.is_empty() {
                return Ok(());
            }
            for row in due {
                let this = self.clone();
                self.platform
                    .db
                    .write(move |tx| {
                        let (this, row) = (this.clone(), row.clone());
                        Box::pin(async move { this.release(tx, row, now).await })
                    })
                    .await?;
            }
        }
    }

    async fn release(&self, tx: &mut Tx, mut row: Accrual, now: Timestamp) -> Result<()> {
        let Some(referrer) = referrers::lock(tx, row.referrer_id).await? else { return Ok(()) };
        (row.state, row.updated_at) = (AccrualState::Available, now);
        // Another node, or whoever undid the exchange, may have been first.
        if !accruals::update(tx, AccrualState::Held, &row).await? {
            return Ok(());
        }
        let Some(currency) = row.currency_id else { return Ok(()) };
        let from = Account::ReferralPending(referrer.customer_id);
        self.book_credit(tx, ("referral_released", row.id), from, &referrer, (currency, row.units), now).await
    }

    /// Forgets where referrers were seen long ago, and the households of past days.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(crate) async fn forget_traces(&self) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform
            .db
            .write(move |tx| {
                Box::pin(async move {
                    referrers::forget_marks(tx, now.minus(MARKS_FOR)).await?;
                    visits::forget_visitors(tx, day_of(now)).await
                })
            })
            .await
    }
}

/// A referrer's volume in the base currency.
pub(super) fn volume_of(referrer: &Referrer) -> Decimal {
    Decimal::new(referrer.volume.max(0), VOLUME_SCALE)
}

pub(super) fn hours(count: i64) -> Duration {
    Duration::from_secs(u64::try_from(count).unwrap_or(0) * 3_600)
}

/// The refusal to act on an accrual that somebody changed first.
pub(super) fn changed() -> agio_core::Error {
    agio_core::Error::conflict("referral_changed")
}
