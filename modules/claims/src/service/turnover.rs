//! What was exchanged in a period, and the income from it.

use std::collections::BTreeMap;

use agio_core::{Amount, CurrencyUnit, Result, Timestamp};

use super::Claims;
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
