//! What this module keeps about a customer.

use agio_contracts::{CustomerAccount, CustomerRecords, ExportedRecords};
use agio_core::mailbox::mailbox;
use agio_core::money::plain;
use agio_core::{BoxFuture, Result, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::Waitlist;
use crate::service::MAILBOX_DIGEST;
use crate::store;

impl CustomerRecords for Waitlist {
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>> {
        Box::pin(async move {
            let mut entries = Vec::new();
            for digest in self.mailbox_digests(account) {
                for row in store::of_mailbox(tx, &digest).await? {
                    let condition = row.condition()?;
                    let code = |id| self.dependencies.currencies.by_id(id).map(|currency| currency.code.clone());
                    entries.push(json!({
                        "give": code(row.give_id),
                        "receive": code(row.receive_id),
                        "amount": condition.amount.map(plain),
                        "rate": condition.rate.map(plain),
                        "createdAt": row.created_at,
                        "expiresAt": row.expires_at,
                    }));
                }
            }
            Ok(vec![("waitlist", Value::Array(entries))])
        })
    }

    /// Each entry was confirmed at its own address.
    fn change_email<'a>(&'a self, _tx: &'a mut Tx, _account: Uuid, _from: &'a str, _to: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, _placeholder: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            for digest in self.mailbox_digests(account) {
                store::delete_of_mailbox(tx, &digest).await?;
            }
            Ok(())
        })
    }
}

impl Waitlist {
    /// All digests under which entries of a confirmed address may be stored.
    fn mailbox_digests(&self, account: &CustomerAccount) -> Vec<String> {
        let digests = |email: &String| self.platform.vault.digests(MAILBOX_DIGEST, &mailbox(email));
        account.email.as_ref().map(digests).unwrap_or_default()
    }
}
