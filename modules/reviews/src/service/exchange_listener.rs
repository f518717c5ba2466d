//! Opens a review for each completed exchange.

use agio_contracts::{CompletedExchange, ExchangeListener};
use agio_core::events::ChangeEvent;
use agio_core::money::Amount;
use agio_core::{BoxFuture, Result, Tx};

use super::Reviews;
use crate::model::ReviewState;
use crate::store::{self, ReviewableExchange};

impl ExchangeListener for Reviews {
    fn exchange_completed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            // A currency that is gone has no name to show: such an exchange is not reviewed.
            let ticker = |amount: Amount| Some(self.currencies.by_id(amount.currency().id())?.ticker.clone());
            let Some((give, receive)) = ticker(exchange.give).zip(ticker(exchange.receive)) else { return Ok(()) };
            let (number, locale, at) = (exchange.number, exchange.locale, exchange.at);
            let opened = ReviewableExchange { claim: exchange.claim, number, give, receive, locale, at };
            store::open(tx, self.platform.random.uuid_at(at), &opened).await
        })
    }

    fn exchange_reversed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let review = store::by_claim(tx, exchange.claim).await?;
            store::reverse(tx, exchange.claim, exchange.at).await?;
            if let Some(review) = review.filter(|review| review.state == ReviewState::Published) {
                let (published, events) = (self.published.clone(), self.platform.events.clone());
                tx.after_commit(move || {
                    published.rcu(|shown| shown.without(review.id));
                    events.publish(ChangeEvent::Content);
                });
            }
            Ok(())
        })
    }
}
