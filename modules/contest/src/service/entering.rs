//! Entering: each exchange that is done while a contest runs.

use agio_core::mailbox::mailbox;
use agio_core::needs::{Exchange, FollowsExchanges};
use agio_core::{BoxFuture, Result, Tx};
use rust_decimal::Decimal;

use super::Contests;
use crate::model::{masked, weight};
use crate::store::{self, Entry};

/// How much of a digest tells two people of one contest apart.
const PERSON_LENGTH: usize = 16;

impl FollowsExchanges for Contests {
    fn done<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let Some((contest, per_worth, most)) = store::entered(tx, exchange.at).await? else { return Ok(()) };
            let per_worth: Option<Decimal> = per_worth.and_then(|each| each.parse().ok());
            let weight = weight(exchange.worth.as_ref().map(|worth| worth.amount), per_worth, most);
            if weight == 0 {
                return Ok(());
            }
            let mut person = self.platform.vault.digest(&format!("contest person {contest}"), &mailbox(&exchange.email));
            person.truncate(PERSON_LENGTH);
            let entry = Entry {
                id: self.platform.random.uuid_at(exchange.at),
                contest_id: contest,
                claim_id: exchange.claim,
                claim_number: exchange.number,
                person,
                email: exchange.email.clone(),
                locale: exchange.locale.to_string(),
                name: masked(&exchange.email),
                weight,
                voided_at: None,
                created_at: exchange.at,
            };
            store::put_entry(tx, &entry).await
        })
    }

    fn undone<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { store::void_entries(tx, exchange.claim, exchange.at).await })
    }
}
