//! What this module keeps about a customer.

use agio_contracts::{CustomerAccount, CustomerRecords, ExportedRecords};
use agio_core::{BoxFuture, Result, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Contests;
use crate::store;

impl CustomerRecords for Contests {
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>> {
        Box::pin(async move {
            let Some(email) = &account.email else { return Ok(Vec::new()) };
            let entries: Vec<Value> = store::entries_of_email(tx, email)
                .await?
                .into_iter()
                .map(|entry| {
                    json!({
                        "contest": entry.contest_id,
                        "claim": entry.claim_number,
                        "name": entry.name,
                        "tickets": entry.weight,
                        "createdAt": entry.created_at,
                        "voidedAt": entry.voided_at,
                    })
                })
                .collect();
            Ok(vec![("contestEntries", entries.into())])
        })
    }

    fn change_email<'a>(&'a self, tx: &'a mut Tx, _account: Uuid, from: &'a str, to: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(store::change_email(tx, from, to))
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, placeholder: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match &account.email {
                Some(email) => store::change_email(tx, email, placeholder).await,
                None => Ok(()),
            }
        })
    }
}
