//! What this module keeps about a customer.

use agio_contracts::{CustomerAccount, CustomerRecords, ExportedRecords};
use agio_core::{BoxFuture, Error, Result, Tx, Vault};
use serde_json::json;
use uuid::Uuid;

use super::Partners;
use crate::model::PartnerAccessStatus;
use crate::store::accounts;

impl CustomerRecords for Partners {
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>> {
        Box::pin(async move {
            let Some(row) = accounts::of_customer(tx, account.id).await? else { return Ok(Vec::new()) };
            let partner = json!({
                "name": row.name,
                "email": row.email,
                "site": row.site,
                "callbackUrl": row.callback_url,
                "status": row.status,
                "enabled": row.enabled,
                "createdAt": row.created_at,
            });
            Ok(vec![("partner", partner)])
        })
    }

    fn change_email<'a>(&'a self, tx: &'a mut Tx, account: Uuid, _from: &'a str, to: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(accounts::set_customer_email(tx, account, to))
    }

    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, placeholder: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let own = accounts::of_customer(tx, account.id).await?;
            // Its keys work and its commission is owed.
            if own.as_ref().is_some_and(|row| row.enabled && row.status != PartnerAccessStatus::Declined) {
                return Err(Error::conflict("partner_access_open"));
            }
            let suspended = own.filter(|row| !row.enabled).and(account.email.as_ref());
            let kept = suspended.and_then(|email| suspended_addresses(&self.platform.vault, email).into_iter().next());
            accounts::erase_customer(tx, account.id, kept.as_deref().unwrap_or(placeholder)).await
        })
    }
}

/// What stays of the address of a suspended partner when its account is deleted, or the suspension would end with it: a
/// digest by each key, the current one first.
pub(super) fn suspended_addresses(vault: &Vault, email: &str) -> Vec<String> {
    vault.digests("suspended partner", email).into_iter().map(|digest| format!("{digest}@suspended.invalid")).collect()
}
