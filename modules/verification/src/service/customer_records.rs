//! What this module keeps about a customer.

use agio_contracts::{CustomerAccount, CustomerRecords, ExportedRecords};
use agio_core::{BoxFuture, Result, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Verification;
use crate::store;

impl CustomerRecords for Verification {
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>> {
        Box::pin(async move {
            let mut exported = Vec::new();
            for row in store::every(tx, account.id, account.email.as_deref()).await? {
                let photos = store::photos(tx, row.id).await?.into_iter().map(|photo| {
                    json!({
                        "name": photo.name,
                        "size": photo.size,
                        "createdAt": photo.created_at,
                        "deletedBy": photo.deleted_at.unwrap_or(photo.delete_after),
                    })
                });
                exported.push(json!({
                    "kind": row.kind,
                    "state": row.state,
                    "cause": row.cause,
                    "claim": row.claim_number,
                    "card": row.card_masked,
                    "reason": row.reason,
                    "createdAt": row.created_at,
                    "sentAt": row.sent_at,
                    "decidedAt": row.decided_at,
                    "photos": photos.collect::<Vec<_>>(),
                }));
            }
            Ok(vec![("verifications", Value::Array(exported))])
        })
    }

    fn change_email<'a>(&'a self, tx: &'a mut Tx, account: Uuid, from: &'a str, to: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(store::change_email(tx, account, from, to))
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, placeholder: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(store::erase(tx, account.id, account.email.as_deref(), placeholder))
    }
}
