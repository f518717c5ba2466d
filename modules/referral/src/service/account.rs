//! What a referrer is shown of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Customer};
use agio_core::needs::{CurrencyFacts, address_digest, guest_digest};
use agio_core::{Amount, Error, Result, Timestamp, Tx};
use agio_ledger::Account;
use rust_decimal::Decimal;
use serde_json::json;

use super::accruing::volume_of;
use super::{Referral, day_of, refused, units};
use crate::DAYS;
use crate::model::code_of;
use crate::store::accruals::{self, Line};
use crate::store::programmes::{self, Programme};
use crate::store::referrers::{self, Referrer};
use crate::store::{visits, withdrawals};

/// How often a code is made anew when it is taken; with 40 bits once is nearly always enough.
const CODES_TRIED: usize = 5;

/// The most days a chart shows.
const DAYS_MAX: i64 = 366;

/// What a referrer has, in units of their currency.
#[derive(Clone, Copy, Debug, Default)]
pub struct Balance {
    /// What may be asked for.
    pub available: i64,
    /// What may be asked for later.
    pub pending: i64,
    /// What is owed to the house.
    pub debt: i64,
}

/// A referrer with everything they are shown.
pub struct Standing {
    /// The referrer.
    pub referrer: Referrer,
    /// The address that brings others.
    pub link: String,
    /// The programme that holds for them.
    pub programme: Programme,
    /// The volume reached, in the base currency.
    pub volume: Decimal,
    /// The ticker of the base currency.
    pub base: String,
    /// The currency of the balance; nothing where none is configured.
    pub currency: Option<Arc<CurrencyFacts>>,
    /// What they have.
    pub balance: Balance,
    /// How many came by the link.
    pub visits: i64,
    /// How many accounts they made.
    pub registrations: i64,
    /// How many exchanges were done.
    pub claims: i64,
    /// What was earned by them, in units.
    pub earned: i64,
    /// What a withdrawal can be paid in.
    pub payable: Vec<Arc<CurrencyFacts>>,
    /// For how many days a browser remembers the link.
    pub days: i64,
}

/// A page of a referrer's history.
pub struct History {
    /// The lines, the newest first.
    pub lines: Vec<Line>,
    /// How many there are in all.
    pub total: i64,
    /// The code of the currency.
    pub currency: String,
}

/// A day of the chart.
#[derive(Clone, Copy, Debug, Default)]
pub struct Day {
    /// Its number from 1970-01-01.
    pub day: i64,
    /// Visits by the link.
    pub visits: i64,
    /// Exchanges done.
    pub claims: i64,
    /// What was earned.
    pub earned: Decimal,
}

