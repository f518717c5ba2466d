//! What the console shows.

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::needs::CurrencyFacts;
use agio_core::{Error, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::accruing::volume_of;
use super::{Balance, Referral};
use crate::store::accruals::{self, Accrual};
use crate::store::programmes::{self, Programme};
use crate::store::referrers::{self, Bond, Bringer, Referrer};
use crate::store::withdrawals::{self, Withdrawal};
use crate::store::{Place, visits};

/// How many people and accruals a referrer's page shows.
const SHOWN: i64 = 200;

/// Before everything, and behind everything.
const START: Place = (Timestamp(i64::MIN), Uuid::nil());
const END: Place = (Timestamp(i64::MAX), Uuid::max());

/// Which rows of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// What waits for the staff, the oldest first.
    Open,
    /// All, or all that is over, the newest first.
    Past,
}

/// A page of a list.
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Where the next page begins, if there is one.
    pub next: Option<Place>,
    /// How many wait for the staff.
    pub open: i64,
}

/// A referrer with their numbers.
pub struct DeskReferrer {
    /// The referrer.
    pub referrer: Referrer,
    /// The programme that holds for them.
    pub programme: Programme,
    /// The percent they have reached.
    pub percent: Decimal,
    /// The volume reached, in the base currency.
    pub volume: Decimal,
    /// The currency of their balance.
    pub currency: Option<Arc<CurrencyFacts>>,
    /// What they have.
    pub balance: Balance,
    /// Visits, registrations and exchanges.
    pub funnel: (i64, i64, i64),
    /// What they earned, in units.
    pub earned: i64,
    /// What they were paid, in units.
    pub paid: i64,
}

/// An accrual with whose it is.
pub struct DeskAccrual {
    /// The accrual.
    pub row: Accrual,
    /// The code of the currency, where it has an amount.
    pub currency: Option<String>,
    /// Whose it is.
    pub referrer: Referrer,
}

/// Somebody who came by a link.
pub struct Person {
    /// The bond.
    pub bond: Bond,
    /// How many exchanges they made.
    pub claims: i64,
    /// What the referrer earned by them, in units.
    pub earned: i64,
}

/// A referrer with everything about them.
pub struct WholeReferrer {
    /// Their numbers.
    pub desk: DeskReferrer,
    /// Who brought them, if somebody did.
    pub brought_by: Option<Bringer>,
    /// Whom they brought, the newest first.
    pub people: Vec<Person>,
    /// What they earned last.
    pub accruals: Vec<DeskAccrual>,
}

/// Cuts the row off that was read to know whether there are more.
fn paged<T>(mut rows: Vec<T>, size: i64, place: impl Fn(&T) -> Place) -> (Vec<T>, Option<Place>) {
    let size = usize::try_from(size).unwrap_or(0);
    let has_more = rows.len() > size;
    rows.truncate(size);
    let next = rows.last().filter(|_| has_more).map(place);
    (rows, next)
}

