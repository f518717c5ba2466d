//! What this module keeps about a customer.

use agio_contracts::{CustomerAccount, CustomerRecords, ExportedRecords};
use agio_core::{BoxFuture, Result, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Content;
use crate::store;

impl CustomerRecords for Content {
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>> {
        Box::pin(async move {
            let messages: Vec<Value> = store::messages_of_customer(tx, account.id, account.email.as_deref())
                .await?
                .into_iter()
                .map(|row| json!({ "name": row.name, "email": row.email, "message": row.message, "createdAt": row.created_at }))
                .collect();
            Ok(vec![("messages", messages.into())])
        })
    }

    /// A message is answered at the address it was sent with.
    fn change_email<'a>(&'a self, _tx: &'a mut Tx, _account: Uuid, _from: &'a str, _to: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, _placeholder: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(store::delete_messages_of_customer(tx, account.id, account.email.as_deref()))
    }
}