impl Referral {
    /// The referrer an account is; it becomes one when it first asks.
    pub(super) async fn referrer(self: &Arc<Self>, who: &Customer) -> Result<Referrer> {
        if let Some(found) = referrers::one(&mut self.platform.db.read().await?, who.id).await? {
            return Ok(found);
        }
        let (this, who, now) = (self.clone(), who.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, who) = (this.clone(), who.clone());
                Box::pin(async move { this.become_referrer(tx, &who, now).await })
            })
            .await
    }

    async fn become_referrer(&self, tx: &mut Tx, who: &Customer, now: Timestamp) -> Result<Referrer> {
        let currency = self.configured_currency().map(|currency| currency.id);
        for _ in 0..CODES_TRIED {
            let mut random = [0; 8];
            self.platform.random.fill(&mut random);
            let is_new = referrers::insert(tx, who.id, &code_of(random), &who.email, currency, now).await?;
            let Some(found) = referrers::one(tx, who.id).await? else { continue };
            if is_new {
                let (by, after) = (Actor::from(who), Some(json!({ "code": found.code })));
                let id = who.id.to_string();
                let entry = Entry { by: &by, action: "referral.joined", about: "referrer", id, before: None, after };
                audit::record(tx, entry, now).await?;
            }
            return Ok(found);
        }
        Err(Error::internal("no code is free"))
    }

    /// An account's referral data, which gives it its code when it first asks. Notes the browser and the address it is asked from.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn standing(self: &Arc<Self>, who: &Customer, guest: Option<&str>) -> Result<Standing> {
        let referrer = self.referrer(who).await?;
        self.note_marks(who, guest).await?;
        let mut tx = self.platform.db.read().await?;
        let programme = programmes::holding(&mut tx, referrer.programme_id).await?;
        let currency = self.currency_of(referrer.currency_id);
        let (claims, earned) = accruals::totals(&mut tx, referrer.customer_id).await?;
        Ok(Standing {
            link: format!("{}/?rid={}", self.site, referrer.code),
            volume: volume_of(&referrer),
            base: currency.as_ref().and_then(|currency| self.base(currency)).unwrap_or_default(),
            balance: self.balance(&mut tx, &referrer).await?,
            visits: visits::of(&mut tx, referrer.customer_id).await?,
            registrations: referrers::registrations(&mut tx, referrer.customer_id).await?,
            claims,
            earned,
            payable: currency.as_ref().map(|currency| self.currencies.receivable(&currency.ticker)).unwrap_or_default(),
            days: self.platform.settings.int(DAYS),
            programme,
            currency,
            referrer,
        })
    }

    /// The ticker of the base currency.
    pub(super) fn base(&self, currency: &CurrencyFacts) -> Option<String> {
        self.worths.worth(currency.id, Amount::of_units(0, currency.scale)).map(|worth| worth.ticker)
    }

    /// Where a referrer is seen is remembered, to know their own exchanges by.
    async fn note_marks(&self, who: &Customer, guest: Option<&str>) -> Result<()> {
        let known = referrers::marks(&mut self.platform.db.read().await?, who.id).await?;
        let seen = [guest.map(guest_digest), who.address.map(address_digest)];
        let new: Vec<String> = seen.into_iter().flatten().filter(|mark| !known.contains(mark)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let (id, now) = (who.id, self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let new = new.clone();
                Box::pin(async move { referrers::put_marks(tx, id, &new, now).await })
            })
            .await
    }

    /// What a referrer has.
    pub(super) async fn balance(&self, tx: &mut Tx, referrer: &Referrer) -> Result<Balance> {
        let Some(currency) = referrer.currency_id else { return Ok(Balance::default()) };
        Ok(Balance {
            available: self.ledger.balance(tx, Account::Referral(referrer.customer_id), currency).await?,
            pending: self.ledger.balance(tx, Account::ReferralPending(referrer.customer_id), currency).await?,
            debt: referrer.debt,
        })
    }

    /// A page of a referrer's history in a time.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn history(
        self: &Arc<Self>,
        who: &Customer,
        time: (Timestamp, Timestamp),
        skip: i64,
        size: i64,
    ) -> Result<History> {
        let referrer = self.referrer(who).await?;
        let mut tx = self.platform.db.read().await?;
        Ok(History {
            lines: accruals::history(&mut tx, referrer.customer_id, time, skip, size).await?,
            total: accruals::history_length(&mut tx, referrer.customer_id, time).await?,
            currency: self.currency_of(referrer.currency_id).map(|currency| currency.code.clone()).unwrap_or_default(),
        })
    }

    /// Every day from one to another, with what happened on it.
    ///
    /// # Errors
    /// 422 at `date_from` for more days than a chart shows.
    pub async fn days(self: &Arc<Self>, who: &Customer, (from, to): (Timestamp, Timestamp)) -> Result<Vec<Day>> {
        let (first, last) = (day_of(from), day_of(Timestamp(to.0.saturating_sub(1))));
        if last - first >= DAYS_MAX {
            return Err(refused("date_from", "malformed_parameter"));
        }
        let referrer = self.referrer(who).await?;
        let scale = self.currency_of(referrer.currency_id).map_or(0, |currency| i64::from(currency.scale));
        let mut days: BTreeMap<i64, Day> = (first..=last).map(|day| (day, Day { day, ..Day::default() })).collect();
        let mut tx = self.platform.db.read().await?;
        for (day, visits) in visits::by_day(&mut tx, referrer.customer_id, (first, last)).await? {
            days.entry(day).or_default().visits = visits;
        }
        for (day, earned, claims) in accruals::by_day(&mut tx, referrer.customer_id, (first, last)).await? {
            let entry = days.entry(day).or_default();
            (entry.claims, entry.earned) = (claims, units(earned, scale).value());
        }
        Ok(days.into_values().collect())
    }

    /// A page of a referrer's withdrawals, and how many there are.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn withdrawals_of(&self, who: &Customer, skip: i64, size: i64) -> Result<(Vec<withdrawals::Withdrawal>, i64)> {
        let mut tx = self.platform.db.read().await?;
        let rows = withdrawals::of_referrer(&mut tx, who.id, skip, size).await?;
        Ok((rows, withdrawals::count_of(&mut tx, who.id).await?))
    }
}
