//! What was exchanged in a period, and the income from it.

use std::collections::BTreeMap;

use agio_contracts::ReferenceValue;
use agio_core::{Amount, CurrencyUnit, Result, Timestamp};

use super::Claims;
use crate::store::queue;
use crate::store::turnover::{self, DirectionTotals};

/// What was exchanged in a period.
#[derive(Clone, Debug)]
pub struct Turnover {
    /// By the codes of the currencies.
    pub directions: Vec<DirectionTotals>,
    /// By the code of the currency.
    pub currencies: Vec<CurrencyTotals>,
}

/// What was exchanged of a currency.
#[derive(Clone, Debug)]
pub struct CurrencyTotals {
    pub code: String,
    pub given: Amount,
    pub received: Amount,
    pub spread: Amount,
    pub fees: Amount,
    /// The spread and the fees.
    pub income: Amount,
}

/// What happened since a time, and what waits now.
#[derive(Clone, Debug)]
pub struct DayTotals {
    pub created: i64,
    /// Claims that were exchanged, wholly or in part.
    pub exchanged: i64,
    pub completed: i64,
    /// What was exchanged of the payments, at the present rates; `None` while one of them is unknown.
    pub given: Option<ReferenceValue>,
    /// The spread and the fees, likewise.
    pub income: Option<ReferenceValue>,
    /// Claims that wait for staff.
    pub waiting: i64,
    /// When the one of them that was left alone longest was last changed.
    pub waiting_since: Option<Timestamp>,
}

impl CurrencyTotals {
    fn nothing(code: &str, currency: CurrencyUnit) -> Self {
        let zero = Amount::of_units(0, currency);
        Self { code: code.to_owned(), given: zero, received: zero, spread: zero, fees: zero, income: zero }
    }
}

impl Claims {
    /// What the ledger booked for exchanges from `start` on and before `end`.
    ///
    /// # Errors
    /// `internal` when amounts are out of range.
    pub async fn turnover(&self, start: Timestamp, end: Timestamp) -> Result<Turnover> {
        let directions = turnover::by_direction(&mut self.platform.db.read().await?, start, end).await?;
        let currencies = by_currency(&directions)?;
        Ok(Turnover { directions, currencies })
    }

    /// What happened from `start` on and before `end`, which is to come, and what waits now.
    ///
    /// # Errors
    /// `internal` when amounts are out of range.
    pub async fn day_totals(&self, start: Timestamp, end: Timestamp) -> Result<DayTotals> {
        let Turnover { directions, currencies } = self.turnover(start, end).await?;
        let mut tx = self.platform.db.read().await?;
        let (created, completed) = queue::created_and_completed_since(&mut tx, start).await?;
        let (waiting, waiting_since) = queue::waiting(&mut tx).await?;
        Ok(DayTotals {
            created,
            exchanged: directions.iter().map(|row| row.claims).sum(),
            completed,
            given: self.total_value(currencies.iter().map(|total| total.given)),
            income: self.total_value(currencies.iter().map(|total| total.income)),
            waiting,
            waiting_since,
        })
    }

    /// The value of all amounts together; `None` for no amounts.
    fn total_value(&self, amounts: impl Iterator<Item = Amount>) -> Option<ReferenceValue> {
        let mut values = amounts.filter(|amount| amount.units() != 0).map(|amount| self.reference_values.reference_value(amount));
        let first = values.next()??;
        values.try_fold(first, |sum, value| {
            let ReferenceValue { amount, ticker } = value?;
            Some(ReferenceValue { amount: sum.amount.checked_add(amount)?, ticker })
        })
    }
}

fn by_currency(directions: &[DirectionTotals]) -> Result<Vec<CurrencyTotals>> {
    let mut totals = BTreeMap::new();
    for row in directions {
        let (give, receive) = (row.given.currency(), row.received.currency());
        let total: &mut CurrencyTotals =
            totals.entry((&row.from, give.id())).or_insert_with(|| CurrencyTotals::nothing(&row.from, give));
        total.given = total.given.plus(row.given)?;
        total.fees = total.fees.plus(row.give_fee)?;
        total.income = total.income.plus(row.give_fee)?;
        let total = totals.entry((&row.to, receive.id())).or_insert_with(|| CurrencyTotals::nothing(&row.to, receive));
        total.received = total.received.plus(row.received)?;
        total.spread = total.spread.plus(row.spread)?;
        total.fees = total.fees.plus(row.receive_fee)?;
        total.income = total.income.plus(row.spread)?.plus(row.receive_fee)?;
    }
    Ok(totals.into_values().collect())
}
