//! Completed exchanges enter the running contest.

use agio_contracts::{CompletedExchange, ExchangeListener};
use agio_core::mailbox::mailbox;
use agio_core::{BoxFuture, Result, Tx};
use rust_decimal::Decimal;

use super::Contests;
use crate::model::{masked, weight};
use crate::store::{self, EntryRow};

/// Enough to distinguish participants of one contest.
const PERSON_LENGTH: usize = 16;

impl ExchangeListener for Contests {
    fn exchange_completed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            // The partner names the address, and could name its own for the exchanges of all its customers.
            if exchange.partner.is_some() {
                return Ok(());
            }
            let Some((contest, volume_per_ticket, max_tickets)) = store::entered(tx, exchange.at).await? else { return Ok(()) };
            // An exchange is completed even if this cannot be read.
            let volume_per_ticket: Option<Decimal> = volume_per_ticket.and_then(|volume| volume.parse().ok());
            let weight = weight(exchange.reference_value.as_ref().map(|value| value.amount), volume_per_ticket, max_tickets);
            if weight == 0 {
                return Ok(());
            }
            let mut person = self.platform.vault.digest(&format!("contest person {contest}"), &mailbox(&exchange.email));
            person.truncate(PERSON_LENGTH);
            let entry = EntryRow {
                id: self.platform.random.uuid_at(exchange.at),
                contest_id: contest,
                claim_id: exchange.claim,
                claim_number: exchange.number,
                person,
                email: exchange.email.clone(),
                locale: exchange.locale,
                name: masked(&exchange.email),
                weight,
                voided_at: None,
                created_at: exchange.at,
            };
            store::put_entry(tx, &entry).await
        })
    }

    fn exchange_reversed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            store::void_entries(tx, exchange.claim, exchange.at).await?;
            store::reverse_winners(tx, exchange.claim, exchange.at).await
        })
    }
}
