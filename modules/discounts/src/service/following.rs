//! Counting exchanges.

use agio_core::needs::{Exchange, FollowsExchanges};
use agio_core::{Amount, BoxFuture, Result, Tx};

use super::Discounts;
use crate::model::worth_units;
use crate::store::volumes;

/// How many exchanges are counted in one run of the job.
const RUN: i64 = 200;

impl FollowsExchanges for Discounts {
    /// The volume grows by what was sent, at the rate of this moment. Where that cannot be told, it is counted later.
    fn done<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let worth = exchange.worth.as_ref();
            let worth = worth.and_then(|worth| Some((worth_units(worth)?, worth.ticker.as_str())));
            volumes::add(tx, exchange, worth).await
        })
    }

    fn undone<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(volumes::take_back(tx, exchange.claim, exchange.at))
    }
}

impl Discounts {
    /// Counts exchanges whose worth could not be told when they were done, and those that are counted in another currency since the
    /// house counts in a new one; each at the rate of this moment. What cannot be told yet goes on waiting.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn count_what_waits(&self) -> Result<()> {
        let base = self.base();
        let rows = volumes::to_count(&mut self.platform.db.read().await?, &base, RUN).await?;
        for row in rows {
            let Ok(scale) = u32::try_from(row.sent_scale) else { continue };
            let worth = self.worths.worth(row.currency_id, Amount::of_units(row.sent_units, scale));
            let Some((units, ticker)) = worth.and_then(|worth| Some((worth_units(&worth)?, worth.ticker))) else { continue };
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