impl Referral {
    /// How much waits for the staff: accruals to decide on, those that look like the referrer's own first of all, and withdrawals to pay.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn waiting(&self, tx: &mut Tx) -> Result<(i64, i64)> {
        Ok((accruals::open_count(tx).await?, withdrawals::open_count(tx).await?))
    }

    /// A page of referrers, the newest first; or those with this code or e-mail address.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn referrers(&self, said: &str, before: Option<Place>, size: i64) -> Result<Page<DeskReferrer>> {
        let mut tx = self.platform.db.read().await?;
        let found = match said.trim() {
            "" => referrers::page(&mut tx, before.unwrap_or(END), size + 1).await?,
            said => referrers::found(&mut tx, said, size).await?,
        };
        let (found, next) = paged(found, size, |row: &Referrer| (row.created_at, row.customer_id));
        let mut rows = Vec::with_capacity(found.len());
        for referrer in found {
            rows.push(self.desk_referrer(&mut tx, referrer).await?);
        }
        Ok(Page { rows, next, open: 0 })
    }

    async fn desk_referrer(&self, tx: &mut Tx, referrer: Referrer) -> Result<DeskReferrer> {
        let id = referrer.customer_id;
        let programme = programmes::holding(tx, referrer.programme_id).await?;
        let (claims, earned) = accruals::totals(tx, id).await?;
        let volume = volume_of(&referrer);
        Ok(DeskReferrer {
            percent: programme.terms.percent(volume),
            programme,
            volume,
            currency: self.currency_of(referrer.currency_id),
            balance: self.balance(tx, &referrer).await?,
            funnel: (visits::of(tx, id).await?, referrers::registrations(tx, id).await?, claims),
            earned,
            paid: withdrawals::paid(tx, id).await?,
            referrer,
        })
    }

    /// A referrer with everything about them.
    ///
    /// # Errors
    /// 404 `referrer_not_found`.
    pub async fn whole_referrer(&self, id: Uuid) -> Result<WholeReferrer> {
        let mut tx = self.platform.db.read().await?;
        let referrer = referrers::one(&mut tx, id).await?.ok_or_else(|| Error::not_found("referrer_not_found"))?;
        let mut brought_by = referrers::bringer(&mut tx, &referrers::account(id)).await?;
        if brought_by.is_none() {
            brought_by = referrers::bringer(&mut tx, &referrers::address(&referrer.email)).await?;
        }
        let made = accruals::by_person(&mut tx, id).await?;
        let people = referrers::brought(&mut tx, id, SHOWN).await?.into_iter().map(|bond| person(bond, id, &made)).collect();
        let rows = accruals::of_referrer(&mut tx, id, SHOWN).await?;
        let accruals = rows.into_iter().map(|row| self.desk_accrual(row, referrer.clone())).collect();
        let desk = self.desk_referrer(&mut tx, referrer).await?;
        Ok(WholeReferrer { desk, brought_by, people, accruals })
    }

    fn desk_accrual(&self, row: Accrual, referrer: Referrer) -> DeskAccrual {
        let currency = row.currency_id.and_then(|id| self.currencies.by_id(id)).map(|currency| currency.code.clone());
        DeskAccrual { currency, row, referrer }
    }

    /// A page of what was earned.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn accruals(&self, tab: Tab, place: Option<Place>, size: i64) -> Result<Page<DeskAccrual>> {
        let mut tx = self.platform.db.read().await?;
        let found = match tab {
            Tab::Open => accruals::open(&mut tx, place.unwrap_or(START), size + 1).await?,
            Tab::Past => accruals::by_age(&mut tx, place.unwrap_or(END), size + 1).await?,
        };
        let (found, next) = paged(found, size, |row: &Accrual| (row.created_at, row.id));
        let mut known: HashMap<Uuid, Referrer> = HashMap::new();
        let mut rows = Vec::with_capacity(found.len());
        for row in found {
            if !known.contains_key(&row.referrer_id)
                && let Some(referrer) = referrers::one(&mut tx, row.referrer_id).await?
            {
                known.insert(row.referrer_id, referrer);
            }
            rows.extend(known.get(&row.referrer_id).cloned().map(|referrer| self.desk_accrual(row, referrer)));
        }
        Ok(Page { rows, next, open: accruals::open_count(&mut tx).await? })
    }

    /// A page of withdrawals.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn withdrawals(&self, tab: Tab, place: Option<Place>, size: i64) -> Result<Page<Withdrawal>> {
        let mut tx = self.platform.db.read().await?;
        let found = match tab {
            Tab::Open => withdrawals::open(&mut tx, place.unwrap_or(START), size + 1).await?,
            Tab::Past => withdrawals::closed(&mut tx, place.unwrap_or(END), size + 1).await?,
        };
        let (rows, next) = paged(found, size, |row: &Withdrawal| (row.created_at, row.id));
        Ok(Page { rows, next, open: withdrawals::open_count(&mut tx).await? })
    }

    /// A withdrawal.
    ///
    /// # Errors
    /// 404 `referral_withdrawal_not_found`.
    pub async fn withdrawal(&self, id: Uuid) -> Result<Withdrawal> {
        let found = withdrawals::one(&mut self.platform.db.read().await?, id).await?;
        found.ok_or_else(|| Error::not_found("referral_withdrawal_not_found"))
    }

    /// An accrual.
    ///
    /// # Errors
    /// 404 `referral_accrual_not_found`.
    pub async fn accrual_of(&self, id: Uuid) -> Result<DeskAccrual> {
        let mut tx = self.platform.db.read().await?;
        let not_found = || Error::not_found("referral_accrual_not_found");
        let row = accruals::one(&mut tx, id).await?.ok_or_else(not_found)?;
        let referrer = referrers::one(&mut tx, row.referrer_id).await?.ok_or_else(not_found)?;
        Ok(self.desk_accrual(row, referrer))
    }
}

/// A person with what they made: by their account where they are one, else by the address of exchanges without one.
fn person(bond: Bond, referrer: Uuid, made: &[(Uuid, String, i64, i64)]) -> Person {
    let is_theirs = |(account, email, _, _): &&(Uuid, String, i64, i64)| match bond.customer_id {
        Some(customer) => *account == customer,
        None => *account == referrer && *email == bond.email,
    };
    let (claims, earned) = made.iter().filter(is_theirs).fold((0, 0), |(claims, earned), row| (claims + row.2, earned + row.3));
    Person { bond, claims, earned }
}
