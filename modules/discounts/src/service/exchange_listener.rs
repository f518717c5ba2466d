//! Counting of exchange volume.

use agio_contracts::{CompletedExchange, ExchangeListener};
use agio_core::{Amount, BoxFuture, CurrencyUnit, Result, Tx};

use super::Discounts;
use crate::model::reference_value_units;
use crate::store::volumes;

/// Exchanges per run of the job.
const BATCH_SIZE: i64 = 200;

impl ExchangeListener for Discounts {
    /// Adds the exchange to the volume. Without a reference value it is counted later.
    fn exchange_completed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            // The partner names the address, and could name its own for the exchanges of all its customers.
            if exchange.partner.is_some() {
                return Ok(());
            }
            let value = exchange.reference_value.as_ref();
            let value = value.and_then(|value| Some((reference_value_units(value)?, value.ticker.as_str())));
            volumes::add(tx, exchange, value).await
        })
    }

    fn exchange_reversed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(volumes::reverse(tx, exchange.claim, exchange.at))
    }
}

impl Discounts {
    /// Counts exchanges that had no reference value, and those counted in a former base currency, at current rates.
    pub async fn count_pending_exchanges(&self) -> Result<()> {
        let base = self.base();
        let rows = volumes::pending_exchanges(&mut self.platform.db.read().await?, &base, BATCH_SIZE).await?;
        for row in rows {
            let amount = Amount::of_units(row.give_units, CurrencyUnit::new(row.currency_id, row.give_scale));
            let value = self.reference_values.reference_value(amount);
            let Some((units, ticker)) = value.and_then(|value| Some((reference_value_units(&value)?, value.ticker))) else {
                continue;
            };
            let now = self.platform.clock.now();
            self.platform
                .db
                .write(move |tx| {
                    let (row, ticker) = (row.clone(), ticker.clone());
                    Box::pin(async move { volumes::count(tx, &row, units, &ticker, now).await })
                })
                .await?;
        }
        Ok(())
    }
}
